# SPDX-License-Identifier: Apache-2.0
"""What somebody without contributions of its own finds in a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._intervals import intervals
from tacit.audit._verdict import FAILED, PROVED, verdict

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from tacit.audit._clock import Clock
    from tacit.audit._problem import Problem
    from tacit.audit._required import Required
    from tacit.audit._verdict import Verdict

__all__ = ["Outcome", "attack"]

_WHOLE = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """Per required cell: protected, or not, or not settled; and its interval so far.

    Intervals are in scaled amounts; ``complete`` where both ends are certain.
    """

    required: Required
    failed: NDArray[np.bool_]
    open: NDArray[np.bool_]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    complete: NDArray[np.bool_]
    verdicts: list[Verdict]

    def __repr__(self) -> str:
        return f"<Outcome: {len(self.failed):,} cells, confidential>"


def attack(
    problem: Problem,
    required: Required,
    *,
    clock: Clock,
    executor: Executor | None = None,
) -> Outcome:
    """Settle every claim by witnesses first, and what is in doubt by its interval."""
    cells = required.cells
    value = _value(problem)[cells]
    far, near = problem.upper[cells] - value, value - problem.lower[cells]
    room = required.met(far, near)
    if room.all():
        return _attacked(problem, required, clock, executor)
    # Whom the bounds of a cell alone tell too much needs no relation.
    rest = _attacked(problem, required.take(room), clock, executor)
    outcome = Outcome(
        required,
        failed=~room,
        open=np.zeros(len(cells), dtype=bool),
        lowest=value - near,
        highest=value + far,
        complete=far + near <= 0,
        verdicts=rest.verdicts,
    )
    for name in ("failed", "open", "lowest", "highest", "complete"):
        getattr(outcome, name)[room] = getattr(rest, name)
    return outcome


def _attacked(
    problem: Problem, required: Required, clock: Clock, executor: Executor | None
) -> Outcome:
    """Look for witnesses, then for intervals."""
    cells = required.cells
    found = verdict(
        problem,
        cells,
        lower=required.below,
        upper=required.stretched,
        time_limit=clock.left(),
        executor=executor,
    )
    proved = (found.state == PROVED).all(axis=0)
    if problem.integral:
        proved &= _by_whole_numbers(found)
    value = _value(problem)[cells]
    outcome = Outcome(
        required,
        failed=np.zeros(len(cells), dtype=bool),
        open=~proved,
        lowest=value - found.reached[1],
        highest=value + found.reached[0],
        complete=np.zeros(len(cells), dtype=bool),
        verdicts=[found],
    )
    return _settled(problem, outcome, clock, executor)


def _settled(
    problem: Problem, outcome: Outcome, clock: Clock, executor: Executor | None
) -> Outcome:
    """Judge what no witness proves by the interval itself."""
    doubt = np.flatnonzero(outcome.open)
    if not len(doubt):
        return outcome
    required = outcome.required
    cells = required.cells[doubt]
    ranges = intervals(problem, cells, time_limit=clock.left(), executor=executor)
    value = _value(problem)[cells]
    met = required.take(outcome.open).met(ranges.highest - value, value - ranges.lowest)
    refuted = (outcome.verdicts[0].state[:, doubt] == FAILED) & (
        _asked(required.take(outcome.open)) == outcome.verdicts[0].required[:, doubt]
    )
    failed = ~met & (ranges.complete | refuted.any(axis=0))
    outcome.failed[doubt] = failed
    outcome.open[doubt] = ~met & ~failed
    outcome.lowest[doubt], outcome.highest[doubt] = ranges.lowest, ranges.highest
    outcome.complete[doubt] = ranges.complete
    if met.any():
        # Met by the width alone, with more below than above: the witnesses for that.
        kept = doubt[met]
        asked = required.stretched[kept]
        above = np.minimum(asked, (ranges.highest - value)[met])
        below = np.maximum(required.below[kept], required.width[kept] - above)
        again = verdict(
            problem,
            required.cells[kept],
            lower=below,
            upper=np.maximum(above, required.above[kept]),
            time_limit=clock.left(),
            executor=executor,
        )
        outcome.verdicts.append(again)
    return outcome


def _asked(required: Required) -> NDArray[np.float64]:
    """Distances that fail a cell if they cannot be reached, whatever the width."""
    return np.stack([required.above, required.below])


def _value(problem: Problem) -> NDArray[np.float64]:
    if problem.value is None:
        return problem.published.astype(np.float64)
    return problem.value.astype(np.float64)


def _by_whole_numbers(found: Verdict) -> NDArray[np.bool_]:
    """Cells all of whose claims are proved by witnesses in whole numbers."""
    pool = found.witnesses
    broken = np.abs(pool.amount - np.rint(pool.amount)) > _WHOLE
    owner = np.repeat(np.arange(len(pool)), np.diff(pool.offset))
    fractional = np.zeros(len(pool) + 1, dtype=bool)
    fractional[owner[broken]] = True
    marks: NDArray[np.bool_] = fractional[found.witness]
    whole: NDArray[np.bool_] = np.logical_and(~marks[0], ~marks[1])
    return whole
