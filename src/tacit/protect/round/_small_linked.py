# SPDX-License-Identifier: Apache-2.0
"""Small counts of linked tables, whose inner cells cannot be chosen one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array, hstack

from tacit.errors import LimitError
from tacit.protect._program import Program
from tacit.protect._search import solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect._leaves import Leaves
    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment

__all__ = ["together"]


def together(
    assessment: Assessment,
    leaves: Leaves,
    base: int,
    limit: int | None,
    clock: Clock,
) -> NDArray[np.int64]:
    """Round small counts of all tables at once; others move as little as that needs.

    Two tables may split one total in different ways, so a large inner cell of one
    sometimes has to follow a small one of the other.
    """
    table = assessment.table
    value, matrix = table.cells.value, table.relations.matrix.astype(np.int64)
    small = (value > 0) & (value < base)
    inner = np.zeros(len(value), dtype=np.bool_)
    inner[leaves.cells] = True
    most = float(limit if limit is not None else base * (1 + len(leaves.cells)))
    # A small count is a number of bases; any other count moves up or down by ones.
    bases = np.where(small, np.where(inner, 1.0, np.floor((value + most) / base)), 0.0)
    up = np.where(small | (value == 0), 0.0, most)
    down = np.where(small, 0.0, np.minimum(most, np.maximum(value - base, 0)))
    price = np.concatenate(
        [base - 2.0 * np.where(small, value, 0), np.ones(2 * len(value))]
    )
    right = -(matrix @ np.where(small, 0, value)).astype(np.float64)
    upper = np.concatenate([bases, up, down])
    program = Program(
        csr_array(hstack([base * matrix, matrix, -matrix])),
        right,
        right,
        np.zeros(len(upper)),
        upper,
        price,
    )
    found = solve(program, clock)
    if found.values is None:
        raise LimitError(_why(found.state, limit, clock))
    many, more, less = found.values.reshape(3, -1)
    published: NDArray[np.int64] = np.where(small, many * base, value + more - less)
    return published


def _why(state: str, limit: int | None, clock: Clock) -> str:
    if state == "impossible":
        within = "" if limit is None else f" and every count stays within {limit}"
        return (
            "The linked tables cannot be rounded so that no small count is left"
            f"{within}. Allow a larger limit=, or round with method='controlled'."
        )
    return (
        f"The time limit of {clock.limit:g} s ended before the linked tables were "
        "rounded. Allow more time with time_limit=."
    )
