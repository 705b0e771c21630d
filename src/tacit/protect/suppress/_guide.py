# SPDX-License-Identifier: Apache-2.0
"""A linear relaxation that says which cells are worth hiding, and what it must cost.

Every pattern that is safe keeps the capacity cuts. With cells that may be hidden in
part, the cheapest way to keep them is a lower bound of the cost, and a guide for the
search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.suppress._cuts import (
    Meter,
    broken_cuts,
    cover_of,
    first_cuts,
    new_solver,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tacit.protect.suppress._cuts import Cut
    from tacit.protect.suppress._problem import Problem

__all__ = ["EFFORT", "Guide", "Relaxation", "guide"]

_TINY = 1e-7
_BRIDGE = 1e-6
_COVER = 1e-3
# Shares beyond these count as hidden, one after the other, where covers are made.
_ROUNDINGS = (0.5, 0.3, 0.15, 0.05)
_ROUNDS = 60
# Some seconds of one core; exchanging cells gains more than a longer guide.
EFFORT = 1.5e7


@dataclass(frozen=True)
class Guide:
    """What the relaxation says: a share per cell, and a bound of the cost."""

    share: NDArray[np.float64]
    bound: float
    rounds: int
    converged: bool


def guide(
    problem: Problem,
    *,
    deadline: float = np.inf,
    effort: float = EFFORT,
    progress: Callable[[int, float], None] | None = None,
) -> Guide:
    """Solve the relaxation by cutting planes, until convergence or for some effort."""
    return Relaxation(problem).converge(Meter(effort, deadline), progress=progress)


class Relaxation:
    """Shares of the cells that may be hidden, and the cuts that they must keep."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.held = problem.sensitive | problem.forced
        self.free = ~(self.held | problem.frozen)
        self.column = np.full(len(problem), -1, dtype=np.int64)
        self.column[self.free] = np.arange(int(self.free.sum()))
        self.unit = float(problem.cost[self.free].mean()) if self.free.any() else 1.0
        self.unit = self.unit or 1.0
        n = int(self.free.sum())
        self.solver = new_solver(primal=False)
        self.solver.passModel(
            n,
            0,
            0,
            1,
            1,
            0.0,
            problem.cost[self.free] / self.unit,
            np.zeros(n),
            np.ones(n),
            np.zeros(0),
            np.zeros(0),
            np.zeros(n + 1, dtype=np.int32),
            np.zeros(0, dtype=np.int32),
            np.zeros(0),
            np.zeros(max(n, 1), dtype=np.int32),
        )

    def add(self, cuts: list[Cut]) -> int:
        """Add cuts, less what the cells hidden anyway give them; count those added."""
        rows = [row for cut in cuts if (row := self.row_of(cut)) is not None]
        if not rows:
            return 0
        sizes = np.array([len(columns) for columns, _ in rows])
        self.solver.addRows(
            len(rows),
            np.ones(len(rows)),
            np.full(len(rows), np.inf),
            int(sizes.sum()),
            (np.cumsum(sizes) - sizes).astype(np.int32),
            np.concatenate([columns for columns, _ in rows]).astype(np.int32),
            np.concatenate([weights for _, weights in rows]),
        )
        return len(rows)

    def row_of(self, cut: Cut) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        """Give the columns and weights of a cut, less what is hidden anyway.

        They must together reach 1; None where there is nothing left to reach.
        """
        given = self.held[cut.cells]
        missing = cut.reach - cut.weight[given].sum()
        usable = self.free[cut.cells]
        if missing <= _TINY * cut.reach or not usable.any():
            return None
        weight = np.minimum(cut.weight[usable], missing) / missing
        keep = weight > _TINY
        return self.column[cut.cells[usable][keep]], weight[keep]

    def add_bridges(self, share: NDArray[np.float64]) -> int:
        """Ask that no cell is hidden in a relation without another one beside it.

        It would be determined there, and so of no use to anybody: the cheapest pattern
        has no such cell. Counts the relations in which the shares say otherwise.
        """
        rows, free = self.problem.relations, self.free
        count = rows.shape[0]
        row_of = np.repeat(np.arange(count), np.diff(rows.indptr))
        held = self.held
        amount = share[rows.indices]
        closed = np.bincount(row_of, held[rows.indices], minlength=count) == 0
        total = np.bincount(row_of, amount, minlength=count)
        alone = closed[row_of] & free[rows.indices]
        broken = np.flatnonzero(alone & (2 * amount > total[row_of] + _BRIDGE))
        if not len(broken):
            return 0
        at = row_of[broken]
        entries = [slice(rows.indptr[row], rows.indptr[row + 1]) for row in at.tolist()]
        cells = [rows.indices[one][free[rows.indices[one]]] for one in entries]
        sizes = np.array([len(one) for one in cells])
        weights = np.ones(int(sizes.sum()))
        starts = np.cumsum(sizes) - sizes
        columns = self.column[np.concatenate(cells)]
        alone_at = np.repeat(self.column[rows.indices[broken]], sizes)
        weights[columns == alone_at] = -1.0
        self.solver.addRows(
            len(broken),
            np.zeros(len(broken)),
            np.full(len(broken), np.inf),
            len(columns),
            starts.astype(np.int32),
            columns.astype(np.int32),
            weights,
        )
        return len(broken)

    def converge(
        self, meter: Meter, *, progress: Callable[[int, float], None] | None = None
    ) -> Guide:
        """Add broken cuts until there are none, or the meter is empty."""
        if not self.solver.getNumRow():
            self.add(first_cuts(self.problem))
        share, bound = self.solve(meter)
        for number in range(_ROUNDS):
            if meter.empty:
                return Guide(share, bound, number, converged=False)
            bridges = self.add_bridges(share)
            cuts = list(broken_cuts(self.problem, share, meter))
            if not self.add(cuts) and not bridges:
                return Guide(share, bound, number, converged=not meter.empty)
            share, bound = self.solve(meter)
            if progress is not None:
                progress(number, bound)
        return Guide(share, bound, _ROUNDS, converged=False)

    def pattern_of(self, chosen: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Mark the hidden cells of a solution in whole numbers."""
        hidden = self.held.copy()
        hidden[self.free] = chosen > 0.5  # noqa: PLR2004 - 0 or 1
        return hidden

    def tighten(self, advice: Guide, meter: Meter) -> Guide:
        """Add covers: where shares are rounded, one more cell is needed beside these.

        Stops where no rounding breaks anything that the shares do not keep already.
        """
        share, bound, rounds = advice.share, advice.bound, advice.rounds
        for _ in range(_ROUNDS):
            covers = [
                cut for at in _ROUNDINGS for cut in self._covers(share, at, meter)
            ]
            if meter.empty or not self.add(covers):
                break
            again = self.converge(meter)
            share, bound, rounds = again.share, again.bound, rounds + again.rounds
        return Guide(share, bound, rounds, converged=not meter.empty)

    def _covers(
        self, share: NDArray[np.float64], threshold: float, meter: Meter
    ) -> list[Cut]:
        hidden = self.held | (share > threshold)
        cuts = broken_cuts(self.problem, hidden.astype(np.float64), meter)
        covers = [cover_of(cut, hidden) for cut in cuts]
        return [one for one in covers if share[one.cells].sum() < 1.0 - _COVER]

    def solve(self, meter: Meter) -> tuple[NDArray[np.float64], float]:
        """Solve; give the share of every cell and the bound."""
        self.solver.run()
        meter.note(self.solver, int(self.free.sum()) // 8)
        share = self.held.astype(np.float64)
        answer = np.asarray(self.solver.getSolution().col_value)
        if len(answer):
            share[self.free] = np.clip(answer, 0.0, 1.0)
        bound = self.solver.getInfo().objective_function_value * self.unit
        return share, float(bound)

    def fix(self, hidden: NDArray[np.bool_], cost: float) -> int:
        """Fix the cells that no pattern cheaper than ``cost`` hides, or publishes.

        ``hidden`` is a pattern of that cost; it keeps to what is fixed. Counts the
        cells that are fixed now.
        """
        self.solver.run()
        bound = self.solver.getInfo().objective_function_value * self.unit
        reduced = np.asarray(self.solver.getSolution().col_dual) * self.unit
        missing = cost - bound
        chosen = hidden[self.free]
        zero = np.flatnonzero((reduced > missing) & ~chosen)
        one = np.flatnonzero((-reduced > missing) & chosen)
        cells = np.concatenate([zero, one]).astype(np.int32)
        value = np.concatenate([np.zeros(len(zero)), np.ones(len(one))])
        if len(cells):
            self.solver.changeColsBounds(len(cells), cells, value, value)
        return len(cells)
