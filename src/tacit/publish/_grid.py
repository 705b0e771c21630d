# SPDX-License-Identifier: Apache-2.0
"""Cells laid out in rows and columns, as people read tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.publish._view import View
    from tacit.table import Dimension

__all__ = ["Grid", "lay_out"]


@dataclass(frozen=True, eq=False)
class Grid:
    """Rows over all dimensions but the last, columns over the last.

    ``cell[r, c]`` is the index of the cell there, -1 where there is none.
    ``row_codes[d, r]`` and ``column_codes[c]`` are positions in the dimensions.
    ``rows`` counts those of the whole table, of which the first are laid out.
    """

    row_dimensions: tuple[Dimension, ...]
    column_dimension: Dimension | None
    row_codes: NDArray[np.int32]
    column_codes: NDArray[np.int32]
    cell: NDArray[np.int64]
    rows: int


def lay_out(view: View, most_cells: int) -> Grid:
    """Lay out the first rows of a view, as many as ``most_cells`` allow.

    A table of one dimension has a single column.
    """
    if len(view.dimensions) == 1:
        index = np.arange(min(len(view), most_cells)).reshape(-1, 1)
        none = np.zeros(1, dtype=np.int32)
        codes = view.codes[:, : len(index)]
        return Grid(view.dimensions, None, codes, none, index, len(view))
    row_of, starts = _rows(view.codes[:-1])
    columns, column_of = np.unique(view.codes[-1], return_inverse=True)
    shown = min(len(starts), max(1, most_cells // max(1, len(columns))))
    cell = np.full((shown, len(columns)), -1, dtype=np.int64)
    here = row_of < shown
    cell[row_of[here], column_of[here]] = np.flatnonzero(here)
    return Grid(
        row_dimensions=view.dimensions[:-1],
        column_dimension=view.dimensions[-1],
        row_codes=view.codes[:-1, starts[:shown]],
        column_codes=columns,
        cell=cell,
        rows=len(starts),
    )


def _rows(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the rows and find where each begins; cells come in order of codes."""
    new = np.ones(codes.shape[1], dtype=bool)
    new[1:] = (codes[:, 1:] != codes[:, :-1]).any(axis=0)
    return np.cumsum(new) - 1, np.flatnonzero(new)
