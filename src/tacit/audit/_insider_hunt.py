# SPDX-License-Identifier: Apache-2.0
"""Every claim against every insider: witnesses that leave alone what it knows."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.audit._hunt import BALLS, MET, Prober, Push, stretched
from tacit.audit._pool import Pool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tacit.audit._balls import Piece
    from tacit.audit._pool import Bounds, Lists
    from tacit.audit._system import System

    Vector = tuple[NDArray[np.integer], NDArray[np.float64]]
    Tight = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]

__all__ = ["Breach", "InsiderHunt", "Knowledge"]


class Knowledge(NamedTuple):
    """What one insider knows of a system.

    ``known`` are groups it knows, ``seen`` all groups that follow from them;
    ``tight`` are groups with the narrower bounds that it can set.
    """

    known: NDArray[np.int64]
    seen: NDArray[np.int64]
    tight: Tight


class Breach(NamedTuple):
    """A claim that one insider refutes: group and side, reached and limit."""

    insider: int
    side: int
    group: int
    reached: float
    limit: float


class InsiderHunt:
    """Settle claims for one insider after the other, with one growing pool.

    A vector holds for every insider whose knowledge it does not touch, and a mixture
    of two holds where it leaves that knowledge alone. Only claims for which the pool
    offers neither ask for linear programs: first one that leads an old witness around
    what the insider knows, then those that look for a new one.
    """

    def __init__(
        self,
        system: System,
        need: NDArray[np.float64],
        pool: Iterable[Vector],
        deadline: float = np.inf,
    ) -> None:
        self.system, self.need, self.deadline = system, need, deadline
        self.least = need
        self.prober = Prober(system)
        self.pool = Pool(need)
        for groups, z in pool:
            self.pool.add(groups, z)
        self.breaches: list[Breach] = []
        self.open = 0

    @property
    def solved(self) -> int:
        """Linear programs solved."""
        return self.prober.simplex.solved

    def run(self, insiders: list[Knowledge]) -> None:
        """Settle all claims for each insider; count those that time leaves open."""
        pairs = self.pool.doubtful(*_by_group(insiders, len(self.system)))
        edges = np.searchsorted(pairs[:, 0], np.arange(len(insiders) + 1))
        for name, knows in enumerate(insiders):
            rows = pairs[edges[name] : edges[name + 1]]
            rows = rows[~np.isin(rows[:, 2], knows.seen)]
            if len(rows):
                self._against(name, knows, rows[:, [2, 1]].tolist())

    def spans(
        self, knows: Knowledge, seed: int, need: NDArray[np.float64], width: float
    ) -> bool:
        """Whether a group reaches what it needs on each side, and a width in all.

        Asked where a claim stands for the width alone: what is missing on one side
        may be there on the other.
        """
        self._know(knows)
        met = self._spans(seed, need, width)
        self._forget(knows)
        return met

    def _spans(self, seed: int, need: NDArray[np.float64], width: float) -> bool:
        reached, limit = np.zeros(2), np.full(2, np.inf)
        level = max(width, float(need.max()))
        enough, less = np.append(need, width), 1 - MET
        for size in BALLS:
            found, whole = self.prober.cutter.ball(seed, size)
            piece = self.prober.cutter.inner(found, seed, whole=whole)
            for side in (0, 1):
                if piece.seed >= 0:
                    far = self.prober.push(piece, side, level).reached
                    reached[side] = max(reached[side], far)
                cap = self.prober.limit(found, seed, side, level, whole=whole)
                limit[side] = min(limit[side], cap)
            if (np.append(reached, reached.sum()) >= enough * less).all():
                return True
            if whole or (np.append(limit, limit.sum()) < enough * less).any():
                return False
        return False

    def _against(self, name: int, knows: Knowledge, claims: list[list[int]]) -> None:
        self._know(knows)
        for seed, side in claims:
            proved, witness = self.pool.proved(side, seed, knows.known, knows.tight)
            if proved:
                continue
            if monotonic() > self.deadline:
                self.open += 1
            elif not self._led_around(knows, side, seed, witness):
                self._settle(name, side, seed)
        self._forget(knows)

    def _led_around(self, knows: Knowledge, side: int, seed: int, witness: int) -> bool:
        """Change a witness near the one group the insider knows, to leave it alone."""
        if len(knows.known) != 1 or witness < 0:
            return False
        groups, z = self.pool.vector(witness)
        known = int(knows.known[0])
        amount = float(z[np.searchsorted(groups, known)])
        lower, upper = self.prober.lower, self.prober.upper
        self.prober.cutter.barred[known] = False
        self.prober.lower, self.prober.upper = lower.copy(), upper.copy()
        self.prober.lower[groups] -= z
        self.prober.upper[groups] -= z
        spare = abs(z[np.searchsorted(groups, seed)]) - self.need[side, seed]
        if side == 0:
            self.prober.lower[seed] = max(self.prober.lower[seed], -spare)
        else:
            self.prober.upper[seed] = min(self.prober.upper[seed], spare)
        found, whole = self.prober.cutter.ball(known, BALLS[0])
        piece = self.prober.cutter.inner(found, known, whole=whole)
        push = Push(0.0, None)
        if piece.seed >= 0:
            push = self.prober.push(piece, int(amount > 0), abs(amount))
        self.prober.cutter.barred[known] = True
        self.prober.lower, self.prober.upper = lower, upper
        if push.z is None:
            return False
        total = np.zeros(len(self.system))
        total[groups] = z
        total[piece.unknowns] += push.z
        moved = np.flatnonzero(total)
        self.pool.add(moved, total[moved])
        return self.pool.proved(side, seed, knows.known, knows.tight)[0]

    def _settle(self, name: int, side: int, seed: int) -> None:
        level, best, limit = self.need[side, seed], 0.0, np.inf
        for size in BALLS:
            found, whole = self.prober.cutter.ball(seed, size)
            piece = self.prober.cutter.inner(found, seed, whole=whole)
            if piece.seed >= 0:
                push = self.prober.push(piece, side, level)
                if push.z is not None:
                    self._keep(piece, push.z)
                    return
                best = max(best, push.reached)
            cap = self.prober.limit(found, seed, side, level, whole=whole)
            limit = min(limit, cap)
            # all claims on the group are refuted, or what it reaches is certain
            if limit < self.least[side, seed] * (1 - MET):
                break
            if whole or limit <= min(best * (1 + MET), level * (1 - MET)):
                break
        self.breaches.append(Breach(name, side, seed, best, limit))

    def _know(self, knows: Knowledge) -> None:
        self.prober.cutter.barred[knows.known] = True
        groups, lower, upper = knows.tight
        np.maximum.at(self.prober.lower, groups, lower)
        np.minimum.at(self.prober.upper, groups, upper)

    def _forget(self, knows: Knowledge) -> None:
        self.prober.cutter.barred[knows.known] = False
        groups = knows.tight[0]
        self.prober.lower[groups] = self.system.lower[groups]
        self.prober.upper[groups] = self.system.upper[groups]

    def _keep(self, piece: Piece, z: NDArray[np.float64]) -> None:
        moved = np.flatnonzero(z)
        groups, z = piece.unknowns[moved], z[moved]
        room = self.prober.lower[groups], self.prober.upper[groups]
        for far in stretched(z, room, self.need[:, groups]):
            self.pool.add(groups, far)


def _by_group(insiders: list[Knowledge], size: int) -> tuple[Lists, Bounds]:
    """Who knows each group, and who narrows it: lists by group."""
    none = np.zeros(0, dtype=np.int64)
    counts = [len(one.known) for one in insiders]
    groups = np.concatenate([none, *(one.known for one in insiders)])
    order = np.argsort(groups, kind="stable")
    names = np.repeat(np.arange(len(insiders)), counts)
    holders = np.searchsorted(groups[order], np.arange(size + 1)), names[order]
    counts = [len(one.tight[0]) for one in insiders]
    parts = [none, *(one.tight[0] for one in insiders)]
    groups = np.concatenate(parts)
    order = np.argsort(groups, kind="stable")
    names = np.repeat(np.arange(len(insiders)), counts)
    low = np.concatenate([np.zeros(0), *(one.tight[1] for one in insiders)])
    high = np.concatenate([np.zeros(0), *(one.tight[2] for one in insiders)])
    start = np.searchsorted(groups[order], np.arange(size + 1))
    return holders, (start, names[order], low[order], high[order])
