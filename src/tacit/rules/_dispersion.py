# SPDX-License-Identifier: Apache-2.0
"""Dispersion measures for contributions of both signs, with their decision rule."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import model_validator

from tacit.rules._amounts import evidence_of, mixed_cells
from tacit.rules._base import Rule, Verdict
from tacit.rules._concentration import Concentration
from tacit.rules._dispersion_measures import (
    Spread,
    quantile_ratio,
    t_ratio,
    variance_ratio,
)
from tacit.rules._every import Every, every_contribution, in_portions
from tacit.rules._numbers import exact_all
from tacit.rules._registry import AnyRule, register

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.rules._numbers import Number
    from tacit.table import Table

__all__ = ["Dispersion", "DispersionReport", "t_ratio"]

_FEW = 2
_EQUAL = 1e-12


@dataclass(frozen=True)
class DispersionReport:
    """The measures of one cell. Confidential."""

    t: float
    variance: tuple[float, ...]
    quantile: tuple[float, ...]
    above_1: bool
    """A variance ratio exceeds 1: the extremes are many, and the quantile decides."""
    degenerate: bool
    """The most extreme contribution hardly differs from the others."""
    undefined: bool
    unsafe: bool


@register
class Dispersion(Rule):
    """Unsafe if the dispersion of a cell rests on its h most extreme contributions.

    A cell of mixed signs (T-ratio above ``k0``) is unsafe if, for any number up to
    ``h`` set aside, the variance ratio or the quantile ratio is at most ``c``; here
    equality is unsafe. Cells of nearly one sign go to the rule ``one_signed``, on
    absolute values; without one they are judged like the others. Extremes that lie
    within ``floor`` of the median, relative to the largest, are no outliers. The level
    is ``margin`` percent of the absolute total. This decision rule is a reconstruction.

    >>> rule = Dispersion()
    >>> rule.unsafe([-100, 90, 1, 2, -1, 0]), rule.unsafe([-9, 8, -7, 6, -5, 4])
    (True, False)
    """

    kind: Literal["dispersion"] = "dispersion"
    k0: float = 0.05
    c: float = 0.05
    h: int = 2
    floor: float = 0.05
    margin: float = 0.0
    one_signed: AnyRule | None = None

    @model_validator(mode="after")
    def _check(self) -> Dispersion:
        for name in ("k0", "c", "floor"):
            if not 0 <= getattr(self, name) < 1:
                message = f"'{name}' is a ratio and must lie between 0 and 1."
                raise ValueError(message)
        if self.h < 1:
            message = "'h', the number of contributions set aside, must be at least 1."
            raise ValueError(message)
        if self.margin < 0:
            message = "'margin' is a percentage and must not be negative."
            raise ValueError(message)
        return self

    def sensitivity(self, contributions: Sequence[Number]) -> float:
        """Distance of the smallest ratio below ``c``: a ratio, not an amount.

        It is infinite where no ratio is defined and the cell is unsafe for that.
        """
        traditional = self._traditional(contributions)
        if traditional is not None:
            return traditional.sensitivity(contributions)
        report = self.report(contributions)
        if report.undefined:
            return math.inf if report.unsafe else -math.inf
        smallest = np.nanmin([*report.variance, *report.quantile])
        return float(self.c - (1.0 if report.degenerate else smallest))

    def unsafe(self, contributions: Sequence[Number]) -> bool:
        """Whether one cell with these contributions is unsafe."""
        traditional = self._traditional(contributions)
        if traditional is not None:
            return traditional.unsafe(contributions)
        return self.report(contributions).unsafe

    def report(self, contributions: Sequence[Number]) -> DispersionReport:
        """Give every measure of one cell, with what is to be said of it.

        >>> Dispersion(h=1).report([1, 1, 0]).above_1
        True
        """
        steps = range(1, self.h + 1)
        values = np.array([float(y) for y in exact_all(contributions)])
        every = Every(np.array([0, len(values)]), values)
        variance = tuple(variance_ratio(contributions, h) for h in steps)
        quantile = tuple(quantile_ratio(contributions, h) for h in steps)
        return DispersionReport(
            t=t_ratio(contributions),
            variance=variance,
            quantile=quantile,
            above_1=any(ratio > 1 + _EQUAL for ratio in variance),
            degenerate=bool(Spread.of(every).ratios(1).distance[0] <= self.floor),
            undefined=any(math.isnan(ratio) for ratio in variance),
            unsafe=bool(self._fires(every)[0]),
        )

    def evaluate(self, table: Table) -> Verdict:
        """Judge every cell of a table."""
        held = evidence_of(table, self.kind).contributors > 0
        rule = self._one_signed_rule()
        if rule is None:
            return self.judge_cells(table, np.flatnonzero(held))
        mixed = mixed_cells(table, self.kind, limit=self.k0)
        other = rule.evaluate(table)
        own = self.judge_cells(table, np.flatnonzero(mixed))
        levels = (
            np.where(mixed, getattr(own, name), getattr(other, name))
            for name in ("unsafe", "upper", "lower", "sliding")
        )
        return Verdict(*levels)

    def judge_cells(self, table: Table, cells: NDArray[np.int64]) -> Verdict:
        """Judge some cells by their dispersion; all others come back as safe."""
        evidence = evidence_of(table, self.kind)
        unsafe = np.zeros(len(table), dtype=bool)
        for portion in in_portions(evidence.contributors, cells):
            unsafe[portion] = self._fires(every_contribution(table, portion, self.kind))
        total = evidence.total.astype(np.float64)
        return Verdict.of(unsafe, total * (self.margin / 100))

    def _fires(self, every: Every) -> NDArray[np.bool_]:
        spread = Spread.of(every)
        fires = (every.counts <= _FEW) & (spread.largest > 0)
        for h in range(1, self.h + 1):
            found = spread.ratios(h)
            low = np.fmin(found.variance, found.quantile) <= self.c + _EQUAL
            low &= found.distance > self.floor
            fires |= (low | np.isnan(found.variance)) & ~spread.equal
        return fires

    def _one_signed_rule(self) -> Rule | None:
        rule = self.one_signed
        if isinstance(rule, Concentration) and rule.negatives is None:
            return rule.model_copy(update={"negatives": "absolute"})
        return rule

    def _traditional(self, contributions: Sequence[Number]) -> Rule | None:
        rule = self._one_signed_rule()
        if rule is None or t_ratio(contributions) > self.k0:
            return None
        return rule
