# SPDX-License-Identifier: Apache-2.0
"""Published tables add up, or the residuals are those that were found by hand."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tacit import Hierarchy, Table
from tacit.errors import AdditivityError
from tacit.table import State

if TYPE_CHECKING:
    from pathlib import Path

INSTRUMENTS = ("Harps", "Organs", "Pianos", "Other")
REGIONS = ("A", "B", "C", "D")


def with_totals(inner: str, rows: str, columns: str, total: int) -> dict[str, Any]:
    """Columns of a two-way table whose totals are given as they were printed."""
    cells = dict.fromkeys(
        (("Total", "Total"), *((i, r) for i in INSTRUMENTS for r in REGIONS))
    )
    cells = {("Total", "Total"): total}
    body = [int(x) for x in inner.replace("|", " ").split()]
    cells |= dict(
        zip(((i, r) for i in INSTRUMENTS for r in REGIONS), body, strict=True)
    )
    cells |= dict(
        zip(((i, "Total") for i in INSTRUMENTS), map(int, rows.split()), strict=True)
    )
    cells |= dict(
        zip((("Total", r) for r in REGIONS), map(int, columns.split()), strict=True)
    )
    return {
        "instrument": [key[0] for key in cells],
        "region": [key[1] for key in cells],
        "x": list(cells.values()),
    }


TURNOVER = with_totals(
    "58 47 36 89 | 71 124 24 31 | 92 157 59 28 | 800 934 651 742",
    "230 250 336 3127",
    "1021 1262 770 890",
    3943,
)
COUNTS = with_totals(
    "151 2 98 23 | 16 21 9 8 | 5 12 7 1 | 302 362 287 227",
    "274 54 25 1178",
    "474 397 401 259",
    1531,
)
BOTH = {"instrument": "Total", "region": "Total"}


@pytest.mark.parametrize("rows", [TURNOVER, COUNTS], ids=["turnover", "counts"])
def test_o1_1_instruments_by_region_add_up(rows: dict[str, Any]) -> None:
    table = Table.from_cells(rows, by=BOTH, value="x", missing_totals="error")
    assert len(table) == 25
    assert len(table.relations) == 10
    assert table.residuals_accepted == 0


@pytest.mark.parametrize("position", range(25))
def test_o1_1_one_wrong_number_breaks_two_relations(position: int) -> None:
    wrong = list(TURNOVER["x"])
    wrong[position] += 1
    with pytest.raises(AdditivityError, match="2 of 10 relations fail") as caught:
        Table.from_cells(TURNOVER | {"x": wrong}, by=BOTH, value="x")
    instrument = TURNOVER["instrument"][position]
    region = TURNOVER["region"][position]
    assert f", at instrument = {instrument}: " in str(caught.value)
    assert f", at region = {region}: " in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "residual"),
    [
        ("establishments", 3),
        ("workers", 658),
        ("wages", 20166),
        ("shipments", 210711),
        ("cost", 158292),
        ("value added", -49798),
        ("assets", -118652),
    ],
)
def test_o2_10_residuals_of_a_published_table_are_reported(
    variable: str, residual: int
) -> None:
    """Only the residuals are known here: total minus what is printed below it."""
    rows = {"class": ["C1", "C2", "T"], variable: [10**6, 10**6, 2 * 10**6 + residual]}
    said = (
        f"class: T = C1 [+] C2: parts minus total is [{'-' if residual > 0 else '+'}]"
    )
    with pytest.raises(AdditivityError, match=said + f"{abs(residual):,}"):
        Table.from_cells(rows, by={"class": "T"}, value=variable)


def test_the_test_problem_of_sdctable_adds_up(shared_data: Path) -> None:
    path = shared_data / "r_peers" / "sdctable_testproblem_cells.csv"
    with path.open(encoding="utf-8") as lines:
        listed = list(csv.DictReader(lines))
    rows = {name: [row[name] for row in listed] for name in listed[0]}
    table = Table.from_cells(
        rows,
        by={"region": "total", "gender": "total"},
        count="freq",
        state="sdcStatus",
        missing_totals="error",
    )
    cell = table.find({"region": "A", "gender": "female"})
    assert table.cells.value[cell] == 2
    assert np.flatnonzero(table.cells.state == State.SENSITIVE).tolist() == [cell]


def test_a_table_of_tau_argus_adds_up_with_its_states(shared_data: Path) -> None:
    path = shared_data / "argus" / "batch_ex1" / "tabdata_ex1.tab"
    with path.open(encoding="utf-8") as lines:
        listed = [[field.strip() for field in row] for row in csv.reader(lines) if row]
    names = ["region", "gender", "freq", "state", "lpl", "upl"]
    rows = dict(zip(names, map(list, zip(*listed, strict=True)), strict=True))
    table = Table.from_cells(
        rows,
        by={"region": "Total", "gender": "Total"},
        count="freq",
        state="state",
        lower="lpl",
        upper="upl",
    )
    assert table.cells.value[0] == 5146
    assert np.count_nonzero(table.cells.state == State.SENSITIVE) == 1
    assert table.levels is not None
    assert set(table.levels.upper.tolist()) == {1.0}


def test_a_table_of_tau_argus_with_a_decimal_comma(shared_data: Path) -> None:
    """It was rounded to whole units here and there: 3 of its relations miss by 1."""
    folder = shared_data / "argus" / "tableinput"
    with (folder / "pp.tab").open(encoding="utf-8") as lines:
        listed = [row for row in csv.reader(lines, delimiter=";") if row]
    names = ["size", "region", "value", "n", "cost", "shadow", "x1", "x2", "state"]
    columns = zip(*(row[: len(names)] for row in listed), strict=True)
    rows = dict(zip(names, map(list, columns), strict=True))
    rows["size"] = [code.strip() for code in rows["size"]]
    # Region 99 is the code of a missing region, which the file does not list.
    tree = Hierarchy.read(folder / "region2.hrc", total="Total")
    parents = {code: tree.parent(code) or "" for code in tree.codes[1:]}
    region = Hierarchy.from_parents(parents | {"99": "Total"}, total="Total")
    columns: dict[str, Any] = {
        "by": {"size": "Total", "region": region},
        "value": "value",
        "count": "n",
        "contributions": ["x1", "x2"],
        "state": "state",
        "decimal": ",",
    }
    with pytest.raises(AdditivityError, match="3 of 63 relations fail") as caught:
        Table.from_cells(rows, **columns)
    assert str(caught.value).count("parts minus total is -1.00") == 3
    table = Table.from_cells(rows, **columns, tolerance=100)
    assert table.cells.decimals == 2
    assert table.cells.value[0] == 1684764684
    assert table.residuals_accepted == 3
