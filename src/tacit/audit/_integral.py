# SPDX-License-Identifier: Apache-2.0
"""Intervals of whole numbers: integer programs where linear ones leave doubt."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._component import Component
from tacit.audit._simplex import new_solver, pass_program

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.audit._balls import Cutter, Piece
    from tacit.audit._problem import Problem
    from tacit.audit._system import System

__all__ = ["WholeComponent", "whole_bounds"]

_NEAR = 1e-6
_BALL = 300
_SECONDS = 60.0
"""Most that one integer program may take where no time limit was set."""


def whole_bounds(problem: Problem) -> Problem:
    """Round the bounds of hidden cells inwards to whole numbers."""
    lower, upper = np.ceil(problem.lower - _NEAR), np.floor(problem.upper + _NEAR)
    return replace(problem, lower=lower, upper=upper)


class WholeComponent(Component):
    """A component in which only whole numbers count.

    A linear program limits what a whole number can reach. Where its solution is not
    whole itself, an integer program over the neighbourhood tries to reach the limit,
    then one over the whole component says what can be reached.
    """

    def __init__(
        self, system: System, cutter: Cutter, seed: int, deadline: float
    ) -> None:
        super().__init__(system, cutter, seed, deadline)
        size = len(self.unknowns)
        self.whole_least, self.whole_most = np.zeros(size), np.zeros(size)
        self.integer_programs = 0

    @property
    def solved(self) -> int:
        """Programs solved, linear and integer."""
        return super().solved + self.integer_programs

    def ends(
        self, seeds: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest whole deviation reached by each of these unknowns."""
        at = np.searchsorted(self.unknowns, seeds)
        return self.whole_least[at], self.whole_most[at]

    def settle(self, seed: int) -> bool:
        """Find both ends of one unknown; whether they are certain."""
        super().settle(seed)
        k = int(np.searchsorted(self.unknowns, seed))
        if not self.piece.rows:
            self._widen(np.full(1, self.lower[k]))
            self._widen(np.full(1, self.upper[k]))
            return True
        limit, reached = np.floor(self.most[k] + _NEAR), self.whole_most[k]
        above = limit <= reached or self._reach(k, 1.0, limit)
        limit, reached = np.floor(-self.least[k] + _NEAR), -self.whole_least[k]
        below = limit <= reached or self._reach(k, -1.0, limit)
        return above and below

    def _widen(self, z: NDArray[np.float64]) -> None:
        super()._widen(z)
        nearest = np.rint(z)
        finite = np.isfinite(z)
        if (np.abs(z[finite] - nearest[finite]) <= _NEAR).all():
            self.whole_least = np.minimum(self.whole_least, nearest)
            self.whole_most = np.maximum(self.whole_most, nearest)

    def _reach(self, k: int, direction: float, limit: float) -> bool:
        """Push one unknown in whole numbers; whether the end found is certain."""
        if np.isinf(limit):
            # a ray of an integer system has whole multiples
            (self.whole_most if direction > 0 else self.whole_least)[k] = (
                direction * limit
            )
            return True
        seed = int(self.unknowns[k])
        if len(self.unknowns) > 2 * _BALL:
            found, _ = self.cutter.ball(seed, _BALL)
            near = self.cutter.inner(found, seed, whole=False)
            if near.seed >= 0:
                self._integer_program(near, direction)
            if self._at(k, direction) >= limit:
                return True
        everything = self.piece._replace(seed=k)
        return self._integer_program(everything, direction)

    def _at(self, k: int, direction: float) -> float:
        return float(self.whole_most[k] if direction > 0 else -self.whole_least[k])

    def _integer_program(self, piece: Piece, direction: float) -> bool:
        import highspy  # noqa: PLC0415

        left = min(_SECONDS, self.deadline - monotonic())
        if left <= 0:
            return False
        solver = new_solver()
        solver.setOptionValue("time_limit", left)
        solver.setOptionValue("mip_rel_gap", 0.0)
        at = np.searchsorted(self.unknowns, piece.unknowns)
        cost = np.zeros(len(at))
        cost[piece.seed] = -direction
        pass_program(
            solver,
            (piece.start, piece.rows_at, piece.value),
            (cost, self.lower[at], self.upper[at]),
            np.zeros(piece.rows),
            integral=True,
        )
        solver.run()
        self.integer_programs += 1
        x = np.array(solver.getSolution().col_value)
        if len(x) == len(at) and solver.getInfo().primal_solution_status == _FEASIBLE:
            z = np.zeros(len(self.unknowns))
            z[at] = np.rint(x)
            self._widen(z)
        return bool(solver.getModelStatus() == highspy.HighsModelStatus.kOptimal)


_FEASIBLE = 2  # what HiGHS calls a feasible point
