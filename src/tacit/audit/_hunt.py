# SPDX-License-Identifier: Apache-2.0
"""Look for witnesses: tables that agree with all that is published, and differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.audit._balls import Cutter
from tacit.audit._simplex import Simplex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.audit._balls import Piece
    from tacit.audit._system import System

__all__ = ["MET", "Found", "Hunt", "Prober", "Push", "stretched"]

BALLS = (300, 1500, 6000, 1 << 30)
ASKED = 1e-6
"""How much more than the level is asked for, relative to it."""
MET = 1e-7
"""How much less than the level, relative to it, still counts as reached."""
_DUST = 1e-11
_FAR = 1e3
"""Levels that an unknown may deviate in a small piece."""

OPEN, PROVED, FAILED = 0, 1, 2


class Push(NamedTuple):
    """How far an unknown was pushed, and the vector if that was far enough."""

    reached: float
    z: NDArray[np.float64] | None


class Found(NamedTuple):
    """What a hunt leaves behind: arrays by side and group, and its witnesses."""

    need: NDArray[np.float64]
    state: NDArray[np.int8]
    witness: NDArray[np.int32]
    reached: NDArray[np.float64]
    limit: NDArray[np.float64]
    pool: list[tuple[NDArray[np.int32], NDArray[np.float64]]]
    solved: int


class Prober:
    """Push single unknowns of a system, in small pieces of it.

    ``lower``, ``upper`` and ``cutter.barred`` may be changed between pushes; barred
    unknowns stand still.
    """

    def __init__(self, system: System) -> None:
        self.lower, self.upper = system.lower.copy(), system.upper.copy()
        self.cutter = Cutter(system)
        self.simplex = Simplex()

    def push(self, piece: Piece, side: int, level: float) -> Push:
        """Push the seed towards the level on one side, all else standing still."""
        lower, upper = self._room(piece.unknowns, side)
        reached, z = self._highest(piece, lower, upper, level)
        return Push(reached, z if z is None or side == 0 else -z)

    def push_both_ways(self, piece: Piece, level: float) -> Push:
        """Look for one vector that reaches the level with either sign."""
        lower, upper = self._room(piece.unknowns, 0)
        room = np.minimum(-lower, upper)
        if room[piece.seed] < level:
            return Push(0.0, None)
        return Push(*self._highest(piece, -room, room, level))

    def limit(
        self,
        found: NDArray[np.int32],
        seed: int,
        side: int,
        level: float,
        *,
        whole: bool,
    ) -> float:
        """Say what the seed cannot pass, by the rows inside the ball alone."""
        piece = self.cutter.outer(found, seed, whole=whole)
        lower, upper = self._room(piece.unknowns, side)
        lower, upper = lower / level, upper / level
        upper[piece.seed] = min(upper[piece.seed], 1 + ASKED)
        return self.simplex.highest(piece, lower, upper)[0] * level

    def _room(
        self, unknowns: NDArray[np.int32], side: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        lower, upper = self.lower[unknowns], self.upper[unknowns]
        return (lower, upper) if side == 0 else (-upper, -lower)

    def _highest(
        self,
        piece: Piece,
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        level: float,
    ) -> tuple[float, NDArray[np.float64] | None]:
        """Highest the seed goes, up to the level; the vector, if it gets there.

        Scaled by the level, so that the tolerances of the solver are relative to it.
        """
        lower, upper = lower / level, upper / level
        if not piece.whole:
            lower, upper = np.maximum(lower, -_FAR), np.minimum(upper, _FAR)
        upper[piece.seed] = min(upper[piece.seed], 1 + ASKED)
        best, z = self.simplex.highest(piece, lower, upper)
        if z is None:
            return 0.0, None
        if best < 1 - MET:
            return max(best, 0.0) * level, None
        z[np.abs(z) < _DUST] = 0.0
        return best * level, np.clip(z, lower, upper) * level


def stretched(
    z: NDArray[np.float64],
    room: tuple[NDArray[np.float64], NDArray[np.float64]],
    need: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same vector as far as it fits, forwards and backwards."""
    lower, upper = room
    up, down = np.where(z > 0, upper, lower) / z, np.where(z > 0, lower, upper) / z
    ends = []
    for stretch in (up.min(), down.max()):
        needs = np.where(z * stretch > 0, *need)
        enough = np.copysign((needs / abs(z)).max(), stretch)
        ends.append(z * (enough if np.isinf(stretch) else stretch))
    return ends[0], ends[1]


