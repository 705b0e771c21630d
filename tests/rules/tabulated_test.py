# SPDX-License-Identifier: Apache-2.0
"""From records to verdicts: tables are judged as their cells are by hand."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

import tacit
from tacit.rules import (
    PQ,
    Dispersion,
    Dominance,
    LinearRule,
    MinFrequency,
    PPercent,
    RequestRule,
    Rule,
    Statisticon,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.table import Table

Record = dict[str, Any]
Cell = list[list[Record]]
BY = {"region": "T", "size": "T"}

CONCENTRATION: list[Rule] = [
    PPercent(p=10),
    PPercent(p=15, coalition=2),
    PPercent(p=33.3, closed=True),
    PQ(p=10, q=50),
    Dominance(n=1, k=40),
    Dominance(n=3, k=80),
]
ANY: list[Rule] = [
    *CONCENTRATION,
    LinearRule(weights=[0.3, 0.1, -1]),
    Statisticon(s=25),
    Statisticon(s=3, all_pairs=True),
    MinFrequency(n=5),
]


def records(seed: int, *, count: int = 150, negative: bool = False) -> list[Record]:
    """Firms with several records, in groups of three, a few of them very large."""
    chance = random.Random(seed)  # noqa: S311 - only an example
    rows = []
    for _ in range(count):
        firm = chance.randrange(90)
        rows.append(
            {
                "region": chance.choice("abcd"),
                "size": chance.choice("vwxyz"),
                "firm": f"f{firm}",
                "group": f"g{firm // 3}",
                "agreed": firm % 4 == 0,
                "asked": (0, 0, 1, 2)[firm % 4],
                "w": (1, 1.5, 2, 3.25)[firm % 4],
                "employees": 10 ** (firm % 5),
                "turnover": 10 ** chance.randrange(4) * chance.randrange(9),
            }
        )
    if negative:
        for row in rows:
            row["turnover"] *= chance.choice([1, 1, -1])
    return rows


def cells_of(rows: list[Record], entity: str) -> dict[tuple[str, str], Cell]:
    """Put the records of each entity together in every cell, margins included."""
    found: Any = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for region in (row["region"], "T"):
            for size in (row["size"], "T"):
                found[region, size][row[entity]].append(row)
    return {key: list(cell.values()) for key, cell in found.items()}


def tabulated(rows: list[Record], **columns: Any) -> Table:
    source = {name: [row[name] for row in rows] for name in rows[0]}
    return tacit.tabulate(source, by=BY, value="turnover", **columns)


def sums(cell: Cell, column: str = "turnover") -> list[int]:
    return [sum(row[column] for row in entity) for entity in cell]


def first(cell: Cell, column: str) -> list[Any]:
    return [entity[0][column] for entity in cell]


def check(
    table: Table,
    cells: dict[tuple[str, str], Cell],
    rule: Any,
    described: Callable[[Cell], dict[str, Any]] = lambda _: {},
) -> int:
    """Compare every cell; give the number of unsafe ones."""
    verdict = rule.evaluate(table)
    for (region, size), cell in cells.items():
        at = table.index(region=region, size=size)
        x, more = sums(cell), described(cell)
        assert bool(verdict.unsafe[at]) is rule.unsafe(x, **more), (region, size)
        if verdict.unsafe[at] and verdict.upper[at] and rule.kind != "request":
            level = pytest.approx(rule.sensitivity(x, **more), abs=1e-6)
            assert verdict.upper[at] == level
    assert int(verdict.unsafe.sum()) <= len(cells)
    return int(verdict.unsafe.sum())


@pytest.mark.parametrize("rule", ANY, ids=lambda rule: rule.kind)
@pytest.mark.parametrize("entity", ["firm", "group"])
def test_entities_are_put_together_in_every_cell(entity: str, rule: Rule) -> None:
    rows = records(1)
    more = {"holding": "group"} if entity == "group" else {}
    table = tabulated(rows, unit="firm", **more)
    assert 0 < check(table, cells_of(rows, entity), rule) < len(table) + 1


@pytest.mark.parametrize("rule", CONCENTRATION, ids=lambda rule: rule.kind)
def test_waivers(rule: Rule) -> None:
    rows = records(2, count=80)
    table = tabulated(rows, unit="firm", waiver="agreed")
    cells = cells_of(rows, "firm")
    agreed = check(table, cells, rule, lambda cell: {"waived": first(cell, "agreed")})
    assert 0 < agreed <= check(tabulated(rows, unit="firm"), cells, rule)


@pytest.mark.parametrize(
    "rule",
    [
        RequestRule(percent_1=20, percent_2=60),
        RequestRule(percent_1=50, percent_2=60, min_frequency=5),
    ],
)
def test_requests(rule: Rule) -> None:
    rows = records(3)
    table = tabulated(rows, unit="firm", request="asked")
    cells = cells_of(rows, "firm")
    assert check(table, cells, rule, lambda cell: {"requests": first(cell, "asked")})


@pytest.mark.parametrize("convention", ["partial", "sample", "expanded"])
@pytest.mark.parametrize(
    "rule", [*CONCENTRATION[:2], *CONCENTRATION[3:]], ids=lambda rule: rule.kind
)
def test_weights(convention: Any, rule: Rule) -> None:
    rows = records(4)
    table = tabulated(rows, unit="firm", weight="w", weights=convention)
    check(
        table,
        cells_of(rows, "firm"),
        rule,
        lambda cell: {"weights": first(cell, "w"), "convention": convention},
    )


@pytest.mark.parametrize(
    "rule",
    [
        PPercent(p=10, negatives="absolute"),
        PPercent(p=10, negatives="relaxed", factor=3),
        PPercent(p=10, negatives="frequency_only"),
        PPercent(p=10, negatives="dispersion"),
        Dispersion(),
        Dispersion(one_signed=Dominance(n=1, k=60)),
        Statisticon(s=10, all_pairs=True, negatives="absolute"),
    ],
    ids=lambda rule: rule.kind,
)
def test_negative_contributions(rule: Rule) -> None:
    rows = records(5, count=70, negative=True)
    table = tabulated(rows, unit="firm", holding="group")
    cells = cells_of(rows, "group")
    with pytest.raises(tacit.errors.RuleError, match="negative"):
        PPercent(p=10).evaluate(table)
    assert 0 < check(table, cells, rule) < len(table) + 1


def test_proxy() -> None:
    rows = records(6, negative=True)
    table = tabulated(rows, unit="firm", size="employees")
    cells = cells_of(rows, "firm")
    rule = PPercent(p=10, negatives="proxy", factor=0.5)
    sizes = check(table, cells, rule, lambda c: {"sizes": sums(c, "employees")})
    assert sizes != check(table, cells, PPercent(p=10, negatives="absolute"))
