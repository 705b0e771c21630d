# SPDX-License-Identifier: Apache-2.0
"""Plain patterns of suppression to audit: elimination, and boxes of siblings.

Written for the benchmark alone: simple, and shared with no method of protection.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numba import njit

PRIME = 2147483647


def basis(parents: np.ndarray, weight: np.ndarray) -> sp.csr_array:
    """Codes in terms of a basis: the root and all children but the lightest."""
    n = len(parents)
    rows: list[dict[int, int]] = [{} for _ in range(n)]
    rows[0] = {0: 1}
    column = 1
    for head in range(n):
        kids = np.flatnonzero(parents == head)
        if not len(kids):
            continue
        dropped = kids[np.argmin(weight[kids])]
        rows[dropped] = dict(rows[head])
        for kid in kids[kids != dropped]:
            rows[kid] = {column: 1}
            rows[dropped][column] = -1
            column += 1
    entries = [(r, c, v) for r, row in enumerate(rows) for c, v in row.items()]
    r, c, v = np.array(entries).T
    return sp.csr_array((v, (r, c)), shape=(n, column))


@njit(cache=True)
def _inverse(a):
    result, power, base = 1, PRIME - 2, a % PRIME
    while power > 0:
        if power & 1:
            result = result * base % PRIME
        base = base * base % PRIME
        power >>= 1
    return result


@njit(cache=True)
def _publish(indptr, indices, data, candidates, columns, tested):
    """Publish columns 0.. in turn, unless that gives a protected column away.

    Rows span what is still unknown, each sorted by column. Two random functionals
    of the rows tell whether a protected column became parallel to the next one.
    """
    rows = indptr.size - 1
    top = indices.size
    index = np.empty(3 * top + 1024, np.int32)
    value = np.empty(index.size, np.int64)
    index[:top], value[:top] = indices, data
    start, length = indptr[:-1].copy(), indptr[1:] - indptr[:-1]
    np.random.seed(1)
    h = np.random.randint(1, PRIME, rows)
    g = np.random.randint(1, PRIME, rows)
    first, second = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
    head, after = np.full(columns, -1, np.int64), np.full(rows, -1, np.int64)
    for r in range(rows):
        for t in range(start[r], start[r] + length[r]):
            c = index[t]
            first[c] = (first[c] + h[r] * value[t]) % PRIME
            second[c] = (second[c] + g[r] * value[t]) % PRIME
        if length[r]:
            c = index[start[r]]
            after[r], head[c] = head[c], r
    published = np.ones(candidates, np.bool_)
    for j in range(candidates):
        if head[j] < 0:
            continue
        best = head[j]
        r = best
        x, y = np.int64(0), np.int64(0)
        while r >= 0:
            if length[r] < length[best]:
                best = r
            x = (x + h[r] * value[start[r]]) % PRIME
            y = (y + g[r] * value[start[r]]) % PRIME
            r = after[r]
        s, n = start[best], length[best]
        if tested[j]:
            t = s + n - 1
            while t > s and index[t] >= candidates:
                if first[index[t]] * y % PRIME == second[index[t]] * x % PRIME:
                    published[j] = False
                    break
                t -= 1
        r = head[j]
        inverse = _inverse(value[s])
        if published[j]:
            a, b = x * inverse % PRIME, y * inverse % PRIME
            for t in range(s, s + n):
                c = index[t]
                first[c] = (first[c] + (PRIME - a) * value[t]) % PRIME
                second[c] = (second[c] + (PRIME - b) * value[t]) % PRIME
        while r >= 0:
            following = after[r]
            if not published[j]:
                start[r] += 1
                length[r] -= 1
            elif r == best:
                r = following
                continue
            else:
                need = length[r] + n
                if top + need > index.size:
                    size = 2 * (length.sum() + need) + 1024
                    new_index, new_value = (
                        np.empty(size, np.int32),
                        np.empty(size, np.int64),
                    )
                    top = 0
                    for q in range(rows):
                        o, m = start[q], length[q]
                        new_index[top : top + m] = index[o : o + m]
                        new_value[top : top + m] = value[o : o + m]
                        start[q] = top
                        top += m
                    index, value = new_index, new_value
                    s = start[best]
                factor = (PRIME - value[start[r]] * inverse % PRIME) % PRIME
                i, ie = start[r] + 1, start[r] + length[r]
                k, ke = s + 1, s + n
                t = top
                while i < ie or k < ke:
                    if k >= ke or (i < ie and index[i] < index[k]):
                        c, v = index[i], value[i]
                        i += 1
                    elif i >= ie or index[k] < index[i]:
                        c, v = index[k], factor * value[k] % PRIME
                        k += 1
                    else:
                        c, v = index[i], (value[i] + factor * value[k]) % PRIME
                        i += 1
                        k += 1
                    if v:
                        index[t], value[t] = c, v
                        t += 1
                start[r], length[r] = top, t - top
                top = t
            if length[r]:
                c = index[start[r]]
                if c < candidates:
                    after[r], head[c] = head[c], r
            r = following
        if published[j]:
            length[best] = 0
    return published


def gauss(instance, protect: np.ndarray | None = None) -> np.ndarray:
    """Hide what keeps every sensitive cell from being derived, largest cells shown.

    Exact disclosure alone is prevented: the intervals may be too narrow.
    """
    a, shape = instance.a, instance.shape
    protect = instance.prim if protect is None else protect
    cube = a.reshape(shape)
    known = sp.csr_array(np.ones((1, 1), dtype=np.int64))
    for d, parents in enumerate(instance.parents):
        others = tuple(k for k in range(len(shape)) if k != d)
        known = sp.kron(known, basis(parents, cube.sum(axis=others)), format="csr")
    order = np.lexsort((-a, a > 0, protect))
    rows = sp.csr_array(known[order].T)
    rows.sort_indices()
    candidates = int((~protect).sum())
    published = _publish(
        rows.indptr.astype(np.int64),
        rows.indices,
        rows.data.astype(np.int64) % PRIME,
        candidates,
        len(a),
        a[order] > 0,
    )
    hidden = protect.copy()
    hidden[order[:candidates][~published]] = True
    return hidden & (a > 0)


def _path_down(instance, d: int, code: int, rng: np.random.Generator) -> list[int]:
    path = [code]
    while len(kids := np.flatnonzero(instance.parents[d] == path[-1])):
        path.append(int(rng.choice(kids)))
    return path


def boxes(instance, hidden: np.ndarray, cells: np.ndarray, *, tries=60, seed=0):
    """Hide a box of sibling cells around each given cell: no vertex below its need."""
    rng = np.random.default_rng(seed)
    hidden = hidden.copy()
    strides = np.cumprod([1, *instance.shape[:0:-1]])[::-1]
    open_cells = []
    for cell in cells:
        codes = np.unravel_index(cell, instance.shape)
        best, best_cost = None, np.inf
        need = max(instance.upl[cell], instance.lpl[cell], 1)
        for _ in range(tries):
            box = np.zeros(1, dtype=np.int64)
            for d, code in enumerate(codes):
                parent = instance.parents[d][code]
                line = _path_down(instance, d, int(code), rng)
                if parent >= 0:
                    kids = np.flatnonzero(instance.parents[d] == parent)
                    kids = kids[kids != code]
                    if len(kids):
                        line += _path_down(instance, d, int(rng.choice(kids)), rng)
                box = np.add.outer(box, np.array(line) * strides[d]).ravel()
            if (instance.a[box] < need).any():
                continue
            cost = instance.w[box[~hidden[box]]].sum()
            if cost < best_cost:
                best, best_cost = box, cost
        if best is None:
            open_cells.append(int(cell))
        else:
            hidden[best] = True
    return hidden, np.array(open_cells, dtype=np.int64)


def chains(instance, hidden: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Hide all cells above and below each given cell: then it can always move."""
    hidden = hidden.copy()
    strides = np.cumprod([1, *instance.shape[:0:-1]])[::-1]
    for cell in cells:
        above, below = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        for d, code in enumerate(np.unravel_index(cell, instance.shape)):
            parents = instance.parents[d]
            up, down = [int(code)], [int(code)]
            while parents[up[-1]] >= 0:
                up.append(int(parents[up[-1]]))
            for one in down:
                down += np.flatnonzero(parents == one).tolist()
            above = np.add.outer(above, np.array(up) * strides[d]).ravel()
            below = np.add.outer(below, np.array(down) * strides[d]).ravel()
        for line in (above, below):
            hidden[line[instance.a[line] > 0]] = True
        # every path from a cell below to the root must be free to move
        for leaf in below[instance.a[below] > 0]:
            line = np.zeros(1, dtype=np.int64)
            for d, code in enumerate(np.unravel_index(leaf, instance.shape)):
                up = [int(code)]
                while instance.parents[d][up[-1]] >= 0:
                    up.append(int(instance.parents[d][up[-1]]))
                line = np.add.outer(line, np.array(up) * strides[d]).ravel()
            hidden[line] = True
    return hidden


def safe(instance, failing, *, rounds: int = 4) -> np.ndarray:
    """Repair the pattern of elimination with boxes until ``failing`` finds nothing."""
    hidden = gauss(instance)
    for k in range(rounds):
        bad = failing(hidden)
        if not len(bad):
            break
        if k + 1 < rounds:
            hidden, left = boxes(instance, hidden, bad, seed=k)
            hidden, _ = boxes(instance, hidden, left, tries=500, seed=k)
        else:
            hidden = chains(instance, hidden, bad)
    return hidden
