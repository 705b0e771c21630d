# SPDX-License-Identifier: Apache-2.0
"""Merge what linked tables know about the cells that they share."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tacit.errors import InputError
from tacit.table._cells import Cells, Evidence, Levels, State

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from tacit.table._table import Table

__all__ = ["Union", "merge_cells", "merge_evidence", "merge_levels", "same_decimals"]

_T = TypeVar("_T", Cells, Evidence)
_LARGEST = 2**62
_SHOWN = 5
# From lax to strict: what a cell must be if two tables disagree.
_STRICTNESS = (
    State.SAFE,
    State.EMPTY,
    State.FROZEN,
    State.SUPPRESSED,
    State.FORCED,
    State.SENSITIVE,
)
_WHERE_ALL_HAVE_IT = (
    "contributors",
    "total",
    "records",
    "nonzero",
    "sum_of_weights",
    "keys",
    "keys_nonzero",
)
_SCALED = (
    "value",
    "lower",
    "upper",
    "total",
    "largest",
    "signed",
    "unwaived",
    "requested",
    "largest_unweighted",
)


@dataclass(frozen=True, eq=False)
class Union:
    """The cells of all tables: which they are, and where each table's cells went.

    ``place[i]`` is the joined cell of each cell of table i, ``table`` and ``place_of``
    say the same for all cells one after the other, ``first`` is the first of these for
    each joined cell.
    """

    names: tuple[str, ...]
    codes: NDArray[np.int32]
    place: tuple[NDArray[np.int64], ...]
    first: NDArray[np.int64]
    describe: Callable[[int], str]

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    @property
    def place_of(self) -> NDArray[np.int64]:
        """Joined cell of the cells of all tables, one table after the other."""
        return np.concatenate(self.place)

    @property
    def table_of(self) -> NDArray[np.int64]:
        """Table of the cells of all tables."""
        return np.repeat(np.arange(len(self.place)), [len(p) for p in self.place])

    def refuse(self, what: str, pairs: Sequence[tuple[int, int, int]]) -> None:
        """Report cells (first table, second table, cell) that two tables disagree on.

        The values are confidential: only codes and names of tables are shown.
        """
        if not pairs:
            return
        number = len({cell for _, _, cell in pairs})
        lines = [
            f"  ({self.describe(cell)}): '{self.names[i]}' and '{self.names[j]}'"
            for i, j, cell in pairs[:_SHOWN]
        ]
        if len(pairs) > _SHOWN:
            lines.append(f"  and {len(pairs) - _SHOWN:,} more.")
        many = (
            "1 cell that tables share differs"
            if number == 1
            else (f"{number:,} cells that tables share differ")
        )
        message = (
            f"{many} in {what}:\n" + "\n".join(lines) + "\nTables that are published "
            "together must agree where they meet. Build them from the same data, or "
            "give codes that mean different things different names."
        )
        raise InputError(message)


def same_decimals(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Scale all tables by the decimals of the finest."""
    decimals = max(table.cells.decimals for table in tables.values())
    return {name: _rescaled(name, t, decimals) for name, t in tables.items()}


def _rescaled(name: str, table: Table, decimals: int) -> Table:
    factor = 10 ** (decimals - table.cells.decimals)
    if factor == 1:
        return table
    cells = replace(_scaled(name, table.cells, factor), decimals=decimals)
    evidence = table.evidence
    if evidence is not None:
        evidence = _scaled(name, evidence, factor)
    # The relations are those of the codes: compiled ones stay as they are.
    return replace(table, cells=cells, evidence=evidence)


def _scaled(name: str, part: _T, factor: int) -> _T:
    changed: dict[str, Any] = {}
    for item in fields(part):
        array = getattr(part, item.name)
        if item.name not in _SCALED or array is None:
            continue
        if array.dtype.kind == "i" and np.abs(array).max(initial=0) > _LARGEST / factor:
            message = (
                f"Table '{name}' does not fit in 64 bits with the decimals of the "
                "others. Use fewer decimals in them, or larger units."
            )
            raise InputError(message)
        changed[item.name] = array * factor
    return replace(part, **changed)


