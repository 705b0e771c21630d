# SPDX-License-Identifier: Apache-2.0
"""Every cell as a sum of the cells that are no total of anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Leaves", "leaves_of"]


class Leaves(NamedTuple):
    """Cells that are no total, and the matrix that sums them to every cell.

    ``alone`` tells whether they may be chosen freely: in linked tables the leaves of
    one table and those of another sum to the same totals, and may not.
    """

    cells: NDArray[np.int64]
    sums: csr_array
    alone: bool


def leaves_of(matrix: csr_array) -> Leaves:
    """Find the leaves of a system of relations.

    >>> leaves = leaves_of(csr_array(np.array([[-1, 1, 1, 0], [0, 0, -1, 1]])))
    >>> leaves.cells.tolist(), leaves.sums.toarray().tolist()
    ([1, 3], [[1, 1], [1, 0], [0, 1], [0, 1]])
    """
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    size = matrix.shape[1]
    total = matrix.data < 0
    # The first row of a total defines it; further ones follow, or are conditions.
    defines = np.full(size, -1, dtype=np.int64)
    defines[matrix.indices[total][::-1]] = rows[total][::-1]
    cells = np.flatnonzero(defines < 0)
    of_row = np.full(matrix.shape[0], -1, dtype=np.int64)
    of_row[defines[defines >= 0]] = np.flatnonzero(defines >= 0)
    part = ~total & (of_row[rows] >= 0)
    weights = matrix.data[part].astype(np.int64)
    places = (of_row[rows[part]], matrix.indices[part].astype(np.int64))
    step = csr_array((weights, places), shape=(size, size))
    sums = _summed(step, cells)
    alone = not np.any((matrix.astype(np.int64) @ sums).data)
    return Leaves(cells, sums, alone)


def _summed(step: csr_array, cells: NDArray[np.int64]) -> csr_array:
    """Go up level by level until the last totals."""
    size = step.shape[0]
    ones = np.ones(len(cells), dtype=np.int64)
    level = csr_array((ones, (cells, np.arange(len(cells)))), shape=(size, len(cells)))
    sums = level
    while level.nnz:
        level = csr_array(step @ level)
        sums = csr_array(sums + level)
    return sums
