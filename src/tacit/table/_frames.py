# SPDX-License-Identifier: Apache-2.0
"""The only door between frames of any library and the arrays of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import SourceError, suggest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

__all__ = ["frame_kind", "to_arrow", "to_frame"]

_EAGER = ("pandas", "polars", "pyarrow", "modin", "cudf")
DEFAULT_KIND = "pyarrow"


def frame_kind(native: object) -> str:
    """Name the library of a frame, so that results can go back in the same kind.

    Whatever cannot hold a finished table in memory (a database relation, a Spark
    frame, a dict, a path) gets its results in pyarrow.

    >>> frame_kind({"a": [1]})
    'pyarrow'
    """
    if type(native).__module__.split(".")[0] == "narwhals":
        native = native.to_native()  # type: ignore[attr-defined]
    roots = {parent.__module__.split(".")[0] for parent in type(native).__mro__}
    return next((kind for kind in _EAGER if kind in roots), DEFAULT_KIND)


def to_frame(columns: Mapping[str, Any], kind: str = DEFAULT_KIND) -> Any:  # noqa: ANN401 - a frame of any library
    """Make a frame of the given kind from arrays; masked entries become nulls.

    >>> to_frame({"a": [1, 2]}).to_pydict()
    {'a': [1, 2]}
    """
    table = _arrow_table(columns)
    if kind == "pyarrow":
        return table
    if kind == "pandas":
        return _to_pandas(table, columns)
    if kind == "polars":
        import polars as pl  # noqa: PLC0415 - only for its own users

        return pl.from_arrow(table)
    import narwhals as nw  # noqa: PLC0415

    if kind not in _EAGER:
        message = f"No frames of kind '{kind}'. {suggest(kind, _EAGER)}"
        raise SourceError(message)
    return nw.from_arrow(table, backend=kind).to_native()  # type: ignore[arg-type]


def to_arrow(native: Any, names: Sequence[str]) -> pa.Table:  # noqa: ANN401
    """Take the named columns of any frame, a dict of lists included, as arrow."""
    import narwhals as nw  # noqa: PLC0415 - heavy, only where needed
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(native, dict):
        _require_columns(names, list(native))
        return _dict_to_arrow(native, names)
    try:
        frame = nw.from_native(native)
    except TypeError:
        message = (
            f"A {type(native).__name__} is not a frame. Give a pandas, polars or "
            "pyarrow frame, a DuckDB relation, or a dict of lists."
        )
        raise SourceError(message) from None
    _require_columns(names, frame.collect_schema().names())
    chosen = frame.select(*dict.fromkeys(names))
    if isinstance(chosen, nw.LazyFrame):
        chosen = chosen.collect("pyarrow")
    try:
        return chosen.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise SourceError(_mixed(_mixed_column(chosen, names))) from None


def _dict_to_arrow(native: Mapping[str, Any], names: Sequence[str]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    arrays = {}
    for name in dict.fromkeys(names):
        try:
            arrays[name] = pa.array(native[name], from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
            raise SourceError(_mixed(name)) from None
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        message = f"The columns are not equally long: {lengths}."
        raise SourceError(message)
    return pa.table(arrays)


def _mixed_column(frame: Any, names: Sequence[str]) -> str:  # noqa: ANN401
    import pyarrow as pa  # noqa: PLC0415

    for name in names:
        try:
            frame.select(name).to_arrow()
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            return name
    return names[0]


def _mixed(name: str) -> str:
    return (
        f"Column '{name}' mixes types (text and numbers, say), so it cannot be read "
        "without guessing. Make it one type: text for codes, numbers for amounts."
    )


def _require_columns(names: Sequence[str], held: Sequence[str]) -> None:
    for name in names:
        if f"\ufeff{name}" in held:
            message = (
                f"The column '{name}' begins with a byte order mark. Read the file "
                "with the encoding 'utf-8-sig', or rename the column."
            )
            raise SourceError(message)
        if name not in held:
            message = f"The data have no column '{name}'. {suggest(name, held)}"
            raise SourceError(message)


def _arrow_table(columns: Mapping[str, Any]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 - heavy, only where needed

    return pa.table({name: _arrow_array(column) for name, column in columns.items()})


def _arrow_array(column: Any) -> pa.Array:  # noqa: ANN401 - array or sequence
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(column, np.ma.MaskedArray):
        return pa.array(column.data, mask=np.ma.getmaskarray(column))
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        return column
    return pa.array(column)


def _to_pandas(table: pa.Table, columns: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Keep masked integers integers: pandas would turn them into floats."""
    frame = table.to_pandas()
    for name, column in columns.items():
        if isinstance(column, np.ma.MaskedArray) and column.dtype.kind in "iu":
            frame[name] = table.select([name]).to_pandas(
                types_mapper=_nullable_integers
            )[name]
    return frame


def _nullable_integers(kind: pa.DataType) -> object:
    import pandas as pd  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    return pd.Int64Dtype() if pa.types.is_integer(kind) else None
