# SPDX-License-Identifier: Apache-2.0
"""Which cells may move, how far, and where those that must not stay may go."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.protect._totals import inner_cells, summed_up

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.protect.adjust._safe_set import Segments

__all__ = ["SegmentProblem"]


@dataclass(frozen=True, eq=False, repr=False)
class SegmentProblem:
    """Find the cheapest move of the cells that keeps every relation. Confidential.

    All amounts are scaled. A cell moves by ``least`` to ``most`` (both 0: it is
    fixed). The number of cell ``chosen[k]`` must end in one of the segments k, and
    ``weight`` is what a unit of movement costs.
    """

    relations: csr_array
    value: NDArray[np.int64]
    weight: NDArray[np.float64]
    least: NDArray[np.float64]
    most: NDArray[np.float64]
    chosen: NDArray[np.int64]
    segments: Segments

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return f"<SegmentProblem: {len(self):,} cells, {len(self.chosen):,} to place>"

    @cached_property
    def columns(self) -> Any:  # noqa: ANN401 - csc_array, whose stubs differ by version
        """The relations by cell."""
        return self.relations.tocsc()

    @cached_property
    def inner(self) -> NDArray[np.bool_]:
        """Cells that are the total of nothing: all others follow from these."""
        return inner_cells(self.relations)

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """The position of each cell among those to place; -1 for others."""
        place = np.full(len(self), -1, dtype=np.int64)
        place[self.chosen] = np.arange(len(self.chosen))
        return place

    @property
    def movable(self) -> NDArray[np.bool_]:
        """Cells that are not fixed."""
        return (self.least < 0) | (self.most > 0)

    def summed(self, move: NDArray[np.int64]) -> NDArray[np.int64]:
        """Let every total move as its parts do, from the inner cells up.

        What cannot be both, because parts were to stay together, is left to ``holds``.
        """
        return summed_up(self.relations, move)

    def cost(self, move: NDArray[np.int64]) -> float:
        """What a move costs."""
        return float(self.weight @ np.abs(move))

    def holds(self, move: NDArray[np.int64]) -> bool:
        """Whether a move keeps all relations, bounds and segments, exactly."""
        if ((move < self.least) | (move > self.most)).any():
            return False
        if not self.segments.holds((self.value + move)[self.chosen]).all():
            return False
        return not (self.relations.astype(np.int64) @ move).any()
