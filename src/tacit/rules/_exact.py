# SPDX-License-Identifier: Apache-2.0
"""Linear forms over the columns of evidence, with their exact sign.

S = c1*a1 + c2*a2 + ... is first taken in float64. Only where |S| lies within the
rounding error is it taken again in exact integer arithmetic (convention C9): integers
have no tolerance. Float evidence (sampling weights) has 1e-9 * max(1, |X|).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Column", "linear_form", "percent"]

Column: TypeAlias = "NDArray[np.int64] | NDArray[np.float64]"
Floats: TypeAlias = "NDArray[np.float64]"
Signs: TypeAlias = "NDArray[np.int8]"

_LIMB = 31
_LIMB_MASK = (1 << _LIMB) - 1
_PART = 28
_PART_MASK = (1 << _PART) - 1
_MOST_TERMS = 12
_RELATIVE_ERROR = 2.0**-50
_ROWS_AT_A_TIME = 1 << 15


def percent(number: float) -> Fraction:
    """Read a percentage exactly as it is written, as a share.

    >>> percent(12.5)
    Fraction(1, 8)
    """
    return Fraction(repr(float(number))) / 100


def linear_form(
    columns: Sequence[Column], coefficients: Sequence[Fraction], total: Column
) -> tuple[Floats, Signs]:
    """Sum the columns times their coefficients; give the sums and their exact signs.

    ``total`` is the scale of the tolerance where a column is a float.

    >>> x = np.array([10**17, 10**17])
    >>> y = np.array([10**17 - 1, 10**17])
    >>> linear_form([x, y], [Fraction(1), Fraction(-1)], x)[1].tolist()
    [1, 0]
    """
    pairs = [(a, c) for a, c in zip(columns, coefficients, strict=True) if c]
    sums = np.empty(len(total))
    signs = np.empty(len(total), dtype=np.int8)
    exact = all(column.dtype.kind == "i" for column, _ in pairs)
    # Pieces that stay in the cache; a column may be a strided part of a matrix.
    for start in range(0, len(total), _ROWS_AT_A_TIME):
        rows = slice(start, start + _ROWS_AT_A_TIME)
        piece = [(column[rows], c) for column, c in pairs]
        sums[rows], signs[rows] = (
            _exact_piece(piece, len(sums[rows]))
            if exact
            else _float_piece(piece, total[rows])
        )
    return sums, signs


def _in_floats(
    pairs: Sequence[tuple[Column, Fraction]], n: int
) -> tuple[Floats, Floats]:
    """Give the sums, and the sums of the magnitudes of their terms."""
    sums, sizes = np.zeros(n), np.zeros(n)
    for column, coefficient in pairs:
        term = column * float(coefficient)
        sums += term
        sizes += np.abs(term, out=term)
    return sums, sizes


def _float_piece(
    pairs: Sequence[tuple[Column, Fraction]], total: Column
) -> tuple[Floats, Signs]:
    sums, _ = _in_floats(pairs, len(total))
    slack = 1e-9 * np.maximum(1.0, np.abs(total))
    return sums, (sums > slack).astype(np.int8) - (sums < -slack).astype(np.int8)


def _exact_piece(
    pairs: Sequence[tuple[Column, Fraction]], n: int
) -> tuple[Floats, Signs]:
    sums, sizes = _in_floats(pairs, n)
    sizes *= _RELATIVE_ERROR * (len(pairs) + 2)
    near = np.flatnonzero(np.abs(sums) <= sizes)
    if pairs and len(near):
        sums[near] = _exact_sums([(column[near], c) for column, c in pairs])
    return sums, np.sign(sums).astype(np.int8)


def _exact_sums(pairs: Sequence[tuple[Column, Fraction]]) -> Floats:
    """Sum exactly, then round once: the sign of the float is the exact one."""
    denominator = math.lcm(*(c.denominator for _, c in pairs))
    whole = [(column, int(c * denominator)) for column, c in pairs]
    weight = sum(abs(c) for _, c in whole)
    largest = max(int(np.abs(column).max(initial=0)) for column, _ in whole)
    if weight * max(largest, 1) < 1 << 62:
        return _plain(whole).astype(np.float64) / float(denominator)
    if weight < 1 << 60 and len(whole) <= _MOST_TERMS:
        return _in_limbs(whole) / float(denominator)
    total = _plain([(column.astype(object), c) for column, c in whole])
    result: Floats = (total / denominator).astype(np.float64)
    return result


def _plain(whole: Sequence[tuple[NDArray[Any], int]]) -> NDArray[Any]:
    sums = whole[0][0] * whole[0][1]
    for column, coefficient in whole[1:]:
        sums = sums + column * coefficient
    return sums


def _in_limbs(whole: Sequence[tuple[NDArray[Any], int]]) -> Floats:
    """Sum columns and coefficients in halves, for sums that are close to zero.

    The sum is (high << 31) + low. What the high halves add up to may leave 64 bits on
    the way; it comes back, because the sum itself is small and integers wrap around.
    """
    upper = [(column, c >> _PART) for column, c in whole]
    lower = [(column, c & _PART_MASK) for column, c in whole]
    high = (_high(upper) << _PART) + _high(lower)
    low_upper, low = _low(upper), _low(lower)
    # (low_upper << 28) may leave 64 bits too: split it where it joins the high half.
    high += low_upper >> (_LIMB - _PART)
    low += (low_upper & ((1 << (_LIMB - _PART)) - 1)) << _PART
    high += low >> _LIMB
    low &= _LIMB_MASK
    # high may be negative while low is not; their sum has the exact sign, because low
    # is below one unit of high and both are exact below 2**53.
    result: Floats = high.astype(np.float64) * float(1 << _LIMB) + low
    return result


def _high(whole: Sequence[tuple[NDArray[Any], int]]) -> NDArray[Any]:
    return _plain([(column >> _LIMB, c) for column, c in whole])


def _low(whole: Sequence[tuple[NDArray[Any], int]]) -> NDArray[Any]:
    return _plain([(column & _LIMB_MASK, c) for column, c in whole])
