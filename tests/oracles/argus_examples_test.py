# SPDX-License-Identifier: Apache-2.0
"""Whole examples of τ-ARGUS: holdings, cells protected before, batch runs."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tacit
from tacit import Hierarchy
from tacit.errors import HierarchyError
from tacit.rules import MinFrequency, PPercent, ZeroRule
from tacit.table import State

if TYPE_CHECKING:
    from tacit.rules import Assessment
    from tacit.table import Table

ARGUS = Path(__file__).resolve().parents[3] / "shared" / "data" / "argus"


def read_codes_values(path: Path) -> list[tuple[str, str, float, int]]:
    with path.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.reader(lines) if row]
    return [
        (a.strip(), b.strip(), 0.0 if value == "-" else float(value), int(status))
        for a, b, value, status in rows
        if status != "Status"
    ]


RULE, SAFE_MANUAL, UNSAFE_MANUAL, EMPTY = 3, 2, 9, 14


def check_statuses(
    found: Assessment, rows: list[tuple[str, str, float, int]], sensitive: int
) -> None:
    """Same cells, same values, sensitive where the status is 3 (unsafe by rule)."""
    names = found.table.names
    scale = 10**found.table.cells.decimals
    filled = [row for row in rows if row[3] != EMPTY]
    seen = set()
    for first, second, value, status in filled:
        cell = found.table.find(dict(zip(names, (first, second), strict=True)))
        seen.add(cell)
        assert int(found.table.cells.value[cell]) == round(value * scale)
        assert bool(found.sensitive[cell]) == (status in {RULE, UNSAFE_MANUAL})
    held = np.flatnonzero(found.state != State.EMPTY)
    assert seen == set(held.tolist())
    assert found.summary()["sensitive"] == sensitive


# --- enterprises with holdings ----------------------------------------------------

ENTERPRISE = {
    "h_id": (1, 9),
    "act": (10, 2),
    "product": (12, 2),
    "region": (14, 2),
    "mun": (16, 3),
    "turnover": (19, 8),
}
TREES = {"act": "nace_divisions.hrc", "region": "KohStatReg.hrc", "mun": "NUTS.hrc"}


@cache
def enterprise(first: str, second: str) -> Table:
    folder = ARGUS / "enterprise"
    lines = (folder / "example_enterprise.asc").read_text("ascii").splitlines()
    data: dict[str, Any] = {
        name: [line[start - 1 : start - 1 + width].strip() for line in lines]
        for name, (start, width) in ENTERPRISE.items()
    }
    data["turnover"] = [float(text) for text in data["turnover"]]
    by: dict[str, Any] = {
        name: with_strays(folder / TREES[name], set(data[name]))
        if name in TREES
        else "Total"
        for name in (first, second)
    }
    return tacit.tabulate(data, by=by, value="turnover", unit="h_id", decimals=2)


def read_tree(path: Path) -> Hierarchy:
    """Read a code list; one of them has a code twice, of which the first is "10"."""
    if path.name != "NUTS.hrc":
        return Hierarchy.read(path, total="Total")
    parents: dict[str, str] = {}
    chain = ["Total"]
    for line in path.read_text("ascii").splitlines():
        code = line.lstrip("@")
        depth = len(line) - len(code)
        if code == "11" and chain[1] == "1":
            code = "10"
        parents[code] = chain[depth]
        chain[depth + 1 :] = [code]
    return Hierarchy.from_parents(parents, total="Total")


def with_strays(path: Path, used: set[str]) -> Hierarchy:
    """Hang codes that the list does not hold below the total, as the tool does."""
    tree = read_tree(path)
    upper = {code: tree.parent(code) for code in tree.codes[1:]}
    strays = {code: "Total" for code in sorted(used) if code not in upper}
    return Hierarchy.from_parents({**upper, **strays}, total="Total")


@pytest.mark.parametrize(
    ("file", "by", "sensitive"),
    [
        ("expected_test_1", ("act", "product"), 283),
        ("expected_test_2a", ("act", "product"), 283),
        ("expected_test_2b", ("act", "region"), 339),
        ("expected_test_3a", ("region", "mun"), 36),
    ],
)
def test_enterprise_holdings(
    file: str, by: tuple[str, str], sensitive: int, shared_data: Path
) -> None:
    """P(0,0)|P(0,0)|P(10,1) on holdings, ZERO(10), MIS(1), MAN(10)."""
    rows = read_codes_values(shared_data / "argus" / "enterprise" / f"{file}.txt")
    if by == ("region", "mun"):
        rows = tell_apart(rows)
    found = tacit.assess(
        enterprise(*by),
        PPercent(p=10) | ZeroRule(range=10),
        profile="tauargus",
        margin=10,
        exempt={"act": "00"} if "act" in by else None,
    )
    check_statuses(found, rows, sensitive)


def tell_apart(
    rows: list[tuple[str, str, float, int]],
) -> list[tuple[str, str, float, int]]:
    """Call the first code 11 of each region 10, as in the code list."""
    seen: set[str] = set()
    told = []
    for region, mun, *rest in rows:
        first = mun == "11" and region not in seen
        seen |= {region} if first else set()
        told.append((region, "10" if first else mun, *rest))
    return told


def test_a_code_that_is_listed_twice_is_refused(shared_data: Path) -> None:
    path = shared_data / "argus" / "enterprise" / "NUTS.hrc"
    with pytest.raises(HierarchyError, match="Code '11' has two parents, '1' and '2'"):
        Hierarchy.read(path, total="Total")


def test_enterprise_with_cells_protected_before(shared_data: Path) -> None:
    """Region by product: margins by region were published and must stay so."""
    rows = read_codes_values(shared_data / "argus/enterprise/expected_test_3b.txt")
    found = tacit.assess(
        enterprise("region", "product"),
        PPercent(p=10) | ZeroRule(range=10),
        profile="tauargus",
    )
    check_statuses(found, rows, sensitive=17)


# --- batch examples ---------------------------------------------------------------


def named(names: tuple[str, ...], rows: list[list[str]]) -> dict[str, Any]:
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def test_batch_example_with_given_states(shared_data: Path) -> None:
    folder = shared_data / "argus" / "batch_ex1"
    with (folder / "tabdata_ex1.tab").open(encoding="utf-8") as lines:
        cells = [[item.strip() for item in row] for row in csv.reader(lines) if row]
    names = ("region", "gender", "freq", "state", "lower", "upper")
    data: dict[str, Any] = dict(
        zip(names, map(list, zip(*cells, strict=True)), strict=True)
    )
    for name in names[2:]:
        if name != "state":
            data[name] = [int(text) for text in data[name]]
    table = tacit.Table.from_cells(
        data,
        by={"region": "Total", "gender": "Total"},
        value="freq",
        state="state",
        lower="lower",
        upper="upper",
        decimals=0,
    )
    found = tacit.assess(table, profile="tauargus")
    check_statuses(
        found, read_codes_values(folder / "expected_tabout_ex1.txt"), sensitive=1
    )
    cell = table.index(region="A", gender="female")
    assert (found.lpl[cell], found.upl[cell]) == (1, 1)


def test_batch_example_with_a_coalition(shared_data: Path) -> None:
    folder = shared_data / "argus" / "batch_ex2"
    with (folder / "microdata_ex2.asc").open(encoding="utf-8") as lines:
        rows = [[item.strip() for item in row] for row in csv.reader(lines) if row]
    names = ("region", "gender", "weight", "val", "num1", "num2")
    data: dict[str, Any] = dict(
        zip(names, map(list, zip(*rows, strict=True)), strict=True)
    )
    data["num1"] = [float(text) for text in data["num1"]]
    table = tacit.tabulate(
        data,
        by={"region": "Total", "gender": "Total"},
        value="num1",
        decimals=2,
        top=6,
    )
    rule = MinFrequency(n=5, margin=20) | PPercent(p=20, coalition=5)
    found = tacit.assess(table, rule, profile="tauargus")
    check_statuses(
        found, read_codes_values(folder / "expected_tabout_ex2.txt"), sensitive=1
    )
