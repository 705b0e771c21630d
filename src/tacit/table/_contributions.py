# SPDX-License-Identifier: Apache-2.0
"""Who stands behind a cell, or behind any sum of cells. Confidential."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from tacit.table._cells import Contributions
    from tacit.table._table import Table

__all__ = ["Ragged", "combine_contributions", "contributions_of"]

_BLOCK_ROWS = 1 << 21
_SAFE_SUM = 2**62
_NO_REQUEST = 255


@dataclass(frozen=True, eq=False, repr=False)
class Ragged:
    """Contributions by group: those of group g are at ``indptr[g]:indptr[g + 1]``.

    One row for each entity of a group (holding if given, else unit), descending by
    absolute value, ties by entity. Amounts are scaled like the cells. An entity is
    waived where all its units are; its request is the lowest flag among them.
    """

    indptr: NDArray[np.int64]
    entity: NDArray[np.int64]
    value: NDArray[np.int64]
    weighted: NDArray[np.float64] | None = None
    weight: NDArray[np.float64] | None = None
    size: NDArray[np.int64] | None = None
    waived: NDArray[np.bool_] | None = None
    request: NDArray[np.uint8] | None = None

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __repr__(self) -> str:
        return f"<Ragged: {len(self.entity):,} rows in {len(self):,} groups>"

    @property
    def counts(self) -> NDArray[np.int64]:
        """Entities in each group."""
        return np.diff(self.indptr)

    @property
    def group(self) -> NDArray[np.int64]:
        """Group of each row."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.counts)

    def largest(self, k: int) -> NDArray[np.int64]:
        """The k largest absolute values of each group, padded with 0.

        >>> import numpy as np
        >>> entity, value = np.array([7, 8, 7]), np.array([-5, 2, 4])
        >>> rows = Ragged(np.array([0, 2, 3]), entity, value)
        >>> rows.largest(2).tolist()
        [[5, 2], [4, 0]]
        """
        rank = np.arange(len(self.entity)) - np.repeat(self.indptr[:-1], self.counts)
        shown = rank < k
        table = np.zeros((len(self), k), dtype=np.int64)
        table[self.group[shown], rank[shown]] = np.abs(self.value[shown])
        return table


def contributions_of(table: Table, cells: NDArray[np.integer[Any]]) -> Ragged:
    """Gather all contributions of each given cell, merged per entity inside it.

    Cells may be totals: whatever lies in the leaf cells below them is merged.
    """
    given = _require(table)
    cells = np.asarray(cells, dtype=np.int64)
    distinct, group = np.unique(cells, return_inverse=True)
    leaf, starts = _leaf_slices(given)
    position, which = _leaves_below(table, leaf, distinct)
    merged = _gather(given, position, (starts[which], starts[which + 1]), len(distinct))
    if len(distinct) == len(cells) and (group == np.arange(len(cells))).all():
        return merged
    return _take(merged, group)


def combine_contributions(
    table: Table,
    indptr: NDArray[np.integer[Any]],
    cells: NDArray[np.integer[Any]],
    coefficients: NDArray[np.integer[Any]],
) -> Ragged:
    """Gather the contributions to sums of cells: what each entity adds, signed.

    Sum g is of ``coefficients[i] * cells[i]`` for i in ``indptr[g]:indptr[g + 1]``.
    An entity that cancels out stays, with value 0.
    """
    distinct, which = np.unique(np.asarray(cells, dtype=np.int64), return_inverse=True)
    base = contributions_of(table, distinct)
    indptr = np.asarray(indptr, dtype=np.int64)
    group = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    factor = np.asarray(coefficients, dtype=np.int64)
    bounds = (base.indptr[which], base.indptr[which + 1])
    blocks = []
    for chosen, rows in _blocks(group, bounds):
        times = np.repeat(factor[chosen], bounds[1][chosen] - bounds[0][chosen])
        columns: dict[str, Any] = {"value": _times(base.value[rows], times)}
        if base.weighted is not None:
            columns["weighted"] = base.weighted[rows] * times
        if base.waived is not None:
            columns["waived"] = base.waived[rows]
        owner = np.repeat(group[chosen], bounds[1][chosen] - bounds[0][chosen])
        blocks.append(_merge(owner, base.entity[rows], columns))
    return _join(blocks, len(indptr) - 1)


