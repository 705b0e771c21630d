# SPDX-License-Identifier: Apache-2.0
"""Several published tables of the same data as one system over their common cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.audit._combinations import row_marks
from tacit.errors import InputError
from tacit.table import Relations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.audit._atoms import Axis
    from tacit.table import Table

__all__ = ["Common", "Source", "common_system"]

_MOST_CELLS = 20_000_000
_SHOWN = 4
# marks axes of one table apart from those of the next, within 16 bits
_MOST_AXES = 100
_SPLIT = 32_000


class Source(NamedTuple):
    """One table, and which of its cells are published."""

    name: str
    table: Table
    shown: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Common:
    """One column for every distinct set of finest cells that a table shows or splits.

    ``contains`` says which finest cells (the classes that no published table splits)
    make up a column, ``source`` and ``cell`` where it is published (or withheld; -1
    where no table shows it). ``hidden`` columns are published nowhere.
    """

    sources: tuple[Source, ...]
    axes: tuple[Axis, ...]
    relations: Relations
    contains: csr_array
    hidden: NDArray[np.bool_]
    published: NDArray[np.int64]
    source: NDArray[np.int64]
    cell: NDArray[np.int64]
    atoms: NDArray[np.int64]
    """Codes of the finest common cells, by axis."""
    group: NDArray[np.int64]
    """Which column's finest cell each of them belongs to."""
    leaves: NDArray[np.int64]
    """Leaf cell of each table that holds a class, -1 for none."""
    decimals: int

    def __len__(self) -> int:
        return len(self.hidden)

    def words_of(self, column: int) -> str:
        """Name a column: the table and the codes, or the finest classes."""
        if self.source[column] < 0:
            return f"({self._classes_in(column)})"
        source = self.sources[int(self.source[column])]
        labels = source.table.labels_of(int(self.cell[column]))
        totals = {d.name: d.total for d in source.table.dimensions}
        shown = [f"{k} = {v}" for k, v in labels.items() if v != totals[k]]
        return f"{source.name}({', '.join(shown) or 'total'})"

    def _classes_in(self, column: int) -> str:
        start, end = self.contains.indptr[column : column + 2]
        mine = np.isin(self.group, self.contains.indices[start:end])
        words = []
        for axis, codes in zip(self.axes, self.atoms, strict=True):
            held = np.unique(codes[mine])
            if len(held) < len(axis.atoms):
                names = [axis.atoms[a] for a in held[:_SHOWN].tolist()]
                more = len(held) - len(names)
                beyond = f" and {more} more" if more else ""
                words.append(f"{axis.name} = {' + '.join(names)}{beyond}")
        return ", ".join(words) or "all"

    def in_words(self, columns: NDArray[np.int64], factors: NDArray[np.int64]) -> str:
        """Write a combination of columns, those that are added first."""
        words = ""
        place = self.source[columns], self.cell[columns]
        order = np.lexsort((columns, *place[::-1], -factors))
        for c, factor in zip(columns[order], factors[order], strict=True):
            sign = "-" if factor < 0 else "+"
            times = "" if abs(factor) == 1 else f"{abs(int(factor))} x "
            words += f" {sign} {times}{self.words_of(int(c))}"
        return words.removeprefix(" + ").strip()


def common_system(sources: Sequence[Source], axes: tuple[Axis, ...]) -> Common:
    """Cut all tables into their finest common cells and stack what they say."""
    decimals = max(source.table.cells.decimals for source in sources)
    atoms, leaves = _finest(sources, axes)
    tuples, group = np.unique(leaves, axis=1, return_inverse=True)
    group = group.ravel()
    classes = tuples.shape[1]
    parts = [_within(s, leaf, classes) for s, leaf in zip(sources, tuples, strict=True)]
    stacked = _stack(parts, classes)
    marks = stacked @ row_marks(classes)
    distinct, first, column = np.unique(marks, return_index=True, return_inverse=True)
    column = column.ravel()
    owner, cell = _owners(sources, classes)
    found = _Columns(sources, len(distinct), column, (owner, cell))
    hidden, published = found.published(decimals)
    where = found.named()
    empty = distinct == 0
    hidden[empty] = False
    if published[empty].any():
        found.refuse_filled(int(where[empty][0]))
    return Common(
        tuple(sources),
        axes,
        _relations(sources, column, (stacked, len(distinct))),
        stacked[first],
        hidden,
        published,
        np.where(where >= 0, owner[where], -1),
        np.where(where >= 0, cell[where], -1),
        atoms,
        group,
        tuples,
        decimals,
    )


