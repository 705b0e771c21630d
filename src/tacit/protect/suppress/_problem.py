# SPDX-License-Identifier: Apache-2.0
"""What a method of suppression works on: arrays over the cells that can move."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

__all__ = ["Families", "Geometry", "Problem"]


@dataclass(frozen=True, eq=False, repr=False)
class Families:
    """Each total with its parts: pointers into codes, of which the total is first."""

    dimension: NDArray[np.int32]
    pointers: NDArray[np.int64]
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.dimension)


@dataclass(frozen=True, eq=False, repr=False)
class Geometry:
    """Places in the table: codes, keys to find them by, the trees over the codes.

    ``trees`` joins all dimensions: (offset of each dimension, parent of each code
    within its dimension, child pointers, children). ``at`` says which cell is at each
    place where several places belong to one cell; if it is None place and cell agree.
    ``families`` are a total and its parts each, in any hierarchy of any dimension.
    ``complete`` says that the hierarchies make all of the relations, and that a place
    that is not held is known to be empty.
    """

    codes: NDArray[np.int32]
    keys: NDArray[np.int64]
    strides: NDArray[np.int64]
    trees: tuple[
        NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]
    ]
    depths: tuple[NDArray[np.int32], ...]
    families: Families
    complete: bool = False
    at: NDArray[np.int64] | None = None

    @cached_property
    def cell_at(self) -> NDArray[np.int64]:
        """The cell at each place."""
        return np.arange(len(self.keys)) if self.at is None else self.at

    @property
    def codes_of_cells(self) -> NDArray[np.int32]:
        """The codes of each cell, at the first of its places."""
        return self.codes if self.at is None else self.codes[:, self.place_of]

    @cached_property
    def place_of(self) -> NDArray[np.int64]:
        """The first place of each cell."""
        cell_at = self.cell_at
        place = np.full(int(cell_at.max(initial=-1)) + 1, len(cell_at))
        np.minimum.at(place, cell_at, np.arange(len(cell_at)))
        return place


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """Cells, the equations between them, and what must stay possible.

    Distances are in scaled cell units. ``need_down`` and ``need_up`` say how far below
    and above its value an attacker must be unable to exclude a sensitive cell,
    ``need_width`` how wide the whole interval must be. ``room_down`` and ``room_up``
    are what the attacker's own bounds leave to each cell. ``owner`` is the only
    contributor of a cell, -1 where there are several or no attacker is one of them.
    ``whole`` says that attackers know all amounts to be whole numbers.
    """

    relations: csr_array
    value: NDArray[np.int64]
    cost: NDArray[np.float64]
    sensitive: NDArray[np.bool_]
    need_down: NDArray[np.float64]
    need_up: NDArray[np.float64]
    need_width: NDArray[np.float64]
    room_down: NDArray[np.float64]
    room_up: NDArray[np.float64]
    frozen: NDArray[np.bool_]
    forced: NDArray[np.bool_]
    owner: NDArray[np.int64]
    geometry: Geometry | None = None
    whole: bool = False

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return (
            f"<Problem: {len(self):,} cells, {int(self.sensitive.sum()):,} sensitive>"
        )

    @cached_property
    def columns(self) -> Any:  # noqa: ANN401 - csc_array, whose stubs differ by version
        """The equations by cell."""
        return self.relations.tocsc()

    @cached_property
    def need(self) -> NDArray[np.float64]:
        """The one distance that, kept on both sides, meets every need of a cell."""
        largest = np.maximum(self.need_down, self.need_up)
        return np.where(self.sensitive, np.maximum(largest, self.need_width / 2), 0.0)

    @cached_property
    def room(self) -> NDArray[np.float64]:
        """What a cell may move to both sides."""
        return np.minimum(self.room_down, self.room_up)

    def among(
        self,
        cells: NDArray[np.int64],
        relations: csr_array,
        geometry: Geometry | None = None,
    ) -> Problem:
        """Give the problem of some cells, under relations over these."""
        return replace(
            self,
            relations=relations,
            value=self.value[cells],
            cost=self.cost[cells],
            sensitive=self.sensitive[cells],
            need_down=self.need_down[cells],
            need_up=self.need_up[cells],
            need_width=self.need_width[cells],
            room_down=self.room_down[cells],
            room_up=self.room_up[cells],
            frozen=self.frozen[cells],
            forced=self.forced[cells],
            owner=self.owner[cells],
            geometry=geometry,
        )

    def relations_among(self, cells: NDArray[np.int64]) -> csr_array:
        """Give what is left of the relations where all other cells stand still."""
        part = self.relations[:, cells]
        return part[np.flatnonzero(np.diff(part.indptr) > 0)]
