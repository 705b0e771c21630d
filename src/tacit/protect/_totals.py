# SPDX-License-Identifier: Apache-2.0
"""Totals from their parts: additive numbers out of those of the inner cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.table import Table

__all__ = ["inner_cells", "require_one_table", "summed_up"]

_MOST_LEVELS = 64


def require_one_table(table: Table, option: str) -> None:
    """Refuse linked tables, where inner cells of several tables share their totals."""
    if table.compiled is None and table.equations is None:
        return
    message = (
        f"{option} changes inner cells and sums totals from them, and this table is "
        "linked: inner cells of its parts have totals in common, so their noise would "
        "have to agree. Use another option, or change each table by itself."
    )
    raise InputError(message)


def inner_cells(matrix: Any) -> NDArray[np.bool_]:  # noqa: ANN401 - csr_array
    """Cells that are the total of nothing: all others follow from these.

    >>> from scipy.sparse import csr_array
    >>> inner_cells(csr_array([[-1, 1, 1]])).tolist()
    [False, True, True]
    """
    inner = np.ones(matrix.shape[1], dtype=bool)
    inner[matrix.indices[matrix.data < 0]] = False
    return inner


def summed_up(matrix: Any, value: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: ANN401
    """Give every total what its parts sum to, level by level.

    Where two relations ask for different totals nothing is additive: check that.

    >>> from scipy.sparse import csr_array
    >>> summed_up(csr_array([[-1, 1, 1]]), np.array([0, 2, 3])).tolist()
    [5, 2, 3]
    """
    whole = matrix.astype(np.int64)
    negative = whole.data < 0
    row = np.repeat(np.arange(whole.shape[0]), np.diff(whole.indptr))
    single = np.bincount(row[negative], minlength=whole.shape[0]) == 1
    total = np.zeros(whole.shape[0], dtype=np.int64)
    total[row[negative]] = whole.indices[negative]
    value = value.copy()
    for _ in range(_MOST_LEVELS):
        missing = (whole @ value)[single]
        off = missing != 0
        if not off.any():
            break
        value[total[single][off]] += missing[off]
    return value
