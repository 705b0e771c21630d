# SPDX-License-Identifier: Apache-2.0
"""Take a finished table: cells that somebody else has tabulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError, SourceError, suggest
from tacit.hierarchy import Hierarchy
from tacit.table._additivity import check_additivity
from tacit.table._amounts import MAX_DECIMALS, decimals_of, reals
from tacit.table._cells import Cells, Levels, State
from tacit.table._columns import code_column, states
from tacit.table._dimension import Dimension
from tacit.table._evidence import evidence_of
from tacit.table._frames import frame_kind, to_arrow
from tacit.table._keys import lexicographic_order
from tacit.table._possible import hold_possible
from tacit.table._reader import CellColumns, Reader
from tacit.table._table import Table
from tacit.table._totals import close_upwards, recompute, total_cells

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["from_cells", "read_axis", "refuse_duplicates"]

_SHOWN = 10
_SLIDING = 2


def from_cells(frame: object, request: CellColumns) -> Table:
    """Build a table from finished cells; see :meth:`Table.from_cells`."""
    _check_request(request)
    columns = to_arrow(frame, request.names())
    if not len(columns):
        message = "The frame has no rows, so there is no table. Check the filter."
        raise SourceError(message)
    reader = _lay_out(columns, request, frame_kind(frame))
    table = _fill(reader)
    accepted = check_additivity(table, request.tolerance)
    table = table.updated(residuals_accepted=accepted)
    if request.possible is None:
        return table
    return hold_possible(table, request.possible)


def _check_request(request: CellColumns) -> None:
    if not request.by:
        message = (
            "by= is empty. Name the dimensions: by={'region': hierarchy, 'sex': 'all'}."
        )
        raise InputError(message)
    if not request.published:
        message = "Name the column of the amounts (value=) or of the counts (count=)."
        raise InputError(message)
    if request.contributions and not (request.value and request.count):
        message = (
            "contributions= needs value= and count= as well: without the number of "
            "contributors nothing says whether the listed ones are all there are."
        )
        raise InputError(message)
    if request.missing_totals not in ("recompute", "error"):
        hint = suggest(str(request.missing_totals), ["recompute", "error"])
        message = f"missing_totals='{request.missing_totals}' is not known. {hint}"
        raise InputError(message)
    decimals = request.decimals
    if decimals is not None and not 0 <= decimals <= MAX_DECIMALS:
        message = f"decimals={decimals} must be between 0 and {MAX_DECIMALS}."
        raise InputError(message)


def _lay_out(columns: pa.Table, request: CellColumns, kind: str) -> Reader:
    axes = [
        read_axis(name, how, columns.column(name).combine_chunks())
        for name, how in request.by.items()
    ]
    dimensions = tuple(axis for axis, _ in axes)
    rows = np.stack([position for _, position in axes])
    refuse_duplicates(rows, dimensions)
    codes, source = close_upwards(rows, dimensions)
    decimals = _decimals(columns, request)
    n = len(source)
    empty = Cells(
        codes, np.zeros(n, dtype=np.int64), decimals, np.zeros(n, dtype=np.uint8)
    )
    table = Table(
        dimensions,
        empty,
        measure=request.published,
        is_count=request.value is None,
        frame_kind=kind,
    )
    if request.missing_totals == "error":
        _refuse_implied(table, np.flatnonzero(source < 0))
    is_total = total_cells(codes, dimensions)
    return Reader(columns, request, table, source, is_total, decimals)


def read_axis(
    name: str,
    how: Any,  # noqa: ANN401 - checked here
    column: pa.Array,
) -> tuple[Dimension, NDArray[np.int32]]:
    """Make a dimension as asked, and find the code of every row in it."""
    made: list[Dimension] = []

    def valid(found: list[str]) -> Mapping[str, int]:
        made.append(_dimension(name, how, found))
        return made[0].positions

    positions = code_column(column, name, valid)
    return made[0], positions


def _dimension(name: str, how: Any, found: list[str]) -> Dimension:  # noqa: ANN401 - checked here
    if isinstance(how, Dimension):
        return replace(how, name=name) if how.name != name else how
    if isinstance(how, Hierarchy):
        return Dimension.of(name, how)
    if isinstance(how, str):
        leaves = sorted({code for code in found if code.strip() == code} - {how, ""})
        if not leaves:
            message = (
                f"Column '{name}' holds no code but the total '{how}', so there is "
                "nothing to add up. Leave the dimension out, or add the other rows."
            )
            raise SourceError(message)
        return Dimension.of(name, Hierarchy.flat(leaves, total=how))
    if (
        isinstance(how, Sequence)
        and how
        and all(isinstance(item, Hierarchy) for item in how)
    ):
        return Dimension.of(name, *how)
    message = (
        f"by['{name}'] must be a Hierarchy, a list of hierarchies over the same leaves,"
        f" or the code of the total of a flat dimension, not {type(how).__name__}."
    )
    raise InputError(message)


def _decimals(columns: pa.Table, request: CellColumns) -> int:
    if request.value is None:
        return 0
    if request.decimals is not None:
        return request.decimals
    return max(
        decimals_of(columns.column(name).combine_chunks(), name, request.mark)
        for name in request.scaled
    )


def refuse_duplicates(rows: NDArray[np.int32], dimensions: Sequence[Dimension]) -> None:
    """Refuse two rows for one cell."""
    order, index = lexicographic_order(rows, [len(axis) for axis in dimensions])
    same = np.flatnonzero(index.keys[1:] == index.keys[:-1])
    if not len(same):
        return
    first, second = sorted((int(order[same[0]]), int(order[same[0] + 1])))
    where = ", ".join(
        f"{axis.name} = {axis.codes[code]}"
        for axis, code in zip(dimensions, rows[:, first], strict=True)
    )
    more = f" {len(same) - 1:,} other rows repeat a cell too." if len(same) > 1 else ""
    message = (
        f"Rows {first + 1} and {second + 1} are both the cell ({where}). A cell has "
        "one value: leave one of the rows out, or name the column that tells them "
        f"apart in by=.{more}"
    )
    raise SourceError(message)


def _refuse_implied(table: Table, implied: NDArray[np.int64]) -> None:
    if not len(implied):
        return
    listed = [f"  - {table.describe_cell(c)}" for c in implied[:_SHOWN].tolist()]
    if len(implied) > _SHOWN:
        listed.append(f"  and {len(implied) - _SHOWN:,} more")
    message = "\n".join(
        [
            f"{len(implied):,} totals are not in the table:",
            *listed,
            "Add them, or let them be summed with missing_totals='recompute'.",
        ]
    )
    raise SourceError(message)


def _fill(reader: Reader) -> Table:
    request, table = reader.request, reader.table
    value = reader.summed(request.published)
    cells = replace(table.cells, value=value)
    count = reader.summed(request.count) if request.count else None
    lower, upper = _bounds(reader, value)
    state = _state(reader, value, count)
    cells = replace(cells, state=state, lower=lower, upper=upper, cost=_cost(reader))
    return table.updated(
        cells=cells,
        evidence=evidence_of(reader, value, count),
        levels=_levels(reader, state),
    )


def _state(
    reader: Reader, value: NDArray[np.int64], count: NDArray[np.int64] | None
) -> NDArray[np.uint8]:
    """States as given, except that a safe cell without contributors is empty."""
    empty = _is_empty(reader, value, count)
    name = reader.request.state
    if name is None:
        return np.where(empty, State.EMPTY, State.SAFE).astype(np.uint8)
    rows, unnamed = states(reader.column(name), name, reader.request.states)
    state = reader.spread(rows, int(State.SAFE)).astype(np.uint8)
    lacking = reader.spread(unnamed, fill=True) & ~reader.is_total
    reader.refuse(
        lacking & ~empty, name, "the state is missing. Every cell but a total needs it."
    )
    claimed = (state == State.EMPTY) & ~empty
    reader.refuse(claimed, name, "the state is 'empty', yet the cell is not.")
    state[empty & (state == State.SAFE)] = State.EMPTY
    return state


def _is_empty(
    reader: Reader, value: NDArray[np.int64], count: NDArray[np.int64] | None
) -> NDArray[np.bool_]:
    if count is not None:
        wrong = (count == 0) & (value != 0)
        name = reader.request.count or ""
        reader.refuse(wrong, name, "nobody is counted, yet the value is not 0.")
        reader.refuse(count < 0, name, "a count cannot be negative.")
        nobody: NDArray[np.bool_] = count == 0
        return nobody
    # Without counts a cell is empty where everything below it is 0.
    below = np.where(reader.is_total, 0, value != 0).astype(np.int64)
    sums = recompute(reader.table.relations, below, reader.is_total)
    nothing: NDArray[np.bool_] = sums == 0
    return nothing


def _bounds(
    reader: Reader, value: NDArray[np.int64]
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    if reader.request.bounds is None:
        return None, None
    names = reader.request.bounds
    lower, upper = (reader.summed(name) for name in names)
    reader.refuse(lower > value, names[0], "the lower bound is above the value.")
    reader.refuse(upper < value, names[1], "the upper bound is below the value.")
    return lower, upper


def _cost(reader: Reader) -> NDArray[np.float64] | None:
    name = reader.request.cost
    if name is None:
        return None
    cost = reader.spread(reals(reader.column(name), name), np.nan)
    missing = np.isnan(cost)
    reader.refuse_missing(missing, name)
    return recompute(reader.table.relations, cost, missing)


def _levels(reader: Reader, state: NDArray[np.uint8]) -> Levels | None:
    """Levels in published units; only a sensitive cell must have them."""
    if reader.request.levels is None:
        return None
    found = []
    for side, name in enumerate(reader.request.levels):
        if name is None:
            found.append(np.zeros(len(state)))
            continue
        level = reader.spread(reals(reader.column(name), name), np.nan)
        if side != _SLIDING:
            lacking = np.isnan(level) & (state == State.SENSITIVE)
            reader.refuse(lacking, name, "the cell is sensitive but has no level.")
        found.append(np.nan_to_num(level))
    return Levels(*found)
