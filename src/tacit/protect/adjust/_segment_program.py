# SPDX-License-Identifier: Apache-2.0
"""Safe segments as a program in whole numbers: moves up and down, and choices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tacit.protect._program import Program

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.adjust._segment_problem import SegmentProblem

__all__ = ["SegmentProgram", "program_of"]


class SegmentProgram(NamedTuple):
    """A program, and the way back from its columns to moves of cells.

    Columns are the moves up of ``cells``, their moves down, then the choices: choice k
    puts the cell at position ``owner[k]`` between the moves ``low[k]`` and
    ``high[k]``. Without ``placeable`` some cell has no segment within its ends.
    """

    program: Program
    problem: SegmentProblem
    cells: NDArray[np.int64]
    owner: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    placeable: bool

    def move(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """The move of every cell."""
        size = len(self.cells)
        move = np.zeros(len(self.problem), dtype=np.int64)
        move[self.cells] = values[:size] - values[size : 2 * size]
        return move

    def values(self, move: NDArray[np.int64]) -> NDArray[np.int64]:
        """A move as values of the columns."""
        mine = move[self.cells]
        inside = (self.low <= mine[self.owner]) & (mine[self.owner] <= self.high)
        _, chosen = np.unique(self.owner[inside], return_index=True)
        choice = np.zeros(len(self.low), dtype=np.int64)
        choice[np.flatnonzero(inside)[chosen]] = 1
        return np.concatenate([np.maximum(mine, 0), np.maximum(-mine, 0), choice])


def program_of(problem: SegmentProblem, cap: NDArray[np.int64]) -> SegmentProgram:
    """Let every cell that is not fixed move, each at most as far as its cap."""
    cells = np.flatnonzero(problem.movable).astype(np.int64)
    least = np.ceil(np.maximum(problem.least[cells], -cap[cells])).astype(np.int64)
    most = np.floor(np.minimum(problem.most[cells], cap[cells])).astype(np.int64)
    owner, low, high, placeable = _segments(problem, cells, least, most)
    matrix, right = _rows(problem, cells, (owner, low, high))
    weight = problem.weight[cells]
    ones = np.ones(len(low), dtype=np.int64)
    program = Program(
        matrix=matrix,
        row_lower=right[0],
        row_upper=right[1],
        lower=np.zeros(2 * len(cells) + len(low)),
        upper=np.concatenate([np.maximum(most, 0), np.maximum(-least, 0), ones]).astype(
            np.float64
        ),
        price=np.concatenate([weight, weight, np.zeros(len(low))]),
        choices=np.repeat([False, True], [2 * len(cells), len(low)]),
    )
    return SegmentProgram(program, problem, cells, owner, low, high, placeable)


def _segments(
    problem: SegmentProblem,
    cells: NDArray[np.int64],
    least: NDArray[np.int64],
    most: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], bool]:
    """Segments of the cells to place as moves, cut to what the cells can move."""
    place, segments = problem.place[cells], problem.segments
    mine = np.flatnonzero(place >= 0)
    counts = np.diff(segments.indptr)[place[mine]]
    owner = np.repeat(mine, counts)
    offset = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    at = segments.indptr[place[owner]] + offset
    value = problem.value[cells[owner]]
    low = np.maximum(segments.low[at] - value, least[owner])
    high = np.minimum(segments.high[at] - value, most[owner])
    kept = low <= high
    # A cell that cannot move must be safe where it is.
    still = ~problem.movable[problem.chosen]
    safe = segments.holds(problem.value[problem.chosen])
    placeable = len(np.unique(owner[kept])) == len(mine) and bool(safe[still].all())
    return owner[kept], low[kept], high[kept], placeable


def _rows(
    problem: SegmentProblem,
    cells: NDArray[np.int64],
    segments: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
) -> tuple[Any, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Relations; then of each placed cell the ends of its choice; then one choice."""
    from scipy.sparse import block_array, csr_array  # noqa: PLC0415 - beside its use

    owner, low, high = segments
    matrix = problem.columns[:, cells].tocsr().astype(np.int64)
    placed, which = np.unique(owner, return_inverse=True)
    at, shape = (which, np.arange(len(low))), (len(placed), len(low))
    of = (np.arange(len(placed)), placed)
    pick = csr_array(
        (np.ones(len(placed), np.int64), of), shape=(len(placed), len(cells))
    )
    one = csr_array((np.ones(len(low), np.int64), at), shape=shape)
    lows, highs = csr_array((low, at), shape=shape), csr_array((high, at), shape=shape)
    blocks = [[matrix, -matrix, None], [pick, -pick, -lows], [pick, -pick, -highs]]
    rows = block_array([*blocks, [None, None, one]], format="csr").astype(np.int64)
    none, ones = np.zeros(len(placed)), np.ones(len(placed))
    far, still = np.full(len(placed), np.inf), np.zeros(matrix.shape[0])
    ends = (
        np.concatenate([still, none, -far, ones]),
        np.concatenate([still, far, none, ones]),
    )
    return rows, ends
