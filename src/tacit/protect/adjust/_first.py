# SPDX-License-Identifier: Apache-2.0
"""A first adjusted table: directions that balance, then moves, then whole numbers.

Random directions hardly ever fit a hierarchy. Here they are chosen so that what goes up
and what goes down stays near balance under every total, as if totals were summed anew.
With the directions fixed the rest is a linear program; its moves are rounded to whole
numbers that still add up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect._kernels_anneal import anneal
from tacit.protect._leaves import leaves_of
from tacit.protect._program import Program, feasible, relaxation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.adjust._moves import Moves
    from tacit.protect.suppress._progress import Clock

__all__ = ["first_table"]

_SWEEPS = 100
_TURNS = 4
_NEAR = 1e-3
# How many units a move may be away from that of the linear program.
_ROOM = (0, 1, 4)


def first_table(
    moves: Moves, program: Program, clock: Clock
) -> NDArray[np.int64] | None:
    """Find unknowns that keep all demands, or give up."""
    side = _directions(moves)
    for _ in range(_TURNS):
        if clock.over:
            return None
        guide = _guided(_held(program, side), clock)
        if _keeps_rows(program, guide):
            break
        # These directions do not fit: let the program turn as few as it must.
        guide = _guided(_leaning(program, side), clock)
        side = guide[len(guide) - len(side) :] > 1 / 2
    whole = _whole_moves(moves, side, _continuous(moves, guide), clock)
    if whole is None:
        return None
    values = moves.values(whole)
    return values if program.holds(values) else None


def _directions(moves: Moves) -> NDArray[np.bool_]:
    """Choose sides of the sensitive leaves so that totals stay near; others follow."""
    asked, marked = moves.demands, moves.marked
    leaves = leaves_of(moves.matrix)
    leaf = np.full(len(asked.up), -1, dtype=np.int64)
    leaf[leaves.cells] = np.arange(len(leaves.cells))
    inner = marked[leaf[marked] >= 0]
    parts = leaves.sums[:, leaf[inner]].tocsc()
    only_up = asked.down[inner] == 0
    up = only_up.copy()
    start = np.where(up, asked.up[inner], -asked.down[inner])
    difference = (parts @ start).astype(np.float64)
    weight = np.where(asked.kept, 1e6, 1.0) * asked.weight**2
    free = np.flatnonzero(~only_up & (asked.up[inner] > 0))
    chosen, step = up[free], (asked.up + asked.down)[inner[free]].astype(np.float64)
    if len(free):
        mine = parts[:, free].tocsc()
        typical = float(((mine.T @ weight) * step**2).mean())
        heat = np.array([typical, typical / 1_000])
        anneal(
            mine.indptr,
            mine.indices,
            step,
            chosen,
            difference,
            weight,
            _SWEEPS,
            heat,
            1,
        )
    side: NDArray[np.bool_] = difference[marked] > 0
    side[(asked.up[marked] == 0)] = False
    side[(asked.down[marked] == 0)] = True
    return side


def _held(program: Program, side: NDArray[np.bool_]) -> Program:
    """Fix the directions."""
    lower, upper = program.lower.copy(), program.upper.copy()
    first = len(program) - len(side)
    lower[first:], upper[first:] = side, side
    return replace(program, lower=lower, upper=upper)


def _leaning(program: Program, side: NDArray[np.bool_]) -> Program:
    """Make the other direction so dear that it is taken only where it must be."""
    price = program.price.copy()
    dear = 1e3 * max(1.0, float(np.abs(price).max()))
    price[len(program) - len(side) :] += np.where(side, -dear, dear)
    return replace(program, price=price)


def _guided(program: Program, clock: Clock) -> NDArray[np.float64]:
    guide, _ = relaxation(program, seconds=max(clock.limit - clock.seconds, 0.01))
    return guide


def _keeps_rows(program: Program, guide: NDArray[np.float64]) -> bool:
    """Whether a solution of the relaxation is one: solvers also stop without any."""
    rows = program.matrix @ guide
    slack = _NEAR * (1 + np.abs(rows))
    kept = (rows >= program.row_lower - slack) & (rows <= program.row_upper + slack)
    return bool(kept.all())


def _continuous(moves: Moves, guide: NDArray[np.float64]) -> NDArray[np.float64]:
    """Moves of the cells, not yet whole."""
    asked, pieces = moves.demands, len(moves.widths)
    parts = guide[: 2 * pieces * len(moves.cells)].reshape(2, pieces, -1)
    moved = np.where(asked.sensitive, -asked.down, 0).astype(np.float64)
    moved[moves.cells] += parts[0].sum(axis=0) - parts[1].sum(axis=0)
    jump = (asked.up + asked.down)[moves.marked]
    moved[moves.marked] += jump * guide[2 * pieces * len(moves.cells) :]
    return moved


def _whole_moves(
    moves: Moves, side: NDArray[np.bool_], moved: NDArray[np.float64], clock: Clock
) -> NDArray[np.int64] | None:
    """Round moves to whole numbers beside them with which every relation holds."""
    asked, marked = moves.demands, moves.marked
    least, most = asked.least.copy(), asked.most.copy()
    least[marked] = np.where(side, asked.up[marked], least[marked])
    most[marked] = np.where(side, most[marked], -asked.down[marked])
    near = np.rint(moved)
    settled = np.abs(moved - near) < _NEAR
    low = np.clip(np.where(settled, near, np.floor(moved)), least, most)
    low = low.astype(np.int64)
    for room in _ROOM:
        down = np.full(len(low), room)
        up = np.where(settled & (room == 0), 0, room + 1)
        rounding = Program(
            moves.matrix,
            -(moves.matrix @ low).astype(np.float64),
            -(moves.matrix @ low).astype(np.float64),
            np.maximum(-down, least - low).astype(np.float64),
            np.minimum(up, most - low).astype(np.float64),
            np.zeros(len(low)),
        )
        left = max(clock.limit - clock.seconds, 0.01)
        found = feasible(rounding, seconds=left / 3)
        if found.values is not None:
            return low + found.values
    return None
