# SPDX-License-Identifier: Apache-2.0
"""The program of an adjustment: unknowns, prices, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array, hstack, vstack

from tacit.protect._program import Program

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.adjust._demands import Demands

__all__ = ["Moves"]

# Squares are priced by pieces: up to 1, 2, 4, ... times the typical need.
_PIECES = 6


@dataclass(frozen=True, eq=False)
class Moves:
    """Unknowns, in pieces: how far each cell goes up and down.

    A sensitive cell has one more, its side: 1 for up, 0 for down. It moves by its need
    to that side, and what it goes further to that side is in the pieces.
    """

    matrix: csr_array
    demands: Demands
    cells: NDArray[np.int64]
    marked: NDArray[np.int64]
    widths: NDArray[np.int64]
    square: bool

    @classmethod
    def of(cls, matrix: csr_array, demands: Demands, *, square: bool) -> Moves:
        """Lay out the unknowns."""
        free = (demands.most > demands.least) | demands.sensitive
        needs = np.maximum(demands.up, demands.down)[demands.sensitive]
        widths = np.array([np.iinfo(np.int32).max], dtype=np.int64)
        if square and len(needs):
            typical = max(1, int(np.median(needs)) // 4)
            widths = typical * 2 ** np.arange(_PIECES, dtype=np.int64)
            widths[-1] = int(needs.sum()) + 1
        return cls(
            matrix.astype(np.int64),
            demands,
            np.flatnonzero(free),
            np.flatnonzero(demands.sensitive),
            widths,
            square,
        )

    @property
    def always(self) -> float:
        """What it costs if every sensitive cell goes down: prices tell the rest."""
        return float(self._priced(self.demands.down)[self.marked].sum())

    def cost_of(self, moved: NDArray[np.int64]) -> float:
        """Weighted sum of the changes, or of their squares."""
        size = np.abs(moved).astype(np.float64)
        return float(self.demands.weight @ (size**2 if self.square else size))

    def _priced(self, need: NDArray[np.int64]) -> NDArray[np.float64]:
        size = need.astype(np.float64)
        return self.demands.weight * (size**2 if self.square else size)

    def program(self) -> Program:
        """Ask for the cheapest moves that keep every relation."""
        asked, cells, marked = self.demands, self.cells, self.marked
        base = np.where(asked.sensitive, -asked.down, 0)
        jump = (asked.up + asked.down)[marked]
        body, side = self.matrix[:, cells], self.matrix[:, marked]
        pieces = len(self.widths)
        side = csr_array(side * jump[None, :])
        rows = [csr_array(hstack([*[body] * pieces, *[-body] * pieces, side]))]
        right = -(self.matrix @ base).astype(np.float64)
        above, below = self._further()
        where = np.searchsorted(cells, marked)
        links = self._links(where, above[where], below[where])
        rows.append(links[0])
        upper = np.concatenate([*self._cut(above), *self._cut(below)])
        sides = self._sides()
        price = np.concatenate([*self._prices(up=True), *self._prices(up=False)])
        swap = (self._priced(asked.up) - self._priced(asked.down))[marked]
        choices = np.zeros(len(upper) + len(marked), dtype=np.bool_)
        choices[len(upper) :] = True
        return Program(
            csr_array(vstack(rows)),
            np.concatenate([right, np.full(links[0].shape[0], -np.inf)]),
            np.concatenate([right, links[1]]),
            np.concatenate([np.zeros(len(upper)), sides[0]]),
            np.concatenate([upper, sides[1]]),
            np.concatenate([price, swap]),
            choices,
        )

    def _further(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How far each free cell may go beyond what it must."""
        asked, cells = self.demands, self.cells
        must_up = np.where(asked.sensitive, asked.up, 0)
        must_down = np.where(asked.sensitive, asked.down, 0)
        above = np.maximum(asked.most - must_up, 0)[cells]
        below = np.maximum(-asked.least - must_down, 0)[cells]
        return above.astype(np.float64), below.astype(np.float64)

    def _links(
        self,
        where: NDArray[np.int64],
        above: NDArray[np.float64],
        below: NDArray[np.float64],
    ) -> tuple[csr_array, NDArray[np.float64]]:
        """Let a sensitive cell go further to the side it takes, and to no other."""
        many, cells, pieces = len(where), len(self.cells), len(self.widths)
        pick = csr_array(
            (np.ones(many, dtype=np.int64), (np.arange(many), where)),
            shape=(many, cells),
        )
        none = csr_array((many, cells), dtype=np.int64)
        over = csr_array(
            (
                np.concatenate([-above, below]).astype(np.int64),
                (np.arange(2 * many), np.tile(np.arange(many), 2)),
            ),
            shape=(2 * many, many),
        )
        ups = hstack([*[pick] * pieces, *[none] * pieces])
        downs = hstack([*[none] * pieces, *[pick] * pieces])
        return (
            csr_array(hstack([vstack([ups, downs]), over])),
            np.concatenate([np.zeros(many), below]),
        )

    def _sides(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Which sides protect: the only one is taken, none makes it impossible."""
        asked, marked = self.demands, self.marked
        lowest = np.where(asked.down[marked] > 0, 0.0, 1.0)
        highest = np.where(asked.up[marked] > 0, 1.0, 0.0)
        return lowest, highest

    def _cut(self, room: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Share the room among the pieces, the cheap ones first."""
        before = np.concatenate([[0], np.cumsum(self.widths)[:-1]])
        return [
            np.clip(room - start, 0, width).astype(np.float64)
            for start, width in zip(before, self.widths, strict=True)
        ]

    def _prices(self, *, up: bool) -> list[NDArray[np.float64]]:
        """What one more costs in each piece; squares cost more the further one is."""
        asked, cells = self.demands, self.cells
        if not self.square:
            return [asked.weight[cells]]
        must = np.where(asked.sensitive, asked.up if up else asked.down, 0)[cells]
        before = np.concatenate([[0], np.cumsum(self.widths)[:-1]])
        return [
            asked.weight[cells] * (2.0 * (must + start) + width)
            for start, width in zip(before, self.widths, strict=True)
        ]

    def moved(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the move of every cell."""
        asked, pieces = self.demands, len(self.widths)
        parts = values[: 2 * pieces * len(self.cells)].reshape(2, pieces, -1)
        moved = np.where(asked.sensitive, -asked.down, 0)
        moved[self.cells] += parts[0].sum(axis=0) - parts[1].sum(axis=0)
        jump = (asked.up + asked.down)[self.marked]
        moved[self.marked] += jump * values[2 * pieces * len(self.cells) :]
        return moved

    def values(self, moved: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the unknowns that stand for moves which meet the demands."""
        asked, marked, cells = self.demands, self.marked, self.cells
        side = (moved[marked] > 0).astype(np.int64)
        rest = moved.copy()
        rest[marked] -= np.where(side, asked.up[marked], -asked.down[marked])
        above = np.maximum(rest[cells], 0).astype(np.float64)
        below = np.maximum(-rest[cells], 0).astype(np.float64)
        pieces = [*self._cut(above), *self._cut(below), side]
        return np.concatenate(pieces).astype(np.int64)
