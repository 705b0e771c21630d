# SPDX-License-Identifier: Apache-2.0
"""Comma-separated values in long form, one row a cell.

UTF-8 without a mark, decimal point, lines end with a line feed; every text is quoted,
numbers are not, nothing stands where nothing is published. Quotes do not stop a
spreadsheet from reading ``=1+1`` as a formula: codes and labels go out as they came,
so import the file as text where they are not your own; xlsx writes them as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError
from tacit.publish._view import decimal_text
from tacit.table import State

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from tacit.publish._formats import Layout
    from tacit.publish._view import Secrets, View

_ROWS_AT_ONCE = 100_000


def ready() -> None:
    """Need nothing more than tacit itself."""


def write(view: View, path: Path, layout: Layout) -> None:  # noqa: ARG001 - no signs
    """Write one row a cell."""
    from pyarrow import csv  # noqa: PLC0415

    _check_names(view)
    options = csv.WriteOptions(quoting_style="needed")
    first = _batch(view, slice(0, 0))
    with csv.CSVWriter(path, first.schema, write_options=options) as out:
        for start in range(0, len(view), _ROWS_AT_ONCE):
            out.write_table(_batch(view, slice(start, start + _ROWS_AT_ONCE)))


def _check_names(view: View) -> None:
    names = [name for d in view.dimensions for name in (d.name, f"{d.name}_label")]
    names += ["value", "OBS_STATUS", "CONF_STATUS"]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        message = f"The file would have two columns '{twice[0]}': rename the dimension."
        raise InputError(message)


def _batch(view: View, rows: slice) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    columns: dict[str, pa.Array] = {}
    for d, dimension in enumerate(view.dimensions):
        here = view.codes[d, rows]
        labels = [dimension.label(code) for code in dimension.codes]
        columns[dimension.name] = _texts(dimension.codes, here)
        columns[f"{dimension.name}_label"] = _texts(labels, here)
    withheld = view.withheld[rows]
    if view.secrets is None:
        columns["value"] = _numbers(view.value[rows], view.decimals, withheld)
        columns["OBS_STATUS"] = _texts(["A", "Q"], withheld)
        columns["CONF_STATUS"] = _texts(["F", "C"], withheld)
    else:
        columns["value"] = _numbers(view.value[rows], view.decimals)
        columns["OBS_STATUS"] = _texts(["A"], np.zeros(len(withheld), dtype=np.int64))
        columns |= _secret_columns(view.secrets, rows, view.decimals)
    return pa.table(columns)


def _secret_columns(secrets: Secrets, rows: slice, decimals: int) -> dict[str, object]:
    import pyarrow as pa  # noqa: PLC0415

    names = [state.label for state in State]
    columns: dict[str, object] = {
        "CONF_STATUS": pa.array(secrets.conf_status[rows], pa.string()),
        "state": _texts(names, secrets.state[rows]),
        "sensitive": pa.array(secrets.sensitive[rows]),
        "lower_level": pa.array(secrets.lower[rows]),
        "upper_level": pa.array(secrets.upper[rows]),
        "sliding_level": pa.array(secrets.sliding[rows]),
        "published_value": _numbers(secrets.published[rows], decimals),
    }
    if secrets.contributors is not None:
        columns["contributors"] = pa.array(secrets.contributors[rows])
    columns["reasons"] = pa.array(secrets.reasons[rows], pa.string())
    return columns


def _texts(names: object, index: np.ndarray) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415

    words = np.array(names, dtype=object)
    return pa.array(words[index.astype(np.int64)], pa.string())


def _numbers(
    value: np.ndarray, decimals: int, withheld: np.ndarray | None = None
) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415

    if decimals == 0:
        return pa.array(value, pa.int64(), mask=withheld)
    exact = pa.array(decimal_text(value, decimals), pa.string(), mask=withheld)
    return exact.cast(pa.decimal128(38, decimals))
