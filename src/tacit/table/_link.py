# SPDX-License-Identifier: Apache-2.0
"""Link tables that share cells into one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError
from tacit.table._cells import State
from tacit.table._keys import KeyIndex
from tacit.table._link_axes import Axis, join_axis, new_axis
from tacit.table._link_cells import (
    Union,
    merge_cells,
    merge_evidence,
    merge_levels,
    same_decimals,
)
from tacit.table._link_closure import closure
from tacit.table._link_equations import parse_equation
from tacit.table._link_relations import (
    Carried,
    carry,
    check_sums,
    equation_rows,
    join_relations,
)
from tacit.table._table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["link"]

_MEASURE = "measure"


@dataclass(frozen=True, eq=False)
class _Cover:
    """The tables, the joined dimensions, and which tables imply empty cells."""

    tables: tuple[Table, ...]
    axes: tuple[Axis, ...]

    @property
    def sizes(self) -> list[int]:
        return [len(axis.dimension) for axis in self.axes]

    @property
    def implying(self) -> NDArray[np.bool_]:
        """Which tables hold everything that is not empty among their codes.

        What a table that was itself linked does not hold is not known to be empty.
        """
        return np.array([table.compiled is None for table in self.tables])

    def inside(self, i: int, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which cells table i is about: held there, or known to be empty."""
        inside = np.full(codes.shape[1], self.implying[i])
        for axis, code in zip(self.axes, codes, strict=True):
            inside &= axis.known[i][code]
        return inside

    def describe(self, codes: NDArray[np.int32]) -> str:
        """Codes of one cell in words."""
        return ", ".join(
            f"{axis.dimension.name} = {axis.dimension.codes[code]}"
            for axis, code in zip(self.axes, codes.tolist(), strict=True)
        )


def link(
    tables: Mapping[str, Table],
    *,
    equations: Iterable[str] = (),
    along: str | None = None,
) -> Table:
    """Link tables that are published together, so that they are protected together.

    Cells with the same codes are one cell, and must agree. A table that lacks a
    dimension of the others stands at its total. Code lists of one name are joined;
    different trees over the same leaves stay side by side. Tables of different
    measures get a dimension ``measure``; ``along`` names a dimension (such as waves)
    in which each table stands at its own key. ``equations`` relate the codes of these
    dimensions, such as ``"total = domestic + export"``.

    A sum or an equation is stated wherever all of its terms are published, by one
    table or by several: a combination of codes that no table publishes is not taken
    to be empty.

    >>> from tacit import Table
    >>> sex = Table.from_cells(
    ...     {"sex": ["f", "m"], "n": [2, 3]}, by={"sex": "all"}, count="n"
    ... )
    >>> age = Table.from_cells(
    ...     {"age": ["old", "young"], "n": [4, 1]}, by={"age": "any"}, count="n"
    ... )
    >>> linked = link({"by sex": sex, "by age": age})
    >>> [linked.describe_cell(cell) for cell in range(len(linked))][:2]
    ['sex = all, age = any', 'sex = all, age = old']
    >>> [linked.relations.describe(row) for row in range(2)]
    ['sex: all = f + m, at age = any', 'age: any = old + young, at sex = all']
    """
    _check_tables(tables)
    scaled = same_decimals(tables)
    cover = _Cover(tuple(scaled.values()), _axes(scaled, along))
    union = _union_of(tuple(scaled), cover)
    cells = merge_cells(union, cover.tables)
    _settle_empty(union, cover, cells.value, cells.state)
    parts = [
        carry(table, place, cover.axes, i)
        for i, (table, place) in enumerate(zip(cover.tables, union.place, strict=True))
    ]
    parts += closure(union.codes, cover.axes, cover.implying)
    parts += [_stated(text, cover, union.codes) for text in _texts(equations)]
    relations = join_relations(parts, cover.axes, union.codes)
    accepted = sum(table.residuals_accepted for table in cover.tables)
    check_sums(relations, cells.value, rounded=accepted > 0)
    measures = list(dict.fromkeys(table.measure for table in cover.tables))
    return Table(
        dimensions=tuple(axis.dimension for axis in cover.axes),
        cells=cells,
        measure=measures[0] if len(measures) == 1 else "value",
        is_count=all(table.is_count for table in cover.tables),
        evidence=merge_evidence(union, cover.tables),
        levels=merge_levels(union, cover.tables, cells.state),
        frame_kind=cover.tables[0].frame_kind,
        compiled=relations,
        residuals_accepted=accepted,
    )


