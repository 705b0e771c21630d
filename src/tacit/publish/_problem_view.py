# SPDX-License-Identifier: Apache-2.0
"""The suppression problem as a writer sees it: cells, needs, bounds, relations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError
from tacit.protect.suppress._build import ENDLESS, build_problem
from tacit.protect.suppress._costs import costs_of
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.attacker import Attacker
    from tacit.protect.suppress import Cost
    from tacit.protect.suppress._problem import Problem
    from tacit.rules import Assessment
    from tacit.table import Table

__all__ = ["ProblemView", "problem_view"]

# Where nothing bounds a cell: this many times the largest value and level together.
_REACH = 10
_LARGEST = 2**54
_SINGLETON_SHARE = 1e-4
# Of factors of values, in tenths of the last decimal.
_NOISE = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class ProblemView:
    """Every cell with what is required of it. Confidential.

    Values and levels are scaled by ``10**decimals``, bounds by one decimal more.
    ``status`` holds the letters s, u, z and m.
    """

    value: NDArray[np.int64]
    decimals: int
    weight: NDArray[np.float64]
    status: NDArray[np.object_]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    lower_level: NDArray[np.int64]
    upper_level: NDArray[np.int64]
    sliding_level: NDArray[np.int64]
    matrix: csr_array[np.int8]

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return f"<ProblemView: {len(self):,} cells, confidential>"


def problem_view(
    assessment: Assessment,
    cost: str | Cost | NDArray[np.float64],
    attacker: Attacker,
    *,
    singletons: bool,
) -> ProblemView:
    """Take the problem that methods solve, so that others solve the same one."""
    table = assessment.table
    _refuse_large(table)
    weight = costs_of(table, cost)
    problem, origin = build_problem(assessment, weight, attackers=(attacker,))
    _refuse_hopeless(problem, origin, table)
    lower, upper = _bounds(problem, origin, table)
    down, up, width = (
        _spread(need, origin, len(table))
        for need in (problem.need_down, problem.need_up, problem.need_width)
    )
    view = ProblemView(
        value=table.cells.value,
        decimals=table.cells.decimals,
        weight=np.where(assessment.state == State.EMPTY, 1.0, weight),
        status=_status(problem, origin, len(table)),
        lower=lower,
        upper=upper,
        lower_level=down,
        upper_level=up,
        sliding_level=width,
        matrix=table.relations.matrix,
    )
    return _with_singletons(view, assessment) if singletons else view


def _refuse_large(table: Table) -> None:
    value = table.cells.value
    if len(value) and max(int(value.max()), -int(value.min())) >= _LARGEST:
        message = (
            "Values this large cannot be written with bounds of one decimal more. Use "
            "larger units (thousands instead of ones) or fewer decimals."
        )
        raise InputError(message)


def _refuse_hopeless(problem: Problem, origin: NDArray[np.int64], table: Table) -> None:
    """Refuse what no pattern protects; raising the bounds instead would hide it."""
    beyond = (problem.need_up > problem.room_up) | (
        problem.need_down > problem.room_down
    )
    count = int(beyond.sum())
    if count:
        where = table.describe_cell(int(origin[np.argmax(beyond)]))
        message = (
            f"The bounds that attackers know leave {count:,} sensitive "
            f"{'cell' if count == 1 else 'cells'} less room than the levels ask for, "
            f"the first at {where}. No pattern can protect that. Ask for less, or "
            "write the problem for an attacker who knows less."
        )
        raise InputError(message)


def _bounds(
    problem: Problem, origin: NDArray[np.int64], table: Table
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bounds with one decimal more, never wider than known, never without end."""
    cells = table.cells
    needs = (problem.need_down, problem.need_up, problem.need_width)
    largest = int(np.abs(cells.value).max(initial=0))
    reach = float(_REACH * (largest + max(int(n.max(initial=0)) for n in needs) + 1))
    down, up = (
        np.where(room >= ENDLESS, reach, room)
        for room in (problem.room_down, problem.room_up)
    )
    known = [given if given is not None else 0 for given in (cells.lower, cells.upper)]
    lower, upper = (np.where(cells.state == State.EMPTY, ends, 0) for ends in known)
    lower, upper = lower.astype(np.int64) * 10, upper.astype(np.int64) * 10
    value = cells.value[origin] * 10
    lower[origin] = value - np.floor(down * 10 + _NOISE).astype(np.int64)
    upper[origin] = value + np.floor(up * 10 + _NOISE).astype(np.int64)
    return lower, upper


