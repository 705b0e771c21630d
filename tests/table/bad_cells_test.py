# SPDX-License-Identifier: Apache-2.0
"""Bad finished tables: each error says what, where, why and what to do."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pandas as pd
import pytest

from tacit import Hierarchy, Table
from tacit.errors import InputError, SourceError

REGION = Hierarchy.from_parents({"A1": "A", "A2": "A", "A": "T", "B": "T"})
ROWS: dict[str, Any] = {
    "region": ["A1", "A2", "B"],
    "v": [10, 20, 30],
    "n": [3, 4, 5],
    "x1": [6, 9, 20],
    "x2": [3, 5, 5],
    "s": ["S", "S", "S"],
}


def taken(rows: Any = None, **options: Any) -> Table:
    base: dict[str, Any] = {"by": {"region": REGION}, "value": "v"}
    frame = ROWS if rows is None else {**ROWS, **rows}
    return Table.from_cells(frame, **{**base, **options})


COLUMNS: list[tuple[dict[str, Any], str]] = [
    ({"v": [1.5, float("inf"), 2]}, "Column 'v', row 2: the amount is infinite"),
    ({"v": [1, None, 3]}, r"Column 'v', row 2 \(region = A2\): the amount is missing"),
    ({"v": [1.5, float("nan"), 3]}, r"row 2 \(region = A2\): the amount is missing"),
    ({"v": ["1", "", "3"]}, r"row 2 \(region = A2\): the amount is missing"),
    ({"v": ["1 234,5", "1", "2"]}, "row 1: .* it holds a comma.* say decimal=','"),
    ({"v": ["1 234", "1", "2"]}, "row 1: .* it holds a blank. Remove marks between"),
    ({"v": ["1", "x", "2"]}, "row 2: the text is not a number. .* say with state="),
    ({"v": ["1", "2e5", "2"]}, "row 2: the text is not a number"),
    (
        {"v": [1 / 3, 1, 2]},
        "row 1: the amount has more than 6 decimals. Sums are exact",
    ),
    ({"v": ["0.1234567", "1", "2"]}, "row 1: the amount has more than 6 decimals"),
    ({"v": [1e19, 1, 2]}, "row 1: the amount does not fit in 64 bits"),
    ({"v": [2**53 + 2.0, 1, 2]}, "row 1: a float cannot hold so many digits exactly"),
    ({"v": ["9" * 40, "1", "2"]}, "row 1: the amount does not fit in 64 bits"),
    ({"v": [True, False, True]}, "Column 'v' holds bool, not amounts"),
    ({"v": [dt.date(2024, 1, 1)] * 3}, "Column 'v' holds date32.*, not amounts"),
    ({"v": [1, "two", 3]}, r"Column 'v' mixes types \(text and numbers, say\)"),
    ({"v": [1, 2]}, "The columns are not equally long"),
    ({"region": ["A1", "A3", "B"]}, "row 2: no code 'A3'. Did you mean 'A'"),
    (
        {"region": ["A1", " B", "A2"]},
        "row 2: the code ' B' has blanks around it. Strip",
    ),
    ({"region": ["A1", None, "B"]}, "row 2: the code is missing. .* write the code of"),
    ({"region": ["A1", "", "B"]}, "row 2: the code is empty"),
    (
        {"region": [1, 2, 3]},
        "holds int64, but codes are text: as a number 01 would be 1",
    ),
    ({"region": [1.0, 2.0, 3.0]}, "holds double, but codes are text"),
    ({"region": ["A1", 2, "B"]}, "Column 'region' mixes types"),
    ({"region": ["A1", "B", "A1"]}, r"Rows 1 and 3 are both the cell \(region = A1\)"),
]


@pytest.mark.parametrize(("rows", "said"), COLUMNS)
def test_a_bad_column_is_explained(rows: dict[str, Any], said: str) -> None:
    with pytest.raises(SourceError, match=said):
        taken(rows)


EVIDENCE: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"n": [3, 0, 5]}, {}, r"row 2 \(region = A2\): nobody is counted, yet the value"),
    ({"n": [3, -1, 5]}, {}, r"row 2 \(region = A2\): a count cannot be negative"),
    ({"n": [3, 1.5, 5]}, {}, "row 2: the amount has more than 0 decimals"),
    ({"n": [3, None, 5]}, {}, r"'n', row 2 \(region = A2\): the amount is missing"),
    ({"x1": [2, 9, 20]}, {}, "'x2', row 1 .*: it is larger than 'x1'"),
    ({"x1": [-6, 9, 20]}, {}, "'x1', row 1 .* Give the largest absolute amounts"),
    ({"x1": [8, 9, 20]}, {}, "'x2', row 1 .*: the contributions sum to more than"),
    ({"x2": [3, None, 5]}, {}, "'x2', row 2 .* although there are more than 1 contrib"),
    ({"n": [3, 1, 5]}, {}, "'x2', row 2 .*: there are more contributions than contrib"),
    (
        {"h": [4, 4, 4]},
        {"holdings": "h"},
        "'h', row 1 .*: there are more holdings than",
    ),
    ({"h": [0, 4, 4]}, {"holdings": "h"}, "row 1 .*: only one of the two counts"),
]


@pytest.mark.parametrize(("rows", "options", "said"), EVIDENCE)
def test_bad_evidence_is_explained(
    rows: dict[str, Any], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(SourceError, match=said) as caught:
        taken(rows, count="n", contributions=["x1", "x2"], **options)
    assert "20" not in str(caught.value)


STATES: list[tuple[list[Any], str]] = [
    (["S", "Q", "S"], "row 2: no state 'Q'. Valid states: safe, .* or E, M, P, S, U"),
    (["safe", "sensitiv", "safe"], "row 2: no state 'sensitiv'. Did you mean 'sens"),
    (["S", None, "S"], r"'s', row 2 \(region = A2\): the state is missing"),
    (["S", "E", "S"], r"row 2 \(region = A2\): the state is 'empty', yet the cell"),
    ([1, 2, 3], "Column 's' holds int64; states are text"),
]


@pytest.mark.parametrize(("column", "said"), STATES)
def test_a_bad_state_is_explained(column: list[Any], said: str) -> None:
    with pytest.raises(SourceError, match=said):
        taken({"s": column}, state="s")


def test_a_bad_meaning_of_a_state_is_explained() -> None:
    with pytest.raises(
        SourceError, match=r"maps 'x' to 'supressed'\. Did you mean 'supp"
    ):
        taken(state="s", states={"x": "supressed"})


OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"by": {}}, "by= is empty. Name the dimensions"),
    ({"by": {"regoin": REGION}}, "no column 'regoin'. Did you mean 'region'"),
    ({"by": {"region": 3}}, r"by\['region'\] must be a Hierarchy, .* not int"),
    ({"by": {"region": []}}, r"by\['region'\] must be a Hierarchy, .* not list"),
    ({"value": "w"}, "The data have no column 'w'"),
    ({"value": None}, r"Name the column of the amounts \(value=\) or of the counts"),
    ({"contributions": ["x1"]}, "contributions= needs value= and count= as well"),
    ({"decimals": 9}, "decimals=9 must be between 0 and 6"),
    ({"decimals": -1}, "decimals=-1 must be between 0 and 6"),
    (
        {"missing_totals": "recompte"},
        "'recompte' is not known. Did you mean 'recompute'",
    ),
    ({"lower": "x1"}, "Protection levels need both sides: name lower= and upper="),
    ({"bounds": ("x1", "x2")}, "'x2', row 1 .*: the upper bound is below the value"),
    ({"bounds": ("n", "n")}, "'n', row 1 .*: the upper bound is below the value"),
    ({"possible": "al"}, "possible='al' is not known. Say 'all'"),
]


@pytest.mark.parametrize(("options", "said"), OPTIONS)
def test_a_bad_option_is_explained(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        taken(**options)


def test_a_lower_bound_above_the_value_is_explained() -> None:
    with pytest.raises(SourceError, match=r"'low', row 1 .*: the lower bound is above"):
        taken({"low": [11, 1, 1], "up": [20, 30, 40]}, bounds=("low", "up"))


def test_a_negative_level_is_explained() -> None:
    with pytest.raises(SourceError, match="'l', row 2: this must be a finite number"):
        taken({"l": [1, -1, 1]}, lower="l", upper="l")


def test_a_sensitive_cell_without_a_level_is_explained() -> None:
    rows = {"s": ["S", "U", "S"], "l": [None, None, 1]}
    with pytest.raises(SourceError, match=r"'l', row 2 .* sensitive but has no level"):
        taken(rows, state="s", lower="l", upper="l")


def test_a_missing_cost_is_explained() -> None:
    with pytest.raises(
        SourceError, match=r"'w', row 2 \(region = A2\): the amount is m"
    ):
        taken({"w": [1, None, 1]}, cost="w")


def test_a_dimension_with_only_its_total_is_explained() -> None:
    rows = {"sex": ["all"], "n": [5]}
    with pytest.raises(SourceError, match="'sex' holds no code but the total 'all'"):
        Table.from_cells(rows, by={"sex": "all"}, count="n")


def test_an_empty_frame_is_explained() -> None:
    with pytest.raises(
        SourceError, match="The frame has no rows, so there is no table"
    ):
        Table.from_cells({"region": [], "v": []}, by={"region": REGION}, value="v")


def test_something_that_is_no_frame_is_explained() -> None:
    with pytest.raises(
        SourceError, match=r"A int is not a frame\. Give a pandas, polars"
    ):
        Table.from_cells(7, by={"region": REGION}, value="v")


def test_mixed_types_in_pandas_are_explained() -> None:
    frame = pd.DataFrame({"region": ["A1", "A2"], "v": [1, "two"]}, dtype=object)
    with pytest.raises(SourceError, match="Column 'v' mixes types"):
        Table.from_cells(frame, by={"region": REGION}, value="v")


def test_a_byte_order_mark_is_explained() -> None:
    rows = {"\ufeffregion": ["A1"], "v": [1]}
    with pytest.raises(SourceError, match=r"byte order mark.*utf-8-sig"):
        Table.from_cells(rows, by={"region": REGION}, value="v")


def test_all_zeros_are_an_empty_table() -> None:
    table = taken({"v": [0, 0, 0]})
    assert not table.cells.value.any()


def test_a_total_beyond_64_bits_is_explained() -> None:
    rows = {"v": [4 * 10**18, 4 * 10**18, 1]}
    with pytest.raises(
        InputError, match=r"'region: A = A1 \+ A2' does not fit in 64 b"
    ):
        taken(rows)


def test_no_message_shows_an_amount() -> None:
    digits = "98765432109876543"
    for column in (
        [f"{digits},5", "1", "2"],
        [digits * 3, "1", "2"],
        [f"{digits} 1", "1", "2"],
    ):
        with pytest.raises(SourceError) as caught:
            taken({"v": column})
        assert "98765" not in str(caught.value)
