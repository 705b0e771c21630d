# SPDX-License-Identifier: Apache-2.0
"""What a method of suppression hands back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tacit.protect.suppress._ledger import Ledger

__all__ = ["Alone", "Outcome"]


@dataclass(frozen=True, eq=False)
class Alone:
    """What a classical method does by itself, and what repair makes of it.

    ``hidden`` is its pattern, ``short`` the number of sensitive cells for which no
    proof was found in it, ``repaired`` the pattern with what these needed.
    """

    hidden: NDArray[np.bool_]
    repaired: NDArray[np.bool_]
    short: int


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method found: hidden cells, proofs, needs that stay open, a bound.

    ``tried`` is false where the time ended before every need was looked at. ``alone``
    is what a classical method would have handed back.
    """

    hidden: NDArray[np.bool_]
    ledger: Ledger | None
    open: NDArray[np.int64]
    bound: float | None
    programs: int = 0
    tried: bool = True
    alone: Alone | None = None
