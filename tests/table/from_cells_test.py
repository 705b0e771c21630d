# SPDX-License-Identifier: Apache-2.0
"""A finished table is taken from any frame, column by column."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tacit import Hierarchy, Table
from tacit.table import Dimension, State

REGION = Hierarchy.from_parents({"A1": "A", "A2": "A", "A": "T", "B": "T"})
ROWS: dict[str, list[Any]] = {
    "region": ["A1", "A2", "B"],
    "v": [1.5, 2.25, 3.0],
    "n": [3, 4, 5],
}


def duckdb_relation(rows: dict[str, list[Any]]) -> Any:
    table = pa.table(rows)
    return duckdb.connect().from_arrow(table)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (dict, "pyarrow"),
        (pa.table, "pyarrow"),
        (pd.DataFrame, "pandas"),
        (pl.DataFrame, "polars"),
        (pl.LazyFrame, "polars"),
        (duckdb_relation, "pyarrow"),
    ],
)
def test_frames_come_back_in_the_kind_that_was_given(make: Any, kind: str) -> None:
    table = Table.from_cells(make(ROWS), by={"region": REGION}, value="v", count="n")
    assert table.cells.value.tolist() == [675, 375, 150, 225, 300]
    assert table.frame_kind == kind
    for frame in (table.frame(), table.internal.cells):
        assert type(frame).__module__.split(".")[0] == kind
    found = [float(x) for x in np.asarray(table.internal.cells["v"])]
    assert found == [6.75, 3.75, 1.5, 2.25, 3.0]


@pytest.mark.parametrize(
    ("column", "decimals"),
    [
        ([1, 2, 3], 0),
        ([1.0, 2.0, 3.0], 0),
        ([0.1, 0.2, 0.3], 1),
        ([Decimal("1.50"), Decimal("2.25"), Decimal(3)], 2),
        (["1.5", " 2.250 ", "3"], 2),
        (np.array([0.1, 0.25, 3], dtype=np.float32), 2),
        ([1e15, 0.5, 1], 1),
        ([0.000001, 1, 2], 6),
    ],
)
def test_decimals_are_as_few_as_hold_the_amounts(column: Any, decimals: int) -> None:
    table = Table.from_cells(ROWS | {"v": column}, by={"region": REGION}, value="v")
    assert table.cells.decimals == decimals
    exact = [Decimal(str(x).strip()) for x in column]
    leaves = [table.find({"region": code}) for code in ("A1", "A2", "B")]
    scaled = [int(amount.scaleb(decimals)) for amount in exact]
    assert table.cells.value[leaves].tolist() == scaled
    assert table.cells.value[0] == sum(scaled)


def test_a_decimal_comma_can_be_declared() -> None:
    rows = ROWS | {"v": ["1,5", "2,25", "3"]}
    table = Table.from_cells(rows, by={"region": REGION}, value="v", decimal=",")
    assert table.cells.value[0] == 675


def test_more_decimals_can_be_declared() -> None:
    table = Table.from_cells(ROWS, by={"region": REGION}, value="v", decimals=4)
    assert table.cells.value[0] == 67500
    assert table.value_in_units[0] == 6.75


def test_without_a_value_the_counts_are_published() -> None:
    table = Table.from_cells(ROWS, by={"region": REGION}, count="n")
    assert table.is_count
    assert table.measure == "n"
    assert table.cells.value.tolist() == [12, 7, 3, 4, 5]
    assert table.evidence is not None
    assert table.evidence.contributors.tolist() == [12, 7, 3, 4, 5]


def test_one_row_is_a_table() -> None:
    table = Table.from_cells({"sex": ["f"], "n": [3]}, by={"sex": "all"}, count="n")
    assert table.codes_of("sex").tolist() == ["all", "f"]
    assert table.cells.value.tolist() == [3, 3]


def test_codes_stay_text() -> None:
    rows = {"nace": ["01", "02"], "n": [1, 2]}
    table = Table.from_cells(rows, by={"nace": "total"}, count="n")
    assert table.find({"nace": "01"}) == 1


def test_a_categorical_column_is_text() -> None:
    frame = pd.DataFrame(ROWS)
    frame["region"] = frame["region"].astype("category")
    table = Table.from_cells(frame, by={"region": REGION}, count="n")
    assert len(table) == 5


def test_a_dimension_without_total_can_be_given() -> None:
    rows = {"wave": ["1", "2", "1"], "region": ["A1", "A1", "B"], "n": [1, 2, 3]}
    waves = Dimension("wave", ("1", "2"))
    table = Table.from_cells(rows, by={"wave": waves, "region": REGION}, count="n")
    assert table.cells.value[table.find({"wave": "1"})] == 4
    assert table.cells.value[table.find({"wave": "2", "region": "A"})] == 2


def test_states_are_read_by_name_and_by_letter() -> None:
    codes = ["a", "b", "c", "d", "e", "f"]
    rows: dict[str, Any] = {
        "g": [*codes, "T"],
        "n": [1, 2, 0, 4, 5, 6, None],
        "s": ["S", "u", "E", "P", "M", "forced", ""],
    }
    table = Table.from_cells(rows, by={"g": "T"}, count="n", state="s")
    assert [State(s) for s in table.cells.state] == [
        State.SAFE,
        State.SAFE,
        State.SENSITIVE,
        State.EMPTY,
        State.FROZEN,
        State.SUPPRESSED,
        State.FORCED,
    ]


def test_other_words_for_states_can_be_named() -> None:
    rows = {"g": ["a", "b"], "n": [1, 2], "s": ["ok", "x"]}
    table = Table.from_cells(
        rows, by={"g": "T"}, count="n", state="s", states={"OK": "safe", "x": 2}
    )
    assert table.cells.state.tolist() == [0, 0, 2]


def test_cells_of_nobody_are_empty() -> None:
    rows = {"g": ["a", "b"], "h": ["x", "y"], "n": [0, 2]}
    table = Table.from_cells(rows, by={"g": "T", "h": "U"}, count="n")
    empty = table.cells.state == State.EMPTY
    found = {tuple(table.labels_of(c).values()) for c in np.flatnonzero(empty)}
    assert found == {("a", "x"), ("a", "U"), ("T", "x")}


def test_amounts_that_cancel_do_not_make_a_total_empty() -> None:
    rows = {"g": ["a", "b", "c"], "v": [-2, 2, 0]}
    table = Table.from_cells(rows, by={"g": "T"}, value="v")
    assert table.cells.value[0] == 0
    assert table.cells.state.tolist() == [State.SAFE, 0, 0, State.EMPTY]


def test_every_column_finds_its_cell() -> None:
    rows: dict[str, Any] = {
        "region": ["B", "A2", "A1"],
        "v": [30, 20, 10],
        "n": [5, 4, 3],
        "h": [4, 4, 2],
        "x1": [20, 9, 6],
        "x2": [5, 5, 4],
        "lpl": [1.5, 0, None],
        "upl": [2.5, 0, None],
        "spl": [0.5, None, 0],
        "low": [0, 1, 2],
        "high": [100, 200, 300],
        "w": [1.5, 2.5, 3.5],
    }
    table = Table.from_cells(
        rows,
        by={"region": REGION},
        value="v",
        count="n",
        holdings="h",
        contributions=["x1", "x2"],
        lower="lpl",
        upper="upl",
        sliding="spl",
        bounds=("low", "high"),
        cost="w",
    )
    evidence, levels, cells = table.evidence, table.levels, table.cells
    assert evidence is not None
    assert levels is not None
    assert evidence.contributors.tolist() == [10, 6, 2, 4, 4]
    assert evidence.units is not None
    assert evidence.units.tolist() == [12, 7, 3, 4, 5]
    assert evidence.largest[2:].tolist() == [[6, 4], [9, 5], [20, 5]]
    assert levels.lower.tolist() == [0, 0, 0, 0, 1.5]
    assert levels.upper.tolist() == [0, 0, 0, 0, 2.5]
    assert levels.sliding.tolist() == [0, 0, 0, 0, 0.5]
    assert cells.lower is not None
    assert cells.upper is not None
    assert cells.cost is not None
    assert cells.lower.tolist() == [3, 3, 2, 1, 0]
    assert cells.upper.tolist() == [600, 500, 300, 200, 100]
    assert cells.cost.tolist() == [7.5, 6.0, 3.5, 2.5, 1.5]
    assert table.internal.cells.column_names == [
        "region",
        "v",
        "state",
        "contributors",
        "units",
        "largest_1",
        "largest_2",
        "lower_bound",
        "upper_bound",
        "cost",
        "lower_level",
        "upper_level",
        "sliding_level",
    ]
    assert table.internal.cells["largest_1"].to_pylist() == [None, None, 6, 9, 20]