def _spread(
    need: NDArray[np.float64], origin: NDArray[np.int64], cells: int
) -> NDArray[np.int64]:
    spread = np.zeros(cells, dtype=np.int64)
    spread[origin] = need.astype(np.int64)
    return spread


def _status(
    problem: Problem, origin: NDArray[np.int64], cells: int
) -> NDArray[np.object_]:
    status = np.full(cells, "z", dtype=object)
    letter = np.where(problem.frozen, "z", "s")
    letter = np.where(problem.forced, "m", letter)
    status[origin] = np.where(problem.sensitive, "u", letter)
    return status


def _with_singletons(view: ProblemView, assessment: Assessment) -> ProblemView:
    """Append the sum of two sensitive parts where one contributor fills one of them."""
    pairs = _pairs(view, assessment)
    count = len(pairs)
    value = view.value[pairs].sum(axis=1)
    level = np.ceil(np.abs(value) * _SINGLETON_SHARE).astype(np.int64)
    none = np.zeros(count, dtype=np.int64)
    return replace(
        view,
        value=np.append(view.value, value),
        weight=np.append(view.weight, np.ones(count)),
        status=np.append(view.status, np.full(count, "u", dtype=object)),
        lower=np.append(view.lower, view.lower[pairs].sum(axis=1)),
        upper=np.append(view.upper, view.upper[pairs].sum(axis=1)),
        lower_level=np.append(view.lower_level, none),
        upper_level=np.append(view.upper_level, np.maximum(level, 1)),
        sliding_level=np.append(view.sliding_level, none),
        matrix=_with_sums(view.matrix, pairs),
    )


def _pairs(view: ProblemView, assessment: Assessment) -> NDArray[np.int64]:
    """The two sensitive parts of each relation that has exactly two, one of one."""
    evidence = assessment.table.evidence
    if evidence is None:
        message = (
            "singletons=True asks for the number of contributors of each cell, and the "
            "table does not know it. Give Table.from_cells(..., count=...)."
        )
        raise InputError(message)
    sensitive = view.status == "u"
    single = sensitive & (evidence.contributors == 1)
    parts = view.matrix > 0
    both = (parts @ sensitive.astype(np.int64)) == 2  # noqa: PLR2004 - a pair
    row = np.flatnonzero(both & (parts @ single.astype(np.int64) > 0))
    cells = parts[row].indices
    found = cells[sensitive[cells]].reshape(-1, 2)
    return np.unique(np.sort(found, axis=1), axis=0).astype(np.int64)


def _with_sums(
    matrix: csr_array[np.int8], pairs: NDArray[np.int64]
) -> csr_array[np.int8]:
    """Add one relation a pair: the new cell is the sum of the two."""
    from scipy.sparse import csr_array  # noqa: PLC0415

    count, cells = len(pairs), matrix.shape[1]
    new = np.arange(cells, cells + count)[:, None]
    signs = np.tile(np.array([1, 1, -1], dtype=np.int8), count)
    ends = matrix.indptr[-1] + np.arange(3, 3 * count + 1, 3)
    held = (
        np.append(matrix.data, signs),
        np.append(matrix.indices, np.hstack([pairs, new]).ravel()),
        np.append(matrix.indptr, ends),
    )
    shape = (matrix.shape[0] + count, cells + count)
    joined: csr_array[np.int8] = csr_array(held, shape=shape)
    return joined
