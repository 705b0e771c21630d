# SPDX-License-Identifier: Apache-2.0
"""The lowest and the highest value of each hidden cell that nobody can rule out."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._feasible import feasible_table
from tacit.audit._integral import whole_bounds
from tacit.audit._parallel import spread_out
from tacit.audit._system import reduce

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from tacit.audit._problem import Problem
    from tacit.audit._system import System

    Range = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_], int]

__all__ = ["Intervals", "intervals"]


@dataclass(frozen=True, eq=False, repr=False)
class Intervals:
    """Lowest and highest value of each cell; ``complete`` where both are certain.

    An incomplete interval (time ran out) is what was reached so far: the true one
    may be wider.
    """

    cells: NDArray[np.int64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    complete: NDArray[np.bool_]
    programs: int = 0

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        return f"<Intervals: {len(self):,} cells, confidential>"


def intervals(
    problem: Problem,
    cells: NDArray[np.integer],
    *,
    time_limit: float | None = None,
    executor: Executor | None = None,
) -> Intervals:
    """Compute what the attacker can narrow each of the given cells down to.

    Works with or without true values; without them a table that fits everything
    published is found first. With ``problem.integral`` the limits are those of whole
    numbers.

    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from tacit.audit._problem import Problem
    >>> rows = csr_array(np.array([[-1, 1, 1]]))
    >>> p = Problem.of(rows, np.array([False, True, True]), value=np.array([9, 4, 5]))
    >>> found = intervals(p, np.array([1]))
    >>> found.lowest.tolist(), found.highest.tolist()
    ([0.0], [9.0])
    """
    deadline = np.inf if time_limit is None else monotonic() + time_limit
    targets: NDArray[np.int64] = np.asarray(cells, dtype=np.int64)
    if problem.integral:
        problem = whole_bounds(problem)
    system = reduce(problem, feasible_table(problem), tie=not problem.integral)
    group, factor = system.group[targets], system.factor[targets].astype(np.float64)
    seeds = np.unique(group[group >= 0]).astype(np.int64)
    seeds = seeds[np.argsort(system.component[seeds], kind="stable")]
    parts = spread_out(
        _ranges, (system, deadline, problem.integral), seeds, executor=executor
    )
    least, most, settled, programs = _joined(len(system), parts)
    ends = np.stack([least[group], most[group]]) * factor
    base = system.base[targets]
    return Intervals(
        targets,
        base + ends.min(axis=0, initial=np.inf),
        base + ends.max(axis=0, initial=-np.inf),
        settled[group],
        programs,
    )


def _joined(size: int, parts: list[Range]) -> Range:
    """The widest of what all parts found; position -1 is for cells that stand still."""
    least, most = np.zeros(size + 1), np.zeros(size + 1)
    settled, programs = np.zeros(size + 1, dtype=bool), 0
    settled[-1] = True
    for part in parts:
        least[:-1] = np.minimum(least[:-1], part[0])
        most[:-1] = np.maximum(most[:-1], part[1])
        settled[:-1] |= part[2]
        programs += part[3]
    return least, most, settled, programs


def _ranges(shared: tuple[System, float, bool], seeds: NDArray[np.int64]) -> Range:
    """Push each unknown down and up within its component, one warm model each."""
    from tacit.audit._balls import Cutter  # noqa: PLC0415
    from tacit.audit._component import Component  # noqa: PLC0415
    from tacit.audit._integral import WholeComponent  # noqa: PLC0415

    system, deadline, integral = shared
    least, most = np.zeros(len(system)), np.zeros(len(system))
    settled, programs = np.zeros(len(system), dtype=bool), 0
    labels, cutter = system.component[seeds], Cutter(system)
    kind = WholeComponent if integral else Component
    for first in np.flatnonzero(np.diff(labels, prepend=-1)).tolist():
        mine = seeds[labels == labels[first]]
        part = kind(system, cutter, mine[0], deadline)
        for seed in mine.tolist():
            if monotonic() > deadline:
                break
            settled[seed] = part.settle(seed)
        least[mine], most[mine] = part.ends(mine)
        programs += part.solved
    return least, most, settled, programs
