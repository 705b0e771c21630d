# SPDX-License-Identifier: Apache-2.0
"""Counts that were changed, given away by exact means beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Number = int | float | str | Fraction

__all__ = ["PossibleCounts", "means_attack"]


@dataclass(frozen=True, eq=False, repr=False)
class PossibleCounts:
    """True counts that nobody can rule out: those of group g from ``indptr[g]`` on."""

    indptr: NDArray[np.int64]
    count: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def unique(self) -> NDArray[np.int64]:
        """The true count of each group where it is certain, else -1."""
        alone = np.diff(self.indptr) == 1
        found = np.full(len(self), -1, dtype=np.int64)
        found[alone] = self.count[self.indptr[:-1][alone]]
        return found

    def of(self, group: int) -> list[int]:
        """All possible counts of one group."""
        possible: list[int] = self.count[
            self.indptr[group] : self.indptr[group + 1]
        ].tolist()
        return possible

    def __repr__(self) -> str:
        certain = int((self.unique >= 0).sum())
        return f"<PossibleCounts: {certain:,} of {len(self):,} groups certain>"


def means_attack(
    counts: Sequence[int],
    means: Sequence[Number],
    *,
    deviation: int,
    decimals: int | None = None,
    unit: Number = 1,
) -> PossibleCounts:
    """Find the true counts behind changed ones, by means that were left exact.

    A mean times its count is a sum of multiples of ``unit``: few counts within
    ``deviation`` of the published one make it whole. Means are exact (give fractions,
    or texts such as "11.25" and "95/12"), or rounded to ``decimals``.

    >>> means_attack([9, 14, 19], ["11.25", "95/12", "9.25"], deviation=2).unique
    array([ 8, 12, 20])
    """
    if len(counts) != len(means):
        message = f"There are {len(counts)} counts and {len(means)} means: give pairs."
        raise InputError(message)
    if deviation < 0:
        message = "'deviation', how far a count may have been moved, is at least 0."
        raise InputError(message)
    step = _exact(unit, "unit")
    if step <= 0:
        message = "'unit', what amounts are multiples of, must be above 0."
        raise InputError(message)
    slack = None if decimals is None else Fraction(1, 2 * 10**decimals)
    found: list[list[int]] = []
    for group, (count, mean) in enumerate(zip(counts, means, strict=True)):
        if slack is None and isinstance(mean, float) and not mean.is_integer():
            message = (
                f"The mean of group {group} is a float, of which nobody knows how it "
                "was rounded. Give a text or a fraction, or say decimals=."
            )
            raise InputError(message)
        exact = _exact(mean, "means") / step
        near = range(max(1, int(count) - deviation), int(count) + deviation + 1)
        off = None if slack is None else slack / step
        found.append(list(_whole(exact, near, off)))
        if not found[-1]:
            message = (
                f"No count within {deviation} of that of group {group} fits its mean. "
                "Check 'deviation', 'unit' and 'decimals'."
            )
            raise InputError(message)
    sizes = [len(one) for one in found]
    return PossibleCounts(
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.array([n for one in found for n in one], dtype=np.int64),
    )


def _exact(number: Number, name: str) -> Fraction:
    try:
        return Fraction(repr(number) if isinstance(number, float) else number)
    except (ValueError, ZeroDivisionError, TypeError):
        message = f"'{name}' holds what is not a finite number."
        raise InputError(message) from None


def _whole(mean: Fraction, near: range, slack: Fraction | None) -> Iterator[int]:
    """Counts that make some whole sum have this mean."""
    for count in near:
        if slack is None:
            if (mean * count).denominator == 1:
                yield count
        elif math.ceil((mean - slack) * count) <= math.floor((mean + slack) * count):
            yield count
