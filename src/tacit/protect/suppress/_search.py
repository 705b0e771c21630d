# SPDX-License-Identifier: Apache-2.0
"""Propose cheaper and cheaper patterns, and cut off those that are not safe."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.suppress._cuts import Meter, broken_cuts, cover_of
from tacit.protect.suppress._improve import clean_up
from tacit.protect.suppress._ledger import Ledger
from tacit.protect.suppress._local import LocalPrograms
from tacit.protect.suppress._outcome import Outcome
from tacit.protect.suppress._proofs import Proofs
from tacit.protect.suppress._repair import (
    AMONG_HIDDEN,
    EVERYWHERE,
    LAST_WORD,
    Repair,
    repair,
)
from tacit.protect.suppress._whole_program import WholeProgram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.suppress._guide import Relaxation
    from tacit.protect.suppress._problem import Problem
    from tacit.protect.suppress._progress import Clock

__all__ = ["GAP", "Search"]

# A pattern this close to its bound, as a share of its cost, counts as optimal.
GAP = 1e-6
# A proposal need not be better known than this share of the gap that is open.
_CLOSER = 0.25


class Search:
    """The best pattern so far, the bound, and the cuts that every pattern keeps."""

    def __init__(
        self,
        problem: Problem,
        relaxation: Relaxation,
        ledger: Ledger,
        bound: float,
        *,
        nodes: int | None = None,
    ) -> None:
        self.problem, self.relaxation = problem, relaxation
        self.ledger, self.bound = _without_idle(ledger), bound
        self.programs = LocalPrograms(problem)
        self.nodes = nodes
        self._closer = _CLOSER

    @property
    def gap(self) -> float:
        """Distance from the bound to the best pattern, as a share of its cost."""
        cost = self.ledger.cost
        return 0.0 if cost <= 0 else max(0.0, 1.0 - self.bound / cost)

    def run(
        self, clock: Clock, *, gap: float = GAP, meter: Meter | None = None
    ) -> None:
        """Propose patterns and cut off those that are not safe, until none is left."""
        meter = meter or Meter()
        while self.gap > gap and not clock.over and not meter.empty:
            clock.tell("proving", self.ledger)
            if not self._step(clock, gap, meter):
                break

    def _step(self, clock: Clock, gap: float, meter: Meter) -> bool:
        """Take one step; say whether another one could bring more."""
        relaxation, problem = self.relaxation, self.problem
        relaxation.fix(self.ledger.hidden, self.ledger.cost)
        program = WholeProgram(relaxation, self.ledger.hidden)
        asked = max(gap, self.gap * self._closer)
        seconds = clock.deadline - time.monotonic()
        found = program.solve(gap=asked, seconds=seconds, nodes=self.nodes, meter=meter)
        self.raise_bound(found.bound)
        clock.bound = self.bound
        new = 0
        for hidden in found.patterns:
            if (hidden == self.ledger.hidden).all():
                continue
            new += 1
            cuts = list(broken_cuts(problem, hidden.astype(np.float64), meter))
            relaxation.add(cuts)
            relaxation.add([cover_of(cut, hidden) for cut in cuts])
            self.complete(hidden, clock.deadline)
        if not new and asked > gap:
            self._closer = 0.0
            return True
        return bool(new)

    @property
    def outcome(self) -> Outcome:
        """The best pattern so far and its bound, as a method hands them back."""
        ledger, solved = self.ledger, self.programs.solved
        return Outcome(ledger.hidden, ledger, ledger.open(), self.bound, solved)

    def raise_bound(self, bound: float) -> None:
        """Take in a bound of the cost of every pattern."""
        self.bound = max(self.bound, min(bound, self.ledger.cost))

    def complete(self, hidden: NDArray[np.bool_], deadline: float = np.inf) -> None:
        """Make a safe pattern of one that may not be, and keep it if it is cheaper."""
        problem = self.problem
        start = float(problem.cost[hidden & ~problem.sensitive].sum())
        if start >= self.ledger.cost:
            return
        work = Repair(Ledger(problem, hidden), self.programs, problem.cost)
        for schedule in (*AMONG_HIDDEN, EVERYWHERE, LAST_WORD):
            repair(work, schedule, deadline=deadline)
        ledger = work.ledger
        if len(ledger.open()):
            return
        ledger = clean_up(ledger, self.programs, rising=True, deadline=deadline)
        ledger = _without_idle(ledger)
        if ledger.cost < self.ledger.cost:
            self.ledger = ledger


def _without_idle(ledger: Ledger) -> Ledger:
    """Publish what no proof needs."""
    proofs = Proofs(ledger.problem, ledger.moves)
    proofs.prune()
    return proofs.ledger()
