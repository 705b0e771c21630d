# SPDX-License-Identifier: Apache-2.0
"""The command: results on stdout, words on stderr, exit codes with a meaning."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tacit.cli import main

HOME = Path(__file__).resolve().parents[2]
OFFENDERS = str(HOME / "examples" / "offenders" / "job.toml")
SHIPS = str(HOME / "examples" / "offenders" / "ships.toml")

Captured = pytest.CaptureFixture[str]


def tacit(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    code = "import sys; from tacit.cli import main; sys.exit(main())"
    return subprocess.run(  # noqa: S603
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_version(capsys: Captured) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("tacit 0.")


def test_help_names_the_commands(capsys: Captured) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    for command in ("run", "assess", "schema"):
        assert command in out


def test_help_opens_nothing_heavy() -> None:
    code = (
        "import sys; from tacit.cli import main; main(['--help']); "
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"numpy", "pydantic", "duckdb", "scipy"} & set(done.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rnu"], "No such command 'rnu'"),
        (["run"], "Missing argument"),
        (["run", "job.toml", "--froce"], "No such option"),
        (["assess", "job.toml", "--cells", "many"], "--cells"),
    ],
)
def test_a_wrong_call_exits_2(
    capsys: Captured, arguments: list[str], words: str
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""


def test_an_error_exits_1_without_a_traceback(capsys: Captured, tmp_path: Path) -> None:
    job = tmp_path / "job.toml"
    job.write_text("version = 1\n[datta]\n[dimensions.a]\n")
    assert main(["run", str(job)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("tacit: The job file 'job.toml' has 3 problems.")
    assert "line 2: datta: unknown key. Did you mean 'data'?" in captured.err
    assert "Traceback" not in captured.err


def test_an_unknown_column_exits_1(capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("region,n\na,1\n")
    job = tmp_path / "job.toml"
    job.write_text(
        'version = 1\n[data]\nsource = "d.csv"\n[dimensions.regoin]\n'
        '[[rule]]\nkind = "min_frequency"\nn = 3\n'
    )
    assert main(["assess", str(job)]) == 1
    assert "no column 'regoin'. Did you mean 'region'?" in capsys.readouterr().err


def test_a_warning_is_a_line_of_words(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("r,n\na,1\na,2\n")
    job = tmp_path / "job.toml"
    job.write_text(
        'version = 1\n[data]\nsource = "d.csv"\n[dimensions.r]\n'
        '[measure]\nvalue = "n"\n[[rule]]\nkind = "p_percent"\np = 0.1\n'
    )
    done = tacit("assess", str(job))
    assert done.returncode == 0
    assert done.stderr.startswith("tacit: warning: 'p' is a percentage")
    assert ".py" not in done.stderr


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="needs a user who may not do all"
)
def test_a_folder_that_may_not_be_written(capsys: Captured, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert main(["run", SHIPS, "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.startswith("tacit: Permission denied: ")


def test_an_output_below_a_file(capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert main(["run", SHIPS, "--out", str(tmp_path / "file" / "out")]) == 1
    assert capsys.readouterr().err.startswith("tacit: File exists: ")


def test_debug_shows_the_traceback() -> None:
    done = tacit("--debug", "run", "absent.toml")
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_run_publishes_and_exits_0(capsys: Captured, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["run", SHIPS, "--out", str(out)]) == 0
    captured = capsys.readouterr()
    listed = [Path(line) for line in captured.out.splitlines()]
    assert out / "public" / "ships.csv" in listed
    assert all(path.is_file() for path in listed)
    assert "published as it is" in captured.err


def test_run_without_protection_exits_3(capsys: Captured, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["run", OFFENDERS, "--out", str(out), "--json"]) == 3
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert result["exit_code"] == 3
    assert result["summary"]["sensitive"] == 5
    assert result["summary"]["safe"] is False
    assert not any("public" in Path(path).parts for path in result["paths"])


def test_nothing_is_overwritten_without_force(capsys: Captured, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    assert main(["run", SHIPS, "--out", out]) == 0
    assert main(["run", SHIPS, "--out", out]) == 1
    assert "--force" in capsys.readouterr().err
    assert main(["run", SHIPS, "--out", out, "--force"]) == 0


def test_assess_counts_by_rule_and_level(capsys: Captured) -> None:
    assert main(["assess", OFFENDERS]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "persons by group x offence"
    assert lines[1] == "21 cells, 5 sensitive (26.3 %)"
    assert "group_disclosure 5 5" in lines
    assert "group total 3 1 33.3" in lines
    assert "1 18 4 22.2" in lines


def test_assess_lists_cells_when_asked(capsys: Captured) -> None:
    assert main(["assess", OFFENDERS, "--cells", "2"]) == 0
    out = capsys.readouterr().out
    assert "Confidential: do not publish" in out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert any(line.startswith("All yes 29") for line in lines)
    assert any(line.startswith("B yes 14") for line in lines)
    assert not any(line.startswith("A yes") for line in lines)


def test_assess_in_json(capsys: Captured) -> None:
    assert main(["assess", OFFENDERS, "--json", "--cells", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["internal"] is True
    assert found["sensitive"] == 5
    assert found["by_level"]["offence"][1] == {
        "level": 1,
        "cells": 14,
        "sensitive": 5,
    }
    assert [cell["persons"] for cell in found["cells_listed"]] == [29]


def test_the_schema_is_json(capsys: Captured) -> None:
    assert main(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["required"] == ["version", "data", "dimensions"]


def test_the_log_goes_to_stderr(capsys: Captured, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    assert main(["-vv", "run", SHIPS, "--out", out, "--json"]) == 0
    captured = capsys.readouterr()
    assert "INFO tacit.job" in captured.err
    json.loads(captured.out)


def test_a_reader_who_leaves_early_is_no_error() -> None:
    code = "import sys; from tacit.cli import main; sys.exit(main(['schema']))"
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


@pytest.mark.skipif(os.name == "nt", reason="signals work otherwise there")
def test_stopping_leaves_nothing_behind(tmp_path: Path) -> None:
    rows = "".join(f"{n % 997},{n % 991},{n}\n" for n in range(600_000))
    (tmp_path / "d.csv").write_text("a,b,n\n" + rows)
    (tmp_path / "job.toml").write_text(
        'version = 1\n[data]\nsource = "d.csv"\n[dimensions.a]\n[dimensions.b]\n'
        '[measure]\nvalue = "n"\n[[rule]]\nkind = "min_frequency"\nn = 3\n'
        '[output]\ninternal = ["csv", "xlsx"]\n'
    )
    code = (
        "import sys, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from tacit.cli import main; sys.exit(main())"
    )
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", code, "-v", "run", str(tmp_path / "job.toml")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "assessed" in line:
                break
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait() == 130, rest
    assert "Stopped. Nothing was written." in rest
    assert {path.name for path in tmp_path.iterdir()} == {"d.csv", "job.toml"}
