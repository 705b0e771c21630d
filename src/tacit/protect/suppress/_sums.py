# SPDX-License-Identifier: Apache-2.0
"""Hide more until every sum of hidden cells that can be computed is safe itself.

The sum of the hidden parts of a published total is as good as published. It must be
safe under the rule, on what each entity adds to it; where it is not, the sum itself
must be able to move as far as the rule asks, which takes one more hidden cell.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.suppress._derivable import derivable, marks_of
from tacit.protect.suppress._local import BOTH
from tacit.protect.suppress._repair import EVERYWHERE

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.protect.suppress._derivable import Derivable
    from tacit.protect.suppress._local import Move
    from tacit.protect.suppress._repair import Neighbourhood, Repair
    from tacit.protect.suppress._sum_rule import SumRule

__all__ = ["Sums", "settle_sums"]

_SCHEDULE = tuple(around for around in EVERYWHERE if around.siblings)
_ROUNDS = 60


class Sums:
    """The sums that a pattern gives away; those judged safe are not judged again."""

    def __init__(self, rule: SumRule, origin: NDArray[np.int64]) -> None:
        self.rule, self.origin = rule, origin
        self.marks = marks_of(len(rule.table))
        self._safe = np.zeros(1, dtype=np.int64)
        self.place = np.full(len(rule.table), -1, dtype=np.int64)
        self.place[origin] = np.arange(len(origin))

    def unsafe(
        self, hidden: NDArray[np.bool_]
    ) -> tuple[csr_array, csr_array, NDArray[np.float64]]:
        """Give unsafe sums of hidden cells, what is published of them, their needs.

        Rows are over the cells of the table. A sum of published cells needs no
        judging if the rule keeps sums of safe cells safe.
        """
        inside = np.zeros(len(self.rule.table), dtype=bool)
        inside[self.origin] = hidden
        found = derivable(self.rule.table.relations, inside)
        mark = found.hidden @ self.marks
        mark = np.minimum(mark, -mark)
        ask = ~np.isin(mark, self._safe)
        if self.rule.keeps_safe:
            ask &= ~_adds_up_published(found)
        rows = np.flatnonzero(ask)
        bad, need = self.rule.judge(found.hidden[rows])
        self._safe = np.union1d(self._safe, mark[rows[~bad]])
        at = rows[bad]
        return found.hidden[at], found.shown[at], need[bad]


def _adds_up_published(found: Derivable) -> NDArray[np.bool_]:
    """Sums that only add published cells up, or none."""
    shown = found.shown
    row = np.repeat(np.arange(shown.shape[0]), np.diff(shown.indptr))
    plus = np.bincount(row[shown.data > 0], minlength=shown.shape[0])
    minus = np.bincount(row[shown.data < 0], minlength=shown.shape[0])
    return np.asarray((plus == 0) | (minus == 0))


def settle_sums(work: Repair, sums: Sums, *, deadline: float = np.inf) -> int:
    """Let every unsafe sum move as far as it must; count those that cannot.

    What gets hidden makes larger sums, so this goes on until all are safe.
    """
    stuck = 0
    failed: set[int] = set()
    for _ in range(_ROUNDS):
        hidden, shown, needs = sums.unsafe(work.ledger.hidden)
        marks = hidden @ sums.marks
        keys = np.minimum(marks, -marks).tolist()
        stuck = len(keys)
        size = np.diff(hidden.indptr)
        before = work.ledger.hidden.sum()
        for k in np.lexsort((keys, -needs, size)).tolist():
            if time.monotonic() > deadline or keys[k] in failed:
                continue
            if not _settle(work, sums, (hidden[[k]], shown[[k]]), float(needs[k])):
                failed.add(keys[k])
        if work.ledger.hidden.sum() == before:
            return stuck
    return stuck


def _settle(
    work: Repair, sums: Sums, one: tuple[csr_array, csr_array], need: float
) -> bool:
    """Move one sum; a sum that is no longer known needs nothing."""
    hidden, shown = one
    ledger, place = work.ledger, sums.place
    published = place[shown.indices]
    published = published[published >= 0]
    if ledger.hidden[published].any():
        return True
    targets = place[hidden.indices]
    weights = hidden.data.astype(np.float64)
    for around in _SCHEDULE:
        move = _move(work, (targets, weights, published), need, around)
        if move is not None:
            ledger.record(move)
            return True
    return False


def _move(
    work: Repair,
    sum_: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]],
    need: float,
    around: Neighbourhood,
) -> Move | None:
    """Find the cheapest move of a sum: around its cells, and what could join them."""
    targets, weights, published = sum_
    problem, price = work.ledger.problem, work.prices()
    free = published[(problem.room[published] > 0) & ~problem.frozen[published]]
    free = free[np.argsort(price[free], kind="stable")]
    near = [
        work.cells(int(seed), need, around, price)
        for seed in (*free[:1].tolist(), int(targets[0]))
    ]
    cells = np.unique(np.concatenate([*near, free]))
    rest = np.setdiff1d(cells, targets)
    return work.programs.move(
        np.concatenate([targets, rest]).astype(np.int32),
        need,
        side=BOTH,
        price=price,
        targets=len(targets),
        weights=weights,
    )
