# SPDX-License-Identifier: Apache-2.0
"""The rule of the minimum number of contributors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import model_validator

from tacit.errors import RuleError
from tacit.rules._amounts import evidence_of
from tacit.rules._base import Rule, Verdict
from tacit.rules._messages import check_at_least
from tacit.rules._numbers import exact_all
from tacit.rules._registry import register

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.rules._numbers import Number
    from tacit.table import Evidence, Table

__all__ = ["MinFrequency"]


@register
class MinFrequency(Rule):
    """Unsafe if a cell is not empty and has fewer than n contributors.

    ``count`` says what is counted: protected entities (holdings where there are any),
    entities that contribute something ("nonzero"), "units", "records", or the sum of
    sampling "weights". ``holding=True`` insists that the entities are holdings. In a
    table of counts without further evidence the cell values are counted. The level is
    ``margin`` percent of the cell value; without one only the exact value is protected.

    >>> rule = MinFrequency(n=3)
    >>> rule.unsafe([10, 20]), rule.unsafe([10, 20, 30]), rule.unsafe([])
    (True, False, False)
    """

    kind: Literal["min_frequency"] = "min_frequency"
    n: int
    holding: bool = False
    count: Literal["entities", "nonzero", "units", "records", "weights"] = "entities"
    margin: float = 0.0

    @model_validator(mode="after")
    def _check(self) -> MinFrequency:
        check_at_least("n", self.n, 1)
        check_at_least("margin", self.margin, 0)
        if self.holding and self.count not in {"entities", "nonzero"}:
            message = "'holding' counts holdings; it does not go with this 'count'."
            raise ValueError(message)
        return self

    def sensitivity(self, contributions: Sequence[Number]) -> float:
        """How many contributors the cell lacks: a number of them, not an amount."""
        return float(self.n - self._counted(contributions))

    def unsafe(self, contributions: Sequence[Number]) -> bool:
        """Whether one cell with these contributions is unsafe."""
        counted = self._counted(contributions)
        return counted > 0 and (counted <= self.n if self.closed else counted < self.n)

    def _counted(self, contributions: Sequence[Number]) -> int:
        values = exact_all(contributions)
        return sum(map(bool, values)) if self.count == "nonzero" else len(values)

    def evaluate(self, table: Table) -> Verdict:
        """Judge every cell of a table."""
        counted = self._count_of(table)
        few = counted <= self.n if self.closed else counted < self.n
        value = np.abs(table.cells.value.astype(np.float64))
        return Verdict.of((counted > 0) & few, value * (self.margin / 100))

    def _count_of(self, table: Table) -> NDArray[np.int64] | NDArray[np.float64]:
        if table.evidence is None and table.is_count and self.count == "entities":
            if self.holding:
                self._lacking("holding=", "holdings")
            scale: int = 10**table.cells.decimals
            return table.cells.value / scale
        return self._column(evidence_of(table, self.kind))

    def _column(self, evidence: Evidence) -> NDArray[np.int64] | NDArray[np.float64]:
        if self.holding and evidence.units is None:
            self._lacking("holding=", "holdings")
        if self.count == "entities":
            return evidence.contributors
        if self.count == "units":
            # Without holdings the units are the entities.
            return evidence.contributors if evidence.units is None else evidence.units
        columns = {
            "nonzero": evidence.nonzero,
            "records": evidence.records,
            "weights": evidence.sum_of_weights,
        }
        column = columns[self.count]
        return self._lacking("weight=", self.count) if column is None else column

    def _lacking(self, option: str, what: str) -> NDArray[np.int64]:
        message = (
            f"Rule '{self.kind}' counts {what}, and the table does not hold them. "
            f"Tabulate it from microdata (with {option} where that is what it counts)."
        )
        raise RuleError(message)
