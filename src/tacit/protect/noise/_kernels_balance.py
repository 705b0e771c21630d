# SPDX-License-Identifier: Apache-2.0
"""The loop that balances the noise of one cell after the other, compiled."""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["balance"]


@numba.njit(cache=True)
def balance(leaf, moved, free):
    """Let each unit but the largest move against what the larger ones moved so far.

    Rows come by cell, the largest contribution first; only ``free`` rows change.
    """
    found = moved.copy()
    total = 0.0
    for row in range(len(leaf)):
        if row == 0 or leaf[row] != leaf[row - 1]:
            total = 0.0
        elif free[row]:
            size = np.abs(moved[row])
            found[row] = -size if total > 0 else size
        total += found[row]
    return found
