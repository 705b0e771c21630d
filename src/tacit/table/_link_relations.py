# SPDX-License-Identifier: Apache-2.0
"""Carry the relations of linked tables over to their common cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import AdditivityError
from tacit.table._keys import KeyIndex
from tacit.table._relations import Relations

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.table._link_axes import Axis
    from tacit.table._table import Table

__all__ = ["Carried", "carry", "check_sums", "equation_rows", "join_relations"]

_SHOWN = 5
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Carried:
    """Relations as rows over the common cells, with what they say."""

    data: NDArray[np.int8]
    indices: NDArray[np.int64]
    lengths: NDArray[np.int64]
    dimension: NDArray[np.int16]
    tree: NDArray[np.int32]
    total: NDArray[np.int32]
    words: tuple[str, ...] = ()


def carry(
    table: Table, place: NDArray[np.int64], axes: Sequence[Axis], i: int
) -> Carried:
    """Take the relations of table i to the common cells."""
    relations = table.relations
    dimension = np.full(len(relations), -1, dtype=np.int16)
    tree = relations.tree.copy()
    for d, axis in enumerate(axes):
        if axis.source[i] < 0:
            continue
        mine = relations.dimension == axis.source[i]
        dimension[mine] = d
        trees = np.array([*axis.trees[i], 0], dtype=np.int32)
        tree[mine] = trees[relations.tree[mine]]
    matrix = relations.matrix
    total = np.append(place, -1)[relations.total].astype(np.int32)
    return Carried(
        data=matrix.data,
        indices=place[matrix.indices],
        lengths=np.diff(matrix.indptr).astype(np.int64),
        dimension=dimension,
        tree=tree,
        total=total,
        words=relations.words,
    )


def join_relations(
    parts: Sequence[Carried], axes: Sequence[Axis], codes: NDArray[np.int32]
) -> Relations:
    """Put all relations into one matrix, each said once."""
    words: list[str] = []
    trees: list[NDArray[np.int32]] = []
    for part in parts:
        shift = np.where(part.dimension < 0, len(words), 0)
        trees.append((part.tree + shift).astype(np.int32))
        words.extend(part.words)
    matrix = _matrix(parts, codes.shape[1])
    dimension = np.concatenate([part.dimension for part in parts])
    tree = np.concatenate(trees)
    total = np.concatenate([part.total for part in parts])
    keep = _first_of_each(matrix)
    if len(keep) < len(total):
        matrix = matrix[keep]
        dimension, tree, total = dimension[keep], tree[keep], total[keep]
    return Relations(
        matrix,
        dimension,
        tree,
        total,
        dimensions=tuple(axis.dimension for axis in axes),
        codes=codes,
        words=tuple(words),
    )


def _matrix(parts: Sequence[Carried], n_cells: int) -> csr_array[np.int8]:
    from scipy.sparse import csr_array  # noqa: PLC0415 - heavy, only where needed

    lengths = np.concatenate([part.lengths for part in parts])
    indptr = np.append(0, np.cumsum(lengths))
    held: tuple[NDArray[Any], ...] = (
        np.concatenate([part.data for part in parts]),
        np.concatenate([part.indices for part in parts]),
        indptr,
    )
    matrix: csr_array[np.int8] = csr_array(held, shape=(len(lengths), n_cells))
    matrix.sort_indices()
    return matrix


def _first_of_each(matrix: csr_array[np.int8]) -> NDArray[np.int64]:
    """Rows that no earlier row says already; sums of mixed numbers find candidates."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    marks = _mixed(matrix.indices.astype(np.uint64))
    marks *= matrix.data.astype(np.int64).view(np.uint64)
    sums = np.zeros(matrix.shape[0], dtype=np.uint64)
    np.add.at(sums, rows, marks)
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    model = first[which]
    again = np.flatnonzero(model != np.arange(len(model)))
    if not len(again):
        return np.arange(len(model))
    # Equal sums are taken for equal rows only where the difference is nothing.
    unlike: NDArray[Any] = np.asarray(
        abs(matrix[again] - matrix[model[again]]).sum(axis=1)
    ).ravel()
    keep = np.ones(len(model), dtype=bool)
    keep[again[unlike == 0]] = False
    return np.flatnonzero(keep)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread small numbers over 64 bits (splitmix64)."""
    x = (numbers + np.uint64(1)) * _MIX
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def equation_rows(
    terms: Mapping[int, int],
    codes: NDArray[np.int32],
    *,
    axis: int,
    sizes: Sequence[int],
    empty: Callable[[int, NDArray[np.int32]], NDArray[np.bool_]],
) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.int64]]:
    """State an equation wherever all its terms are published.

    ``terms`` are coefficients by code of dimension ``axis``. ``empty(code, cells)``
    tells where a term that is not held is known to be empty. Returns the coefficients
    and cells of all rows, and how many each row has.
    """
    flat = codes.copy()
    flat[axis] = 0
    _, example, group = np.unique(
        KeyIndex.of(flat, sizes).keys, return_index=True, return_inverse=True
    )
    held = np.full((len(terms), len(example)), -1, dtype=np.int64)
    for row, code in enumerate(terms):
        here = np.flatnonzero(codes[axis] == code)
        held[row, group[here]] = here
    stated: NDArray[np.bool_] = np.asarray((held >= 0).any(axis=0))
    for row, code in enumerate(terms):
        missing = np.flatnonzero(stated & (held[row] < 0))
        stated[missing] = empty(code, flat[:, example[missing]])
    held = held[:, stated].T
    present = held >= 0
    coefficients = np.array(list(terms.values()), dtype=np.int8)
    data = np.broadcast_to(coefficients, held.shape)[present]
    return data, held[present], present.sum(axis=1)


def check_sums(
    relations: Relations, values: NDArray[np.int64], *, rounded: bool
) -> None:
    """Refuse sums and equations that the values contradict; no amount is shown.

    Where tables were accepted although their sums miss by rounding (``rounded``),
    sums may miss; equations may not.
    """
    wrong = relations.residuals(values) != 0
    if rounded:
        wrong &= relations.dimension < 0
    rows = np.flatnonzero(wrong)
    if not len(rows):
        return
    lines = [f"  {relations.describe(row)}" for row in rows[:_SHOWN].tolist()]
    more = f"\n  and {len(rows) - _SHOWN:,} more" if len(rows) > _SHOWN else ""
    message = (
        f"{len(rows):,} of {len(relations):,} sums and equations do not hold in the "
        "linked tables:\n" + "\n".join(lines) + more + "\nEverything later relies on "
        "them: correct the data, the hierarchy or the equation."
    )
    raise AdditivityError(message)
