# SPDX-License-Identifier: Apache-2.0
"""Who knows what of the hidden cells. Confidential."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from tacit.protect.suppress._problem import Problem
    from tacit.table import Table

__all__ = ["OUTSIDER", "Contributors", "Knowledge", "members_of"]

OUTSIDER = 1
"""The set of the outsider alone: the first bit of every set of owners."""
_NOISE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Contributors:
    """Who stands behind the cells of a problem: ``origin`` names them in the table."""

    table: Table
    origin: NDArray[np.int64]

    def entries(
        self, cells: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Give (position in ``cells``, entity, amount), merged per entity and cell."""
        from tacit.table import contributions_of  # noqa: PLC0415 - heavy

        rows = contributions_of(self.table, self.origin[cells])
        return rows.group, rows.entity, rows.value


def members_of(owners: int) -> Iterator[int]:
    """Give the numbers of a set of owners, ascending.

    >>> list(members_of(0b1010))
    [1, 3]
    """
    while owners:
        last = owners & -owners
        yield last.bit_length() - 1
        owners ^= last


class Knowledge:
    """Owners, who fill some hidden cell alone, and what they know of hidden cells.

    Sets of owners are the bits of a number; bit 0 is the outsider, who knows nothing.
    An owner knows the cells that it fills alone; a cell that it shares with others
    cannot be lower to it than its own amount, where nothing is negative. A coalition
    is an owner with all that its members know.
    """

    def __init__(
        self,
        problem: Problem,
        hidden: NDArray[np.bool_],
        contributors: Contributors | None,
        *,
        coalition: int = 1,
    ) -> None:
        self.problem, self.contributors = problem, contributors
        self.learned = np.zeros(len(problem), dtype=bool)
        self._alone: dict[int, int] = {}
        self._shared: dict[int, tuple[list[float], list[int]]] = {}
        self._part: dict[int, int] = {}
        self.known: list[list[int]] = []
        self.rooms: list[dict[int, float]] = []
        self._number: dict[int, tuple[int, ...]] = {}
        cells = np.flatnonzero(hidden)
        group, entity, amount, alone = self._entries(cells)
        names = np.unique(entity[alone])
        teams = _teams(problem, names, (cells[group], entity, alone), coalition)
        self.known = [[] for _ in range(len(teams) + 1)]
        self.rooms = [{} for _ in range(len(teams) + 1)]
        numbers: dict[int, list[int]] = {name: [] for name in names.tolist()}
        for number, team in enumerate(teams, start=1):
            for k in team:
                numbers[int(names[k])].append(number)
        self._number = {name: tuple(found) for name, found in numbers.items()}
        self._learn(cells, group, entity, amount, alone)

    def __len__(self) -> int:
        return len(self.known) - 1

    def __repr__(self) -> str:
        return f"<Knowledge of {len(self):,} owners, confidential>"

    @property
    def everybody(self) -> int:
        """The set of all owners, the outsider included."""
        return (1 << len(self.known)) - 1

    def learn(self, cells: NDArray[np.integer]) -> bool:
        """Find out about more cells; say whether that brought new owners."""
        new = np.unique(cells[~self.learned[cells]]).astype(np.int64)
        if not len(new):
            return False
        group, entity, amount, alone = self._entries(new)
        self._learn(new, group, entity, amount, alone)
        return not all(name in self._number for name in entity[alone].tolist())

    def _entries(
        self, cells: NDArray[np.int64]
    ) -> tuple[
        NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]
    ]:
        """Who is part of each cell: (position, entity, amount, whether it is alone)."""
        if self.contributors is None:
            group = np.flatnonzero(self.problem.owner[cells] >= 0)
            entity = self.problem.owner[cells[group]]
            amount = self.problem.value[cells[group]]
        else:
            group, entity, amount = self.contributors.entries(cells)
        alone = np.bincount(group, minlength=len(cells))[group] == 1
        return group, entity, amount, alone

    def _learn(
        self,
        cells: NDArray[np.int64],
        group: NDArray[np.int64],
        entity: NDArray[np.int64],
        amount: NDArray[np.int64],
        alone: NDArray[np.bool_],
    ) -> None:
        self.learned[cells] = True
        keep = np.isin(entity, np.fromiter(self._number, np.int64, len(self._number)))
        at = cells[group[keep]]
        rows = zip(
            at.tolist(),
            entity[keep].tolist(),
            amount[keep].tolist(),
            alone[keep].tolist(),
            strict=True,
        )
        shares: dict[int, dict[int, int]] = {}
        for cell, name, part, single in rows:
            for number in self._number[name]:
                bit = 1 << number
                self._part[cell] = self._part.get(cell, 0) | bit
                if single:
                    self._alone[cell] = self._alone.get(cell, 0) | bit
                    self.known[number].append(cell)
                else:
                    mine = shares.setdefault(cell, {})
                    mine[number] = mine.get(number, 0) + part
        for cell, mine in shares.items():
            self._share(cell, mine)

    def _share(self, cell: int, shares: dict[int, int]) -> None:
        """Note how far down each owner can believe a shared cell to be."""
        value, down = self.problem.value[cell], float(self.problem.room_down[cell])
        if value - down < 0:
            return
        rooms = sorted(
            (max(float(value - part), 0.0), number)
            for number, part in shares.items()
            if value - part < down
        )
        if not rooms:
            return
        sets, found = [0], 0
        for room, number in rooms:
            found |= 1 << number
            sets.append(found)
            self.rooms[number][cell] = room
        self._shared[cell] = [room for room, _ in rooms], sets

    def part_of(self, cell: int) -> int:
        """Owners that are part of a cell."""
        return self._part.get(cell, 0)

    def touched(self, cells: Iterable[int], amounts: Iterable[float]) -> int:
        """Owners to whom a move of these cells by these amounts is impossible."""
        found = 0
        alone, shared = self._alone, self._shared
        for cell, amount in zip(cells, amounts, strict=True):
            found |= alone.get(cell, 0)
            if amount < 0:
                mine = shared.get(cell)
                if mine is not None:
                    far = -amount * (1 - _NOISE) - _NOISE
                    found |= mine[1][bisect_left(mine[0], far)]
        return found

    def of_owners(
        self, owners: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        """Cells that these owners know, cells they share, and their room in these."""
        numbers = list(members_of(owners))
        known = {cell for k in numbers for cell in self.known[k]}
        cells = [cell for k in numbers for cell in self.rooms[k]]
        rooms = [room for k in numbers for room in self.rooms[k].values()]
        return (
            np.array(sorted(known), dtype=np.int32),
            np.array(cells, dtype=np.int32),
            np.array(rooms, dtype=np.float64),
        )


def _teams(
    problem: Problem,
    names: NDArray[np.int64],
    entries: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]],
    size: int,
) -> list[tuple[int, ...]]:
    """Each owner, then those who know cells of one relation, up to ``size`` of them."""
    singles: list[tuple[int, ...]] = [(k,) for k in range(len(names))]
    if size == 1 or not singles:
        return singles
    from scipy.sparse import csr_array  # noqa: PLC0415 - heavy

    cell, entity, alone = entries
    where = cell[alone], np.searchsorted(names, entity[alone])
    ones = np.ones(len(where[0]), dtype=np.int64)
    knows = csr_array((ones, where), shape=(len(problem), len(names)))
    met = csr_array(abs(problem.relations).astype(np.int64) @ knows)
    met.sort_indices()
    teams: set[tuple[int, ...]] = set()
    for start, end in zip(met.indptr[:-1], met.indptr[1:], strict=True):
        members = met.indices[start:end].tolist()
        for many in range(2, size + 1):
            teams.update(combinations(members, many))
    return singles + sorted(teams, key=lambda team: (len(team), team))
