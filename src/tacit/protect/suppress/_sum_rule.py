# SPDX-License-Identifier: Apache-2.0
"""The rule of an assessment on sums of cells: what each entity adds up to in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.rules import AllOf, AnyOf
from tacit.table import Cells, Contributions, Dimension, Evidence, State, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.rules import Assessment, Rule
    from tacit.table._combinations import Leaves

__all__ = ["SumRule", "sum_rule_of"]

_DEPTH = 3
_BLOCK = 1 << 21
_NEEDS_PLACE = {"group_disclosure"}
_KEEPS_SAFE = {"p_percent", "pq", "dominance", "min_frequency"}
_KEEPS_COUNTS = {"entities", "units", "nonzero"}


def sum_rule_of(assessment: Assessment) -> tuple[SumRule | None, str]:
    """Give the rule for sums, or None and why they cannot be judged."""
    rule, given = assessment.rule, assessment.table.contributions
    if rule is None:
        return None, "no rule was given"
    if given is None:
        return None, "the single contributions are not known"
    if given.weighted is not None:
        return None, "the contributions are weighted"
    asked = _without_place(rule)
    if asked is None:
        return None, "the rule is about groups of cells"
    return SumRule(assessment.table, asked), ""


class SumRule:
    """A rule that judges sums of cells, and remembers which it found safe."""

    def __init__(self, table: Table, rule: Rule) -> None:
        from tacit.table._combinations import Leaves  # noqa: PLC0415 - heavy

        self.table, self.rule = table, rule
        self.leaves: Leaves = Leaves(table)
        self.below = self.leaves.below(np.arange(len(table)))
        self.keeps_safe = _keeps_safe(rule, self.leaves.given)

    def __repr__(self) -> str:
        return "<SumRule, parameters confidential>"

    def judge(self, sums: csr_array) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Say which sums of cells are unsafe, and the distance that they would need.

        Distances are in scaled amounts. A sum that takes cells away counts like one
        that adds them: entities that cancel out of it hide nobody.
        """
        unsafe = np.zeros(sums.shape[0], dtype=bool)
        need = np.zeros(sums.shape[0])
        weights = (sums @ self.below).tocsr()
        weights.eliminate_zeros()
        filled = np.flatnonzero(np.diff(weights.indptr))
        rows = weights.astype(bool).astype(np.int64) @ self.leaves.counts
        block = np.cumsum(rows[filled]) // _BLOCK
        for part in np.split(filled, np.flatnonzero(np.diff(block)) + 1):
            if len(part):
                depth = max(_DEPTH, int(self.rule.largest_needed))
                verdict = self.rule.judge(_table_of(self.leaves, weights[part], depth))
                found = verdict.verdict
                unsafe[part] = found.unsafe
                need[part] = np.maximum(found.upper, found.lower)
        return unsafe, np.where(unsafe, np.maximum(np.ceil(need - 1e-9), 1.0), 0.0)


def _without_place(rule: Rule) -> Rule | None:
    """Leave out rules that can only be asked of a cell at its place in the table."""
    if not isinstance(rule, AnyOf | AllOf):
        return None if rule.kind in _NEEDS_PLACE else rule
    kept = [part for one in rule.rules if (part := _without_place(one)) is not None]
    if len(kept) == len(rule.rules):
        return rule
    return type(rule)(rules=tuple(kept)) if kept else None


def _keeps_safe(rule: Rule, given: Contributions) -> bool:
    """Whether a sum of safe cells is safe: so for concentration without negatives."""
    if given.waived is not None or bool((given.value < 0).any()):
        return False
    if isinstance(rule, AnyOf):
        return all(_keeps_safe(part, given) for part in rule.rules)
    counts = getattr(rule, "count", "entities")
    return rule.kind in _KEEPS_SAFE and counts in _KEEPS_COUNTS


def _table_of(leaves: Leaves, weights: csr_array, depth: int) -> Table:
    """Lay out sums of leaf cells as a table of one dimension, with its evidence."""
    behind = leaves.behind(weights)
    rows, n = behind.rows, len(behind.rows)
    group, size = rows.group, np.abs(rows.value)
    signed = bool((leaves.given.value < 0).any())
    amount = rows.value if signed else size
    filled = np.bincount(group[size > 0], minlength=n)
    negative = weights.copy()
    negative.data = (weights.data < 0).astype(np.int64)
    taken_away = np.asarray(negative.sum(axis=1)).ravel() > 0
    evidence = Evidence(
        contributors=np.where(taken_away, filled, rows.counts),
        total=_summed(size, group, n),
        largest=rows.largest(depth),
        units=np.where(taken_away, np.minimum(behind.units, filled), behind.units),
        records=behind.records,
        nonzero=filled,
        unwaived=None
        if rows.waived is None
        else _largest(~rows.waived, size, group, n),
        requested=None
        if rows.request is None
        else np.stack([_largest(rows.request == k, size, group, n) for k in (1, 2)], 1),
    )
    contributions = Contributions(
        leaf=group.astype(np.int32),
        unit=rows.entity,
        value=amount,
        size=rows.size,
        waived=rows.waived,
        request=rows.request,
    )
    cells = Cells(
        codes=np.arange(n, dtype=np.int32)[None],
        value=_summed(amount, group, n),
        decimals=leaves.table.cells.decimals,
        state=np.full(n, State.SAFE, dtype=np.uint8),
    )
    axis = Dimension("sum", tuple(str(k) for k in range(n)))
    return Table(
        (axis,),
        cells,
        measure=leaves.table.measure,
        evidence=evidence,
        contributions=contributions,
    )


def _summed(
    amount: NDArray[np.int64], group: NDArray[np.int64], n: int
) -> NDArray[np.int64]:
    total = np.zeros(n, dtype=np.int64)
    np.add.at(total, group, amount)
    return total


def _largest(
    marks: NDArray[np.bool_], size: NDArray[np.int64], group: NDArray[np.int64], n: int
) -> NDArray[np.int64]:
    found = np.zeros(n, dtype=np.int64)
    np.maximum.at(found, group[marks], size[marks])
    return found
