# SPDX-License-Identifier: Apache-2.0
"""Who stands alone behind a cell, where contributors may have no names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.table._table import Table

__all__ = ["sole_owners"]


def sole_owners(table: Table, contributors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the only contributor of each cell; -1 where there are none or several.

    Where contributors have no names, cells of one contributor have the same one if
    one is a total of the other: a total with a single contributor has no other parts.

    >>> from tacit.table import Table
    >>> cells = {"sex": ["f", "m"], "n": [1, 0]}
    >>> table = Table.from_cells(cells, by={"sex": "all"}, count="n")
    >>> sole_owners(table, table.evidence.contributors).tolist()
    [0, 0, -1]
    """
    alone = contributors == 1
    evidence = table.evidence
    if evidence is not None and evidence.entities is not None:
        return np.where(alone, evidence.entities[:, 0], -1).astype(np.int64)
    return np.where(alone, _first_of_same(table, alone), -1)


def _first_of_same(table: Table, alone: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each cell the first one that must have the same single contributor."""
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    n = len(table)
    if not alone.any():
        return np.arange(n)
    matrix = table.relations.matrix
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    above = matrix.data < 0
    single = np.bincount(row[above], minlength=matrix.shape[0]) == 1
    total = np.full(matrix.shape[0], -1, dtype=np.int64)
    total[row[above]] = matrix.indices[above]
    use = ~above & single[row] & alone[matrix.indices] & alone[total[row]]
    pairs = (total[row[use]], matrix.indices[use])
    links = csr_array((np.ones(int(use.sum()), np.int8), pairs), shape=(n, n))
    _, group = connected_components(links, directed=False)
    first = np.full(n, n, dtype=np.int64)
    np.minimum.at(first, group, np.arange(n))
    return first[group]
