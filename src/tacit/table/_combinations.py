# SPDX-License-Identifier: Apache-2.0
"""Who stands behind sums and differences of cells, leaf by leaf. Confidential."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tacit.table._contributions import (
    Ragged,
    _blocks,
    _join,
    _leaf_slices,
    _leaves_below,
    _merge,
    _require,
    _times,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.table._table import Table

__all__ = ["Behind", "Leaves"]


class Behind(NamedTuple):
    """Contributions to some sums of leaf cells, and how many stand behind each.

    ``rows`` holds what each entity adds to a sum, with its sign. Who only stands in
    leaf cells that cancel out of a sum is not in it.
    """

    rows: Ragged
    units: NDArray[np.int64]
    records: NDArray[np.int64]


class Leaves:
    """The filled leaf cells of a table, numbered from 0, as columns to combine.

    >>> import numpy as np
    >>> from tacit import tabulate
    >>> records = {"sex": ["f", "m", "m"], "who": [1, 2, 3], "pay": [4, 5, 6]}
    >>> table = tabulate(records, by={"sex": "all"}, value="pay", unit="who")
    >>> leaves = Leaves(table)
    >>> below = leaves.below(np.arange(3))
    >>> below.toarray().tolist()
    [[1, 1], [1, 0], [0, 1]]
    >>> behind = leaves.behind(below[:1] - below[1:2])
    >>> behind.rows.value.tolist(), behind.units.tolist()
    ([6, 5], [2])
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.given = _require(table)
        self.cell, self.starts = _leaf_slices(self.given)

    def __len__(self) -> int:
        return len(self.cell)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Rows of contributions in each leaf cell."""
        return np.diff(self.starts)

    def below(self, cells: NDArray[np.integer[Any]]) -> csr_array:
        """Mark the leaf cells below each of some distinct cells: one row per cell."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - heavy

        order = np.argsort(cells)
        ascending = cells[order].astype(np.int64)
        position, which = _leaves_below(self.table, self.cell, ascending)
        ones = np.ones(len(which), dtype=np.int64)
        shape = (len(cells), len(self))
        return csr_array((ones, (order[position], which)), shape=shape)

    def behind(self, weights: csr_array) -> Behind:
        """Gather who stands behind sums of leaf cells: one row of weights per sum."""
        weights = weights.tocsr()
        weights.eliminate_zeros()
        sums = weights.shape[0]
        group = np.repeat(np.arange(sums), np.diff(weights.indptr))
        leaf = weights.indices.astype(np.int64)
        factor = weights.data.astype(np.int64)
        bounds = (self.starts[leaf], self.starts[leaf + 1])
        parts = []
        units, records = (np.zeros(sums, dtype=np.int64) for _ in range(2))
        for chosen, rows in _blocks(group, bounds):
            length = bounds[1][chosen] - bounds[0][chosen]
            owner = np.repeat(group[chosen], length)
            times = np.repeat(factor[chosen], length)
            parts.append(self._merged(owner, rows, times))
            units += self._units(owner, rows, sums)
            records += self._records(owner, rows, sums)
        joined = _join(parts, sums)
        if self.given.holding is None:
            units = joined.counts
        return Behind(joined, units, records)

    def _merged(
        self, owner: NDArray[np.int64], rows: NDArray[np.int64], times: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], dict[str, Any]]:
        given = self.given
        entity = given.unit if given.holding is None else given.holding
        columns: dict[str, Any] = {"value": _times(given.value[rows], times)}
        if given.size is not None:
            columns["size"] = _times(given.size[rows], np.abs(times))
        for name in ("waived", "request"):
            column = getattr(given, name)
            if column is not None:
                columns[name] = column[rows]
        return _merge(owner, entity[rows], columns)

    def _units(
        self, owner: NDArray[np.int64], rows: NDArray[np.int64], sums: int
    ) -> NDArray[np.int64]:
        """Count the distinct units behind each sum, where they are not the entities."""
        if self.given.holding is None:
            return np.zeros(sums, dtype=np.int64)
        unit = self.given.unit[rows]
        order = np.lexsort((unit, owner))
        owner, unit = owner[order], unit[order]
        new = np.ones(len(owner), dtype=bool)
        new[1:] = (owner[1:] != owner[:-1]) | (unit[1:] != unit[:-1])
        return np.bincount(owner[new], minlength=sums)

    def _records(
        self, owner: NDArray[np.int64], rows: NDArray[np.int64], sums: int
    ) -> NDArray[np.int64]:
        if self.given.records is None:
            return np.bincount(owner, minlength=sums)
        found = np.zeros(sums, dtype=np.int64)
        np.add.at(found, owner, self.given.records[rows])
        return found
