# SPDX-License-Identifier: Apache-2.0
"""The cheapest pattern, with the proof that there is no cheaper one.

The relaxation gives a bound, the default method a pattern. Between them a program in
whole numbers over the cuts found so far proposes cheaper and cheaper patterns; each is
either safe, or breaks cuts that it then has to keep. When what it proposes costs as
much as the best safe pattern, that one is optimal.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from tacit.protect.suppress._auto import auto
from tacit.protect.suppress._complete import improved
from tacit.protect.suppress._cuts import Meter
from tacit.protect.suppress._guide import Relaxation
from tacit.protect.suppress._progress import Clock
from tacit.protect.suppress._regions import SIZES, exchange_regions
from tacit.protect.suppress._scip import branch_and_cut, installed
from tacit.protect.suppress._search import GAP, Search

if TYPE_CHECKING:
    from tacit.protect.suppress._outcome import Outcome
    from tacit.protect.suppress._parallel import Crew
    from tacit.protect.suppress._problem import Problem

__all__ = ["pattern", "quickly"]

_GUIDE_SHARE = 0.4
_QUICK_GAP = 1e-4
_NODES = 200
_PATTERN_SHARE = 0.4
_FIRST_SHARE = 0.7
# What closes within some seconds needs no regions.
_FIRST_EFFORT = 4e8
_FIRST_EFFORT_BRANCHED = 2e6
# Beyond this many cells to choose from, a tree of patterns closes nothing in time.
_BRANCHED_CELLS = 3_000


def pattern(problem: Problem, *, clock: Clock, crew: Crew) -> Outcome:
    """Hide the cheapest cells, or those found to be when the time is up."""
    relaxation = Relaxation(problem)
    clock.tell("guiding")
    left = clock.deadline - time.monotonic()
    meter = Meter(deadline=time.monotonic() + _GUIDE_SHARE * left)
    advice = relaxation.tighten(relaxation.converge(meter), meter)
    clock.bound = advice.bound
    left = clock.deadline - time.monotonic()
    share = replace(clock, limit=clock.seconds + _PATTERN_SHARE * left)
    first = auto(problem, clock=share, crew=crew, advice=advice, thorough=False)
    if len(first.open) or first.ledger is None:
        return first
    search = Search(problem, relaxation, first.ledger, advice.bound)
    try:
        _search(search, clock)
    except KeyboardInterrupt:
        clock.limit = 0.0
    return search.outcome


def _search(search: Search, clock: Clock) -> None:
    """Close the gap: some effort on all at once, then regions, then what is left.

    Where a tree of patterns is the better search, it comes before the regions.
    """
    branches = _branches(search)
    effort = _FIRST_EFFORT_BRANCHED if branches else _FIRST_EFFORT
    search.run(clock, meter=Meter(effort))
    if search.gap <= GAP:
        return
    now, later = (_proved, _cheaper) if branches else (_cheaper, _proved)
    left = clock.deadline - time.monotonic()
    now(search, replace(clock, limit=clock.seconds + _FIRST_SHARE * left))
    if search.gap > GAP:
        later(search, clock)


def quickly(problem: Problem, *, effort: float, deadline: float) -> Outcome:
    """Hide the cheapest cells of a small problem, or what some effort finds.

    The result depends on nothing but the problem, unless the deadline comes first.
    """
    meter = Meter(effort, deadline)
    relaxation = Relaxation(problem)
    advice = relaxation.converge(meter)
    clock = Clock(deadline - time.monotonic())
    first = auto(problem, clock=clock, advice=advice, thorough=False)
    if len(first.open) or first.ledger is None:
        return first
    search = Search(problem, relaxation, first.ledger, advice.bound, nodes=_NODES)
    search.run(clock, gap=_QUICK_GAP, meter=meter)
    return search.outcome


def _cheaper(search: Search, clock: Clock) -> None:
    """Exchange cells, then larger and larger regions, while that gains anything."""
    search.ledger = improved(search.ledger, search.programs, clock)
    for size in SIZES[1:]:
        if search.gap <= GAP or clock.over:
            return
        clock.tell("searching", search.ledger)
        search.ledger, _ = exchange_regions(search.ledger, search.programs, size, clock)


def _proved(search: Search, clock: Clock) -> None:
    """Close what is left of the gap, by the search that suits the table."""
    if not _branches(search):
        search.run(clock)
    elif not clock.over:
        clock.tell("proving", search.ledger)
        branch_and_cut(search, gap=GAP, seconds=clock.deadline - time.monotonic())


def _branches(search: Search) -> bool:
    """Whether a tree of patterns is the better search: if small, and not flat."""
    place = search.problem.geometry
    flat = place is not None and len(place.codes) <= 2  # noqa: PLR2004 - dimensions
    small = int(search.relaxation.free.sum()) <= _BRANCHED_CELLS
    return installed() and small and not flat
