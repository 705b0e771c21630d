# SPDX-License-Identifier: Apache-2.0
"""Boxes of cells with a given cell at one corner, compiled.

A subtable is one family of codes (a total and its parts) in each dimension. A box takes
the target's code and one other code of the family in each dimension; its corners are
2 to the number of dimensions. Codes are chosen one dimension after the other, the
cheapest first, and given up as soon as the corners so far cost more than the best box.
"""

from __future__ import annotations

import numba
import numpy as np

from tacit.protect.suppress._kernels_neighbourhood import cell_of

__all__ = ["protect", "subtables_at"]

# Corners looked at for one target before the best box so far is taken.
_MOST_LOOKS = 2_000_000
# What a corner needs in its other subtables: the least distance there is. To ask for
# as much as its box moves withholds up to three times the value, most of it in vain.
_ANY = 1.0


@numba.njit(cache=True)
def subtables_at(level, places, where, kin):
    """Give every subtable of some places whose totals lie that many levels deep.

    Gives the places and, for each, one family per dimension (-1 where its code stands
    in none).
    """
    codes = where[3]
    offsets, member_ptr, members, depth_of = kin[0], kin[1], kin[2], kin[5]
    n_dims = codes.shape[0]
    found_place = np.empty(256, np.int64)
    found = np.empty((256, n_dims), np.int32)
    n_found = 0
    at = np.zeros(n_dims, np.int64)
    for k in range(places.size):
        place = places[k]
        at[:] = 0
        while True:
            depth = 0
            for d in range(n_dims):
                code = offsets[d] + codes[d, place]
                if member_ptr[code] < member_ptr[code + 1]:
                    depth += depth_of[members[member_ptr[code] + at[d]]]
            if depth == level:
                if n_found == found_place.size:
                    more_place = np.empty(2 * n_found, np.int64)
                    more = np.empty((2 * n_found, n_dims), np.int32)
                    more_place[:n_found] = found_place
                    more[:n_found] = found
                    found_place, found = more_place, more
                found_place[n_found] = place
                for d in range(n_dims):
                    code = offsets[d] + codes[d, place]
                    none = member_ptr[code] == member_ptr[code + 1]
                    found[n_found, d] = (
                        -1 if none else members[member_ptr[code] + at[d]]
                    )
                n_found += 1
            d = n_dims - 1
            while d >= 0:
                code = offsets[d] + codes[d, place]
                at[d] += 1
                if at[d] < member_ptr[code + 1] - member_ptr[code]:
                    break
                at[d] = 0
                d -= 1
            if d < 0:
                break
    return found_place[:n_found], found[:n_found]


@numba.njit(cache=True)
def _place_of(where, key):
    """Find the place with a key; -1 where none is held."""
    keys, lookup = where[0], where[1]
    if lookup.size:
        return lookup[key]
    return cell_of(keys, key)


@numba.njit(cache=True)
def _slice(corners, step, where, cells, hidden, banned, work):
    """Judge the corners that one more code adds to a box.

    ``corners`` are (keys, signs, margins, number); ``step`` is what the code adds to
    the keys, the sign between it and the target's code, and its margins. Gives (usable,
    cost, weight, what the box can move up, what down), where up is the way of the
    target. Of places that belong to one cell none may move against another.
    """
    keys, signs, margins, n = corners
    shift, turn, more_margins = step
    free, cost, weight, room_up, room_down, owner, margin = cells
    marks, touched = work
    cell_at = where[4]
    total, heavy, up, down = 0.0, 0.0, np.inf, np.inf
    usable = True
    n_touched = 0
    for t in range(n):
        place = _place_of(where, keys[t] + shift)
        if place < 0:
            usable = False
            break
        cell = cell_at[place]
        sign = signs[t] * turn
        for b in range(banned.size):
            if owner[cell] == banned[b]:
                usable = False
        if not usable or not free[cell] or marks[cell] == -sign:
            usable = False
            break
        if marks[cell] == 0:
            marks[cell] = sign
            touched[n_touched] = cell
            n_touched += 1
            if not hidden[cell]:
                total += cost[cell]
                heavy += weight[cell] + margin * (margins[t] + more_margins)
        if sign > 0:
            up, down = min(up, room_up[cell]), min(down, room_down[cell])
        else:
            up, down = min(up, room_down[cell]), min(down, room_up[cell])
    for t in range(n_touched):
        marks[touched[t]] = 0
    return usable, total, heavy, up, down


@numba.njit(cache=True)
def _step(first, f, code, stride, family_codes):
    """Go from a code to another one of its family: (key, sign, margins) it adds.

    Two parts move against each other, a part and the total the same way.
    """
    shift = (family_codes[f] - code) * stride
    if f == first:
        return shift, 1, 1
    if family_codes[first] == code:
        return shift, 1, -1
    return shift, -1, 0


@numba.njit(cache=True)
def _reach(up, down, wanted):
    """Share of the needs that a box meets, 1 where it meets them all."""
    share = 1.0
    if wanted[0] > 0:
        share = min(share, up / wanted[0])
    if wanted[1] > 0:
        share = min(share, down / wanted[1])
    if wanted[2] > 0:
        share = min(share, (up + down) / wanted[2])
    return share


