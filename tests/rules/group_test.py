# SPDX-License-Identifier: Apache-2.0
"""Group disclosure in tables of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tacit
from tacit import Hierarchy
from tacit.errors import InputError, RuleError
from tacit.rules import GroupDisclosure, smallest_coalition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tacit.table import Table

SHIPS = {"A": (9, 0), "B": (14, 2), "C": (1, 1), "D": (1, 9), "E": (0, 5), "F": (2, 1)}


def counted(
    groups: Mapping[str, tuple[int, ...]], codes: tuple[str, ...] = ("yes", "no")
) -> Table:
    rows = [
        (g, c, n) for g, ns in groups.items() for c, n in zip(codes, ns, strict=True)
    ]
    columns = {
        name: [row[i] for row in rows] for i, name in enumerate(["group", "fined", "n"])
    }
    return tacit.Table.from_cells(
        columns, by={"group": "all", "fined": "either"}, count="n"
    )


def found(table: Table, rule: GroupDisclosure) -> set[tuple[str, str]]:
    verdict = rule.evaluate(table)
    return {
        (table.labels_of(cell)["group"], table.labels_of(cell)["fined"])
        for cell in verdict.unsafe.nonzero()[0].tolist()
    }


def by_name(**what: object) -> GroupDisclosure:
    return GroupDisclosure(dimension="fined", categories=["yes"], **what)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sensitive", "other", "unsafe"),
    [
        (9, 0, True),
        (14, 2, True),
        (1, 1, True),
        (1, 9, False),
        (4, 6, True),
        (1, 2, True),
        (0, 5, False),
    ],
)
def test_o1_12_fraction_and_minimum(
    sensitive: int, other: int, *, unsafe: bool
) -> None:
    assert GroupDisclosure(p=40, n=3).unsafe_counts(sensitive, other) is unsafe


def test_o1_12_each_criterion_alone() -> None:
    not_all, fraction = GroupDisclosure(), GroupDisclosure(not_all=False, p=40)
    minimum = GroupDisclosure(not_all=False, n=3)
    pairs = [(9, 0), (14, 2), (1, 1), (1, 9), (4, 6), (1, 2)]
    assert [not_all.unsafe_counts(*p) for p in pairs] == [True] + [False] * 5
    assert [fraction.unsafe_counts(*p) for p in pairs] == [
        *(True, True, True, False, True, False)
    ]
    # (1, 2) is 33 %, and unsafe by the minimum only.
    assert [minimum.unsafe_counts(*p) for p in pairs] == [
        *(True, True, True, False, False, True)
    ]


@pytest.mark.parametrize(
    ("sensitive", "other", "k"), [(8, 4, 4), (10, 1, 1), (1, 0, 0), (5, 0, 0)]
)
def test_o4_20_smallest_coalition(sensitive: int, other: int, k: int) -> None:
    assert smallest_coalition(sensitive, other) == k
    assert GroupDisclosure(not_all=False, k=k).unsafe_counts(sensitive, other)
    if k:
        rule = GroupDisclosure(not_all=False, k=k - 1)
        assert not rule.unsafe_counts(sensitive, other)


def test_o4_20_totals() -> None:
    table = counted({"A": (8, 4), "B": (10, 1), "C": (1, 0), "D": (5, 0)})
    assert [
        int(table.cells.value[table.index(group="all", fined=c)])
        for c in ("yes", "no", "either")
    ] == [24, 5, 29]
    assert found(table, by_name()) == {("C", "yes"), ("D", "yes")}
    assert found(table, by_name(k=1)) == {("B", "yes"), ("C", "yes"), ("D", "yes")}


@pytest.mark.parametrize(("sensitive", "other", "k"), [(6, 0, 0), (5, 1, 1), (2, 2, 2)])
def test_oe_10_hours_by_marital_status(sensitive: int, other: int, k: int) -> None:
    assert smallest_coalition(sensitive, other) == k


def test_r1_3_to_r1_5_in_a_table() -> None:
    table = counted(SHIPS)
    assert found(table, by_name()) == {("A", "yes")}
    assert found(table, by_name(not_all=False, p=40)) == {
        ("A", "yes"),
        ("B", "yes"),
        ("C", "yes"),
        ("F", "yes"),
        ("all", "yes"),
    }
    assert ("F", "yes") in found(table, by_name(n=3))
    assert ("D", "yes") not in found(table, by_name(p=40, n=3))


def test_r1_6_small_counts_alone_are_safe() -> None:
    table = counted({"A": (1, 30), "B": (2, 40)})
    assert found(table, by_name(p=40, n=3, k=2)) == set()


def test_r1_7_large_groups_may_be_exempt() -> None:
    table = counted({"A": (500, 0), "B": (5, 0)})
    assert ("A", "yes") in found(table, by_name())
    exempt = by_name(max_group=100)
    assert found(table, exempt) == {("B", "yes")}


def test_the_lower_level_is_what_must_be_thought_to_be_elsewhere() -> None:
    table = counted({"A": (9, 1), "B": (1, 30)})
    verdict = by_name(p=40, n=3).evaluate(table)
    cell = table.index(group="A", fined="yes")
    # Fewer than 4 of 10 may be thought to be in it: 6 must be thought elsewhere.
    assert verdict.lower[cell] == 6
    assert verdict.upper[cell] == 0
    assert by_name(p=40, n=3).sensitivity([9, 1]) == 6


def test_without_categories_each_stands_on_its_own() -> None:
    table = counted({"A": (6, 0), "B": (0, 4), "C": (2, 2)})
    rule = GroupDisclosure(dimension="fined")
    assert found(table, rule) == {("A", "yes"), ("B", "no")}


def test_categories_of_a_tree_stand_for_their_parts() -> None:
    tree = Hierarchy.from_parents(
        {"fine": "crime", "jail": "crime", "crime": "either", "none": "either"}
    )
    columns = {
        "group": ["A", "A", "B", "B", "B"],
        "fined": ["fine", "jail", "fine", "jail", "none"],
        "n": [2, 3, 1, 0, 9],
    }
    by = {"group": "all", "fined": tree}
    table = tacit.Table.from_cells(columns, by=by, count="n")
    rule = GroupDisclosure(dimension="fined", categories=["crime"])
    assert found(table, rule) == {("A", "fine"), ("A", "jail"), ("A", "crime")}


def test_what_is_sensitive_must_be_said_and_be_there() -> None:
    table = counted(SHIPS)
    with pytest.raises(RuleError, match="which dimension is sensitive"):
        GroupDisclosure().evaluate(table)
    with pytest.raises(RuleError, match=r"no dimension 'fine'\. Did you mean 'fined'"):
        GroupDisclosure(dimension="fine").evaluate(table)
    with pytest.raises(InputError, match=r"no code 'yess'\. Did you mean 'yes'"):
        GroupDisclosure(dimension="fined", categories=["yess"]).evaluate(table)
    with pytest.raises(RuleError, match="every category is named"):
        GroupDisclosure(dimension="fined", categories=["yes", "no"]).evaluate(table)


@pytest.mark.parametrize("wrong", [[1], [1, 2, 3], [1, -1], [1.5, 2]])
def test_by_hand_it_takes_two_counts(wrong: list[float]) -> None:
    with pytest.raises(RuleError, match="two counts"):
        GroupDisclosure().unsafe(wrong)
