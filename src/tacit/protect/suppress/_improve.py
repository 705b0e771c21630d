# SPDX-License-Identifier: Apache-2.0
"""Make a safe pattern cheaper without ever losing a proof."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.suppress._local import BOTH
from tacit.protect.suppress._proofs import Proofs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.suppress._ledger import Ledger
    from tacit.protect.suppress._local import LocalPrograms, Move

__all__ = ["clean_up", "exchange"]

_BALLS = (300, 1500)
_SIBLINGS = 6
_BOX = 3000
_BALL_BESIDE_BOX = 600


def clean_up(
    ledger: Ledger, programs: LocalPrograms, *, rising: bool, deadline: float
) -> Ledger:
    """Prove all needs anew with as few of the hidden cells as possible.

    Needs are taken in rising or falling order. Where no cheaper move is found the old
    ones are kept, so the result is never dearer and proves the same.
    """
    problem = ledger.problem
    old = Proofs(problem, ledger.moves)
    fresh = Proofs(problem, ()).ledger()
    least = 1e-7 * problem.cost + 1e-9 * float(problem.cost.max() or 1.0)
    targets = np.flatnonzero(problem.sensitive & ledger.met)
    order = np.argsort(problem.need[targets] * (1 if rising else -1), kind="stable")
    for target in targets[order].tolist():
        if fresh.is_met(target):
            continue
        move = None
        if time.monotonic() <= deadline:
            move = _cheap_move(ledger, fresh, programs, target, least)
        if move is not None:
            fresh.record(move)
        if not fresh.is_met(target):
            fresh.join(old.moves[number] for number in sorted(old.users[target]))
    proofs = Proofs(problem, fresh.moves)
    proofs.prune()
    fresh = proofs.ledger()
    return fresh if fresh.cost < ledger.cost else ledger


def _cheap_move(
    ledger: Ledger,
    fresh: Ledger,
    programs: LocalPrograms,
    target: int,
    least: NDArray[np.float64],
) -> Move | None:
    problem = ledger.problem
    price = np.where(fresh.hidden, 0.0, problem.cost) + least
    for most in _BALLS:
        cells = programs.ball(target, most, price=price, allowed=ledger.hidden)
        move = programs.move(cells, float(problem.need[target]), side=BOTH, price=price)
        if move is not None:
            return move
    return None


def exchange(
    ledger: Ledger, programs: LocalPrograms, *, deadline: float
) -> tuple[Ledger, int]:
    """Try to do without each hidden cell in turn, the dearest first.

    What the cell's moves proved is proved anew without it, hiding other cells if
    together they cost less. Gives the ledger and how many cells were exchanged.
    """
    problem = ledger.problem
    proofs = Proofs(problem, ledger.moves)
    proofs.prune()
    ledger = proofs.ledger()
    taken = 0
    cells = np.flatnonzero(ledger.secondary & ~problem.forced)
    for cell in cells[np.argsort(-problem.cost[cells], kind="stable")].tolist():
        if time.monotonic() > deadline:
            break
        if proofs.users.get(cell):
            taken += _Trial(proofs, programs, problem.cost).without(cell)
    proofs.prune()
    return proofs.ledger(), taken


def _hidden(proofs: Proofs) -> NDArray[np.bool_]:
    hidden = proofs.problem.sensitive | proofs.problem.forced
    used = [cell for cell, users in proofs.users.items() if users]
    hidden[used] = True
    return hidden


class _Trial:
    """One attempt to prove with other cells what a cell proves."""

    def __init__(
        self, proofs: Proofs, programs: LocalPrograms, price: NDArray[np.float64]
    ) -> None:
        self.proofs = proofs
        self.programs = programs
        self.price = price
        self.least = 1e-6 * price + 1e-9 * float(price.max())
        self.hidden = _hidden(proofs)

    def without(self, cell: int) -> bool:
        """Do without a cell if that is cheaper; say whether it was."""
        proofs, problem = self.proofs, self.proofs.problem
        gone = set(proofs.users[cell])
        before = {c for n in gone for c in proofs.moves[n].cells.tolist()}
        kept = {c for c in before if proofs.users[c] - gone}
        freed = np.array(sorted(before - kept), dtype=np.int64)
        freed = freed[~(problem.sensitive | problem.forced)[freed]]
        budget = float(problem.cost[freed].sum()) * (1 - 1e-9)
        self.hidden[freed] = False
        self.allowed = (problem.room > 0) & (~problem.frozen | self.hidden)
        self.allowed[cell] = False
        self.hidden[cell] = False
        numbers: list[int] = []
        if self._prove(gone, budget, numbers):
            proofs.remove(gone)
            return True
        proofs.remove(numbers)
        return False

    def _prove(self, gone: set[int], budget: float, numbers: list[int]) -> bool:
        proofs, problem = self.proofs, self.proofs.problem
        for target in sorted(proofs.lost(gone), key=lambda t: (-problem.need[t], t)):
            if proofs.is_met(target, gone):
                continue
            move = self._move(target)
            if move is None:
                return False
            new = move.cells[~self.hidden[move.cells]]
            budget -= float(problem.cost[new].sum())
            if budget <= 0:
                return False
            self.hidden[new] = True
            numbers.append(proofs.add(move))
            if not proofs.is_met(target, gone):
                return False
        return True

    def _move(self, target: int) -> Move | None:
        need = float(self.proofs.problem.need[target])
        price = np.where(self.hidden, 0.0, self.price) + self.least
        programs, allowed = self.programs, self.hidden & self.allowed
        allowed[target] = True
        cells = programs.ball(target, _BALLS[0], price=price, allowed=allowed)
        move = programs.move(cells, need, side=BOTH, price=price)
        if move is not None:
            return move
        cells = programs.ball(
            target, _BALL_BESIDE_BOX, price=price, allowed=self.allowed
        )
        boxed = programs.box(
            target, need, siblings=_SIBLINGS, levels=0, most=_BOX, price=price
        )
        if boxed is not None:
            boxed = boxed[self.allowed[boxed]]
            more = np.setdiff1d(cells, boxed, assume_unique=True)
            cells = np.concatenate([boxed, more]).astype(np.int32)
        return programs.move(cells, need, side=BOTH, price=price)
