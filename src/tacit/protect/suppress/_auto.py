# SPDX-License-Identifier: Apache-2.0
"""The default method: guide, eliminate, repair, clean up."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from tacit.protect.suppress._complete import completed
from tacit.protect.suppress._gauss_only import gauss
from tacit.protect.suppress._guide import EFFORT, Guide, guide
from tacit.protect.suppress._ledger import Ledger
from tacit.protect.suppress._local import LocalPrograms
from tacit.protect.suppress._outcome import Outcome
from tacit.protect.suppress._parallel import Crew
from tacit.protect.suppress._progress import Clock
from tacit.protect.suppress._repair import Repair

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from tacit.protect.suppress._problem import Problem

__all__ = ["auto", "pattern"]

# Cells that the guide wants in full keep this share of their price, so that the
# dearest of them are still published first.
_WANTED = 0.98
_GUIDE_SHARE = 0.5
# Beyond this many cells the relaxation does not come far enough to guide anything. In
# two dimensions what supports each need is small, and it comes to its end.
_GUIDED_CELLS = 60_000
_GUIDED_CELLS_FLAT = 150_000
_EFFORT_PER_CELL_FLAT = 1500.0


def auto(
    problem: Problem,
    *,
    time_limit: float = math.inf,
    clock: Clock | None = None,
    crew: Crew | None = None,
    combinations: csr_array | None = None,
    advice: Guide | None = None,
    thorough: bool = True,
) -> Outcome:
    """Find a pattern in which every need of every sensitive cell has its proof.

    ``advice`` is a relaxation that was solved before. Unless it is to be ``thorough``,
    the pattern is cleaned up and no more.
    """
    clock = clock or Clock(time_limit)
    advice = advice or _advice(problem, clock)
    price = problem.cost
    if advice is not None:
        price = price * (1.0 - _WANTED * advice.share)
        clock.bound = advice.bound
    clock.tell("eliminating")
    ledger = Ledger(problem, gauss(problem, price, combinations=combinations))
    programs = LocalPrograms(problem)
    work = Repair(ledger, programs, price)
    hands = crew or Crew(1)
    done = completed(work, clock=clock, crew=hands, thorough=thorough)
    ledger, bound = done.ledger, advice.bound if advice is not None else None
    return Outcome(
        ledger.hidden, ledger, ledger.open(), bound, programs.solved, done.tried
    )


def pattern(problem: Problem, *, clock: Clock, crew: Crew) -> Outcome:
    """Hide cells until every need of every sensitive cell has its proof."""
    return auto(problem, clock=clock, crew=crew)


def _advice(problem: Problem, clock: Clock) -> Guide | None:
    place = problem.geometry
    flat = place is not None and len(place.codes) <= 2  # noqa: PLR2004 - dimensions
    most = _GUIDED_CELLS_FLAT if flat else _GUIDED_CELLS
    if len(problem) > most or not problem.sensitive.any() or clock.over:
        return None
    clock.tell("guiding")
    left = clock.deadline - time.monotonic()
    effort = max(EFFORT, _EFFORT_PER_CELL_FLAT * len(problem)) if flat else EFFORT
    deadline = time.monotonic() + _GUIDE_SHARE * left
    return guide(problem, deadline=deadline, effort=effort)
