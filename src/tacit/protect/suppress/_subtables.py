# SPDX-License-Identifier: Apache-2.0
"""A table as the simple tables that it is made of: a total and its parts each way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.suppress._problem import Geometry, Problem

__all__ = ["Subtables", "part_of", "subtables_of"]


@dataclass(frozen=True, eq=False, repr=False)
class Subtables:
    """Cells by subtable, from the top of the table to its leaves.

    ``group`` adds up the depths of the totals of a subtable, and ascends. ``inner``
    marks the entries of ``cells`` that are a total of their subtable in no dimension.
    """

    pointers: NDArray[np.int64]
    cells: NDArray[np.int64]
    inner: NDArray[np.bool_]
    group: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.group)

    def of(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Give the cells of a subtable, and which of them are inside."""
        part = slice(self.pointers[number], self.pointers[number + 1])
        return self.cells[part], self.inner[part]


def subtables_of(place: Geometry) -> Subtables:
    """List the subtables: one family of codes in every dimension that has any."""
    cell = place.cell_at.astype(np.int64)
    count = len(cell)
    which = np.arange(count)
    number = np.zeros(count, dtype=np.int64)
    group = np.zeros(count, dtype=np.int64)
    inner = np.ones(count, dtype=np.bool_)
    families = place.families
    for d, codes in enumerate(place.codes):
        mine = np.flatnonzero(families.dimension == d)
        if not len(mine):
            continue
        pointers, members, is_total = _families_of_codes(place, mine, d)
        at = codes[which]
        many = pointers[at + 1] - pointers[at]
        again = np.repeat(np.arange(len(which)), many)
        within = np.arange(len(again)) - np.repeat(np.cumsum(many) - many, many)
        entry = pointers[at][again] + within
        total_of = families.codes[families.pointers[mine]]
        which, inner = which[again], inner[again] & ~is_total[entry]
        group = group[again] + place.depths[d][total_of[members[entry]]]
        number = number[again] * len(mine) + members[entry]
    order = np.lexsort((which, number, group))
    number, cells = number[order], cell[which[order]]
    first = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
    if not len(number):
        first = np.zeros(0, dtype=np.int64)
    return Subtables(
        np.append(first, len(number)), cells, inner[order], group[order][first]
    )


def _families_of_codes(
    place: Geometry, mine: NDArray[np.int64], d: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Give for each code the families that it is in, and whether as their total."""
    families = place.families
    sizes = families.pointers[mine + 1] - families.pointers[mine]
    member = np.repeat(np.arange(len(mine)), sizes)
    within = np.arange(len(member)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    code = families.codes[families.pointers[mine][member] + within]
    order = np.lexsort((member, code))
    counts = np.bincount(code, minlength=len(place.depths[d]))
    pointers = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return pointers, member[order], within[order] == 0


def part_of(problem: Problem, cells: NDArray[np.int64]) -> Problem:
    """Give the problem of some cells: the relations that lie within them."""
    columns = problem.columns[:, cells]
    inside = np.bincount(columns.indices, minlength=columns.shape[0])
    length = np.diff(problem.relations.indptr)
    rows = np.flatnonzero((inside == length) & (length > 1))
    return problem.among(cells, columns[rows].tocsr())
