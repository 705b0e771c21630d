# SPDX-License-Identifier: Apache-2.0
"""The Statisticon rule: intervals that respondents can compute must not be narrow."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from pydantic import field_validator, model_validator

from tacit.errors import RuleError
from tacit.rules._amounts import Amounts, Policy, amounts_of, apply_policy
from tacit.rules._base import Rule, Verdict
from tacit.rules._every import Every, every_contribution, in_portions
from tacit.rules._exact import linear_form, percent
from tacit.rules._messages import check_percentage
from tacit.rules._numbers import exact_all, tolerance
from tacit.rules._registry import register

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.rules._exact import Column
    from tacit.rules._numbers import Number
    from tacit.table import Table

__all__ = ["Statisticon", "statisticon_interval"]

_FEW = 2


class _Pair(NamedTuple):
    """What the respondent of one rank can say about that of another."""

    target: int
    known: int
    lower: Fraction
    upper: Fraction


def statisticon_interval(
    contributions: Sequence[Number], *, all_pairs: bool = False
) -> tuple[float, float]:
    """Bound the largest contribution as the second largest contributor can.

    It knows the total, its own contribution, its rank and the number of contributors.
    With ``all_pairs`` every respondent bounds every other, and the narrowest interval
    is given (of several, that of the largest contribution).

    >>> statisticon_interval([59, 40, 1])
    (40.0, 60.0)
    >>> statisticon_interval([34, 33, 33], all_pairs=True)
    (33.5, 34.0)
    """
    x = sorted(exact_all(contributions), reverse=True)
    if not x or x[-1] < 0:
        message = "Intervals need contributions, and none of them negative."
        raise RuleError(message)
    n, total = len(x), sum(x, Fraction(0))
    if n <= _FEW:
        return float(x[0]), float(x[0])
    if all_pairs:
        pairs = (_pair(x, total, i, j) for i in range(n) for j in range(n) if i != j)
        best = min(pairs, key=lambda pair: pair.upper - pair.lower)
        return float(best.lower), float(best.upper)
    return (
        float(max(x[1], total - (n - 1) * x[1])),
        float(total - x[1]),
    )


def _pair(x: Sequence[Fraction], total: Fraction, target: int, known: int) -> _Pair:
    """Bound the contribution of one rank from that of another, both from 0.

    These are the smallest and largest x_i over x_1 >= ... >= x_n >= 0 with the given
    sum and the given x_j, solved by hand: whoever is larger than the known one takes up
    any excess, whoever is smaller can give way.
    """
    i, j, n, a = target + 1, known + 1, len(x), x[known]
    if i < j:
        upper = (total - (j - i) * a) / i
        lower = a if i > 1 else max(a, (total - (n - j + 1) * a) / (j - 1))
    else:
        upper = min(a, (total - j * a) / (i - j))
        rest = (total - (i - 1) * a) / (n - i + 1)
        lower = max(Fraction(0), rest) if j == 1 else Fraction(0)
    return _Pair(target, known, lower, upper)


@register
class Statisticon(Rule):
    """Unsafe if the second largest bounds the largest within s percent of the total.

    The interval has the width min((n - 2) x2, X - 2 x2); cells of one or two
    contributors have none. The required level, on either side, is what the width
    lacks: this is our definition. With ``all_pairs`` every respondent may bound every
    other, which is much stricter: among many, small ones are always pinned down.

    >>> Statisticon(s=25).sensitivity([41, 40, 19])
    5.0
    >>> Statisticon(s=15).unsafe([59, 40, 1])
    False
    """

    kind: Literal["statisticon"] = "statisticon"
    s: float
    all_pairs: bool = False
    negatives: Policy | None = None

    @field_validator("s")
    @classmethod
    def _percentage(cls, s: float) -> float:
        return check_percentage("s", s, top=None)

    @model_validator(mode="after")
    def _policy_fits(self) -> Statisticon:
        if self.negatives not in {None, "absolute", "shift"}:
            message = "For this rule 'negatives' can be 'absolute' or 'shift' only."
            raise ValueError(message)
        return self

    @property
    def largest_needed(self) -> int:
        """How many of the largest contributions the rule asks for."""
        return 2

    def sensitivity(self, contributions: Sequence[Number]) -> float:
        """What the narrowest interval lacks of s percent of the total."""
        return float(self._lacking(contributions)[0])

    def unsafe(self, contributions: Sequence[Number]) -> bool:
        """Whether one cell with these contributions is unsafe."""
        lacking, total = self._lacking(contributions)
        slack = tolerance(contributions, total)
        if not total > 0:
            return False
        return lacking >= -slack if self.closed else lacking > slack

    def _lacking(self, contributions: Sequence[Number]) -> tuple[Fraction, Fraction]:
        policy = self.negatives
        given = exact_all(contributions)
        x = sorted(apply_policy(given, policy, factor=1.0, sizes=None), reverse=True)
        n, total = len(x), sum(x, Fraction(0))
        width = Fraction(0)
        if n > _FEW and self.all_pairs:
            pairs = (
                _pair(x, total, i, j) for i in range(n) for j in range(n) if i != j
            )
            width = min(pair.upper - pair.lower for pair in pairs)
        elif n > _FEW:
            width = min((n - 2) * x[1], total - 2 * x[1])
        return percent(self.s) * total - width, total

    def evaluate(self, table: Table) -> Verdict:
        """Judge every cell of a table."""
        amounts = amounts_of(table, self.kind, policy=self.negatives, factor=1.0)
        if self.all_pairs:
            value = self._every_pair(table, amounts)
            slack = 1e-9 * np.maximum(1.0, amounts.total)
            sign = np.sign(np.where(np.abs(value) <= slack, 0.0, value))
        else:
            value, sign = self._second_about_first(amounts)
        unsafe = (sign >= 0) if self.closed else (sign > 0)
        return Verdict.of(unsafe & (amounts.total > 0), value)

    def _second_about_first(
        self, amounts: Amounts
    ) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Take s X - min((n-2) x2, X - 2 x2) as the larger of two linear forms."""
        second = amounts.columns(2)[1]
        total = amounts.total
        others = np.maximum(amounts.contributors - 2, 0)
        # Cut (n-2) x2 at X, where the other form decides: it must not overflow.
        fits = second <= total // np.maximum(others, 1)
        below: Column = np.where(fits, np.where(fits, second, 0) * others, total)
        share = percent(self.s)
        one = linear_form([total, below], [share, Fraction(-1)], total)
        two = linear_form([total, second], [share - 1, Fraction(2)], total)
        few = amounts.contributors <= _FEW
        value = np.where(few, float(share) * total, np.maximum(one[0], two[0]))
        return value, np.where(few, np.sign(total), np.maximum(one[1], two[1]))

    def _every_pair(self, table: Table, amounts: Amounts) -> NDArray[np.float64]:
        total = amounts.total.astype(np.float64)
        width = np.zeros(len(table))
        cells = np.flatnonzero(amounts.contributors > _FEW)
        for portion in in_portions(amounts.contributors, cells):
            every = every_contribution(table, portion, "all_pairs")
            width[portion] = _narrowest(_shifted(every, self.negatives, table))
        return float(percent(self.s)) * total - width


