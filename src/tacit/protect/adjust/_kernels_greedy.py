# SPDX-License-Identifier: Apache-2.0
"""The loop over cells that are placed one after the other, compiled."""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["decide"]


@numba.njit(cache=True)
def decide(sums, pointers, totals, top, down, up):
    """Choose down or up for each cell in turn; ``sums`` are the moves of the totals.

    A side costs what the totals above would then have moved by; on equal terms, what
    those that are part of nothing would have; then down wins.
    """
    moves = np.zeros(len(down), dtype=np.int64)
    for k in range(len(down)):
        best, best_top, chosen = 0, 0, False
        for move in (down[k], up[k]):
            if abs(move) >= 2**60:
                continue
            cost, cost_top = 0, 0
            for at in range(pointers[k], pointers[k + 1]):
                after = abs(sums[totals[at]] + move)
                if top[at]:
                    cost_top += after
                else:
                    cost += after
            if not chosen or cost < best or (cost == best and cost_top < best_top):
                best, best_top, chosen = cost, cost_top, True
                moves[k] = move
        for at in range(pointers[k], pointers[k + 1]):
            sums[totals[at]] += moves[k]
    return moves
