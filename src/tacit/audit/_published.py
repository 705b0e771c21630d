# SPDX-License-Identifier: Apache-2.0
"""A published table as its readers have it: numbers, signs, totals, nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.audit._signs import Signs, read_column
from tacit.errors import InputError, SourceError
from tacit.table import Cells, State, Table
from tacit.table._frames import frame_kind, to_arrow
from tacit.table._from_cells import read_axis, refuse_duplicates
from tacit.table._keys import lexicographic_order
from tacit.table._totals import close_upwards, merge_cells, total_cells

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from tacit.audit._signs import Reading
    from tacit.table import Dimension

__all__ = ["PublishedColumns", "PublishedTable", "read_published"]

_MOST_FINEST = 200_000


@dataclass(frozen=True, kw_only=True)
class PublishedColumns:
    """Which column says what, and how."""

    by: Mapping[str, Any]
    value: str | None
    count: str | None
    lower: str | None
    upper: str | None
    signs: Signs
    decimals: int | None
    finest: bool | None


@dataclass(frozen=True, eq=False, repr=False)
class PublishedTable:
    """Cells with what is printed in them.

    ``shown`` cells have a number, ``marked`` ones a sign instead; all others are
    cells that no row mentions. ``lower`` and ``upper`` are printed intervals in
    scaled amounts, infinite where there are none.
    """

    table: Table
    shown: NDArray[np.bool_]
    marked: NDArray[np.bool_]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    def __repr__(self) -> str:
        return (
            f"<PublishedTable: {len(self.table):,} cells, "
            f"{int(self.marked.sum()):,} withheld>"
        )


def read_published(frame: object, columns: PublishedColumns) -> PublishedTable:
    """Read one published table, or several over the same data, as one."""
    if not columns.by:
        message = (
            "by= is empty. Name the dimensions: by={'region': hierarchy, 'sex': 'all'}."
        )
        raise InputError(message)
    parts = _rows(frame, columns)
    rows = _joined(parts)
    name = columns.count or columns.value or ""
    axes = [
        read_axis(axis, how, rows.column(axis).combine_chunks())
        for axis, how in columns.by.items()
    ]
    dimensions = tuple(axis for axis, _ in axes)
    given = np.stack([position for _, position in axes])
    edges = np.cumsum([0, *(len(part) for part in parts)])
    for start, end in pairwise(edges.tolist()):
        refuse_duplicates(given[:, start:end], dimensions)
    reading = read_column(rows, name, columns)
    kept = _agreeing(given, reading, dimensions)
    codes, source = _held_cells(given[:, kept], dimensions, columns.finest)
    source = np.where(source >= 0, kept[source], -1)
    cells = Cells(
        codes,
        _spread(reading.amount, source, 0),
        reading.decimals,
        np.full(len(source), State.SAFE, dtype=np.uint8),
    )
    table = Table(
        dimensions,
        cells,
        measure=name,
        is_count=columns.count is not None,
        frame_kind=frame_kind(frame if not _several(frame) else frame[0]),  # type: ignore[index]
    )
    return PublishedTable(
        table,
        _spread(reading.shown, source, fill=False),
        _spread(~reading.shown, source, fill=False),
        _spread(reading.lower, source, -np.inf),
        _spread(reading.upper, source, np.inf),
    )


def _spread(rows: NDArray[Any], source: NDArray[np.int64], fill: float) -> NDArray[Any]:
    """Put one entry per row in its cell; cells without a row get ``fill``."""
    return np.where(source >= 0, rows[source], rows.dtype.type(fill))


def _several(frame: object) -> bool:
    return isinstance(frame, Sequence) and not isinstance(frame, str)


def _agreeing(
    given: NDArray[np.int32], reading: Reading, dimensions: tuple[Dimension, ...]
) -> NDArray[np.int64]:
    """One row for each cell, the one that tells most; tables must not disagree."""
    order, index = lexicographic_order(given, [len(axis) for axis in dimensions])
    number = np.cumsum(np.diff(index.keys, prepend=index.keys[:1]) != 0)
    tells = np.isfinite(reading.lower) | np.isfinite(reading.upper)
    rank = np.where(reading.shown, 0, np.where(tells, 1, 2))[order]
    best = np.lexsort((order, rank, number))
    first = best[np.append(True, np.diff(number[best]) != 0)]
    chosen: NDArray[np.int64] = order[first]
    other = reading.amount[chosen[number]] != reading.amount[order]
    other &= reading.shown[order]
    if other.any():
        row = int(order[np.argmax(other)])
        where = ", ".join(
            f"{axis.name} = {axis.codes[code]}"
            for axis, code in zip(dimensions, given[:, row], strict=True)
        )
        message = (
            f"The cell ({where}) has different numbers in two of the tables. If they "
            "are not over the same data they cannot be attacked together; if they "
            "were rounded each on its own, audit each with base=."
        )
        raise SourceError(message)
    return chosen


def _rows(frame: Any, columns: PublishedColumns) -> list[pa.Table]:  # noqa: ANN401
    """The rows of each frame; a dimension that one of them lacks is at its total."""
    amounts = (columns.count or columns.value, columns.lower, columns.upper)
    names = [name for name in amounts if name]
    if not _several(frame):
        return [to_arrow(frame, [*columns.by, *names])]
    return [_completed(one, columns, names) for one in frame]


def _joined(parts: list[pa.Table]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    try:
        rows = pa.concat_tables(parts, promote_options="permissive")
    except (pa.ArrowTypeError, pa.ArrowInvalid):
        message = (
            "The tables hold numbers as text in one and as numbers in another, which "
            "cannot be joined without guessing. Give the column one type in all."
        )
        raise SourceError(message) from None
    if not len(rows):
        message = "The frame has no rows, so there is no table. Check the filter."
        raise SourceError(message)
    return rows


def _completed(frame: Any, columns: PublishedColumns, names: list[str]) -> pa.Table:  # noqa: ANN401
    import narwhals as nw  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    held = (
        list(frame)
        if isinstance(frame, dict)
        else nw.from_native(frame).collect_schema().names()
    )
    present = [name for name in columns.by if name in held]
    rows = to_arrow(frame, [*present, *names])
    for name, how in columns.by.items():
        if name not in held:
            total = pa.array([_total_of(name, how)] * len(rows), pa.string())
            rows = rows.append_column(name, total)
    return rows.select([*columns.by, *names])


def _total_of(name: str, how: Any) -> str:  # noqa: ANN401 - whatever by= may hold
    if isinstance(how, str):
        return how
    first = how[0] if isinstance(how, Sequence) else how
    total = getattr(first, "total", None)
    if isinstance(total, str):
        return total
    message = f"Dimension '{name}' has no total, so every table must have its column."
    raise InputError(message)


def _held_cells(
    given: NDArray[np.int32],
    dimensions: tuple[Dimension, ...],
    finest: bool | None,  # noqa: FBT001 - the third state asks to find out
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Cells that have a row, what they imply, and the finest ones where asked.

    Where no row is at the finest level of every dimension, margins alone were
    published (tables that share dimensions): the cells they share are then unknown,
    not empty.
    """
    inner = total_cells(given, dimensions)
    codes, source = close_upwards(given, dimensions)
    wanted = bool(inner.all()) if finest is None else finest
    if not wanted:
        return codes, source
    size = float(np.prod([len(d.leaves) for d in dimensions], dtype=np.float64))
    if size > _MOST_FINEST:
        message = (
            f"The finest cells that these tables share are {size:,.0f}, more than "
            f"{_MOST_FINEST:,}. Audit fewer dimensions at once, or leave the finest "
            "cells out with finest=False; what follows from them is then not found."
        )
        raise InputError(message)
    grid = np.meshgrid(*(d.leaves for d in dimensions), indexing="ij")
    leaves = np.stack([axis.ravel() for axis in grid]).astype(np.int32)
    sizes = [len(dimension) for dimension in dimensions]
    codes, source, _ = merge_cells(codes, source, leaves, sizes)
    closed, back = close_upwards(codes, dimensions)
    return closed, np.where(back >= 0, source[back], -1)
