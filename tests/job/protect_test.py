# SPDX-License-Identifier: Apache-2.0
"""A job that protects: the whole protocol, from the source to the certificate."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

from tacit.cli import main
from tacit.errors import JobError
from tacit.job import Job
from tacit.protect.noise import Design

if TYPE_CHECKING:
    from pathlib import Path

JOB = """\
version = 1
[data]
source = "firms.csv"
[dimensions.region]
hierarchy = {digits = [1, 1]}
[dimensions.size]
[measure]
value = "turnover"
unit = "firm"
[[rule]]
kind = "p_percent"
p = 10
[[rule]]
kind = "min_frequency"
n = 3
[protect]
method = "suppress"
"""


def firms(number: int = 300) -> str:
    """Firms of very different size, in few places."""
    rows = ["firm,region,size,turnover"]
    for i in range(number):
        region = "AB"[i % 2] + "1234"[(i * i) % 4]
        turnover = 10 + (i * 7919) % 97 ** (1 + (i % 5 == 0))
        rows.append(f"f{i},{region},s{(i * 31) % 7 % 3},{turnover}")
    rows += ["big1,A1,s1,90000", "big2,B1,s2,80000", "one,A2,s0,500"]
    return "\n".join(rows) + "\n"


def run(folder: Path, text: str = "", name: str = "out") -> Any:
    (folder / "firms.csv").write_text(firms(), encoding="utf-8")
    (folder / "job.toml").write_text(JOB + text, encoding="utf-8")
    return Job.load(folder / "job.toml").run(folder / name)


def test_a_classical_method_says_how_it_was_repaired(tmp_path: Path) -> None:
    outcome = run(tmp_path, 'algorithm = "hypercube"\n')
    assert outcome.exit_code == 0
    assert "Hypercube alone withheld " in outcome.message
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert manifest["repaired"] in outcome.message


def published(folder: Path, name: str = "out") -> list[dict[str, str]]:
    path = folder / name / "public" / "table.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_protected_table_is_published_with_its_proof(tmp_path: Path) -> None:
    outcome = run(tmp_path)
    assert outcome.exit_code == 0, outcome.message
    assert outcome.summary["safe"] is True
    assert outcome.summary["sensitive"] > 0
    assert outcome.summary["suppressed"] > 0
    assert 0 <= outcome.summary["bound"] <= outcome.summary["cost"]
    withheld = [row for row in published(tmp_path) if not row["value"]]
    both = outcome.summary["sensitive"] + outcome.summary["suppressed"]
    assert len(withheld) == both
    assert {row["CONF_STATUS"] for row in withheld} == {"C"}
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["audit"]["safe"] is True
    assert manifest["job"]["protect"]["algorithm"] == "auto"
    assert (tmp_path / "out" / manifest["certificate"]).is_file()
    assert main(["verify", str(tmp_path / "out")]) == 0


def test_the_same_job_gives_the_same_bytes(tmp_path: Path) -> None:
    run(tmp_path, name="one")
    run(tmp_path, name="two")
    for path in sorted((tmp_path / "one" / "public").iterdir()):
        assert (
            path.read_bytes() == (tmp_path / "two" / "public" / path.name).read_bytes()
        )
    one, two = (tmp_path / name / "summary.json" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_another_cost_gives_another_pattern(tmp_path: Path) -> None:
    value = run(tmp_path, name="value").summary
    unit = run(tmp_path, 'cost = {base = "unit"}\n', name="unit").summary
    assert unit["cost"] == unit["suppressed"]
    assert unit["suppressed"] <= value["suppressed"]


def test_the_next_wave_takes_the_pattern_of_the_last(tmp_path: Path) -> None:
    run(tmp_path, name="first")
    history = 'history = {source = "first/public/table.csv", pattern = "require"}\n'
    run(tmp_path, 'cost = "unit"\n' + history, name="second")
    first, second = (
        {
            (row["region"], row["size"])
            for row in published(tmp_path, name)
            if not row["value"]
        }
        for name in ("first", "second")
    )
    assert first <= second
    manifest = json.loads((tmp_path / "second" / "manifest.json").read_text())
    assert "first/public/table.csv" in [one["path"] for one in manifest["inputs"]]


def test_exact_disclosure_only_is_not_published_as_safe(tmp_path: Path) -> None:
    outcome = run(tmp_path, 'algorithm = "gauss"\n')
    if outcome.exit_code:
        assert "exact disclosure only" in outcome.message
        assert not list((tmp_path / "out" / "public").iterdir())
    else:
        assert outcome.summary["safe"] is True


def test_no_time_is_exit_code_4(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "firms.csv").write_text(firms(), encoding="utf-8")
    (tmp_path / "job.toml").write_text(JOB + "time_limit = 0\n", encoding="utf-8")
    assert main(["run", str(tmp_path / "job.toml")]) == 4
    assert "time_limit" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("processes", [1, 2])
def test_processes_can_be_named(tmp_path: Path, processes: int) -> None:
    assert run(tmp_path, f"processes = {processes}\n").exit_code == 0


NOISE = """
[protect]
method = "perturb"
noise = "probabilities.csv"
"""


def counts(folder: Path, monkeypatch: pytest.MonkeyPatch, protect: str) -> Any:
    """Run the job on counts of firms, with keys from a secret of the environment."""
    monkeypatch.setenv("OFFICE_SECRET", "a long random text")
    text = JOB.split("[protect]", maxsplit=1)[0].replace('value = "turnover"\n', "")
    text = text.replace("[measure]\n", '[measure]\nsecret_from = "OFFICE_SECRET"\n')
    text = text.replace('[[rule]]\nkind = "p_percent"\np = 10\n', "")
    (folder / "firms.csv").write_text(firms(), encoding="utf-8")
    (folder / "job.toml").write_text(text + protect, encoding="utf-8")
    return Job.load(folder / "job.toml").run(folder / "out")


def test_noise_by_cell_key_takes_its_table_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Design(D=5, V=3.0, js=2).table().write(tmp_path / "probabilities.csv")
    outcome = counts(tmp_path, monkeypatch, NOISE)
    assert outcome.exit_code == 0, outcome.message
    shown = [int(row["value"]) for row in published(tmp_path)]
    assert not {1, 2} & set(shown)
    manifest = (tmp_path / "out" / "manifest.json").read_text()
    assert "probabilities.csv" in manifest
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            assert b"a long random text" not in path.read_bytes()


def test_a_secret_that_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Design(D=5, V=3.0, js=2).table().write(tmp_path / "probabilities.csv")
    counts(tmp_path, monkeypatch, NOISE)
    monkeypatch.delenv("OFFICE_SECRET")
    with pytest.raises(JobError, match="'OFFICE_SECRET' is not set"):
        Job.load(tmp_path / "job.toml").run(tmp_path / "again")


def test_the_design_of_noise_stands_in_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = counts(
        tmp_path, monkeypatch, '[protect]\nmethod = "perturb"\nnoise = {D = 3, V = 1}\n'
    )
    assert outcome.exit_code == 0, outcome.message
    with pytest.raises(JobError, match=r"protect\.noise"):
        counts(
            tmp_path,
            monkeypatch,
            '[protect]\nmethod = "perturb"\nnoise = {D = 0, V = 1}\n',
        )


def test_a_table_is_adjusted_against_its_contributors(tmp_path: Path) -> None:
    text = JOB.split("[protect]", maxsplit=1)[0]
    text += '[protect]\nmethod = "adjust"\nalgorithm = "m3a"\nd = 10\n'
    (tmp_path / "firms.csv").write_text(firms(), encoding="utf-8")
    (tmp_path / "job.toml").write_text(text, encoding="utf-8")
    outcome = Job.load(tmp_path / "job.toml").run(tmp_path / "out")
    assert outcome.exit_code == 0, outcome.message
    assert outcome.summary["safe"] is True
