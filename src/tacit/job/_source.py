# SPDX-License-Identifier: Apache-2.0
"""Columns of files, as text, for what a job needs beside the tabulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.errors import SourceError, suggest
from tacit.tabulate._engine import identifier, open_engine
from tacit.tabulate._files import arrow_dataset, find_files
from tacit.tabulate._source import reading

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa

__all__ = ["column_names", "distinct_rows", "read_columns"]


def read_columns(source: Path, columns: Sequence[str]) -> pa.Table:
    """Read columns of a file or glob; those of csv files are text."""
    names = ", ".join(identifier(name) for name in dict.fromkeys(columns))
    return _select(source, columns, f"SELECT {names}")


def distinct_rows(source: Path, columns: Sequence[str], *, strip: bool) -> pa.Table:
    """Read the different rows of some columns as text, sorted."""
    texts = [f"CAST({identifier(name)} AS VARCHAR)" for name in columns]
    texts = [f"TRIM({text})" for text in texts] if strip else texts
    names = ", ".join(
        f"{text} AS {identifier(name)}"
        for text, name in zip(texts, columns, strict=True)
    )
    return _select(source, columns, f"SELECT DISTINCT {names}", " ORDER BY ALL")


def column_names(source: Path) -> list[str]:
    """Names of the columns of a file or glob."""
    files = find_files(source)
    in_arrow = files.kind == "arrow"
    with open_engine(() if in_arrow else files.paths) as engine, reading(files):
        relation = "records"
        if in_arrow:
            engine.add(relation, arrow_dataset(files))
        else:
            relation = files.sql()
        return list(engine.types_of(relation))


def _select(
    source: Path, columns: Sequence[str], select: str, order: str = ""
) -> pa.Table:
    files = find_files(source)
    in_arrow = files.kind == "arrow"
    with open_engine(() if in_arrow else files.paths) as engine, reading(files):
        relation = "records"
        if in_arrow:
            engine.add(relation, arrow_dataset(files))
        else:
            relation = files.sql()
        held = engine.types_of(relation)
        for name in columns:
            if name not in held:
                message = (
                    f"'{source.name}' has no column '{name}'. {suggest(name, held)}"
                )
                raise SourceError(message)
        return engine.query(f"{select} FROM {relation}{order}")
