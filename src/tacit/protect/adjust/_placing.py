# SPDX-License-Identifier: Apache-2.0
"""Place every sensitive cell in a safe segment, as cheaply as can be found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.errors import LimitError
from tacit.protect._program import exact
from tacit.protect._search import Found, solve
from tacit.protect.adjust._m3a_clash import explain_clash
from tacit.protect.adjust._safe_set import nearest
from tacit.protect.adjust._segment_program import program_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.adjust._segment_problem import SegmentProblem
    from tacit.protect.adjust._segment_program import SegmentProgram
    from tacit.protect.suppress._progress import Clock
    from tacit.table import Table

__all__ = ["Placed", "place"]

_SMALL = 6_000
"""Most columns of a program that is searched as a whole."""
_NODES = 5_000
_SHARE = 0.8


class Placed(NamedTuple):
    """A move that keeps everything, what no move can cost less than, and its state."""

    move: NDArray[np.int64]
    cost: float
    bound: float | None
    state: str


def place(
    problem: SegmentProblem,
    table: Table,
    clock: Clock,
    *,
    start: NDArray[np.int64] | None = None,
) -> Placed:
    """Find the cheapest move, or the best that the time allows.

    ``start`` is a move to begin with; if it does not hold it is forgotten.
    """
    if start is not None and not problem.holds(start):
        start = None
    for cap in _caps(problem, start):
        made = program_of(problem, cap)
        if not made.placeable:
            continue
        clock.tell("placing sensitive cells")
        found = _searched(made, clock, None if start is None else made.values(start))
        if found.values is not None:
            placed = _placed(made, found)
            if start is not None or placed.cost <= _beyond(made, cap):
                return placed
            # Dearer moves were left out by guess: now their cost is known.
            return place(problem, table, clock, start=placed.move)
        if found.state != "impossible":
            raise LimitError(_no_time(clock))
    raise LimitError(explain_clash(problem, table, clock))


def _searched(
    made: SegmentProgram, clock: Clock, first: NDArray[np.int64] | None
) -> Found:
    """Search small tables to the end if the time allows; large ones in parts."""
    program = made.program
    if len(program) > _SMALL or clock.over:
        return solve(program, clock, first=first)
    left = clock.limit - clock.seconds
    answer = exact(program, start=first, nodes=_NODES, seconds=left * _SHARE)
    if answer.impossible:
        return Found(None, np.inf, "impossible")
    if answer.optimal:
        return Found(answer.values, answer.bound, "optimal")
    best = first if answer.values is None else answer.values
    found = solve(program, clock, first=best)
    return replace(found, bound=max(found.bound, answer.bound))


def _placed(made: SegmentProgram, found: Found) -> Placed:
    problem = made.problem
    values = made.program.lower if found.values is None else found.values
    move = made.move(values.astype(np.int64))
    if not problem.holds(move):
        message = (
            "The solver gave a table that does not hold. Nothing was changed; please "
            "report this with the numbers of cells and relations."
        )
        raise LimitError(message)
    cost = problem.cost(move)
    bound = max(_least_cost(problem), found.bound)
    return Placed(move, cost, min(bound, cost), found.state)


def _beyond(made: SegmentProgram, cap: NDArray[np.int64]) -> float:
    """What the cheapest move costs that the caps leave out."""
    cost = (cap * made.problem.weight)[made.cells]
    return float(cost.min(initial=np.inf))


def _caps(
    problem: SegmentProblem, start: NDArray[np.int64] | None
) -> list[NDArray[np.int64]]:
    """How far a cell may move: what a known cost allows, else a guess, then all."""
    everything = np.full(len(problem), int(np.abs(problem.value).sum()) + 1)
    if start is not None:
        with np.errstate(divide="ignore"):
            allowed = problem.cost(start) / problem.weight
        return [np.minimum(np.ceil(allowed), everything).astype(np.int64)]
    below, above = _steps(problem)
    far = 4.0 * np.minimum(below, above).sum() + 1.0
    guess = np.full(len(problem), far)
    guess[problem.chosen] = np.maximum(far, 2.0 * np.maximum(below, above))
    return [np.minimum(guess, everything).astype(np.int64), everything]


def _steps(problem: SegmentProblem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far each chosen cell is from safety, below and above."""
    value = problem.value[problem.chosen]
    below, above = nearest(problem.segments, value)
    limit = 2.0 * float(np.abs(problem.value).max(initial=1))
    return (
        np.minimum((value - below).astype(np.float64), limit),
        np.minimum((above - value).astype(np.float64), limit),
    )


def _least_cost(problem: SegmentProblem) -> float:
    """What the shortest way to safety of every cell costs by itself."""
    steps = np.minimum(*_steps(problem))
    return float(problem.weight[problem.chosen] @ steps)


def _no_time(clock: Clock) -> str:
    return (
        f"The time limit of {clock.limit:g} s ended before a table was found in which "
        "every sensitive cell is safe, and there may be none. Nothing was changed. "
        "Allow more time with time_limit=, a larger slack=, or fewer totals that are "
        "to be preserved."
    )
