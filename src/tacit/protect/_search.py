# SPDX-License-Identifier: Apache-2.0
"""Solve programs in whole numbers part by part, and large parts in neighbourhoods.

A part that the solver closes is optimal. One that it does not close gets any solution
first; then the columns around a place are freed again and again and solved exactly,
most often where the solution is dearer than the relaxation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from tacit.protect._program import Answer, exact, feasible, relaxation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy.sparse import coo_array, csc_array, csr_array

    from tacit.protect._program import Program
    from tacit.protect.suppress._progress import Clock

__all__ = ["Found", "solve"]

# The worst of its parts is the state of the whole.
_STATES = ("stopped", "time", "best", "optimal")
_CLOSED = 3_000
_CHOICES = 12_000
_GUIDED = 80_000
_ROUND = (500, 2_500)
_NODES = 20
_PATIENCE = 120
# Where nothing is gained for so long, larger neighbourhoods are looked at.
_WIDEN = 40
_LEAST_ROUNDS = 500
_NEAR = 1e-6


@dataclass(frozen=True, eq=False)
class Found:
    """Whole numbers that keep every row, or none; a bound; and what stopped the search.

    ``state`` is ``optimal``, ``best`` (all effort was spent), ``time`` (the time ended
    first), ``stopped`` (by the user); without values ``impossible`` or ``unknown``.
    """

    values: NDArray[np.int64] | None
    bound: float
    state: str


def solve(
    program: Program,
    clock: Clock,
    *,
    easy: bool = False,
    first: NDArray[np.int64] | None = None,
) -> Found:
    """Solve part by part; ``easy`` says that the solver is expected to close them.

    ``first`` is a solution to start from, where one is known.
    """
    values = np.zeros(len(program), dtype=np.int64)
    bound, states = 0.0, {"optimal"}
    fixed = program.lower == program.upper
    values[fixed] = program.lower[fixed].astype(np.int64)
    rows = program.matrix @ values
    if not _consistent(program, fixed, rows):
        return Found(None, np.inf, "impossible")
    bound += program.cost(values)
    for columns in _parts(program, ~fixed):
        part = program.part(columns, values)
        start = None if first is None else first[columns]
        found = _solve_part(part, clock, easy=easy, first=start)
        if found.values is None:
            return found
        values[columns] = found.values
        bound += found.bound
        states.add(found.state)
    worst = next(s for s in _STATES if s in states)
    return Found(values, min(bound, program.cost(values)), worst)


def _consistent(
    program: Program, fixed: NDArray[np.bool_], rows: NDArray[np.int64]
) -> bool:
    """Whether the rows without any free column hold."""
    matrix = program.matrix.tocsr()
    free = np.append(0, np.cumsum(~fixed[matrix.indices]))
    done = free[matrix.indptr[1:]] == free[matrix.indptr[:-1]]
    low, high = program.row_lower[done], program.row_upper[done]
    return bool(((rows[done] >= low) & (rows[done] <= high)).all())


def _parts(program: Program, free: NDArray[np.bool_]) -> Iterator[NDArray[np.int64]]:
    """Give the free columns of each part that shares no row with another."""
    from scipy.sparse import block_array  # noqa: PLC0415 - beside its use
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    columns = np.flatnonzero(free)
    if not len(columns):
        return
    held = program.matrix[:, columns].astype(np.float64)
    graph = block_array([[None, held], [held.T, None]], format="csr")
    _, label = connected_components(cast("coo_array", graph), directed=False)
    label = label[held.shape[0] :]
    order = np.argsort(label, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        yield columns[group]


def _solve_part(
    part: Program, clock: Clock, *, easy: bool, first: NDArray[np.int64] | None
) -> Found:
    if clock.over:
        state = "unknown" if first is None else "time"
        return Found(first, _least(part), state)
    left = clock.limit - clock.seconds
    answer = Answer(None, -np.inf)
    most = _CLOSED if part.choices is None else _CHOICES
    if easy or len(part) <= most:
        answer = exact(part, start=first, seconds=left / 2)
        if answer.optimal:
            return Found(answer.values, answer.bound, "optimal")
        if answer.impossible:
            return Found(None, np.inf, "impossible")
    first = first if answer.values is None else answer.values
    if first is None:
        found = feasible(part, seconds=max(left / 2, 0.01))
        if found.values is None:
            state = "impossible" if found.impossible else "unknown"
            return Found(None, -np.inf, state)
        first = found.values
    if len(part) <= _ROUND[0]:
        state = "time" if answer.late or clock.over else "best"
        return Found(first, max(_least(part), answer.bound), state)
    guide, bound = part.lower, _least(part)
    if len(part) <= _GUIDED:
        guide, bound = relaxation(part, seconds=left / 2)
    values, state = _improved(part, first, guide, clock)
    if answer.late and state == "best":
        state = "time"
    return Found(values, max(bound, answer.bound), state)


def _least(part: Program) -> float:
    """Bound without any solver: each column at its cheaper end."""
    ends = np.where(part.price > 0, part.lower, part.upper)
    return float(part.price @ ends)


def _improved(
    part: Program, values: NDArray[np.int64], guide: NDArray[np.float64], clock: Clock
) -> tuple[NDArray[np.int64], str]:
    """Free neighbourhoods one after the other, for as long as that pays.

    The number of rounds and the nodes of each depend on the size alone, so that the
    same table ends in the same place on any machine that is given the time.
    """
    near = _Neighbourhoods(part, np.random.default_rng(0))
    values, idle = values.copy(), 0
    rounds = max(_LEAST_ROUNDS, len(part) // 20)
    try:
        for number in range(rounds):
            if clock.over:
                return values, "time"
            if number % 20 == 0:
                clock.tell(f"improving {number} of {rounds}")
            columns = near.around(part.price * (values - guide))
            idle = 0 if _exchanged(part, values, columns, clock) else idle + 1
            if idle >= _PATIENCE:
                break
            if idle and idle % _WIDEN == 0:
                near.widen()
    except KeyboardInterrupt:
        return values, "stopped"
    return values, "best"


def _exchanged(
    part: Program,
    values: NDArray[np.int64],
    columns: NDArray[np.int64],
    clock: Clock,
) -> bool:
    """Solve a neighbourhood exactly; take what is cheaper into ``values``."""
    inner, before = part.part(columns, values), values[columns]
    left = max(clock.limit - clock.seconds, 0.01)
    after = exact(inner, start=before, nodes=_NODES, seconds=left).values
    if after is None or inner.cost(after) >= inner.cost(before) - _NEAR:
        return False
    values[columns] = after
    return True


class _Neighbourhoods:
    """Columns around a place: those that share rows with it, and rows with these."""

    def __init__(self, program: Program, random: np.random.Generator) -> None:
        self.rows = program.matrix.tocsr()
        self.columns: csc_array = program.matrix.tocsc()
        self.free = program.upper > program.lower
        self.random = random
        self.most = int(np.clip(len(program) // 3, *_ROUND))

    def widen(self) -> None:
        """Look at half as much again from now on."""
        self.most = min(self.most * 3 // 2, _ROUND[1])

    def around(self, loss: NDArray[np.float64]) -> NDArray[np.int64]:
        """Draw a place where much is lost, and take what is near it."""
        weight = np.where(self.free, np.maximum(loss, 0.0) + 1e-3, 0.0)
        seed = self.random.choice(len(weight), p=weight / weight.sum())
        taken = np.zeros(len(weight), dtype=np.bool_)
        taken[seed] = True
        front: NDArray[np.int64] = np.array([seed], dtype=np.int64)
        known = np.zeros(self.rows.shape[0], dtype=np.bool_)
        while len(front) and taken.sum() < self.most:
            rows = _entries(self.columns, front)
            rows = np.unique(rows[~known[rows]])
            known[rows] = True
            self.random.shuffle(rows)
            front = self._take(rows, taken)
        return np.flatnonzero(taken)

    def _take(
        self, rows: NDArray[np.int64], taken: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Take rows as a whole until there is enough; give what came new."""
        found = _entries(self.rows, rows)
        new = self.free[found] & ~taken[found]
        found = found[new]
        _, first = np.unique(found, return_index=True)
        room = self.most - int(taken.sum())
        front = found[np.sort(first)][:room]
        taken[front] = True
        return front


def _entries(
    matrix: csr_array | csc_array, which: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Give the entries of some rows (or columns), one after the other."""
    starts, ends = matrix.indptr[which], matrix.indptr[which + 1]
    many = ends - starts
    at = np.repeat(starts - np.concatenate([[0], np.cumsum(many)[:-1]]), many)
    found = matrix.indices[at + np.arange(int(many.sum()))]
    return found.astype(np.int64)
