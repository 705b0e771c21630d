# SPDX-License-Identifier: Apache-2.0
"""From a problem to a pattern of the whole table: reduce, solve each part, carry back.

What only the whole table can answer comes last: cells that must be withheld together,
combinations, contributors who know cells of their own, and a second check by another
prime that nothing sensitive is determined.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError
from tacit.protect.suppress._gauss import determined
from tacit.protect.suppress._gauss_only import gauss
from tacit.protect.suppress._ledger import Ledger
from tacit.protect.suppress._local import LocalPrograms
from tacit.protect.suppress._methods import exact_only, method_named
from tacit.protect.suppress._outcome import Alone
from tacit.protect.suppress._presolve import components, presolve
from tacit.protect.suppress._repair import Repair

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.protect.suppress._local import Move
    from tacit.protect.suppress._methods import Method
    from tacit.protect.suppress._outcome import Outcome
    from tacit.protect.suppress._parallel import Crew
    from tacit.protect.suppress._presolve import Presolved, Reduced
    from tacit.protect.suppress._problem import Problem
    from tacit.protect.suppress._progress import Clock

__all__ = ["Solution", "Wishes", "solve"]


@dataclass(frozen=True, eq=False)
class Wishes:
    """What is asked beyond the needs of single cells.

    ``groups`` are cells withheld together, ``combinations`` rows over the cells whose
    value must not be derivable, ``finish`` steps that work on the whole problem and
    may give a cheaper ledger.
    """

    groups: Sequence[NDArray[np.int64]] = ()
    combinations: csr_array | None = None
    finish: Sequence[Callable[[Repair, Clock], Ledger | None]] = field(
        default_factory=tuple
    )


@dataclass(frozen=True, eq=False)
class Solution:
    """A pattern of the whole problem, with its proofs and what stays open.

    ``alone`` is what a classical method would have handed back.
    """

    hidden: NDArray[np.bool_]
    moves: Sequence[Move]
    open: NDArray[np.int64]
    bound: float | None
    programs: int = 0
    tried: bool = True
    alone: Alone | None = None


def solve(
    problem: Problem, method: Method, *, clock: Clock, crew: Crew, wishes: Wishes
) -> Solution:
    """Find a pattern by one of the methods."""
    problem = _with_groups(problem, wishes.groups)
    small = presolve(problem)
    exact, pattern = exact_only(method), method_named(method)
    found = [
        (part, pattern(part.problem, clock=clock, crew=crew))
        for part in components(small.problem)
    ]
    hidden = np.zeros(len(small.problem), dtype=np.bool_)
    moves: list[Move] = []
    for part, outcome in found:
        hidden |= part.invert_hidden(outcome.hidden)
        if outcome.ledger is not None:
            moves += map(part.invert_move, outcome.ledger.moves)
    hidden, moves = small.invert_hidden(hidden), small.invert_moves(moves)
    ledger = Ledger(problem, hidden)
    ledger.join(moves)
    programs = sum(outcome.programs for _, outcome in found)
    tried = all(outcome.tried for _, outcome in found)
    if not exact and tried:
        ledger, more = _finished(problem, ledger, clock, wishes)
        programs += more
    hidden = _closed(problem, ledger.hidden, wishes)
    open_ = np.flatnonzero(determined(problem.relations, hidden) & problem.sensitive)
    open_ = np.union1d(open_, small.lost)
    if not exact:
        open_ = np.union1d(open_, ledger.open())
    bound = _bound(problem, small, [outcome for _, outcome in found])
    alone = _alone(small, found)
    return Solution(hidden, ledger.moves, open_, bound, programs, tried, alone)


def _alone(small: Presolved, found: Sequence[tuple[Reduced, Outcome]]) -> Alone | None:
    """Join what a classical method hid in each part; None for the other methods."""
    hidden = np.zeros(len(small.problem), dtype=np.bool_)
    repaired, short = hidden.copy(), 0
    for part, outcome in found:
        if outcome.alone is None:
            return None
        hidden |= part.invert_hidden(outcome.alone.hidden)
        repaired |= part.invert_hidden(outcome.alone.repaired)
        short += outcome.alone.short
    return Alone(small.invert_hidden(hidden), small.invert_hidden(repaired), short)


def _finished(
    problem: Problem, ledger: Ledger, clock: Clock, wishes: Wishes
) -> tuple[Ledger, int]:
    """Take the steps that need the whole problem."""
    if not wishes.finish:
        return ledger, 0
    programs = LocalPrograms(problem)
    for step in wishes.finish:
        ledger = step(Repair(ledger, programs, problem.cost), clock) or ledger
    return ledger, programs.solved


def _closed(
    problem: Problem, hidden: NDArray[np.bool_], wishes: Wishes
) -> NDArray[np.bool_]:
    """Hide what groups and combinations ask for; hiding more harms nothing proved."""
    hidden = _together(hidden, wishes.groups)
    if wishes.combinations is not None:
        forced = hidden & ~problem.sensitive
        held = replace(problem, forced=forced, frozen=problem.frozen & ~hidden)
        hidden = hidden | gauss(held, combinations=wishes.combinations)
        hidden = _together(hidden, wishes.groups)
    return hidden


def _together(
    hidden: NDArray[np.bool_], groups: Sequence[NDArray[np.int64]]
) -> NDArray[np.bool_]:
    """Withhold all of a group that is withheld in part, until nothing changes."""
    hidden = hidden.copy()
    while True:
        before = int(hidden.sum())
        for group in groups:
            if hidden[group].any():
                hidden[group] = True
        if int(hidden.sum()) == before:
            return hidden


def _with_groups(problem: Problem, groups: Sequence[NDArray[np.int64]]) -> Problem:
    """Apply groups before the search: what is withheld anyway, what can never be."""
    if not groups:
        return problem
    held = problem.sensitive | problem.forced
    together = _together(held, groups)
    stays = _together(problem.frozen & ~held, groups)
    if (together & stays).any():
        message = (
            "A group of cells is to be withheld together, and one of them must stay "
            "published while another must be withheld. Take the frozen cell out of the "
            "group, or let it be withheld."
        )
        raise InputError(message)
    return replace(problem, forced=together & ~problem.sensitive, frozen=stays)


def _bound(
    problem: Problem, small: Presolved, outcomes: Sequence[Outcome]
) -> float | None:
    """Add the bounds of the parts, and what is hidden in any case.

    A cell that equals a sensitive one is hidden with it.
    """
    if any(outcome.bound is None for outcome in outcomes):
        return None
    anyway = small.invert_hidden(small.problem.sensitive | small.problem.forced)
    sure = float(problem.cost[anyway & ~problem.sensitive].sum())
    return sure + sum(float(outcome.bound or 0.0) for outcome in outcomes)