def _shifted(every: Every, policy: Policy | None, table: Table) -> Every:
    if policy != "shift":
        return Every(every.indptr, np.abs(every.value))
    least = every.reduce(np.minimum, every.value)
    one = 10**table.cells.decimals
    shift = np.where(least < 0, one - least, 0)
    return Every(every.indptr, every.value + shift[every.cell])


def _narrowest(every: Every) -> NDArray[np.float64]:
    """Width of the narrowest interval of each cell over all pairs of respondents.

    For a known rank j > 1 the width falls with the target's rank both above and below
    j, so that of the targets only 1, j - 1 and n matter; for j = 1 all do.
    """
    cell = every.cell
    x = every.value[np.lexsort((-every.value, cell))].astype(np.float64)
    n = every.counts[cell].astype(np.float64)
    j = np.arange(len(x)) - every.indptr[cell] + 1.0
    total = every.reduce(np.add, x)[cell]
    top = x[every.indptr[:-1]][cell]
    with np.errstate(divide="ignore", invalid="ignore"):
        first = total - (j - 1) * x
        first -= np.maximum(x, (total - (n - j + 1) * x) / (j - 1))
        nearest = (total - j * x) / (j - 1)
        last = np.minimum(x, (total - j * x) / (n - j))
        of_top = np.minimum(top, (total - top) / (j - 1))
        of_top -= np.maximum(0.0, (total - (j - 1) * top) / (n - j + 1))
    widths = np.where(j > 1, np.fmin(first, of_top), math.inf)
    widths = np.where(j > _FEW, np.fmin(widths, nearest), widths)
    widths = np.where((j > 1) & (j < n), np.fmin(widths, last), widths)
    narrowest: NDArray[np.float64] = every.reduce(np.minimum, widths)
    return np.maximum(narrowest, 0.0)
