# SPDX-License-Identifier: Apache-2.0
"""Cheap ways for a flow through a network of cells, compiled.

A cell is an arc, and a table that agrees with the published one differs from it by a
flow that every node passes on. To move one cell is to send an amount through its arc,
and back through others.
"""

from __future__ import annotations

import numba
import numpy as np

from tacit.protect.suppress._kernels_neighbourhood import _pop, _push

__all__ = ["route"]

# Ways that one amount is split into at most.
_MOST_WAYS = 64


@numba.njit(cache=True)
def _way(source, sink, left, whole, net, limits, price, least, work):
    """Find the cheapest way from node to node; say whether there is one.

    ``whole`` asks for room for all that is ``left``; otherwise an arc with less room
    is dearer by as much as it lacks.
    """
    tail, head, node_ptr, node_arcs = net
    forward, backward = limits
    flow, blocked, distance, mark, arrived, tick = work
    keys = np.empty(1024, np.float64)
    items = np.empty(1024, np.int32)
    tick[0] += 2
    now = tick[0]
    keys[0], items[0], size = 0.0, source, 1
    distance[source], mark[source] = 0.0, now
    while size > 0:
        reached, node = keys[0], items[0]
        size -= 1
        _pop(keys, items, size)
        if mark[node] == now + 1 or reached > distance[node]:
            continue
        if node == sink:
            return True
        mark[node] = now + 1
        for k in range(node_ptr[node], node_ptr[node + 1]):
            arc = node_arcs[k]
            if blocked[arc]:
                continue
            if tail[arc] == node:
                other, room = head[arc], forward[arc] - flow[arc]
            else:
                other, room = tail[arc], backward[arc] + flow[arc]
            if room <= 0 or (whole and room < left) or mark[other] == now + 1:
                continue
            far = reached + least
            if flow[arc] == 0:
                far += price[arc] * max(1.0, left / room)
            if mark[other] == now and far >= distance[other]:
                continue
            mark[other], distance[other], arrived[other] = now, far, arc
            if size >= keys.size:
                more_keys = np.empty(size * 2, np.float64)
                more_items = np.empty(size * 2, np.int32)
                more_keys[:size], more_items[:size] = keys, items
                keys, items = more_keys, more_items
            _push(keys, items, size, far, other)
            size += 1
    return False


@numba.njit(cache=True)
def _send(source, sink, left, net, limits, work):
    """Send as much as fits along the way found; give how much that was."""
    tail, head = net[0], net[1]
    forward, backward = limits
    flow, arrived = work[0], work[4]
    amount = left
    node = sink
    while node != source:
        arc = arrived[node]
        if head[arc] == node:
            amount = min(amount, forward[arc] - flow[arc])
            node = tail[arc]
        else:
            amount = min(amount, backward[arc] + flow[arc])
            node = head[arc]
    node = sink
    while node != source:
        arc = arrived[node]
        if head[arc] == node:
            flow[arc] += amount
            node = tail[arc]
        else:
            flow[arc] -= amount
            node = head[arc]
    return amount


@numba.njit(cache=True)
def _attempt(target, amount, whole, net, limits, price, least, work):
    """Bring an amount back from the head of an arc to its tail, in as many ways.

    Gives (found, cost, arcs, amounts) and leaves no flow behind.
    """
    tail, head = net[0], net[1]
    flow, blocked, arrived = work[0], work[1], work[4]
    source, sink = head[target], tail[target]
    used = np.empty(256, np.int64)
    n_used = 0
    left = amount
    was_blocked = blocked[target]
    blocked[target] = True
    for _ in range(1 if whole else _MOST_WAYS):
        if source == sink:
            left = 0.0
        if left <= 0:
            break
        if not _way(source, sink, left, whole, net, limits, price, least, work):
            break
        left -= _send(source, sink, left, net, limits, work)
        node = sink
        while node != source:
            arc = arrived[node]
            if n_used == used.size:
                more = np.empty(2 * n_used, np.int64)
                more[:n_used] = used
                used = more
            used[n_used] = arc
            n_used += 1
            node = tail[arc] if head[arc] == node else head[arc]
    blocked[target] = was_blocked
    arcs = np.empty(n_used + 1, np.int64)
    amounts = np.empty(n_used + 1, np.float64)
    arcs[0], amounts[0] = target, amount
    n, cost = 1, 0.0
    for k in range(n_used):
        arc = used[k]
        if flow[arc] != 0:
            arcs[n], amounts[n] = arc, flow[arc]
            cost += price[arc]
            n += 1
            flow[arc] = 0.0
    return left <= 0, cost, arcs[:n], amounts[:n]


@numba.njit(cache=True)
def route(target, amount, net, limits, price, least, work):
    """Move the cell of an arc by an amount, at the least price found.

    One way that takes all is compared with several that take a part each. ``limits``
    are the rooms along and against each arc. Gives (found, cost, arcs, amounts).
    """
    if limits[0][target] < amount:
        return False, np.inf, np.empty(0, np.int64), np.empty(0, np.float64)
    one = _attempt(target, amount, True, net, limits, price, least, work)
    if one[0] and one[1] == 0:
        return one
    many = _attempt(target, amount, False, net, limits, price, least, work)
    if one[0] and (not many[0] or one[1] <= many[1]):
        return one
    return many
