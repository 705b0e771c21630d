# SPDX-License-Identifier: Apache-2.0
"""Publish multiples of a base instead of the numbers themselves."""

from tacit.protect.round._base import minimum_base
from tacit.protect.round._controlled import Controlled
from tacit.protect.round._conventional import Conventional
from tacit.protect.round._random import Random
from tacit.protect.round._small_counts import SmallCounts
from tacit.protect.round._verb import round  # noqa: A004 - the name of the house

__all__ = [
    "Controlled",
    "Conventional",
    "Random",
    "SmallCounts",
    "minimum_base",
    "round",
]
