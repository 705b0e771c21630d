# SPDX-License-Identifier: Apache-2.0
"""The rule of an assessment, asked about sums of cells instead of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.rules import AllOf, AnyOf
from tacit.table import Cells, Contributions, Dimension, Evidence, State, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.rules import Rule
    from tacit.table._combinations import Behind, Leaves

__all__ = ["Judged", "adds_up", "judge_sums", "rule_for_sums", "why_not"]

_ROWS_AT_A_TIME = 1 << 20
_AT_LEAST = 3
_NOT_FOR_SUMS = {"group_disclosure"}
_ADDS_UP = {"p_percent", "pq", "dominance", "min_frequency"}
_COUNTED = {"entities", "units", "nonzero"}


class Judged(NamedTuple):
    """Per sum: unsafe or not, who stands behind it, and the level it would need."""

    unsafe: NDArray[np.bool_]
    entities: NDArray[np.int64]
    upper: NDArray[np.float64]
    fired: Mapping[str, NDArray[np.bool_]]


def why_not(table: Table, rule: Rule | None) -> str:
    """Say why the sums of a table cannot be judged; empty if they can."""
    if rule is None:
        return "no rule was given: the table came with its states"
    if rule_for_sums(rule) is None:
        return "the rule is about groups of cells, not about contributors"
    if table.contributions is None:
        return "the single contributions are not known: the table came as cells"
    if table.contributions.weighted is not None:
        return "the contributions are weighted, and how they rank was not kept"
    return ""


def rule_for_sums(rule: Rule) -> Rule | None:
    """Leave out what can only be asked of a cell at its place in the table."""
    if isinstance(rule, AnyOf | AllOf):
        kept = [part for r in rule.rules if (part := rule_for_sums(r)) is not None]
        if not kept:
            return None
        return kept[0] if len(kept) == 1 else type(rule)(rules=tuple(kept))
    return None if rule.kind in _NOT_FOR_SUMS else rule


def adds_up(rule: Rule, given: Contributions) -> bool:
    """Whether a sum of safe cells is sure to be safe.

    So it is with rules of concentration and of frequency, if nothing is negative; not
    with waivers, which an entity may have given in one of the cells only.
    """
    if given.waived is not None or bool((given.value < 0).any()):
        return False
    if isinstance(rule, AnyOf):
        return all(adds_up(part, given) for part in rule.rules)
    if getattr(rule, "count", "entities") not in _COUNTED:
        return False
    return rule.kind in _ADDS_UP


def judge_sums(leaves: Leaves, weights: csr_array, rule: Rule) -> Judged:
    """Judge sums of leaf cells by what each entity adds to them, signs left aside.

    A sum that takes cells away is judged like one that adds them: whoever knows its own
    part knows it with either sign. Entities that cancel out of such a sum do not count.
    """
    rows = _rows_of(leaves, weights)
    block = (np.cumsum(rows) - rows) // _ROWS_AT_A_TIME
    cuts = np.flatnonzero(np.diff(block)) + 1
    parts = [
        _judge(leaves, weights[piece], rule)
        for piece in np.split(np.arange(weights.shape[0]), cuts)
    ]
    labels = parts[0].fired
    return Judged(
        np.concatenate([part.unsafe for part in parts]),
        np.concatenate([part.entities for part in parts]),
        np.concatenate([part.upper for part in parts]),
        {k: np.concatenate([part.fired[k] for part in parts]) for k in labels},
    )


def _rows_of(leaves: Leaves, weights: csr_array) -> NDArray[np.int64]:
    """Count the contributions behind each sum, before any are merged."""
    before = np.zeros(weights.nnz + 1, dtype=np.int64)
    np.cumsum(leaves.counts[weights.indices], out=before[1:])
    return before[weights.indptr[1:]] - before[weights.indptr[:-1]]


def _judge(leaves: Leaves, weights: csr_array, rule: Rule) -> Judged:
    table = _as_table(leaves, weights, max(_AT_LEAST, int(rule.largest_needed)))
    judgement = rule.judge(table)
    verdict = judgement.verdict
    evidence = table.evidence
    assert evidence is not None  # noqa: S101 - made below
    scale = 10**table.cells.decimals
    entities = evidence.contributors
    return Judged(verdict.unsafe, entities, verdict.upper / scale, judgement.fired)


def _as_table(leaves: Leaves, weights: csr_array, depth: int) -> Table:
    """Make a table whose cells are the sums, with evidence as tabulation gives it."""
    behind = leaves.behind(weights)
    rows = behind.rows
    sums = len(rows)
    signed = bool((leaves.given.value < 0).any())
    amount = rows.value if signed else np.abs(rows.value)
    evidence = _evidence(behind, weights, depth)
    contributions = Contributions(
        leaf=rows.group.astype(np.int32),
        unit=rows.entity,
        value=amount,
        size=rows.size,
        waived=rows.waived,
        request=rows.request,
    )
    cells = Cells(
        codes=np.arange(sums, dtype=np.int32)[None],
        value=_per_sum(amount, rows.group, sums),
        decimals=leaves.table.cells.decimals,
        state=np.full(sums, State.SAFE, dtype=np.uint8),
    )
    return Table(
        (Dimension("sum", tuple(map(str, range(sums)))),),
        cells,
        measure=leaves.table.measure,
        evidence=evidence,
        contributions=contributions,
    )


def _evidence(behind: Behind, weights: csr_array, depth: int) -> Evidence:
    rows = behind.rows
    sums, group, size = len(rows), rows.group, np.abs(rows.value)
    filled = np.bincount(group[size > 0], minlength=sums)
    # Where cells are taken away, whoever cancels out hides nobody.
    taken_away = _any(weights, weights.data < 0) & _any(weights, weights.data > 0)
    return Evidence(
        contributors=np.where(taken_away, filled, rows.counts),
        total=_per_sum(size, group, sums),
        largest=rows.largest(depth),
        units=np.where(taken_away, np.minimum(behind.units, filled), behind.units),
        records=behind.records,
        nonzero=filled,
        unwaived=_largest_of(rows.waived, 0, size, rows.group, sums),
        requested=_requested(rows.request, size, rows.group, sums),
    )


def _any(weights: csr_array, marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    row = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    return np.bincount(row[marks], minlength=weights.shape[0]) > 0


def _per_sum(
    values: NDArray[np.int64], group: NDArray[np.int64], sums: int
) -> NDArray[np.int64]:
    total = np.zeros(sums, dtype=np.int64)
    np.add.at(total, group, values)
    return total


def _largest_of(
    flags: NDArray[np.integer] | NDArray[np.bool_] | None,
    wanted: int,
    size: NDArray[np.int64],
    group: NDArray[np.int64],
    sums: int,
) -> NDArray[np.int64] | None:
    if flags is None:
        return None
    largest = np.zeros(sums, dtype=np.int64)
    here = flags == wanted
    np.maximum.at(largest, group[here], size[here])
    return largest


def _requested(
    flags: NDArray[np.uint8] | None,
    size: NDArray[np.int64],
    group: NDArray[np.int64],
    sums: int,
) -> NDArray[np.int64] | None:
    columns = [_largest_of(flags, flag, size, group, sums) for flag in (1, 2)]
    if columns[0] is None or columns[1] is None:
        return None
    return np.stack([columns[0], columns[1]], axis=1)
