# SPDX-License-Identifier: Apache-2.0
"""Anything that holds records, made a relation that one query can reduce."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import SourceError, suggest
from tacit.table._frames import frame_kind, to_arrow
from tacit.tabulate._engine import Engine, identifier, open_engine
from tacit.tabulate._files import Files, arrow_dataset, find_files, is_path, not_utf8
from tacit.tabulate._parse import Column
from tacit.tabulate._pushdown import push_down

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from tacit.tabulate._spec import Spec

__all__ = ["Source", "open_source", "reading"]

_CODE_FAMILIES = {"text", "null"}
_AMOUNT_FAMILIES = {"integer", "decimal", "float", "text", "null"}
_FLAG_FAMILIES = {"bool", "integer", "text", "null"}


@dataclass(frozen=True, eq=False)
class Source:
    """A relation of the engine, its columns, and what was already done to it."""

    engine: Engine
    relation: str
    columns: Mapping[str, Column]
    kind: str
    """Kind of frame that results go back in."""
    reduced: bool = False
    """Whether records were added up where they lay (see ``_pushdown``)."""
    in_order: bool = True
    """Whether a row number means something to the user."""

    def column(self, name: str) -> Column:
        """Look a column up."""
        return self.columns[name]


@contextmanager
def open_source(given: Any, spec: Spec) -> Iterator[Source]:  # noqa: ANN401
    """Open the source in an engine that can read it and nothing else."""
    files = find_files(given) if is_path(given) else None
    paths = files.paths if files is not None and files.kind != "arrow" else ()
    with open_engine(paths) as engine:
        source = (
            _from_frame(engine, given, spec)
            if files is None
            else _from_files(engine, files, spec)
        )
        _check_types(source, spec)
        yield source


def _from_files(engine: Engine, files: Files, spec: Spec) -> Source:
    if files.kind == "arrow":
        engine.add("records", arrow_dataset(files))
        relation = "records"
    else:
        relation = files.sql()
    with reading(files):
        types = engine.types_of(relation)
    _require(spec.names, types)
    columns = {
        name: Column(name, types[name], place) for name, place in _places(spec).items()
    }
    chosen = ", ".join(
        f"{identifier(column.name)} AS {column.sql}" for column in columns.values()
    )
    return Source(engine, f"(SELECT {chosen} FROM {relation})", columns, "pyarrow")


def _places(spec: Spec) -> dict[str, str]:
    """What each column is called in the relation: nothing that a user would say."""
    return {name: f"column {k}" for k, name in enumerate(dict.fromkeys(spec.names))}


def _from_frame(engine: Engine, given: Any, spec: Spec) -> Source:  # noqa: ANN401
    kind = frame_kind(given)
    rows = push_down(given, spec)
    reduced = rows is not None
    if rows is None:
        rows = to_arrow(_as_frame(given), spec.names)
    places = _places(spec)
    rows = rows.rename_columns([places.get(name, name) for name in rows.column_names])
    engine.add("records", _with_types(rows))
    types = engine.types_of("records")
    columns = {name: Column(name, types[at], at) for name, at in places.items()}
    return Source(engine, "records", columns, kind, reduced=reduced)


def _as_frame(given: Any) -> Any:  # noqa: ANN401
    """Make a table of the Arrow things that are not frames."""
    import pyarrow as pa  # noqa: PLC0415 - heavy, only where needed
    from pyarrow import dataset  # noqa: PLC0415

    if isinstance(given, dataset.Dataset):
        return given.to_table()
    if isinstance(given, pa.RecordBatchReader):
        return given.read_all()
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given])
    return given


def _with_types(rows: pa.Table) -> pa.Table:
    """Take columns that hold nothing at all, and so have no type, for text."""
    import pyarrow as pa  # noqa: PLC0415

    for i, field in enumerate(rows.schema):
        if pa.types.is_null(field.type):
            rows = rows.set_column(i, field.name, rows[field.name].cast(pa.string()))
    return rows


def _require(names: list[str], held: Mapping[str, str]) -> None:
    for name in names:
        if name not in held:
            message = f"The data have no column '{name}'. {suggest(name, held)}"
            raise SourceError(message)


def _check_types(source: Source, spec: Spec) -> None:
    for dimension, column_name in spec.columns.items():
        family = source.column(column_name).family
        if family not in _CODE_FAMILIES:
            raise SourceError(_codes_are_text(dimension, column_name, family))
    for role, name, families in (
        ("value", spec.value, _AMOUNT_FAMILIES),
        ("size", spec.size, _AMOUNT_FAMILIES),
        ("weight", spec.weight, _AMOUNT_FAMILIES),
        ("cost", spec.cost, _AMOUNT_FAMILIES),
        ("record_key", spec.record_key, _AMOUNT_FAMILIES),
        ("waiver", spec.waiver, _FLAG_FAMILIES),
        ("request", spec.request, _FLAG_FAMILIES),
    ):
        if name is None:
            continue
        column = source.column(name)
        if column.family not in families:
            wanted = "numbers" if families is _AMOUNT_FAMILIES else "a yes or no"
            message = (
                f"Column '{name}' ({role}) is of type {column.type}, not {wanted}."
            )
            raise SourceError(message)
    for role, ids in (("unit", spec.unit), ("holding", spec.holding)):
        if ids is not None and "[" in source.column(ids).type:
            message = f"Column '{ids}' ({role}) holds lists. An id is one value."
            raise SourceError(message)


def _codes_are_text(dimension: str, name: str, family: str) -> str:
    words = {"integer": "whole numbers", "float": "numbers", "decimal": "numbers"}
    return (
        f"Dimension '{dimension}': column '{name}' holds "
        f"{words.get(family, 'values')}, but codes are text: as a number, '01' has "
        "become 1. Read the column as text (pandas: dtype={'"
        f"{name}': str}}; polars: schema_overrides={{'{name}': pl.String}}), or turn "
        "numbers that never had leading zeros into text yourself."
    )


@contextmanager
def reading(files: Files | None = None) -> Iterator[None]:
    """Turn what DuckDB says while it reads into words without any data in them."""
    import duckdb  # noqa: PLC0415 - heavy, only where needed

    try:
        yield
    except duckdb.Error as error:
        raise SourceError(_in_words(str(error), files)) from None


def _in_words(text: str, files: Files | None) -> str:
    file = re.search(r"^\s*file = (.+)$", text, re.MULTILINE)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    name = Path(file.group(1).strip()).name if file else "the source"
    if files is not None and not file and len(files.paths) == 1:
        name = Path(files.paths[0]).name
    where = f" in line {int(line.group(1)):,}" if line else ""
    lower = text.lower()
    if "unicode" in lower or "utf-8" in lower or "utf8" in lower:
        return not_utf8(name)
    if "expected number of columns" in lower or "too many columns" in lower:
        return (
            f"'{name}' has{where} another number of fields than its first line. Is a "
            "text with the delimiter in it not quoted?"
        )
    if "quote" in lower and line:
        return f"'{name}' has{where} a quote that is not closed, or not doubled."
    if "out of memory" in lower:
        return (
            "The source does not fit into half of the memory of this machine, even "
            "with spilling to disk. Use a machine with more memory or disk space."
        )
    first = text.split("Error:", maxsplit=1)[0].strip() or "error"
    return f"'{name}' could not be read{where} ({first.lower()} error)."
