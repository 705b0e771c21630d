# SPDX-License-Identifier: Apache-2.0
"""Contributors who know cells of their own learn nothing more about other cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import tacit
from brute import insider_shortfalls
from strategies import tables
from tacit.attacker import Attacker
from tacit.protect.suppress._build import build_problem
from tacit.protect.suppress._knowledge import (
    OUTSIDER,
    Contributors,
    Knowledge,
    members_of,
)
from tacit.table import State

random_tables = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def shop(rows: list[tuple[str, int, int]]) -> tacit.Table:
    """Sales by town: (town, firm, sales)."""
    town, firm, sales = zip(*rows, strict=True)
    records = {"town": list(town), "firm": list(firm), "sales": list(sales)}
    return tacit.tabulate(records, by={"town": "all"}, value="sales", unit="firm")


def many(
    town: str, first: int, count: int = 5, sales: int = 40
) -> list[tuple[str, int, int]]:
    return [(town, first + k, sales + k) for k in range(count)]


TWO_ALONE = [("a", 1, 50), ("b", 2, 70), *many("c", 10), *many("d", 20, sales=90)]


def hidden_towns(release: tacit.Release) -> set[str]:
    towns = release.table.codes_of("town")
    return set(towns[release.withheld].tolist())


def test_two_single_firms_of_one_line_do_not_learn_each_other() -> None:
    """PS2: each of two singletons would subtract itself from what the line gives."""
    asked = tacit.assess(shop(TWO_ALONE), tacit.MinFrequency(n=3))
    outsider = tacit.suppress(asked, attackers=[Attacker()])
    assert hidden_towns(outsider) >= {"a", "b"}
    assert len(hidden_towns(tacit.suppress(asked))) > 2
    assert not insider_shortfalls(tacit.suppress(asked))


def test_outsiders_alone_leave_the_line_to_the_two() -> None:
    """The test above can fail: without insiders and sums two cells are enough."""
    table = tacit.Table.from_cells(
        {"town": list("abcd"), "sales": [50, 70, 210, 460], "firms": [1, 1, 5, 5]},
        by={"town": "all"}, value="sales", count="firms",
    )  # fmt: skip
    asked = tacit.assess(table, tacit.MinFrequency(n=3), margin=10)
    assert hidden_towns(tacit.suppress(asked, attackers=[Attacker()])) == {"a", "b"}
    assert hidden_towns(tacit.suppress(asked)) > {"a", "b"}


def test_an_owner_of_cells_in_several_lines_knows_all_of_them() -> None:
    rows = [
        ("a", "x", 1, 60), ("b", "y", 1, 80), ("a", "y", 2, 55), ("b", "x", 3, 75),
    ]  # fmt: skip
    number = 10
    for town, sector in [("c", "x"), ("c", "y"), ("c", "z"), ("a", "z"), ("b", "z")]:
        rows += [(town, sector, number + k, 100 + 7 * k) for k in range(4)]
        number += 4
    names = ["town", "sector", "firm", "sales"]
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    table = tacit.tabulate(
        {name: list(column) for name, column in columns.items()},
        by={"town": "all", "sector": "all"}, value="sales", unit="firm",
    )  # fmt: skip
    asked = tacit.assess(table, tacit.PPercent(p=20))
    outsider = tacit.suppress(asked, attackers=[Attacker()])
    release = tacit.suppress(asked)
    assert release.provenance["open"] == 0
    assert not insider_shortfalls(release)
    assert release.withheld.sum() >= outsider.withheld.sum()


def test_a_pair_of_insiders_can_be_kept_out_as_well() -> None:
    """Three singletons in a line hold against each of them, not against two."""
    rows = [("a", 1, 50), ("b", 2, 70), ("c", 3, 60), *many("d", 10), *many("e", 20)]
    asked = tacit.assess(shop(rows), tacit.PPercent(p=10))
    pairs = Attacker(insiders="singletons", coalition=2)
    alone, together = (
        tacit.suppress(asked, attackers=[Attacker(), one])
        for one in (Attacker(insiders="singletons"), pairs)
    )
    assert together.withheld.sum() > alone.withheld.sum()
    assert together.provenance["open"] == 0


def test_what_cannot_be_kept_from_an_insider_stays_open() -> None:
    """Two firms, nothing else to hide: the release says that claims are open."""
    table = tacit.Table.from_cells(
        {"town": ["all", "a", "b"], "sales": [120, 50, 70], "firms": [2, 1, 1],
         "state": ["frozen", "safe", "safe"]},
        by={"town": "all"}, value="sales", count="firms", state="state",
    )  # fmt: skip
    release = tacit.suppress(tacit.assess(table, tacit.MinFrequency(n=2)))
    assert release.provenance["open"] > 0
    assert not release.safe


@random_tables
@given(tables(max_dimensions=3, is_count=False))
def test_no_insider_of_a_random_table_learns_too_much(table: tacit.Table) -> None:
    asked = tacit.assess(table, tacit.PPercent(p=15))
    release = tacit.suppress(asked, time_limit=20)
    fixed = np.isin(asked.state, (State.EMPTY,))
    if release.provenance["open"]:
        widest = np.where(fixed, asked.state, State.SUPPRESSED)
        best = tacit.Release(asked, widest, "all", table.cells.value)
        assert insider_shortfalls(best)
    else:
        assert not insider_shortfalls(release)


@random_tables
@given(tables(max_dimensions=3, is_count=False))
def test_the_same_table_gives_the_same_pattern(table: tacit.Table) -> None:
    asked = tacit.assess(table, tacit.PPercent(p=15))
    one, two = (tacit.suppress(asked, time_limit=60).state for _ in range(2))
    assert (one == two).all()


def test_sets_of_owners_start_with_the_outsider() -> None:
    assert OUTSIDER == 1
    assert list(members_of(OUTSIDER | 1 << 70)) == [0, 70]


def test_an_owner_is_not_led_below_its_own_part() -> None:
    rows = [("a", 1, 50), ("b", 1, 70), ("b", 2, 10), *many("c", 10)]
    asked = tacit.assess(shop(rows), tacit.PPercent(p=10))
    cost = np.ones(len(asked.table))
    problem, origin = build_problem(asked, cost, attackers=[Attacker()])
    every = np.ones(len(problem), dtype=bool)
    known = Knowledge(problem, every, Contributors(asked.table, origin))
    assert len(known) == 1
    a, b = (asked.table.index(town=town) for town in "ab")
    assert known.touched([b], [-10.0]) == 0
    assert known.touched([b], [-11.0]) == 0b10
    assert known.touched([b], [500.0]) == 0
    assert known.touched([a], [1.0]) == 0b10
    assert known.part_of(b) == 0b10


@pytest.mark.parametrize("coalition", [1, 2])
def test_nobody_alone_means_nobody_to_protect_from(coalition: int) -> None:
    asked = tacit.assess(shop([*many("a", 1), *many("b", 20)]), tacit.PPercent(p=10))
    cost = np.ones(len(asked.table))
    problem, _ = build_problem(asked, cost, attackers=[Attacker()])
    every = np.ones(len(problem), dtype=bool)
    known = Knowledge(problem, every, None, coalition=coalition)
    assert len(known) == 0
    assert known.everybody == OUTSIDER
