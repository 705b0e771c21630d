# SPDX-License-Identifier: Apache-2.0
"""Make a pattern cheaper region by region, each solved to its optimum.

A region is a few hidden cells and what lies around them. What these cells prove is
proved anew at the least cost, with all other hidden cells as they are. The region is a
small problem of its own, so the search for the cheapest pattern is asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.protect.suppress._cuts import Meter
from tacit.protect.suppress._guide import Relaxation
from tacit.protect.suppress._ledger import Ledger
from tacit.protect.suppress._local import Move
from tacit.protect.suppress._proofs import Proofs
from tacit.protect.suppress._search import Search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tacit.protect.suppress._local import LocalPrograms
    from tacit.protect.suppress._problem import Problem
    from tacit.protect.suppress._progress import Clock

__all__ = ["SIZES", "Size", "exchange_regions"]


class Size(NamedTuple):
    """Hidden cells that a region gives up, cells around them, needs it may have.

    ``effort`` is what one region may take, as a meter counts it.
    """

    freed: int
    around: int
    proofs: int
    effort: float


_NODES = 100
_GAP = 1e-3
# From one pass over a pattern in seconds to one that takes minutes.
SIZES = (
    Size(5, 300, 100, 1e5),
    Size(10, 300, 400, 1e6),
    Size(20, 600, 400, 1e6),
    Size(40, 1000, 400, 3e6),
    Size(80, 1500, 400, 5e6),
)


def exchange_regions(
    ledger: Ledger, programs: LocalPrograms, size: Size, clock: Clock
) -> tuple[Ledger, int]:
    """Go through the pattern once in regions of one size; count the cheaper ones."""
    work = _Regions(ledger, programs, size)
    taken = 0
    for region in work:
        if clock.over:
            break
        if work.solve(region, clock):
            taken += 1
            clock.tell("searching", work.proofs.ledger())
    work.proofs.prune()
    return work.proofs.ledger(), taken


class _Regions:
    """The pattern in hand, and the cells that no region has held so far."""

    def __init__(self, ledger: Ledger, programs: LocalPrograms, size: Size) -> None:
        self.problem, self.programs, self.size = ledger.problem, programs, size
        self.proofs = Proofs(ledger.problem, ledger.moves)
        self.proofs.prune()
        self.even = np.ones(len(self.problem))
        self.fixed = self.problem.sensitive | self.problem.forced
        self.movable = (self.problem.room > 0) & ~self.problem.frozen

    def hidden(self) -> NDArray[np.bool_]:
        """Cells that the proofs in hand use."""
        hidden = self.fixed.copy()
        hidden[[cell for cell, users in self.proofs.users.items() if users]] = True
        return hidden

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        """Give regions around each hidden cell that was in none yet, dearest first."""
        done = self.fixed.copy()
        cost = self.problem.cost
        while True:
            hidden = self.hidden()
            left = np.flatnonzero(hidden & ~done)
            if not len(left):
                return
            centre = int(left[np.argmax(cost[left])])
            near = self.programs.ball(
                centre, self.size.around, price=self.even, allowed=hidden
            )
            near = near[~self.fixed[near]][: self.size.freed]
            done[near] = True
            done[centre] = True
            yield near.astype(np.int64)

    def solve(self, freed: NDArray[np.int64], clock: Clock) -> bool:
        """Prove anew what needs the given cells; say whether that became cheaper."""
        gone = set().union(*(self.proofs.users[cell] for cell in freed.tolist()))
        lost = self.proofs.lost(gone)
        if not lost or len(lost) > self.size.proofs:
            return False
        cells = self._cells(freed, gone)
        part, moves = self._part(cells, gone, lost)
        start = Ledger(part, part.sensitive)
        start.join(moves)
        if len(start.open()):
            return False
        meter = Meter(self.size.effort)
        relaxation = Relaxation(part)
        advice = relaxation.converge(meter)
        search = Search(part, relaxation, start, advice.bound, nodes=_NODES)
        before = search.ledger.cost
        search.run(replace(clock, progress=None), gap=_GAP, meter=meter)
        if search.ledger.cost >= before * (1 - 1e-9):
            return False
        self.proofs.remove(gone)
        for move in search.ledger.moves:
            self.proofs.add(Move(cells[move.cells].astype(np.int32), move.amounts))
        return True

    def _cells(self, freed: NDArray[np.int64], gone: set[int]) -> NDArray[np.int64]:
        """What the moves in question use, and what lies around the freed cells."""
        price = self.problem.cost / (self.problem.cost.mean() or 1.0) + 1e-3
        ball = self.programs.ball(
            int(freed[0]),
            self.size.around,
            price=np.where(self.hidden(), 1e-3, price),
            allowed=self.movable | self.fixed,
        )
        used = [self.proofs.moves[number].cells for number in sorted(gone)]
        cells: NDArray[np.int64] = np.unique(np.concatenate([ball, freed, *used]))
        return cells

    def _part(
        self, cells: NDArray[np.int64], gone: set[int], lost: list[int]
    ) -> tuple[Problem, list[Move]]:
        """Make a problem of the region, and what proves its needs now."""
        problem, proofs = self.problem, self.proofs
        kept = self.fixed.copy()
        kept[[c for c, users in proofs.users.items() if users - gone]] = True
        place = np.full(len(problem), -1, dtype=np.int64)
        place[cells] = np.arange(len(cells))
        sensitive = np.zeros(len(cells), dtype=np.bool_)
        sensitive[place[lost]] = True
        part = problem.among(cells, problem.relations_among(cells))
        part = replace(
            part,
            sensitive=sensitive,
            need_down=np.where(sensitive, part.need_down, 0.0),
            need_up=np.where(sensitive, part.need_up, 0.0),
            need_width=np.where(sensitive, part.need_width, 0.0),
            frozen=part.frozen & ~kept[cells],
            forced=kept[cells] & ~sensitive,
        )
        moves = [
            Move(place[m.cells].astype(np.int32), m.amounts)
            for m in (proofs.moves[number] for number in sorted(gone))
        ]
        return part, moves
