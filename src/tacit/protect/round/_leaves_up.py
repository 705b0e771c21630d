# SPDX-License-Identifier: Apache-2.0
"""Choose which inner cells go up, so that the totals, summed anew, stay near."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.protect._kernels_anneal import anneal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy.sparse import csc_array

    from tacit.protect.suppress._progress import Clock

__all__ = ["choices"]

_SWEEPS = 200
_TRIES = 12
# The first heat lets a cell of many totals flip, the last lets nothing get worse.
_HEAT = (7.0, 0.1)


def choices(
    parts: csc_array,
    difference: NDArray[np.float64],
    weight: NDArray[np.float64],
    base: int,
    clock: Clock,
) -> Iterator[NDArray[np.float64]]:
    """Give the differences of all cells for one choice after the other.

    ``parts`` says which cells each choice is part of, ``difference`` where all stand
    if nothing goes up. Whoever asks may raise the weight of cells that are too far
    away before asking for the next one.
    """
    up = np.zeros(parts.shape[1], dtype=np.bool_)
    step = np.full(len(up), float(base))
    difference = difference.copy()
    if not len(up):
        yield difference
        return
    for number in range(_TRIES):
        if number and clock.over:
            return
        heat = np.array(_HEAT) * float(base) ** 2 / (4 if number else 1)
        anneal(
            parts.indptr,
            parts.indices,
            step,
            up,
            difference,
            weight,
            _SWEEPS,
            heat,
            number,
        )
        yield difference.copy()