def merge_cells(union: Union, tables: Sequence[Table]) -> Cells:
    """Join the cells; the same cell must have the same value everywhere."""
    place, first = union.place_of, union.first
    value = np.concatenate([table.cells.value for table in tables])
    joined = value[first]
    different = np.flatnonzero(value != joined[place])
    table_of = union.table_of
    union.refuse(
        "value",
        [
            (int(table_of[first[place[row]]]), int(table_of[row]), int(place[row]))
            for row in different.tolist()
        ],
    )
    rank = np.zeros(len(_STRICTNESS), dtype=np.uint8)
    rank[list(_STRICTNESS)] = np.arange(len(_STRICTNESS))
    strictest = np.zeros(len(union), dtype=np.uint8)
    state = np.concatenate([table.cells.state for table in tables])
    np.maximum.at(strictest, place, rank[state])
    decimals = tables[0].cells.decimals
    return Cells(
        codes=union.codes,
        value=joined,
        decimals=decimals,
        state=np.array(_STRICTNESS, dtype=np.uint8)[strictest],
        lower=_bound(union, [table.cells.lower for table in tables], largest=True),
        upper=_bound(union, [table.cells.upper for table in tables], largest=False),
        cost=_cost(union, [t.cells.cost for t in tables], np.abs(joined), decimals),
    )


def _bound(
    union: Union, bounds: Sequence[NDArray[np.int64] | None], *, largest: bool
) -> NDArray[np.int64] | None:
    """Tightest bound that any table knows; the widest one where none does."""
    known = [(p, b) for p, b in zip(union.place, bounds, strict=True) if b is not None]
    if not known:
        return None
    if largest:
        lower = np.full(len(union), -_LARGEST, dtype=np.int64)
        for place, bound in known:
            np.maximum.at(lower, place, bound)
        lower[lower == -_LARGEST] = min(0, *(int(b.min(initial=0)) for _, b in known))
        return lower
    upper = np.full(len(union), _LARGEST, dtype=np.int64)
    for place, bound in known:
        np.minimum.at(upper, place, bound)
    return upper


def _cost(
    union: Union,
    costs: Sequence[NDArray[np.float64] | None],
    size: NDArray[np.int64],
    decimals: int,
) -> NDArray[np.float64] | None:
    """Highest cost of any table; the size of the cell where none says a cost."""
    if all(cost is None for cost in costs):
        return None
    joined = np.full(len(union), -np.inf)
    for place, cost in zip(union.place, costs, strict=True):
        if cost is not None:
            np.maximum.at(joined, place, cost)
    return np.where(np.isinf(joined), size / 10.0**decimals, joined)


def merge_levels(
    union: Union, tables: Sequence[Table], state: NDArray[np.uint8]
) -> Levels | None:
    """Highest level of any table; a sensitive cell needs one if any cell has one."""
    known = [
        (place, table.levels)
        for place, table in zip(union.place, tables, strict=True)
        if table.levels is not None
    ]
    if not known:
        return None
    has = np.zeros(len(union), dtype=bool)
    joined = {name: np.zeros(len(union)) for name in ("lower", "upper", "sliding")}
    for place, levels in known:
        has[place] = True
        for name, array in joined.items():
            np.maximum.at(array, place, getattr(levels, name))
    missing = np.flatnonzero(~has & (state == State.SENSITIVE))
    if len(missing):
        message = (
            f"{len(missing):,} sensitive cells have no protection levels although other"
            f" tables bring theirs; the first is ({union.describe(int(missing[0]))}). "
            "Give levels with every table, or with none and assess the linked one."
        )
        raise InputError(message)
    return Levels(**joined)


