# SPDX-License-Identifier: Apache-2.0
# Compiled kernels: numba infers the types of their many plain arguments, and inlines
# nothing that reads better in pieces.
# ruff: noqa: ANN001, ANN202, C901, PLR0912, PLR0913, PLR0915, PLR0917
# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type"
"""Sparse elimination modulo a prime, compiled: pivots of least fill, null vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PRIMES", "Echelon", "echelon", "null_vectors"]

PRIMES = (2147483647, 2147483629, 2147483587)
_LOOKED_AT = 4  # rows and columns inspected for a pivot


class Echelon(NamedTuple):
    """Pivot rows in the order they were taken; a row holds no earlier pivot column."""

    order: NDArray[np.int64]
    column: NDArray[np.int64]
    start: NDArray[np.int64]
    length: NDArray[np.int64]
    columns: NDArray[np.int32]
    data: NDArray[np.int64]


@njit(cache=True)
def _inverse(a: int, prime: int) -> int:
    result, power, base = 1, prime - 2, a % prime
    while power > 0:
        if power & 1:
            result = result * base % prime
        base = base * base % prime
        power >>= 1
    return result


@njit(cache=True)
def _link(head, following, preceding, key, item):
    following[item] = head[key]
    preceding[item] = -1
    if head[key] >= 0:
        preceding[head[key]] = item
    head[key] = item


@njit(cache=True)
def _unlink(head, following, preceding, key, item):
    if preceding[item] >= 0:
        following[preceding[item]] = following[item]
    else:
        head[key] = following[item]
    if following[item] >= 0:
        preceding[following[item]] = preceding[item]


@njit(cache=True)
def _find(index, first, last, column):
    """Position of a column in a sorted row, or -1."""
    low, high = first, last
    while low < high:
        middle = (low + high) >> 1
        if index[middle] < column:
            low = middle + 1
        else:
            high = middle
    if low < last and index[low] == column:
        return low
    return -1


@njit(cache=True)
def _choose(
    start, length, index, active, count, rows_by, next_row, cols_by, next_col, low,
    node_row, node_next, node_head, looked_at,
):  # fmt: skip
    """Pick a pivot of least (row - 1)(column - 1) among a few short ones."""
    best, best_row, best_col = np.int64(1) << 60, -1, -1
    k = low[1]
    while k < cols_by.size and cols_by[k] < 0:
        k += 1
    low[1] = k
    seen = 0
    if k < cols_by.size:
        c = cols_by[k]
        while c >= 0 and seen < looked_at:
            node = node_head[c]
            while node >= 0:
                r = node_row[node]
                if (
                    active[r]
                    and (length[r] - 1) * (k - 1) < best
                    and _find(index, start[r], start[r] + length[r], c) >= 0
                ):
                    best, best_row, best_col = (length[r] - 1) * (k - 1), r, c
                node = node_next[node]
            seen += 1
            c = next_col[c]
    k = low[0]
    while k < rows_by.size and rows_by[k] < 0:
        k += 1
    low[0] = k
    seen = 0
    if k < rows_by.size and best > 0:
        r = rows_by[k]
        while r >= 0 and seen < looked_at:
            for t in range(start[r], start[r] + length[r]):
                cost = (k - 1) * (count[index[t]] - 1)
                if cost < best:
                    best, best_row, best_col = cost, r, index[t]
            seen += 1
            r = next_row[r]
    return best_row, best_col


@njit(cache=True)
def _merge(index, data, rows, factor, top, pivot_col, prime):
    """Write row a + factor * row b behind ``top``; both sorted; drop ``pivot_col``."""
    i, ie, j, je = rows
    t = top
    while i < ie or j < je:
        if j >= je or (i < ie and index[i] < index[j]):
            c, v = index[i], data[i]
            i += 1
        elif i >= ie or index[j] < index[i]:
            c, v = index[j], factor * data[j] % prime
            j += 1
        else:
            c, v = index[i], (data[i] + factor * data[j]) % prime
            i += 1
            j += 1
        if v != 0 and c != pivot_col:
            index[t] = c
            data[t] = v
            t += 1
    return t


@njit(cache=True)
def _room(index, data, start, length, need):
    """Make room for ``need`` more entries: squeeze out dead rows, or grow."""
    live = 0
    for r in range(start.size):
        live += length[r]
    size = index.size if (live + need) * 2 < index.size else index.size * 2 + need
    new_index = np.empty(size, index.dtype)
    new_data = np.empty(size, data.dtype)
    t = 0
    for r in range(start.size):
        s, n = start[r], length[r]
        new_index[t : t + n] = index[s : s + n]
        new_data[t : t + n] = data[s : s + n]
        start[r] = t
        t += n
    return new_index, new_data, t


@njit(cache=True)
def _grown(array):
    new = np.empty(array.size * 2, array.dtype)
    new[: array.size] = array
    return new


@njit(cache=True)
def _echelon(indptr, indices, entries, columns, prime, looked_at):
    rows = indptr.size - 1
    top = indices.size
    index = np.empty(max(64, 2 * top), np.int32)
    data = np.empty(index.size, np.int64)
    index[:top] = indices
    data[:top] = entries
    start, length = indptr[:-1].copy(), indptr[1:] - indptr[:-1]
    count = np.zeros(columns, np.int64)
    node_head = np.full(columns, -1, np.int64)
    node_row = np.empty(max(64, 2 * top), np.int32)
    node_next = np.empty(node_row.size, np.int64)
    nodes = 0
    for r in range(rows):
        for t in range(start[r], start[r] + length[r]):
            c = index[t]
            count[c] += 1
            node_row[nodes], node_next[nodes] = r, node_head[c]
            node_head[c] = nodes
            nodes += 1
    rows_by, cols_by = (
        np.full(columns + 1, -1, np.int64),
        np.full(rows + 1, -1, np.int64),
    )
    next_row, prev_row = np.full(rows, -1, np.int64), np.full(rows, -1, np.int64)
    next_col, prev_col = np.full(columns, -1, np.int64), np.full(columns, -1, np.int64)
    active = np.zeros(rows, np.bool_)
    for r in range(rows):
        if length[r] > 0:
            active[r] = True
            _link(rows_by, next_row, prev_row, length[r], r)
    for c in range(columns):
        if count[c] > 0:
            _link(cols_by, next_col, prev_col, count[c], c)
    low = np.ones(2, np.int64)
    order, pivot = np.empty(rows, np.int64), np.empty(rows, np.int64)
    taken = 0
    while True:
        p, c = _choose(
            start, length, index, active, count, rows_by, next_row, cols_by, next_col,
            low, node_row, node_next, node_head, looked_at,
        )  # fmt: skip
        if p < 0:
            break
        order[taken], pivot[taken] = p, c
        taken += 1
        active[p] = False
        _unlink(rows_by, next_row, prev_row, length[p], p)
        for t in range(start[p], start[p] + length[p]):
            d = index[t]
            _unlink(cols_by, next_col, prev_col, count[d], d)
            count[d] -= 1
            if d != c and count[d] > 0:
                _link(cols_by, next_col, prev_col, count[d], d)
                low[1] = min(low[1], count[d])
        at = _find(index, start[p], start[p] + length[p], c)
        scale = _inverse(data[at], prime)
        node = node_head[c]
        while node >= 0:
            q = node_row[node]
            node = node_next[node]
            if not active[q]:
                continue
            at = _find(index, start[q], start[q] + length[q], c)
            if at < 0:
                continue
            need = length[p] + length[q]
            if top + need > index.size:
                index, data, top = _room(index, data, start, length, need)
                at = _find(index, start[q], start[q] + length[q], c)
            factor = (prime - data[at] * scale % prime) % prime
            span = (start[q], start[q] + length[q], start[p], start[p] + length[p])
            end = _merge(index, data, span, factor, top, c, prime)
            # what the row gained and lost, column by column
            i, ie, j, je = start[q], start[q] + length[q], top, end
            while i < ie or j < je:
                if j >= je or (i < ie and index[i] < index[j]):
                    d, change = index[i], -1
                    i += 1
                elif i >= ie or index[j] < index[i]:
                    d, change = index[j], 1
                    j += 1
                else:
                    i += 1
                    j += 1
                    continue
                if d == c:
                    continue
                if count[d] > 0:
                    _unlink(cols_by, next_col, prev_col, count[d], d)
                count[d] += change
                if count[d] > 0:
                    _link(cols_by, next_col, prev_col, count[d], d)
                    low[1] = min(low[1], count[d])
                if change > 0:
                    if nodes == node_row.size:
                        node_row, node_next = _grown(node_row), _grown(node_next)
                    node_row[nodes], node_next[nodes] = q, node_head[d]
                    node_head[d] = nodes
                    nodes += 1
            _unlink(rows_by, next_row, prev_row, length[q], q)
            start[q], length[q] = top, end - top
            top = end
            if length[q] > 0:
                _link(rows_by, next_row, prev_row, length[q], q)
                low[0] = min(low[0], length[q])
            else:
                active[q] = False
        count[c] = 0
    return order[:taken], pivot[:taken], start, length, index, data


@njit(cache=True)
def _solve_back(order, column, start, length, index, data, x, prime):
    for k in range(order.size - 1, -1, -1):
        r, c = order[k], column[k]
        total, scale = np.int64(0), np.int64(0)
        for t in range(start[r], start[r] + length[r]):
            if index[t] == c:
                scale = data[t]
            else:
                total = (total + data[t] * x[index[t]]) % prime
        x[c] = (prime - total) % prime * _inverse(scale, prime) % prime


def echelon(
    indptr: NDArray[np.integer],
    indices: NDArray[np.integer],
    entries: NDArray[np.int64],
    *,
    columns: int,
    prime: int = PRIMES[0],
) -> Echelon:
    """Bring sparse rows (columns ascending) into echelon form modulo ``prime``."""
    entries = entries.astype(np.int64) % prime
    return Echelon(
        *_echelon(
            indptr.astype(np.int64),
            indices.astype(np.int32),
            entries,
            columns,
            prime,
            _LOOKED_AT,
        )
    )


def null_vectors(
    form: Echelon, *, columns: int, number: int, prime: int, seed: int = 0
) -> NDArray[np.int64]:
    """Random vectors of the null space, one per row of the result.

    A column that is zero in all of them is zero in the whole null space, but for a
    chance of prime ** -number.
    """
    rng = np.random.default_rng(seed)
    vectors = rng.integers(1, prime, size=(number, columns), dtype=np.int64)
    for x in vectors:
        _solve_back(*form, x, prime)
    return vectors
