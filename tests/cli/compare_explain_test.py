# SPDX-License-Identifier: Apache-2.0
"""``tacit compare`` and ``tacit explain``: what they print, write and refuse."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

import pytest

from tacit.cli import main
from tacit.job import Job
from tacit.job._compare import compare_job, contenders
from tacit.protect._families import VERBS, family
from tacit.protect.suppress._methods import Method

if TYPE_CHECKING:
    from pathlib import Path

JOB = """\
version = 1
[data]
source = "firms.csv"
[dimensions.region]
[dimensions.size]
[measure]
value = "turnover"
unit = "firm"
[[rule]]
kind = "min_frequency"
n = 2
[protect]
method = "suppress"
time_limit = 5
"""
CHOSEN = """\
[compare.careful]
method = "suppress"
[compare."only exact"]
method = "suppress"
algorithm = "gauss"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = ["firm,region,size,turnover"]
    number = 0
    for region in "ABC":
        for size in "123":
            for _ in range(1 if (region, size) == ("A", "1") else 3):
                number += 1
                rows.append(f"f{number},{region},{size},{100 + 7 * number}")
    (tmp_path / "firms.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
    return tmp_path


def test_every_registered_method_is_a_contender(folder: Path) -> None:
    ready, skipped = contenders(Job.load(folder / "job.toml"))
    registered = [f"suppress {name}" for name in get_args(Method)]
    registered += [f"{verb} {name}" for verb in VERBS for name in family(verb).modules]
    assert set(ready) | set(skipped) == {name.replace("_", " ") for name in registered}
    assert not set(ready) & set(skipped)
    wanted = "in a section [compare.NAME] of the job."
    assert all(why.endswith(wanted) for why in skipped.values())
    assert skipped["round random"] == f"needs base and key, {wanted}"
    # The keys of the job hold for every method of its verb.
    assert {ready[f"suppress {name}"].time_limit for name in get_args(Method)} == {5}  # type: ignore[attr-defined]


def test_whatever_is_ready_is_compared_or_told(folder: Path) -> None:
    job = Job.load(folder / "job.toml")
    ready, _ = contenders(job)
    found = compare_job(job)
    assert set(found.comparison.names) | set(found.skipped) >= set(ready)
    # One table of results, the same for every method.
    columns = [list(measured) for measured in found.comparison.measured.values()]
    assert all(names == columns[0] for names in columns)


def test_the_comparison_is_printed_and_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "job.toml").write_text(JOB + CHOSEN, encoding="utf-8")
    assert main(["compare", str(folder / "job.toml")]) == 0
    out = capsys.readouterr().out
    assert "Take 'careful'" in out or "Take 'only exact'" in out
    names = {path.name for path in (folder / "compare").iterdir()}
    assert names == {
        "manifest.json",
        "map.internal.svg",
        "measures.internal.csv",
        "report.internal.html",
    }
    table = (folder / "compare" / "measures.internal.csv").read_text()
    assert table.splitlines()[0] == "measure,kind,better,careful,only exact"
    assert (
        "Methods compared" in (folder / "compare" / "report.internal.html").read_text()
    )
    assert main(["compare", str(folder / "job.toml")]) == 1
    assert "nothing is overwritten unasked" in capsys.readouterr().err
    assert main(["compare", str(folder / "job.toml"), "--force"]) == 0


def test_a_comparison_for_programs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "job.toml").write_text(JOB + CHOSEN, encoding="utf-8")
    options = ["--json", "--loss", "share_suppressed", "--risk", "risk_posterior"]
    assert main(["compare", str(folder / "job.toml"), *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["loss"] == "share_suppressed"
    assert found["measures"]["release"] == ["careful", "only exact"]
    assert found["recommended"] in {"careful", "only exact"}


def test_a_wrong_axis_is_told_before_anything_runs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(folder / "job.toml"), "--loss", "helinger"]) == 1
    assert "Did you mean 'hellinger'" in capsys.readouterr().err
    assert not (folder / "compare").exists()


def test_a_misspelt_method_to_compare_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = JOB + '[compare.x]\nmethod = "supress"\n'
    (folder / "job.toml").write_text(wrong, encoding="utf-8")
    assert main(["compare", str(folder / "job.toml")]) == 1
    said = capsys.readouterr().err
    assert "there is no method 'supress'. Did you mean 'suppress'" in said


def test_a_sensitive_cell_and_its_guard_are_explained(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = str(folder / "job.toml")
    assert main(["run", job]) == 0
    capsys.readouterr()
    assert main(["explain", job, "--cell", "region=A,size=1"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("region = A, size = 1: sensitive.")
    assert "fewer than n contributors (n = 2)" in captured.out
    assert captured.err == ""
    summary = json.loads((folder / "out" / "summary.json").read_text())
    assert summary["suppressed"] == 3
    assert main(["explain", job, "--cell", "region=A,size=2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    if told["state"] == "withheld to guard others":
        assert told["needs"][0]["cell"] == "region = A, size = 1"


def test_without_a_run_the_table_is_protected_anew(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = str(folder / "job.toml")
    assert main(["explain", job, "--cell", "region=B"]) == 0
    captured = capsys.readouterr()
    assert "published as it is" in captured.out
    assert "the table was protected anew" in captured.err


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("region=D", "Dimension 'region' has no code 'D'"),
        ("regoin=A", "Did you mean 'region'"),
        ("A", "'A' names no dimension"),
    ],
)
def test_a_wrong_cell_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], cell: str, words: str
) -> None:
    assert main(["explain", str(folder / "job.toml"), "--cell", cell]) == 1
    assert words in capsys.readouterr().err
