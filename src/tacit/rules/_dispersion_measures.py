# SPDX-License-Identifier: Apache-2.0
"""How much of the dispersion of contributions rests on the few most extreme ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tacit.errors import RuleError
from tacit.rules._every import Every
from tacit.rules._numbers import exact_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.rules._numbers import Number

__all__ = ["Ratios", "Spread", "quantile_ratio", "t_ratio", "variance_ratio"]

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True, eq=False, repr=False)
class Ratios:
    """Per cell, both ratios after the h most extreme contributions are set aside."""

    variance: NDArray[np.float64]
    """Undefined (nan) where fewer than two remain or all are equal."""
    quantile: NDArray[np.float64]
    """Undefined (nan) where all are equal."""
    distance: NDArray[np.float64]
    """How far the extremes lie from the median, relative to the largest."""


def t_ratio(contributions: Sequence[Number]) -> float:
    """Give the smaller of the positive and the negative sum, relative to the larger.

    It is 0 where all contributions have one sign, and 1 where they cancel out.

    >>> t_ratio([10, -4, 1]), t_ratio([0, 0])
    (0.36363636363636365, 0.0)
    """
    values = exact_all(contributions)
    sums = sum(y for y in values if y > 0), -sum(y for y in values if y < 0)
    return float(min(sums) / max(sums)) if max(sums) else 0.0


def variance_ratio(contributions: Sequence[Number], h: int) -> float:
    """Variance without the h largest in absolute value, relative to that of all.

    Ties at the cut are broken so that the ratio is smallest. It is nan where fewer
    than two contributions remain or all are equal, and exceeds 1 where the extremes
    are many:

    >>> round(variance_ratio([1, 1, 0], 1), 6), variance_ratio([5, 5, 5], 1)
    (1.5, nan)
    """
    return float(_by_hand(contributions, h).variance[0])


def quantile_ratio(contributions: Sequence[Number], h: int) -> float:
    """Sum of squares about the median without the h most extreme, relative to all.

    >>> round(quantile_ratio([-10, -6, -5, -5, -4], 1), 6)
    0.074074
    """
    return float(_by_hand(contributions, h).quantile[0])


def _by_hand(contributions: Sequence[Number], h: int) -> Ratios:
    if h < 1:
        message = "'h', the number of contributions set aside, must be at least 1."
        raise RuleError(message)
    values = np.array([float(y) for y in exact_all(contributions)])
    return Spread.of(Every(np.array([0, len(values)]), values)).ratios(h)


@dataclass(frozen=True, eq=False, repr=False)
class Spread:
    """The dispersion of many cells, ready to set contributions aside."""

    every: Every
    middle: Floats
    spread: Floats
    """Variance of each cell."""
    around: Floats
    """Sum of squares about the median."""
    largest: Floats
    equal: NDArray[np.bool_]
    ranked: tuple[Floats, Floats]
    """Contributions by absolute value; ties with either sign first."""

    @classmethod
    def of(cls, every: Every) -> Spread:
        """Take what does not depend on how many are set aside."""
        values = every.value.astype(np.float64)
        middle = _median(every, values)
        mean = every.reduce(np.add, values) / np.maximum(every.counts, 1)
        squares = every.reduce(np.add, (values - mean[every.cell]) ** 2)
        high = every.reduce(np.maximum, values)
        low = every.reduce(np.minimum, values)
        return cls(
            every=every,
            middle=middle,
            spread=squares / np.maximum(every.counts - 1, 1),
            around=every.reduce(np.add, (values - middle[every.cell]) ** 2),
            largest=np.maximum(np.abs(high), np.abs(low)),
            equal=high == low,
            ranked=_ranked(every, values),
        )

    def ratios(self, h: int) -> Ratios:
        """Set the h most extreme aside, so that the ratios are smallest.

        Of all ways to break a tie in |y|, one of two gives the smallest ratio: as many
        as possible of one sign are set aside.
        """
        one, other = (self._set_aside(values, h) for values in self.ranked)
        too_few = self.equal | (self.every.counts - h < 2)  # noqa: PLR2004
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = np.minimum(one.kept, other.kept) / self.spread
            quantile = 1 - np.maximum(one.gone, other.gone) / self.around
        return Ratios(
            variance=np.where(too_few, math.nan, variance),
            quantile=np.where(self.equal, math.nan, np.maximum(quantile, 0.0)),
            distance=np.maximum(one.far, other.far)
            / np.where(self.largest > 0, self.largest, 1),
        )

    def _set_aside(self, values: Floats, h: int) -> _Aside:
        every, cell = self.every, self.every.cell
        rank = np.arange(len(cell)) - every.indptr[cell]
        first = np.flatnonzero(rank < h)
        rest = np.maximum(every.counts - h, 0)
        kept = values.copy()
        kept[first] = 0
        mean = every.reduce(np.add, kept) / np.maximum(rest, 1)
        kept -= mean[cell]
        kept[first] = 0
        off = np.zeros(len(values))
        off[first] = values[first] - self.middle[cell[first]]
        return _Aside(
            kept=every.reduce(np.add, kept**2) / np.maximum(rest - 1, 1),
            gone=every.reduce(np.add, off**2),
            far=every.reduce(np.maximum, np.abs(off)),
        )


class _Aside(NamedTuple):
    """Variance of what is kept, squares of what is gone, how far that lies off."""

    kept: Floats
    gone: Floats
    far: Floats


def _median(every: Every, values: Floats) -> Floats:
    ordered = values[np.lexsort((values, every.cell))]
    if not len(ordered):
        return np.zeros(len(every.counts))
    last = len(ordered) - 1
    start, counts = every.indptr[:-1], np.maximum(every.counts, 1)
    low = ordered[np.minimum(start + (counts - 1) // 2, last)]
    high = ordered[np.minimum(start + counts // 2, last)]
    middle: Floats = np.where(every.counts > 0, low + (high - low) / 2, 0)
    return middle


def _ranked(every: Every, values: Floats) -> tuple[Floats, Floats]:
    """Order by absolute value inside each cell, once with either sign first in ties."""
    size, cell = np.abs(values), every.cell
    same = cell[1:] == cell[:-1]
    if bool((same & (size[1:] > size[:-1])).any()):
        order = np.lexsort((-size, cell))
        values, size = values[order], size[order]
    tie = np.append(False, same & (size[1:] == size[:-1]))
    run = 2 * np.cumsum(~tie)
    # The keys are nearly in order, which a stable sort makes use of.
    positive = values[np.argsort(run + (values < 0), kind="stable")]
    negative = values[np.argsort(run + (values > 0), kind="stable")]
    return positive, negative
