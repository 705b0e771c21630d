# SPDX-License-Identifier: Apache-2.0
"""Whether every sensitive cell can be as far from its value as it must."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._parallel import spread_out
from tacit.audit._system import reduce
from tacit.errors import InputError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.audit._hunt import Found
    from tacit.audit._problem import Problem
    from tacit.audit._system import System

__all__ = ["ABOVE", "BELOW", "Verdict", "Witnesses", "verdict"]

ABOVE, BELOW = 0, 1
OPEN, PROVED, FAILED = 0, 1, 2


@dataclass(frozen=True, eq=False, repr=False)
class Witnesses:
    """Sparse difference vectors over all cells, one after the other.

    Added to the true table, each gives another table that agrees with everything
    published and with every bound.
    """

    offset: NDArray[np.int64]
    cell: NDArray[np.int64]
    amount: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.offset) - 1

    def __repr__(self) -> str:
        return f"<Witnesses: {len(self):,}, confidential>"

    def matrix(self, cells: int) -> csr_array:
        """Witnesses as rows over all cells of the table."""
        from scipy.sparse import csr_array as make  # noqa: PLC0415

        return make((self.amount, self.cell, self.offset), shape=(len(self), cells))


@dataclass(frozen=True, eq=False, repr=False)
class Verdict:
    """What became of every claim "this cell can be that far from its value".

    Rows 0 (``ABOVE``) and 1 (``BELOW``) of each array are the two sides, columns are
    ``cells``. A claim is proved by a witness, failed because ``limit`` (which cannot
    be passed) is short of ``required``, or open because time ran out. ``reached`` is
    what some table certainly reaches.
    """

    cells: NDArray[np.int64]
    required: NDArray[np.float64]
    state: NDArray[np.int8]
    reached: NDArray[np.float64]
    limit: NDArray[np.float64]
    witness: NDArray[np.int64]
    witnesses: Witnesses
    programs: int = 0

    def __repr__(self) -> str:
        states = np.bincount(self.state.ravel(), minlength=3)
        return (
            f"<Verdict: {len(self.cells):,} cells, claims proved {states[PROVED]:,}, "
            f"failed {states[FAILED]:,}, open {states[OPEN]:,}>"
        )

    @property
    def safe(self) -> bool:
        """Whether every claim is proved."""
        return bool((self.state == PROVED).all())

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Cells with a claim that is false."""
        failed: NDArray[np.bool_] = (self.state == FAILED).any(axis=0)
        return failed

    @property
    def open(self) -> NDArray[np.bool_]:
        """Cells with a claim that was not settled within the time limit."""
        undecided: NDArray[np.bool_] = (self.state == OPEN).any(axis=0)
        return undecided


def verdict(
    problem: Problem,
    cells: NDArray[np.integer],
    *,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    time_limit: float | None = None,
    executor: Executor | None = None,
) -> Verdict:
    """Decide for each cell whether value - ``lower`` and value + ``upper`` can be.

    Each claim is proved by a witness that counts for all cells it moves far enough;
    witnesses are sought in small pieces of the system, growing up to its component.
    A claim counts as met when it is reached to within 1e-7 of its level; a level of 0
    asks for nothing.

    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from tacit.audit._problem import Problem
    >>> rows = csr_array(np.array([[-1, 1, 1]]))
    >>> p = Problem.of(rows, np.array([False, True, True]), value=np.array([9, 4, 5]))
    >>> verdict(p, np.array([1]), lower=np.array([4]), upper=np.array([6])).failed
    array([ True])
    """
    if problem.value is None:
        message = (
            "A verdict needs the true values: whether a cell is protected depends on "
            "how far the attacker stays from them. Ask for the intervals instead."
        )
        raise InputError(message)
    deadline = np.inf if time_limit is None else monotonic() + time_limit
    system = reduce(problem)
    claims = Claims(system, np.asarray(cells, np.int64), np.stack([upper, lower]))
    while claims.to_hunt():
        hunts = _hunts(system, claims.need(), deadline, executor)
        claims.take(hunts)
        if monotonic() > deadline:
            break
    return claims.verdict()


