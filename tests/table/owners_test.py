# SPDX-License-Identifier: Apache-2.0
"""Cells without names of contributors: which of them have the same single one."""

from __future__ import annotations

import tacit
from tacit.table import sole_owners


def owners(table: tacit.Table) -> dict[str, int]:
    assert table.evidence is not None
    found = sole_owners(table, table.evidence.contributors)
    return {table.describe_cell(k): int(owner) for k, owner in enumerate(found)}


def test_a_total_of_one_contributor_has_the_owner_of_its_part() -> None:
    tree = tacit.Hierarchy.from_parents(
        {"a1": "a", "a2": "a", "a": "all", "b1": "b", "b": "all"}
    )
    cells = {"place": ["a1", "a2", "b1"], "n": [1, 0, 1]}
    table = tacit.Table.from_cells(cells, by={"place": tree}, count="n")
    found = owners(table)
    assert found["place = a"] == found["place = a1"] >= 0
    assert found["place = b"] == found["place = b1"] >= 0
    assert found["place = a"] != found["place = b"]
    assert found["place = all"] == -1


def test_two_contributors_below_one_total_stay_apart() -> None:
    cells = {"sex": ["f", "m"], "age": ["o", "o"], "n": [1, 1]}
    by = {"sex": "all", "age": "any"}
    found = owners(tacit.Table.from_cells(cells, by=by, count="n"))
    female, male = found["sex = f, age = o"], found["sex = m, age = o"]
    assert female != male
    assert found["sex = f, age = any"] == female
    assert found["sex = all, age = o"] == -1


def test_names_decide_where_there_are_any() -> None:
    records = {"sex": ["f", "m"], "who": ["x", "x"], "v": [5, 6]}
    table = tacit.tabulate(records, by={"sex": "all"}, value="v", unit="who")
    assert len(set(owners(table).values())) == 1
