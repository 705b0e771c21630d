# SPDX-License-Identifier: Apache-2.0
"""Protect a hierarchical table subtable by subtable, from the top down.

Each subtable is solved to its optimum with its totals as they are. Only where that
cannot protect it may totals be withheld too; then the work begins again above them.
What is safe in every subtable need not be safe in the whole table, so the shared repair
comes last.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.suppress._complete import finish
from tacit.protect.suppress._gauss_only import gauss
from tacit.protect.suppress._ledger import Ledger
from tacit.protect.suppress._optimal import pattern as optimal
from tacit.protect.suppress._optimal import quickly
from tacit.protect.suppress._subtables import part_of, subtables_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tacit.protect.suppress._outcome import Outcome
    from tacit.protect.suppress._parallel import Crew
    from tacit.protect.suppress._problem import Problem
    from tacit.protect.suppress._progress import Clock
    from tacit.protect.suppress._subtables import Subtables

__all__ = ["pattern"]

# What one subtable may take, as a meter counts it: a second or so. Effort instead of
# time lets the result depend on nothing but the table.
_EFFORT = 3e6
# Of the time that is left; the rest is for the whole table.
_SHARE_OF_TIME = 0.6
_SWEEPS = 100
# A cell that is withheld for others needs this share of its value, so that it goes on
# protecting them further down.
_SHARE = 0.01
_BATCH = 16


def pattern(problem: Problem, *, clock: Clock, crew: Crew) -> Outcome:
    """Hide cells subtable by subtable, then repair what that leaves open."""
    clock.tell("subtables")
    place = problem.geometry
    if place is None:
        return finish(Ledger(problem, gauss(problem)), clock=clock, crew=crew)
    subtables = subtables_of(place)
    if len(subtables) == 1 and place.complete:
        return optimal(problem, clock=clock, crew=crew)
    left = clock.deadline - time.monotonic()
    some = replace(clock, limit=clock.seconds + _SHARE_OF_TIME * left)
    hidden = _TopDown(problem, subtables, some, crew).run()
    return finish(Ledger(problem, hidden), clock=clock, crew=crew, thorough=False)


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """A subtable to protect: which one, and as a problem of its own."""

    number: int
    problem: Problem
    total: NDArray[np.bool_]
    deadline: float


class _TopDown:
    """The sweep over the subtables, and what it has hidden so far."""

    def __init__(
        self, problem: Problem, subtables: Subtables, clock: Clock, crew: Crew
    ) -> None:
        self.problem, self.subtables = problem, subtables
        self.clock, self.crew = clock, crew
        self.hidden = problem.sensitive | problem.forced
        # What was hidden in a subtable when it was last solved.
        self.solved: dict[int, bytes] = {}

    def run(self) -> NDArray[np.bool_]:
        """Sweep until every subtable is solved for what is hidden in it."""
        for _ in range(_SWEEPS):
            if self.clock.over or not self._sweep():
                break
        return self.hidden

    def _sweep(self) -> bool:
        """Go down group by group, as far as no total is newly hidden."""
        groups = self.subtables.group
        ends = np.append(np.flatnonzero(np.diff(groups)) + 1, len(groups))
        start, changed = 0, False
        for end in ends.tolist():
            tasks = list(self._tasks(start, end))
            start = end
            if not tasks:
                continue
            self.clock.tell("subtables")
            changed = True
            if self._solve(tasks):
                return True
        return changed

    def _tasks(self, start: int, end: int) -> Iterator[Task]:
        """Give the subtables of a group in which something is hidden that is new."""
        pointers, cells = self.subtables.pointers, self.subtables.cells
        busy = np.logical_or.reduceat(self.hidden[cells], pointers[:-1])[start:end]
        for number in (np.flatnonzero(busy) + start).tolist():
            mine, inner = self.subtables.of(number)
            mine, first = np.unique(mine, return_index=True)
            if self.solved.get(number) == self.hidden[mine].tobytes():
                continue
            part = self._part(mine)
            if part is not None:
                yield Task(number, part, ~inner[first], self.clock.deadline)
            else:
                self.solved[number] = self.hidden[mine].tobytes()

    def _part(self, cells: NDArray[np.int64]) -> Problem | None:
        """Make a problem of a subtable: cells hidden for others need something too."""
        part = part_of(self.problem, cells)
        hidden = self.hidden[cells]
        if hidden.all() or not part.relations.shape[0]:
            return None
        others = hidden & ~part.sensitive
        most = float(part.need.max(initial=0.0))
        need = np.minimum(_SHARE * np.abs(part.value), most) if most else part.need
        need = np.where(others, np.maximum(need, 1.0), 0.0)
        down = np.where(others, np.minimum(need, part.room_down), part.need_down)
        up = np.where(others, np.minimum(need, part.room_up), part.need_up)
        asked = part.sensitive | (others & ((down > 0) | (up > 0)))
        return replace(
            part,
            sensitive=asked,
            need_down=down,
            need_up=up,
            frozen=part.frozen & ~hidden,
            forced=hidden & ~asked,
        )

    def _solve(self, tasks: list[Task]) -> bool:
        """Solve independent subtables; say whether a total was hidden."""
        batches = [tasks[k : k + _BATCH] for k in range(0, len(tasks), _BATCH)]
        above = False
        for batch, answers in zip(
            batches, self.crew.each(solve_batch, batches), strict=True
        ):
            for task, answer in zip(batch, answers, strict=True):
                cells = np.unique(self.subtables.of(task.number)[0])
                new = answer & ~self.hidden[cells]
                above |= bool((new & task.total).any())
                self.hidden[cells[new]] = True
                after = self.hidden[cells]
                self.solved[task.number] = after.tobytes()
        return above


def solve_batch(tasks: list[Task]) -> list[NDArray[np.bool_]]:
    """Protect some subtables, in whatever process."""
    return [_protected(task) for task in tasks]


def _protected(task: Task) -> NDArray[np.bool_]:
    """Protect one subtable, with its totals as they are if that can be."""
    problem, held = task.problem, task.problem.sensitive | task.problem.forced
    if time.monotonic() > task.deadline:
        return held
    fixed = replace(problem, frozen=problem.frozen | (task.total & ~held))
    found = quickly(fixed, effort=_EFFORT, deadline=task.deadline)
    if not len(found.open):
        return found.hidden
    inside = problem.cost[~task.total]
    dear = problem.cost + np.where(task.total, float(inside.sum()), 0.0)
    found = quickly(replace(problem, cost=dear), effort=_EFFORT, deadline=task.deadline)
    return found.hidden
