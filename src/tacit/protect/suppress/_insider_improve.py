# SPDX-License-Identifier: Apache-2.0
"""Make a pattern cheaper that also protects from the contributors themselves."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.suppress._insiders import KnowingPrograms
from tacit.protect.suppress._ledger import Ledger
from tacit.protect.suppress._local import BOTH, DOWN, UP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.suppress._insider_book import InsiderBook
    from tacit.protect.suppress._local import Move

__all__ = ["exchange_knowingly", "ledger_of"]

_HIDDEN_BALLS = (300, 1500)
_BALL = 600
_SIBLINGS = 6
_BOX = 2000
# A trial that has to prove more cells anew than this is not worth its time.
_MOST_LOST = 60


def ledger_of(book: InsiderBook, forced: NDArray[np.bool_]) -> Ledger:
    """Give the ledger of the moves in a book; only cells that one uses are hidden."""
    ledger = Ledger(book.problem, forced)
    ledger.join(book.moves[number].move for number in sorted(book.moves))
    return ledger


def exchange_knowingly(
    book: InsiderBook, *, keep: NDArray[np.bool_], deadline: float
) -> int:
    """Try to do without each hidden cell, the dearest first; count the successes.

    What its moves proved to anybody is proved anew without it, hiding other cells if
    together they cost less. Cells in ``keep`` stay hidden. What was proved stays so.
    """
    problem = book.problem
    book.prune()
    fixed = keep | problem.sensitive | problem.forced
    cells = np.array(sorted(c for c, u in book.users.items() if u), dtype=np.int64)
    cells = cells[~fixed[cells]]
    trial = _Trial(book, fixed)
    taken = 0
    for cell in cells[np.argsort(-problem.cost[cells], kind="stable")].tolist():
        if time.monotonic() > deadline:
            break
        if book.users.get(cell):
            taken += trial.without(cell)
    book.prune()
    return taken


class _Trial:
    """Attempts to prove without a cell what it proves."""

    def __init__(self, book: InsiderBook, fixed: NDArray[np.bool_]) -> None:
        self.book, self.fixed = book, fixed
        self.programs = KnowingPrograms(book.problem)
        self.cost = book.problem.cost
        self.least = 1e-6 * self.cost + 1e-9 * float(self.cost.max(initial=1.0))
        problem = book.problem
        self.free = (problem.room > 0) & ~problem.frozen & (problem.owner < 0)

    def without(self, cell: int) -> bool:
        """Do without a cell if that is cheaper; say whether it was."""
        book = self.book
        gone = set(book.users[cell])
        lost = book.lost(gone)
        if len(lost) > _MOST_LOST:
            return False
        before = {c for n in gone for c in book.moves[n].move.cells.tolist()}
        freed = [c for c in before if not book.users[c] - gone and not self.fixed[c]]
        self.hidden = self.fixed.copy()
        self.hidden[[c for c, users in book.users.items() if users]] = True
        self.hidden[freed] = False
        self.allowed = self.hidden | self.free
        self.allowed[cell] = False
        self.budget = float(self.cost[freed].sum()) * (1 - 1e-9)
        numbers: list[int] = []
        if all(self._prove(one, gone, numbers) for one in lost):
            book.remove(gone)
            return True
        book.remove(numbers)
        return False

    def _prove(self, cell: int, gone: set[int], numbers: list[int]) -> bool:
        """Prove again what a cell would lose, within the budget."""
        book = self.book
        for side in (UP, DOWN, BOTH):
            claim = cell, side
            if claim not in book.need:
                continue
            owners = book.open_without(claim, gone) & ~book.open(claim)
            if not owners:
                continue
            move = self._move(claim, owners, gone)
            if move is None:
                return False
            new = np.unique(move.cells[~self.hidden[move.cells]])
            self.budget -= float(self.cost[new].sum())
            if self.budget <= 0 or book.knowledge.learn(move.cells):
                return False
            self.hidden[new] = True
            numbers.append(book.add(move))
            if book.open_without(claim, gone) & owners:
                return False
        return True

    def _move(self, claim: tuple[int, int], owners: int, gone: set[int]) -> Move | None:
        """Find a move for these owners, one for both sides where that goes."""
        cell, side = claim
        book, programs = self.book, self.programs
        need = book.need[claim]
        other = cell, -side
        sides = [side]
        if side == BOTH:
            need, sides = need / 2, [BOTH]
        elif other in book.need and book.open_without(other, gone):
            sides = [BOTH, side]
        both = max(need, book.need.get(other, 0.0))
        price = np.where(self.hidden, 0.0, self.cost) + self.least
        programs.know(*book.knowledge.of_owners(owners))
        try:
            for among in (True, False):
                cells = self._cells(cell, need, price, among=among)
                for one in sides:
                    far = both if one == BOTH else need
                    move = programs.move(cells, far, side=one, price=price)
                    if move is not None:
                        return move
        finally:
            programs.forget()
        return None

    def _cells(
        self, cell: int, need: float, price: NDArray[np.float64], *, among: bool
    ) -> NDArray[np.int32]:
        programs, allowed = self.programs, self.allowed
        if among:
            inside = self.hidden & allowed
            inside[cell] = True
            return programs.ball(cell, _HIDDEN_BALLS[0], price=price, allowed=inside)
        ball = programs.ball(cell, _BALL, price=price, allowed=allowed)
        boxed = programs.box(
            cell, need, siblings=_SIBLINGS, levels=0, most=_BOX, price=price
        )
        if boxed is None:
            return ball
        boxed = boxed[allowed[boxed]]
        more = np.setdiff1d(ball, boxed, assume_unique=True)
        return np.concatenate([boxed, more]).astype(np.int32)
