# SPDX-License-Identifier: Apache-2.0
"""Moves in whole numbers, for attackers who know that all amounts are whole.

A table of counts that differs by halves is no table to such an attacker: 15 = 10 + 3 +
x + y with both at least 1 leaves nothing to choose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Draft", "whole_amounts"]

# A program in whole numbers that needs more nodes than this counts as without
# solution. Seconds would make the result depend on the machine.
_NODES = 2000
_NOISE = 1e-9


class Draft(NamedTuple):
    """A program as it was asked: equations by cell, room to both sides, the target.

    ``system`` is (column pointers, rows, coefficients, number of rows); ``weights``
    are those of each cell in the sum that has to reach ``need``; ``price`` is what
    one unit of each cell costs.
    """

    system: tuple[NDArray[Any], NDArray[Any], NDArray[np.float64], int]
    room: tuple[NDArray[np.float64], NDArray[np.float64]]
    weights: NDArray[np.float64]
    need: float
    price: NDArray[np.float64]

    def holds(self, amounts: NDArray[np.float64]) -> bool:
        """Whether whole amounts keep every equation, all bounds, and reach the need."""
        starts, rows, values, n_rows = self.system
        whole = np.rint(amounts).astype(np.int64)
        parts = np.repeat(whole, np.diff(starts)) * np.rint(values).astype(np.int64)
        left = np.zeros(n_rows, dtype=np.int64)
        np.add.at(left, rows, parts)
        up, down = self.room
        inside = (whole <= up * (1 + _NOISE)) & (-whole <= down * (1 + _NOISE))
        reached = float(whole @ self.weights)
        return not left.any() and bool(inside.all()) and reached >= self.need


def whole_amounts(
    solver: Any,  # noqa: ANN401 - highspy has no types
    draft: Draft,
    amounts: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """Round a solution, or find one in whole numbers; None where there is none."""
    if amounts is not None and draft.holds(amounts):
        return np.rint(amounts)
    if amounts is None:
        return None
    return _search(solver, draft)


def _search(
    solver: Any,  # noqa: ANN401 - highspy has no types
    draft: Draft,
) -> NDArray[np.float64] | None:
    """Solve the same program over whole numbers."""
    import highspy  # noqa: PLC0415 - the solver loads when first needed

    starts, rows, values, n_rows = draft.system
    n = len(draft.weights)
    high = np.floor(np.concatenate(draft.room) * (1 + _NOISE))
    at = np.flatnonzero(draft.weights)
    begin = np.concatenate([starts[:-1], starts + starts[-1]]).astype(np.int32)
    ends = begin[1:][np.concatenate([at, at + n])]
    weight = np.concatenate([draft.weights[at], -draft.weights[at]])
    both = np.concatenate([rows, rows]).astype(np.int32)
    signed = np.concatenate([values, -values])
    more = np.zeros(2 * n + 1, dtype=np.int32)
    np.add.at(more, np.concatenate([at, at + n]) + 1, 1)
    level = np.ceil(draft.need * (1 - _NOISE))
    solver.setOptionValue("mip_max_nodes", _NODES)
    solver.passModel(
        2 * n,
        n_rows + 1,
        len(both) + len(weight),
        1,
        1,
        0.0,
        np.concatenate([draft.price, draft.price]),
        np.zeros(2 * n),
        high,
        np.append(np.zeros(n_rows), level),
        np.append(np.zeros(n_rows), np.inf),
        begin + np.cumsum(more, dtype=np.int32),
        np.insert(both, ends, n_rows),
        np.insert(signed, ends, weight),
        np.ones(2 * n, dtype=np.int32),
    )
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    answer = np.asarray(solver.getSolution().col_value)
    amounts: NDArray[np.float64] = np.rint(answer[:n]) - np.rint(answer[n:])
    return amounts if draft.holds(amounts) else None
