# SPDX-License-Identifier: Apache-2.0
"""Empty cells that could be filled, as far as a reader of the table knows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from tacit.errors import InputError
from tacit.table._cells import State
from tacit.table._totals import close_upwards, merge_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.table._dimension import Dimension
    from tacit.table._table import Table

__all__ = ["MAX_CELLS", "Possible", "hold_possible"]

MAX_CELLS = 200_000_000
Possible = Literal["all"] | Mapping[str, Iterable[str]] | Iterable[tuple[str, ...]]
_Noun = TypeVar("_Noun")
_FILLS: dict[str, Any] = {"entities": -1, "complete": True}


def hold_possible(table: Table, possible: Possible) -> Table:
    """Hold empty cells as cells of value 0, so that a method may use them.

    A cell that is not held is empty, and everybody is taken to know it. A possible
    cell is one of value 0 in state SAFE without contributors: the reader of the
    table does not know beforehand that it is empty. ``possible`` is ``"all"``, or
    codes by dimension (a dimension not named: all its codes), or tuples with one
    code for each dimension. A code that has parts stands for the leaves below it.
    The totals above come along. Where cells have bounds, a possible cell gets the
    widest ones.

    >>> from tacit import Table
    >>> rows = {"sex": ["f", "m"], "age": ["old", "young"], "n": [2, 3]}
    >>> table = Table.from_cells(rows, by={"sex": "all", "age": "any"}, count="n")
    >>> len(table), len(hold_possible(table, "all"))
    (7, 9)
    """
    if table.compiled is not None or table.equations is not None:
        message = (
            "Possible cells must be declared on each table before it is linked or gets "
            "equations: afterwards the relations are fixed."
        )
        raise InputError(message)
    sizes = [len(dimension) for dimension in table.dimensions]
    wanted = _wanted(table.dimensions, possible)
    here = np.arange(len(table), dtype=np.int64)
    codes, source, index = merge_cells(table.cells.codes, here, wanted, sizes)
    named = np.zeros(len(source), dtype=bool)
    named[index.lookup(wanted)] = True
    cells = _spread(table.cells, source, skip=("codes", "decimals"))
    state = cells.state.copy()
    state[named & (state == State.EMPTY)] = State.SAFE
    cells = replace(cells, codes=codes, state=state)
    cells = _with_widest_bounds(cells, source < 0)
    contributions = table.contributions
    if contributions is not None:
        moved = np.flatnonzero(source >= 0).astype(np.int32)
        contributions = replace(contributions, leaf=moved[contributions.leaf])
    return replace(
        table,
        cells=cells,
        evidence=_spread(table.evidence, source),
        levels=_spread(table.levels, source),
        contributions=contributions,
    )


def _wanted(dimensions: Sequence[Dimension], possible: Possible) -> NDArray[np.int32]:
    sizes = [len(dimension) for dimension in dimensions]
    if isinstance(possible, str):
        if possible != "all":
            message = (
                f"possible='{possible}' is not known. Say 'all', a mapping of codes by "
                "dimension, or tuples with one code for each dimension."
            )
            raise InputError(message)
        return _product([np.arange(size, dtype=np.int32) for size in sizes])
    if isinstance(possible, Mapping):
        leaves = _product(_named_leaves(dimensions, possible))
    else:
        leaves = _leaves_below(dimensions, _tuples(dimensions, possible))
    codes, _ = close_upwards(_distinct(leaves, sizes), dimensions)
    return codes


def _product(choices: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    sizes = [len(choice) for choice in choices]
    _refuse_too_many(math.prod(sizes))
    grid = np.indices(sizes, dtype=np.int32).reshape(len(sizes), -1)
    for row, choice in zip(grid, choices, strict=True):
        row[:] = choice[row]
    return grid


def _named_leaves(
    dimensions: Sequence[Dimension], possible: Mapping[str, Iterable[str]]
) -> list[NDArray[np.int32]]:
    names = [dimension.name for dimension in dimensions]
    for name in possible:
        if name not in names:
            message = f"possible= names '{name}', which is no dimension of the table."
            raise InputError(message)
    chosen = []
    for dimension in dimensions:
        listed = possible.get(dimension.name)
        if listed is None:
            chosen.append(dimension.leaves)
            continue
        if isinstance(listed, str):
            listed = [listed]
        starts, below = _below(dimension)
        parts = [
            below[starts[p] : starts[p + 1]]
            for p in (dimension.position(code) for code in listed)
        ]
        chosen.append(np.unique(np.concatenate(parts)).astype(np.int32))
    return chosen


def _tuples(
    dimensions: Sequence[Dimension], possible: Iterable[tuple[str, ...]]
) -> NDArray[np.int32]:
    rows = list(possible)
    for row in rows:
        if isinstance(row, str) or len(row) != len(dimensions):
            message = (
                f"possible= needs tuples with one code for each of the dimensions "
                f"{', '.join(d.name for d in dimensions)}; got {row!r}."
            )
            raise InputError(message)
    codes = np.empty((len(dimensions), len(rows)), dtype=np.int32)
    for d, dimension in enumerate(dimensions):
        positions = dimension.positions
        codes[d] = [
            positions[row[d]] if row[d] in positions else dimension.position(row[d])
            for row in rows
        ]
    return codes


def _leaves_below(
    dimensions: Sequence[Dimension], codes: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Replace every tuple by the leaf tuples below it."""
    for d, dimension in enumerate(dimensions):
        starts, below = _below(dimension)
        counts = np.diff(starts)[codes[d]]
        _refuse_too_many(int(counts.sum()))
        first = starts[codes[d]]
        codes = np.repeat(codes, counts, axis=1)
        offset = np.arange(codes.shape[1]) - np.repeat(
            np.cumsum(counts) - counts, counts
        )
        codes[d] = below[np.repeat(first, counts) + offset]
    return codes


