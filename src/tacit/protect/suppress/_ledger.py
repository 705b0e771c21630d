# SPDX-License-Identifier: Apache-2.0
"""What has been proved so far: hidden cells, moves, and how far each cell can go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tacit.protect.suppress._local import Move
    from tacit.protect.suppress._problem import Problem

__all__ = ["Ledger"]

# Bounds and needs are integers below 2**53; a move that misses one by less than this
# share of it misses by solver noise only, and rounding to integers settles it.
_NOISE = 1e-9


class Ledger:
    """Hidden cells and the moves that prove what stays possible.

    Adding hidden cells or moves never takes a proof away, so ledgers of parts of the
    work can be joined in any order.
    """

    def __init__(self, problem: Problem, hidden: NDArray[np.bool_]) -> None:
        self.problem = problem
        self.hidden = hidden | problem.sensitive | problem.forced
        self.reach_up = np.zeros(len(problem))
        self.reach_down = np.zeros(len(problem))
        self.moves: list[Move] = []

    def record(self, move: Move) -> None:
        """Hide the cells of a move and note what it and its mirror image prove."""
        cells, amounts = move.cells, move.amounts
        self.moves.append(move)
        self.hidden[cells] = True
        self._note(cells, amounts)
        self._note(cells, -amounts)

    def join(self, moves: Iterable[Move]) -> None:
        """Record many moves."""
        for move in moves:
            self.record(move)

    def _note(self, cells: NDArray[np.int32], amounts: NDArray[np.float64]) -> None:
        problem = self.problem
        slack = 1.0 + _NOISE
        if (amounts > problem.room_up[cells] * slack + _NOISE).any():
            return
        if (-amounts > problem.room_down[cells] * slack + _NOISE).any():
            return
        self.reach_up[cells] = np.maximum(self.reach_up[cells], amounts)
        self.reach_down[cells] = np.maximum(self.reach_down[cells], -amounts)

    @property
    def met(self) -> NDArray[np.bool_]:
        """Cells all of whose needs are proved; cells that need nothing are met."""
        problem, less = self.problem, 1.0 - _NOISE
        up = self.reach_up >= problem.need_up * less
        down = self.reach_down >= problem.need_down * less
        width = self.reach_up + self.reach_down >= problem.need_width * less
        return (up & down & width) | ~problem.sensitive

    def is_met(self, cell: int) -> bool:
        """Whether the needs of one cell are proved."""
        problem, less = self.problem, 1.0 - _NOISE
        up, down = self.reach_up[cell], self.reach_down[cell]
        return bool(
            up >= problem.need_up[cell] * less
            and down >= problem.need_down[cell] * less
            and up + down >= problem.need_width[cell] * less
        )

    def open(self) -> NDArray[np.int64]:
        """Cells with unproved needs, the most demanding first."""
        cells = np.flatnonzero(~self.met)
        return cells[np.argsort(-self.problem.need[cells], kind="stable")]

    @property
    def secondary(self) -> NDArray[np.bool_]:
        """Cells hidden for the sake of others."""
        return self.hidden & ~self.problem.sensitive

    @property
    def cost(self) -> float:
        """Cost of the cells hidden for the sake of others."""
        return float(self.problem.cost[self.secondary].sum())
