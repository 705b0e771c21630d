# SPDX-License-Identifier: Apache-2.0
"""Random assessments of every kind that a method may be given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

import tacit
from strategies import Row, dimensions, table_of, tables, trees
from tacit.table import Dimension, State
from tacit.table._possible import hold_possible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit import Assessment, Table

__all__ = [
    "assessments",
    "finished",
    "frozen",
    "linked",
    "negative",
    "networks",
    "sown",
]


def rule_for(table: Table) -> tacit.Rule:
    """A rule that finds something, but not everything."""
    if table.is_count:
        return tacit.MinFrequency(n=3)
    return tacit.PPercent(p=15, negatives="absolute") | tacit.MinFrequency(n=2)


def sown_rows(
    axes: Sequence[Dimension],
    seed: int,
    *,
    density: float,
    count: bool,
    negatives: bool = False,
) -> list[Row]:
    """Fill leaf cells with skewed contributions, some cells with none."""
    random = np.random.default_rng(seed)
    leaves = [sorted(axis.hierarchies[0].leaf_codes) for axis in axes]
    size = int(np.prod([len(one) for one in leaves]))
    many = random.poisson(density, size) * (random.random(size) < 0.85)
    many[random.integers(size)] += 1
    rows = []
    for position in np.repeat(np.arange(size), many).tolist():
        where = np.unravel_index(position, [len(one) for one in leaves])
        codes = tuple(one[i] for one, i in zip(leaves, where, strict=True))
        amount = round(float(np.exp(random.normal(5.0, 1.4))))
        if negatives and random.random() < 0.1:
            amount = -amount
        if random.random() < 0.03:
            amount = 0
        unit = int(random.integers(3 * len(many)))
        rows.append(Row(codes, unit, unit // 3, 1 if count else amount))
    if count:
        rows = list({(row.codes, row.unit): row for row in rows}.values())
    return rows


@st.composite
def sown(
    draw: st.DrawFn, *, max_dimensions: int = 4, negatives: bool = False
) -> Assessment:
    """Tables with many contributors: some cells are sensitive, most are not."""
    count = draw(st.integers(1, max_dimensions))
    most = {1: 8, 2: 6, 3: 4, 4: 2}[count]
    axes = tuple(draw(dimensions(name, max_leaves=most)) for name in "abcd"[:count])
    counted = not negatives and draw(st.booleans())
    rows = sown_rows(
        axes,
        draw(st.integers(0, 10_000)),
        density=draw(st.sampled_from([2.5, 5.0, 8.0])),
        count=counted,
        negatives=negatives,
    )
    table = table_of(axes, rows, holdings=draw(st.booleans()), is_count=counted)
    if not negatives and draw(st.integers(0, 5)) == 0:
        table = hold_possible(table, "all")
    return tacit.assess(table, rule_for(table))


@st.composite
def networks(draw: st.DrawFn, *, counts: bool = False) -> Assessment:
    """Tables of one hierarchy, alone or by a flat dimension on either side of it.

    Small tables of counts are left out unless asked for: what needs a width only is
    asked of insiders in one direction by the audit, which then is too strict.
    """
    leaves = tuple(f"a{i}" for i in range(draw(st.integers(1, 8))))
    axes = [Dimension.of("a", draw(trees(leaves, "aT", "ap")))]
    if draw(st.integers(0, 5)):
        codes = [f"b{i}" for i in range(draw(st.integers(1, 6)))]
        axes.append(Dimension.of("b", tacit.Hierarchy.flat(codes, total="bT")))
    if draw(st.booleans()):
        axes.reverse()
    counted = counts and draw(st.booleans())
    rows = sown_rows(
        axes,
        draw(st.integers(0, 10_000)),
        density=draw(st.sampled_from([2.5, 5.0])),
        count=counted,
        negatives=not counted and draw(st.integers(0, 3)) == 0,
    )
    table = table_of(tuple(axes), rows, holdings=draw(st.booleans()), is_count=counted)
    return tacit.assess(table, rule_for(table))


@st.composite
def negative(draw: st.DrawFn) -> Assessment:
    """Tables with amounts below zero: nobody knows a lower end."""
    return draw(sown(max_dimensions=3, negatives=True))


@st.composite
def linked(draw: st.DrawFn) -> Assessment:
    """Two tables of the same records that share one or two dimensions."""
    axes = tuple(draw(dimensions(name, max_leaves=4)) for name in "abc")
    counted = draw(st.booleans())
    rows = sown_rows(axes, draw(st.integers(0, 10_000)), density=4.0, count=counted)
    holdings = draw(st.booleans())
    parts = {}
    for name, keep in (("ab", (0, 1)), ("ac", (0, 2))):
        seen = [
            Row(tuple(row.codes[k] for k in keep), row.unit, row.holding, row.value)
            for row in rows
        ]
        chosen = tuple(axes[k] for k in keep)
        parts[name] = table_of(chosen, seen, holdings=holdings, is_count=counted)
    table = tacit.link(parts)
    return tacit.assess(table, rule_for(table))


@st.composite
def finished(draw: st.DrawFn) -> Assessment:
    """Tables from finished cells: given states, levels, bounds and costs."""
    axes = tuple(draw(dimensions(name, max_leaves=5)) for name in "ab")
    rows = sown_rows(axes, draw(st.integers(0, 10_000)), density=5.0, count=False)
    base = table_of(axes, rows)
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    value = base.cells.value / 100
    n = len(base)
    sensitive = (random.random(n) < 0.15) & (value > 0)
    frame = {axis.name: base.codes_of(axis.name).tolist() for axis in axes}
    frame |= {
        "v": value.tolist(),
        "state": np.where(sensitive, "sensitive", "safe").tolist(),
        "up": np.where(sensitive, np.round(value * 0.2, 2) + 0.01, 0).tolist(),
        "down": np.where(sensitive, np.round(value * 0.1, 2), 0).tolist(),
    }
    wide = draw(st.sampled_from([None, 0.5]))
    if wide is not None:
        frame["low"] = np.round(value * (1 - wide), 2).tolist()
        frame["high"] = np.round(value * (1 + wide), 2).tolist()
    table = tacit.Table.from_cells(
        frame,
        by={axis.name: list(axis.hierarchies) for axis in axes},
        value="v",
        state="state",
        upper="up",
        lower="down",
        decimals=2,
        **({"bounds": ("low", "high")} if wide is not None else {}),
    )
    return tacit.assess(table)


@st.composite
def frozen(
    draw: st.DrawFn, tables: st.SearchStrategy[Assessment] | None = None
) -> Assessment:
    """Tables with cells that must stay published, and cells that must not."""
    found = draw(sown(max_dimensions=3) if tables is None else tables)
    state = found.state.copy()
    free = np.flatnonzero(~found.sensitive & (state == State.SAFE))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    share = draw(st.sampled_from([0.1, 0.4, 0.8]))
    state[free[random.random(len(free)) < share]] = State.FROZEN
    state[free[random.random(len(free)) < 0.05]] = State.FORCED
    return replace(found, state=state)


def assessments() -> st.SearchStrategy[Assessment]:
    """Every kind of assessment in which no cell is frozen."""
    small = tables().map(lambda table: tacit.assess(table, rule_for(table)))
    return st.one_of(small, sown(), sown(), negative(), linked(), finished())
