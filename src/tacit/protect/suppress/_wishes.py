# SPDX-License-Identifier: Apache-2.0
"""Groups and combinations of cells, from how users name them to rows of cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError
from tacit.protect.suppress._solve import Wishes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.table import Table

__all__ = ["wishes_of"]


def wishes_of(
    table: Table,
    origin: NDArray[np.int64],
    groups: Sequence[Sequence[int | Mapping[str, str]]],
    combinations: Sequence[Sequence[int | Mapping[str, str]]],
) -> Wishes:
    """Find the cells that are named, among those of a problem."""
    place = np.full(len(table), -1, dtype=np.int64)
    place[origin] = np.arange(len(origin))
    sets = [_cells(table, place, group, "groups") for group in groups]
    sums = [_cells(table, place, sum_, "combinations") for sum_ in combinations]
    sums = [cells for cells in sums if len(cells)]
    return Wishes(
        groups=[cells for cells in sets if len(cells)],
        combinations=_rows(sums, len(origin)) if sums else None,
    )


def _cells(
    table: Table,
    place: NDArray[np.int64],
    named: Sequence[int | Mapping[str, str]],
    option: str,
) -> NDArray[np.int64]:
    """Give the cells of one group; empty cells are known and left out."""
    if isinstance(named, str | Mapping) or not hasattr(named, "__iter__"):
        message = (
            f"{option}= takes lists of cells, each named by its codes or its index: "
            f"{option}=[[{{'region': 'A1'}}, {{'region': 'B1'}}]]."
        )
        raise InputError(message)
    found = []
    for one in named:
        if isinstance(one, Mapping):
            found.append(table.find(one))
        elif isinstance(one, int | np.integer) and 0 <= one < len(table):
            found.append(int(one))
        else:
            message = (
                f"{option}= names a cell {one!r}, and the table has {len(table):,} "
                "cells, from 0. Name cells by their codes, or by their index."
            )
            raise InputError(message)
    cells: NDArray[np.int64] = np.unique(place[np.array(found, dtype=np.int64)])
    return cells[cells >= 0]


def _rows(sums: Sequence[NDArray[np.int64]], cells: int) -> csr_array:
    from scipy.sparse import csr_array  # noqa: PLC0415

    pointers = np.concatenate([[0], np.cumsum([len(one) for one in sums])])
    ones = np.ones(int(pointers[-1]), dtype=np.int64)
    return csr_array((ones, np.concatenate(sums), pointers), shape=(len(sums), cells))
