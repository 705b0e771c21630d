# SPDX-License-Identifier: Apache-2.0
"""Make any pattern safe, then as cheap as it goes: the second half of every method.

A method hides cells in its own way. Here every need that its pattern leaves open is
met, hiding more cells where it must be, and what no proof needs is published again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacit.protect.suppress._improve import clean_up, exchange
from tacit.protect.suppress._local import LocalPrograms
from tacit.protect.suppress._outcome import Alone, Outcome
from tacit.protect.suppress._parallel import settle
from tacit.protect.suppress._regions import SIZES, exchange_regions
from tacit.protect.suppress._repair import (
    AMONG_HIDDEN,
    EVERYWHERE,
    LAST_WORD,
    Repair,
)

if TYPE_CHECKING:
    from tacit.protect.suppress._ledger import Ledger
    from tacit.protect.suppress._parallel import Crew
    from tacit.protect.suppress._progress import Clock
    from tacit.protect.suppress._repair import Neighbourhood

__all__ = ["Completed", "completed", "finish", "improved"]

_CLEAN_UPS = 6
_EXCHANGES = 4


@dataclass(frozen=True, eq=False)
class Completed:
    """A ledger with every proof that was found, made as cheap as the time allowed.

    ``alone`` is the pattern that was given, and what repair alone made of it.
    ``tried`` is false where the time ended before every need was looked at.
    """

    ledger: Ledger
    alone: Alone
    tried: bool


def completed(
    work: Repair,
    *,
    clock: Clock,
    crew: Crew,
    thorough: bool = True,
    exchanges: int | None = None,
) -> Completed:
    """Repair what a pattern leaves open, then make it cheaper."""
    given = work.ledger.hidden.copy()
    _settle(work, AMONG_HIDDEN, clock, crew)
    short = len(work.ledger.open())
    _settle(work, (EVERYWHERE, LAST_WORD), clock, crew)
    tried = not len(work.ledger.open()) or not clock.over
    alone = Alone(given, work.ledger.hidden.copy(), short)
    ledger = improved(
        work.ledger, work.programs, clock, thorough=thorough, exchanges=exchanges
    )
    return Completed(ledger, alone, tried)


def finish(
    ledger: Ledger,
    *,
    clock: Clock,
    crew: Crew,
    thorough: bool = True,
    exchanges: int | None = None,
) -> Outcome:
    """Complete what a classical method has hidden, and say what that was."""
    programs = LocalPrograms(ledger.problem)
    work = Repair(ledger, programs, ledger.problem.cost)
    done = completed(
        work, clock=clock, crew=crew, thorough=thorough, exchanges=exchanges
    )
    return Outcome(
        done.ledger.hidden,
        done.ledger,
        done.ledger.open(),
        bound=None,
        programs=programs.solved,
        tried=done.tried,
        alone=done.alone,
    )


def _settle(
    work: Repair,
    schedules: tuple[tuple[Neighbourhood, ...], ...],
    clock: Clock,
    crew: Crew,
) -> None:
    for schedule in schedules:
        clock.tell("repairing", work.ledger)
        settle(
            work,
            schedule,
            crew,
            deadline=clock.deadline,
            tell=lambda now: clock.tell("repairing", now),
        )


def improved(
    ledger: Ledger,
    programs: LocalPrograms,
    clock: Clock,
    *,
    thorough: bool = True,
    exchanges: int | None = None,
) -> Ledger:
    """Make the pattern cheaper; whoever interrupts gets the best one so far.

    Clean it up, exchange single cells for some rounds, then whole regions. Unless it
    is to be ``thorough`` there are no regions, and ``exchanges`` only as many as asked.
    """
    if exchanges is None:
        exchanges = _EXCHANGES if thorough else 0
    try:
        for number in range(_CLEAN_UPS):
            clock.tell("improving", ledger)
            if clock.over:
                break
            before = ledger.cost
            ledger = clean_up(
                ledger, programs, rising=number % 2 == 0, deadline=clock.deadline
            )
            if ledger.cost >= before:
                break
        for _ in range(exchanges):
            clock.tell("exchanging", ledger)
            if clock.over:
                break
            ledger, taken = exchange(ledger, programs, deadline=clock.deadline)
            if not taken:
                break
        if thorough:
            clock.tell("searching", ledger)
            ledger, _ = exchange_regions(ledger, programs, SIZES[0], clock)
    except KeyboardInterrupt:
        clock.limit = 0.0
    return ledger
