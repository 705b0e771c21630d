# SPDX-License-Identifier: Apache-2.0
"""From a pattern that is safe against outsiders to one that is safe against all."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.protect.suppress._insider_improve import exchange_knowingly, ledger_of
from tacit.protect.suppress._insiders import settle_insiders
from tacit.protect.suppress._knowledge import Contributors
from tacit.protect.suppress._repair import Repair
from tacit.protect.suppress._sum_rule import sum_rule_of
from tacit.protect.suppress._sums import Sums, settle_sums

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tacit.attacker import Attacker
    from tacit.protect.suppress._insider_book import InsiderBook
    from tacit.protect.suppress._ledger import Ledger
    from tacit.protect.suppress._local import LocalPrograms
    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment

__all__ = ["Everybody", "ForEverybody", "Settled", "everybody_of"]

_ROUNDS = 20
_POLISHES = 4


@dataclass(frozen=True, eq=False, repr=False)
class Everybody:
    """Who is to learn nothing, beyond the outsider, and what sums must be safe.

    ``coalition`` is 0 where insiders are nobody's concern.
    """

    contributors: Contributors | None
    sums: Sums | None
    coalition: int = 1
    why_no_sums: str = ""

    def __repr__(self) -> str:
        return f"<Everybody: coalitions of {self.coalition}, confidential>"


@dataclass(frozen=True, eq=False, repr=False)
class Settled:
    """A pattern, the sensitive cells with open claims, and what was left undone."""

    ledger: Ledger
    open: NDArray[np.int64]
    open_sums: int
    not_done: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Settled: {len(self.open):,} cells and {self.open_sums:,} sums open>"


def everybody_of(
    assessment: Assessment, origin: NDArray[np.int64], attackers: Iterable[Attacker]
) -> Everybody:
    """Gather what is known of contributors, and of the rule for sums."""
    table = assessment.table
    who = None if table.contributions is None else Contributors(table, origin)
    rule, why = sum_rule_of(assessment)
    sizes = [one.coalition for one in attackers if one.knows_own]
    sums = None if rule is None else Sums(rule, origin)
    return Everybody(who, sums, max(sizes, default=0), why)


class ForEverybody:
    """The last step of a search: protect from insiders, and keep sums safe.

    What it leaves is in ``settled``.
    """

    def __init__(self, everybody: Everybody) -> None:
        self.everybody = everybody
        self.settled: Settled | None = None

    def __call__(self, work: Repair, clock: Clock) -> Ledger:
        """Hide more until no insider learns too much and no unsafe sum is known.

        That is settled whatever time it takes; while there is time it gets cheaper.
        """
        clock.tell("insiders and sums", work.ledger)
        self.settled = _protected(work, self.everybody, clock.deadline)
        return self.settled.ledger

    @property
    def open(self) -> NDArray[np.int64]:
        """Sensitive cells with claims that stay open to somebody."""
        if self.settled is None:
            return np.zeros(0, dtype=np.int64)
        return self.settled.open

    @property
    def notes(self) -> dict[str, Any]:
        """What the release should say: unsafe sums left, and what was not done."""
        if self.settled is None:
            return {"not_done": ("insiders", "line sums")}
        return {
            "open_sums": self.settled.open_sums,
            "not_done": self.settled.not_done,
        }


def _protected(work: Repair, everybody: Everybody, deadline: float) -> Settled:
    """Settle everything, then make it cheaper until the deadline."""
    ledger, programs, price = work.ledger, work.programs, work.price
    settled, book = _settle(ledger, programs, price, everybody)
    for _ in range(_POLISHES):
        if book is None or len(settled.open) or time.monotonic() > deadline:
            break
        taken = exchange_knowingly(book, keep=ledger.problem.forced, deadline=deadline)
        cheaper = ledger_of(book, ledger.problem.forced)
        again, book = _settle(cheaper, programs, price, everybody)
        if _worse(again, settled) or not taken:
            break
        settled = again
    return settled


def _worse(one: Settled, other: Settled) -> bool:
    found = (one.open_sums, len(one.open), one.ledger.cost)
    return found >= (other.open_sums, len(other.open), other.ledger.cost)


def _settle(
    ledger: Ledger,
    programs: LocalPrograms,
    price: NDArray[np.float64],
    everybody: Everybody,
) -> tuple[Settled, InsiderBook | None]:
    """Insiders, then sums, until neither hides anything more."""
    work = Repair(ledger, programs, price)
    book, open_sums = None, 0
    for _ in range(_ROUNDS):
        if everybody.coalition:
            book = settle_insiders(
                work, everybody.contributors, coalition=everybody.coalition
            )
        before = int(ledger.hidden.sum())
        if everybody.sums is not None:
            open_sums = settle_sums(work, everybody.sums)
        if int(ledger.hidden.sum()) == before:
            break
    cells = ledger.open()
    if book is not None:
        cells = np.union1d(cells, np.array(book.cells(), dtype=np.int64))
    not_done = []
    if everybody.sums is None:
        not_done.append(f"line sums: not checked, {everybody.why_no_sums}")
    if not everybody.coalition:
        not_done.append("insiders: no attacker knows contributions of its own")
    return Settled(ledger, cells, open_sums, tuple(not_done)), book
