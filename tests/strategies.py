# SPDX-License-Identifier: Apache-2.0
"""Random small tables, built by brute force so that they can check the package.

Any test may say ``from strategies import tables``.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from tacit.hierarchy import Hierarchy
from tacit.table import Cells, Contributions, Dimension, Evidence, State, Table

DECIMALS = 2


@dataclass(frozen=True)
class Row:
    """One contribution: leaf codes, who, how much."""

    codes: tuple[str, ...]
    unit: int
    holding: int
    value: int


@st.composite
def trees(
    draw: st.DrawFn, leaves: tuple[str, ...], total: str, prefix: str
) -> Hierarchy:
    """A random tree over the given leaves, single-child chains included."""
    parents: dict[str, str] = {}
    front = list(leaves)
    level = 0
    while len(front) > 1 and level < 3 and draw(st.booleans()):
        level += 1
        grouped: list[str] = []
        rest = list(front)
        while rest:
            size = draw(st.integers(1, min(3, len(rest))))
            group, rest = rest[:size], rest[size:]
            if size == 1 and draw(st.booleans()):
                grouped += group
                continue
            name = f"{prefix}{level}{len(grouped)}"
            parents |= dict.fromkeys(group, name)
            grouped.append(name)
        front = grouped
    parents |= dict.fromkeys(front, total)
    return Hierarchy.from_parents(parents, total=total)


@st.composite
def dimensions(draw: st.DrawFn, name: str, *, max_leaves: int = 5) -> Dimension:
    """A random dimension with one or two trees over the same leaves."""
    count = draw(st.integers(1, max_leaves))
    leaves = tuple(f"{name}{i}" for i in range(count))
    total = f"{name}T"
    chosen = [draw(trees(leaves, total, f"{name}p"))]
    if count > 2 and draw(st.booleans()):
        other = draw(trees(tuple(reversed(leaves)), total, f"{name}q"))
        if set(other.codes) - set(chosen[0].codes):
            chosen.append(other)
    return Dimension.of(name, *chosen)


@st.composite
def rows_of(
    draw: st.DrawFn,
    axes: tuple[Dimension, ...],
    *,
    negatives: bool = False,
    max_rows: int = 25,
) -> list[Row]:
    """Random contributions; one unit may stand in several leaf cells."""
    low = -1000 if negatives else 0
    leaf = [st.sampled_from(sorted(axis.hierarchies[0].leaf_codes)) for axis in axes]
    one = st.tuples(st.tuples(*leaf), st.integers(0, 9), st.integers(low, 1000))
    drawn = draw(st.lists(one, min_size=1, max_size=max_rows))
    holding = draw(st.lists(st.integers(0, 4), min_size=10, max_size=10))
    return [Row(codes, unit, holding[unit], value) for codes, unit, value in drawn]


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    max_dimensions: int = 4,
    max_leaves: int = 5,
    negatives: bool = False,
    holdings: bool | None = None,
    is_count: bool | None = None,
    top: int = 3,
) -> Table:
    """A random table with everything that tabulating microdata would give."""
    count = draw(st.integers(1, max_dimensions))
    size = max_leaves if count < 3 else min(max_leaves, 3)
    axes = tuple(draw(dimensions(name, max_leaves=size)) for name in "abcdefgh"[:count])
    rows = draw(rows_of(axes, negatives=negatives))
    with_holdings = draw(st.booleans()) if holdings is None else holdings
    counted = draw(st.booleans()) if is_count is None else is_count
    if counted:
        rows = [Row(row.codes, row.unit, row.holding, 1) for row in rows]
        rows = list({(row.codes, row.unit): row for row in rows}.values())
    return table_of(axes, rows, holdings=with_holdings, is_count=counted, top=top)


def ancestors(axis: Dimension, code: str) -> set[str]:
    """The code and everything above it, in all trees."""
    found = {code}
    for tree in axis.hierarchies:
        here = code
        parents = {
            c: tree.codes[p]
            for c, p in zip(tree.codes, tree.parents, strict=True)
            if p >= 0
        }
        while here in parents:
            here = parents[here]
            found.add(here)
    return found


def cube(
    axes: tuple[Dimension, ...], rows: list[Row]
) -> dict[tuple[int, ...], list[Row]]:
    """Rows below every non-empty cell, by positions of its codes."""
    cells: dict[tuple[int, ...], list[Row]] = defaultdict(list)
    for row in rows:
        above = [ancestors(axis, c) for axis, c in zip(axes, row.codes, strict=True)]
        for codes in itertools.product(*above):
            key = tuple(a.positions[c] for a, c in zip(axes, codes, strict=True))
            cells[key].append(row)
    return dict(sorted(cells.items()))


def table_of(
    axes: tuple[Dimension, ...],
    rows: list[Row],
    *,
    holdings: bool = False,
    is_count: bool = False,
    top: int = 3,
) -> Table:
    """Tabulate rows cell by cell, the slow and obvious way."""
    cells = cube(axes, rows)
    n = len(cells)
    codes = np.array(list(cells), dtype=np.int32).reshape(n, len(axes)).T.copy()
    value = np.array([sum(r.value for r in below) for below in cells.values()])
    largest = np.zeros((n, top), dtype=np.int64)
    entities = np.full((n, top), -1, dtype=np.int64)
    contributors = np.zeros(n, dtype=np.int64)
    units = np.zeros(n, dtype=np.int64)
    total = np.zeros(n, dtype=np.int64)
    for i, below in enumerate(cells.values()):
        amounts: dict[int, int] = defaultdict(int)
        for row in below:
            amounts[row.holding if holdings else row.unit] += row.value
        ranked = sorted(amounts.items(), key=lambda item: (-abs(item[1]), item[0]))
        contributors[i] = len(ranked)
        units[i] = len({row.unit for row in below})
        total[i] = sum(abs(amount) for amount in amounts.values())
        for k, (entity, amount) in enumerate(ranked[:top]):
            largest[i, k], entities[i, k] = abs(amount), entity
    return Table(
        axes,
        Cells(
            codes,
            value.astype(np.int64),
            0 if is_count else DECIMALS,
            np.full(n, State.SAFE, dtype=np.uint8),
        ),
        measure="count" if is_count else "turnover",
        is_count=is_count,
        evidence=Evidence(
            contributors, total, largest, entities, units if holdings else None
        ),
        contributions=_reduced(axes, rows, list(cells), holdings=holdings),
    )


def _reduced(
    axes: tuple[Dimension, ...],
    rows: list[Row],
    cells: list[tuple[int, ...]],
    *,
    holdings: bool,
) -> Contributions:
    place = {key: i for i, key in enumerate(cells)}
    amounts: dict[tuple[int, int], int] = defaultdict(int)
    holding_of: dict[int, int] = {}
    for row in rows:
        key = tuple(a.positions[c] for a, c in zip(axes, row.codes, strict=True))
        amounts[place[key], row.unit] += row.value
        holding_of[row.unit] = row.holding
    ordered = sorted(amounts)
    return Contributions(
        leaf=np.array([leaf for leaf, _ in ordered], dtype=np.int32),
        unit=np.array([unit for _, unit in ordered], dtype=np.int64),
        value=np.array([amounts[key] for key in ordered], dtype=np.int64),
        holding=np.array([holding_of[unit] for _, unit in ordered], dtype=np.int64)
        if holdings
        else None,
    )
