# SPDX-License-Identifier: Apache-2.0
"""Sums of hidden cells that everybody can compute, judged like cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.audit._combinations import (
    SumKind,
    columns_of,
    combinations_of,
    row_marks,
    unsigned,
)
from tacit.audit._judge import adds_up, judge_sums, rule_for_sums, why_not
from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.audit._combinations import Combinations
    from tacit.audit._judge import Judged
    from tacit.rules import Rule
    from tacit.table import Relations, Table

__all__ = ["SumViolations", "derivable_sums"]

_SHOWN = 6
_MANY = 3


@dataclass(frozen=True, eq=False, repr=False)
class SumViolations:
    """Known sums of hidden cells that the rule calls unsafe.

    Row k of ``hidden`` holds the coefficients of the hidden cells of sum k, and row k
    of ``shown`` those of the published cells that it equals. ``kind`` says how it is
    known (:class:`SumKind`), ``relation`` which relation gives a line sum (-1 for the
    others), ``entities`` how many stand behind it and ``upper`` how far off it would
    have to be kept, in published units. ``judged`` counts the known sums by kind, safe
    ones included. Where nothing could be judged, ``reason`` says why. Confidential.
    """

    table: Table
    hidden: csr_array
    shown: csr_array
    kind: NDArray[np.uint8]
    relation: NDArray[np.int64]
    entities: NDArray[np.int64]
    upper: NDArray[np.float64]
    fired: Mapping[str, NDArray[np.bool_]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    judged: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    reason: str = ""
    complete: bool = True

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def checked(self) -> bool:
        """Whether the sums were judged at all."""
        return not self.reason

    @property
    def safe(self) -> bool:
        """Whether they were judged and none is unsafe."""
        return self.checked and not len(self)

    def cells_of(self, k: int) -> NDArray[np.int64]:
        """Hidden cells of sum k."""
        start, end = self.hidden.indptr[k : k + 2]
        return np.asarray(self.hidden.indices[start:end], dtype=np.int64)

    def counts(self) -> dict[str, Any]:
        """Count the unsafe sums by kind and by how many entities stand behind them."""
        few = np.minimum(self.entities, _MANY)
        names = {1: "one entity", 2: "two entities", _MANY: "three or more"}
        return {
            "checked": self.checked,
            "judged": dict(self.judged),
            "unsafe": {k.label: int((self.kind == k).sum()) for k in SumKind},
            "by entities": {name: int((few == n).sum()) for n, name in names.items()},
        }

    def describe(self, k: int) -> str:
        """Say sum k in words: codes only, never a value."""
        left = _in_words(self.table, self.hidden, k)
        if self.relation[k] >= 0:
            words = self.table.relations.describe(int(self.relation[k]))
            return f"{left}, known from {words}"
        return f"{left} = {_in_words(self.table, self.shown, k)}"

    def __repr__(self) -> str:
        if not self.checked:
            return f"<SumViolations: not checked, {self.reason}>"
        judged = sum(self.judged.values())
        return f"<SumViolations: {len(self):,} of {judged:,} known sums unsafe>"


def derivable_sums(
    table: Table,
    hidden: NDArray[np.bool_],
    rule: Rule | None,
    *,
    cells: int = 6,
    rounds: int = 2,
    most: int = 200_000,
) -> SumViolations:
    """Judge every sum of hidden cells that the published ones give away.

    A sum that can be computed is as good as published: it must be safe under the rule
    on what each entity adds to it over all of its cells (the extended rule). Judged are
    the line sums of all relations, sums in which hidden totals are replaced by their
    parts, and chains of up to ``rounds`` + 1 relations in which hidden cells cancel,
    as long as at most ``cells`` of them remain, and at most ``most`` chains. Sums that
    equal a published cell, or, under rules for which sums of safe cells are safe, a sum
    of published cells, need not be judged and count as safe.

    Without the single contributions nothing is judged, and the result says so.

    >>> import numpy as np
    >>> import tacit
    >>> records = {"size": ["s", "m", "l"], "firm": [1, 2, 3], "sales": [5, 6, 90]}
    >>> table = tacit.tabulate(records, by={"size": "all"}, value="sales", unit="firm")
    >>> hidden = np.isin(table.codes_of("size"), ["s", "m"])
    >>> found = derivable_sums(table, hidden, tacit.MinFrequency(n=3))
    >>> found
    <SumViolations: 1 of 1 known sums unsafe>
    >>> found.describe(0)
    '(size = m) + (size = s), known from size: all = l + m + s'
    """
    hidden = _checked(table, hidden)
    reason = why_not(table, rule)
    asked = None if rule is None else rule_for_sums(rule)
    if reason or asked is None:
        return _nothing(table, reason)
    relations = table.relations
    known = combinations_of(relations, hidden, cells=cells, rounds=rounds, most=most)
    alike, stands, judged = _judge_distinct(table, hidden, known, asked)
    bad = np.flatnonzero(stands & (alike >= 0))
    bad = bad[judged.unsafe[alike[bad]]]
    which = alike[bad]
    lines = known.kind[bad] == SumKind.LINE
    relation = np.full(len(bad), -1, dtype=np.int64)
    relation[lines] = known.origin[bad[lines]].indices
    shown = _shown(relations, hidden, known.origin[bad])
    sign = np.where(shown @ table.cells.value < 0, -1, 1)
    return SumViolations(
        table=table,
        hidden=_times(known.hidden[bad], sign),
        shown=_times(shown, sign),
        kind=known.kind[bad],
        relation=relation,
        entities=judged.entities[which],
        upper=judged.upper[which],
        fired=MappingProxyType({k: v[which] for k, v in judged.fired.items()}),
        judged=_numbers(relations, hidden, known),
        complete=known.complete,
    )


def _checked(table: Table, hidden: NDArray[np.bool_]) -> NDArray[np.bool_]:
    hidden = np.asarray(hidden)
    if hidden.dtype == np.bool_ and hidden.shape == (len(table),):
        return hidden
    message = (
        f"hidden= must say of each of the {len(table):,} cells whether it is withheld, "
        f"as a boolean array; it has the shape {hidden.shape} and holds {hidden.dtype}."
    )
    raise InputError(message)


def _nothing(table: Table, reason: str) -> SumViolations:
    from scipy.sparse import csr_array  # noqa: PLC0415 - heavy

    none, empty = np.zeros(0, dtype=np.int64), csr_array((0, len(table)), dtype=int)
    return SumViolations(
        table, empty, empty, none.astype(np.uint8), none, none, np.zeros(0),
        reason=reason,
    )  # fmt: skip


def _judge_distinct(
    table: Table, hidden: NDArray[np.bool_], known: Combinations, rule: Rule
) -> tuple[NDArray[np.int64], NDArray[np.bool_], Judged]:
    """Judge each set of leaf cells once; give for every sum which verdict is its own.

    A sum with the number -1 needs no verdict: it is empty, a published cell, or a sum
    of published cells under a rule that makes those safe. The marks are on the sums to
    report: every line, and of other sums that are alike the shortest.
    """
    from tacit.table._combinations import Leaves  # noqa: PLC0415 - heavy

    leaves = Leaves(table)
    below = leaves.below(np.arange(len(table)))
    cell_marks = below @ row_marks(len(leaves), seed=7)
    mark = unsigned(known.hidden @ cell_marks)
    done = np.isin(mark, np.append(unsigned(cell_marks[~hidden]), 0))
    if adds_up(rule, leaves.given):
        done |= _sums_of_shown(_shown(table.relations, hidden, known.origin))
    # lines stand for others that are alike, then sums of few cells
    size = np.diff(known.hidden.indptr)
    rest = np.lexsort((size, known.kind != SumKind.LINE))
    rest = rest[~done[rest]]
    _, first, alike = np.unique(mark[rest], return_index=True, return_inverse=True)
    number = np.full(len(known), -1, dtype=np.int64)
    number[rest] = alike.ravel()
    weights = known.hidden[rest[first]] @ below
    stands = known.kind == SumKind.LINE
    stands[rest[first]] = True
    return number, stands, judge_sums(leaves, weights.tocsr(), rule)


def _shown(
    relations: Relations, hidden: NDArray[np.bool_], origin: csr_array
) -> csr_array:
    """Published cells that each sum of hidden cells equals."""
    shown: csr_array = (origin @ columns_of(relations.matrix, ~hidden)).tocsr()
    shown.eliminate_zeros()
    return -shown


def _sums_of_shown(shown: csr_array) -> NDArray[np.bool_]:
    """Sums that published cells add up to, none of them taken away."""
    row = np.repeat(np.arange(shown.shape[0]), np.diff(shown.indptr))
    plus = np.bincount(row[shown.data > 0], minlength=shown.shape[0])
    minus = np.bincount(row[shown.data < 0], minlength=shown.shape[0])
    return np.asarray((plus == 0) | (minus == 0))


def _times(matrix: csr_array, factors: NDArray[np.int64]) -> csr_array:
    """Multiply each row by its factor."""
    matrix = matrix.copy()
    matrix.data *= np.repeat(factors, np.diff(matrix.indptr))
    return matrix


def _numbers(
    relations: Relations, hidden: NDArray[np.bool_], known: Combinations
) -> Mapping[str, int]:
    """Count the known sums; a line counts where its total is published."""
    lines = known.origin.indices[: int((known.kind == SumKind.LINE).sum())]
    total = relations.total[lines]
    open_total = (total < 0) | ~hidden[total]
    numbers = {kind.label: int((known.kind == kind).sum()) for kind in SumKind}
    numbers[SumKind.LINE.label] = int(open_total.sum())
    return MappingProxyType(numbers)


def _in_words(table: Table, matrix: csr_array, k: int) -> str:
    """Write one row as a sum of cells, those that are added first."""
    start, end = matrix.indptr[k : k + 2]
    cells, factors = matrix.indices[start:end], matrix.data[start:end]
    order = np.lexsort((cells, -factors))
    words = ""
    for c, factor in zip(cells[order][:_SHOWN], factors[order], strict=False):
        sign = "-" if factor < 0 else "+"
        times = "" if abs(factor) == 1 else f"{abs(int(factor))} x "
        words += f" {sign} {times}({table.describe_cell(int(c))})"
    words = words.removeprefix(" + ").strip()
    more = len(cells) - _SHOWN
    return f"{words} and {more} more" if more > 0 else words or "0"
