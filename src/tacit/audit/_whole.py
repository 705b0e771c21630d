# SPDX-License-Identifier: Apache-2.0
"""Witnesses in whole numbers, where linear programs give fractions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.audit._problem import Problem

__all__ = ["whole_multiple", "whole_witness"]

_DENOMINATORS = 60
_NEAR = 1e-6
_SECONDS = 20.0


def whole_multiple(
    problem: Problem, cells: NDArray[np.integer], z: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The largest whole-number vector along z that fits; zeros if there is none.

    Solutions of these programs are ratios of small numbers, so that a small multiple
    of the direction is whole.
    """
    nothing = np.zeros(len(z))
    moved = np.abs(z) > _NEAR
    if not moved.any():
        return nothing
    unit = z / np.abs(z[moved]).min()
    for k in range(1, _DENOMINATORS + 1):
        whole = np.rint(unit * k)
        if (np.abs(unit * k - whole) <= _NEAR * k).all():
            whole /= np.gcd.reduce(np.abs(whole).astype(np.int64))
            break
    else:
        return nothing
    if (problem.matrix[:, cells].astype(np.int64) @ whole.astype(np.int64)).any():
        return nothing
    value = problem.published if problem.value is None else problem.value
    room = np.where(whole > 0, problem.upper[cells], problem.lower[cells])
    at = whole != 0
    times = np.floor(((room - value[cells])[at] / whole[at]).min())
    reached = np.floor(np.abs(z[at] / whole[at]).max() + _NEAR)
    if np.isinf(times):
        times = reached
    vector: NDArray[np.float64] = whole * max(0.0, min(times, max(reached, 1.0)))
    return vector


def whole_witness(
    problem: Problem, cell: int, side: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Move one cell up (side 0) or down as far as it goes, whole if so is the table."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415

    cells = _component(problem, cell)
    matrix = problem.matrix[:, cells].tocsr().astype(np.float64)
    matrix = matrix[np.flatnonzero(np.diff(matrix.indptr))]
    value = problem.published if problem.value is None else problem.value
    bounds = Bounds(
        problem.lower[cells] - value[cells], problem.upper[cells] - value[cells]
    )
    solve: Any = milp
    found = solve(
        (cells == cell) * (-1.0 if side == 0 else 1.0),
        integrality=np.full(len(cells), int(problem.integral)),
        bounds=bounds,
        constraints=LinearConstraint(matrix, 0.0, 0.0) if matrix.shape[0] else None,
        options={"time_limit": _SECONDS},
    )
    if found.x is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    z = np.rint(found.x) if problem.integral else found.x
    moved = np.flatnonzero(z)
    return cells[moved], z[moved]


def _component(problem: Problem, cell: int) -> NDArray[np.int64]:
    """Hidden cells that are connected with this one by relations."""
    from scipy.sparse import block_array  # noqa: PLC0415
    from scipy.sparse.csgraph import breadth_first_order  # noqa: PLC0415

    hidden = np.flatnonzero(problem.hidden)
    links = abs(problem.matrix[:, hidden].astype(np.int64))
    graph: Any = block_array([[None, links.T], [links, None]], format="csr")
    start = int(np.searchsorted(hidden, cell))
    reached = breadth_first_order(
        graph, start, directed=False, return_predecessors=False
    )
    part: NDArray[np.int64] = hidden[np.sort(reached[reached < len(hidden)])]
    return part
