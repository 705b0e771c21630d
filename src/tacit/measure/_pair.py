# SPDX-License-Identifier: Apache-2.0
"""What a measure looks at: the table as it was, and as it is released."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError, suggest
from tacit.measure._impute import imputed
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.measure._impute import Imputation
    from tacit.protect import Release
    from tacit.table import Table

__all__ = ["Lines", "Pair", "interior_of", "pair_of"]


@dataclass(frozen=True, eq=False, repr=False)
class Lines:
    """Which line of a table each cell lies in: its row, or its column.

    ``of`` numbers the line of each cell from 0, ``codes`` are the codes that all cells
    of a line share, one column a line.
    """

    of: NDArray[np.int64]
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Cells in each line."""
        return np.bincount(self.of, minlength=len(self))

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum of ``values`` over each line."""
        found = np.bincount(self.of, weights=values, minlength=len(self))
        return found.astype(np.float64, copy=False)

    def take(self, which: NDArray[np.bool_]) -> Lines:
        """Keep some of the cells; a line may be left with none."""
        return Lines(self.of[which], self.codes)


@dataclass(frozen=True, eq=False, repr=False)
class Pair:
    """Original and released values of the interior cells, in published units.

    ``cells`` are their positions in the table. Columns of the table are the codes of
    one dimension, rows the combinations of codes of all others. ``withheld`` marks
    cells whose released value is imputed, ``total`` the original and the released
    grand total. All of it is confidential.
    """

    original: NDArray[np.float64]
    released: NDArray[np.float64]
    cells: NDArray[np.int64]
    withheld: NDArray[np.bool_]
    rows: Lines
    columns: Lines
    column_axis: int
    total: tuple[float, float]

    def __len__(self) -> int:
        return len(self.original)

    def __repr__(self) -> str:
        return f"<Pair: {len(self):,} interior cells, confidential>"

    @cached_property
    def change(self) -> NDArray[np.float64]:
        """Released minus original."""
        return self.released - self.original

    @cached_property
    def one_signed(self) -> bool:
        """Whether no value is below zero, as entropies and roots ask."""
        return bool((self.original >= 0).all() and (self.released >= 0).all())


def interior_of(table: Table) -> NDArray[np.int64]:
    """Find the cells that are the total of nothing: those that are summed.

    >>> import tacit
    >>> cells = {"sex": ["f", "m"], "n": [2, 30]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
    >>> interior_of(table).tolist()
    [1, 2]
    """
    if table.compiled is not None or table.equations is not None:
        inner = np.ones(len(table), dtype=bool)
        total = table.relations.total
        inner[total[total >= 0]] = False
        return np.flatnonzero(inner)
    inner = np.ones(len(table), dtype=bool)
    for codes, dimension in zip(table.cells.codes, table.dimensions, strict=True):
        leaf = np.zeros(len(dimension), dtype=bool)
        leaf[dimension.leaves] = True
        inner &= leaf[codes]
    return np.flatnonzero(inner)


def pair_of(
    release: Release, *, imputation: Imputation = "spread", columns: str | None = None
) -> Pair:
    """Lay original and release side by side.

    Args:
        release: The release.
        imputation: What stands for a withheld value.
        columns: The dimension whose codes are the columns; the last if not given.
    """
    table = release.table
    axis = _axis(table, columns)
    cells = interior_of(table)
    # Whether a cell that nobody stands behind has a row of its own means nothing.
    empty = release.state[cells] == State.EMPTY
    cells = cells[~empty | (release.published[cells] != table.cells.value[cells])]
    if not len(cells):
        message = (
            "This table has no interior cell with a value, so there is nothing to "
            "measure."
        )
        raise InputError(message)
    codes = table.cells.codes[:, cells]
    scale = float(10**table.cells.decimals)
    pair = Pair(
        original=table.cells.value[cells] / scale,
        released=release.published[cells] / scale,
        cells=cells,
        withheld=release.withheld[cells],
        rows=_lines(np.delete(codes, axis, axis=0)),
        columns=_lines(codes[[axis]]),
        column_axis=axis,
        total=(0.0, 0.0),
    )
    pair = imputed(release, pair, imputation)
    return _with_total(release, pair)


def _axis(table: Table, columns: str | None) -> int:
    if columns is None:
        return len(table.dimensions) - 1
    if columns not in table.names:
        message = (
            f"columns= names a dimension, and '{columns}' is none. "
            f"{suggest(columns, table.names)}"
        )
        raise InputError(message)
    return table.axis(columns)


def _lines(codes: NDArray[np.int32]) -> Lines:
    """Number the combinations of codes, in ascending order."""
    if not len(codes):
        return Lines(np.zeros(codes.shape[1], dtype=np.int64), codes[:, :1])
    key = np.zeros(codes.shape[1], dtype=np.int64)
    for row in codes:
        _, row_rank = np.unique(row, return_inverse=True)
        key = key * (int(row_rank.max(initial=0)) + 1) + row_rank
        # Renumbered each time, the key stays as small as there are cells.
        _, key = np.unique(key, return_inverse=True)
    first = np.unique(key, return_index=True)[1]
    return Lines(key.astype(np.int64), codes[:, first])


def _with_total(release: Release, pair: Pair) -> Pair:
    """Take the published grand total; the sum of the cells where there is none."""
    table, cell = release.table, -1
    if all(d.total is not None for d in table.dimensions) and table.compiled is None:
        top = [[d.position(d.total)] for d in table.dimensions if d.total is not None]
        cell = int(table.key_index.lookup(np.array(top, dtype=np.int32))[0])
    before, after = float(pair.original.sum()), float(pair.released.sum())
    if cell >= 0 and not release.withheld[cell]:
        scale = float(10**table.cells.decimals)
        before = float(table.cells.value[cell]) / scale
        after = float(release.published[cell]) / scale
    return replace(pair, total=(before, after))
