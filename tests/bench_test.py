# SPDX-License-Identifier: Apache-2.0
"""The runner of benchmarks finds them, runs one, and refuses what it does not know."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1] / "bench"


def runner(*arguments: str, folder: Path = BENCH) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own script
        [sys.executable, str(folder / "run.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def with_benchmark(folder: Path, text: str) -> Path:
    (folder / "run.py").write_text((BENCH / "run.py").read_text(encoding="utf-8"))
    (folder / "small.py").write_text(f'"""A small one."""\n\n{text}\n')
    return folder


def test_every_benchmark_says_what_it_measures() -> None:
    lines = runner("--list").stdout.splitlines()
    assert len(lines) > 1
    assert all(len(line.split(maxsplit=1)) > 1 for line in lines)


def test_an_unknown_name_is_a_wrong_call() -> None:
    done = runner("nothing_of_the_kind")
    assert done.returncode == 2
    assert "import_time" in done.stdout


def test_rows_are_shown_and_kept_with_the_machine(tmp_path: Path) -> None:
    body = 'def run():\n    return [{"what": "a", "cpu_s": 0.5, "met": True}]'
    done = runner("small", folder=with_benchmark(tmp_path, body))
    assert done.returncode == 0
    assert "cpu_s" in done.stdout
    report = json.loads((tmp_path / "results" / "small.json").read_text())
    assert report["rows"] == [{"what": "a", "cpu_s": 0.5, "met": True}]
    assert report["machine"]["versions"]["tacit"]
    assert report["process"]["cpu_s"] > 0


def test_a_missed_target_and_a_failure_are_not_success(tmp_path: Path) -> None:
    body = 'def run():\n    return [{"what": "a", "met": False}]'
    assert runner("small", folder=with_benchmark(tmp_path, body)).returncode == 1
    body = "def run():\n    raise ValueError"
    assert runner("small", folder=with_benchmark(tmp_path, body)).returncode == 1
