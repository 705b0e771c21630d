# SPDX-License-Identifier: Apache-2.0
"""A private DuckDB that can do nothing but compute."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

__all__ = ["Engine", "identifier", "literal", "open_engine"]

# Nothing is fetched, installed or looked up in the caller's variables.
_LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
}
_UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_SHARE_OF_MEMORY = 0.5 / 0.8  # DuckDB proposes 80 %; we take half


@dataclass(frozen=True, eq=False)
class Engine:
    """A locked connection; queries give arrow, tables come in as arrow."""

    connection: Any
    spill_folder: str

    def query(self, sql: str) -> pa.Table:
        """Run one statement and hand its rows back."""
        return self.connection.sql(sql).to_arrow_table()

    def run(self, sql: str) -> None:
        """Run a statement that gives no rows."""
        self.connection.execute(sql)

    def add(self, name: str, rows: Any) -> None:  # noqa: ANN401 - table, dataset, reader
        """Let queries see arrow data under a name, without copying them."""
        self.connection.register(name, rows)

    def remove(self, name: str) -> None:
        """Forget what :meth:`add` gave, so that its memory can go."""
        self.connection.unregister(name)

    def keep(self, name: str, rows: pa.Table) -> None:
        """Copy arrow rows into a table of the engine, which it scans fastest."""
        self.add("incoming", rows)
        self.run(f"CREATE TEMP TABLE {identifier(name)} AS SELECT * FROM incoming")
        self.remove("incoming")

    def types_of(self, relation: str) -> Mapping[str, str]:
        """Type of every column of a relation."""
        rows = self.query(f"SELECT * FROM (DESCRIBE SELECT * FROM {relation})")
        names, types = rows.column("column_name"), rows.column("column_type")
        return dict(zip(names.to_pylist(), types.to_pylist(), strict=True))


@contextmanager
def open_engine(paths: Sequence[str] = ()) -> Iterator[Engine]:
    """Open a connection that reads the given files and no others.

    It spills into a folder that only this user can enter and that goes when the
    connection does. Its configuration cannot be changed once it is open.

    >>> with open_engine() as engine:
    ...     engine.query("SELECT 1 AS one").to_pylist()
    [{'one': 1}]
    """
    import duckdb  # noqa: PLC0415 - heavy, only where something is tabulated

    with tempfile.TemporaryDirectory(
        prefix="tacit-", ignore_cleanup_errors=True
    ) as spill:
        connection = duckdb.connect(":memory:", config=_LOCKED)
        try:
            _lock(connection, spill, paths)
            yield Engine(connection, spill)
        finally:
            connection.close()


def _lock(connection: Any, spill: str, paths: Sequence[str]) -> None:  # noqa: ANN401
    allowed = ", ".join(literal(path) for path in paths)
    proposed = connection.execute(
        "SELECT current_setting('memory_limit'), current_setting('threads')"
    ).fetchone()
    connection.execute(f"SET temp_directory = {literal(spill)}")
    connection.execute(f"SET memory_limit = '{_half_of_memory(proposed[0])}'")
    connection.execute(f"SET threads = {int(proposed[1])}")
    if paths:
        connection.execute(f"SET allowed_paths = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _half_of_memory(proposed: str) -> str:
    """Turn the limit that DuckDB proposes into half of the machine, in bytes.

    >>> _half_of_memory("8.0 GiB")
    '5120MiB'
    """
    number, unit = proposed.split()
    return f"{int(float(number) * _UNITS[unit] * _SHARE_OF_MEMORY) // 2**20}MiB"


def identifier(name: str) -> str:
    """Quote a name for SQL.

    >>> identifier('a "b" c')
    '"a ""b"" c"'
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text for SQL.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
