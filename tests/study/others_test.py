# SPDX-License-Identifier: Apache-2.0
"""Negatives, the printed tables, M3A and the advisor: their numbers hold."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import tacit
from tacit.cli import main
from tacit.errors import InputError
from tacit.rules import Dominance
from tacit.study import STUDIES, Study, study

if TYPE_CHECKING:
    from pathlib import Path

# Means over 400 repetitions of each ratio, with h = 0 to 5 set aside.
O0_16 = {
    "U1": (1, 0.998, 0.996, 0.994, 0.992, 0.990),
    "U2": (1, 3.35e-4, 3.34e-4),
    "U3": (1, 0.391, 8.20e-6),
    "N1": (1, 0.990, 0.982, 0.975, 0.969, 0.963),
    "N2": (1, 1.004e-3, 9.94e-4),
    "N3": (1, 0.391, 2.45e-5),
}


@pytest.mark.parametrize("case", O0_16)
def test_o0_16_variance_ratios(negatives: Study, case: str) -> None:
    rows = negatives.tables["cases"]
    at = list(rows["case"]).index(case)
    for h, expected in enumerate(O0_16[case]):
        near = {"abs": 0.01} if case in {"U1", "N1"} else {"rel": 0.1}
        assert rows[f"S_h{h}"][at] == pytest.approx(expected, **near)


def test_o0_8_and_o0_9_the_example(negatives: Study) -> None:
    example = negatives.tables["example"]
    assert example["S"][1:4] == pytest.approx(
        [0.5363462, 0.0090482, 0.0058701], abs=1e-7
    )
    assert example["Q"][1:4] == pytest.approx(
        [0.4852790, 0.0073686, 0.0046258], abs=1e-7
    )
    assert example["safe"][:3] == [True, True, False]


@pytest.mark.parametrize(
    ("n", "k", "x"), [(1, 50, [50, 30, 20]), (2, 90, [50, 40, 6, 4])]
)
def test_o0_17_exact_shares_are_safe_unless_closed(
    n: int, k: int, x: list[int]
) -> None:
    assert not Dominance(n=n, k=k).unsafe(x)
    assert Dominance(n=n, k=k, closed=True).unsafe(x)


def test_the_harness_covers_every_mix(negatives: Study) -> None:
    rows = negatives.tables["harness"]
    assert len(rows["contributors"]) == 2 * 3 * 4
    # Without negatives the measures of dispersion have nothing to say.
    for share, found in zip(rows["negative_share"], rows["dispersion"], strict=True):
        assert 0 <= found <= 1
        if share == 0:
            assert found == 0


def test_korea_reproduces_what_its_numbers_allow() -> None:
    found = study("korea")
    cells = found.tables["table3"]
    at = list(cells["cell"]).index("Shipments 100-199")
    assert cells["top_two"][at] == pytest.approx(0.7979370, abs=1e-7)
    assert cells["printed_2_80"][at] == 101183
    assert cells["correct_2_80"][at] == -5443
    assert cells["level_20_50"][at] == pytest.approx(18753.6)
    assert all(cells["recovered"])
    twenty = list(cells["cell"]).index("Shipments 20-49")
    levels = [cells[name][twenty] for name in ("level_20", "level_20_50", "level_2_80")]
    assert levels == [32586, 82586, 48782]
    assert dict(zip(*found.tables["table3_counts"].values(), strict=True)) == {
        "(2, 80) as printed": 8,
        "(2, 80)": 7,
        "20 %": 4,
        "20/50": 7,
    }


def test_m3a_takes_methods_by_name() -> None:
    methods = {
        "kept apart": ("suppress", "gauss", {}),
        "fives": ("round", "conventional", {"base": 5}),
        "wrong": ("round", "no such", {}),
    }
    found = study("m3a", methods=methods, time_limit=5)
    assert list(found.tables["table1"])[1:] == ["kept apart", "fives"]
    assert any(said.startswith("wrong: There is no method") for said in found.findings)
    assert "39 of 109 filled cells are sensitive" in found.findings[0]
    assert set(found.figures) == {
        "map-absolute_loss_percent",
        "map-hellinger_shares",
        "map-entropy_loss_rows",
    }


def test_m3a_without_any_release_is_an_error() -> None:
    with pytest.raises(InputError, match="nothing can be compared"):
        study("m3a", methods={"x": ("suppres", "auto", {})})


def test_the_advisor_calibrates_to_one_number() -> None:
    found = study("advisor")
    counts = found.tables["calibration"]["sensitive"]
    assert max(counts) - min(counts) <= 1
    agreement = found.tables["agreement"]
    assert len(agreement["first"]) == 6
    for both, only in zip(agreement["both"], agreement["only_first"], strict=True):
        assert both + only in counts
    added = found.tables["added"]
    alone = list(added["rule"]).count("statisticon")
    said = next(s for s in found.findings if s.startswith("statisticon"))
    assert f"{alone:,} of them by it alone" in said


def test_the_advisor_wants_a_table() -> None:
    with pytest.raises(InputError, match="looks at a Table, not at a dict"):
        study("advisor", table={})


@pytest.mark.parametrize("name", ["negatives", "korea", "advisor"])
def test_a_study_is_written_as_numbers_and_figures(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "study"
    assert main(["study", name, "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "findings.txt" in said
    found = study(name)
    for table, columns in found.tables.items():
        with (out / f"{table}.csv").open(encoding="utf-8") as lines:
            rows = list(csv.reader(lines))
        assert rows[0] == list(columns)
        assert len(rows) == 1 + len(next(iter(columns.values())))
    for figure in found.figures:
        ET.parse(out / f"{figure}.svg")  # noqa: S314 - our own
    assert main(["study", name, "--out", str(out)]) == 1
    assert "nothing is overwritten" in capsys.readouterr().err
    assert main(["study", name, "--out", str(out), "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == name


def test_the_advisor_looks_at_the_table_of_a_job(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(3)
    rows = ["firm,region,turnover"]
    rows += [
        f"f{k},r{k % 9},{int(v) + 1}" for k, v in enumerate(rng.exponential(99, 50))
    ]
    (tmp_path / "firms.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "job.toml").write_text(
        'version = 1\n[data]\nsource = "firms.csv"\n[dimensions.region]\n'
        '[measure]\nvalue = "turnover"\nunit = "firm"\n'
        '[[rule]]\nkind = "p_percent"\np = 10\n',
        encoding="utf-8",
    )
    options = ["--job", str(tmp_path / "job.toml"), "--out", str(tmp_path / "s")]
    assert main(["study", "advisor", *options]) == 0
    assert "Of 10 cells p% finds" in capsys.readouterr().out
    assert main(["study", "rules", *options]) == 1
    assert "leave --job out" in capsys.readouterr().err


def test_every_study_has_its_module() -> None:
    assert set(STUDIES) == {"rules", "negatives", "korea", "m3a", "advisor"}
    with pytest.raises(InputError, match="Did you mean 'korea'"):
        study("corea")
    assert isinstance(tacit.__version__, str)
