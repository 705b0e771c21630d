# SPDX-License-Identifier: Apache-2.0
"""One HiGHS instance for many small linear programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import highspy
    from numpy.typing import NDArray

    from tacit.audit._balls import Piece

__all__ = ["Simplex", "new_solver", "pass_program"]

_BY_COLUMN, _MINIMISE = 1, 1
# What to try where simplex steps end without a verdict: bounds that nearly meet, next
# to others a hundred million times as far apart.
_USUAL = {"presolve": "off", "solver": "simplex"}
_OTHER_WAYS = ({"presolve": "choose"}, {"presolve": "choose", "solver": "ipm"})


def new_solver() -> highspy.Highs:
    """Start a silent HiGHS on one thread."""
    import highspy  # noqa: PLC0415

    solver = highspy.Highs()
    for name, setting in (("output_flag", False), ("threads", 1), ("parallel", "off")):
        solver.setOptionValue(name, setting)
    return solver


def pass_program(
    solver: highspy.Highs,
    matrix: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]],
    columns: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    right: NDArray[np.float64],
    *,
    integral: bool = False,
) -> None:
    """Pass "minimise cost, rows equal ``right``"; matrix by columns, then cost, box."""
    size = len(columns[0])
    solver.passModel(
        size,
        len(right),
        len(matrix[1]),
        _BY_COLUMN,
        _MINIMISE,
        0.0,
        *columns,
        right,
        right,
        *matrix,
        np.full(size, int(integral), dtype=np.int32),
    )


class Simplex:
    """Maximise one unknown, or a combination, of a homogeneous system in a box."""

    def __init__(self) -> None:
        import highspy  # noqa: PLC0415

        self._status = highspy.HighsModelStatus
        self.solver = new_solver()
        for tolerance in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self.solver.setOptionValue(tolerance, 1e-9)
        self._set(_USUAL)
        self.solved = 0

    def _set(self, options: Mapping[str, str]) -> None:
        for name, setting in options.items():
            self.solver.setOptionValue(name, setting)

    def load(
        self,
        piece: Piece,
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        *,
        cost: NDArray[np.float64] | None = None,
        integral: bool = False,
    ) -> None:
        """Pass a piece; without ``cost`` its seed is what is maximised."""
        columns = len(piece.unknowns)
        if cost is None:
            cost = np.zeros(columns)
            cost[piece.seed] = 1.0
        pass_program(
            self.solver,
            (piece.start, piece.rows_at, piece.value),
            (-cost, lower, upper),
            np.zeros(piece.rows),
            integral=integral,
        )

    def highest(
        self, piece: Piece, lower: NDArray[np.float64], upper: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64] | None]:
        """Push the seed of a piece as high as it goes: how high, and a solution."""
        if not piece.rows:
            z = np.zeros(len(upper))
            z[piece.seed] = upper[piece.seed]
            return float(upper[piece.seed]), z
        self.load(piece, lower, upper)
        return self.maximum()

    def maximum(self) -> tuple[float, NDArray[np.float64] | None]:
        """Solve what is loaded: the optimum (inf if unbounded) and a solution."""
        self.solver.run()
        self.solved += 1
        status = self.solver.getModelStatus()
        found = self._read(status)
        return self._again(status) if found is None else found

    def _read(
        self, status: highspy.HighsModelStatus
    ) -> tuple[float, NDArray[np.float64] | None] | None:
        """Take what was found, if anything was."""
        if status == self._status.kOptimal:
            x = np.array(self.solver.getSolution().col_value)
            return -float(self.solver.getObjectiveValue()), x
        unbounded = (self._status.kUnbounded, self._status.kUnboundedOrInfeasible)
        return (np.inf, None) if status in unbounded else None

    def _again(
        self, status: highspy.HighsModelStatus
    ) -> tuple[float, NDArray[np.float64] | None]:
        """Try once more from scratch, in other ways; then say so."""
        for way in _OTHER_WAYS:
            self.solver.clearSolver()
            self._set(way)
            self.solver.run()
            self._set(_USUAL)
            found = self._read(self.solver.getModelStatus())
            if found is not None:
                return found
        name = self.solver.modelStatusToString(status)
        message = (
            f"HiGHS did not settle a linear program of the audit (status: {name}), so "
            "nothing is proved for that cell. Try again without a time limit; if it "
            "persists, the values may span too many orders of magnitude."
        )
        raise LimitError(message)