@numba.njit(cache=True)
def _dimensions_of(families, kin):
    """Give the dimensions that a subtable extends in, and its largest family."""
    family_ptr = kin[3]
    dims = np.empty(families.size, np.int64)
    n_dims = 0
    widest = 1
    for d in range(families.size):
        if families[d] >= 0:
            dims[n_dims] = d
            n_dims += 1
            size = family_ptr[families[d] + 1] - family_ptr[families[d]]
            widest = max(widest, size)
    return dims[:n_dims], widest


@numba.njit(cache=True)
def _options(family, code, corners, so_far, stride, question, table, work, out):
    """List the codes of one dimension that a box could take, the best first.

    Gives their number and ranking; ``out`` takes positions in the family and the
    figures of the box with that code: cost, weight, up, down.
    """
    wanted, sufficient, banned = question
    where, kin, cells, hidden = table
    option, figures = out
    family_ptr, family_codes = kin[3], kin[4]
    first = family_ptr[family]
    count = 0
    for f in range(first, family_ptr[family + 1]):
        if family_codes[f] == code:
            continue
        step = _step(first, f, code, stride, family_codes)
        usable, cost, weight, up, down = _slice(
            corners, step, where, cells, hidden, banned, work
        )
        if not usable:
            continue
        up, down = min(up, so_far[2]), min(down, so_far[3])
        share = _reach(up, down, wanted)
        if share <= 0 or (sufficient and share < 1.0):
            continue
        option[count] = f
        figures[count, 0] = so_far[0] + cost
        figures[count, 1] = so_far[1] + weight
        figures[count, 2] = up
        figures[count, 3] = down
        count += 1
    keys = np.empty(count, np.float64)
    for i in range(count):
        keys[i] = figures[i, 0]
        if not sufficient:
            keys[i] = -_reach(figures[i, 2], figures[i, 3], wanted)
    return count, np.argsort(keys, kind="mergesort")


@numba.njit(cache=True)
def _worse(figures, best, sufficient, wanted):
    """Whether a box, or what is begun of it, cannot be better than the best one."""
    if not sufficient:
        share = _reach(figures[2], figures[3], wanted)
        least = _reach(best[2], best[3], wanted)
        if share != least:
            return share < least
    return figures[0] > best[0] or (figures[0] == best[0] and figures[1] >= best[1])


@numba.njit(cache=True)
def _best_box(place, families, question, table, marks):
    """Find the cheapest box that meets the needs, or the one that meets most of them.

    Gives (found, cells, signs, up, down); the target is the first corner.
    """
    wanted, sufficient, _ = question
    where, kin, cells, _ = table
    keys, _, strides, codes, cell_at = where
    family_ptr, family_codes = kin[3], kin[4]
    dims, widest = _dimensions_of(families, kin)
    n_dims = dims.size
    full = 1 << n_dims
    box_cells = np.empty(full, np.int64)
    box_signs = np.empty(full, np.int8)
    if n_dims == 0:
        return False, box_cells, box_signs, 0.0, 0.0
    target = cell_at[place]
    corner_key = np.empty(full, np.int64)
    corner_sign = np.empty(full, np.int8)
    corner_margins = np.zeros(full, np.int64)
    corner_cell = np.empty(full, np.int64)
    marked_here = np.zeros(full, np.bool_)
    corner_key[0], corner_sign[0], corner_cell[0] = keys[place], 1, target
    for k in range(n_dims):
        if family_codes[family_ptr[families[dims[k]]]] == codes[dims[k], place]:
            corner_margins[0] += 1
    option = np.empty((n_dims, widest), np.int64)
    figures = np.empty((n_dims, widest, 4), np.float64)
    ranking = np.empty((n_dims, widest), np.int64)
    n_options = np.full(n_dims, -1)
    at = np.zeros(n_dims, np.int64)
    sums = np.zeros((n_dims, 4), np.float64)
    sums[0, 2], sums[0, 3] = cells[3][target], cells[4][target]
    best = np.array([np.inf, np.inf, 0.0, 0.0])
    found = False
    marks[target] = 1
    work = (marks, np.empty(full, np.int64))
    looks = 0
    depth = 0
    while depth >= 0:
        dim = dims[depth]
        family, code, n = families[dim], codes[dim, place], 1 << depth
        if n_options[depth] < 0:
            corners = (corner_key, corner_sign, corner_margins, n)
            out = (option[depth], figures[depth])
            count, order = _options(
                family, code, corners, sums[depth], strides[dim], question, table,
                work, out,
            )  # fmt: skip
            n_options[depth], ranking[depth, :count], at[depth] = count, order, 0
            looks += n * (family_ptr[family + 1] - family_ptr[family])
        i = ranking[depth, at[depth]] if at[depth] < n_options[depth] else -1
        if i < 0 or looks > _MOST_LOOKS:
            n_options[depth] = -1
            depth -= 1
            if depth >= 0:
                _unmark(marks, corner_cell, marked_here, 1 << depth)
            continue
        at[depth] += 1
        if _worse(figures[depth, i], best, sufficient, wanted):
            continue
        first, f = family_ptr[family], option[depth, i]
        shift, turn, more = _step(first, f, code, strides[dim], family_codes)
        for t in range(n):
            corner_key[n + t] = corner_key[t] + shift
            corner_sign[n + t] = corner_sign[t] * turn
            corner_margins[n + t] = corner_margins[t] + more
            cell = cell_at[_place_of(where, corner_key[n + t])]
            corner_cell[n + t] = cell
            marked_here[n + t] = marks[cell] == 0
            marks[cell] = corner_sign[n + t]
        if depth + 1 == n_dims:
            found = True
            best[:] = figures[depth, i]
            box_cells[:] = corner_cell
            box_signs[:] = corner_sign
            _unmark(marks, corner_cell, marked_here, n)
            continue
        depth += 1
        sums[depth] = figures[depth - 1, i]
    marks[target] = 0
    return found, box_cells, box_signs, best[2], best[3]


