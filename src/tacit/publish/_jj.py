# SPDX-License-Identifier: Apache-2.0
"""JJ files: the suppression problem as τ-ARGUS and its solvers exchange it.

Values have the decimals of the table, bounds one more, levels three more; cells are
counted from 0 in the order of the table; lines end with a line feed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.publish._view import decimal_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from tacit.publish._problem_view import ProblemView

_LEVEL_DECIMALS = 3
_ROWS_AT_ONCE = 100_000


def write(view: ProblemView, path: Path) -> None:
    """Write the cells, then the relations."""
    with path.open("w", encoding="ascii", newline="\n") as out:
        out.write(f"0\n{len(view)}\n")
        for start in range(0, len(view), _ROWS_AT_ONCE):
            out.writelines(_cells(view, slice(start, start + _ROWS_AT_ONCE)))
        rows = view.matrix.shape[0]
        out.write(f"{rows}\n")
        for start in range(0, rows, _ROWS_AT_ONCE):
            end = min(start + _ROWS_AT_ONCE, rows)
            out.writelines(_relations(view, start, end))


def _cells(view: ProblemView, rows: slice) -> Iterator[str]:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    d = view.decimals
    index = np.arange(len(view))[rows].astype(str)
    columns: list[NDArray[np.object_]] = [
        index.astype(object),
        decimal_text(view.value[rows], d),
        pc.cast(pa.array(view.weight[rows]), pa.string()).to_numpy(
            zero_copy_only=False
        ),
        view.status[rows],
        decimal_text(view.lower[rows], d + 1),
        decimal_text(view.upper[rows], d + 1),
        _level(view.lower_level[rows], d),
        _level(view.upper_level[rows], d),
        decimal_text(view.sliding_level[rows], d),
    ]
    texts = [pa.array(column, pa.string()) for column in columns]
    yield from _lines(pc.binary_join_element_wise(*texts, " "))


def _level(level: NDArray[np.int64], decimals: int) -> NDArray[np.object_]:
    """Write levels with the further decimals that other programs expect."""
    point = "." if decimals == 0 else ""
    text: NDArray[np.object_] = (
        decimal_text(level, decimals) + point + "0" * _LEVEL_DECIMALS
    )
    return text


def _relations(view: ProblemView, start: int, end: int) -> Iterator[str]:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    pointers = view.matrix.indptr[start : end + 1]
    here = slice(pointers[0], pointers[-1])
    cell, sign = (
        array[here].astype(str).astype(object)
        for array in (view.matrix.indices, view.matrix.data)
    )
    terms = cell + " (" + sign + ")"
    offsets = pa.array((pointers - pointers[0]).astype(np.int32))
    listed = pa.ListArray.from_arrays(offsets, pa.array(terms, pa.string()))
    counts = pa.array(np.diff(pointers).astype(str).astype(object), pa.string())
    joined = pc.binary_join(listed, " ")
    yield from _lines(pc.binary_join_element_wise("0", counts, ":", joined, " "))


def _lines(text: pa.Array) -> Iterator[str]:
    for line in text.to_pylist():
        yield f"{line}\n"
