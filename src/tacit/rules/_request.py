# SPDX-License-Identifier: Apache-2.0
"""The request rule of foreign trade: contributors who asked are protected."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import model_validator

from tacit.errors import RuleError
from tacit.rules._amounts import evidence_of, refuse_negatives
from tacit.rules._base import Rule, Verdict
from tacit.rules._exact import linear_form, percent
from tacit.rules._messages import check_at_least, check_percentage
from tacit.rules._numbers import exact_all, tolerance
from tacit.rules._registry import register

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.rules._numbers import Number
    from tacit.table import Table

__all__ = ["RequestRule"]


@register
class RequestRule(Rule):
    """Unsafe if a contributor who asked for protection has too large a share.

    Who asked with flag 1 (2) is protected above ``percent_1`` (``percent_2``) percent
    of the cell, and any who asked in cells of fewer than ``min_frequency``
    contributors. The level is ``margin`` percent of the cell value.

    >>> rule = RequestRule(percent_1=70, percent_2=85)
    >>> rule.unsafe([75, 25], requests=[1, 0]), rule.unsafe([75, 25], requests=[2, 0])
    (True, False)
    """

    kind: Literal["request"] = "request"
    percent_1: float
    percent_2: float | None = None
    min_frequency: int = 0
    margin: float = 0.0
    negatives: Literal["absolute"] | None = None

    @model_validator(mode="after")
    def _check(self) -> RequestRule:
        for name in ("percent_1", "percent_2"):
            if getattr(self, name) is not None:
                check_percentage(name, getattr(self, name), top=100, inclusive=True)
        check_at_least("min_frequency", self.min_frequency, 0)
        check_at_least("margin", self.margin, 0)
        return self

    @property
    def _limits(self) -> tuple[Fraction, Fraction]:
        second = self.percent_1 if self.percent_2 is None else self.percent_2
        return percent(self.percent_1), percent(second)

    def sensitivity(
        self,
        contributions: Sequence[Number],
        *,
        requests: Sequence[int] | None = None,
    ) -> float:
        """How far the largest who asked exceeds its share of the cell."""
        return float(max(self._excess(contributions, requests)))

    def unsafe(
        self,
        contributions: Sequence[Number],
        *,
        requests: Sequence[int] | None = None,
    ) -> bool:
        """Whether one cell is unsafe; ``requests`` holds 0, or the flag 1 or 2."""
        values = exact_all(contributions)
        slack = tolerance(contributions, sum(map(abs, values), Fraction(0)))
        excess = max(self._excess(contributions, requests))
        asked = any(y and r for y, r in zip(values, requests or (), strict=False))
        few = asked and len(values) < self.min_frequency
        over = excess >= -slack if self.closed else excess > slack
        return few or (asked and over)

    def _excess(
        self, contributions: Sequence[Number], requests: Sequence[int] | None
    ) -> list[Fraction]:
        values = exact_all(contributions)
        if requests is None or len(requests) != len(values):
            message = "'requests' must have one entry for each contribution: 0, 1 or 2."
            raise RuleError(message)
        if self.negatives is None and min(values, default=Fraction(0)) < 0:
            message = "Contributions are negative: choose negatives='absolute'."
            raise RuleError(message)
        total = sum(map(abs, values), Fraction(0))
        pairs = list(zip(values, requests, strict=True))
        return [
            max((abs(y) for y, r in pairs if r == flag), default=Fraction(0))
            - limit * total
            for flag, limit in enumerate(self._limits, start=1)
        ]

    def evaluate(self, table: Table) -> Verdict:
        """Judge every cell of a table."""
        evidence = evidence_of(table, self.kind)
        if evidence.requested is None:
            message = (
                "Rule 'request' needs to know who asked for protection. "
                "Tabulate the table with request=, the name of that column."
            )
            raise RuleError(message)
        if self.negatives is None:
            refuse_negatives(table, self.kind)
        total = evidence.total
        few = evidence.contributors < self.min_frequency
        unsafe = np.zeros(len(table), dtype=bool)
        for column, limit in enumerate(self._limits):
            asked = evidence.requested[:, column]
            _, sign = linear_form([asked, total], [Fraction(1), -limit], total)
            over = (sign >= 0) if self.closed else (sign > 0)
            unsafe |= (asked > 0) & (over | few)
        value = np.abs(table.cells.value.astype(np.float64))
        return Verdict.of(unsafe, value * (self.margin / 100))
