# SPDX-License-Identifier: Apache-2.0
"""A job that publishes other numbers: rounded, or adjusted."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

import tacit
from tacit.cli import main
from tacit.job import Job

if TYPE_CHECKING:
    from pathlib import Path

COUNTS = """\
version = 1
[data]
source = "people.csv"
[dimensions.region]
[dimensions.age]
[[rule]]
kind = "min_frequency"
n = 3
[protect]
"""
AMOUNTS = """\
version = 1
[data]
source = "people.csv"
[dimensions.region]
[dimensions.age]
[measure]
value = "income"
unit = "id"
[[rule]]
kind = "p_percent"
p = 10
[protect]
"""


def people() -> str:
    rows = ["id,region,age,income"]
    for i in range(240):
        region, age = f"r{(i * i + i // 7) % 6}", f"a{(i * 5 + i // 11) % 7}"
        rows.append(
            f"p{i},{region},{age},{20 + (i * 7919) % 301 * (1 + 9 * (i % 17 == 0))}"
        )
    return "\n".join(rows) + "\n"


def job(folder: Path, text: str) -> Path:
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    path = folder / "job.toml"
    path.write_text(text, encoding="utf-8")
    return path


def run(folder: Path, text: str) -> Any:
    return Job.load(job(folder, text)).run(folder / "out")


def published(folder: Path) -> list[int]:
    path = folder / "out" / "public" / "table.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return [int(row["value"]) for row in csv.DictReader(file)]


def test_a_rounded_table_is_published(tmp_path: Path) -> None:
    outcome = run(tmp_path, COUNTS + 'method = "round"\nbase = 5\n')
    assert outcome.exit_code == 0, outcome.message
    assert "hold another number" in outcome.message
    numbers = published(tmp_path)
    assert numbers
    assert not [number for number in numbers if number % 5]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["job"]["protect"]["algorithm"] == "controlled"
    assert manifest["method"] == "controlled"
    assert manifest["audit"]["run"] is True


@pytest.mark.parametrize(
    "keys",
    [
        'algorithm = "conventional"\nbase = 3\nties = "even"\n',
        'algorithm = "random"\nbase = 3\nkey = "office"\n',
        'algorithm = "small_counts"\nbase = 3\nlimit = 9\n',
        'algorithm = "controlled"\nbase = 3\nsteps = 1\n',
    ],
)
def test_every_method_has_its_keys(tmp_path: Path, keys: str) -> None:
    outcome = run(tmp_path, COUNTS + 'method = "round"\n' + keys)
    assert outcome.exit_code in {0, 3}, outcome.message
    assert (tmp_path / "out" / "manifest.json").is_file()


def test_an_adjusted_table_is_published(tmp_path: Path) -> None:
    keys = 'method = "adjust"\npreserve = [{region = "Total", age = "Total"}]\n'
    outcome = run(tmp_path, AMOUNTS + keys)
    assert outcome.exit_code == 0, outcome.message
    found = Job.load(tmp_path / "job.toml").assess()
    assert published(tmp_path)[0] == found.table.cells.value[0]
    assert outcome.summary["sensitive"] > 0
    assert outcome.summary["suppressed"] == 0


def test_job_and_python_make_the_same_numbers(tmp_path: Path) -> None:
    run(tmp_path, COUNTS + 'method = "round"\nbase = 3\nsteps = 1\n')
    found = Job.load(tmp_path / "job.toml").assess()
    release = tacit.round(found, base=3, steps=1)
    assert published(tmp_path) == release.published.tolist()


def test_the_key_is_in_no_file(tmp_path: Path) -> None:
    keys = 'method = "round"\nalgorithm = "random"\nbase = 3\nkey = "zebra-4711"\n'
    run(tmp_path, COUNTS + keys)
    for path in (tmp_path / "out").rglob("*.*"):
        assert b"zebra-4711" not in path.read_bytes(), path.name


def test_what_cannot_be_is_exit_code_4(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = 'method = "adjust"\nslack = 0\n'
    assert main(["run", str(job(tmp_path, AMOUNTS + keys))]) == 4
    said = " ".join(capsys.readouterr().err.split())
    assert "No table meets all demands" in said
    assert "no other cell may change by more than 0 %" in said
    assert not (tmp_path / "out").exists()


def test_a_base_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(tacit.errors.JobError) as error:
        Job.load(job(tmp_path, COUNTS + 'method = "round"\n'))
    assert "protect.base: is missing: the number of which every" in str(error.value)


def test_base_0_is_refused_in_the_job_too(tmp_path: Path) -> None:
    with pytest.raises(tacit.errors.JobError, match=r"protect\.base.*greater than 0"):
        Job.load(job(tmp_path, COUNTS + 'method = "round"\nbase = 0\n'))


def test_schema_and_python_have_the_same_names() -> None:
    schema = Job.schema()["$defs"]
    from tacit.protect._families import VERBS, family  # noqa: PLC0415

    for verb in VERBS:
        for name in family(verb).modules:
            title = f"{verb.title()}{name.title().replace('_', '')}"
            options = set(family(verb).module(name).Options.model_fields)
            held = set(schema[title]["properties"])
            assert held == options | {"method", "algorithm", "attackers"}, title
            described = schema[title]["properties"].values()
            assert all("description" in one for one in described), title
