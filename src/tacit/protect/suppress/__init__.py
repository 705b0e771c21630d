# SPDX-License-Identifier: Apache-2.0
"""Withhold cells until nothing sensitive can be worked out, and keep the proof."""

import importlib
from typing import TYPE_CHECKING, Any

from tacit.protect.suppress._costs import Cost
from tacit.protect.suppress._history import History, Pattern, difference

if TYPE_CHECKING:
    from tacit.protect.suppress._verb import suppress

__all__ = ["Cost", "History", "Pattern", "difference", "suppress"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the one verb below
    # The verb opens compiled kernels and a solver; who only reads a job does not.
    if name != "suppress":
        message = f"module 'tacit.protect.suppress' has no attribute '{name}'"
        raise AttributeError(message)
    return importlib.import_module("tacit.protect.suppress._verb").suppress