def merge_evidence(union: Union, tables: Sequence[Table]) -> Evidence | None:
    """Join the evidence; None if there are cells that no table has evidence on."""
    held = [i for i, table in enumerate(tables) if table.evidence is not None]
    covered = np.zeros(len(union), dtype=bool)
    for i in held:
        covered[union.place[i]] = True
    if not held or not covered.all():
        return None
    parts = [tables[i].evidence for i in held]
    known = [part for part in parts if part is not None]
    stacked = _stacked(known, [tables[i].cells.value for i in held])
    place = np.concatenate([union.place[i] for i in held])
    complete = np.asarray(stacked["complete"])
    order = np.lexsort((~complete, place))
    _, starts = np.unique(place[order], return_index=True)
    chosen = order[starts]
    _check_evidence(union, stacked, place, chosen, held)
    merged: dict[str, Any] = {
        name: None if array is None else array[chosen]
        for name, array in stacked.items()
    }
    if complete[chosen].all():
        merged["complete"] = None
    return Evidence(**merged)


def _stacked(
    parts: Sequence[Evidence], values: Sequence[NDArray[np.int64]]
) -> dict[str, Any]:
    """Evidence of all tables one after the other.

    What one table lacks is filled where its absence says it: without waivers the
    largest contribution is not waived, without requests nobody asked. The numbers of
    entities mean nothing in another table, so they are left out.
    """
    weighted = {part.sum_of_weights is not None for part in parts}
    if len(weighted) > 1:
        message = (
            "Some of the linked tables carry sampling weights and some do not. Tabulate"
            " all of them with the same weight."
        )
        raise InputError(message)
    width = max(part.largest.shape[1] for part in parts)
    fill: dict[str, Callable[[Evidence, NDArray[np.int64]], Any]] = {
        "units": lambda part, _: part.contributors,
        "signed": lambda _, value: value,
        "unwaived": lambda part, _: part.largest[:, :1].sum(axis=1),
        "requested": lambda part, _: np.zeros((len(part.contributors), 2), np.int64),
        "largest_unweighted": lambda part, _: part.largest[:, :1].sum(axis=1),
    }
    stacked: dict[str, Any] = {"entities": None}
    for name in _WHERE_ALL_HAVE_IT:
        arrays = [getattr(part, name) for part in parts]
        absent = any(array is None for array in arrays)
        stacked[name] = None if absent else np.concatenate(arrays)
    for name, make in fill.items():
        arrays = [getattr(part, name) for part in parts]
        if all(array is None for array in arrays):
            stacked[name] = None
            continue
        stacked[name] = np.concatenate(
            [
                make(part, value) if array is None else array
                for part, value, array in zip(parts, values, arrays, strict=True)
            ]
        )
    stacked["largest"] = np.concatenate(
        [_padded(part.largest, width) for part in parts]
    )
    stacked["complete"] = np.concatenate([_complete(part, width) for part in parts])
    return stacked


def _padded(largest: NDArray[Any], width: int) -> NDArray[Any]:
    return np.pad(largest, ((0, 0), (0, width - largest.shape[1])))


def _complete(part: Evidence, width: int) -> NDArray[np.bool_]:
    """Where the largest contributions are known as far as any table lists them."""
    listed = part.largest.shape[1]
    known = part.contributors <= listed
    if listed == width:
        known = np.ones(len(known), dtype=bool)
    return known if part.complete is None else np.asarray(known & part.complete)


def _check_evidence(
    union: Union,
    stacked: Mapping[str, Any],
    place: NDArray[np.int64],
    chosen: NDArray[np.int64],
    held: Sequence[int],
) -> None:
    """Refuse cells of one value behind which different contributors stand."""
    best = chosen[place]
    both = stacked["complete"] & stacked["complete"][best]
    different = stacked["contributors"] != stacked["contributors"][best]
    different |= _differs(stacked["total"], stacked["total"][best])
    if stacked["keys"] is not None:
        different |= stacked["keys"] != stacked["keys"][best]
    largest = stacked["largest"]
    different |= both & _differs(largest, largest[best]).any(axis=1)
    table_of = np.repeat(held, [len(union.place[i]) for i in held])
    union.refuse(
        "who stands behind them",
        [
            (int(table_of[best[row]]), int(table_of[row]), int(place[row]))
            for row in np.flatnonzero(different).tolist()
        ],
    )


def _differs(here: NDArray[Any], there: NDArray[Any]) -> NDArray[np.bool_]:
    if here.dtype.kind == "f":
        return np.asarray(~np.isclose(here, there, rtol=1e-9))
    return np.asarray(here != there)