def _check_tables(tables: Mapping[str, Table]) -> None:
    if not isinstance(tables, Mapping) or not tables:
        message = (
            "link takes tables by name: link({'T1': table1, 'T2': table2}). The names "
            "are used in messages and, with along=, as codes."
        )
        raise InputError(message)
    for name, table in tables.items():
        if not isinstance(name, str) or not isinstance(table, Table):
            message = (
                f"link: {name!r} is '{type(table).__name__}'. Names are text, and each "
                "of them names a Table (from tabulate, Table.from_cells or link)."
            )
            raise InputError(message)
    counting: dict[str, bool] = {}
    for name, table in tables.items():
        if counting.setdefault(table.measure, table.is_count) != table.is_count:
            message = (
                f"The measure '{table.measure}' of table '{name}' is a count in one "
                "table and a sum in another. Give the two measures different names."
            )
            raise InputError(message)


def _texts(equations: Iterable[str]) -> list[str]:
    return [equations] if isinstance(equations, str) else list(equations)


def _axes(tables: Mapping[str, Table], along: str | None) -> tuple[Axis, ...]:
    names = dict.fromkeys(name for t in tables.values() for name in t.names)
    added: dict[str, list[str]] = {}
    if along is not None:
        added[along] = list(tables)
    measures = [table.measure for table in tables.values()]
    if len(set(measures)) > 1:
        added[_MEASURE] = measures
    for name in added:
        if name in names or (name == _MEASURE and along == _MEASURE):
            message = (
                f"The linked tables need a new dimension '{name}', but one of that name"
                " is there already. Rename that dimension, or choose another along=."
            )
            raise InputError(message)
    # Tables that stand at codes of their own share no cells.
    disjoint = along is not None or len(set(measures)) == len(measures) > 1
    joined = [join_axis(name, tables, disjoint=disjoint) for name in names]
    return (*joined, *(new_axis(name, codes) for name, codes in added.items()))


def _union_of(names: tuple[str, ...], cover: _Cover) -> Union:
    codes = np.concatenate(
        [
            np.stack([axis.codes_of(i, table) for axis in cover.axes])
            for i, table in enumerate(cover.tables)
        ],
        axis=1,
    )
    keys = KeyIndex.of(codes, cover.sizes).keys
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    ends = np.cumsum([len(table) for table in cover.tables])
    joined = codes[:, first]
    return Union(
        names=names,
        codes=joined,
        place=tuple(np.split(place.astype(np.int64), ends[:-1])),
        first=first,
        describe=lambda cell: cover.describe(joined[:, cell]),
    )


def _settle_empty(
    union: Union, cover: _Cover, value: NDArray[np.int64], state: NDArray[np.uint8]
) -> None:
    """Hold cells of one table against what another one says is empty."""
    table_of = union.table_of
    pairs: list[tuple[int, int, int]] = []
    for i in range(len(cover.tables)):
        empty = cover.inside(i, union.codes)
        empty[union.place[i]] = False
        state[empty & (state == State.SAFE) & (value == 0)] = State.EMPTY
        pairs.extend(
            (int(table_of[union.first[cell]]), i, cell)
            for cell in np.flatnonzero(empty & (value != 0)).tolist()
        )
    union.refuse("value (it is empty in one of them)", pairs)


def _stated(equation: str, cover: _Cover, codes: NDArray[np.int32]) -> Carried:
    """State one equation wherever all its terms are published."""
    axis, terms = _terms(equation, cover.axes)

    def empty(code: int, cells: NDArray[np.int32]) -> NDArray[np.bool_]:
        there = cells.copy()
        there[axis] = code
        known = np.zeros(cells.shape[1], dtype=bool)
        for i in range(len(cover.tables)):
            known |= cover.inside(i, there)
        return known

    data, indices, lengths = equation_rows(
        terms, codes, axis=axis, sizes=cover.sizes, empty=empty
    )
    none = np.full(len(lengths), -1)
    return Carried(
        data=data,
        indices=indices,
        lengths=lengths,
        dimension=none.astype(np.int16),
        tree=np.zeros(len(lengths), dtype=np.int32),
        total=none.astype(np.int32),
        words=(equation.strip(),),
    )


def _terms(equation: str, axes: Sequence[Axis]) -> tuple[int, dict[int, int]]:
    """Dimension that an equation is about, and the coefficients of its codes."""
    able = [d for d, axis in enumerate(axes) if not axis.dimension.hierarchies]
    if not able:
        message = (
            f"Equation '{equation}': an equation relates different measures, or the "
            "codes of a dimension without totals (along=). These tables have neither: "
            "their hierarchies say what adds up."
        )
        raise InputError(message)
    names = {code for d in able for code in axes[d].dimension.codes}
    found = parse_equation(equation, names)
    for d in able:
        positions = axes[d].dimension.positions
        if all(name in positions for name in found):
            return d, {positions[name]: sign for name, sign in found.items()}
    dimensions = ", ".join(f"'{axes[d].dimension.name}'" for d in able)
    message = (
        f"Equation '{equation}': its names belong to different dimensions "
        f"({dimensions}). Write one equation for each of them."
    )
    raise InputError(message)
