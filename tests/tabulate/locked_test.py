# SPDX-License-Identifier: Apache-2.0
"""The engine computes, and does nothing else."""

from __future__ import annotations

import importlib
import os
import stat
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

engine_room = importlib.import_module("tacit.tabulate._engine")


@pytest.mark.parametrize(
    "sql",
    [
        "INSTALL postgres",
        "LOAD postgres",
        "SET threads = 1",
        "SET enable_external_access = true",
        "SET allowed_paths = ['/']",
        "COPY (SELECT 1) TO 'leak.csv'",
        "ATTACH 'other.db'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_parquet('https://example.org/x.parquet')",
        "SELECT * FROM hidden",
    ],
)
def test_what_is_refused(sql: str) -> None:
    hidden = pa.table({"x": [1]})  # a variable of the caller is no table
    assert len(hidden) == 1
    with (
        engine_room.open_engine() as engine,
        pytest.raises(duckdb.Error),
    ):
        engine.query(sql)


def test_only_the_named_files_are_read(tmp_path: Path) -> None:
    for name in ("mine.csv", "theirs.csv"):
        (tmp_path / name).write_text("a\n1\n", encoding="utf-8")
    with engine_room.open_engine([str(tmp_path / "mine.csv")]) as engine:
        sql = "SELECT * FROM read_csv('{}')"
        assert len(engine.query(sql.format(tmp_path / "mine.csv"))) == 1
        with pytest.raises(duckdb.PermissionException):
            engine.query(sql.format(tmp_path / "theirs.csv"))


def test_it_spills_into_a_private_folder_that_goes() -> None:
    with engine_room.open_engine() as engine:
        spill = Path(engine.spill_folder)
        if os.name == "posix":
            assert stat.S_IMODE(spill.stat().st_mode) == 0o700
        setting = engine.query("SELECT current_setting('temp_directory') AS at")
        assert setting.column("at")[0].as_py() == str(spill)
    assert not spill.exists()


def test_the_folder_goes_after_a_failure_too() -> None:
    seen = []

    def fail() -> None:
        with engine_room.open_engine() as engine:
            seen.append(Path(engine.spill_folder))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not seen[0].exists()


def test_nothing_is_written_where_the_caller_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tacit import tabulate  # noqa: PLC0415

    monkeypatch.chdir(tmp_path)
    tabulate({"a": ["x", "y"], "n": [1, 2]}, by={"a": "all"}, value="n")
    assert list(tmp_path.iterdir()) == []


def in_bytes(setting: str) -> float:
    number, unit = setting.split()
    return float(number) * engine_room._UNITS[unit]


def test_the_limit_of_memory_is_half_of_the_machine() -> None:
    sql = "SELECT current_setting('memory_limit') AS m"
    with engine_room.open_engine() as engine:
        ours = in_bytes(engine.query(sql).column("m")[0].as_py())
    with duckdb.connect() as connection:
        proposed = in_bytes(connection.execute(sql).fetchone()[0])
    assert ours == pytest.approx(proposed * 0.625, rel=0.02)
