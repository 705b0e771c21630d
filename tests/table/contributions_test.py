# SPDX-License-Identifier: Apache-2.0
"""Contributions behind a cell are merged per entity inside that cell."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import Row, ancestors, table_of, tables
from tacit import Hierarchy, Table
from tacit.errors import InputError
from tacit.table import Dimension, _contributions
from tacit.table._contributions import combine_contributions, contributions_of


def slow_contributions(table: Table, cell: int) -> dict[int, int]:
    """Add up per entity whatever lies below a cell, row by row."""
    given_ = table.contributions
    assert given_ is not None
    entity = given_.unit if given_.holding is None else given_.holding
    wanted = table.labels_of(cell)
    found: dict[int, int] = defaultdict(int)
    for row in range(len(given_)):
        leaf = table.labels_of(int(given_.leaf[row]))
        if all(
            wanted[axis.name] in ancestors(axis, leaf[axis.name])
            for axis in table.dimensions
        ):
            found[int(entity[row])] += int(given_.value[row])
    return found


@given(tables(negatives=True), st.data())
def test_they_are_those_found_row_by_row(table: Table, data: st.DataObject) -> None:
    asked = data.draw(st.lists(st.integers(0, len(table) - 1), max_size=12))
    rows = contributions_of(table, np.array(asked, dtype=np.int64))
    assert len(rows) == len(asked)
    for group, cell in enumerate(asked):
        at = slice(rows.indptr[group], rows.indptr[group + 1])
        found = list(
            zip(rows.entity[at].tolist(), rows.value[at].tolist(), strict=True)
        )
        assert dict(found) == slow_contributions(table, cell)
        assert found == sorted(found, key=lambda pair: (-abs(pair[1]), pair[0]))


@given(tables(negatives=True, top=3))
def test_all_cells_give_the_evidence(table: Table) -> None:
    rows = contributions_of(table, np.arange(len(table)))
    assert table.evidence is not None
    assert np.array_equal(rows.counts, table.evidence.contributors)
    assert np.array_equal(rows.largest(3), table.evidence.largest)
    sums = np.array([block.sum() for block in np.split(rows.value, rows.indptr[1:-1])])
    assert np.array_equal(sums, table.cells.value)


@given(tables(negatives=True), st.data())
def test_a_sum_of_cells_nets_each_entity(table: Table, data: st.DataObject) -> None:
    term = st.tuples(st.integers(0, len(table) - 1), st.integers(-3, 3))
    groups = data.draw(st.lists(st.lists(term, max_size=5), min_size=1, max_size=4))
    indptr = np.cumsum([0, *(len(group) for group in groups)])
    terms = np.array([t for group in groups for t in group]).reshape(-1, 2)
    rows = combine_contributions(table, indptr, terms[:, 0], terms[:, 1])
    assert len(rows) == len(groups)
    for g, group in enumerate(groups):
        expected: dict[int, int] = defaultdict(int)
        for cell, factor in group:
            for entity, value in slow_contributions(table, cell).items():
                expected[entity] += factor * value
        at = slice(rows.indptr[g], rows.indptr[g + 1])
        found = zip(rows.entity[at].tolist(), rows.value[at].tolist(), strict=True)
        assert dict(found) == expected


@given(tables(negatives=True))
def test_small_blocks_change_nothing(table: Table) -> None:
    cells = np.arange(len(table))
    whole = contributions_of(table, cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_contributions, "_BLOCK_ROWS", 2)
        parts = contributions_of(table, cells)
    for name in ("indptr", "entity", "value"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))


@given(tables())
def test_relations_net_to_nothing(table: Table) -> None:
    matrix = table.relations.matrix
    rows = combine_contributions(table, matrix.indptr, matrix.indices, matrix.data)
    assert not rows.value.any()


def violins() -> Table:
    """Two firms of one holding in two regions: together they dominate the total."""
    region = Dimension.of("region", Hierarchy.flat(["N", "S"], total="T"))
    rows = [
        Row(("N",), unit=1, holding=1, value=40),
        Row(("N",), unit=2, holding=2, value=30),
        Row(("S",), unit=3, holding=1, value=50),
        Row(("S",), unit=4, holding=4, value=45),
    ]
    return table_of((region,), rows, holdings=True)


def test_a_holding_counts_once_in_the_margin_and_apart_inside() -> None:
    table = violins()
    rows = contributions_of(table, np.array([0, 1, 2]))
    assert rows.largest(3).tolist() == [[90, 45, 30], [40, 30, 0], [50, 45, 0]]


def test_flags_and_further_amounts_are_merged() -> None:
    table = violins()
    assert table.contributions is not None
    rich = replace(
        table.contributions,
        waived=np.array([True, True, False, True]),
        request=np.array([2, 0, 1, 0], dtype=np.uint8),
        size=np.array([1, 2, 3, 4]),
        weighted=np.array([40.5, 30.0, 50.0, 45.0]),
    )
    rows = contributions_of(replace(table, contributions=rich), np.array([0]))
    assert rows.entity.tolist() == [1, 4, 2]
    assert rows.waived is not None
    assert rows.request is not None
    assert rows.size is not None
    assert rows.weighted is not None
    assert rows.waived.tolist() == [False, True, True]
    assert rows.request.tolist() == [1, 0, 0]
    assert rows.size.tolist() == [4, 4, 2]
    assert rows.weighted.tolist() == [90.5, 45.0, 30.0]


def test_a_finished_table_has_none() -> None:
    table = Table.from_cells({"a": ["x"], "n": [1]}, by={"a": "T"}, count="n")
    with pytest.raises(InputError, match="Tabulate it from microdata"):
        contributions_of(table, np.array([0]))


def test_nothing_confidential_is_shown() -> None:
    rows = contributions_of(violins(), np.array([0]))
    assert repr(rows) == "<Ragged: 3 rows in 1 groups>"
