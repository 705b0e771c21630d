# SPDX-License-Identifier: Apache-2.0
"""The examples run as they stand, and their pages say what they give."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.cli import main
from tacit.job import Job

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def shown_in(page: Path, command: str) -> list[str]:
    """Lines that the page shows below a command, up to dots or the next command."""
    lines = page.read_text(encoding="utf-8").splitlines()
    shown = lines[lines.index(f"$ {command}") + 1 :]
    ends = (n for n, line in enumerate(shown) if line.startswith(("$", "`", "...")))
    return shown[: next(ends)]


@pytest.fixture(scope="module")
def turnover(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("turnover")
    for name in ("generate.py", "job.toml"):
        shutil.copy(EXAMPLES / "turnover" / name, folder)
    done = subprocess.run(  # noqa: S603
        [sys.executable, str(folder / "generate.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    command = "python examples/turnover/generate.py"
    page = EXAMPLES / "turnover" / "README.md"
    assert done.stdout.splitlines() == shown_in(page, command)
    return folder


def test_turnover_is_assessed(
    turnover: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["assess", str(turnover / "job.toml")]) == 0
    page = EXAMPLES / "turnover" / "README.md"
    shown = shown_in(page, "tacit assess examples/turnover/job.toml")
    assert capsys.readouterr().out.splitlines()[: len(shown)] == shown


def test_turnover_without_protection_is_not_published(
    turnover: Path, tmp_path: Path
) -> None:
    outcome = Job.load(turnover / "job.toml").run(tmp_path / "out")
    assert outcome.exit_code == 3
    assert not list((tmp_path / "out" / "public").iterdir())
    assert (tmp_path / "out" / "internal" / "table.internal.xlsx").is_file()


def test_groups_of_firms_are_one_contributor(turnover: Path) -> None:
    table = Job.load(turnover / "job.toml").tabulate()
    rows = (turnover / "firms.csv").read_text(encoding="utf-8").splitlines()[1:]
    groups = {row.split(",")[1] for row in rows}
    assert table.evidence is not None
    assert table.evidence.contributors[table.find({})] == len(groups)


@pytest.mark.parametrize(
    ("name", "code", "sensitive"), [("job", 3, 5), ("ships", 0, 0)]
)
def test_the_ship_owners(tmp_path: Path, name: str, code: int, sensitive: int) -> None:
    job = Job.load(EXAMPLES / "offenders" / f"{name}.toml")
    outcome = job.run(tmp_path / "out")
    assert outcome.exit_code == code
    assert outcome.summary["sensitive"] == sensitive


def test_which_ship_owners_are_disclosed() -> None:
    assessment = Job.load(EXAMPLES / "offenders" / "job.toml").assess()
    table = assessment.table
    unsafe = {
        group
        for group in ("A", "B", "C", "D", "E", "F", "All")
        if assessment.sensitive[table.index(group=group, offence="yes")]
    }
    assert unsafe == {"A", "B", "C", "E", "All"}


def test_the_page_of_the_ship_owners_shows_what_comes_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "examples" / "offenders"
    shutil.copytree(
        EXAMPLES / "offenders", folder, ignore=shutil.ignore_patterns("out")
    )
    monkeypatch.chdir(tmp_path)
    page = EXAMPLES / "offenders" / "README.md"
    command = "run examples/offenders/ships.toml"
    assert main(command.split()) == 0
    captured = capsys.readouterr()
    assert (captured.out + captured.err).splitlines() == shown_in(
        page, f"tacit {command}"
    )