def _finest(
    sources: Sequence[Source], axes: tuple[Axis, ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Finest cells, and which leaf cell of each table holds them (-1 for none).

    A leaf cell that a table covers but does not hold is known to be empty, and so are
    the finest cells in it: they are left out.
    """
    size = int(np.prod([len(axis.atoms) for axis in axes], dtype=float))
    if size > _MOST_CELLS:
        message = (
            f"The tables have {size:,} finest cells in common, more than can be held "
            f"({_MOST_CELLS:,}). Compare fewer variables at a time, or tables in which "
            "those that do not differ are left at their total."
        )
        raise InputError(message)
    atoms = np.indices([len(axis.atoms) for axis in axes]).reshape(len(axes), -1)
    leaves = np.full((len(sources), atoms.shape[1]), -1, dtype=np.int64)
    for k, source in enumerate(sources):
        codes = {
            axis.name: axis.place[k][a] for axis, a in zip(axes, atoms, strict=True)
        }
        covered = np.all([code >= 0 for code in codes.values()], axis=0)
        own = np.stack([codes[name] for name in source.table.names])
        own[:, ~covered] = 0
        leaf = source.table.key_index.lookup(own.astype(np.int32))
        kept = ~covered | (leaf >= 0)
        leaves[k] = np.where(covered, leaf, -1)
        atoms, leaves = atoms[:, kept], leaves[:, kept]
    return atoms, leaves


def _within(source: Source, leaf: NDArray[np.int64], classes: int) -> csr_array:
    """Mark the classes in every cell of a table."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - heavy

    from tacit.table._contributions import _leaves_below  # noqa: PLC0415 - heavy

    table = source.table
    cells = np.arange(len(table), dtype=np.int64)
    held = np.unique(leaf[leaf >= 0])
    position, which = _leaves_below(table, held, cells)
    ones = np.ones(len(position), dtype=np.int64)
    below = csr_array((ones, (position, which)), shape=(len(table), len(held)))
    inside = np.flatnonzero(leaf >= 0)
    ones = np.ones(len(inside), dtype=np.int64)
    at = np.searchsorted(held, leaf[inside])
    inner = csr_array((ones, (at, inside)), shape=(len(held), classes))
    return csr_array(below @ inner)


def _stack(parts: list[csr_array], classes: int) -> csr_array:
    from scipy.sparse import eye_array, vstack  # noqa: PLC0415 - heavy

    one = eye_array(classes, dtype=np.int64, format="csr")
    stacked: csr_array = vstack([*parts, one], format="csr")
    return stacked


def _owners(
    sources: Sequence[Source], classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    sizes = [len(source.table) for source in sources]
    owner = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), [-1] * classes])
    cell = np.concatenate([*[np.arange(n) for n in sizes], np.arange(classes)])
    return owner.astype(np.int64), cell.astype(np.int64)


