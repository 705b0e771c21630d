# SPDX-License-Identifier: Apache-2.0
"""Which move proves which need, so that moves and cells can be taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.suppress._ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tacit.protect.suppress._local import Move
    from tacit.protect.suppress._problem import Problem

__all__ = ["Proofs"]

_NOISE = 1e-9


class Proofs:
    """Moves by the cells they touch, with what each of them proves."""

    def __init__(self, problem: Problem, moves: Iterable[Move]) -> None:
        self.problem = problem
        self.moves: dict[int, Move] = {}
        self.users: dict[int, set[int]] = {}
        self.reach: dict[int, dict[int, tuple[float, float]]] = {}
        self._next = 0
        for move in moves:
            self.add(move)

    def add(self, move: Move) -> int:
        """Take a move in; give its number."""
        number, self._next = self._next, self._next + 1
        self.moves[number] = move
        for cell in move.cells.tolist():
            self.users.setdefault(cell, set()).add(number)
        self.reach[number] = self._reach_of(move)
        return number

    def remove(self, numbers: Iterable[int]) -> None:
        """Take moves out."""
        for number in list(numbers):
            move = self.moves.pop(number)
            del self.reach[number]
            for cell in move.cells.tolist():
                self.users[cell].discard(number)

    def _reach_of(self, move: Move) -> dict[int, tuple[float, float]]:
        """Give how far a move takes each sensitive cell: (up, down)."""
        problem = self.problem
        up_fits, down_fits = (
            bool((amounts <= problem.room_up[move.cells] * (1 + _NOISE) + _NOISE).all())
            and bool(
                (
                    -amounts <= problem.room_down[move.cells] * (1 + _NOISE) + _NOISE
                ).all()
            )
            for amounts in (move.amounts, -move.amounts)
        )
        at = np.flatnonzero(problem.sensitive[move.cells])
        amounts = move.amounts[at]
        up = np.maximum(amounts * up_fits, -amounts * down_fits)
        down = np.maximum(-amounts * up_fits, amounts * down_fits)
        pairs = zip(up.tolist(), down.tolist(), strict=True)
        return dict(zip(move.cells[at].tolist(), pairs, strict=True))

    def is_met(self, target: int, without: frozenset[int] | set[int]) -> bool:
        """Whether the needs of a cell stay proved without some of the moves."""
        up = down = 0.0
        for number in self.users.get(target, ()):
            if number in without:
                continue
            one = self.reach[number].get(target)
            if one is not None:
                up, down = max(up, one[0]), max(down, one[1])
        problem, less = self.problem, 1.0 - _NOISE
        return bool(
            up >= problem.need_up[target] * less
            and down >= problem.need_down[target] * less
            and up + down >= problem.need_width[target] * less
        )

    def lost(self, without: set[int]) -> list[int]:
        """Give the cells whose needs are proved now and not without these moves."""
        touched = sorted({cell for n in without for cell in self.reach[n]})
        return [
            cell
            for cell in touched
            if not self.is_met(cell, without) and self.is_met(cell, frozenset())
        ]

    def prune(self) -> None:
        """Drop moves that prove nothing on their own, the dearest ones first."""
        cost = self.problem.cost * ~self.problem.sensitive
        price = {n: float(cost[move.cells].sum()) for n, move in self.moves.items()}
        for number in sorted(price, key=lambda n: (-price[n], n)):
            if not self.lost({number}):
                self.remove([number])

    def ledger(self) -> Ledger:
        """Give a ledger of what is left, with no cell hidden that no move uses."""
        fresh = Ledger(self.problem, self.problem.sensitive)
        fresh.join(self.moves[number] for number in sorted(self.moves))
        return fresh
