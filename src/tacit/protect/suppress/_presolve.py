# SPDX-License-Identifier: Apache-2.0
"""Make a problem smaller without changing what can be done about it.

Each reduction says whether it applies (``accept``), makes the smaller problem
(``apply``), and what is found there is carried back by ``Reduced``: hidden cells, moves
and open needs. Three reductions:

* cells that cannot move (frozen, without room, or alone in a relation with such cells)
  leave the relations;
* cells that are equal whatever happens (a total and its only part) become one;
* what is not connected to any sensitive cell is left as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tacit.protect.suppress._local import Move

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.protect.suppress._problem import Geometry, Problem

__all__ = [
    "FixImmovable",
    "LeaveIdle",
    "MergeEqual",
    "Reduced",
    "Reduction",
    "components",
    "presolve",
]


@dataclass(frozen=True, eq=False)
class Reduced:
    """A smaller problem, and the way back to the one it was made of.

    ``of`` gives the new cell of each old one, -1 for those left out; of these
    ``hidden`` are hidden whatever is found. ``lost`` are old sensitive cells that no
    pattern protects.
    """

    problem: Problem
    of: NDArray[np.int64]
    hidden: NDArray[np.bool_]
    lost: NDArray[np.int64]

    @cached_property
    def _members(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Old cells by new cell: pointers and cells."""
        order = np.argsort(self.of, kind="stable").astype(np.int64)
        pointers = np.searchsorted(self.of[order], np.arange(len(self.problem) + 1))
        return pointers.astype(np.int64), order

    def _spread(
        self, cells: NDArray[np.integer]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Give all old cells of some new ones, and which of these each belongs to."""
        pointers, order = self._members
        count = pointers[cells + 1] - pointers[cells]
        which = np.repeat(np.arange(len(cells)), count)
        within = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        return order[pointers[cells][which] + within], which

    def invert_hidden(self, hidden: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Carry hidden cells back."""
        out = self.hidden.copy()
        inside = self.of >= 0
        out[inside] = hidden[self.of[inside]]
        return out

    def invert_move(self, move: Move) -> Move:
        """Carry a move back: all that became one cell moves with it."""
        cells, which = self._spread(move.cells)
        order = np.argsort(cells, kind="stable")
        amounts: NDArray[np.float64] = move.amounts[which][order]
        return Move(cells[order].astype(np.int32), amounts)

    def invert_cells(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Carry a selection of cells back."""
        return np.sort(self._spread(cells)[0])


class Reduction(Protocol):
    """One way to make a problem smaller."""

    def accept(self, problem: Problem) -> bool:
        """Tell whether anything would change."""

    def apply(self, problem: Problem) -> Reduced:
        """Make the smaller problem."""


class FixImmovable:
    """Take cells out of the relations that keep their value in every other table."""

    def accept(self, problem: Problem) -> bool:
        """Tell whether there are such cells."""
        return bool(immovable(problem).any())

    def apply(self, problem: Problem) -> Reduced:
        """Leave them out; the sensitive ones among them are lost."""
        fixed = immovable(problem)
        held = fixed & (problem.sensitive | problem.forced)
        lost = np.flatnonzero(fixed & problem.sensitive).astype(np.int64)
        return _without(problem, fixed, held, lost)


def immovable(problem: Problem) -> NDArray[np.bool_]:
    """Mark cells that are known: published for good, without room, or what is left."""
    fixed = problem.frozen & ~(problem.sensitive | problem.forced)
    fixed = fixed | ((problem.room_up <= 0) & (problem.room_down <= 0))
    rows = problem.relations
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    while True:
        free = ~fixed[rows.indices]
        count = np.bincount(row_of[free], minlength=rows.shape[0])
        last = rows.indices[free & (count[row_of] == 1)]
        if not len(last):
            return fixed
        fixed[last] = True


class MergeEqual:
    """Make one cell of all that are equal by relations of two entries."""

    def accept(self, problem: Problem) -> bool:
        """Tell whether any cells are equal."""
        label = _equal(problem)
        return int(label.max(initial=-1)) + 1 < len(label)

    def apply(self, problem: Problem) -> Reduced:
        """Merge: costs added, the largest needs, the least room."""
        of = _equal(problem)
        count = int(of.max(initial=-1)) + 1
        first = np.full(count, len(of), dtype=np.int64)
        np.minimum.at(first, of, np.arange(len(of)))
        sensitive = _any(problem.sensitive, of, count)
        merged = replace(
            problem,
            relations=_distinct(problem.relations @ _indicator(of, count)),
            value=problem.value[first],
            cost=np.bincount(
                of, problem.cost * ~problem.sensitive, minlength=count
            ).astype(np.float64),
            sensitive=sensitive,
            need_down=_extreme(problem.need_down, of, count, largest=True),
            need_up=_extreme(problem.need_up, of, count, largest=True),
            need_width=_extreme(problem.need_width, of, count, largest=True),
            room_down=_extreme(problem.room_down, of, count, largest=False),
            room_up=_extreme(problem.room_up, of, count, largest=False),
            frozen=_any(problem.frozen, of, count) & ~sensitive,
            forced=_any(problem.forced, of, count) & ~sensitive,
            owner=problem.owner[first],
            geometry=_moved(problem.geometry, of),
            whole=problem.whole,
        )
        none = np.zeros(len(of), dtype=np.bool_)
        return Reduced(merged, of, none, np.zeros(0, dtype=np.int64))


def _equal(problem: Problem) -> NDArray[np.int64]:
    """Number the classes of equal cells by their first cell.

    Cells with different single contributors stay apart, also where only one of them has
    a single one: what somebody knows of each could not be said of one cell.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    rows, n = problem.relations, len(problem)
    pairs = rows.indptr[:-1][np.diff(rows.indptr) == 2]  # noqa: PLR2004 - a pair
    pairs = pairs[rows.data[pairs].astype(np.int64) == -rows.data[pairs + 1]]
    ends = (rows.indices[pairs], rows.indices[pairs + 1])
    links = csr_array((np.ones(len(pairs), dtype=np.int8), ends), shape=(n, n))
    _, label = connected_components(links, directed=False)
    label = label.astype(np.int64)
    low = np.full(n, np.iinfo(np.int64).max)
    high = np.full(n, np.iinfo(np.int64).min)
    np.minimum.at(low, label, problem.owner)
    np.maximum.at(high, label, problem.owner)
    apart = (low != high)[label]
    label[apart] = n + np.flatnonzero(apart)
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    numbers: NDArray[np.int64] = rank[inverse]
    return numbers


def _indicator(of: NDArray[np.int64], count: int) -> csr_array:
    from scipy.sparse import csr_array  # noqa: PLC0415

    ones = np.ones(len(of), dtype=np.int32)
    return csr_array((ones, of, np.arange(len(of) + 1)), shape=(len(of), count))


def _distinct(relations: csr_array) -> csr_array:
    """Drop relations that say nothing, or say what another one says."""
    rows = relations.tocsr()
    rows.eliminate_zeros()
    rows.sort_indices()
    rows = rows[np.flatnonzero(np.diff(rows.indptr) > 0)]
    random = np.random.default_rng(0).integers(1, 2**40, (rows.shape[1], 2))
    marks = rows.astype(np.int64) @ random
    _, first, inverse = np.unique(marks, axis=0, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[inverse.ravel()] != np.arange(rows.shape[0]))
    like = first[inverse.ravel()[again]]
    # Marks can be equal by chance: only rows that are really equal are dropped.
    rest = (rows[again] - rows[like]).tocsr()
    rest.eliminate_zeros()
    keep = np.ones(rows.shape[0], dtype=np.bool_)
    keep[again[np.diff(rest.indptr) == 0]] = False
    return rows[np.flatnonzero(keep)]


def _any(
    marks: NDArray[np.bool_], of: NDArray[np.int64], count: int
) -> NDArray[np.bool_]:
    out = np.zeros(count, dtype=np.bool_)
    out[of[marks]] = True
    return out


def _extreme(
    amount: NDArray[np.float64], of: NDArray[np.int64], count: int, *, largest: bool
) -> NDArray[np.float64]:
    out = np.full(count, -np.inf if largest else np.inf)
    (np.maximum if largest else np.minimum).at(out, of, amount)
    return out


class LeaveIdle:
    """Leave out everything that is not connected to a sensitive cell."""

    def accept(self, problem: Problem) -> bool:
        """Tell whether there is such a part."""
        return bool(_idle(problem).any())

    def apply(self, problem: Problem) -> Reduced:
        """Leave it out; what must be hidden there stays hidden."""
        idle = _idle(problem)
        none = np.zeros(0, dtype=np.int64)
        return _without(problem, idle, idle & problem.forced, none)


def _idle(problem: Problem) -> NDArray[np.bool_]:
    label = _parts(problem)
    return ~np.isin(label, label[problem.sensitive])


def _parts(problem: Problem) -> NDArray[np.int64]:
    """Number the connected parts by their first cell."""
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    rows, n = problem.relations, len(problem)
    row_of = n + np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    size = n + rows.shape[0]
    ones = np.ones(rows.nnz, dtype=np.int8)
    links = csr_array((ones, (row_of, rows.indices)), shape=(size, size))
    _, label = connected_components(links, directed=False)
    _, first, inverse = np.unique(label[:n], return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    numbers: NDArray[np.int64] = rank[inverse]
    return numbers


def _without(
    problem: Problem,
    left_out: NDArray[np.bool_],
    hidden: NDArray[np.bool_],
    lost: NDArray[np.int64],
) -> Reduced:
    of = np.where(left_out, -1, np.cumsum(~left_out) - 1).astype(np.int64)
    return Reduced(_selected(problem, np.flatnonzero(~left_out), of), of, hidden, lost)


def _selected(
    problem: Problem, cells: NDArray[np.int64], of: NDArray[np.int64]
) -> Problem:
    geometry = _moved(problem.geometry, of)
    return problem.among(cells, problem.relations_among(cells), geometry)


def _moved(geometry: Geometry | None, of: NDArray[np.int64]) -> Geometry | None:
    """Let the places of old cells lead to the new ones."""
    if geometry is None:
        return None
    to = of[geometry.cell_at]
    held = to >= 0
    at = to[held]
    return replace(
        geometry,
        codes=np.ascontiguousarray(geometry.codes[:, held]),
        keys=geometry.keys[held],
        at=None if np.array_equal(at, np.arange(len(at))) else at,
    )


def components(problem: Problem) -> list[Reduced]:
    """Cut a problem into its connected parts, in the order of their first cells."""
    label = _parts(problem)
    nothing = np.zeros(len(problem), dtype=np.bool_)
    order = np.argsort(label, kind="stable")
    ends = np.flatnonzero(np.diff(label[order])) + 1
    out = []
    for cells in np.split(order, ends) if len(order) else []:
        of = np.full(len(problem), -1, dtype=np.int64)
        of[cells] = np.arange(len(cells))
        none = np.zeros(0, dtype=np.int64)
        out.append(Reduced(_selected(problem, cells, of), of, nothing, none))
    return out


@dataclass(frozen=True, eq=False)
class Presolved:
    """What is left of a problem after all reductions, and the way back."""

    problem: Problem
    steps: Sequence[Reduced]

    @property
    def lost(self) -> NDArray[np.int64]:
        """Sensitive cells of the first problem that no pattern protects."""
        found = np.zeros(0, dtype=np.int64)
        for step in reversed(self.steps):
            found = np.concatenate([step.lost, step.invert_cells(found)])
        return np.sort(found)

    def invert_hidden(self, hidden: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Carry hidden cells back to the first problem."""
        for step in reversed(self.steps):
            hidden = step.invert_hidden(hidden)
        return hidden

    def invert_moves(self, moves: Iterable[Move]) -> list[Move]:
        """Carry moves back to the first problem."""
        out = []
        for move in moves:
            for step in reversed(self.steps):
                move = step.invert_move(move)  # noqa: PLW2901 - carried back in steps
            out.append(move)
        return out

    def invert_cells(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Carry a selection of cells back to the first problem."""
        for step in reversed(self.steps):
            cells = step.invert_cells(cells)
        return cells


def presolve(problem: Problem) -> Presolved:
    """Reduce as far as it goes."""
    steps: list[Reduced] = []
    for reduction in (FixImmovable(), MergeEqual(), LeaveIdle()):
        if reduction.accept(problem):
            steps.append(reduction.apply(problem))
            problem = steps[-1].problem
    return Presolved(problem, steps)
