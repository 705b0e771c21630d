# SPDX-License-Identifier: Apache-2.0
"""Work out a table of transition probabilities, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.noise._entropy import Wish, most_uncertain
from tacit.protect.noise._ptable import PTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.noise._ptable import Design

__all__ = ["designed"]


def designed(design: Design) -> PTable:
    """Give each row the noise of greatest entropy that the design allows.

    From the first number that can change by D in both directions on, all rows are the
    same, so that is the last one.
    """
    i, j, p = [0.0], [0.0], [1.0]
    for number in _numbers(design):
        results = _results(design, number)
        wish = Wish(design.V, design.pstay, design.monotone, design.strict)
        row = most_uncertain(results - number, wish, f"the row i = {number}")
        i += [float(number)] * len(results)
        j += results.tolist()
        p += row.tolist()
    return PTable(i=tuple(i), j=tuple(j), p=tuple(p))


def _numbers(design: Design) -> list[int]:
    if design.kind == "magnitude":
        return [1, design.D] if design.D > 1 else [1]
    last = design.D + design.js + int(design.js > 0)
    return list(range(1, last + 1))


def _results(design: Design, number: int) -> NDArray[np.float64]:
    """What a number can become: not below 0, and not from 1 to js."""
    step = 1.0 if design.kind == "count" else design.step
    steps = np.arange(-round(design.D / step), round(design.D / step) + 1)
    results = number + steps * step
    allowed = (results == 0) | (results > design.js)
    found: NDArray[np.float64] = results[(results >= 0) & allowed]
    return found
