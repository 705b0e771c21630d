# SPDX-License-Identifier: Apache-2.0
"""Empty cells can be declared possible: then they are held with value 0."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import tables
from tacit import Hierarchy, Table
from tacit.errors import InputError
from tacit.table import State
from tacit.table._contributions import contributions_of
from tacit.table._possible import hold_possible

REGION = Hierarchy.from_parents({"A1": "A", "A2": "A", "A": "T", "B": "T"})
ROWS: dict[str, Any] = {"region": ["A1", "B"], "size": ["s", "m"], "n": [3, 4]}


def small(**options: Any) -> Table:
    return Table.from_cells(
        ROWS, by={"region": REGION, "size": "all"}, count="n", **options
    )


def held(table: Table) -> set[tuple[str, ...]]:
    return {tuple(table.labels_of(cell).values()) for cell in range(len(table))}


@given(tables(negatives=True))
def test_all_cells_are_all_combinations(table: Table) -> None:
    full = hold_possible(table, "all")
    assert len(full) == math.prod(len(axis) for axis in table.dimensions)
    assert not full.relations.residuals(full.cells.value).any()
    assert (np.diff(full.keys) > 0).all()
    where = [full.find(table.labels_of(cell)) for cell in range(len(table))]
    assert np.array_equal(full.cells.value[where], table.cells.value)
    assert full.evidence is not None
    assert table.evidence is not None
    assert np.array_equal(full.evidence.largest[where], table.evidence.largest)
    new = np.setdiff1d(np.arange(len(full)), where)
    assert not full.cells.value[new].any()
    assert not full.evidence.contributors[new].any()
    assert full.evidence.entities is not None
    assert (full.evidence.entities[new] == -1).all()
    assert (full.cells.state == State.SAFE).all()


@given(tables(), st.data())
def test_contributions_stay_with_their_cells(table: Table, data: st.DataObject) -> None:
    choice = {
        axis.name: data.draw(st.lists(st.sampled_from(axis.codes), min_size=1))
        for axis in table.dimensions
        if data.draw(st.booleans())
    }
    grown = hold_possible(table, choice)
    where = np.array([grown.find(table.labels_of(cell)) for cell in range(len(table))])
    before = contributions_of(table, np.arange(len(table)))
    after = contributions_of(grown, where)
    assert np.array_equal(before.entity, after.entity)
    assert np.array_equal(before.value, after.value)


def test_named_codes_stand_for_their_leaves_and_bring_their_totals() -> None:
    table = small(possible={"region": ["A"], "size": ["m"]})
    new = held(table) - held(small())
    assert new == {("A1", "m"), ("A2", "m"), ("A2", "all"), ("A", "m")}


def test_tuples_name_single_cells() -> None:
    table = small(possible=[("A2", "s"), ("B", "all")])
    new = held(table) - held(small())
    assert new == {("A2", "s"), ("A2", "all"), ("B", "s")}


def test_a_dimension_that_is_not_named_takes_all_codes() -> None:
    table = small(possible={"region": ["A2"]})
    assert held(table) - held(small()) == set(
        itertools.product(["A2"], ["s", "m", "all"])
    ) | {("A", "m")}


def test_a_given_zero_becomes_possible() -> None:
    rows = {"g": ["a", "b", "c"], "n": [0, 2, 0]}
    plain = Table.from_cells(rows, by={"g": "T"}, count="n")
    some = Table.from_cells(rows, by={"g": "T"}, count="n", possible=[("a",)])
    assert plain.cells.state.tolist() == [0, State.EMPTY, 0, State.EMPTY]
    assert some.cells.state.tolist() == [0, State.SAFE, 0, State.EMPTY]


def test_a_possible_cell_has_the_widest_bounds() -> None:
    rows = ROWS | {"low": [1, -2], "up": [10, 20]}
    table = Table.from_cells(
        rows,
        by={"region": REGION, "size": "all"},
        count="n",
        bounds=("low", "up"),
        possible=[("A2", "s")],
    )
    cell = table.find({"region": "A2", "size": "s"})
    assert table.cells.lower is not None
    assert table.cells.upper is not None
    assert table.cells.lower[cell] == table.cells.lower.min()
    assert table.cells.upper[cell] == 30


def test_too_many_are_refused_before_they_are_made() -> None:
    names = [f"d{i}" for i in range(6)]
    rows: dict[str, Any] = {name: [f"{i}" for i in range(40)] for name in names}
    table = Table.from_cells(
        rows | {"n": [1] * 40}, by=dict.fromkeys(names, "T"), count="n"
    )
    with pytest.raises(InputError, match=r"4,750,104,241 cells, more than 200,000,000"):
        hold_possible(table, "all")


BAD: list[tuple[Any, str]] = [
    ({"regoin": ["A"]}, "names 'regoin', which is no dimension"),
    ({"region": ["A9"]}, "'region' has no code 'A9'"),
    ([("A1",)], "tuples with one code for each of the dimensions region, size"),
    ([("A1", "x")], "'size' has no code 'x'"),
]


@pytest.mark.parametrize(("possible", "said"), BAD)
def test_a_bad_choice_is_explained(possible: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        small(possible=possible)


def test_a_linked_table_is_refused() -> None:
    table = small()
    linked = replace(table, compiled=table.relations)
    with pytest.raises(InputError, match="on each table before it is linked"):
        hold_possible(linked, "all")
