# SPDX-License-Identifier: Apache-2.0
"""Which release is preferred to which: less risk and less loss, within a tolerance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["ladder", "layers", "preferred"]


def preferred(
    risk: Sequence[float], loss: Sequence[float], *, tolerance: float = 0.0
) -> NDArray[np.bool_]:
    """Tell for each pair whether the first is preferred to the second.

    It is where its risk and its loss are both no larger, and one of them is smaller.
    Values within ``tolerance`` of each other, relative to the larger, count as equal,
    and so do those that a chain of such steps joins: preference never runs in a circle.
    What cannot be compared (nan) is preferred to nothing, and nothing to it.

    >>> preferred([1, 1, 2], [5, 6, 4]).astype(int).tolist()
    [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    """
    risks, losses = ladder(risk, tolerance), ladder(loss, tolerance)
    one, other = risks[:, None], risks[None, :]
    no_worse = (one <= other) & (losses[:, None] <= losses[None, :])
    better = (one < other) | (losses[:, None] < losses[None, :])
    defined = ~(np.isnan(risk) | np.isnan(loss))
    both: NDArray[np.bool_] = defined[:, None] & defined[None, :]
    return no_worse & better & both


def ladder(values: Sequence[float], tolerance: float) -> NDArray[np.int64]:
    """Give each value its step, from the smallest; near values share one.

    >>> ladder([3.0, 1.0, 1.0005, float("inf")], 0.001).tolist()
    [1, 0, 0, 2]
    """
    steps = np.zeros(len(values), dtype=np.int64)
    order = np.argsort(np.asarray(values, dtype=np.float64), kind="stable")
    step, before = 0, math.nan
    for k in order.tolist():
        value = float(values[k])
        if not math.isnan(before) and not _near(before, value, tolerance):
            step += 1
        steps[k], before = step, value
    return steps


def _near(a: float, b: float, tolerance: float) -> bool:
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def layers(order: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Peel: 1 where nothing is preferred, 2 where nothing but layer 1 is, and so on.

    >>> layers(preferred([1, 1, 2], [5, 6, 4])).tolist()
    [1, 2, 1]
    """
    layer = np.zeros(len(order), dtype=np.int64)
    left = np.ones(len(order), dtype=bool)
    number = 0
    while left.any():
        number += 1
        top = left & ~(order & left[:, None]).any(axis=0)
        layer[top] = number
        left &= ~top
    return layer