@numba.njit(cache=True)
def _unmark(marks, corner_cell, marked_here, n):
    """Take back the signs of the corners n to 2n, where they were set first."""
    for t in range(n, 2 * n):
        if marked_here[t]:
            marks[corner_cell[t]] = 0


@numba.njit(cache=True)
def _amounts(up, down, wanted):
    """How far up and down a box must go for needs, as far as it can."""
    far_up, far_down = min(up, wanted[0]), min(down, wanted[1])
    if wanted[2] > far_up + far_down:
        far_up = min(up, wanted[2] - far_down)
        far_down = min(down, wanted[2] - far_up)
    return far_up, far_down


@numba.njit(cache=True)
def _hide(box_cells, box_signs, far_up, far_down, state):
    """Hide the corners of a box; each of them must be able to move along at all."""
    hidden, need_up, need_down, _, dirty = state
    for t in range(1, box_cells.size):
        cell = box_cells[t]
        up, down = min(far_up, _ANY), min(far_down, _ANY)
        if box_signs[t] < 0:
            up, down = down, up
        if hidden[cell] and need_up[cell] >= up and need_down[cell] >= down:
            continue
        hidden[cell] = True
        need_up[cell] = max(need_up[cell], up)
        need_down[cell] = max(need_down[cell], down)
        dirty[:, cell] = True


@numba.njit(cache=True)
def _owners_of(box_cells, owner):
    """Who fills a corner alone, and is not alone in the target as well."""
    alone = np.empty(box_cells.size, np.int64)
    n = 0
    for t in range(1, box_cells.size):
        who = owner[box_cells[t]]
        if who >= 0 and who != owner[box_cells[0]]:
            alone[n] = who
            n += 1
    return alone[:n]


@numba.njit(cache=True)
def protect(places, tables, where, kin, cells, state, sensitive):
    """Protect cells in one subtable each, one after the other.

    A sensitive cell whose box has corners of single contributors gets a second box
    without these. Gives the boxes of sensitive cells (targets, pointers, how far up
    and down, corners, signs), and how many targets found no sufficient box.
    """
    cell_at, owner = where[4], cells[5]
    hidden, need_up, need_down, need_width, _ = state
    n_tasks, n_dims = tables.shape
    most = 0
    for k in range(n_tasks):
        if sensitive[cell_at[places[k]]]:
            most += 2
    far = np.empty((most, 2), np.float64)
    targets = np.empty(most, np.int64)
    starts = np.zeros(most + 1, np.int64)
    corners = np.empty(most * (1 << n_dims), np.int64)
    signs = np.empty(most * (1 << n_dims), np.int8)
    marks = np.zeros(hidden.size, np.int8)
    table = (where, kin, cells, hidden)
    n_boxes, failed = 0, 0
    nobody = np.empty(0, np.int64)
    for k in range(n_tasks):
        target = cell_at[places[k]]
        wanted = (need_up[target], need_down[target], need_width[target])
        banned = nobody
        for turn in range(2):
            question = (wanted, True, banned)
            found, box, sign, up, down = _best_box(
                places[k], tables[k], question, table, marks
            )
            if not found and turn == 0:
                failed += 1
                question = (wanted, False, banned)
                found, box, sign, up, down = _best_box(
                    places[k], tables[k], question, table, marks
                )
            if not found:
                break
            far_up, far_down = _amounts(up, down, wanted)
            _hide(box, sign, far_up, far_down, state)
            if not sensitive[target]:
                break
            first = starts[n_boxes]
            targets[n_boxes], starts[n_boxes + 1] = target, first + box.size
            far[n_boxes, 0], far[n_boxes, 1] = far_up, far_down
            corners[first : first + box.size] = box
            signs[first : first + box.size] = sign
            n_boxes += 1
            banned = _owners_of(box, owner)
            if banned.size == 0:
                break
    last = starts[n_boxes]
    return (
        targets[:n_boxes],
        starts[: n_boxes + 1],
        far[:n_boxes],
        corners[:last],
        signs[:last],
        failed,
    )
