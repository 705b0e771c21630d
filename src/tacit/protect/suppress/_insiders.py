# SPDX-License-Identifier: Apache-2.0
"""Prove every need to the contributors themselves, who know some hidden cells.

Pairs of a need and a contributor are far too many to go through. A move proves a need
to everybody but those it touches, so only contributors whom every move of a need
touches are left; they are few, and one more move mostly serves all of them at once.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.suppress._insider_book import InsiderBook
from tacit.protect.suppress._knowledge import Knowledge, members_of
from tacit.protect.suppress._local import BOTH, DOWN, UP, LocalPrograms
from tacit.protect.suppress._repair import (
    EVERYWHERE,
    LAST_WORD,
    Neighbourhood,
    Repair,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.protect.suppress._knowledge import Contributors
    from tacit.protect.suppress._local import Move
    from tacit.protect.suppress._problem import Problem

__all__ = ["InsiderRepair", "settle_insiders"]

_AMONG_HIDDEN = (Neighbourhood(300, hidden=True), Neighbourhood(1500, hidden=True))
_WIDER = (
    Neighbourhood(300, hidden=True),
    Neighbourhood(600, siblings=6, most=3000),
    *(around for around in EVERYWHERE if around.levels),
    *LAST_WORD,
)
# A move that turns out to touch an owner through cells not looked at before is asked
# for again, knowing these; this often.
_TRIES = 4
# Price of a cell that an owner knows, where a move should use as few of these as it
# can, and how many owners get programs of their own before more cells are hidden.
_AVOIDED = 1e3
_ONE_BY_ONE = 8


class KnowingPrograms(LocalPrograms):
    """Programs in which some cells stand still and others have less room below."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._down = problem.room_down.copy()
        self._known = self._shared = np.zeros(0, dtype=np.int32)

    def know(
        self,
        known: NDArray[np.int32],
        shared: NDArray[np.int32],
        room: NDArray[np.float64],
    ) -> None:
        """Know some cells, and that others are not lower than by their room."""
        self.forget()
        self._known, self._shared = known, shared
        np.minimum.at(self._down, shared, room)

    def forget(self) -> None:
        """Know nothing again."""
        self._down[self._shared] = self.problem.room_down[self._shared]
        self._known = self._shared = self._known[:0]

    def ball(
        self,
        target: int,
        most: int,
        *,
        price: NDArray[np.float64],
        allowed: NDArray[np.bool_],
    ) -> NDArray[np.int32]:
        """Give the nearest cells, around those that are known."""
        before = allowed[self._known]
        allowed[self._known] = False
        found = super().ball(target, most, price=price, allowed=allowed)
        allowed[self._known] = before
        return found

    def move(
        self,
        cells: NDArray[np.int32],
        need: float,
        *,
        side: int,
        price: NDArray[np.float64],
        targets: int = 1,
        blocked: NDArray[np.int32] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> Move | None:
        """Move without the cells that are known."""
        known = self._known
        if blocked is not None:
            known = np.union1d(known, blocked).astype(np.int32)
        return super().move(
            cells,
            need,
            side=side,
            price=price,
            targets=targets,
            blocked=known,
            weights=weights,
        )

    def _bounds(
        self, cells: NDArray[np.int32], need: float, side: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        up, down = self.problem.room_up[cells], self._down[cells]
        if side == BOTH:
            up = down = np.minimum(up, down)
        elif side == DOWN:
            up, down = down, up
        return self.within_reach(up / need), self.within_reach(down / need)


class InsiderRepair(Repair):
    """Repair for those who know cells of their own."""

    programs: KnowingPrograms

    def __init__(self, work: Repair, book: InsiderBook) -> None:
        super().__init__(work.ledger, KnowingPrograms(work.ledger.problem), work.price)
        self.book = book
        self.new_owners = False

    def serve(self, cell: int, around: Neighbourhood) -> None:
        """Prove the claims on a cell to all owners at once, else to more and more.

        Where their cells cannot all stand still, a move that uses as little of them
        as it can leaves few owners open, and so on; the last ones come one by one. One
        owner alone who is in the way cannot be avoided.
        """
        for _ in range(_TRIES):
            owners = self._owners(cell)
            if not owners or self._prove(cell, owners, around):
                return
            if owners & (owners - 1) == 0:
                break
            known, shared, own = self.book.knowledge.of_owners(owners)
            price = self._even.copy()
            price[known] = _AVOIDED
            if not self._try(cell, owners, around, (known[:0], shared, own), price):
                break
        tried = self._owners(cell)
        if tried & (tried - 1) == 0:
            return
        for number in islice(members_of(tried), _ONE_BY_ONE):
            if self._owners(cell) >> number & 1:
                self._prove(cell, 1 << number, around)

    def serve_everywhere(self, cell: int, schedule: Sequence[Neighbourhood]) -> None:
        """Hide more cells, if need be, until the claims hold; all owners at once."""
        for around in schedule:
            owners = self._owners(cell)
            if owners:
                self._prove(cell, owners, around)
        for number in members_of(self._owners(cell)):
            for around in schedule:
                if self._owners(cell) >> number & 1:
                    self._prove(cell, 1 << number, around)

    def _owners(self, cell: int) -> int:
        owners = 0
        for some in self.book.of_cell(cell).values():
            owners |= some
        return owners

    def _prove(self, cell: int, owners: int, around: Neighbourhood) -> bool:
        """Find moves that leave alone what these owners know; say if all are proved."""
        for _ in range(_TRIES):
            before = int(self.book.knowledge.learned.sum())
            price = self._even if around.hidden else self.prices()
            knows = self.book.knowledge.of_owners(owners)
            if self._try(cell, owners, around, knows, price):
                break
            if int(self.book.knowledge.learned.sum()) == before:
                break
        return not self._owners(cell) & owners

    def _try(
        self,
        cell: int,
        owners: int,
        around: Neighbourhood,
        knows: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]],
        price: NDArray[np.float64],
    ) -> bool:
        """Record moves that prove something new to some of the owners, if there are."""
        self.programs.know(*knows)
        try:
            found = self._found(cell, owners, around, price)
        finally:
            self.programs.forget()
        for move in found:
            if self.book.knowledge.learn(move.cells):
                self.new_owners = True
        better = False
        for move in found:
            if self._helps(cell, owners, move):
                self.ledger.record(move)
                self.book.add(move)
                better = True
        return better

    def _helps(self, cell: int, owners: int, move: Move) -> bool:
        """Whether a move proves a claim on a cell to some of the owners."""
        return any(
            claim[0] == cell and self.book.open(claim) & owners & ~fails
            for claim, fails in self.book.proves(move)
        )

    def _found(
        self, cell: int, owners: int, around: Neighbourhood, price: NDArray[np.float64]
    ) -> list[Move]:
        claims = {
            side for (_, side), left in self.book.of_cell(cell).items() if left & owners
        }
        needs = {side: self.book.need.get((cell, side), 0.0) for side in claims}
        most = max(needs.values())
        cells = self.cells(cell, most, around, price)
        if len(claims) > 1 or BOTH in claims:
            both = max(n / (2 if s == BOTH else 1) for s, n in needs.items())
            move = self._thin_move(cells, both, BOTH, price, around)
            if move is not None:
                return [move]
        asked = {UP if side == BOTH else side: need for side, need in needs.items()}
        moves = [
            self._thin_move(cells, need, side, price, around)
            for side, need in sorted(asked.items())
        ]
        return [move for move in moves if move is not None]


def settle_insiders(
    work: Repair,
    contributors: Contributors | None,
    *,
    coalition: int = 1,
    deadline: float = np.inf,
) -> InsiderBook:
    """Prove every need to everyone who fills a hidden cell alone.

    Cells that get hidden may have owners of their own, so this goes on until nothing
    is open, or nothing changes. Gives the book of what is proved, and what is open.
    """
    ledger = work.ledger
    stuck = -1
    while True:
        knowledge = Knowledge(
            ledger.problem, ledger.hidden, contributors, coalition=coalition
        )
        book = InsiderBook(ledger.problem, knowledge)
        book.join(ledger.moves)
        if not book.cells() or len(ledger.moves) == stuck:
            return book
        if time.monotonic() > deadline:
            return book
        stuck = len(ledger.moves)
        repair = InsiderRepair(work, book)
        for around in _AMONG_HIDDEN:
            for cell in book.cells():
                if time.monotonic() <= deadline:
                    repair.serve(cell, around)
        for cell in book.cells():
            if time.monotonic() <= deadline:
                repair.serve_everywhere(cell, _WIDER)
        work.programs.solved += repair.programs.solved
        if not repair.new_owners and not book.cells():
            return book
