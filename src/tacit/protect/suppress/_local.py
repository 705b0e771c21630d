# SPDX-License-Identifier: Apache-2.0
"""Small linear programs: move one combination of cells, at the least price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.protect.suppress import _kernels_neighbourhood as kernels
from tacit.protect.suppress._integral import Draft, whole_amounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.suppress._problem import Problem

__all__ = ["BOTH", "DOWN", "UP", "LocalPrograms", "Move"]

DOWN, BOTH, UP = -1, 0, 1

# A cell may move by this many times the distance asked for; beyond it coefficients
# of one program would span more magnitudes than its solver resolves.
_FARTHEST = 1e3


@dataclass(frozen=True, eq=False)
class Move:
    """A sparse vector z on cells with M z = 0: one more table that agrees."""

    cells: NDArray[np.int32]
    amounts: NDArray[np.float64]


class LocalPrograms:
    """Neighbourhoods of one problem, and the solver for what happens in them."""

    def __init__(self, problem: Problem) -> None:
        import highspy  # noqa: PLC0415 - the solver loads when first needed

        self.problem = problem
        rows, columns = problem.relations, problem.columns
        self._rows = (rows.indptr.astype(np.int64), rows.indices.astype(np.int32))
        self._columns = (
            columns.indptr.astype(np.int64),
            columns.indices.astype(np.int32),
        )
        self._values = columns.data.astype(np.float64)
        n = len(problem)
        self._distance = np.empty(n)
        self._mark = np.full(n, -1, dtype=np.int64)
        self._tick = 0
        self._place = np.full(n, -1, dtype=np.int32)
        self._row_place = np.full(rows.shape[0], -1, dtype=np.int32)
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._solver = highspy.Highs()
        for option, setting in (
            ("output_flag", False),
            ("threads", 1),
            ("presolve", "off"),
            ("solver", "simplex"),
        ):
            self._solver.setOptionValue(option, setting)
        self.solved = 0

    def ball(
        self,
        target: int,
        most: int,
        *,
        price: NDArray[np.float64],
        allowed: NDArray[np.bool_],
    ) -> NDArray[np.int32]:
        """Give the allowed cells nearest to a cell by price; the cell comes first."""
        self._tick += 2
        return kernels.price_ball(  # type: ignore[no-any-return]
            target,
            most,
            *self._rows,
            *self._columns,
            price,
            allowed,
            self._distance,
            self._mark,
            self._tick,
        )

    def box(
        self,
        target: int,
        need: float,
        *,
        siblings: int,
        levels: int,
        most: int,
        price: NDArray[np.float64],
    ) -> NDArray[np.int32] | None:
        """Give the cells of a box of codes; None where the table has no geometry."""
        place = self.problem.geometry
        if place is None:
            return None
        merged = place.at is not None
        cells, _ = kernels.box(
            int(place.place_of[target]) if merged else target,
            need,
            siblings,
            levels,
            most,
            place.keys,
            place.codes,
            place.strides,
            place.trees,
            price[place.cell_at] if merged else price,
            self.problem.room[place.cell_at] if merged else self.problem.room,
            100.0 * need,
        )
        if merged:
            _, first = np.unique(place.cell_at[cells], return_index=True)
            cells = place.cell_at[cells[np.sort(first)]].astype(np.int32)
        return cells  # type: ignore[no-any-return]

    def move(
        self,
        cells: NDArray[np.int32],
        need: float,
        *,
        side: int,
        price: NDArray[np.float64],
        targets: int = 1,
        blocked: NDArray[np.int32] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> Move | None:
        """Move the sum of the first ``targets`` cells by ``need`` at the least price.

        ``side`` UP or DOWN moves within the attacker's bounds; BOTH asks for a move
        whose mirror image is within them too. ``blocked`` cells may not move.
        ``weights`` are those of the targets in their sum, 1 where none are given.
        """
        if blocked is not None and len(blocked):
            keep = ~np.isin(cells, blocked)
            if not keep[:targets].all():
                return None
            cells = cells[keep]
        useful, kept, starts, index, value, n_rows = kernels.local_system(
            cells,
            targets if targets == 1 else 0,
            *self._rows,
            *self._columns,
            self._values,
            self._place,
            self._row_place,
        )
        if not useful:
            return None
        wanted = _wanted(kept, cells[:targets], weights)
        if not wanted.any():
            return None
        if self.problem.whole:
            need = float(np.ceil(need))
        up, down = self._bounds(kept, need, side)
        return self._solve(
            (kept, starts, index, value, n_rows), (up, down), need, side, price, wanted
        )

    def _bounds(
        self, cells: NDArray[np.int32], need: float, side: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        problem = self.problem
        if side == BOTH:
            room = problem.room[cells] / need
            up, down = room, room
        elif side == UP:
            up, down = problem.room_up[cells] / need, problem.room_down[cells] / need
        else:
            up, down = problem.room_down[cells] / need, problem.room_up[cells] / need
        return self.within_reach(up), self.within_reach(down)

    @staticmethod
    def within_reach(room: NDArray[np.float64]) -> NDArray[np.float64]:
        """Cut room, in needs, to what one program resolves."""
        return np.minimum(room, _FARTHEST)

    def _solve(
        self,
        system: tuple[Any, ...],
        bounds: tuple[NDArray[np.float64], NDArray[np.float64]],
        need: float,
        side: int,
        price: NDArray[np.float64],
        wanted: NDArray[np.float64],
    ) -> Move | None:
        kept, starts, index, value, n_rows = system
        up, down = bounds
        n = len(kept)
        low, high = np.zeros(2 * n), np.concatenate([up, down])
        row_low, row_high = np.zeros(n_rows), np.zeros(n_rows)
        begin = np.concatenate([starts[:-1], starts + starts[-1]]).astype(np.int32)
        rows = np.concatenate([index, index])
        coefficients = np.concatenate([value, -value])
        if np.count_nonzero(wanted) == 1 and wanted.max() == 1.0:
            at = int(wanted.argmax())
            if up[at] < 1.0:
                return None
            low[at], high[at], high[n + at] = 1.0, 1.0, 0.0
        else:
            begin, rows, coefficients = _with_sum(
                begin, rows, coefficients, wanted, n_rows
            )
            row_low, row_high = np.append(row_low, 1.0), np.append(row_high, 1.0)
        cost = price[kept]
        solver = self._solver
        solver.passModel(
            2 * n,
            len(row_low),
            len(rows),
            1,
            1,
            0.0,
            np.concatenate([cost, cost]),
            low,
            high,
            row_low,
            row_high,
            begin,
            rows.astype(np.int32),
            coefficients,
            np.zeros(2 * n, dtype=np.int32),
        )
        solver.run()
        self.solved += 1
        if solver.getModelStatus() != self._optimal:
            return None
        answer = np.asarray(solver.getSolution().col_value)
        moved = (answer[:n] - answer[n:]) * need
        if self.problem.whole:
            room = up * need, down * need
            draft = Draft((starts, index, value, n_rows), room, wanted, need, cost)
            whole = whole_amounts(solver, draft, moved)
            if whole is None:
                return None
            moved = whole
        real = np.abs(moved) > 1e-9 * need
        return Move(kept[real], moved[real] if side != DOWN else -moved[real])


def _wanted(
    kept: NDArray[np.int32],
    targets: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Give the weight of each kept cell in the sum of the targets."""
    order = np.argsort(targets)
    ranked = targets[order]
    place = np.minimum(np.searchsorted(ranked, kept), len(ranked) - 1)
    weight = np.ones(len(targets)) if weights is None else weights
    found: NDArray[np.float64] = weight[order][place]
    found[ranked[place] != kept] = 0.0
    return found


def _with_sum(
    begin: NDArray[np.int32],
    rows: NDArray[np.int32],
    coefficients: NDArray[np.float64],
    wanted: NDArray[np.float64],
    n_rows: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Add a row that sums the wanted columns, minus their mirror columns."""
    n = len(wanted)
    at = np.flatnonzero(wanted)
    weight = np.concatenate([wanted[at], -wanted[at]])
    at = np.concatenate([at, at + n])
    ends = begin[1:]
    rows = np.insert(rows, ends[at], n_rows)
    coefficients = np.insert(coefficients, ends[at], weight)
    more = np.zeros(2 * n + 1, dtype=np.int32)
    np.add.at(more, at + 1, 1)
    return begin + np.cumsum(more, dtype=np.int32), rows, coefficients