@dataclass
class Hunt:
    """Claims on groups: z reaches ``need[0]`` above and ``need[1]`` below its base.

    ``state[side]`` is open, proved (``witness[side]`` says by which) or failed, with
    what is certainly reached and what certainly cannot be passed.
    """

    system: System
    need: NDArray[np.float64]
    deadline: float = np.inf
    pool: list[tuple[NDArray[np.int32], NDArray[np.float64]]] = field(
        default_factory=list
    )

    def __post_init__(self) -> None:
        shape = self.need.shape
        self.state = np.where(self.need > 0, OPEN, PROVED).astype(np.int8)
        self.witness = np.full(shape, -1, dtype=np.int32)
        self.reached = np.zeros(shape)
        self.limit = np.full(shape, np.inf)
        self.prober = Prober(self.system)

    @property
    def solved(self) -> int:
        """Linear programs solved."""
        return self.prober.simplex.solved

    def closed(self) -> Found:
        """What was found, without the solver: fit to be sent to another process."""
        return Found(
            self.need,
            self.state,
            self.witness,
            self.reached,
            self.limit,
            self.pool,
            self.solved,
        )

    def run(self, seeds: NDArray[np.integer]) -> None:
        """Settle the claims of the given groups, as far as the time goes."""
        for seed in seeds.tolist():
            if (self.state[:, seed] == OPEN).any():
                self._settle(seed)
            if monotonic() > self.deadline:
                return

    def _settle(self, seed: int) -> None:
        for size in BALLS:
            found, whole = self.prober.cutter.ball(seed, size)
            piece = self.prober.cutter.inner(found, seed, whole=whole)
            if piece.seed >= 0 and (self.state[:, seed] == OPEN).all():
                level = self.need[:, seed].max()
                self._keep(piece, self.prober.push_both_ways(piece, level).z)
            for side in np.flatnonzero(self.state[:, seed] == OPEN).tolist():
                if piece.seed >= 0:
                    self._one_side(piece, seed, side)
                if self.state[side, seed] == OPEN:
                    self._refute(found, seed, side, whole=whole)
            if whole or not (self.state[:, seed] == OPEN).any():
                return

    def _one_side(self, piece: Piece, seed: int, side: int) -> None:
        push = self.prober.push(piece, side, self.need[side, seed])
        self.reached[side, seed] = max(self.reached[side, seed], push.reached)
        self._keep(piece, push.z)

    def _refute(
        self, found: NDArray[np.int32], seed: int, side: int, *, whole: bool
    ) -> None:
        level = self.need[side, seed]
        limit = self.prober.limit(found, seed, side, level, whole=whole)
        self.limit[side, seed] = min(self.limit[side, seed], limit)
        if limit < level * (1 - MET):
            self.state[side, seed] = FAILED

    def _keep(self, piece: Piece, z: NDArray[np.float64] | None) -> None:
        """Stretch a vector as far as it fits, both ways, and note what it proves."""
        if z is None:
            return
        moved = np.flatnonzero(z)
        unknowns = piece.unknowns[moved]
        room = self.system.lower[unknowns], self.system.upper[unknowns]
        for far in stretched(z[moved], room, self.need[:, unknowns]):
            self._note(unknowns, far)

    def _note(self, unknowns: NDArray[np.int32], z: NDArray[np.float64]) -> None:
        side = (z < 0).astype(np.int8)
        proves = abs(z) >= self.need[side, unknowns] * (1 - MET)
        proves &= self.state[side, unknowns] == OPEN
        if proves.any():
            at = side[proves], unknowns[proves]
            self.state[at] = PROVED
            self.witness[at] = len(self.pool)
            self.pool.append((unknowns, z))
