# SPDX-License-Identifier: Apache-2.0
"""Whether printed figures can be, checked by nothing but the figures themselves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cells_behind", "changes_possible", "total_behind"]


def cells_behind(
    percentages: Sequence[float], *, decimals: int = 2, most: int = 1000
) -> list[int]:
    """List the numbers of cells of which all these can be the printed percentages.

    >>> cells_behind([33.33, 66.67], most=10)
    [3, 6, 9]
    """
    if not percentages:
        message = "Give at least one printed percentage."
        raise InputError(message)
    half = 0.5 * 10.0**-decimals * (1 + 1e-9)
    return [
        cells
        for cells in range(1, most + 1)
        if all(
            abs(100 * round(share * cells / 100) / cells - share) <= half
            for share in percentages
        )
    ]


def total_behind(
    amount: float, percent: float, *, decimals: int
) -> tuple[float, float]:
    """Give the least and the greatest total of which an amount is a printed percentage.

    >>> low, high = total_behind(25, 10.0, decimals=0)
    >>> round(low, 1), round(high, 1)
    (238.1, 263.2)
    """
    half = 0.5 * 10.0**-decimals
    if percent <= half:
        message = (
            f"A percentage of {percent:g} with {decimals} decimals may stand for 0, so "
            "it does not bound the total."
        )
        raise InputError(message)
    return 100 * amount / (percent + half), 100 * amount / (percent - half)


def changes_possible(
    mean_size: float, deviation: float, *, change_of_total: float, cells: int
) -> bool:
    """Tell whether changes of this mean size can have this standard deviation (n - 1).

    The mean size is at most the root of the mean square, which is the variance and the
    square of the mean change.

    >>> changes_possible(3, 4, change_of_total=0, cells=10)
    True
    >>> changes_possible(5, 4, change_of_total=0, cells=10)
    False
    """
    variance = deviation**2 * (cells - 1) / cells
    largest = math.sqrt(variance + (change_of_total / cells) ** 2)
    return mean_size <= largest * (1 + 1e-9)
