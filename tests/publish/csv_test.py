# SPDX-License-Identifier: Apache-2.0
"""Tables in long form."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.protect import Release


def rows_of(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {(row["region"], row["size"]): row for row in csv.DictReader(file)}


def test_codes_labels_values_and_status(safe: Release, tmp_path: Path) -> None:
    rows = rows_of(safe.write(tmp_path / "t.csv"))
    assert rows["A1", "1"] == {
        "region": "A1",
        "region_label": "=1+1",
        "size": "1",
        "size_label": "1",
        "value": "10.25",
        "OBS_STATUS": "A",
        "CONF_STATUS": "F",
    }
    assert rows["T", "S"]["region_label"] == "Everywhere"
    assert rows["B", "1"]["region_label"] == 'B "best", <b>'


def test_a_zero_is_a_zero_and_a_missing_cell_is_no_row(
    safe: Release, tmp_path: Path
) -> None:
    rows = rows_of(safe.write(tmp_path / "t.csv"))
    assert rows["A1", "2"]["value"] == "0.00"
    assert rows["B", "1"]["value"] == "-3.00"
    assert ("B", "2") not in rows


def test_primary_and_secondary_look_the_same(
    suppressed: Release, tmp_path: Path
) -> None:
    rows = rows_of(suppressed.write(tmp_path / "t.csv"))
    hidden = {codes: row for codes, row in rows.items() if not row["value"]}
    assert set(hidden) == {("A1", "1"), ("A1", "2"), ("A2", "1"), ("A2", "2")}
    assert {(r["OBS_STATUS"], r["CONF_STATUS"]) for r in hidden.values()} == {
        ("Q", "C")
    }


def test_inside_everything_is_told(suppressed: Release, tmp_path: Path) -> None:
    rows = rows_of(suppressed.internal.write(tmp_path / "t.internal.csv"))
    primary, secondary = rows["A2", "2"], rows["A1", "1"]
    assert primary["value"] == "9182736.45"
    assert (primary["CONF_STATUS"], primary["state"]) == ("A", "sensitive")
    assert "min_frequency" in primary["reasons"]
    assert primary["contributors"] == "1"
    assert (secondary["CONF_STATUS"], secondary["state"]) == ("D", "suppressed")
    assert secondary["reasons"] == ""
    assert rows["T", "S"]["CONF_STATUS"] == "F"


def test_numbers_beyond_floats_stay_exact(huge: Release, tmp_path: Path) -> None:
    text = huge.write(tmp_path / "t.csv").read_text(encoding="utf-8")
    assert "100000000000000001" in text


def test_the_same_release_gives_the_same_bytes(
    suppressed: Release, tmp_path: Path
) -> None:
    first = suppressed.write(tmp_path / "a.csv").read_bytes()
    assert suppressed.write(tmp_path / "b.csv").read_bytes() == first


def test_text_is_quoted_and_numbers_are_not(safe: Release, tmp_path: Path) -> None:
    line = safe.write(tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()[1]
    assert line == '"T","Everywhere","S","S",9182749.20,"A","F"'
