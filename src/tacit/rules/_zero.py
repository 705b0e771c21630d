# SPDX-License-Identifier: Apache-2.0
"""The rule for cells that have contributors and nothing in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from tacit.rules._amounts import evidence_of
from tacit.rules._base import Rule, Verdict
from tacit.rules._messages import check_at_least
from tacit.rules._numbers import exact_all
from tacit.rules._registry import register

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.rules._numbers import Number
    from tacit.table import Table

__all__ = ["ZeroRule"]


@register
class ZeroRule(Rule):
    """Unsafe if a cell has contributors and all of them contribute 0.

    Its value tells exactly what each of them has. No other rule sees this. ``range``
    is the required upper level, in published units; there is none below zero.

    >>> rule = ZeroRule(range=10)
    >>> rule.unsafe([0, 0, 0]), rule.unsafe([0, 1]), rule.unsafe([])
    (True, False, False)
    """

    kind: Literal["zero"] = "zero"
    range: float = 0.0

    @model_validator(mode="after")
    def _check(self) -> ZeroRule:
        check_at_least("range", self.range, 0)
        return self

    def sensitivity(self, contributions: Sequence[Number]) -> float:
        """Required upper level: ``range`` where the cell is unsafe, else 0."""
        return self.range if self.unsafe(contributions) else 0.0

    def unsafe(self, contributions: Sequence[Number]) -> bool:
        """Whether one cell with these contributions is unsafe."""
        return len(contributions) > 0 and not any(exact_all(contributions))

    def evaluate(self, table: Table) -> Verdict:
        """Judge every cell of a table."""
        evidence = evidence_of(table, self.kind)
        unsafe = (evidence.contributors > 0) & (evidence.total == 0)
        return Verdict.of(unsafe, self.range * 10**table.cells.decimals, 0.0)
