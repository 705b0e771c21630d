# SPDX-License-Identifier: Apache-2.0
"""Place one cell after the other where the totals above it are least disturbed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.adjust._segment_problem import SegmentProblem

__all__ = ["place_in_turn"]


def place_in_turn(
    problem: SegmentProblem,
    down: NDArray[np.int64],
    up: NDArray[np.int64],
    *,
    late: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Move each inner cell to its nearer safe number, in the order of the method.

    ``down`` and ``up`` are the moves to the safe numbers next to each of the chosen
    cells. Where one is nearer it is taken. Cells where both are as near, and those
    that are ``late`` (a single contributor), come after these: the former first, then
    the largest, each on the side on which the totals above, moved by all cells placed
    so far, move least; then the total of everything; then down.

    Totals that are sensitive themselves are not looked at.
    """
    place = np.flatnonzero(problem.inner[problem.chosen])
    far_down, far_up = -down[place], up[place]
    tied = (far_down == far_up) & (far_up > 0)
    waits = late[place] & (far_up > 0) | tied
    nearer = np.where(far_down <= far_up, down[place], up[place])
    move = np.zeros(len(problem), dtype=np.int64)
    cells = problem.chosen[place]
    move[cells[~waits]] = nearer[~waits]
    waiting = np.flatnonzero(waits)
    size = np.abs(problem.value[cells[waiting]])
    order = np.lexsort((cells[waiting], -size, late[place][waiting]))
    waiting = waiting[order]
    above = _totals_above(problem, cells[waiting])
    sums = problem.summed(move)
    move[cells[waiting]] = _in_turn(
        sums, above, down[place[waiting]], up[place[waiting]]
    )
    return problem.summed(move)


def _totals_above(
    problem: SegmentProblem, cells: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Every total of each cell: pointers, totals, and which are part of nothing."""
    matrix = problem.relations
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    negative = matrix.data < 0
    total = np.full(matrix.shape[0], -1, dtype=np.int64)
    total[row[negative]] = matrix.indices[negative]
    part, of = matrix.indices[~negative].astype(np.int64), row[~negative]
    order = np.argsort(part, kind="stable")
    above = total[of[order]]
    start = np.zeros(len(problem) + 1, dtype=np.int64)
    np.cumsum(np.bincount(part, minlength=len(problem)), out=start[1:])
    pairs = np.stack([np.arange(len(cells)), cells])
    found = [np.zeros((2, 0), dtype=np.int64)]
    while pairs.shape[1]:
        many = start[pairs[1] + 1] - start[pairs[1]]
        which = np.repeat(np.arange(pairs.shape[1]), many)
        offset = np.arange(len(which)) - np.repeat(np.cumsum(many) - many, many)
        higher = np.stack([pairs[0][which], above[start[pairs[1][which]] + offset]])
        pairs = np.unique(higher[:, higher[1] >= 0], axis=1)
        found.append(pairs)
    everything = np.unique(np.concatenate(found, axis=1), axis=1)
    pointers = np.zeros(len(cells) + 1, dtype=np.int64)
    np.cumsum(np.bincount(everything[0], minlength=len(cells)), out=pointers[1:])
    top = start[everything[1] + 1] == start[everything[1]]
    return pointers, everything[1], top


def _in_turn(
    sums: NDArray[np.int64],
    above: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]],
    down: NDArray[np.int64],
    up: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Decide the cells one after the other: each changes what the next one finds."""
    from tacit.protect.adjust._kernels_greedy import decide  # noqa: PLC0415 - numba

    pointers, totals, top = above
    found: NDArray[np.int64] = decide(sums.copy(), pointers, totals, top, down, up)
    return found
