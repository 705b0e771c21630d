# SPDX-License-Identifier: Apache-2.0
"""One connected part of a system, and how far each of its unknowns goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._simplex import Simplex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.audit._balls import Cutter, Piece
    from tacit.audit._system import System

__all__ = ["Component"]

_NEARBY = 300
_LARGE = 600  # from here on it pays to look nearby first
_EQUAL = 1e-9


class Component:
    """Loaded once, solved warm; every solution counts for all of its unknowns."""

    def __init__(
        self, system: System, cutter: Cutter, seed: int, deadline: float
    ) -> None:
        found, _ = cutter.ball(int(seed), len(system) + 1)
        self.unknowns = np.sort(found)
        self.piece = cutter.outer(self.unknowns, int(seed), whole=True)
        self.system, self.cutter, self.deadline = system, cutter, deadline
        self.lower = system.lower[self.unknowns]
        self.upper = system.upper[self.unknowns]
        size = len(self.unknowns)
        self.least, self.most = np.zeros(size), np.zeros(size)
        self.simplex, self.nearby = Simplex(), Simplex()
        if self.piece.rows:
            room = self.lower, self.upper
            self.simplex.load(self.piece, *room, cost=np.zeros(size))

    @property
    def solved(self) -> int:
        """Programs solved."""
        return self.simplex.solved + self.nearby.solved

    def ends(
        self, seeds: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest deviation reached by each of these unknowns."""
        at = np.searchsorted(self.unknowns, seeds)
        return self.least[at], self.most[at]

    def settle(self, seed: int) -> bool:
        """Find both ends of one unknown; whether they are certain."""
        k = int(np.searchsorted(self.unknowns, seed))
        if not self.piece.rows:
            self.least[k], self.most[k] = self.lower[k], self.upper[k]
            return True
        if self.most[k] < self.upper[k]:
            self.most[k] = max(self._end(k, 1.0), self.most[k])
        if self.least[k] > self.lower[k]:
            self.least[k] = min(-self._end(k, -1.0), self.least[k])
        return True

    def _end(self, k: int, direction: float) -> float:
        if len(self.unknowns) >= _LARGE:
            near = self._nearby(k, direction)
            if near is not None:
                return near
        return self._push(k, direction)

    def _nearby(self, k: int, direction: float) -> float | None:
        """The end, where few rows around it keep it as close as all of them.

        With everything outside a ball standing still an unknown reaches no further
        than in truth, and with the rows that reach outside left out no less far.
        """
        seed = int(self.unknowns[k])
        found, whole = self.cutter.ball(seed, _NEARBY)
        inner = self.cutter.inner(found, seed, whole=whole)
        if inner.seed < 0:
            return None
        outer = self.cutter.outer(found, seed, whole=whole)
        limit, _ = self.nearby.highest(outer, *self._room(outer, direction))
        reached, z = self.nearby.highest(inner, *self._room(inner, direction))
        slack = _EQUAL * max(1.0, abs(limit)) if np.isfinite(limit) else 0.0
        if reached < limit - slack:
            return None
        if z is not None:
            everywhere = np.zeros(len(self.unknowns))
            at = np.searchsorted(self.unknowns, inner.unknowns)
            everywhere[at] = direction * z
            self._widen(np.clip(everywhere, self.lower, self.upper))
        return reached

    def _room(
        self, piece: Piece, direction: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        at = np.searchsorted(self.unknowns, piece.unknowns)
        lower, upper = self.lower[at], self.upper[at]
        return (lower, upper) if direction > 0 else (-upper, -lower)

    def _push(self, k: int, direction: float) -> float:
        self.simplex.solver.changeColCost(k, -direction)
        best, z = self.simplex.maximum()
        self.simplex.solver.changeColCost(k, 0.0)
        if z is not None:
            self._widen(np.clip(z, self.lower, self.upper))
        return best

    def _widen(self, z: NDArray[np.float64]) -> None:
        self.least, self.most = np.minimum(self.least, z), np.maximum(self.most, z)
