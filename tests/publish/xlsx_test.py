# SPDX-License-Identifier: Apache-2.0
"""Workbooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import tacit
from tacit.errors import InputError
from tacit.protect import release_as_is
from tacit.publish import Layout

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.protect import Release

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("xlsxwriter")


def sheet_of(path: Path, number: int = 0) -> Any:
    book = openpyxl.load_workbook(path)
    return book[book.sheetnames[number]]


def grid_of(sheet: Any, heads: int) -> dict[tuple[str, str], Any]:
    columns = [cell.value for cell in sheet[4][heads:]]
    return {
        (row[heads - 2].value, code): cell
        for row in sheet.iter_rows(min_row=5)
        for code, cell in zip(columns, row[heads:], strict=True)
    }


def test_rows_columns_and_signs(suppressed: Release, tmp_path: Path) -> None:
    path = suppressed.write(tmp_path / "t.xlsx", layout=Layout(symbol="x", absent=".."))
    grid = {k: cell.value for k, cell in grid_of(sheet_of(path), 2).items()}
    assert grid["A2", "2"] == grid["A1", "1"] == "x"
    assert grid["B", "2"] == ".."
    assert grid["B", "1"] == -3
    assert grid["T", "S"] == 9182749.2


def test_a_label_is_never_a_formula(safe: Release, tmp_path: Path) -> None:
    sheet = sheet_of(safe.write(tmp_path / "t.xlsx"))
    cells = [cell for row in sheet.iter_rows() for cell in row if cell.value == "=1+1"]
    assert [cell.data_type for cell in cells] == ["s"]


def test_the_legend_explains_each_sign(safe: Release, tmp_path: Path) -> None:
    legend = sheet_of(safe.write(tmp_path / "t.xlsx"), 1)
    signs = {row[0].value: row[1].value for row in legend.iter_rows(min_row=2)}
    assert signs[":"] == "not published: confidential"
    assert signs["-"] == "cannot occur"


def test_public_sheets_hold_no_colour_that_tells(
    suppressed: Release, tmp_path: Path
) -> None:
    grid = grid_of(sheet_of(suppressed.write(tmp_path / "t.xlsx")), 2)
    primary, secondary = grid["A2", "2"], grid["A1", "1"]
    assert primary.style_id == secondary.style_id


def test_inside_colours_and_reasons(suppressed: Release, tmp_path: Path) -> None:
    path = suppressed.internal.write(tmp_path / "t.internal.xlsx")
    grid = grid_of(sheet_of(path), 2)
    assert grid["A2", "2"].value == 9182736.45
    colours = {grid[k, "2"].fill.fgColor.rgb for k in ("A1", "A2", "T")}
    assert len(colours) == 3
    reasons = [[cell.value for cell in row] for row in sheet_of(path, 2).iter_rows()]
    assert len(reasons) == 5
    assert any("min_frequency" in str(row[-1]) for row in reasons)


def test_three_dimensions_are_stacked(tmp_path: Path) -> None:
    rows = {"a": ["x", "y"], "b": ["u", "u"], "c": ["1", "2"], "n": [4, 5]}
    table = tacit.Table.from_cells(rows, by=dict.fromkeys("abc", "T"), value="n")
    sheet = sheet_of(release_as_is(tacit.assess(table)).write(tmp_path / "t.xlsx"))
    assert [cell.value for cell in sheet[4]] == ["a", None, "b", None, "T", "1", "2"]
    assert [cell.value for cell in sheet[5]] == ["T", "T", "T", "T", 9, 4, 5]
    assert sheet.max_row == 4 + 6


def test_numbers_beyond_floats_stay_exact(huge: Release, tmp_path: Path) -> None:
    sheet = sheet_of(huge.write(tmp_path / "t.xlsx"))
    assert [sheet.cell(row, 3).value for row in (5, 6, 7)] == [
        "100000000000000004",
        "100000000000000001",
        3,
    ]


def test_the_same_release_gives_the_same_bytes(
    suppressed: Release, tmp_path: Path
) -> None:
    first = suppressed.write(tmp_path / "a.xlsx").read_bytes()
    assert suppressed.write(tmp_path / "b.xlsx").read_bytes() == first


def test_a_table_too_wide_for_a_sheet_is_refused(tmp_path: Path) -> None:
    codes = [str(n) for n in range(16_400)]
    rows = {"a": ["x"] * len(codes), "b": codes, "n": [1] * len(codes)}
    table = tacit.Table.from_cells(rows, by={"a": "T", "b": "T"}, value="n")
    release = release_as_is(tacit.assess(table))
    with pytest.raises(InputError, match=r"16,401 columns.*Write it as csv"):
        release.write(tmp_path / "t.xlsx")
    assert list(tmp_path.iterdir()) == []
