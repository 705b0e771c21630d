# SPDX-License-Identifier: Apache-2.0
"""Exact numbers from what a user writes."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tacit.errors import RuleError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Number", "exact", "exact_all", "tolerance"]

Number: TypeAlias = int | float | Decimal | Fraction | np.integer | np.floating


def exact(number: Number) -> Fraction:
    """Read a number as it is written: 12.5 is 25/2, 0.1 is 1/10.

    >>> exact(12.5), exact(0.1)
    (Fraction(25, 2), Fraction(1, 10))
    """
    if isinstance(number, Fraction):
        return number
    if isinstance(number, (int, np.integer)) and not isinstance(number, bool):
        return Fraction(int(number))
    if isinstance(number, (float, np.floating)) and math.isfinite(number):
        return Fraction(repr(float(number)))
    if isinstance(number, Decimal) and number.is_finite():
        return Fraction(number)
    message = "A contribution must be a finite number; write missing ones as 0."
    raise RuleError(message)


def exact_all(numbers: Iterable[Number]) -> list[Fraction]:
    """Read several numbers as they are written.

    >>> exact_all([1, 0.5])
    [Fraction(1, 1), Fraction(1, 2)]
    """
    return [exact(number) for number in numbers]


def tolerance(numbers: Iterable[Number], total: Fraction) -> Fraction:
    """How far from zero still counts as zero: nowhere, but for floating point input.

    >>> tolerance([1, 2], Fraction(3)), tolerance([0.5, 2], Fraction(5, 2))
    (Fraction(0, 1), Fraction(1, 400000000))
    """
    if any(isinstance(number, (float, np.floating)) for number in numbers):
        return max(Fraction(1), abs(total)) / 10**9
    return Fraction(0)
