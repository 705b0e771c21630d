# SPDX-License-Identifier: Apache-2.0
"""A finished table must add up; every relation that does not is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies import tables
from tacit import Hierarchy, Table
from tacit.errors import AdditivityError, InputError
from tacit.table._views import in_units

REGION = Hierarchy.from_parents({"A1": "A", "A2": "A", "A": "T", "B": "T"})


def rows_of(table: Table, values: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Columns of a table as somebody else would hand them over."""
    rows: dict[str, Any] = {name: table.codes_of(name) for name in table.names}
    rows["v"] = in_units(values, table.cells.decimals)
    rows["count"] = table.evidence.contributors if table.evidence else None
    return rows


def by_of(table: Table) -> dict[str, Any]:
    return {axis.name: list(axis.hierarchies) for axis in table.dimensions}


@given(tables(negatives=True), st.randoms(use_true_random=False))
def test_a_finished_table_is_taken_as_it_is(table: Table, random: Any) -> None:
    rows = rows_of(table, table.cells.value)
    order = list(range(len(table)))
    random.shuffle(order)
    rows = {name: column[order] for name, column in rows.items()}
    taken = Table.from_cells(rows, by=by_of(table), value="v", count="count")
    factor = 10 ** (2 - taken.cells.decimals) if not table.is_count else 1
    assert np.array_equal(taken.cells.value * factor, table.cells.value)
    assert np.array_equal(taken.cells.codes, table.cells.codes)
    assert taken.evidence is not None
    assert table.evidence is not None
    assert np.array_equal(taken.evidence.contributors, table.evidence.contributors)
    assert taken.residuals_accepted == 0


@given(tables(), st.data())
def test_one_wrong_cell_is_always_found(table: Table, data: st.DataObject) -> None:
    assume(len(table.relations))
    cell = data.draw(st.sampled_from(sorted(set(table.relations.matrix.indices))))
    values = table.cells.value.copy()
    values[cell] += data.draw(st.integers(1, 5)) * 10**table.cells.decimals
    rows = rows_of(table, values)
    with pytest.raises(AdditivityError, match="does not add up"):
        Table.from_cells(rows, by=by_of(table), value="v")


@given(tables(negatives=True), st.data())
def test_missing_totals_are_summed(table: Table, data: st.DataObject) -> None:
    leaves = np.ones(len(table), dtype=bool)
    for d, axis in enumerate(table.dimensions):
        leaves &= np.isin(table.cells.codes[d], axis.leaves)
    dropped = [
        not leaf and data.draw(st.booleans(), label="drop") for leaf in leaves.tolist()
    ]
    keep = ~np.array(dropped)
    whole = rows_of(table, table.cells.value)
    rows = {name: column[keep] for name, column in whole.items() if name != "count"}
    options = {"by": by_of(table), "value": "v", "decimals": table.cells.decimals}
    taken = Table.from_cells(rows, **options)
    assert np.array_equal(taken.cells.codes, table.cells.codes)
    assert np.array_equal(taken.cells.value, table.cells.value)
    empty = np.where(keep, whole["v"].astype(float), np.nan)
    blank = {**{n: whole[n] for n in table.names}, "v": empty}
    again = Table.from_cells(blank, **options)
    assert np.array_equal(again.cells.value, table.cells.value)


def test_the_largest_contributions_of_a_summed_total_are_unknown() -> None:
    rows = {
        "region": ["A1", "A2", "B", "A"],
        "v": [10, 20, 5, 30],
        "n": [3, 4, 1, 6],
        "x1": [6, 9, 5, 14],
        "x2": [3, 5, None, 9],
    }
    table = Table.from_cells(
        rows, by={"region": REGION}, value="v", count="n", contributions=["x1", "x2"]
    )
    evidence = table.evidence
    assert evidence is not None
    assert evidence.complete is not None
    assert table.codes_of("region").tolist() == ["T", "A", "A1", "A2", "B"]
    assert evidence.complete.tolist() == [False, True, True, True, True]
    assert evidence.contributors.tolist() == [7, 6, 3, 4, 1]
    assert evidence.largest.tolist() == [[0, 0], [14, 9], [6, 3], [9, 5], [5, 0]]


