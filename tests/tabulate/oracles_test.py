# SPDX-License-Identifier: Apache-2.0
"""Printed numbers that tabulation must give: holdings, weights, a data cube."""

from __future__ import annotations

from typing import Any

import pytest

from tacit import Hierarchy, Table, tabulate

# OE.15: nation, age, income, person.
PEOPLE = [
    ("Denmark", "old", 1220, "Stefan"),
    ("Denmark", "young", 160, "Anna"),
    ("France", "old", 1450, "Nora"),
    ("France", "old", 1860, "Nora"),
    ("France", "old", 3030, "David"),
    ("France", "old", 5880, "Carlos"),
    ("France", "old", 6570, "Marta"),
    ("France", "old", 9370, "Katarina"),
    ("France", "young", 460, "Stefan"),
    ("France", "young", 1300, "Helena"),
    ("USA", "old", 530, "Matteo"),
    ("USA", "old", 3980, "Luca"),
    ("USA", "old", 8500, "Anna"),
    ("USA", "young", 280, "Erik"),
    ("USA", "young", 700, "Julia"),
    ("USA", "young", 3640, "Thomas"),
    ("USA", "young", 4680, "Helena"),
]
NATIONS = Hierarchy.from_parents(
    {
        "Denmark": "Europe",
        "France": "Europe",
        "USA": "America",
        "Europe": "World",
        "America": "World",
    }
)


@pytest.fixture(scope="module")
def cube() -> Table:
    names = ("nation", "age", "income", "person")
    data = dict(zip(names, map(list, zip(*PEOPLE, strict=True)), strict=True))
    by: dict[str, Any] = {"nation": NATIONS, "age": "all"}
    return tabulate(data, by=by, value="income", unit="person")


@pytest.mark.parametrize(
    ("nation", "age", "value", "people", "largest"),
    [
        ("Denmark", "all", 1380, 2, [1220, 160, 0]),
        ("America", "old", 13010, 3, [8500, 3980, 530]),
        ("America", "young", 9300, 4, [4680, 3640, 700]),
        ("Europe", "young", 1920, 3, [1300, 460, 160]),
        ("France", "old", 28160, 5, [9370, 6570, 5880]),
        ("World", "all", 53610, 13, [9370, 8660, 6570]),
        ("World", "young", 11220, 6, [5980, 3640, 700]),
    ],
)
def test_oe15_cells_and_their_largest_contributors(
    cube: Table, nation: str, age: str, value: int, people: int, largest: list[int]
) -> None:
    cell = cube.index(nation=nation, age=age)
    assert cube.cells.value[cell] == value
    assert cube.evidence.contributors[cell] == people
    assert cube.evidence.largest[cell].tolist() == largest


def test_oe18_shares_of_the_two_largest(cube: Table) -> None:
    shares = {}
    for age in ("all", "young"):
        cell = cube.index(nation="World", age=age)
        top = cube.evidence.largest[cell].cumsum()[:2]
        shares[age] = (top / cube.cells.value[cell]).round(7).tolist()
    assert shares == {"all": [0.1747808, 0.3363179], "young": [0.5329768, 0.8573975]}


def test_o1_11_a_holding_counts_once_in_the_margin() -> None:
    """600 and 90 belong together: the margin's remainder is 8.7 % of the largest."""
    amounts = [600, 90, 60, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6]
    data = {
        "town": ["a", "b", "b"] + ["a", "b"] * 5,
        "firm": list(range(13)),
        "group": ["big", "big", *(f"g{i}" for i in range(11))],
        "violins": amounts,
    }

    def margin(**roles: str) -> tuple[int, float, Table]:
        table = tabulate(data, by={"town": "all"}, value="violins", **roles)
        cell = table.index(town="all")
        first, second, _ = table.evidence.largest[cell].tolist()
        value = int(table.cells.value[cell])
        return value, 100 * (value - first - second) / first, table

    value, alone, firms = margin(unit="firm")
    assert (value, alone) == (810, 20.0)
    value, together, groups = margin(unit="firm", holding="group")
    assert value == 810
    assert together == pytest.approx(8.695652)
    # Each town keeps its own split: the holding is no contributor of 690 there.
    for table in (firms, groups):
        assert table.evidence.largest[table.index(town="a")].tolist() == [600, 6, 6]
        assert table.evidence.largest[table.index(town="b")].tolist() == [90, 60, 6]
    assert groups.evidence.contributors.tolist() == [12, 6, 7]
    assert groups.evidence.units.tolist() == [13, 6, 7]


def weighted(pairs: list[tuple[int, float]], weights: str = "partial") -> Table:
    data = {
        "town": ["a"] * len(pairs),
        "x": [x for x, _ in pairs],
        "w": [w for _, w in pairs],
    }
    return tabulate(data, by={"town": "all"}, value="x", weight="w", weights=weights)


def test_o1_17_weight_5_is_five_contributions() -> None:
    table = weighted([(100, 5)])
    assert table.cells.value[0] == 500
    assert table.evidence.largest[0, :2].sum() == 200
    assert table.evidence.entities[0].tolist() == [0, 0, 0]
    assert table.evidence.sum_of_weights[0] == 5


def test_oe6_the_two_largest_of_470() -> None:
    table = weighted([(100, 4), (10, 7)])
    assert table.cells.value[0] == 470
    assert table.evidence.largest[0, :2].tolist() == [100, 100]


def test_oe7_virtual_units_against_the_sample() -> None:
    pairs = [(100, 2.0), (1, 3.0)]
    virtual, sample = weighted(pairs), weighted(pairs, "sample")
    assert virtual.cells.value[0] == sample.cells.value[0] == 203
    assert virtual.evidence.total[0] == 203
    assert 203 - virtual.evidence.largest[0, :2].sum() == 3
    assert 203 - sample.evidence.largest[0, :2].sum() == 102
    expanded = weighted(pairs, "expanded")
    assert expanded.evidence.largest[0].tolist() == [200, 3, 0]
    assert expanded.evidence.largest_unweighted[0] == 100


def test_the_last_virtual_unit_is_taken_in_part() -> None:
    """100 one and a half times: the second unit is half 100 and half 10."""
    table = weighted([(100, 1.5), (10, 7)])
    assert table.evidence.largest[0].tolist() == [100, 55, 10]


def test_small_weights_reach_further_down() -> None:
    table = weighted([(x, 0.125) for x in range(1, 41)])
    units = [sum(range(33 - 8 * j, 41 - 8 * j)) / 8 for j in range(3)]
    assert table.evidence.largest[0].tolist() == units


def test_weighted_leaf_cells_are_rounded_once_and_then_add_up() -> None:
    data = {"town": ["a", "a", "b"], "x": [1, 1, 1], "w": [1.25, 1.25, 1.5]}
    table = tabulate(data, by={"town": "all"}, value="x", weight="w", weights="sample")
    assert table.cells.value.tolist() == [4, 2, 2]
    exact = tabulate(
        {**data}, by={"town": "all"}, weight="w", weights="sample", decimals=2
    )
    assert exact.is_count
    assert exact.cells.value.tolist() == [400, 250, 150]


def test_counts_count_records_and_evidence_counts_contributors() -> None:
    data = {"town": ["a", "a", "b"], "firm": [1, 1, 1]}
    table = tabulate(data, by={"town": "all"}, unit="firm")
    assert table.cells.value.tolist() == [3, 2, 1]
    assert table.evidence.contributors.tolist() == [1, 1, 1]
    assert table.measure == "count"
