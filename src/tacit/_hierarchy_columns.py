# SPDX-License-Identifier: Apache-2.0
"""Code lists in the columns of a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit._hierarchy_build import as_text
from tacit.errors import HierarchyError, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["rows_of_columns"]


def rows_of_columns(
    frame: Any,  # noqa: ANN401 - whatever Narwhals takes
    columns: Sequence[str],
    *,
    total: str,
) -> tuple[list[str], list[str]]:
    """Return each code of the columns and its parent."""
    above: dict[str, str] = {}
    kinds: dict[tuple[str, int], str] = {}
    for row in _distinct_rows(frame, columns):
        parent = total
        for level, code in enumerate(_path_of(row, columns)):
            _check_repeat(code, parent, kinds, (columns, level))
            if code == parent:
                continue
            if above.setdefault(code, parent) != parent:
                message = (
                    f"Column '{columns[level]}': code '{code}' has two parents, "
                    f"'{above[code]}' and '{parent}'. It would be counted in both: "
                    "correct the rows, or give the two codes different names."
                )
                raise HierarchyError(message)
            parent = code
    return list(above), list(above.values())


def _check_repeat(
    code: str,
    parent: str,
    kinds: dict[tuple[str, int], str],
    where: tuple[Sequence[str], int],
) -> None:
    """Refuse a code that is one of several parts of itself."""
    columns, level = where
    first = kinds.setdefault((parent, level), code)
    if first != code and parent in (first, code):
        other = code if first == parent else first
        message = (
            f"Column '{columns[level]}': code '{parent}' stands beside '{other}' as a "
            "part of itself. One code cannot be both a total and one of its parts: "
            f"rename one of the two '{parent}'."
        )
        raise HierarchyError(message)


def _distinct_rows(frame: Any, columns: Sequence[str]) -> list[tuple[Any, ...]]:  # noqa: ANN401
    import narwhals as nw  # noqa: PLC0415 - loads when a frame is given

    if isinstance(columns, str) or not columns:
        message = f"columns={columns!r} must list the columns from coarse to fine."
        raise HierarchyError(message)
    if isinstance(frame, dict):
        frame = _table_of(frame)
    native = nw.from_native(frame, pass_through=True)
    if native is frame:
        message = (
            f"from_columns takes a frame, not a {type(frame).__name__}. Give a pandas, "
            "polars or pyarrow frame, or a dict of lists."
        )
        raise HierarchyError(message)
    schema = native.collect_schema()
    for name in columns:
        if name not in schema.names():
            message = f"No column '{name}' in the frame. {suggest(name, schema)}"
            raise HierarchyError(message)
        if schema[name].is_numeric() or schema[name].is_temporal():
            message = (
                f"Column '{name}' holds {schema[name]}, but codes are text: as numbers "
                "'01' would become 1. Read the column as text (dtype=str)."
            )
            raise HierarchyError(message)
    chosen = native.select(*dict.fromkeys(columns))
    if isinstance(chosen, nw.LazyFrame):
        found = chosen.unique().collect()
        rows = sorted(
            found.select(*columns).iter_rows(),
            key=lambda row: tuple("" if item is None else str(item) for item in row),
        )
        return list(rows)
    return list(chosen.unique(maintain_order=True).select(*columns).iter_rows())


def _path_of(row: Iterable[Any], columns: Sequence[str]) -> list[str]:
    """Codes of one row, as far as they go."""
    path: list[str] = []
    ended = ""
    for name, item in zip(columns, row, strict=True):
        missing = item is None or item != item or item == ""  # noqa: PLR0124 - NaN
        if missing:
            ended = ended or name
        elif ended:
            message = (
                f"Column '{name}' holds the code '{item}' in a row where the coarser "
                f"column '{ended}' is empty, so its parent is unknown. Fill the "
                "coarser column."
            )
            raise HierarchyError(message)
        else:
            path.append(as_text(item, f"code in column '{name}'"))
    return path


def _table_of(lists: dict[str, Any]) -> Any:  # noqa: ANN401
    import pyarrow as pa  # noqa: PLC0415 - only for what is no frame yet

    lengths = {name: len(column) for name, column in lists.items()}
    if len(set(lengths.values())) > 1:
        message = f"The columns are not equally long: {lengths}."
        raise HierarchyError(message)
    return pa.table(lists)
