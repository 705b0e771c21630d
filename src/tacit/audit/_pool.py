# SPDX-License-Identifier: Apache-2.0
# Compiled kernels: numba infers the types of their many plain arguments.
# ruff: noqa: ANN001, ANN202, C901, PLR0912, PLR0913, PLR0917, SIM110
# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type"
"""All vectors found so far, and which claims they prove to somebody who knows more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from tacit.audit._hunt import MET

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Lists = tuple[NDArray[np.int64], NDArray[np.int64]]
    Bounds = tuple[
        NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]
    ]

__all__ = ["Pool"]

_SLACK = 1e-9  # of the amount, where a vector is compared with narrower bounds


@njit(cache=True)
def _enter(groups, amounts, vector, base, head, after, of_vector, extreme, furthest):
    """Chain the entries of a vector by group; note where it goes furthest."""
    for i in range(groups.size):
        g, a = groups[i], amounts[i]
        after[base + i] = head[g]
        head[g] = base + i
        of_vector[base + i] = vector
        side = 0 if a > 0 else 1
        if abs(a) > furthest[side, g]:
            furthest[side, g] = abs(a)
            extreme[side, g] = vector


@njit(cache=True)
def _amount_at(group, amount, first, last, g):
    low, high = first, last
    while low < high:
        middle = (low + high) >> 1
        if group[middle] < g:
            low = middle + 1
        else:
            high = middle
    if low < last and group[low] == g:
        return amount[low]
    return 0.0


@njit(cache=True)
def _fits(w, tight, low, high, start, group, amount):
    """Whether a vector keeps within the narrower bounds of an insider."""
    for i in range(tight.size):
        a = _amount_at(group, amount, start[w], start[w + 1], tight[i])
        slack = _SLACK * abs(a)
        if a < low[i] - slack or a > high[i] + slack:
            return False
    return True


@njit(cache=True)
def _touches(w, known, start, group, amount):
    for k in known:
        if _amount_at(group, amount, start[w], start[w + 1], k) != 0:
            return True
    return False


@njit(cache=True)
def _proved(
    side, g, level, known, tight, low, high, start, group, amount, head, after,
    of_vector, extreme,
):  # fmt: skip
    """Whether the pool proves a claim to somebody who knows this; else what to try.

    A witness that touches none of it does. So does a mixture of two vectors that
    have opposite signs at the one known group: mixed in proportion they vanish there,
    and fit every bound because both do. The mixture reaches the level if what one has
    to spare there, per unit of the known group, makes up for what the other lacks.
    """
    sign = 1.0 if side == 0 else -1.0
    above, below, best = -np.inf, -np.inf, -1
    if known.size == 1:
        for e in range(2):
            w = extreme[e, known[0]]
            if w >= 0 and _fits(w, tight, low, high, start, group, amount):
                a = _amount_at(group, amount, start[w], start[w + 1], known[0])
                r = sign * _amount_at(group, amount, start[w], start[w + 1], g)
                if a > 0:
                    above = max(above, (r - level) / a)
                elif a < 0:
                    below = max(below, (level - r) / a)
    at = head[g]
    while at >= 0:
        w, r = of_vector[at], sign * amount[at]
        at = after[at]
        if r < level and known.size != 1:
            continue
        if tight.size and not _fits(w, tight, low, high, start, group, amount):
            continue
        if known.size == 1:
            a = _amount_at(group, amount, start[w], start[w + 1], known[0])
            if a > 0:
                above = max(above, (r - level) / a)
            elif a < 0:
                below = max(below, (level - r) / a)
            elif r >= level:
                return True, w
            if above + below >= 0:
                return True, w
        elif not _touches(w, known, start, group, amount):
            return True, w
        if r >= level and (
            best < 0 or start[w + 1] - start[w] < start[best + 1] - start[best]
        ):
            best = w
    return False, best


@njit(cache=True)
def _sparsest(need, start, group, amount, size):
    """For each claim the shortest vector that proves it."""
    best = np.full(need.shape, -1, np.int64)
    for w in range(size):
        for t in range(start[w], start[w + 1]):
            g, a = group[t], amount[t]
            side = 0 if a > 0 else 1
            if need[side, g] <= 0 or abs(a) < need[side, g]:
                continue
            b = best[side, g]
            if b < 0 or start[w + 1] - start[w] < start[b + 1] - start[b]:
                best[side, g] = w
    return best


@njit(cache=True)
def _doubtful(
    best, start, group, amount, holder_start, holder, narrow_start, narrow, low, high
):
    """Pairs of a claim and an insider who knows its shortest witness to be wrong."""
    pairs = np.empty((1024, 3), np.int64)
    found = 0
    for side in range(2):
        for g in range(best.shape[1]):
            w = best[side, g]
            if w < 0:
                continue
            for t in range(start[w], start[w + 1]):
                u, a = group[t], amount[t]
                slack = _SLACK * abs(a)
                first = holder_start[u]
                split = holder_start[u + 1]
                more = narrow_start[u + 1] - narrow_start[u]
                for i in range(first, split + more):
                    if i < split:
                        e = holder[i]
                    else:
                        k = narrow_start[u] + i - split
                        if a >= low[k] - slack and a <= high[k] + slack:
                            continue
                        e = narrow[k]
                    if found == len(pairs):
                        larger = np.empty((2 * found, 3), np.int64)
                        larger[:found] = pairs
                        pairs = larger
                    pairs[found, 0], pairs[found, 1], pairs[found, 2] = e, side, g
                    found += 1
    return pairs[:found]


class Pool:
    """Vectors by number and by group; grows as more are found."""

    def __init__(self, need: NDArray[np.float64]) -> None:
        self.need = need * (1 - MET)
        size = need.shape[1]
        self._head = np.full(size, -1, dtype=np.int64)
        self._extreme = np.full(need.shape, -1, dtype=np.int64)
        self._furthest = np.zeros(need.shape)
        self._start = np.zeros(1024, dtype=np.int64)
        self._group = np.zeros(1 << 16, dtype=np.int64)
        self._amount = np.zeros(1 << 16)
        self._after = np.zeros(1 << 16, dtype=np.int64)
        self._of_vector = np.zeros(1 << 16, dtype=np.int64)
        self.size = 0

    def add(self, groups: NDArray[np.integer], amounts: NDArray[np.float64]) -> int:
        """Take a vector in; its groups in any order, its amounts not 0."""
        order = np.argsort(groups)
        base = self._start[self.size]
        end = base + len(groups)
        if end > len(self._group):
            size = 2 * int(end)
            for name in ("_group", "_amount", "_after", "_of_vector"):
                setattr(self, name, np.resize(getattr(self, name), size))
        if self.size + 2 > len(self._start):
            self._start = np.resize(self._start, 2 * len(self._start))
        self._group[base:end] = groups[order]
        self._amount[base:end] = amounts[order]
        self._start[self.size + 1] = end
        _enter(
            self._group[base:end],
            self._amount[base:end],
            self.size,
            base,
            self._head,
            self._after,
            self._of_vector,
            self._extreme,
            self._furthest,
        )
        self.size += 1
        return self.size - 1

    def vector(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Groups, ascending, and amounts of one vector."""
        part = slice(self._start[number], self._start[number + 1])
        return self._group[part], self._amount[part]

    def doubtful(self, holders: Lists, narrow: Bounds) -> NDArray[np.int64]:
        """Rows (insider, side, group) that the shortest witnesses do not prove."""
        best = _sparsest(self.need, self._start, self._group, self._amount, self.size)
        pairs = _doubtful(
            best, self._start, self._group, self._amount, *holders, *narrow
        )
        return np.unique(pairs, axis=0)

    def proved(
        self,
        side: int,
        group: int,
        known: NDArray[np.int64],
        tight: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]],
    ) -> tuple[bool, int]:
        """Whether somebody who knows all this still cannot refute the claim.

        If not, also the shortest vector that proves it to others (-1 if none does).
        """
        answer: tuple[bool, int] = _proved(
            side,
            group,
            self.need[side, group],
            known,
            *tight,
            self._start,
            self._group,
            self._amount,
            self._head,
            self._after,
            self._of_vector,
            self._extreme,
        )
        return answer
