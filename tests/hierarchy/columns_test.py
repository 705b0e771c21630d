# SPDX-License-Identifier: Apache-2.0
"""Trees are read from the columns of any frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tacit import Hierarchy
from tacit.errors import HierarchyError

if TYPE_CHECKING:
    from collections.abc import Callable

COLUMNS = ["nuts1", "nuts2", "nuts3"]
ROWS: dict[str, list[str | None]] = {
    "nuts1": ["A", "A", "B", "C", "A"],
    "nuts2": ["A1", "A1", None, "C", "A2"],
    "nuts3": ["A11", "A12", None, "C1", ""],
}
CODES = ("T", "A", "A1", "A11", "A12", "A2", "B", "C", "C1")


def duckdb_relation(data: dict[str, list[str | None]]) -> object:
    frame = pa.table(data)  # noqa: F841 - named in the query
    return duckdb.sql("SELECT * FROM frame")


KINDS: dict[str, Callable[[dict[str, list[str | None]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas objects": lambda data: pd.DataFrame(data, dtype=object),
    "pandas categories": lambda data: pd.DataFrame(data, dtype="category"),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": duckdb_relation,
    "dict": dict,
}


@pytest.mark.parametrize("kind", KINDS)
def test_any_frame_gives_the_same_tree(kind: str) -> None:
    tree = Hierarchy.from_columns(KINDS[kind](ROWS), COLUMNS, total="T")
    assert tree.codes == CODES or set(tree.codes) == set(CODES)
    assert {c: tree.parent(c) for c in CODES} == {
        "T": None,
        "A": "T",
        "A1": "A",
        "A11": "A1",
        "A12": "A1",
        "A2": "A",
        "B": "T",
        "C": "T",
        "C1": "C",
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_codes_stay_in_the_order_of_the_frame(kind: str) -> None:
    tree = Hierarchy.from_columns(KINDS[kind](ROWS), COLUMNS, total="T")
    assert tree.codes == CODES


def test_rows_may_repeat() -> None:
    frame = pl.concat([pl.DataFrame(ROWS)] * 3)
    once = Hierarchy.from_columns(pl.DataFrame(ROWS), COLUMNS, total="T")
    assert Hierarchy.from_columns(frame, COLUMNS, total="T") == once


def test_a_code_that_repeats_along_its_row_is_one_level() -> None:
    frame = pl.DataFrame({"a": ["X", "Y"], "b": ["X", "Y1"], "c": ["X", "Y1"]})
    tree = Hierarchy.from_columns(frame, ["a", "b", "c"], total="T")
    assert tree.codes == ("T", "X", "Y", "Y1")


def test_a_column_may_hold_the_total_itself() -> None:
    frame = pl.DataFrame({"all": ["T", "T"], "a": ["X", "Y"]})
    tree = Hierarchy.from_columns(frame, ["all", "a"], total="T")
    assert tree == Hierarchy.flat(["X", "Y"], total="T")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"a": ["A", "B"], "b": ["1", "1"]},
            r"Column 'b': code '1' has two parents, 'A' and 'B'",
        ),
        (
            {"a": ["X", "X"], "b": ["X", "X1"]},
            r"Column 'b': code 'X' stands beside 'X1' as a part of itself",
        ),
        (
            {"a": ["X", "X"], "b": ["X1", "X"]},
            r"Column 'b': code 'X' stands beside 'X1' as a part of itself",
        ),
        ({"a": [None], "b": ["1"]}, r"Column 'b' holds the code '1'.*'a' is empty"),
        ({"a": ["A"], "b": [1]}, r"Column 'b' holds Int64, but codes are text"),
        ({"a": ["A"], "b": ["  "]}, r"code in column 'b' is empty"),
        ({"a": ["A"], "bb": ["1"]}, r"No column 'b' in the frame"),
        ({"a": ["A"], "b": ["T"]}, r"total 'T' is also listed as a code below 'A'"),
        ({"a": [None], "b": [None]}, r"hierarchy is empty"),
    ],
)
def test_a_wrong_frame_is_explained(data: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        Hierarchy.from_columns(pl.DataFrame(data), ["a", "b"], total="T")


def test_numbers_in_a_column_of_objects_are_refused() -> None:
    frame = pd.DataFrame({"a": ["A", 1]}, dtype=object)
    with pytest.raises(HierarchyError, match="Codes are text"):
        Hierarchy.from_columns(frame, ["a"], total="T")


def test_one_name_is_not_a_list_of_columns() -> None:
    with pytest.raises(HierarchyError, match="from coarse to fine"):
        Hierarchy.from_columns(pl.DataFrame(ROWS), "nuts1", total="T")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (42, "from_columns takes a frame, not a int. Give a pandas, polars or"),
        ("nuts.csv", "from_columns takes a frame, not a str."),
        ({"a": ["x", "y"], "b": ["x1"]}, r"not equally long: \{'a': 2, 'b': 1\}"),
    ],
)
def test_what_is_no_frame_is_refused(frame: Any, message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        Hierarchy.from_columns(frame, ["a", "b"], total="T")