def test_missing_totals_can_be_refused() -> None:
    rows = {"region": ["A1", "A2", "B"], "n": [1, 2, 3]}
    with pytest.raises(InputError, match="2 totals are not in the table") as caught:
        Table.from_cells(rows, by={"region": REGION}, count="n", missing_totals="error")
    assert "  - region = T\n  - region = A\n" in str(caught.value)


def test_every_residual_is_listed_with_its_relation() -> None:
    rows = {"region": ["T", "A", "A1", "A2", "B"], "v": [10.5, 6, 1, 2, 3.25]}
    with pytest.raises(AdditivityError) as caught:
        Table.from_cells(rows, by={"region": REGION}, value="v")
    assert str(caught.value).splitlines() == [
        "The table does not add up: 2 of 2 relations fail.",
        "  - region: A = A1 + A2: parts minus total is -3.00",
        "  - region: T = A + B: parts minus total is -1.25",
        (
            "Correct the data, or, where each value was rounded alone, say "
            'tolerance="rounding".'
        ),
    ]


def test_ten_residuals_are_shown_the_worst_first() -> None:
    groups = {f"{g:02}{i}": f"{g:02}" for g in range(15) for i in "ab"}
    tree = Hierarchy.from_parents(
        groups | {f"{g:02}": "T" for g in range(15)}, total="T"
    )
    rows = {
        "g": [*groups, *(f"{g:02}" for g in range(15))],
        "n": [1] * 30 + [3 + g for g in range(15)],
    }
    with pytest.raises(AdditivityError, match="15 of 16 relations fail") as caught:
        Table.from_cells(rows, by={"g": tree}, count="n")
    lines = str(caught.value).splitlines()
    assert lines[1] == "  - g: 14 = 14a + 14b: parts minus total is -15"
    assert lines[11] == "  and 5 more"
    assert len(lines) == 13


def test_a_total_without_any_part_must_be_zero() -> None:
    rows = {"region": ["T", "A", "B"], "n": [8, 3, 5]}
    expected = r"no part of \(region = A\) is in the table, yet it is not 0"
    with pytest.raises(AdditivityError, match=expected):
        Table.from_cells(rows, by={"region": REGION}, count="n")


def test_a_table_rounded_value_by_value_is_taken_when_said_so() -> None:
    rows = {"region": ["T", "A1", "A2", "B", "A"], "v": [4, 1, 1, 1, 3]}
    with pytest.raises(AdditivityError, match='say tolerance="rounding"'):
        Table.from_cells(rows, by={"region": REGION}, value="v")
    table = Table.from_cells(
        rows, by={"region": REGION}, value="v", tolerance="rounding"
    )
    assert table.residuals_accepted == 1
    assert table.cells.value.tolist() == [4, 3, 1, 1, 1]
    assert "1 relations hold within the tolerance" in repr(table)


@pytest.mark.parametrize(("tolerance", "fails"), [(1, True), (2, False), (9, False)])
def test_a_tolerance_counts_units_of_the_last_decimal(
    tolerance: int, *, fails: bool
) -> None:
    rows = {"region": ["T", "A1", "A2", "B", "A"], "v": [1.2, 0.3, 0.3, 0.4, 0.8]}
    options: Any = {"by": {"region": REGION}, "value": "v", "tolerance": tolerance}
    if fails:
        with pytest.raises(AdditivityError, match="1 of 2 relations fails"):
            Table.from_cells(rows, **options)
    else:
        assert Table.from_cells(rows, **options).residuals_accepted == 1


@pytest.mark.parametrize("tolerance", [-1, 0.5, "half", True])
def test_a_tolerance_that_makes_no_sense_is_an_error(tolerance: Any) -> None:
    rows = {"region": ["A1"], "n": [1]}
    with pytest.raises(InputError, match="tolerance= is a whole number of units"):
        Table.from_cells(rows, by={"region": REGION}, count="n", tolerance=tolerance)


def test_each_tree_is_checked() -> None:
    labour = Hierarchy.from_parents({"A1": "L", "B": "L", "A2": "T", "L": "T"})
    rows = {"region": ["A1", "A2", "B", "A", "L", "T"], "n": [1, 2, 3, 3, 5, 6]}
    with pytest.raises(AdditivityError, match=r"L = A1 \+ B: parts minus total is -1"):
        Table.from_cells(rows, by={"region": [REGION, labour]}, count="n")
