# SPDX-License-Identifier: Apache-2.0
"""Noisy numbers made additive again, moved as little as that needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.protect._totals import inner_cells, summed_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.table import Table

__all__ = ["additive"]

_STIFF = 1e-6
_PRECISION = 1e-10


def additive(
    table: Table, noisy: NDArray[np.float64], room: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Give the additive numbers nearest to noisy ones, in whole numbers.

    ``room`` says how far each cell may give way in relation to others. Inner cells
    without room stay where they are. Totals without room give way only where their
    parts leave no other choice.
    """
    from scipy.sparse import diags_array  # noqa: PLC0415 - heavy, only where needed
    from scipy.sparse.linalg import cg  # noqa: PLC0415 - as above

    matrix = table.relations.matrix.astype(np.float64)
    inner = inner_cells(table.relations.matrix)
    give = room.astype(np.float64) ** 2
    give[~inner] = np.maximum(give[~inner], _STIFF)
    off = matrix @ noisy
    if off.any():
        weighted = matrix @ diags_array(give)
        pull, _ = cg(weighted @ matrix.T, off, rtol=_PRECISION, maxiter=10_000)
        noisy = noisy - give * (matrix.T @ pull)
    whole = np.rint(noisy).astype(np.int64)
    whole[~inner] = 0
    if (table.cells.value >= 0).all():
        whole = np.maximum(whole, 0)
    return summed_up(table.relations.matrix, whole)