def _below(dimension: Dimension) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Leaves below every code, as the slices of one array."""
    code = np.concatenate([rollup.ancestor for rollup in dimension.rollups])
    leaf = np.tile(np.arange(len(dimension)), len(dimension.rollups))
    held = code >= 0
    code, leaf = code[held], leaf[held]
    order = np.argsort(code, kind="stable")
    starts = np.zeros(len(dimension) + 1, dtype=np.int64)
    np.cumsum(np.bincount(code, minlength=len(dimension)), out=starts[1:])
    return starts, leaf[order].astype(np.int32)


def _distinct(codes: NDArray[np.int32], sizes: Sequence[int]) -> NDArray[np.int32]:
    none = np.zeros((len(sizes), 0), dtype=np.int32)
    return merge_cells(none, np.zeros(0, dtype=np.int64), codes, sizes)[0]


def _refuse_too_many(count: int) -> None:
    if count > MAX_CELLS:
        message = (
            f"possible= would hold {count:,} cells, more than {MAX_CELLS:,}. Name the "
            "cells that could really be filled, or leave the others empty and known."
        )
        raise InputError(message)


def _spread(noun: _Noun, source: NDArray[np.int64], skip: Sequence[str] = ()) -> _Noun:
    """Give every column of a noun its new rows: nothing is there, so 0."""
    if noun is None:
        return noun
    changes: dict[str, NDArray[Any]] = {}
    for field in fields(noun):  # type: ignore[arg-type]
        column = getattr(noun, field.name)
        if field.name in skip or column is None:
            continue
        fill = _FILLS.get(field.name, 0)
        shape = (len(source), *column.shape[1:])
        grown = np.full(shape, fill, dtype=column.dtype)
        held = source >= 0
        grown[held] = column[source[held]]
        changes[field.name] = grown
    return replace(noun, **changes)  # type: ignore[type-var]


def _with_widest_bounds(cells: Any, new: NDArray[np.bool_]) -> Any:  # noqa: ANN401 - Cells
    if cells.lower is not None and new.any():
        cells.lower[new] = min(0, int(cells.lower.min()))
    if cells.upper is not None and new.any():
        cells.upper[new] = max(0, int(cells.upper.max()))
    return cells
