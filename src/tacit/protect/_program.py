# SPDX-License-Identifier: Apache-2.0
"""Cheapest whole numbers between bounds that satisfy equations, by HiGHS.

A program is handed over as a whole or in parts; every answer is checked in whole
numbers before it is believed, and a bound never rests on the word of a solver alone.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

__all__ = ["Answer", "Program", "exact", "feasible", "relaxation"]

_INTERIOR = 4_000


@dataclass(frozen=True, eq=False)
class Program:
    """Columns between ``lower`` and ``upper`` at a price; rows that they must keep.

    ``matrix`` has a row for each relation and a column for each unknown. All of them
    are whole numbers. Where ``choices`` marks some columns, the others come out whole
    more often than not once these are, and are first left to do so.
    """

    matrix: csr_array
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    price: NDArray[np.float64]
    choices: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.price)

    def cost(self, values: NDArray[np.int64]) -> float:
        """Price of a solution."""
        return float(self.price @ values)

    def holds(self, values: NDArray[np.int64]) -> bool:
        """Whether whole numbers keep every bound and every row, exactly."""
        rows = self.matrix @ values
        inside = (values >= self.lower).all() and (values <= self.upper).all()
        kept = (rows >= self.row_lower).all() and (rows <= self.row_upper).all()
        return bool(inside and kept)

    def part(
        self, columns: NDArray[np.int64], values: NDArray[np.int64] | None = None
    ) -> Program:
        """Free some columns only; the others stay at ``values`` (or at 0)."""
        matrix = self.matrix[:, columns]
        rows = np.flatnonzero(np.diff(matrix.indptr))
        matrix = matrix[rows]
        low, high = self.row_lower[rows], self.row_upper[rows]
        if values is not None:
            rest = self.matrix[rows] @ values - matrix @ values[columns]
            low, high = low - rest, high - rest
        lower, upper = self.lower[columns], self.upper[columns]
        choices = None if self.choices is None else self.choices[columns]
        return Program(matrix, low, high, lower, upper, self.price[columns], choices)


class Answer(NamedTuple):
    """What a solver found: whole numbers or none, and whether that is the last word.

    ``late`` says that the time ended the search, so that another day may find more.
    """

    values: NDArray[np.int64] | None
    bound: float
    optimal: bool = False
    impossible: bool = False
    late: bool = False


def exact(
    program: Program,
    *,
    start: NDArray[np.int64] | None = None,
    nodes: int = 1_000,
    seconds: float = np.inf,
) -> Answer:
    """Search the best whole numbers, up to a number of nodes."""
    every = np.ones(len(program), dtype=np.bool_)
    if program.choices is None:
        return _searched(program, every, start, nodes, seconds)
    left = time.monotonic() + seconds
    answer = _searched(program, program.choices, start, nodes, seconds)
    if answer.values is not None or answer.impossible:
        return answer
    seconds = left - time.monotonic()
    if seconds <= 0:
        return answer
    second = _searched(program, every, start, nodes, seconds)
    return second._replace(bound=max(answer.bound, second.bound))


def _searched(
    program: Program,
    whole: NDArray[np.bool_],
    start: NDArray[np.int64] | None,
    nodes: int,
    seconds: float,
) -> Answer:
    """Search with some columns whole; what is not whole in the end is no answer."""
    import highspy  # noqa: PLC0415 - the solver loads when first needed

    solver = _solver(program, whole=whole, seconds=seconds)
    solver.setOptionValue("mip_max_nodes", nodes)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 1e-6)
    if start is not None:
        hint = highspy.HighsSolution()
        hint.col_value = start.astype(np.float64).tolist()
        solver.setSolution(hint)
    solver.run()
    status, kinds = solver.getModelStatus(), highspy.HighsModelStatus
    if status == kinds.kInfeasible:
        return Answer(None, np.inf, impossible=True)
    values = _whole(program, solver)
    optimal = status == kinds.kOptimal and values is not None
    bound = float(solver.getInfo().mip_dual_bound)
    late = status == kinds.kTimeLimit
    return Answer(values, bound if np.isfinite(bound) else -np.inf, optimal, late=late)


def feasible(
    program: Program, *, nodes: int = 1_000, seconds: float = np.inf
) -> Answer:
    """Search any whole numbers that keep the rows: without a price that is quick."""
    free = Program(
        program.matrix,
        program.row_lower,
        program.row_upper,
        program.lower,
        program.upper,
        np.zeros(len(program)),
    )
    return exact(free, nodes=nodes, seconds=seconds)


def relaxation(
    program: Program, *, seconds: float = np.inf
) -> tuple[NDArray[np.float64], float]:
    """Solve without asking for whole numbers: a guide, and a bound of the price.

    The bound is computed here from the multipliers of the rows, and holds whatever
    they are.
    """
    solver = _solver(
        program, whole=np.zeros(len(program), dtype=np.bool_), seconds=seconds
    )
    if len(program) > _INTERIOR:
        # Many equal prices make the simplex method stall.
        solver.setOptionValue("solver", "ipm")
        solver.setOptionValue("run_crossover", "off")
    solver.run()
    found = solver.getSolution()
    guide = np.clip(np.asarray(found.col_value), program.lower, program.upper)
    multipliers = np.asarray(found.row_dual)
    if len(guide) != len(program) or len(multipliers) != len(program.row_lower):
        guide, multipliers = program.lower.copy(), np.zeros(len(program.row_lower))
    return guide, _bound(program, multipliers)


def _bound(program: Program, multipliers: NDArray[np.float64]) -> float:
    """Least price by weak duality: rows at their cheaper end, columns at theirs."""
    ends = np.where(multipliers > 0, program.row_lower, program.row_upper)
    used = multipliers != 0
    rows = float(multipliers[used] @ ends[used])
    left = program.price - program.matrix.T @ multipliers
    columns = np.where(left > 0, left * program.lower, left * program.upper)
    total = rows + float(columns.sum())
    return total if np.isfinite(total) else -np.inf


def _whole(program: Program, solver: Any) -> NDArray[np.int64] | None:  # noqa: ANN401 - no stubs
    """Give the solution in whole numbers, if there is one that holds exactly."""
    found = np.asarray(solver.getSolution().col_value)
    if len(found) != len(program) or not np.isfinite(found).all():
        return None
    values = np.rint(found).astype(np.int64)
    return values if program.holds(values) else None


def _solver(program: Program, *, whole: NDArray[np.bool_], seconds: float) -> Any:  # noqa: ANN401 - no stubs
    import highspy  # noqa: PLC0415 - the solver loads when first needed

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)  # noqa: FBT003 - the API of HiGHS
    solver.setOptionValue("threads", 1)
    if np.isfinite(seconds):
        solver.setOptionValue("time_limit", max(float(seconds), 0.01))
    matrix = program.matrix.tocsc()
    solver.passModel(
        len(program),
        matrix.shape[0],
        matrix.nnz,
        1,
        1,
        0.0,
        program.price.astype(np.float64),
        program.lower.astype(np.float64),
        program.upper.astype(np.float64),
        program.row_lower.astype(np.float64),
        program.row_upper.astype(np.float64),
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.float64),
        whole.astype(np.int32) if len(program) else np.zeros(1, dtype=np.int32),
    )
    return solver