def _require(table: Table) -> Contributions:
    if table.contributions is None:
        message = (
            "This needs the single contributions, and the table knows none: it was "
            "given as finished cells. Tabulate it from microdata."
        )
        raise InputError(message)
    return table.contributions


def _leaf_slices(
    given: Contributions,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Leaf cells that have contributions, and where their rows start."""
    first = np.ones(len(given), dtype=bool)
    first[1:] = given.leaf[1:] != given.leaf[:-1]
    starts = np.append(np.flatnonzero(first), len(given)).astype(np.int64)
    return given.leaf[starts[:-1]].astype(np.int64), starts


def _leaves_below(
    table: Table, leaf: NDArray[np.int64], wanted: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs (position in ``wanted``, position in ``leaf``) of cells and leaves below.

    Cells at the same level of every dimension are found together: one map from
    leaf codes to the codes at that level, then a search for the keys.
    """
    codes = table.cells.codes
    level = np.stack(
        [
            _rollup_of(dimension.rollups, len(dimension))[codes[d, wanted]]
            for d, dimension in enumerate(table.dimensions)
        ]
    )
    levels, combination = np.unique(level, axis=1, return_inverse=True)
    found: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for c in range(levels.shape[1]):
        mine = np.flatnonzero(combination.ravel() == c)
        found.append(_below_at(table, leaf, wanted[mine], levels[:, c]))
        found[-1] = (mine[found[-1][0]], found[-1][1])
    position = np.concatenate([np.zeros(0, dtype=np.int64), *(p for p, _ in found)])
    which = np.concatenate([np.zeros(0, dtype=np.int64), *(w for _, w in found)])
    order = np.argsort(position, kind="stable")
    return position[order], which[order]


def _below_at(
    table: Table,
    leaf: NDArray[np.int64],
    wanted: NDArray[np.int64],
    level: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    codes = table.cells.codes
    which = np.arange(len(leaf), dtype=np.int64)
    for d, dimension in enumerate(table.dimensions):
        ancestor = dimension.rollups[level[d]].ancestor
        needed = np.zeros(len(dimension) + 1, dtype=bool)
        needed[codes[d, wanted]] = True
        which = which[needed[ancestor[codes[d, leaf[which]]]]]
    above = np.stack(
        [
            dimension.rollups[level[d]].ancestor[codes[d, leaf[which]]]
            for d, dimension in enumerate(table.dimensions)
        ]
    )
    cell = table.key_index.lookup(above)
    position = np.minimum(np.searchsorted(wanted, cell), len(wanted) - 1)
    hit = wanted[position] == cell
    return position[hit], which[hit]


def _rollup_of(rollups: Any, size: int) -> NDArray[np.int64]:  # noqa: ANN401 - of Dimension
    """The rollup that each code belongs to."""
    owner = np.zeros(size, dtype=np.int64)
    for number, rollup in enumerate(rollups):
        owner[rollup.ancestor[rollup.ancestor >= 0]] = number
    return owner


def _gather(
    given: Contributions,
    position: NDArray[np.int64],
    bounds: tuple[NDArray[np.int64], NDArray[np.int64]],
    groups: int,
) -> Ragged:
    entity = given.unit if given.holding is None else given.holding
    blocks = []
    for chosen, rows in _blocks(position, bounds):
        owner = np.repeat(position[chosen], bounds[1][chosen] - bounds[0][chosen])
        columns = {
            name: column[rows]
            for name in _REDUCERS
            if (column := getattr(given, name)) is not None
        }
        blocks.append(_merge(owner, entity[rows], columns))
    return _join(blocks, groups)


def _blocks(
    group: NDArray[np.int64], bounds: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Split slices into blocks of whole groups that fit in memory.

    Yields the slices of a block and the rows that they hold. ``group`` ascends.
    """
    lengths = bounds[1] - bounds[0]
    if not len(group):
        return
    first = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    rows_before = np.cumsum(lengths) - lengths
    block = rows_before[first] // _BLOCK_ROWS
    cuts = first[np.flatnonzero(np.append(True, block[1:] != block[:-1]))]
    for start, end in zip(cuts, np.append(cuts[1:], len(group)), strict=True):
        chosen = np.arange(start, end)
        length = lengths[chosen]
        offset = np.arange(int(length.sum())) - np.repeat(
            np.cumsum(length) - length, length
        )
        yield chosen, np.repeat(bounds[0][chosen], length) + offset


def _merge(
    group: NDArray[np.int64], entity: NDArray[np.int64], columns: dict[str, Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], dict[str, Any]]:
    """Add up the rows of one entity in one group; largest first inside the group."""
    if not len(group):
        return group, entity, columns
    order = _order(group, entity)
    group, entity = group[order], entity[order]
    new = np.ones(len(group), dtype=bool)
    new[1:] = (group[1:] != group[:-1]) | (entity[1:] != entity[:-1])
    starts = np.flatnonzero(new)
    merged = {
        name: _REDUCERS[name](column[order], starts) for name, column in columns.items()
    }
    group, entity = group[starts], entity[starts]
    down = _largest_first(group, np.abs(merged["value"]))
    return group[down], entity[down], {n: c[down] for n, c in merged.items()}


def _largest_first(
    group: NDArray[np.int64], size: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Order rows inside their groups by size; ties stay in the order that they have.

    One key for both sorts three times as fast as two, where it fits.
    """
    span = int(size.max()) + 1
    first, last = int(group[0]), int(group[-1])
    if (last - first + 1) * span < _SAFE_SUM:
        return np.argsort((group - first) * span + (span - 1 - size), kind="stable")
    return np.lexsort((-size, group))


def _order(group: NDArray[np.int64], entity: NDArray[np.int64]) -> NDArray[np.int64]:
    low, high = int(entity.min()), int(entity.max())
    span = high - low + 1
    first, last = int(group[0]), int(group[-1])
    if (last - first + 1) * span < _SAFE_SUM:
        return np.argsort((group - first) * span + (entity - low), kind="stable")
    return np.lexsort((entity, group))


def _join(
    blocks: list[tuple[NDArray[np.int64], NDArray[np.int64], dict[str, Any]]],
    groups: int,
) -> Ragged:
    none = np.zeros(0, dtype=np.int64)
    group = np.concatenate([none, *(block[0] for block in blocks)])
    entity = np.concatenate([none, *(block[1] for block in blocks)])
    names = blocks[0][2] if blocks else {"value": none}
    columns: dict[str, Any] = {
        name: np.concatenate([block[2][name] for block in blocks]) if blocks else none
        for name in names
    }
    indptr = np.zeros(groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(group, minlength=groups), out=indptr[1:])
    return Ragged(indptr, entity, **columns)


def _take(rows: Ragged, group: NDArray[np.int64]) -> Ragged:
    """Repeat whole groups, in the order asked for."""
    counts = rows.counts[group]
    indptr = np.zeros(len(group) + 1, dtype=np.int64)
    np.cumsum(counts, out=indptr[1:])
    offset = np.arange(int(indptr[-1])) - np.repeat(indptr[:-1], counts)
    at = np.repeat(rows.indptr[group], counts) + offset
    columns = {
        name: column[at]
        for name in _REDUCERS
        if (column := getattr(rows, name)) is not None
    }
    return Ragged(indptr, rows.entity[at], **columns)


def _sum(column: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    sums: NDArray[Any] = np.add.reduceat(column, starts)
    if column.dtype.kind == "i":
        rough = np.add.reduceat(np.abs(column.astype(np.float64)), starts)
        if (rough >= _SAFE_SUM).any():
            message = (
                "The contributions of one entity do not fit in 64 bits. Use fewer "
                "decimals or larger units (thousands)."
            )
            raise InputError(message)
    return sums


def _all(column: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    every: NDArray[Any] = np.logical_and.reduceat(column, starts)
    return every


def _lowest_request(column: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    flags = np.where(column == 0, _NO_REQUEST, column).astype(np.uint8)
    lowest: NDArray[Any] = np.minimum.reduceat(flags, starts)
    lowest[lowest == _NO_REQUEST] = 0
    return lowest


def _times(values: NDArray[np.int64], factors: NDArray[np.int64]) -> NDArray[np.int64]:
    rough = np.abs(values.astype(np.float64) * factors)
    if (rough >= _SAFE_SUM).any():
        message = "A sum of cells does not fit in 64 bits. Use larger units."
        raise InputError(message)
    return values * factors


_REDUCERS: dict[str, Callable[[NDArray[Any], NDArray[np.int64]], NDArray[Any]]] = {
    "value": _sum,
    "weighted": _sum,
    "weight": _sum,
    "size": _sum,
    "waived": _all,
    "request": _lowest_request,
}
