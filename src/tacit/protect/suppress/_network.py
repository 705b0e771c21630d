# SPDX-License-Identifier: Apache-2.0
"""Protect tables of two dimensions, one of them flat, by flows through a network.

Every cell of such a table is an arc between two nodes. What a sensitive cell needs is
sent through its arc and back on the cheapest way; cells on the way are hidden. Then
each cell in turn gives up what only it uses, and looks for a cheaper way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError
from tacit.protect.suppress import _kernels_network as kernels
from tacit.protect.suppress._complete import finish
from tacit.protect.suppress._ledger import Ledger
from tacit.protect.suppress._local import BOTH, DOWN, UP, Move

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from tacit.protect.suppress._outcome import Outcome
    from tacit.protect.suppress._parallel import Crew
    from tacit.protect.suppress._problem import Geometry, Problem
    from tacit.protect.suppress._progress import Clock
    from tacit.table import Table

__all__ = ["Network", "check", "network_of", "pattern"]

_ROUNDS = 12
# An arc that costs nothing still has a length, so that ways are short.
_LENGTH = 1e-7


def check(table: Table) -> None:
    """Refuse a table that is no network, and say why."""
    why = []
    if table.compiled is not None or table.equations is not None:
        why.append("it is linked from other tables, or has equations of its own")
    if len(table.dimensions) > 2:  # noqa: PLR2004 - a network is flat
        why.append(f"it has {len(table.dimensions)} dimensions")
    for dimension in table.dimensions:
        trees = len(dimension.hierarchies)
        if trees != 1:
            many = "no hierarchy" if not trees else f"{trees} hierarchies"
            why.append(f"'{dimension.name}' has {many}")
    deep = [f"'{d.name}'" for d in table.dimensions if d.depths.max(initial=0) > 1]
    if len(deep) > 1:
        why.append(f"{' and '.join(deep)} both have levels between total and leaves")
    if why:
        message = (
            "The method 'network' is for one table of two dimensions (or one), of "
            "which at most one has levels between its total and its leaves, with one "
            f"hierarchy each. This table is not: {'; '.join(why)}. Use 'auto', which "
            "protects any table, or 'hypercube'."
        )
        raise InputError(message)


def pattern(problem: Problem, *, clock: Clock, crew: Crew) -> Outcome:
    """Hide the cells on the cheapest ways of all needs, then repair and improve."""
    clock.tell("routing")
    ledger = Ledger(problem, np.zeros(len(problem), dtype=np.bool_))
    place = problem.geometry
    if place is not None:
        routes = Routes(problem, place)
        routes.find_all(clock)
        ledger = Ledger(problem, routes.hidden)
        ledger.join(routes.moves())
    return finish(ledger, clock=clock, crew=crew)


class Network:
    """Nodes and arcs: one arc for each place of the table."""

    def __init__(self, tail: NDArray[np.int64], head: NDArray[np.int64]) -> None:
        names, ends = np.unique(np.concatenate([tail, head]), return_inverse=True)
        ends = ends.astype(np.int32)
        self.tail, self.head = ends[: len(tail)], ends[len(tail) :]
        self.nodes = len(names)
        order = np.argsort(ends, kind="stable")
        self.arcs = (order % max(len(tail), 1)).astype(np.int32)
        self.pointers = np.searchsorted(ends[order], np.arange(len(names) + 1))

    @property
    def compiled(self) -> tuple[Any, ...]:
        """The network as the kernels want it."""
        return self.tail, self.head, self.pointers.astype(np.int64), self.arcs


def network_of(place: Geometry) -> Network:
    """Make every place an arc, so that relations are kept where nodes pass on.

    With rows that have levels and columns that have none, arcs lead from each row to
    the row above it, within a column; those of the total column lead down again. Only
    the lowest rows, and the table as a whole, are added up over columns: the rows
    between are so by themselves.
    """
    row, column = _rows_and_columns(place)
    offsets, parent, pointers, _ = place.trees
    base = offsets[row]
    above = parent[base : offsets[row + 1]].astype(np.int64)
    leaf = np.diff(pointers)[base : offsets[row + 1]] == 0
    at = place.codes[row].astype(np.int64)
    many, total = 1, np.zeros(len(at), dtype=np.bool_)
    across = np.zeros(len(at), dtype=np.int64)
    if column is not None:
        across = place.codes[column].astype(np.int64)
        tree = parent[offsets[column] : offsets[column + 1]]
        many, total = len(tree), tree[across] < 0
    outside = len(above) * (many + 1)
    # A row without parts passes on over all columns, or to nobody if there are none.
    end = np.full(len(at), outside) if column is None else len(above) * many + at
    low = np.where(leaf[at], end, at * many + across)
    high = np.where(above[at] < 0, outside, above[at] * many + across)
    return Network(np.where(total, high, low), np.where(total, low, high))


def _rows_and_columns(place: Geometry) -> tuple[int, int | None]:
    """Which dimension has levels, and which has none."""
    if len(place.depths) == 1:
        return 0, None
    first, second = (int(depth.max(initial=0)) for depth in place.depths)
    return (0, 1) if first >= second else (1, 0)


class Routes:
    """A flow for each sensitive cell, and the cells that these hide."""

    def __init__(self, problem: Problem, place: Geometry) -> None:
        self.problem = problem
        self.cell_at, self.place_of = place.cell_at, place.place_of
        self.network = network = network_of(place)
        self.held = problem.sensitive | problem.forced
        self.uses = np.zeros(len(problem), dtype=np.int64)
        self.flows: dict[int, list[tuple[NDArray[np.int64], NDArray[np.float64]]]] = {}
        self._limits = self._rooms()
        self._free = self.held | ~problem.frozen
        self._cost = np.where(self.held, 0.0, problem.cost)
        self._price = np.zeros(len(self.cell_at))
        self._set_price(np.arange(len(problem)))
        self._least = _LENGTH * (float(self._cost.max(initial=0.0)) or 1.0)
        self._work = (
            np.zeros(len(self.cell_at)),
            ~self._free[self.cell_at],
            np.empty(network.nodes),
            np.zeros(network.nodes, dtype=np.int64),
            np.empty(network.nodes, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
        )

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Cells that are sensitive, forced, or used by a flow."""
        return self.held | (self.uses > 0)

    def find_all(self, clock: Clock) -> None:
        """Find a flow for every need, the largest first; then look for cheaper ones."""
        need = self.problem.need
        targets = np.flatnonzero(self.problem.sensitive)
        targets = targets[np.argsort(-need[targets], kind="stable")].tolist()
        for target in targets:
            self._take(target, self._cheapest(target)[1])
        for number in range(_ROUNDS):
            if clock.over:
                break
            order = targets[::-1] if number % 2 == 0 else targets
            if not sum(self._again(target) for target in order):
                break

    def moves(self) -> list[Move]:
        """Give the flows as moves of cells: those that keep all relations."""
        from scipy.sparse import csr_array  # noqa: PLC0415

        found = [flow for flows in self.flows.values() for flow in flows]
        if not found:
            return []
        pointers = np.cumsum([0, *(len(arcs) for arcs, _ in found)])
        arcs = np.concatenate([arcs for arcs, _ in found])
        amounts = np.concatenate([amounts for _, amounts in found])
        cells = self.cell_at[arcs]
        row = np.repeat(np.arange(len(found)), np.diff(pointers))
        # A cell with several places moves by the same amount at each of them.
        _, first = np.unique(row * len(self.problem) + cells, return_index=True)
        shape = (len(found), len(self.problem))
        moves = csr_array((amounts[first], (row[first], cells[first])), shape=shape)
        left = abs(self.problem.relations.astype(np.float64) @ moves.T)
        kept = np.flatnonzero(np.asarray(left.sum(axis=0)).ravel() == 0)
        return [
            Move(moves.indices[part].astype(np.int32), moves.data[part])
            for part in (slice(*moves.indptr[k : k + 2]) for k in kept.tolist())
        ]

    def _rooms(self) -> dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Room along and against each arc, by the side that is asked for."""
        up, down = (
            room[self.cell_at]
            for room in (self.problem.room_up, self.problem.room_down)
        )
        both = np.minimum(up, down)
        return {UP: (up, down), DOWN: (down, up), BOTH: (both, both)}

    def _set_price(self, cells: NDArray[np.int64]) -> None:
        """A cell costs once, at its first place, and nothing where it is hidden."""
        price = np.where(self.uses[cells] > 0, 0.0, self._cost[cells])
        self._price[self.place_of[cells]] = price

    def _route(self, target: int, side: int, amount: float) -> tuple[Any, ...]:
        found = kernels.route(
            self.place_of[target],
            amount,
            self.network.compiled,
            self._limits[side],
            self._price,
            self._least,
            self._work,
        )
        sign = -1.0 if side == DOWN else 1.0
        return found[0], found[1], found[2], found[3] * sign

    def _cheapest(self, target: int) -> tuple[float, list[Any]]:
        """Give the cheapest flows found for a cell, and what they cost.

        One flow that can go both ways, or one for each side.
        """
        problem = self.problem
        found, cost, *flow = self._route(target, BOTH, float(problem.need[target]))
        best = (cost, [flow]) if found else (np.inf, [])
        if best[0] == 0:
            return best
        up, down = float(problem.need_up[target]), float(problem.need_down[target])
        width = float(problem.need_width[target])
        sides = [[(UP, up), (DOWN, down)]] if up or down else [[(UP, width)]]
        if not (up or down):
            sides.append([(DOWN, width)])
        for needs in sides:
            apart = self._apart(target, [need for need in needs if need[1] > 0])
            if apart[0] < best[0]:
                best = apart
        return best

    def _apart(
        self, target: int, needs: list[tuple[int, float]]
    ) -> tuple[float, list[Any]]:
        """Send each side by itself, the second for nothing where the first went."""
        flows: list[Any] = []
        total = 0.0
        before = self._price.copy() if len(needs) > 1 else self._price
        for side, amount in needs:
            found, cost, *flow = self._route(target, side, amount)
            if not found:
                total = np.inf
                break
            flows.append(flow)
            total += cost
            if len(needs) > 1:
                self._price[flow[0]] = 0.0
        if len(needs) > 1:
            self._price[:] = before
        return (total, flows) if np.isfinite(total) else (np.inf, [])

    def _cells_of(self, flows: list[Any]) -> NDArray[np.int64]:
        if not flows:
            return np.zeros(0, dtype=np.int64)
        cells: NDArray[np.int64] = np.unique(
            self.cell_at[np.concatenate([arcs for arcs, _ in flows])]
        )
        return cells

    def _take(self, target: int, flows: list[Any], sign: int = 1) -> None:
        """Let a cell use the arcs of some flows, or give them up."""
        cells = self._cells_of(flows)
        self.uses[cells] += sign
        self._set_price(cells)
        self.flows[target] = flows if sign > 0 else []

    def _again(self, target: int) -> bool:
        """Give up the flows of a cell, and take cheaper ones if there are any."""
        flows = self.flows[target]
        cells = self._cells_of(flows)
        own = cells[self.uses[cells] == 1]
        before = float(self._cost[own].sum())
        if before == 0:
            return False
        self._take(target, flows, -1)
        cost, found = self._cheapest(target)
        better = bool(found) and cost < before * (1 - 1e-9)
        self._take(target, found if better else flows)
        return better
