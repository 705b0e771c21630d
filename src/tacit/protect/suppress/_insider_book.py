# SPDX-License-Identifier: Apache-2.0
"""Which move proves which need to whom. Confidential."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.suppress._local import BOTH, DOWN, UP

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tacit.protect.suppress._knowledge import Knowledge
    from tacit.protect.suppress._local import Move
    from tacit.protect.suppress._problem import Problem

__all__ = ["Claim", "InsiderBook"]

Claim = tuple[int, int]
"""A sensitive cell, and UP, DOWN or BOTH for the width of its interval."""

_NOISE = 1e-9
# More proofs of a claim that nobody is left to doubt are kept up to this number: they
# let moves be taken back, and cost memory.
_SPARE = 12


@dataclass(frozen=True, eq=False)
class _Proof:
    """A move in the book: whom it and its mirror image fail, and what they prove."""

    move: Move
    proved: tuple[tuple[Claim, int], ...]


class InsiderBook:
    """Claims, and for each the moves that prove it with the owners they do not serve.

    A claim is open to the owners in whom all its moves touch something, and to all,
    the outsider among them, if it has no move. Owners that are part of the claimed
    cell have no claim on it.
    """

    def __init__(self, problem: Problem, knowledge: Knowledge) -> None:
        self.problem, self.knowledge = problem, knowledge
        self.need: dict[Claim, float] = {}
        wanted = ((UP, problem.need_up), (DOWN, problem.need_down))
        for side, need in (*wanted, (BOTH, problem.need_width)):
            for cell in np.flatnonzero(problem.sensitive & (need > 0)).tolist():
                self.need[cell, side] = float(need[cell])
        self.proofs: dict[Claim, dict[int, int]] = {claim: {} for claim in self.need}
        self.moves: dict[int, _Proof] = {}
        self.users: dict[int, set[int]] = {}
        self._open: dict[Claim, int] = {}
        self._next = 0

    def __repr__(self) -> str:
        return f"<InsiderBook: {len(self.need):,} claims, confidential>"

    def add(self, move: Move) -> int:
        """Take a move in; give its number."""
        number, self._next = self._next, self._next + 1
        proved = tuple(self.proves(move))
        for claim, fails in proved:
            left = self.open(claim)
            if left or len(self.proofs[claim]) < _SPARE:
                self.proofs[claim][number] = fails
                self._open[claim] = left & fails
        self.moves[number] = _Proof(move, proved)
        for cell in move.cells.tolist():
            self.users.setdefault(cell, set()).add(number)
        return number

    def join(self, moves: Iterable[Move]) -> None:
        """Take many moves in."""
        for move in moves:
            self.add(move)

    def remove(self, numbers: Iterable[int]) -> None:
        """Take moves out."""
        for number in list(numbers):
            proof = self.moves.pop(number)
            for claim, _ in proof.proved:
                if self.proofs[claim].pop(number, None) is not None:
                    self._open.pop(claim, None)
            for cell in proof.move.cells.tolist():
                self.users[cell].discard(number)

    def proves(self, move: Move) -> list[tuple[Claim, int]]:
        """Claims that a move proves, and the owners to whom it does not."""
        problem, cells = self.problem, move.cells
        fails = [self._fails(move, side) for side in (UP, DOWN)]
        at = np.flatnonzero(problem.sensitive[cells])
        found = []
        for cell, amount in zip(
            cells[at].tolist(), move.amounts[at].tolist(), strict=True
        ):
            far = abs(amount) * (1 + _NOISE)
            ahead, back = fails if amount > 0 else fails[::-1]
            for side, failed in ((UP, ahead), (DOWN, back)):
                if failed is not None and 0 < self.need.get((cell, side), -1) <= far:
                    found.append(((cell, side), failed))
            width = self._width(far, self.need.get((cell, BOTH), -1.0), (ahead, back))
            if width is not None:
                found.append(((cell, BOTH), width))
        return found

    def _width(
        self, far: float, need: float, fails: tuple[int | None, int | None]
    ) -> int | None:
        """Whom a move fails that should show a width, from one end or from both."""
        ahead, back = fails
        if need <= 0:
            return None
        if far >= need and (ahead is not None or back is not None):
            everybody = self.knowledge.everybody
            return (everybody if ahead is None else ahead) & (
                everybody if back is None else back
            )
        if 2 * far >= need and ahead is not None and back is not None:
            return ahead | back
        return None

    def _fails(self, move: Move, side: int) -> int | None:
        """Owners to whom a move is impossible; None where it is to everybody."""
        problem, cells, far = self.problem, move.cells, move.amounts * side
        room = np.where(far > 0, problem.room_up[cells], problem.room_down[cells])
        if (np.abs(far) > room * (1 + _NOISE) + _NOISE).any():
            return None
        return self.knowledge.touched(cells.tolist(), far.tolist())

    def open(self, claim: Claim) -> int:
        """Owners to whom a claim is not proved."""
        left = self._open.get(claim)
        if left is None:
            left = self.open_without(claim, frozenset())
            self._open[claim] = left
        return left

    def open_without(self, claim: Claim, gone: frozenset[int] | set[int]) -> int:
        """Owners to whom a claim is not proved without some of the moves."""
        knowledge = self.knowledge
        left = knowledge.everybody & ~knowledge.part_of(claim[0])
        for number, fails in self.proofs[claim].items():
            if number not in gone:
                left &= fails
                if not left:
                    break
        return left

    def of_cell(self, cell: int) -> dict[Claim, int]:
        """Open claims on a cell, and to whom."""
        claims = [(cell, side) for side in (UP, DOWN, BOTH)]
        found = {claim: self.open(claim) for claim in claims if claim in self.need}
        return {claim: owners for claim, owners in found.items() if owners}

    def cells(self) -> list[int]:
        """Cells with open claims, the most demanding first."""
        need = self.problem.need
        return sorted(
            {claim[0] for claim in self.need if self.open(claim)},
            key=lambda cell: (-float(need[cell]), cell),
        )

    def count(self) -> int:
        """Number of pairs of a claim and an owner that are open."""
        return sum(self.open(claim).bit_count() for claim in self.need)

    def lost(self, gone: set[int]) -> list[int]:
        """Cells about which less would be proved without some of the moves."""
        claims = {claim for n in gone for claim, _ in self.moves[n].proved}
        found = {c[0] for c in claims if self.open_without(c, gone) & ~self.open(c)}
        return sorted(found, key=lambda c: (-float(self.problem.need[c]), c))

    def prune(self) -> None:
        """Drop moves that prove nothing on their own, the dearest ones first."""
        cost = self.problem.cost * ~self.problem.sensitive
        price = {n: float(cost[p.move.cells].sum()) for n, p in self.moves.items()}
        for number in sorted(price, key=lambda n: (-price[n], n)):
            if not self.lost({number}):
                self.remove([number])
