# SPDX-License-Identifier: Apache-2.0
"""Compile the hierarchies of a table into its relations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tacit.errors import InputError
from tacit.table._relations import Equations, Relations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.table._dimension import Dimension
    from tacit.table._keys import KeyIndex
    from tacit.table._table import Table

__all__ = ["build_relations", "distinct_parents", "parent_cells"]

_Int = TypeVar("_Int", bound="np.integer[Any]")

_INT32_MAX = 2**31 - 1


@dataclass(frozen=True, eq=False)
class _Block:
    """The relations of one tree of one dimension, as rows of a sparse matrix."""

    indices: NDArray[np.int32]
    lengths: NDArray[np.int64]
    total: NDArray[np.int32]


def build_relations(table: Table) -> Relations:
    """Collect every relation that the hierarchies and equations of a table imply.

    One row for each held total, dimension and tree with a part that is held: -1 at
    the total, +1 at the parts. Parts that are not held are known to be empty. Rows
    are ordered by dimension, tree and total.

    >>> from tacit import Table
    >>> cells = {"sex": ["all", "f", "m"], "n": [5, 2, 3]}
    >>> table = Table.from_cells(cells, by={"sex": "all"}, count="n")
    >>> build_relations(table).matrix.toarray().tolist()
    [[-1, 1, 1]]
    """
    blocks: list[_Block] = []
    dimension: list[NDArray[np.int16]] = []
    tree: list[NDArray[np.int32]] = []
    for d, axis in enumerate(table.dimensions):
        for t in range(len(axis.hierarchies)):
            block = _tree_block(table, d, t)
            blocks.append(block)
            dimension.append(np.full(len(block.total), d, dtype=np.int16))
            tree.append(np.full(len(block.total), t, dtype=np.int32))
    matrix = _stack(blocks, len(table))
    total = _join([block.total for block in blocks], np.int32)
    relations = Relations(
        matrix,
        _join(dimension, np.int16),
        _join(tree, np.int32),
        total,
        dimensions=table.dimensions,
        codes=table.cells.codes,
    )
    return _with_equations(relations, table.equations)


def distinct_parents(dimension: Dimension) -> tuple[NDArray[np.int32], ...]:
    """Parents by tree, without the sums that an earlier tree says already."""
    kept: list[NDArray[np.int32]] = []
    for t, parents in enumerate(dimension.parents):
        mine = parents.copy()
        for earlier in dimension.parents[:t]:
            both = (parents == earlier) & (parents >= 0)
            counts = [
                np.bincount(array[array >= 0], minlength=len(dimension))
                for array in (parents, earlier, np.where(both, parents, -1))
            ]
            same = (counts[0] == counts[2]) & (counts[1] == counts[2])
            mine[same[parents] & (parents >= 0)] = -1
        kept.append(mine)
    return tuple(kept)


def parent_cells(
    index: KeyIndex, codes: NDArray[np.int32], d: int, parents: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cells that have a parent along one tree, and the cell of that parent or -1."""
    above = parents[codes[d]]
    part = np.flatnonzero(above >= 0)
    strides = index.strides
    if strides is not None:
        step = (above[part] - codes[d, part]).astype(np.int64)
        return part, index.find(index.keys[part] + step * strides[d])
    wanted = codes[:, part]
    wanted[d] = above[part]
    return part, index.lookup(wanted)


def _tree_block(table: Table, d: int, t: int) -> _Block:
    codes = table.cells.codes
    parents = distinct_parents(table.dimensions[d])[t]
    part, above = parent_cells(table.key_index, codes, d, parents)
    if (above < 0).any():
        _refuse_missing_parent(table, d, t, int(part[np.argmax(above < 0)]))
    lengths = np.bincount(above, minlength=len(table))
    total = np.flatnonzero(lengths)
    lengths = lengths[total] + 1
    # Counting sort by total: parts arrive in ascending order and stay so.
    indices = np.empty(len(part) + len(total), dtype=np.int32)
    starts = np.cumsum(lengths) - lengths
    indices[starts] = total
    is_part = np.ones(len(indices), dtype=bool)
    is_part[starts] = False
    indices[is_part] = part[_stable_order(above)]
    return _Block(indices, lengths, total.astype(np.int32))


def _stable_order(above: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order by total; numpy sorts by radix only in 16 bits, so go in two passes."""
    if not len(above):
        return above
    low = np.argsort((above & 0xFFFF).astype(np.uint16), kind="stable")
    if int(above.max()) <= 0xFFFF:  # noqa: PLR2004 - one digit is enough
        return low
    high = (above >> 16).astype(np.uint16)[low]
    return low[np.argsort(high, kind="stable")]


def _stack(blocks: list[_Block], n_cells: int) -> csr_array[np.int8]:
    from scipy.sparse import csr_array  # noqa: PLC0415 - heavy, only where needed

    indices = _join([block.indices for block in blocks], np.int32)
    lengths = _join([block.lengths for block in blocks], np.int64)
    total = _join([block.total for block in blocks], np.int32)
    wide = np.int64 if len(indices) > _INT32_MAX else np.int32
    indptr = np.zeros(len(lengths) + 1, dtype=wide)
    np.cumsum(lengths, out=indptr[1:])
    data = np.ones(len(indices), dtype=np.int8)
    data[indptr[:-1]] = -1
    held: tuple[NDArray[Any], ...] = (data, indices.astype(wide, copy=False), indptr)
    matrix: csr_array[np.int8] = csr_array(held, shape=(len(total), n_cells))
    matrix.sort_indices()
    return matrix


def _join(arrays: Sequence[NDArray[_Int]], dtype: type[_Int]) -> NDArray[_Int]:
    return np.concatenate([np.zeros(0, dtype=dtype), *arrays])


def _with_equations(relations: Relations, equations: Equations | None) -> Relations:
    if equations is None or not len(equations):
        return relations
    from scipy.sparse import vstack  # noqa: PLC0415 - heavy, only where needed

    count = len(equations)
    matrix = vstack([relations.matrix, equations.matrix], format="csr")
    matrix.sort_indices()
    none = np.full(count, -1)
    return Relations(
        matrix,
        np.append(relations.dimension, none).astype(np.int16),
        np.append(relations.tree, np.arange(count)).astype(np.int32),
        np.append(relations.total, none).astype(np.int32),
        dimensions=relations.dimensions,
        codes=relations.codes,
        words=equations.words,
    )


def _refuse_missing_parent(table: Table, d: int, t: int, cell: int) -> None:
    axis = table.dimensions[d]
    codes = table.cells.codes[:, cell]
    parent = axis.codes[axis.parents[t][codes[d]]]
    where = ", ".join(f"{k} = {v}" for k, v in table.labels_of(cell).items())
    message = (
        f"The cell ({where}) is held, but not the one above it in '{axis.name}', "
        f"'{parent}'. Without its total a part has no relation, and the protection "
        "would have a hole there. Build the table with Table.from_cells, which makes "
        "the totals that are missing, or add that row."
    )
    raise InputError(message)
