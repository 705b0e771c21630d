# SPDX-License-Identifier: Apache-2.0
"""Cells around a cell, and the equations among them, compiled.

Three neighbourhoods: balls that grow by price over relations, boxes of codes (closed
under hypercubes, where balls often are not), and chains of ancestors.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["box", "cell_of", "local_system", "price_ball"]


@numba.njit(cache=True)
def _push(keys, items, size, key, item):
    """Add to a binary heap that has room."""
    i = size
    while i > 0:
        parent = (i - 1) // 2
        if keys[parent] <= key:
            break
        keys[i] = keys[parent]
        items[i] = items[parent]
        i = parent
    keys[i] = key
    items[i] = item


@numba.njit(cache=True)
def _pop(keys, items, size):
    """Move the last entry into the place of the first one."""
    key, item = keys[size], items[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[i] = keys[child]
        items[i] = items[child]
        i = child
    keys[i] = key
    items[i] = item


@numba.njit(cache=True)
def price_ball(
    target,
    most,
    row_ptr,
    row_cells,
    cell_ptr,
    cell_rows,
    price,
    allowed,
    distance,
    mark,
    tick,
):
    """Give up to ``most`` allowed cells nearest to ``target``, which comes first.

    A step goes from a cell to another cell of one of its relations and costs the
    price of the cell reached. ``mark`` and ``tick`` tell this call's entries of
    ``distance`` from older ones: tick for reached, tick + 1 for taken.
    """
    keys = np.empty(1024, np.float64)
    items = np.empty(1024, np.int32)
    taken = np.empty(most, np.int32)
    n_taken = 0
    keys[0] = 0.0
    items[0] = target
    size = 1
    distance[target] = 0.0
    mark[target] = tick
    while size > 0 and n_taken < most:
        reached, cell = keys[0], items[0]
        size -= 1
        _pop(keys, items, size)
        if mark[cell] == tick + 1 or reached > distance[cell]:
            continue
        mark[cell] = tick + 1
        taken[n_taken] = cell
        n_taken += 1
        for a in range(cell_ptr[cell], cell_ptr[cell + 1]):
            row = cell_rows[a]
            for b in range(row_ptr[row], row_ptr[row + 1]):
                other = row_cells[b]
                if not allowed[other] or mark[other] == tick + 1:
                    continue
                far = reached + price[other]
                if mark[other] == tick and far >= distance[other]:
                    continue
                mark[other] = tick
                distance[other] = far
                if size >= keys.size:
                    more_keys = np.empty(size * 2, np.float64)
                    more_items = np.empty(size * 2, np.int32)
                    more_keys[:size] = keys
                    more_items[:size] = items
                    keys, items = more_keys, more_items
                _push(keys, items, size, far, other)
                size += 1
    return taken[:n_taken]


@numba.njit(cache=True)
def cell_of(keys, key):
    """Find a key among ascending ones; -1 where it is not."""
    low, high = 0, keys.size
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < keys.size and keys[low] == key:
        return low
    return -1


@numba.njit(cache=True)
def _slice_price(shift, corners, n_corners, keys, price, room, need, missing):
    """Price of moving the cheapest box found so far by one code of one dimension.

    A cell that has less room than needed carries its share only together with
    others, so its price rises with what it lacks.
    """
    total = 0.0
    for i in range(n_corners):
        cell = cell_of(keys, corners[i] + shift)
        if cell < 0 or room[cell] <= 0:
            total += missing
            continue
        lack = need / room[cell]
        cost = price[cell]
        if lack > 1.0:
            cost = (cost + need) * lack * 4.0
        total += min(cost, missing)
    return total


@numba.njit(cache=True)
def box(
    target,
    need,
    siblings,
    levels,
    most,
    keys,
    codes,
    strides,
    trees,
    price,
    room,
    missing,
):
    """Give the cells of a box of codes around ``target``, which comes first.

    Per dimension: the target's code, its ``siblings`` cheapest siblings, the same for
    ``levels`` ancestors, and from each of these a way down to a leaf; siblings are
    priced by the slice that they add to the cheapest box so far. ``trees`` holds, over
    the codes of all dimensions, (offsets, parent, child pointers, children). Gives the
    cells and the size that the whole box has.
    """
    offsets, parents, child_ptr, children = trees
    n_dims = codes.shape[0]
    start_key = keys[target]
    chosen = np.empty((n_dims, 4096), np.int32)
    n_chosen = np.zeros(n_dims, np.int64)
    listed = np.zeros(offsets[n_dims], np.bool_)
    corners = np.empty(4096, np.int64)
    corners[0] = start_key
    n_corners = 1
    for d in range(n_dims):
        offset, base = offsets[d], codes[d, target]
        current = base
        best_shift = np.empty(64, np.int64)
        n_best = 0
        level = 0
        while True:
            parent = parents[offset + current]
            heads = np.empty(siblings + 1, np.int32)
            heads[0] = current
            n_heads = 1
            if parent >= 0:
                first, last = child_ptr[offset + parent], child_ptr[offset + parent + 1]
                prices = np.empty(last - first, np.float64)
                names = np.empty(last - first, np.int32)
                count = 0
                for t in range(first, last):
                    code = children[t]
                    if code == current:
                        continue
                    shift = (code - base) * strides[d]
                    prices[count] = _slice_price(
                        shift, corners, n_corners, keys, price, room, need, missing
                    )
                    names[count] = code
                    count += 1
                ranking = np.argsort(prices[:count], kind="mergesort")
                for t in range(min(siblings, count)):
                    heads[n_heads] = names[ranking[t]]
                    n_heads += 1
                if count > 0 and level == 0 and n_best < 64:
                    best_shift[n_best] = (names[ranking[0]] - base) * strides[d]
                    n_best += 1
            for h in range(n_heads):
                code = heads[h]
                while n_chosen[d] < 4096:
                    if not listed[offset + code]:
                        listed[offset + code] = True
                        chosen[d, n_chosen[d]] = code
                        n_chosen[d] += 1
                    best = -1
                    best_price = np.inf
                    through = False
                    for t in range(
                        child_ptr[offset + code], child_ptr[offset + code + 1]
                    ):
                        child = children[t]
                        if listed[offset + child]:
                            through = True
                        shift = (child - base) * strides[d]
                        cost = _slice_price(
                            shift, corners, n_corners, keys, price, room, need, missing
                        )
                        if cost < best_price:
                            best_price = cost
                            best = child
                    if through or best < 0:
                        break
                    if h <= 1 and level == 0 and n_best < 64:
                        best_shift[n_best] = (best - base) * strides[d]
                        n_best += 1
                    code = best
            if level >= levels or parent < 0:
                break
            level += 1
            current = parent
        before = n_corners
        for k in range(n_best):
            if n_corners + before > corners.size:
                break
            for i in range(before):
                corners[n_corners] = corners[i] + best_shift[k]
                n_corners += 1
    size = 1
    for d in range(n_dims):
        size *= n_chosen[d]
    cells = np.empty(min(size, most), np.int32)
    cells[0] = target
    n_cells = 1
    place = np.zeros(n_dims, np.int64)
    while n_cells < cells.size:
        key = np.int64(0)
        for d in range(n_dims):
            key += chosen[d, place[d]] * strides[d]
        if key != start_key:
            cell = cell_of(keys, key)
            if cell >= 0:
                cells[n_cells] = cell
                n_cells += 1
        d = n_dims - 1
        while d >= 0:
            place[d] += 1
            if place[d] < n_chosen[d]:
                break
            place[d] = 0
            d -= 1
        if d < 0:
            break
    return cells[:n_cells], size


@numba.njit(cache=True)
def local_system(
    cells,
    wanted,
    row_ptr,
    row_cells,
    cell_ptr,
    cell_rows,
    cell_values,
    place,
    row_place,
):
    """Cut the equations down to ``cells``, without those that cannot move.

    A cell alone in an equation is fixed, so it leaves, and so on. The first ``wanted``
    cells must stay for the result to be of use. ``place`` and ``row_place`` are work
    arrays of -1, left as found. Gives (useful, cells kept, column pointers, rows,
    coefficients, number of rows).
    """
    n = cells.size
    for k in range(n):
        place[cells[k]] = k
    rows = np.empty(64, np.int32)
    n_rows = 0
    for k in range(n):
        for a in range(cell_ptr[cells[k]], cell_ptr[cells[k] + 1]):
            row = cell_rows[a]
            if row_place[row] < 0:
                if n_rows >= rows.size:
                    more = np.empty(n_rows * 2, np.int32)
                    more[:n_rows] = rows
                    rows = more
                row_place[row] = n_rows
                rows[n_rows] = row
                n_rows += 1
    count = np.zeros(n_rows, np.int32)
    for k in range(n):
        for a in range(cell_ptr[cells[k]], cell_ptr[cells[k] + 1]):
            count[row_place[cell_rows[a]]] += 1
    alive = np.ones(n, np.bool_)
    stack = np.empty(n_rows + n * 8 + 8, np.int32)
    n_stack = 0
    for i in range(n_rows):
        if count[i] == 1:
            stack[n_stack] = i
            n_stack += 1
    while n_stack > 0:
        n_stack -= 1
        i = stack[n_stack]
        if count[i] != 1:
            continue
        row = rows[i]
        for b in range(row_ptr[row], row_ptr[row + 1]):
            cell = row_cells[b]
            k = place[cell]
            if k < 0 or not alive[k]:
                continue
            alive[k] = False
            for a in range(cell_ptr[cell], cell_ptr[cell + 1]):
                j = row_place[cell_rows[a]]
                count[j] -= 1
                if count[j] == 1:
                    if n_stack >= stack.size:
                        more = np.empty(n_stack * 2, np.int32)
                        more[:n_stack] = stack
                        stack = more
                    stack[n_stack] = j
                    n_stack += 1
            break
    useful = True
    for k in range(wanted):
        useful = useful and alive[k]
    n_kept = 0
    entries = 0
    for k in range(n):
        if alive[k]:
            n_kept += 1
            entries += cell_ptr[cells[k] + 1] - cell_ptr[cells[k]]
    kept = np.empty(n_kept, np.int32)
    starts = np.empty(n_kept + 1, np.int32)
    index = np.empty(entries, np.int32)
    value = np.empty(entries, np.float64)
    new_row = np.full(n_rows, -1, np.int32)
    n_new = 0
    m = 0
    t = 0
    for k in range(n):
        if not alive[k]:
            continue
        cell = cells[k]
        kept[m] = cell
        starts[m] = t
        m += 1
        for a in range(cell_ptr[cell], cell_ptr[cell + 1]):
            j = row_place[cell_rows[a]]
            if new_row[j] < 0:
                new_row[j] = n_new
                n_new += 1
            index[t] = new_row[j]
            value[t] = cell_values[a]
            t += 1
    starts[m] = t
    for k in range(n):
        place[cells[k]] = -1
    for i in range(n_rows):
        row_place[rows[i]] = -1
    return useful, kept, starts, index, value, n_new
