# SPDX-License-Identifier: Apache-2.0
"""Totals that a table implies: which they are, and what they sum to."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tacit.errors import InputError
from tacit.table._build import parent_cells
from tacit.table._keys import KeyIndex, lexicographic_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.table._dimension import Dimension
    from tacit.table._relations import Relations

__all__ = ["close_upwards", "merge_cells", "recompute", "total_cells"]

_SAFE_SUM = 2**62
_Number = TypeVar("_Number", np.int64, np.float64)


def close_upwards(
    codes: NDArray[np.int32], dimensions: Sequence[Dimension]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Add the cell above every cell, until none is missing; sort.

    ``codes`` are distinct. Returns the codes of all cells in ascending order and,
    for each, the column of ``codes`` that it came from or -1.

    >>> from tacit import Hierarchy
    >>> from tacit.table import Dimension
    >>> sex = Dimension.of("sex", Hierarchy.flat(["f", "m"], total="all"))
    >>> closed, source = close_upwards(np.array([[2]], dtype=np.int32), [sex])
    >>> closed.tolist(), source.tolist()
    ([[0, 2]], [-1, 0])
    """
    sizes = [len(dimension) for dimension in dimensions]
    order, index = lexicographic_order(codes, sizes)
    codes, source = codes[:, order], order
    for d, dimension in enumerate(dimensions):
        grown = True
        while grown:
            grown = False
            for parents in dimension.parents:
                missing = _missing_parents(index, codes, d, parents)
                if missing.shape[1]:
                    codes, source, index = merge_cells(codes, source, missing, sizes)
                    grown = True
    return codes, source


def merge_cells(
    codes: NDArray[np.int32],
    source: NDArray[np.int64],
    more: NDArray[np.int32],
    sizes: Sequence[int],
) -> tuple[NDArray[np.int32], NDArray[np.int64], KeyIndex]:
    """Join cells with others, each once and in order; those held come first."""
    joined = np.concatenate([codes, more], axis=1)
    origin = np.concatenate([source, np.full(more.shape[1], -1, dtype=np.int64)])
    order, index = lexicographic_order(joined, sizes)
    first = np.ones(len(order), dtype=bool)
    first[1:] = index.keys[1:] != index.keys[:-1]
    order = order[first]
    index = KeyIndex(index.sizes, index.prefixes, index.keys[first])
    return joined[:, order], origin[order], index


def total_cells(
    codes: NDArray[np.int32], dimensions: Sequence[Dimension]
) -> NDArray[np.bool_]:
    """Say which cells have parts in some dimension."""
    is_total = np.zeros(codes.shape[1], dtype=bool)
    for code, dimension in zip(codes, dimensions, strict=True):
        inner = np.ones(len(dimension), dtype=bool)
        inner[dimension.leaves] = False
        is_total |= inner[code]
    return is_total


def recompute(
    relations: Relations, values: NDArray[_Number], unknown: NDArray[np.bool_]
) -> NDArray[_Number]:
    """Sum the unknown totals from their parts, lowest first.

    A cell without a part that is held sums to 0: what is not held is empty.
    """
    values = np.where(unknown, values.dtype.type(0), values)
    unknown = unknown.copy()
    has_parts = np.zeros(len(values), dtype=bool)
    has_parts[relations.total] = True
    unknown &= has_parts
    while unknown.any():
        unknown_terms = relations.matrix @ unknown.astype(np.int64)
        # The total counts -1, so all parts are known where only it is left over.
        ready = unknown[relations.total] & (unknown_terms == -1)
        cells, rows = np.unique(relations.total[ready], return_index=True)
        if not len(cells):
            message = "Some totals cannot be computed from the cells that are given."
            raise InputError(message)
        sums = _sums(relations, values, np.flatnonzero(ready)[rows])
        values[cells] = sums
        unknown[cells] = False
    return values


def _sums(
    relations: Relations, values: NDArray[_Number], rows: NDArray[np.int64]
) -> NDArray[_Number]:
    """Sums of the parts of some relations whose totals are still 0."""
    if values.dtype.kind == "f":
        sums: NDArray[_Number] = (relations.matrix @ values)[rows]
        return sums
    exact: NDArray[_Number] = relations.residuals(values)[rows]  # type: ignore[arg-type, assignment]
    if (np.abs(exact) > _SAFE_SUM).any():
        worst = int(rows[np.argmax(np.abs(exact))])
        message = (
            f"The total of '{relations.describe(worst)}' does not fit in 64 bits. Use "
            "fewer decimals or larger units (thousands instead of ones)."
        )
        raise InputError(message)
    return exact


def _missing_parents(
    index: KeyIndex, codes: NDArray[np.int32], d: int, parents: NDArray[np.int32]
) -> NDArray[np.int32]:
    part, above = parent_cells(index, codes, d, parents)
    lacking = part[above < 0]
    wanted = codes[:, lacking]
    wanted[d] = parents[wanted[d]]
    return wanted
