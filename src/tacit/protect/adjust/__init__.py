# SPDX-License-Identifier: Apache-2.0
"""Move sensitive cells far enough, and others as little as that needs."""

from tacit.protect.adjust._by_hand import m3a_safe_set
from tacit.protect.adjust._cta import Cta
from tacit.protect.adjust._m3a import M3a
from tacit.protect.adjust._verb import adjust

__all__ = ["Cta", "M3a", "adjust", "m3a_safe_set"]
