# SPDX-License-Identifier: Apache-2.0
"""What a table shows of itself holds nothing confidential."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

from strategies import tables
from tacit import Table
from tacit.errors import InputError, SourceError
from tacit.table._frames import to_frame

SECRETS = ["7654321", "1234567", "6419754"]


def secret() -> Table:
    rows = {
        "sex": ["f", "m", "x"],
        "v": [1234567, 6419754, 0],
        "n": [11, 13, 0],
        "x1": [555777, 888999, 0],
        "s": ["U", "M", "E"],
        "l": [333444.0, 0, 0],
        "w": [222333.0, 1, 1],
    }
    return Table.from_cells(
        rows,
        by={"sex": "all"},
        value="v",
        count="n",
        contributions=["x1"],
        state="s",
        lower="l",
        upper="l",
        cost="w",
    )


def test_nothing_public_holds_a_value() -> None:
    table = secret()
    parts = (
        table,
        table.cells,
        table.evidence,
        table.levels,
        table.internal,
        table.relations,
        table.key_index,
    )
    shown = [repr(part) for part in parts]
    shown += [table._repr_html_(), str(table.frame().to_pydict()), f"{table}"]
    for text in shown:
        for number in (*SECRETS, "555777", "888999", "333444", "222333", "7654"):
            assert number not in text.replace(",", "")


def test_primary_and_secondary_look_the_same() -> None:
    assert secret().frame().to_pydict() == {
        "sex": ["all", "f", "m", "x"],
        "state": ["safe", "suppressed", "suppressed", "empty"],
    }
    assert "sensitive" not in secret()._repr_html_()


def test_the_representation_names_size_and_states() -> None:
    assert repr(secret()) == (
        "<Table of v: 4 cells over sex (4 codes); 1 empty, 1 safe, 2 suppressed>"
    )


def test_html_is_escaped_and_masked() -> None:
    rows = {"<b>": ["<i>f</i>"], "n": [31]}
    shown = Table.from_cells(rows, by={"<b>": "all"}, count="n")._repr_html_()
    assert "<b>" not in shown
    assert "&lt;i&gt;f&lt;/i&gt;" in shown
    assert "·" in shown
    assert "31" not in shown


def test_internal_shows_everything() -> None:
    frame = secret().internal.cells.to_pydict()
    assert frame["v"] == [7654321, 1234567, 6419754, 0]
    assert frame["state"] == ["safe", "sensitive", "suppressed", "empty"]
    assert frame["largest_1"] == [None, 555777, 888999, 0]


@given(tables())
def test_internal_contributions_add_up(table: Table) -> None:
    frame = table.internal.contributions.to_pydict()
    total = round(sum(frame[table.measure]) * 10**table.cells.decimals)
    assert total == table.cells.value[0]


def test_a_finished_table_has_no_contributions() -> None:
    with pytest.raises(InputError, match="not tabulated from microdata"):
        _ = secret().internal.contributions


def test_a_measure_named_like_a_dimension_keeps_its_column() -> None:
    rows = {"n": ["f", "m"], "m": [1, 2]}
    table = Table.from_cells(rows, by={"n": "all"}, count="m")
    assert table.internal.cells.column_names[:2] == ["n", "m"]


def masked() -> dict[str, Any]:
    return {
        "code": np.array(["a", "b"], dtype=object),
        "whole": np.ma.MaskedArray([2**60 + 1, 2], mask=[False, True]),
        "real": np.ma.MaskedArray([1.5, 2.5], mask=[True, False]),
    }


def test_masked_numbers_become_nulls() -> None:
    assert to_frame(masked()).to_pydict() == {
        "code": ["a", "b"],
        "whole": [2**60 + 1, None],
        "real": [None, 2.5],
    }


def test_masked_integers_stay_exact_in_pandas() -> None:
    frame = to_frame(masked(), "pandas")
    assert isinstance(frame, pd.DataFrame)
    assert frame["whole"][0] == 2**60 + 1
    assert frame["whole"][1] is pd.NA
    assert np.isnan(frame["real"][0])


def test_polars_frames_are_polars_frames() -> None:
    frame = to_frame(masked(), "polars")
    assert isinstance(frame, pl.DataFrame)
    assert frame["whole"].to_list() == [2**60 + 1, None]


def test_an_unknown_kind_is_explained() -> None:
    with pytest.raises(SourceError, match="No frames of kind 'panda'"):
        to_frame({"a": [1]}, "panda")
