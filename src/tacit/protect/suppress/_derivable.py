# SPDX-License-Identifier: Apache-2.0
"""Sums of hidden cells that everybody can compute from what is published."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.table import Relations

__all__ = ["Derivable", "derivable", "marks_of"]

_SEED = 481_516


class Derivable(NamedTuple):
    """Rows over all cells: of hidden cells, and of the published ones they equal."""

    hidden: csr_array
    shown: csr_array


def derivable(
    relations: Relations,
    hidden: NDArray[np.bool_],
    *,
    cells: int = 6,
    rounds: int = 2,
    most: int = 200_000,
) -> Derivable:
    """Find what published cells give away: lines, unfolded lines, short chains.

    A line is a relation. Where hidden totals stand in it, they can be replaced by
    their parts along one classification and then along another. Two combinations that
    share a hidden cell can be joined without it; that is followed ``rounds`` times, as
    long as no more than ``cells`` hidden cells remain.

    >>> import numpy as np
    >>> from tacit import Table
    >>> cells = {"sex": ["all", "f", "m", "x"], "n": [9, 2, 3, 4]}
    >>> table = Table.from_cells(cells, by={"sex": "all"}, count="n")
    >>> found = derivable(table.relations, np.array([False, True, True, False]))
    >>> found.hidden.toarray().tolist(), found.shown.toarray().tolist()
    ([[0, 1, 1, 0]], [[-1, 0, 0, 1]])
    """
    from scipy.sparse import vstack  # noqa: PLC0415 - heavy

    matrix = relations.matrix.astype(np.int64)
    open_ = _columns(matrix, hidden)
    lines = matrix[np.flatnonzero(np.diff(open_.indptr))]
    marks = marks_of(matrix.shape[1])
    known = _Known(hidden, marks)
    found = [known.new(lines)]
    found += [known.new(step) for step in _unfolded(relations, matrix, hidden)]
    short = _short(found[0], hidden, cells)
    current = short
    for _ in range(rounds):
        current = known.new(_joined(current, short, hidden, cells))[:most]
        found.append(current)
    every = vstack(found, format="csr")
    return Derivable(_columns(every, hidden), _columns(every, ~hidden))


def marks_of(columns: int) -> NDArray[np.int64]:
    """Random odd numbers: rows with equal sums of them are equal, but for chance."""
    return np.random.default_rng(_SEED).integers(-(2**62), 2**62, columns) * 2 + 1


class _Known:
    """Combinations found so far, by their hidden cells, up to sign."""

    def __init__(self, hidden: NDArray[np.bool_], marks: NDArray[np.int64]) -> None:
        self.marks = np.where(hidden, marks, 0)
        self.seen = np.zeros(1, dtype=np.int64)

    def new(self, rows: csr_array) -> csr_array:
        mark = rows @ self.marks
        mark, first = np.unique(np.minimum(mark, -mark), return_index=True)
        fresh = ~np.isin(mark, self.seen, assume_unique=True)
        self.seen = np.union1d(self.seen, mark[fresh])
        return rows[np.sort(first[fresh])]


def _columns(matrix: csr_array, kept: NDArray[np.bool_]) -> csr_array:
    """Leave only some columns of a matrix, in their place."""
    matrix = matrix.copy()
    matrix.data = matrix.data * kept[matrix.indices]
    matrix.eliminate_zeros()
    return matrix


def _unfolded(
    relations: Relations, matrix: csr_array, hidden: NDArray[np.bool_]
) -> Iterator[csr_array]:
    """Replace hidden totals by their parts, along one classification, then another."""
    total = relations.total
    lines = matrix[np.flatnonzero((total >= 0) & ~hidden[total])]
    own = total >= 0
    axes = np.unique(
        np.stack([relations.dimension[own], relations.tree[own]]), axis=1
    ).T.tolist()
    for first in axes:
        for step in _along(relations, matrix, hidden, lines, first):
            yield step
            for second in axes:
                if second != first:
                    yield from _along(relations, matrix, hidden, step, second)


def _along(
    relations: Relations,
    matrix: csr_array,
    hidden: NDArray[np.bool_],
    rows: csr_array,
    axis: list[int],
) -> Iterator[csr_array]:
    """Unfold along one classification until there is nothing left to unfold."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - heavy

    total = relations.total
    mine = (relations.dimension == axis[0]) & (relations.tree == axis[1])
    at = np.flatnonzero(mine & (total >= 0))
    at = at[hidden[total[at]]]
    shape = (matrix.shape[1], matrix.shape[0])
    unfold = csr_array((np.ones(len(at), dtype=np.int64), (total[at], at)), shape=shape)
    while True:
        taken = (rows @ unfold).tocsr()
        taken.eliminate_zeros()
        moved = np.flatnonzero(np.diff(taken.indptr))
        if not len(moved):
            return
        rows = (rows[moved] + taken[moved] @ matrix).tocsr()
        rows.eliminate_zeros()
        yield rows


def _short(rows: csr_array, hidden: NDArray[np.bool_], cells: int) -> csr_array:
    size = np.diff(_columns(rows, hidden).indptr)
    return rows[np.flatnonzero((size > 0) & (size <= cells))]


def _joined(
    one: csr_array, other: csr_array, hidden: NDArray[np.bool_], cells: int
) -> csr_array:
    """Sums and differences in which a hidden cell cancels."""
    from scipy.sparse import vstack  # noqa: PLC0415 - heavy

    a, b = _columns(one, hidden).sign(), _columns(other, hidden).sign()
    shared = (abs(a) @ abs(b).T).tocoo()
    left, right = (c.astype(np.int64) for c in shared.coords)
    dot = np.asarray((a @ b.T).tocsr()[left, right]).ravel()
    union = np.diff(a.indptr)[left] + np.diff(b.indptr)[right] - shared.data
    parts = []
    for sign in (-1, 1):
        lost = (shared.data - sign * dot) // 2
        kept = np.flatnonzero((lost > 0) & (union - lost <= cells))
        rows = (one[left[kept]] + sign * other[right[kept]]).tocsr()
        rows.eliminate_zeros()
        parts.append(rows)
    joined: csr_array = vstack(parts, format="csr")
    return joined
