# SPDX-License-Identifier: Apache-2.0
"""Finished tables with counts and largest contributions: the primaries published."""

from __future__ import annotations

import csv
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import tacit
from tacit import Hierarchy, Table
from tacit.rules import Dominance, MinFrequency

if TYPE_CHECKING:
    from pathlib import Path

# File: dimensions, and the cells caught by the threshold and then by dominance alone.
TABLES = {
    "turnover_act_size": (("ACTIVITY", "SIZE"), 52, 25),
    "turnover_act_cj": (("ACTIVITY", "CJ"), 35, 25),
    "turnover_nuts_size": (("NUTS", "SIZE"), 55, 17),
    "turnover_nuts_cj": (("NUTS", "CJ"), 45, 20),
}
TREES = {"ACTIVITY": "activity_corr_table", "NUTS": "nuts23_fr_corr_table"}
FEW_OR_DOMINATED = MinFrequency(n=3) | Dominance(n=1, k=85)


def read(path: Path) -> dict[str, list[str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {name: [row[name] for row in rows] for name in rows[0]}


def tree(path: Path, used: set[str]) -> Hierarchy:
    """Read classes beside each other, coarse to fine, and keep those that are used."""
    parents: dict[str, str] = {}
    for chain in zip(*read(path).values(), strict=True):
        for above, code in zip(("Total", *chain), chain, strict=False):
            if above != code:
                parents.setdefault(code, above)
    kept: dict[str, str] = {}
    for code in sorted(used - {"Total"}):
        while code != "Total" and code not in kept:
            kept[code] = parents[code]
            code = parents[code]  # noqa: PLW2901 - climbing up
    return Hierarchy.from_parents(kept, total="Total")


def table(folder: Path, name: str) -> Table:
    data: dict[str, Any] = read(folder / f"{name}.csv")
    by: dict[str, Any] = {}
    for dimension in TABLES[name][0]:
        file = TREES.get(dimension)
        by[dimension] = (
            tree(folder / f"{file}.csv", set(data[dimension])) if file else "Total"
        )
    data["N_OBS"] = [int(count) for count in data["N_OBS"]]
    for amount in ("TOT", "MAX"):
        # The file shows the noise of floating point arithmetic behind four decimals.
        data[amount] = [str(round(Decimal(text), 4)) for text in data[amount]]
    return Table.from_cells(
        data,
        by=by,
        value="TOT",
        count="N_OBS",
        contributions=["MAX"],
        decimals=4,
    )


@pytest.mark.parametrize("name", TABLES)
def test_primaries_of_the_turnover_tables(name: str, shared_data: Path) -> None:
    _, few, dominated = TABLES[name]
    found = tacit.assess(
        table(shared_data / "argus" / "rtauargus", name), FEW_OR_DOMINATED
    )
    by_threshold = found.reasons["min_frequency"]
    by_dominance = found.reasons["dominance"]
    assert int(by_threshold.sum()) == few
    assert int((by_dominance & ~by_threshold).sum()) == dominated
    assert found.summary()["sensitive"] == few + dominated


def test_no_total_of_the_turnover_tables_is_implied(shared_data: Path) -> None:
    """Every total is in the files, with its own count and largest contribution."""
    folder = shared_data / "argus" / "rtauargus"
    for name in TABLES:
        rows = len(next(iter(read(folder / f"{name}.csv").values())))
        assert len(table(folder, name)) == rows


def test_rules_of_the_turnover_tables_overlap(shared_data: Path) -> None:
    found = tacit.compare_rules(
        table(shared_data / "argus" / "rtauargus", "turnover_act_size"),
        {"few": MinFrequency(n=3), "dominated": Dominance(n=1, k=85)},
    )
    summary = found.summary()
    assert summary["sensitive"] == {"few": 52, "dominated": 69}
    assert summary["both"] == {("few", "dominated"): 44}
    assert summary["any"] == 77