def _hunts(
    system: System,
    need: NDArray[np.float64],
    deadline: float,
    executor: Executor | None,
) -> list[Found]:
    seeds = np.flatnonzero(need.max(axis=0) > 0)
    seeds = seeds[np.lexsort((-need[:, seeds].max(axis=0), system.component[seeds]))]
    return spread_out(hunt_for, (system, need, deadline), seeds, executor=executor)


def hunt_for(
    shared: tuple[System, NDArray[np.float64], float], seeds: NDArray[np.int64]
) -> Found:
    """Settle the claims of some groups; what a worker process is asked to do."""
    from tacit.audit._hunt import Hunt  # noqa: PLC0415

    hunt = Hunt(*shared)
    hunt.run(seeds)
    return hunt.closed()


class Claims:
    """Claims on cells, kept in step with what is found out about their groups."""

    def __init__(
        self, system: System, cells: NDArray[np.int64], required: NDArray[np.float64]
    ) -> None:
        self.system, self.cells = system, cells
        self.required = np.asarray(required, dtype=np.float64)
        self.group, factor = system.group[cells], system.factor[cells]
        self.scale = np.abs(factor).astype(np.float64)
        # on which side of its group a cell's own side lies
        self.side = np.where(factor > 0, [[0], [1]], [[1], [0]])
        self.state = np.where(self.required > 0, OPEN, PROVED).astype(np.int8)
        self.state[(self.required > 0) & (self.group < 0)] = FAILED
        self.reached = np.zeros(self.required.shape)
        self.limit = np.where(self.group < 0, 0.0, np.full(self.required.shape, np.inf))
        self.witness = np.full(self.required.shape, -1, dtype=np.int64)
        self.pool: list[tuple[NDArray[np.int32], NDArray[np.float64]]] = []
        self.programs = 0
        self.stuck = False

    def to_hunt(self) -> bool:
        """Whether another round could settle something."""
        return not self.stuck and bool((self.state == OPEN).any())

    def need(self) -> NDArray[np.float64]:
        """The largest open claim on each side of each group."""
        need = np.zeros((2, len(self.system)))
        at = self.state == OPEN
        group = np.broadcast_to(self.group, at.shape)[at]
        ask = (self.required / np.maximum(self.scale, 1))[at]
        np.maximum.at(need, (self.side[at], group), ask)
        return need

    def take(self, hunts: list[Found]) -> None:
        """Note what hunts found; a smaller claim on a failed group stays open."""
        before = int((self.state == OPEN).sum())
        for hunt in hunts:
            at = self.state == OPEN
            group = np.broadcast_to(self.group, at.shape)[at]
            found, scale = (self.side[at], group), self._scale(at)
            self.reached[at] = np.maximum(self.reached[at], hunt.reached[found] * scale)
            self.limit[at] = np.minimum(self.limit[at], hunt.limit[found] * scale)
            self._close(at, hunt, found)
            self.pool.extend(hunt.pool)
            self.programs += hunt.solved
        self.stuck = int((self.state == OPEN).sum()) == before

    def _scale(self, at: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.broadcast_to(self.scale, at.shape)[at]

    def _close(self, at: NDArray[np.bool_], hunt: Found, found: tuple) -> None:  # type: ignore[type-arg]
        proved = hunt.state[found] == PROVED
        proved &= hunt.need[found] > 0
        short = self.limit[at] < self.required[at] * (1 - 1e-7)
        state, witness = self.state[at], self.witness[at]
        state[short] = FAILED
        state[proved] = PROVED
        witness[proved] = hunt.witness[found][proved] + len(self.pool)
        self.state[at], self.witness[at] = state, witness

    def witnesses(self) -> Witnesses:
        """Expand the pool from groups to cells."""
        cells, amounts, counts = [], [], [0]
        for groups, z in self.pool:
            cell, amount = self.system.spread(groups, z)
            cells.append(cell)
            amounts.append(amount)
            counts.append(len(cell))
        return Witnesses(
            np.cumsum(counts),
            np.concatenate([np.zeros(0, np.int64), *cells]),
            np.concatenate([np.zeros(0), *amounts]),
        )

    def verdict(self) -> Verdict:
        """Freeze what is known now."""
        proved = (self.state == PROVED) & (self.required > 0)
        return Verdict(
            self.cells,
            self.required,
            self.state,
            np.where(proved, np.maximum(self.required, self.reached), self.reached),
            self.limit,
            self.witness,
            self.witnesses(),
            self.programs,
        )
