# SPDX-License-Identifier: Apache-2.0
"""Choose what goes up and what down, so that every total stays near; compiled."""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["anneal"]


@numba.njit(cache=True)
def anneal(starts, cells, step, up, difference, weight, sweeps, heat, seed):
    """Flip single choices, worse ones ever more rarely, to lessen the differences.

    ``cells[starts[j]:starts[j + 1]]`` are the cells that choice j is part of. A choice
    that goes up adds ``step[j]`` to each of them, one that goes down takes it off.
    What is lessened is the sum of squared differences, each by its weight. ``heat`` is
    how much worse a flip may be, at first and at last.
    """
    state = np.uint64(seed) * np.uint64(2) + np.uint64(1)
    choices = len(up)
    for sweep in range(sweeps):
        warm = heat[0] * (heat[1] / heat[0]) ** (sweep / max(1, sweeps - 1))
        for _ in range(choices):
            # Multiplicative congruential draws wrap around, as they must.
            state = state * np.uint64(6364136223846793005) + np.uint64(
                1442695040888963407
            )
            j = int((state >> np.uint64(33)) % np.uint64(choices))
            change = -step[j] if up[j] else step[j]
            worse = 0.0
            for at in range(starts[j], starts[j + 1]):
                cell = cells[at]
                worse += weight[cell] * (2.0 * difference[cell] * change + change**2)
            if worse > 0.0:
                state = state * np.uint64(6364136223846793005) + np.uint64(
                    1442695040888963407
                )
                chance = (state >> np.uint64(11)) * (1.0 / 9007199254740992.0)
                if chance >= np.exp(-worse / warm):
                    continue
            up[j] = not up[j]
            for at in range(starts[j], starts[j + 1]):
                difference[cells[at]] += change
