# SPDX-License-Identifier: Apache-2.0
"""Columns may be called anything, also what the queries call theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import tacit
from tacit.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

    from tacit import Table

COLUMNS: dict[str, list[Any]] = {
    "region": ["01", "02", "02", "01"],
    "size": ["s", "s", "m", "m"],
    "turnover": [5, 7, 11, 13],
    "firm": ["f", "g", "g", "h"],
    "group": ["x", "y", "y", "x"],
}
OURS = ["code", "position", "rowid", "r", "c", "n", "c0", "k0", "x", "u", "records"]
CALLED = [
    *({old: new} for new in OURS for old in COLUMNS),
    dict(zip(COLUMNS, ["u", "h", "x", "c0", "c1"], strict=True)),
    dict(zip(COLUMNS, ["column 4", "column 3", "n", "column 0", "d0"], strict=True)),
    dict(zip(COLUMNS, ["a", "b", "v", "V", "A"], strict=True)),
]


def renamed(names: dict[str, str]) -> dict[str, list[Any]]:
    return {names.get(name, name): column for name, column in COLUMNS.items()}


def tabulated(source: object, names: dict[str, str]) -> Table:
    region, size, turnover, firm, group = (names.get(name, name) for name in COLUMNS)
    return tacit.tabulate(
        source,
        by={region: "all", size: "both"},
        value=turnover,
        unit=firm,
        holding=group,
    )


def contents(table: Table) -> tuple[object, ...]:
    evidence = table.evidence
    assert evidence is not None
    return (
        [table.codes_of(name).tolist() for name in table.names],
        table.cells.value.tolist(),
        evidence.contributors.tolist(),
        evidence.largest.tolist(),
    )


@pytest.mark.parametrize("names", CALLED, ids=lambda names: ",".join(names.values()))
def test_any_name_gives_the_same_table(names: dict[str, str]) -> None:
    expected = contents(tabulated(COLUMNS, {}))
    assert contents(tabulated(renamed(names), names)) == expected


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("name", OURS)
def test_any_name_in_a_file(kind: str, name: str, tmp_path: Path) -> None:
    names = {"region": name}
    rows, path = pa.table(renamed(names)), tmp_path / f"records.{kind}"
    if kind == "csv":
        pc.write_csv(rows, path)
    elif kind == "parquet":
        pq.write_table(rows, path)
    else:
        with pa.ipc.new_file(path, rows.schema) as file:
            file.write_table(rows)
    assert contents(tabulated(path, names)) == contents(tabulated(COLUMNS, {}))


@pytest.mark.parametrize("gone", [None, ""])
@pytest.mark.parametrize("name", ["region", "r", "R", "n", "code"])
def test_a_missing_code_is_found_in_any_column(name: str, gone: str | None) -> None:
    rows = {name: ["01", gone, "02", gone], "turnover": [1, 2, 3, 4]}
    with pytest.raises(
        SourceError, match=rf"'{name}': 2 rows \(the first is row 2\) have no code"
    ):
        tacit.tabulate(rows, by={name: "all"}, value="turnover")
