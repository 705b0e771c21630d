# SPDX-License-Identifier: Apache-2.0
# Compiled kernels: numba infers the types of their many plain arguments, and inlines
# nothing that reads better in pieces.
# ruff: noqa: ANN001, ANN202, C901, PLR0912, PLR0913, PLR0917
# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type"
"""Small pieces of a large system, cut out around one unknown; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.audit._system import System

__all__ = ["Cutter", "Piece"]

_FULL, _PARTIAL = -2, -3


class Piece(NamedTuple):
    """A small system by columns; ``unknowns`` are their numbers in the large one."""

    unknowns: NDArray[np.int32]
    seed: int
    rows: int
    start: NDArray[np.int32]
    rows_at: NDArray[np.int32]
    value: NDArray[np.float64]
    whole: bool


@njit(cache=True)
def _ball(
    row_start, row_of, col_start, col_of, barred, seed, limit, mark, row_mark, now
):
    """Unknowns near the seed, nearest first: through shared rows, breadth first."""
    found = np.empty(limit, np.int32)
    found[0] = seed
    mark[seed] = now
    head, tail = 0, 1
    while head < tail < limit:
        v = found[head]
        head += 1
        for s in range(col_start[v], col_start[v + 1]):
            r = col_of[s]
            if row_mark[r] == now:
                continue
            row_mark[r] = now
            for t in range(row_start[r], row_start[r + 1]):
                u = row_of[t]
                if mark[u] != now and not barred[u] and tail < limit:
                    mark[u] = now
                    found[tail] = u
                    tail += 1
    return found[:tail], tail < limit


@njit(cache=True)
def _prune(found, seed, row_start, row_of, col_start, col_of, place, tally):
    """Drop unknowns that are alone in a row: nothing could balance them.

    ``place`` is -1 outside; ``tally`` counts the unknowns inside by row.
    """
    alive = np.ones(found.size, np.bool_)
    stack = np.empty(found.size + 1, np.int64)
    for i in range(found.size):
        v = found[i]
        for s in range(col_start[v], col_start[v + 1]):
            tally[col_of[s]] += 1
    for i in range(found.size):
        if not alive[i]:
            continue
        v = found[i]
        lonely = False
        for s in range(col_start[v], col_start[v + 1]):
            if tally[col_of[s]] == 1:
                lonely = True
        if not lonely:
            continue
        alive[i] = False
        stack[0] = v
        size = 1
        while size:
            size -= 1
            v = stack[size]
            for s in range(col_start[v], col_start[v + 1]):
                r = col_of[s]
                tally[r] -= 1
                if tally[r] != 1:
                    continue
                for t in range(row_start[r], row_start[r + 1]):
                    k = place[row_of[t]]
                    if k >= 0 and alive[k]:
                        alive[k] = False
                        stack[size] = found[k]
                        size += 1
        if not alive[place[seed]]:
            break
    return alive


@njit(cache=True)
def _inner(
    found, seed, row_start, row_of, col_start, col_of, entries, place, tally, number
):
    """Cut with everything outside held at 0: a solution inside solves the whole."""
    for i in range(found.size):
        place[found[i]] = i
    alive = _prune(found, seed, row_start, row_of, col_start, col_of, place, tally)
    size, kept, rows, at = 0, 0, 0, -1
    for i in range(found.size):
        if alive[i]:
            kept += 1
            size += col_start[found[i] + 1] - col_start[found[i]]
    ok = alive[place[seed]]
    unknowns = np.empty(kept, np.int32)
    start = np.zeros(kept + 1, np.int32)
    index, value = np.empty(size, np.int32), np.empty(size, np.float64)
    if ok:
        k, t = 0, 0
        for i in range(found.size):
            if not alive[i]:
                continue
            v = found[i]
            if v == seed:
                at = k
            unknowns[k] = v
            for s in range(col_start[v], col_start[v + 1]):
                r = col_of[s]
                if number[r] < 0:
                    number[r] = rows
                    rows += 1
                index[t], value[t] = number[r], entries[s]
                t += 1
            k += 1
            start[k] = t
    for i in range(found.size):
        v = found[i]
        place[v] = -1
        for s in range(col_start[v], col_start[v + 1]):
            tally[col_of[s]] = 0
            number[col_of[s]] = -1
    return unknowns, at, rows, start, index, value


@njit(cache=True)
def _outer(
    found, seed, row_start, row_of, col_start, col_of, entries, place, barred, number
):
    """Cut with rows that reach outside left out: its limits hold for the whole."""
    for i in range(found.size):
        place[found[i]] = i
    size = 0
    for i in range(found.size):
        size += col_start[found[i] + 1] - col_start[found[i]]
    start = np.zeros(found.size + 1, np.int32)
    index, value = np.empty(size, np.int32), np.empty(size, np.float64)
    rows, t, at = 0, 0, place[seed]
    for i in range(found.size):
        v = found[i]
        for s in range(col_start[v], col_start[v + 1]):
            r = col_of[s]
            if number[r] == -1:
                number[r] = _FULL
                for e in range(row_start[r], row_start[r + 1]):
                    u = row_of[e]
                    if place[u] < 0 and not barred[u]:
                        number[r] = _PARTIAL
                        break
                if number[r] == _FULL:
                    number[r] = rows
                    rows += 1
            if number[r] >= 0:
                index[t], value[t] = number[r], entries[s]
                t += 1
        start[i + 1] = t
    for i in range(found.size):
        v = found[i]
        place[v] = -1
        for s in range(col_start[v], col_start[v + 1]):
            number[col_of[s]] = -1
    return at, rows, start, index[:t], value[:t]


class Cutter:
    """Cut pieces out of one system; keeps its work arrays between cuts."""

    def __init__(self, system: System) -> None:
        rows, columns = system.matrix, system.columns
        self._by_row = (rows.indptr.astype(np.int64), rows.indices.astype(np.int32))
        self._by_column = (
            columns.indptr.astype(np.int64),
            columns.indices.astype(np.int32),
        )
        self._entries = columns.data
        count, unknowns = rows.shape
        self._mark = np.zeros(unknowns, dtype=np.int32)
        self._row_mark = np.zeros(count, dtype=np.int32)
        self._place = np.full(unknowns, -1, dtype=np.int32)
        self._tally = np.zeros(count, dtype=np.int32)
        self._number = np.full(count, -1, dtype=np.int32)
        self._now = 0
        self.barred = np.zeros(unknowns, dtype=np.bool_)

    def ball(self, seed: int, limit: int) -> tuple[NDArray[np.int32], bool]:
        """Up to ``limit`` unknowns around the seed, and whether that is all."""
        self._now += 1
        limit = min(limit, len(self._mark) + 1)
        found: tuple[NDArray[np.int32], bool] = _ball(
            *self._by_row,
            *self._by_column,
            self.barred,
            seed,
            limit,
            self._mark,
            self._row_mark,
            self._now,
        )
        return found

    def inner(self, found: NDArray[np.int32], seed: int, *, whole: bool) -> Piece:
        """Hold everything outside at 0; ``seed`` is -1 if that holds it too."""
        cut = _inner(
            found,
            seed,
            *self._by_row,
            *self._by_column,
            self._entries,
            self._place,
            self._tally,
            self._number,
        )
        return Piece._make((*cut, whole))

    def outer(self, found: NDArray[np.int32], seed: int, *, whole: bool) -> Piece:
        """Leave out the rows that reach outside."""
        cut = _outer(
            found,
            seed,
            *self._by_row,
            *self._by_column,
            self._entries,
            self._place,
            self.barred,
            self._number,
        )
        return Piece._make((found, *cut, whole))
