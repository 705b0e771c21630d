# SPDX-License-Identifier: Apache-2.0
"""Entropy of the shares of a cell: low where few contributors hold most of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tacit.rules._numbers import exact_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.rules._numbers import Number

__all__ = ["entropy", "evenness"]


def entropy(contributions: Sequence[Number]) -> float:
    """Give the entropy, in bits, of the shares of the absolute total.

    >>> entropy([1, 1, 1, 1]), entropy([5, 0]), round(entropy([81, 5, 2, 2, 2]), 6)
    (2.0, 0.0, 0.750328)
    """
    sizes = [float(abs(x)) for x in exact_all(contributions) if x]
    total = math.fsum(sizes)
    # Zeros have no share: 0 log 0 = 0. The maximum turns -0.0 into 0.0.
    return max(0.0, -math.fsum(x / total * math.log2(x / total) for x in sizes))


def evenness(contributions: Sequence[Number]) -> float:
    """Entropy relative to that of equal shares, between 0 and 1.

    Only contributions other than 0 count; of fewer than two it is 0.

    >>> evenness([1, 1, 1, 1]), evenness([7])
    (1.0, 0.0)
    """
    holders = sum(1 for x in exact_all(contributions) if x)
    return entropy(contributions) / math.log2(holders) if holders > 1 else 0.0
