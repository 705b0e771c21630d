# SPDX-License-Identifier: Apache-2.0
"""Where a published number may lie: everything but what the attacks forbid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.protect.adjust._attacks import Forbidden

__all__ = ["HIGHEST", "LOWEST", "Segments", "nearest", "safe_segments"]

HIGHEST = np.iinfo(np.int64).max // 4
LOWEST = -HIGHEST


@dataclass(frozen=True, eq=False, repr=False)
class Segments:
    """Closed segments of whole numbers by cell, ascending: what is safe. Confidential.

    Those of cell k are at ``indptr[k]:indptr[k + 1]``; ``LOWEST`` and ``HIGHEST``
    stand for no end.
    """

    indptr: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __repr__(self) -> str:
        return f"<Segments: {len(self.low):,} of {len(self):,} cells, confidential>"

    @property
    def cell(self) -> NDArray[np.int64]:
        """The cell of each segment."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    @classmethod
    def of(
        cls,
        cells: int,
        cell: NDArray[np.int64],
        low: NDArray[np.int64],
        high: NDArray[np.int64],
    ) -> Segments:
        """Put segments in order."""
        order = np.lexsort((low, cell))
        indptr = np.zeros(cells + 1, dtype=np.int64)
        np.cumsum(np.bincount(cell, minlength=cells), out=indptr[1:])
        return cls(indptr, low[order], high[order])

    def holds(self, value: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether the number of each cell lies in one of its segments."""
        cell = self.cell
        inside = (self.low <= value[cell]) & (value[cell] <= self.high)
        found = np.zeros(len(self), dtype=bool)
        found[cell[inside]] = True
        return found

    def where(self, kept: NDArray[np.bool_]) -> Segments:
        """Only some of the segments."""
        return Segments.of(len(self), self.cell[kept], self.low[kept], self.high[kept])


def safe_segments(
    cells: int,
    parts: Sequence[Forbidden],
    *,
    lower: NDArray[np.int64],
    hull: bool = False,
) -> Segments:
    """Take the union of what is forbidden away from everything above ``lower``.

    With ``hull`` whatever lies between the first and the last forbidden number is
    forbidden too.

    >>> from tacit.protect.adjust._attacks import Forbidden
    >>> each = np.zeros(2, dtype=np.int64)
    >>> bad = Forbidden(each, np.array([101, 19]), np.array([119, 21]))
    >>> safe = safe_segments(1, [bad], lower=np.zeros(1, dtype=np.int64))
    >>> safe.low.tolist(), safe.high[:-1].tolist()
    ([0, 22, 120], [18, 100])
    """
    cell, low, high = (np.concatenate(column) for column in zip(*parts, strict=True))
    reached = (high >= lower[cell]) & (low <= high)
    cell, low, high = cell[reached], low[reached], high[reached]
    order = np.lexsort((low, cell))
    cell, low, high = cell[order], low[order], high[order]
    upto = _running_most(cell, high)
    last = np.append(cell[1:] != cell[:-1], True)[: len(cell)]
    first = np.append(True, cell[1:] != cell[:-1])[: len(cell)]
    following = np.append(low[1:], 0)[: len(low)]
    gap = ~last & (following > upto + 1) & (not hull)
    ends = [
        (cell[gap], upto[gap] + 1, following[gap] - 1),
        (cell[last], upto[last] + 1, np.full(int(last.sum()), HIGHEST)),
        (cell[first], lower[cell[first]], low[first] - 1),
    ]
    free = np.setdiff1d(np.arange(cells), cell)
    ends.append((free, lower[free], np.full(len(free), HIGHEST)))
    where, start, end = (np.concatenate([part[k] for part in ends]) for k in range(3))
    start = np.maximum(start, lower[where])
    kept = start <= end
    return Segments.of(cells, where[kept], start[kept], end[kept])


def _running_most(
    cell: NDArray[np.int64], high: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The highest number so far within each cell."""
    # Ranks by cell first never carry over from one cell to the next.
    order = np.lexsort((high, cell))
    rank = np.empty(len(high), dtype=np.int64)
    rank[order] = np.arange(len(high))
    most: NDArray[np.int64] = high[order[np.maximum.accumulate(rank)]]
    return most


def nearest(
    segments: Segments, value: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The safe numbers next to each value, below and above; the value where it is safe.

    ``LOWEST`` or ``HIGHEST`` where there is none on that side.

    >>> ends = np.array([0, 22]), np.array([18, HIGHEST])
    >>> segments = Segments(np.array([0, 2]), *ends)
    >>> [side.tolist() for side in nearest(segments, np.array([20]))]
    [[18], [22]]
    """
    cell = segments.cell
    below = np.full(len(segments), LOWEST, dtype=np.int64)
    above = np.full(len(segments), HIGHEST, dtype=np.int64)
    of = value[cell]
    under, over = segments.low <= of, segments.high >= of
    np.maximum.at(below, cell[under], np.minimum(segments.high, of)[under])
    np.minimum.at(above, cell[over], np.maximum(segments.low, of)[over])
    return below, above
