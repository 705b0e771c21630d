# SPDX-License-Identifier: Apache-2.0
"""Which demands clash where no table meets all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect._search import solve
from tacit.protect.adjust._segment_program import program_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.adjust._segment_problem import SegmentProblem
    from tacit.protect.suppress._progress import Clock
    from tacit.table import Table

__all__ = ["explain_clash"]

_SHOWN = 5


def explain_clash(problem: SegmentProblem, table: Table, clock: Clock) -> str:
    """Say which lines or totals make it impossible, and what would help."""
    lines = _stuck_lines(problem)
    if len(lines):
        shown = "; ".join(
            f"'{table.relations.describe(int(row))}'" for row in lines[:_SHOWN]
        )
        more = f"; and {len(lines) - _SHOWN:,} more" if len(lines) > _SHOWN else ""
        return (
            "No table keeps what is to be preserved: in these lines one cell must "
            f"move and nothing else may, so the sum cannot stay: {shown}{more}. "
            "Let other cells move with slack=, or preserve fewer totals."
        )
    totals = _totals_in_the_way(problem, clock)
    if not len(totals):
        return (
            "No table was found that keeps what is to be preserved, even if every "
            "total could move: some sensitive cell has no safe number within its "
            "bounds. Let other cells move with slack=, or ask for less protection."
        )
    shown = "; ".join(f"({table.describe_cell(int(c))})" for c in totals[:_SHOWN])
    more = f"; and {len(totals) - _SHOWN:,} more" if len(totals) > _SHOWN else ""
    return (
        "No table keeps what is to be preserved. It becomes possible if these may "
        f"move: {shown}{more}. Let them, or let other cells move further with slack=."
    )


def _stuck_lines(problem: SegmentProblem) -> NDArray[np.int64]:
    """Find relations of which one cell must move, and all others are fixed."""
    stays = np.ones(len(problem), dtype=bool)
    stays[problem.chosen] = problem.segments.holds(problem.value[problem.chosen])
    matrix = problem.relations
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    moving = problem.movable[matrix.indices]
    many = np.bincount(row[moving], minlength=matrix.shape[0])
    must = np.bincount(row[~stays[matrix.indices]], minlength=matrix.shape[0])
    return np.flatnonzero((must == 1) & (many <= 1))


def _totals_in_the_way(problem: SegmentProblem, clock: Clock) -> NDArray[np.int64]:
    """Let everything move at a price, and see what that price is paid for."""
    fixed = ~problem.movable
    far = float(np.abs(problem.value).sum()) + 1.0
    free = replace(
        problem,
        weight=np.where(fixed, 1.0, 0.0),
        least=np.where(fixed, -far, problem.least),
        most=np.where(fixed, far, problem.most),
    )
    made = program_of(free, np.full(len(problem), int(far)))
    found = solve(made.program, clock) if made.placeable else None
    if found is None or found.values is None:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(fixed & (made.move(found.values) != 0))
