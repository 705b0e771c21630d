# SPDX-License-Identifier: Apache-2.0
"""Find a move for every need that has none, hiding more cells where it must be.

Each need is tried among the cells already hidden first, which costs nothing, then in
wider and wider neighbourhoods at the least price. A move proves whatever else it
happens to reach, so few programs serve many needs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.suppress._local import BOTH, DOWN, UP, LocalPrograms, Move

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from tacit.protect.suppress._ledger import Ledger

__all__ = ["AMONG_HIDDEN", "EVERYWHERE", "LAST_WORD", "Neighbourhood", "repair"]

# Support of a move is thinned by asking again with prices divided by what each cell
# carried; this share keeps the price of a cell that carried nothing finite.
_CARRIED = 0.05
_THINNINGS = 2


@dataclass(frozen=True)
class Neighbourhood:
    """Which cells one program may move.

    ``ball`` cells nearest by price, joined with a box of codes with that many
    ``siblings`` per dimension, over that many ``levels`` upwards (no box for 0
    siblings). ``hidden`` keeps to cells that are hidden already. ``sides`` asks for
    moves up and down apart where no symmetric one is found.
    """

    ball: int
    hidden: bool = False
    siblings: int = 0
    levels: int = 0
    most: int = 8000
    sides: bool = False


AMONG_HIDDEN = (
    (Neighbourhood(300, hidden=True),),
    (Neighbourhood(1500, hidden=True),),
)
EVERYWHERE = (
    Neighbourhood(300, hidden=True),
    Neighbourhood(1500, hidden=True),
    Neighbourhood(1500, siblings=6, most=3000),
    Neighbourhood(3000, siblings=6, levels=1, most=8000),
    Neighbourhood(3000, siblings=6, levels=9, most=20000, sides=True),
)
# Everything that can be reached: for the few needs that nothing smaller has met.
LAST_WORD = (Neighbourhood(40_000, sides=True),)


class Repair:
    """The work of one process: programs, prices and the ledger it fills."""

    def __init__(
        self, ledger: Ledger, programs: LocalPrograms, price: NDArray[np.float64]
    ) -> None:
        self.ledger = ledger
        self.programs = programs
        self.price = price
        scale = float(price[price > 0].min()) if (price > 0).any() else 1.0
        self._least = 1e-6 * price + 1e-3 * scale
        self._everything = ledger.problem.room > 0
        self._everything &= ~ledger.problem.frozen | ledger.hidden
        self._even = np.ones(len(ledger.problem))

    def prices(self) -> NDArray[np.float64]:
        """Price of each cell now: next to nothing for cells that are hidden."""
        return np.where(self.ledger.hidden, 0.0, self.price) + self._least

    def cells(
        self,
        target: int,
        need: float,
        around: Neighbourhood,
        price: NDArray[np.float64],
    ) -> NDArray[np.int32]:
        """Give the cells of a neighbourhood, the target first."""
        if around.hidden:
            return self.programs.ball(
                target, around.ball, price=self._even, allowed=self.ledger.hidden
            )
        room = np.maximum(self.ledger.problem.room, _CARRIED)
        steps = price * np.maximum(1.0, need / room)
        allowed = self._everything | self.ledger.hidden
        ball = self.programs.ball(target, around.ball, price=steps, allowed=allowed)
        if not around.siblings:
            return ball
        boxed = self.programs.box(
            target,
            need,
            siblings=around.siblings,
            levels=around.levels,
            most=around.most,
            price=price,
        )
        if boxed is None:
            return ball
        boxed = boxed[allowed[boxed]]
        more = np.setdiff1d(ball, boxed, assume_unique=True)
        return np.concatenate([boxed, more]).astype(np.int32)

    def settle(self, target: int, schedule: Sequence[Neighbourhood]) -> bool:
        """Prove the needs of one cell; say whether that worked."""
        need = float(self.ledger.problem.need[target])
        for around in schedule:
            price = self._even if around.hidden else self.prices()
            cells = self.cells(target, need, around, price)
            for move in self._moves(target, cells, around, price):
                self.ledger.record(move)
            if self.ledger.is_met(target):
                return True
        return False

    def _moves(
        self,
        target: int,
        cells: NDArray[np.int32],
        around: Neighbourhood,
        price: NDArray[np.float64],
    ) -> list[Move]:
        """Move to both sides at once, or to each apart where that is cheaper."""
        problem = self.ledger.problem
        need = float(problem.need[target])
        both = self._thin_move(cells, need, BOTH, price, around)
        cost = np.inf if both is None else self._new_cost([both])
        short = problem.room[target] < need
        if cost == 0 or (around.hidden and not (around.sides or short)):
            return [] if both is None else [both]
        for sides in self._sides(target):
            apart = self._apart(cells, sides, around, price)
            if apart and self._new_cost(apart) < cost:
                return apart
        return [] if both is None else [both]

    def _sides(self, target: int) -> list[list[tuple[int, float]]]:
        """List what proves a cell without symmetry: one list of (side, distance) each.

        A cell that only needs some width has it upwards or downwards.
        """
        problem = self.ledger.problem
        both = ((UP, problem.need_up[target]), (DOWN, problem.need_down[target]))
        needs = [(side, float(need)) for side, need in both if need > 0]
        width = float(problem.need_width[target])
        return [needs] if needs else [[(UP, width)], [(DOWN, width)]]

    def _apart(
        self,
        cells: NDArray[np.int32],
        sides: list[tuple[int, float]],
        around: Neighbourhood,
        price: NDArray[np.float64],
    ) -> list[Move]:
        """Give one move for each side, the later ones free to use what earlier hide."""
        moves: list[Move] = []
        for side, need in sides:
            move = self._thin_move(cells, need, side, price, around)
            if move is None:
                return []
            moves.append(move)
            price = price.copy()
            price[move.cells] = self._least[move.cells]
        return moves

    def _thin_move(
        self,
        cells: NDArray[np.int32],
        need: float,
        side: int,
        price: NDArray[np.float64],
        around: Neighbourhood,
    ) -> Move | None:
        """Move at the least price, then ask for fewer new cells."""
        move = self.programs.move(cells, need, side=side, price=price)
        if move is None or around.hidden:
            return move
        cost = self._new_cost([move])
        for _ in range(_THINNINGS):
            if cost == 0:
                break
            carried = np.zeros(len(price))
            carried[move.cells] = np.abs(move.amounts) / need
            thinner = price.copy()
            thinner[cells] /= carried[cells] + _CARRIED
            again = self.programs.move(cells, need, side=side, price=thinner)
            if again is None or self._new_cost([again]) >= cost:
                break
            move, cost = again, self._new_cost([again])
        return move

    def _new_cost(self, moves: Sequence[Move]) -> float:
        cells = np.unique(np.concatenate([move.cells for move in moves]))
        return float(self.price[cells[~self.ledger.hidden[cells]]].sum())


def repair(
    work: Repair,
    schedule: Sequence[Neighbourhood],
    *,
    deadline: float = np.inf,
    progress: Callable[[int], None] | None = None,
) -> NDArray[np.int64]:
    """Settle every open cell by one schedule; give those that stay open."""
    failed = []
    for number, target in enumerate(work.ledger.open()):
        if work.ledger.is_met(int(target)):
            continue
        if time.monotonic() > deadline:
            return work.ledger.open()
        if not work.settle(int(target), schedule):
            failed.append(int(target))
        if progress is not None and number % 64 == 0:
            progress(number)
    return np.array(failed, dtype=np.int64)