class _Columns:
    """Cells of all tables, gathered by the column that they are."""

    def __init__(
        self,
        sources: Sequence[Source],
        columns: int,
        column: NDArray[np.int64],
        origin: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> None:
        self.sources, self.columns, self.column = sources, columns, column
        self.owner, self.cell = origin
        none = np.zeros(int((self.owner < 0).sum()), dtype=bool)
        self.shown = np.concatenate([*[source.shown for source in sources], none])

    def named(self) -> NDArray[np.int64]:
        """Per column one cell that stands for it: published if any is; -1 if none."""
        where = np.full(self.columns, -1, dtype=np.int64)
        order = np.flatnonzero(self.owner >= 0)[::-1]
        order = order[np.argsort(self.shown[order], kind="stable")]
        where[self.column[order]] = order
        return where

    def published(self, decimals: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Columns that no table publishes, and what the others hold."""
        values = [
            s.table.cells.value * 10 ** (decimals - s.table.cells.decimals)
            for s in self.sources
        ]
        value = np.zeros(len(self.owner), dtype=np.int64)
        value[: sum(map(len, values))] = np.concatenate(values)
        hidden = np.ones(self.columns, dtype=bool)
        published = np.zeros(self.columns, dtype=np.int64)
        at = np.flatnonzero(self.shown)
        hidden[self.column[at]] = False
        published[self.column[at]] = value[at]
        wrong = at[published[self.column[at]] != value[at]]
        if len(wrong):
            self._refuse(int(wrong[0]))
        return hidden, published

    def refuse_filled(self, one: int) -> None:
        """Refuse a value where another table holds no cell."""
        message = (
            f"{self._named(one)} is published with a value, and another table has no "
            "cell there, so that it must be empty. Both cannot be tables of the same "
            "data. If one is of a part of the population, say which with within=."
        )
        raise InputError(message)

    def _named(self, i: int) -> str:
        source = self.sources[int(self.owner[i])]
        return f"'{source.name}' ({source.table.describe_cell(int(self.cell[i]))})"

    def _refuse(self, one: int) -> None:
        others = np.flatnonzero(self.shown & (self.column == self.column[one]))
        pair = [one, int(others[others != one][-1])]
        words = [self._named(i) for i in pair]
        message = (
            f"{words[0]} and {words[1]} are the same cell and publish different "
            "values, so the tables are not of the same data. If one is of a part of "
            "the population, say which with within=."
        )
        raise InputError(message)


def _relations(
    sources: Sequence[Source],
    column: NDArray[np.int64],
    sizes: tuple[csr_array, int],
) -> Relations:
    """Rows of all tables over the common columns, and what splits their leaf cells."""
    from scipy.sparse import csr_array, vstack  # noqa: PLC0415 - heavy

    columns = sizes[1]
    rows, total, dimension, tree = [], [], [], []
    offset = 0
    for k, source in enumerate(sources):
        own = source.table.relations
        mine = column[offset : offset + len(source.table)]
        matrix = own.matrix.astype(np.int64).tocoo()
        shape = (len(own), columns)
        at = (matrix.coords[0], mine[matrix.coords[1]])
        rows.append(csr_array((matrix.data, at), shape=shape))
        total.append(np.where(own.total >= 0, mine[own.total], -1))
        dimension.append(own.dimension.astype(np.int64) + _MOST_AXES * k)
        tree.append(own.tree)
        offset += len(source.table)
    parts, whole = _splits(sources, column, sizes)
    rows.append(parts)
    total.append(whole)
    dimension.append(np.full(len(whole), _SPLIT))
    tree.append(np.zeros(len(whole), dtype=np.int64))
    return Relations(
        vstack(rows, format="csr"),
        np.concatenate(dimension).astype(np.int16),
        np.concatenate(tree).astype(np.int32),
        np.concatenate(total).astype(np.int32),
    )


def _splits(
    sources: Sequence[Source],
    column: NDArray[np.int64],
    sizes: tuple[csr_array, int],
) -> tuple[csr_array, NDArray[np.int64]]:
    """Every leaf cell that a class does not fill alone is the sum of its classes."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - heavy

    stacked, columns = sizes
    fine = np.flatnonzero(_is_leaf(sources, stacked) & (np.diff(stacked.indptr) > 1))
    fine = fine[np.unique(column[fine], return_index=True)[1]]
    split = stacked[fine].tocoo()
    place = column[len(column) - stacked.shape[1] :]
    shape = (len(fine), columns)
    here = np.arange(len(fine))
    parts = csr_array((split.data, (split.coords[0], place[split.coords[1]])), shape)
    whole = csr_array((np.ones(len(fine), np.int64), (here, column[fine])), shape)
    return (parts - whole).tocsr(), column[fine]


def _is_leaf(sources: Sequence[Source], stacked: csr_array) -> NDArray[np.bool_]:
    """Cells at leaf codes of all dimensions of their table."""
    marks = []
    for source in sources:
        table = source.table
        leaf = np.ones(len(table), dtype=bool)
        for dimension, codes in zip(table.dimensions, table.cells.codes, strict=True):
            fine = np.zeros(len(dimension), dtype=bool)
            fine[dimension.leaves] = True
            leaf &= fine[codes]
        marks.append(leaf)
    rest = stacked.shape[0] - sum(map(len, marks))
    return np.concatenate([*marks, np.zeros(rest, dtype=bool)])
