# SPDX-License-Identifier: Apache-2.0
"""Primary cells of GaussSuppression and sdcTable, under their conventions."""

from __future__ import annotations

import csv
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tacit
from tacit import Hierarchy, Table
from tacit.rules import Dominance, MinFrequency, PPercent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tacit import Assessment
    from tacit.rules import Rule


@pytest.fixture
def peers(shared_data: Path) -> Path:
    return shared_data / "r_peers"


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def columns(path: Path, **kinds: type) -> dict[str, list[Any]]:
    rows = read(path)
    return {name: [kinds.get(name, str)(row[name]) for row in rows] for name in rows[0]}


def expected_cells(
    found: Assessment, rows: list[dict[str, str]]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Pair each expected row with its cell; rows of nothing have none."""
    names = found.table.names
    for row in rows:
        if float(row.get("freq", "1")) or "freq" not in row:
            yield found.table.find({name: row[name] for name in names}), row


def check_primaries(found: Assessment, rows: list[dict[str, str]]) -> None:
    """Same primaries, cell for cell, and none beside them."""
    pairs = list(expected_cells(found, rows))
    wrong = [
        row
        for cell, row in pairs
        if bool(found.sensitive[cell]) != (row["primary"] == "TRUE")
    ]
    assert not wrong
    assert len({cell for cell, _ in pairs}) == len(pairs)


# --- magnitudes -----------------------------------------------------------------


@pytest.fixture
def magnitude1(peers: Path) -> Table:
    return tacit.tabulate(
        columns(peers / "ssb_magnitude1.csv", value=float),
        by={"sector4": "Total", "geo": "Total"},
        value="value",
        unit="company",
        decimals=1,
    )


def test_magnitude1_has_the_primaries_of_p10(magnitude1: Table, peers: Path) -> None:
    rows = read(peers / "exp_magnitude1_sector4_geo_p10_company.csv")
    found = tacit.assess(magnitude1, PPercent(p=10), profile="gauss")
    check_primaries(found, rows)
    assert found.summary()["sensitive"] == 11


def test_magnitude1_has_the_values_and_largest_companies(
    magnitude1: Table, peers: Path
) -> None:
    rows = read(peers / "exp_magnitude1_sector4_geo_p10_company.csv")
    found = tacit.assess(magnitude1, PPercent(p=10), profile="gauss")
    evidence = magnitude1.evidence
    assert evidence is not None
    for cell, row in expected_cells(found, rows):
        value = int(magnitude1.cells.value[cell])
        assert value == round(float(row["value"]) * 10)
        shares = np.cumsum(evidence.largest[cell, :2]) / value
        assert shares[0] == pytest.approx(float(row["dominant1"]), abs=1e-12)
        assert shares[1] == pytest.approx(float(row["dominant2"]), abs=1e-12)
        assert evidence.contributors[cell] == int(row["n_contr"])


def test_magnitude1_has_the_same_companies_on_top(
    magnitude1: Table, peers: Path
) -> None:
    """Internal numbers stand for companies: one number for one name, everywhere."""
    rows = read(peers / "exp_magnitude1_sector4_geo_p10_company.csv")
    found = tacit.assess(magnitude1, PPercent(p=10), profile="gauss")
    evidence = magnitude1.evidence
    assert evidence is not None
    assert evidence.entities is not None
    pairs = {
        (int(evidence.entities[cell, rank]), row[f"max{rank + 1}contributor"])
        for cell, row in expected_cells(found, rows)
        for rank in (0, 1)
        if row[f"max{rank + 1}contributor"] != "NA"
    }
    assert Counter(number for number, _ in pairs).most_common(1)[0][1] == 1
    assert sorted(name for _, name in pairs) == ["A", "B", "C", "D"]


def test_magnitude1_has_the_levels_of_p10(magnitude1: Table, peers: Path) -> None:
    rows = read(peers / "exp_magnitude1_p10_intervals.csv")
    found = tacit.assess(magnitude1, PPercent(p=10), profile="gauss")
    for cell, row in expected_cells(found, rows):
        if row["primary"] == "TRUE":
            value = float(row["value"])
            assert value - found.lpl[cell] == pytest.approx(float(row["lomax_value"]))
            assert value + found.upl[cell] == pytest.approx(float(row["upmin_value"]))
        else:
            assert found.upl[cell] == found.lpl[cell] == 0


@pytest.fixture
def dominance_toy(peers: Path) -> Table:
    data = columns(peers / "ssb_dominance_toy.csv", num=int)
    return tacit.tabulate(
        {"v1": data["v1"], "num": data["num"]}, by={"v1": "Total"}, value="num"
    )


@pytest.mark.parametrize(
    ("rule", "file"),
    [
        (Dominance(n=1, k=80) | Dominance(n=2, k=70), "exp_dominance_toy_nk80_70"),
        (PPercent(p=7), "exp_dominance_toy_p7"),
    ],
)
def test_dominance_toy(
    rule: Rule, file: str, dominance_toy: Table, peers: Path
) -> None:
    found = tacit.assess(dominance_toy, rule, profile="gauss")
    rows = read(peers / f"{file}.csv")
    check_primaries(found, rows)
    evidence = dominance_toy.evidence
    assert evidence is not None
    for cell, row in expected_cells(found, rows):
        shares = np.cumsum(evidence.largest[cell, :2]) / 100
        assert shares.tolist() == [float(row["dominant1"]), float(row["dominant2"])]
        assert evidence.contributors[cell] == int(row["n_contr"])


def test_dominance_at_exactly_k_is_where_the_tools_differ(dominance_toy: Table) -> None:
    """v3 has a largest contributor of exactly 80 %, v4 one of 70 %."""
    rule = Dominance(n=1, k=80)
    unsafe = {
        profile: tacit.assess(dominance_toy, rule, profile=profile).sensitive[3]
        for profile in ("tacit", "sdctable", "tauargus", "gauss")
    }
    assert unsafe == {
        "tacit": False,
        "sdctable": False,
        "tauargus": False,
        "gauss": True,
    }


# --- counts ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "count", "by", "most", "expected"),
    [
        (
            "ssb_singleton_toy",
            "values",
            ("var1", "var2"),
            3,
            ("exp_singleton_toy_nosing", "exp_singleton_toy_zerossupp_nosing"),
        ),
        (
            "ssb_z1",
            "ant",
            ("region", "hovedint"),
            3,
            (
                "exp_z1_smallcounts_maxN3_protectZeros",
                "exp_z1_smallcounts_maxN3_noProtectZeros",
            ),
        ),
        (
            "issue135_singletons",
            "values",
            ("var1", "var2"),
            2,
            ("exp_issue135_anySum", "exp_issue135_none"),
        ),
    ],
)
def test_small_counts(
    file: str,
    count: str,
    by: tuple[str, str],
    most: int,
    expected: tuple[str, ...],
    peers: Path,
) -> None:
    data = columns(peers / f"{file}.csv", **{count: int})
    table = Table.from_cells(data, by=dict.fromkeys(by, "Total"), count=count)
    found = tacit.assess(table, MinFrequency(n=most), profile="gauss")
    for name in expected:
        rows = read(peers / f"{name}.csv")
        check_primaries(found, rows)
        assert found.summary()["sensitive"] == sum(r["primary"] == "TRUE" for r in rows)
        for cell, row in expected_cells(found, rows):
            assert table.cells.value[cell] == int(row[count])


def linked136(peers: Path) -> Table:
    """Two sums over the same regions: counties, and groups."""
    data = columns(peers / "issue136_linked.csv", n=int)
    counties = dict(zip(data["region"], data["county"], strict=True))
    groups = dict(zip(data["region"], data["group"], strict=True))
    trees = [
        Hierarchy.from_parents(
            {**upper, **dict.fromkeys(upper.values(), "Total")}, total="Total"
        )
        for upper in (counties, groups)
    ]
    return Table.from_cells(data, by={"region": trees}, count="n")


@pytest.mark.parametrize(
    "file",
    [
        "exp_issue136_linked_local",
        "exp_issue136_linked_consistent",
        "exp_issue136_linked_back-tracking",
        "exp_issue136_linked_super-consistent",
        "exp_issue136_global_gauss_maxN3",
    ],
)
def test_linked_counts(file: str, peers: Path) -> None:
    found = tacit.assess(linked136(peers), MinFrequency(n=3), profile="gauss")
    rows = read(peers / f"{file}.csv")
    check_primaries(found, rows)
    assert len(found) == len(rows) == 13


# --- sdcTable -------------------------------------------------------------------


@pytest.fixture
def microdata1(peers: Path) -> Table:
    return tacit.tabulate(
        columns(peers / "sdctable_microdata1.csv", val=int),
        by={"region": "Total", "gender": "Total"},
        value="val",
    )


@pytest.mark.parametrize(
    ("rule", "file", "primaries"),
    [
        (MinFrequency(n=2), "freq_2", 1),
        (Dominance(n=2, k=75), "nk_2_75", 2),
        (PPercent(p=70), "p_70", 2),
    ],
)
def test_sdctable_microdata1(
    rule: Rule, file: str, primaries: int, microdata1: Table, peers: Path
) -> None:
    found = tacit.assess(microdata1, rule, profile="sdctable")
    rows = read(peers / f"exp_sdctable_microdata1_primary_{file}.csv")
    for row in rows:
        row["primary"] = "TRUE" if row["sdcStatus"] == "u" else "FALSE"
    check_primaries(found, rows)
    assert found.summary()["sensitive"] == primaries
    evidence = microdata1.evidence
    assert evidence is not None
    for cell, row in expected_cells(found, rows):
        assert evidence.contributors[cell] == int(row["freq"])


def test_the_threshold_of_sdctable_includes_equality(microdata1: Table) -> None:
    rule = MinFrequency(n=2)
    assert not tacit.assess(microdata1, rule).sensitive.any()
    assert tacit.assess(microdata1, rule, profile="sdctable").sensitive.any()
