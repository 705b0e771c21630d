# SPDX-License-Identifier: Apache-2.0
"""Seventeen incomes of thirteen people in three nations: OE.15 to OE.18."""

from __future__ import annotations

import numpy as np
import pytest

import tacit
from tacit import Hierarchy, Table
from tacit.rules import Dominance, PPercent

# Nation, age, income, person: a person can stand in several cells.
RECORDS = [
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
CONTINENTS = Hierarchy.from_parents(
    {
        "Denmark": "Europe",
        "France": "Europe",
        "USA": "America",
        "Europe": "Total",
        "America": "Total",
    },
    total="Total",
)
AGES = ("Total", "old", "young")
# Published: nations, and continents by age, with all margins.
PUBLISHED = [
    *((nation, "Total") for nation in ("Denmark", "France", "USA")),
    *((place, age) for place in ("Total", "Europe", "America") for age in AGES),
]


@pytest.fixture(scope="module")
def table() -> Table:
    names = ("place", "age", "income", "person")
    data = dict(zip(names, map(list, zip(*RECORDS, strict=True)), strict=True))
    return tacit.tabulate(
        data, by={"place": CONTINENTS, "age": "Total"}, value="income", unit="person"
    )


def primaries(found: tacit.Assessment) -> set[tuple[str, str]]:
    return {
        (place, age)
        for place, age in PUBLISHED
        if found.sensitive[found.table.index(place=place, age=age)]
    }


def test_oe_15_primaries_of_p10(table: Table) -> None:
    found = tacit.assess(table, PPercent(p=10))
    assert primaries(found) == {("Denmark", "Total"), ("America", "old")}


def test_oe_16_primaries_of_dominance(table: Table) -> None:
    found = tacit.assess(table, Dominance(n=1, k=80) | Dominance(n=2, k=90))
    assert primaries(found) == {
        ("Denmark", "Total"),
        ("America", "old"),
        ("Europe", "young"),
    }


@pytest.mark.parametrize(
    ("place", "age", "value", "level"),
    [
        ("Denmark", "Total", 1380, 366),
        ("America", "old", 13010, 2020),
        ("America", "young", 9300, 424),
        ("Europe", "young", 1920, 230),
    ],
)
def test_oe_17_protection_of_p30(
    place: str, age: str, value: int, level: int, table: Table
) -> None:
    found = tacit.assess(table, PPercent(p=30))
    cell = table.index(place=place, age=age)
    assert table.cells.value[cell] == value
    assert found.upl[cell] == pytest.approx(level, abs=1e-9)
    assert found.lpl[cell] == pytest.approx(level, abs=1e-9)


@pytest.mark.parametrize(
    ("age", "contributors", "first", "second"),
    [("Total", 13, 0.1747808, 0.3363179), ("young", 6, 0.5329768, 0.8573975)],
)
def test_oe_18_people_are_merged_in_every_cell(
    age: str, contributors: int, first: float, second: float, table: Table
) -> None:
    cell = table.index(place="Total", age=age)
    evidence = table.evidence
    assert evidence is not None
    assert evidence.contributors[cell] == contributors
    shares = np.cumsum(evidence.largest[cell, :2]) / table.cells.value[cell]
    np.testing.assert_allclose(shares, [first, second], atol=5e-8)
