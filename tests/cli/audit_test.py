# SPDX-License-Identifier: Apache-2.0
"""``tacit audit`` and ``tacit verify``, as somebody at a terminal sees them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tacit.cli import main
from tacit.job import Job

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = "district,size,turnover\n" + "".join(
    f"{district},{size},{n}\n"
    for n, (district, size) in enumerate(
        [(d, s) for d in ("A1", "A2", "B1") for s in ("1", "2")], start=1
    )
)
JOB = """version = 1
[data]
source = "firms.csv"
[dimensions.region]
column = "district"
hierarchy = {digits = [1, 1]}
[dimensions.size]
[[rule]]
kind = "min_frequency"
n = 3
"""
PUBLISHED = """region,size,count
Total,Total,60
A,Total,40
A1,Total,25
A2,Total,15
B,Total,20
B1,Total,20
Total,1,33
A,1,21
A1,1,12
A2,1,9
B,1,12
B1,1,12
Total,2,27
A,2,19
A1,2,13
A2,2,x
B,2,8
B1,2,8
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "firms.csv").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
    (tmp_path / "table.csv").write_text(PUBLISHED, encoding="utf-8")
    return tmp_path


def audit(folder: Path, *more: str) -> int:
    job = str(folder / "job.toml")
    return main(["audit", str(folder / "table.csv"), "--job", job, *more])


def test_what_is_given_away_is_shown(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = audit(folder, "--value", "count")
    out, err = capsys.readouterr()
    assert code == 0, err  # 6 is no small count by the rule of the job
    (folder / "job.toml").write_text(JOB.replace("n = 3", "n = 7"), encoding="utf-8")
    assert audit(folder, "--value", "count") == 3
    out, _ = capsys.readouterr()
    assert "Not safe: 1 exact" in out
    assert "A2" in out
    assert "Not checked: insiders" in out


def test_amounts_have_the_decimals_of_the_table(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = JOB.replace("[dimensions.size]\n", '[measure]\nvalue = "turnover"\n')
    (folder / "job.toml").write_text(text, encoding="utf-8")
    lines = ["region,turnover", "Total,20.25", "A,x", "B,8.15", "A1,x", "A2,x", "B1,x"]
    (folder / "table.csv").write_text("\n".join(lines), encoding="utf-8")
    assert audit(folder) == 3
    out, _ = capsys.readouterr()
    rows = [line.split() for line in out.splitlines()]
    assert ["A1", "0.00", "12.10"] in rows
    assert ["A", "exact", "12.10", "12.10", "Follows"] in [row[:5] for row in rows]


def test_json_for_programs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "job.toml").write_text(JOB.replace("n = 3", "n = 7"), encoding="utf-8")
    assert audit(folder, "--value", "count", "--json") == 3
    found = json.loads(capsys.readouterr().out)
    assert not found["safe"]
    assert found["exact"] == 1
    (row,) = found["violations"]
    assert (row["region"], row["size"], row["lowest"]) == ("A2", "2", 6)
    assert "A = A1 + A2" in row["why"] or "Total = 1 + 2" in row["why"]


def test_a_page_for_readers(folder: Path) -> None:
    page = folder / "audit.html"
    assert audit(folder, "--value", "count", "--html", str(page)) == 0
    text = page.read_text(encoding="utf-8")
    assert "<h1>Audit of count</h1>" in text
    assert "Internal" not in text
    assert audit(folder, "--value", "count", "--html", str(page)) == 1


def test_a_file_that_does_not_fit_the_job(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PUBLISHED.replace("region,", "place,")
    (folder / "table.csv").write_text(text, encoding="utf-8")
    assert audit(folder, "--value", "count") == 1
    err = capsys.readouterr().err
    assert "does not fit the job" in err
    assert "'region'" in err


def test_a_column_of_numbers_that_is_not_there(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit(folder) == 1
    err = capsys.readouterr().err
    assert "no column of numbers" in err
    assert "Valid names: 'count'" in err


def test_an_undeclared_sign_and_its_declaration(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "table.csv").write_text(PUBLISHED.replace(",x", ",n.a."))
    assert audit(folder, "--value", "count") == 1
    err = " ".join(capsys.readouterr().err.split())
    assert "row 16: nobody declared what 'n.a.' means" in err
    assert "Withheld: 'x', ':', '..', 'c', ''; zero: '-'." in err
    assert "add it to symbols= (--symbol)" in err
    assert audit(folder, "--value", "count", "--symbol", "n.a.") == 0


def test_printed_intervals_are_columns(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, *rows = PUBLISHED.splitlines()
    ends = {"A2,2,x": "5,7", "A1,2,13": "12,14"}
    text = "\n".join([f"{head},from,to", *(f"{r},{ends.get(r, ',')}" for r in rows)])
    (folder / "table.csv").write_text(text.replace("A1,2,13", "A1,2,x"))
    (folder / "job.toml").write_text(JOB.replace("n = 3", "n = 8"), encoding="utf-8")
    assert audit(folder, "--value", "count", "--lower", "from", "--upper", "to") == 3
    out, _ = capsys.readouterr()
    assert "Not safe: 1 exact" in out
    assert audit(folder, "--value", "count", "--lower", "form") == 1
    assert "no column 'form'. Did you mean 'from'" in capsys.readouterr().err


def test_numbers_below_zero_must_be_said_to_be_possible(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = JOB.replace("[[rule]]", '[measure]\nvalue = "turnover"\n[[rule]]')
    text = text.replace("[dimensions.size]\n", "")
    (folder / "job.toml").write_text(text, encoding="utf-8")
    lines = ["region,turnover", "Total,5", "A,9", "B,x", "A1,9", "B1,x"]
    (folder / "table.csv").write_text("\n".join(lines), encoding="utf-8")
    assert audit(folder) == 1
    err = " ".join(capsys.readouterr().err.split())
    assert "contradicts itself" in err
    assert "(--negative)" in err
    assert audit(folder, "--negative") == 3
    assert "-4" in capsys.readouterr().out


def test_a_code_that_the_job_does_not_know(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "table.csv").write_text(PUBLISHED.replace("B1,Total", "C9,Total"))
    assert audit(folder, "--value", "count") == 1
    assert "no code 'C9'" in capsys.readouterr().err


def test_a_contradiction_is_told_in_words(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "table.csv").write_text(PUBLISHED.replace("A1,2,13", "A1,2,31"))
    assert audit(folder, "--value", "count") == 1
    err = capsys.readouterr().err
    assert "contradicts itself" in err
    assert "A = A1 + A2" in err or "Total = 1 + 2" in err


def test_a_run_is_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cells.csv").write_text(
        "size,turnover,s\na,50,sensitive\nb,40,suppressed\nc,60,safe\n"
    )
    (tmp_path / "job.toml").write_text(
        'version = 1\n[data]\nsource = "cells.csv"\nkind = "cells"\n'
        '[dimensions.size]\n[measure]\nvalue = "turnover"\nstate = "s"\n'
        "[assess]\nmargin = 10\n"
    )
    assert Job.load(tmp_path / "job.toml").run().exit_code == 0
    out = tmp_path / "out"
    assert main(["verify", str(out)]) == 0
    assert "checked without a solver" in capsys.readouterr().out
    table = out / "public" / "table.csv"
    table.write_text(table.read_text().replace("60", "61"))
    assert main(["verify", str(out), "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert not found["holds"]
    assert len(found["problems"]) == 2
    assert main(["verify", str(tmp_path)]) == 1
