# SPDX-License-Identifier: Apache-2.0
"""Draw the ends of safe segments at random, so that nobody can calculate back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.adjust._safe_set import HIGHEST, Segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["shrunk"]


def shrunk(
    segments: Segments,
    value: NDArray[np.int64],
    lower: NDArray[np.int64],
    *,
    share: float,
    drawn: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> Segments:
    """Move the ends that an attack set inwards, by up to a share of the value.

    Cells that are safe as they are keep their segments, and so their value. The
    segment without an end stays, so that there is always one.

    >>> ends = np.array([0, 110]), np.array([90, HIGHEST])
    >>> segments = Segments(np.array([0, 2]), *ends)
    >>> half = np.array([0.5])
    >>> found = shrunk(segments, np.array([100]), np.array([0]), share=0.1,
    ...                drawn=(half, half))
    >>> found.low.tolist(), found.high[:1].tolist()
    ([0, 115], [85])
    """
    cell = segments.cell
    unsafe = ~segments.holds(value)
    width = np.abs(value.astype(np.float64)) * share
    down, up = (np.floor(width * one).astype(np.int64) for one in drawn)
    at_low = unsafe[cell] & (segments.low > lower[cell])
    at_high = unsafe[cell] & (segments.high < HIGHEST)
    low = segments.low + np.where(at_low, up[cell], 0)
    high = segments.high - np.where(at_high, down[cell], 0)
    kept = low <= high
    return Segments.of(len(segments), cell[kept], low[kept], high[kept])
