# SPDX-License-Identifier: Apache-2.0
"""Hide the corners of boxes, from the top of the table down; then repair what is open.

A box with a sensitive cell at one corner moves with it: up and down by turns, as far as
the smallest room of its corners. In every subtable that a hidden cell stands in, the
cheapest box that goes far enough is hidden, so that corners are protected in their
other subtables as well. Boxes are judged apart from each other, so some cells stay open
that way; these the repair meets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.suppress import _kernels_hypercube as kernels
from tacit.protect.suppress._complete import finish
from tacit.protect.suppress._gauss_only import gauss
from tacit.protect.suppress._ledger import Ledger
from tacit.protect.suppress._local import Move

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from tacit.protect.suppress._outcome import Outcome
    from tacit.protect.suppress._parallel import Crew
    from tacit.protect.suppress._problem import Geometry, Problem
    from tacit.protect.suppress._progress import Clock

__all__ = ["Boxes", "boxes_of", "pattern"]

# A box has two to the number of dimensions corners.
_MOST_DIMENSIONS = 10
# Keys up to here are looked up in an array instead of searched for.
_MOST_LOOKUPS = 20_000_000
# From the top of the table to its leaves, and again for what that has hidden above.
_SWEEPS = 50
# The first rounds of exchanges gain nearly all; the next cost as much time each.
_EXCHANGES = 2


def pattern(problem: Problem, *, clock: Clock, crew: Crew) -> Outcome:
    """Hide boxes around every sensitive cell, then repair and improve."""
    clock.tell("boxes")
    place = problem.geometry
    if place is None or not 0 < len(place.codes) <= _MOST_DIMENSIONS:
        ledger = Ledger(problem, gauss(problem))
    else:
        boxes = boxes_of(problem, place, clock)
        ledger = Ledger(problem, boxes.hidden)
        ledger.join(boxes.moves)
    return finish(ledger, clock=clock, crew=crew, thorough=False, exchanges=_EXCHANGES)


@dataclass(frozen=True, eq=False, repr=False)
class Boxes:
    """Cells hidden as corners of boxes, and the boxes that are moves by themselves."""

    hidden: NDArray[np.bool_]
    moves: list[Move]


def boxes_of(problem: Problem, place: Geometry, clock: Clock) -> Boxes:
    """Protect every hidden cell in each of its subtables, until nothing changes."""
    search = _Search(problem, place)
    for _ in range(_SWEEPS):
        for level in range(search.levels):
            while search.dirty[level].any() and not clock.over:
                search.protect(level)
        if not search.dirty.any() or clock.over:
            break
    return Boxes(search.hidden, search.moves)


class _Search:
    """The state of the search, as the compiled part wants it."""

    def __init__(self, problem: Problem, place: Geometry) -> None:
        self.problem = problem
        self.hidden = problem.sensitive | problem.forced
        self.moves: list[Move] = []
        families = place.families
        self._kin = _kin(place)
        self.levels = 1 + int(
            sum(
                self._kin[5][families.dimension == d].max(initial=0)
                for d in range(len(place.codes))
            )
        )
        self._where = (
            place.keys,
            _lookup(place),
            place.strides,
            place.codes,
            place.cell_at.astype(np.int64),
        )
        order = np.argsort(place.cell_at, kind="stable")
        ends = np.searchsorted(place.cell_at[order], np.arange(len(problem) + 1))
        self._places = (order, ends)
        self._cells = _cells(problem)
        self._needs = (
            problem.need_up.copy(),
            problem.need_down.copy(),
            problem.need_width.copy(),
        )
        self.dirty = np.zeros((self.levels, len(problem)), dtype=np.bool_)
        self.dirty[:, problem.sensitive] = True

    def protect(self, level: int) -> None:
        """Protect what is not yet looked at in the subtables of one level."""
        cells = np.flatnonzero(self.dirty[level])
        self.dirty[level] = False
        order, ends = self._places
        places = np.concatenate([order[ends[c] : ends[c + 1]] for c in cells.tolist()])
        found, tables = kernels.subtables_at(level, places, self._where, self._kin)
        if not len(found):
            return
        need = np.maximum(self._needs[0], self._needs[1])[self._where[4][found]]
        ranking = np.lexsort((found, -need, *tables.T[::-1]))
        boxes = kernels.protect(
            found[ranking],
            tables[ranking],
            self._where,
            self._kin,
            self._cells,
            (self.hidden, *self._needs, self.dirty),
            self.problem.sensitive,
        )
        self.moves += _moves(self.problem, boxes)


def _kin(place: Geometry) -> tuple[Any, ...]:
    """Families of each code, codes of each family, and how deep its total lies.

    Codes of all dimensions are numbered through: the first entry holds their offsets.
    """
    offsets, families = place.trees[0], place.families
    sizes = np.diff(families.pointers)
    member = offsets[np.repeat(families.dimension, sizes)] + families.codes
    order = np.argsort(member, kind="stable")
    members = np.repeat(np.arange(len(families), dtype=np.int32), sizes)[order]
    pointers = np.searchsorted(member[order], np.arange(offsets[-1] + 1))
    totals = families.codes[families.pointers[:-1]]
    depths = [
        place.depths[d][total]
        for d, total in zip(families.dimension.tolist(), totals.tolist(), strict=True)
    ]
    return (
        offsets,
        pointers.astype(np.int64),
        members,
        families.pointers,
        families.codes,
        np.array(depths, dtype=np.int64),
    )


def _lookup(place: Geometry) -> NDArray[np.int32]:
    """Place of every key where there are not too many; nothing otherwise."""
    many = int(place.strides[0] * (place.trees[0][1] - place.trees[0][0]))
    if many > _MOST_LOOKUPS:
        return np.zeros(0, dtype=np.int32)
    lookup = np.full(many, -1, dtype=np.int32)
    lookup[place.keys] = np.arange(len(place.keys), dtype=np.int32)
    return lookup


def _cells(problem: Problem) -> tuple[Any, ...]:
    """What a corner may be, costs and can move: the second criterion comes third."""
    held = problem.sensitive | problem.forced
    moves = (problem.room_up > 0) | (problem.room_down > 0)
    weight = np.log1p(np.abs(problem.value).astype(np.float64))
    return (
        moves & (held | ~problem.frozen),
        problem.cost,
        weight,
        problem.room_up,
        problem.room_down,
        problem.owner,
        float(weight.max(initial=0.0)),
    )


def _moves(problem: Problem, boxes: tuple[Any, ...]) -> list[Move]:
    """Make moves of the boxes that keep all relations; the others need more."""
    from scipy.sparse import csr_array  # noqa: PLC0415

    targets, pointers, far, corners, signs, _ = boxes
    shape = (len(targets), len(problem))
    row = np.repeat(np.arange(len(targets)), np.diff(pointers))
    # A cell at several corners moves with all of them, by the same amount.
    _, first = np.unique(row * len(problem) + corners, return_index=True)
    moves = csr_array(
        (signs[first].astype(np.int64), (row[first], corners[first])), shape=shape
    )
    left = (problem.relations.astype(np.int64) @ moves.T).tocsc()
    left.eliminate_zeros()
    out = []
    for k in np.flatnonzero(np.diff(left.indptr) == 0).tolist():
        part = slice(moves.indptr[k], moves.indptr[k + 1])
        cells, sign = moves.indices[part].astype(np.int32), moves.data[part]
        for way, amount in {1: far[k, 0], -1: far[k, 1]}.items():
            if amount > 0 and (way > 0 or far[k, 1] != far[k, 0]):
                out.append(Move(cells, sign * (way * amount)))
    return out
