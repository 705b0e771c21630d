# SPDX-License-Identifier: Apache-2.0
"""Judge what a system of several tables gives away: by combination, and by bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._combinations import (
    columns_of,
    combinations_of,
    row_marks,
    unsigned,
)
from tacit.audit._difference_judges import ContributionJudge, count_judge, judge_for
from tacit.audit._exact import exact_disclosure
from tacit.audit._intervals import intervals
from tacit.audit._problem import Problem
from tacit.audit._verdict import verdict
from tacit.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.audit._common import Common
    from tacit.audit._difference_judges import CountJudge
    from tacit.rules import Rule
    from tacit.table import Table

__all__ = ["Isolated", "isolate"]

_EXACT, _INTERVAL = 0, 1
_LONGEST = 200
_EXPLAINED = 100
_DUST = 1e-6
_MANY = 2.0**53


@dataclass
class Isolated:
    """Findings in the making, in lists that go together."""

    kind: list[int] = field(default_factory=list)
    target: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    lowest: list[float] = field(default_factory=list)
    highest: list[float] = field(default_factory=list)
    tables: list[NDArray[np.bool_]] = field(default_factory=list)
    unjudged: dict[str, str] = field(default_factory=dict)
    complete: bool = True


def isolate(
    system: Common,
    rule: Rule,
    *,
    data: Table | None,
    non_negative: bool,
    time_limit: float | None,
) -> Isolated:
    """Look for combinations, then for single cells, then for narrow bounds."""
    found = Isolated()
    judge = judge_for(system, rule, data, found.unjudged)
    if judge is None:
        return found
    work = _Work(system, judge, found, non_negative=non_negative)
    work.combinations()
    work.single_cells()
    work.bounds(rule, time_limit)
    return found


class _Work:
    """One comparison, step by step."""

    def __init__(
        self,
        system: Common,
        judge: CountJudge | ContributionJudge,
        found: Isolated,
        *,
        non_negative: bool,
    ) -> None:
        self.system, self.judge, self.found = system, judge, found
        self.marks = system.contains @ row_marks(system.contains.shape[1], seed=7)
        self.told = np.zeros(0, dtype=np.int64)
        value = None
        if judge.class_values is not None:
            value = self._checked_values(judge.class_values)
        self.problem = Problem(
            matrix=system.relations.matrix,
            hidden=system.hidden,
            published=np.where(system.hidden, 0, system.published),
            lower=np.full(len(system), 0.0 if non_negative else -np.inf),
            upper=np.full(len(system), np.inf),
            value=value,
        )
        self.scale = float(10**system.decimals)

    def _checked_values(self, classes: NDArray[np.int64]) -> NDArray[np.int64]:
        system = self.system
        value: NDArray[np.int64] = system.contains @ classes
        wrong = np.flatnonzero(~system.hidden & (value != system.published))
        if len(wrong):
            message = (
                f"{system.words_of(int(wrong[0]))} is not what data= adds up to. Both "
                "must be of the same records, and data= as fine as all releases."
            )
            raise InputError(message)
        return value

    def combinations(self) -> None:
        """Lines, blocks and chains whose result is unsafe."""
        system = self.system
        known = combinations_of(
            system.relations, system.hidden, cells=6, rounds=2, longest=_LONGEST
        )
        self.found.complete = known.complete
        mark = unsigned(known.hidden @ self.marks)
        shown = unsigned(self.marks[~system.hidden])
        size = np.diff(known.hidden.indptr)
        order = np.argsort(size, kind="stable")
        _, first = np.unique(mark[order], return_index=True)
        first = np.sort(order[first])
        first = first[~np.isin(mark[first], np.append(shown, 0))]
        hidden, origin = known.hidden[first], known.origin[first]
        used = -(origin @ columns_of(system.relations.matrix, ~system.hidden)).tocsr()
        used.eliminate_zeros()
        value = used @ system.published
        unsafe = self.judge.of((hidden @ system.contains).tocsr(), value)
        self.told = mark[first[unsafe]]
        for k in np.flatnonzero(unsafe).tolist():
            sign = -1 if value[k] < 0 else 1
            self._tell_exact(
                _row(hidden, k, sign), _row(used, k, sign), value[k] * sign
            )

    def single_cells(self) -> None:
        """Hidden columns that elimination of the whole system determines."""
        known = np.flatnonzero(exact_disclosure(self.problem) & self.system.hidden)
        known = known[~np.isin(unsigned(self.marks[known]), self.told)]
        if not len(known):
            return
        ends = intervals(self.problem, known)
        value = np.rint(ends.lowest).astype(np.int64)
        unsafe = self.judge.of(self.system.contains[known], value)
        self.told = np.append(self.told, unsigned(self.marks[known[unsafe]]))
        one = np.ones(1, dtype=np.int64)
        for i, k in enumerate(np.flatnonzero(unsafe).tolist()):
            column = int(known[k])
            used = self._derivation(column) if i < _EXPLAINED else None
            self._tell_exact((known[k : k + 1], one), used, value[k])

    def bounds(self, rule: Rule, time_limit: float | None) -> None:
        """Unsafe cells that are not determined, but not far from it."""
        counts = count_judge(self.system, rule)
        if counts is not None:
            self._few_for_sure(counts, time_limit)
        if isinstance(self.judge, ContributionJudge):
            self._within_levels(self.judge, time_limit)

    def _open(self) -> NDArray[np.int64]:
        """Hidden columns of which nothing was told."""
        hidden = np.flatnonzero(self.system.hidden)
        told = np.isin(unsigned(self.marks[hidden]), self.told)
        return hidden[~told].astype(np.int64)

    def _few_for_sure(self, judge: CountJudge, time_limit: float | None) -> None:
        """Counts that are small and not empty whatever the rest may be."""
        cells = self._open()
        if not len(cells):
            return
        found = intervals(self.problem, cells, time_limit=time_limit)
        if not found.complete.all():
            self.found.complete = False
        filled = found.complete & (found.lowest > _DUST)
        highest = np.where(filled, np.floor(found.highest + _DUST), _MANY)
        small = filled & judge.small(np.minimum(highest, _MANY).astype(np.int64))
        for k in np.flatnonzero(small).tolist():
            ends = np.array([found.lowest[k], found.highest[k]])
            self._tell_interval(int(cells[k]), ends)

    def _within_levels(
        self, judge: ContributionJudge, time_limit: float | None
    ) -> None:
        """Sensitive cells that are known more closely than their level allows."""
        cells, value = self._open(), self.problem.value
        if value is None or not len(cells):
            return
        judged = judge.judged(self.system.contains[cells])
        cells, level = cells[judged.unsafe], judged.upper[judged.unsafe] * self.scale
        cells, level = cells[level > 0], level[level > 0]
        if not len(cells):
            return
        found = verdict(
            self.problem,
            cells,
            lower=np.minimum(level, value[cells] - self.problem.lower[cells]),
            upper=level,
            time_limit=time_limit,
        )
        if found.open.any():
            self.found.complete = False
        for k in np.flatnonzero(found.failed).tolist():
            ends = value[cells[k]] + np.array([-1, 1]) * found.limit[::-1, k]
            self._tell_interval(int(cells[k]), ends)

    def _derivation(
        self, column: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Few published cells that give a column, by a program over the relations."""
        from scipy.optimize import linprog  # noqa: PLC0415 - heavy
        from scipy.sparse import hstack  # noqa: PLC0415 - heavy

        system = self.system
        hidden = np.flatnonzero(system.hidden)
        matrix = system.relations.matrix
        inner = matrix[:, hidden].T
        goal = (hidden == column).astype(float)
        found = linprog(
            np.ones(2 * matrix.shape[0]),
            A_eq=hstack([inner, -inner], format="csr").astype(float),
            b_eq=goal,
        )
        if found.status != 0 or found.x is None:
            return None
        y = found.x[: matrix.shape[0]] - found.x[matrix.shape[0] :]
        used = -(y @ columns_of(matrix, ~system.hidden))
        whole = np.rint(used).astype(np.int64)
        if np.abs(used - whole).max(initial=0) > _DUST:
            return None
        at = np.flatnonzero(whole)
        return at, whole[at]

    def _tell_exact(
        self,
        target: tuple[NDArray[np.int64], NDArray[np.int64]],
        used: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
        value: int,
    ) -> None:
        words = "many published cells together"
        needed = np.ones(len(self.system.sources), dtype=bool)
        if used is not None:
            filled = self.system.contains[used[0]].sum(axis=1) > 0
            used = used[0][filled], used[1][filled]
            words = self.system.in_words(*used)
            needed = np.isin(np.arange(len(needed)), self.system.source[used[0]])
        self._tell(_EXACT, self.system.in_words(*target), words, needed)
        self.found.lowest.append(value / self.scale)
        self.found.highest.append(value / self.scale)

    def _tell_interval(self, column: int, ends: NDArray[np.float64]) -> None:
        everything = np.ones(len(self.system.sources), dtype=bool)
        target = self.system.words_of(column)
        self._tell(_INTERVAL, target, "the releases together", everything)
        self.told = np.append(self.told, unsigned(self.marks[column : column + 1]))
        self.found.lowest.append(float(ends[0]) / self.scale)
        self.found.highest.append(float(ends[1]) / self.scale)

    def _tell(
        self, kind: int, target: str, words: str, needed: NDArray[np.bool_]
    ) -> None:
        self.found.kind.append(kind)
        self.found.target.append(target)
        self.found.words.append(words)
        self.found.tables.append(needed)


def _row(
    matrix: csr_array, k: int, sign: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    start, end = matrix.indptr[k : k + 2]
    columns = np.asarray(matrix.indices[start:end], dtype=np.int64)
    return columns, sign * np.asarray(matrix.data[start:end], dtype=np.int64)
