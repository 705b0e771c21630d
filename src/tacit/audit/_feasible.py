# SPDX-License-Identifier: Apache-2.0
"""Some table that fits everything published, or the relations that contradict it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import AdditivityError, LimitError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csc_array

    from tacit.audit._problem import Problem

__all__ = ["ContradictionError", "feasible_table"]


class ContradictionError(AdditivityError):
    """No table fits what is published; ``relations`` are rows that cannot hold."""

    def __init__(self, message: str, relations: NDArray[np.int64]) -> None:
        self.relations = relations
        super().__init__(message)


def feasible_table(problem: Problem) -> NDArray[np.float64]:
    """Find values for the hidden cells that agree with all that is published.

    The true values, where the problem holds them; else any solution of a linear
    program, in whole numbers where rounding it agrees as well.
    """
    if problem.value is not None:
        broken = np.flatnonzero(problem.matrix.astype(np.int64) @ problem.value)
        _refuse(broken)
        return problem.value.astype(np.float64)
    _refuse(_wrong_without_hidden(problem))
    table = problem.published.astype(np.float64)
    if not problem.hidden.any():
        return table
    found = _solve(problem, elastic=False)
    if found is None:
        _refuse(_contradiction(problem))
        message = (
            "No table was found that fits everything published, yet no relation "
            "contradicts it either: the numbers span too many orders of magnitude."
        )
        raise LimitError(message)
    table[problem.hidden] = found
    table = _whole_numbers(problem, table)
    if problem.integral and (table != np.rint(table)).any():
        table[problem.hidden] = _in_whole_numbers(problem)
    return table


def _in_whole_numbers(problem: Problem) -> NDArray[np.float64]:
    found = _solve(problem, elastic=False, integral=True)
    if found is None:
        message = (
            "Everything published fits together, but not in whole numbers: no table "
            "of whole numbers was found. If amounts need not be whole, say so "
            "(integral=False)."
        )
        raise LimitError(message)
    whole: NDArray[np.float64] = np.rint(found)
    return whole


def _whole_numbers(problem: Problem, table: NDArray[np.float64]) -> NDArray[np.float64]:
    rounded = np.rint(table)
    fits = not (problem.matrix.astype(np.float64) @ rounded).any()
    hidden = problem.hidden
    fits &= bool((rounded[hidden] >= problem.lower[hidden]).all())
    fits &= bool((rounded[hidden] <= problem.upper[hidden]).all())
    return rounded if fits else table


def _wrong_without_hidden(problem: Problem) -> NDArray[np.int64]:
    hidden = abs(problem.matrix).astype(np.int64) @ problem.hidden.astype(np.int64)
    return np.flatnonzero((hidden == 0) & (problem.right_hand_side() != 0))


def _refuse(relations: NDArray[np.int64]) -> None:
    if not len(relations):
        return
    message = (
        f"The table contradicts itself: {len(relations)} relation(s) cannot hold with "
        f"what is published, first relation {int(relations[0])}. An attacker would "
        "see the mistake, and no interval can be computed. Correct the cells, the "
        "rounding base, or the bounds."
    )
    raise ContradictionError(message, relations)


def _contradiction(problem: Problem) -> NDArray[np.int64]:
    """Rows that must give way, as few amounts in all as possible."""
    slack = _solve(problem, elastic=True)
    if slack is None:
        return np.zeros(0, dtype=np.int64)
    slack = abs(slack)
    return np.flatnonzero(slack > 1e-6 * max(1.0, slack.max(initial=0.0)))


def _solve(
    problem: Problem, *, elastic: bool, integral: bool = False
) -> NDArray[np.float64] | None:
    """Solve for the hidden cells; elastic: for what each relation misses."""
    from scipy.sparse import eye_array, hstack  # noqa: PLC0415

    hidden = np.flatnonzero(problem.hidden)
    matrix = problem.matrix[:, hidden].astype(np.float64).tocsc()
    rows, cells = matrix.shape
    lower, upper = problem.lower[hidden], problem.upper[hidden]
    cost = np.zeros(cells)
    if elastic:
        matrix = hstack([matrix, eye_array(rows), -eye_array(rows)], format="csc")
        lower = np.concatenate([lower, np.zeros(2 * rows)])
        upper = np.concatenate([upper, np.full(2 * rows, np.inf)])
        cost = np.concatenate([cost, np.ones(2 * rows)])
    right = problem.right_hand_side().astype(np.float64)
    x = _solution(matrix, (cost, lower, upper), right, integral=integral)
    if x is None or not elastic:
        return x
    missing: NDArray[np.float64] = x[cells : cells + rows] - x[cells + rows :]
    return missing


def _solution(
    matrix: csc_array,
    columns: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    right: NDArray[np.float64],
    *,
    integral: bool,
) -> NDArray[np.float64] | None:
    import highspy  # noqa: PLC0415

    from tacit.audit._simplex import new_solver, pass_program  # noqa: PLC0415

    matrix.sort_indices()
    starts, at = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    solver = new_solver()
    pass_program(solver, (starts, at, matrix.data), columns, right, integral=integral)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return np.array(solver.getSolution().col_value)
