# SPDX-License-Identifier: Apache-2.0
"""Join the code lists that linked tables have of one dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import HierarchyError, InputError
from tacit.hierarchy import Hierarchy
from tacit.table._codes import leaves_below
from tacit.table._dimension import Dimension

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tacit.table._table import Table

__all__ = ["Axis", "join_axis", "new_axis"]


@dataclass(frozen=True, eq=False)
class Axis:
    """One dimension of linked tables, and the way to it from each of them.

    ``source[i]`` is the dimension of table i, -1 where it has none; ``positions[i]``
    leads from its codes to the joined ones (the only code where it has none), and
    ``trees[i]`` from its trees to the joined ones. ``known[i]`` are the joined codes
    that table i is about: what it does not hold of them is empty.
    """

    dimension: Dimension
    source: tuple[int, ...]
    positions: tuple[NDArray[np.int32], ...]
    trees: tuple[tuple[int, ...], ...]
    known: tuple[NDArray[np.bool_], ...]

    def codes_of(self, i: int, table: Table) -> NDArray[np.int32]:
        """Joined position of every cell of table i."""
        if self.source[i] >= 0:
            found: NDArray[np.int32] = self.positions[i][
                table.cells.codes[self.source[i]]
            ]
            return found
        return np.full(len(table), self.positions[i][0], dtype=np.int32)


def new_axis(name: str, codes: Sequence[str]) -> Axis:
    """Give each table its code, ``codes[i]``, of a dimension without totals."""
    distinct = tuple(dict.fromkeys(codes))
    dimension = Dimension(name, distinct)
    positions = tuple(
        np.array([dimension.positions[code]], dtype=np.int32) for code in codes
    )
    known = tuple(_marked(dimension, places) for places in positions)
    return Axis(dimension, (-1,) * len(codes), positions, ((),) * len(codes), known)


def join_axis(name: str, tables: Mapping[str, Table], *, disjoint: bool) -> Axis:
    """Join the dimensions called ``name`` into one.

    ``disjoint`` tells that the tables share no cells (waves), so that a code may have
    come or gone between them.
    """
    source = tuple(
        table.names.index(name) if name in table.names else -1
        for table in tables.values()
    )
    held = [
        table.dimensions[d] if d >= 0 else None
        for table, d in zip(tables.values(), source, strict=True)
    ]
    grove, trees = _plant(held, disjoint=disjoint)
    grove = _grafted(grove)
    if not disjoint:
        _check_sums(name, grove)
    dimension = _dimension(name, [d for d in held if d is not None], grove)
    lacking = [key for key, d in zip(tables, held, strict=True) if d is None]
    total = _total_for_others(dimension, lacking)
    positions = tuple(
        np.array(
            [dimension.positions[code] for code in (d.codes if d else (total,))],
            dtype=np.int32,
        )
        for d in held
    )
    known = []
    for d, places, which in zip(held, positions, trees, strict=True):
        marks = _marked(dimension, places)
        for tree, k in zip(d.hierarchies if d else (), which, strict=True):
            _mark_implied(marks, dimension, tree, grove[k])
        known.append(marks)
    return Axis(dimension, source, positions, trees, tuple(known))


def _marked(dimension: Dimension, places: NDArray[np.int32]) -> NDArray[np.bool_]:
    marks = np.zeros(len(dimension), dtype=bool)
    marks[places] = True
    return marks


def _mark_implied(
    marks: NDArray[np.bool_], dimension: Dimension, tree: Hierarchy, joined: Hierarchy
) -> None:
    """Mark parts that another table has of a code whose parts ``tree`` lists.

    They are not among the parts that add up to it here, so they are empty here.
    """
    listed = set(_inner(tree))
    for code, parent in _parents(joined).items():
        if parent in listed and not marks[dimension.positions[code]]:
            marks[dimension.positions[code]] = True
            listed.add(code)


def _dimension(
    name: str, held: Sequence[Dimension], trees: Sequence[Hierarchy]
) -> Dimension:
    codes = dict.fromkeys(code for tree in trees for code in tree.codes)
    for dimension in held:
        strangers = [code for code in dimension.codes if code not in codes]
        if trees and strangers:
            message = (
                f"Dimension '{name}' has totals in one table and none in another, and "
                f"the code '{strangers[0]}' of the latter stands in no hierarchy, so "
                "what it is a part of is unknown. Give both tables the hierarchy, or "
                "name the two dimensions apart."
            )
            raise InputError(message)
        codes |= dict.fromkeys(dimension.codes)
    sensitive = any(dimension.sensitive for dimension in held)
    return Dimension(name, tuple(codes), tuple(trees), sensitive)


def _total_for_others(dimension: Dimension, lacking: Sequence[str]) -> str:
    """Code at which the tables stand that lack a dimension."""
    totals = list(dict.fromkeys(tree.total for tree in dimension.hierarchies))
    if not lacking or len(totals) == 1:
        return totals[0] if totals else ""
    if not totals:
        why = "which has no total that its cells could stand at"
    else:
        why = "which has several totals: " + ", ".join(f"'{t}'" for t in totals)
    message = (
        f"Table '{lacking[0]}' lacks the dimension '{dimension.name}', {why}. Add the "
        "dimension to that table, with the code that its cells are about."
    )
    raise InputError(message)


def _plant(
    held: Sequence[Dimension | None], *, disjoint: bool
) -> tuple[list[Hierarchy], tuple[tuple[int, ...], ...]]:
    """Join trees that agree; say which of the joined ones each tree became."""
    trees = [tree for d in held if d is not None for tree in d.hierarchies]
    grove: dict[int, Hierarchy] = dict(enumerate(trees))
    became = list(range(len(trees)))
    pairs = [(i, j) for j in grove for i in range(j)]
    k = 0
    while k < len(pairs):
        i, j = pairs[k]
        k += 1
        joined = (
            _joined(grove[i], grove[j], disjoint=disjoint)
            if i in grove and j in grove
            else None
        )
        if joined is not None:
            grove[i] = joined
            del grove[j]
            became = [i if b == j else b for b in became]
            k = 0  # a larger tree may agree with one that the smaller ones did not
    order = {old: new for new, old in enumerate(grove)}
    found = iter(order[b] for b in became)
    numbers = tuple(
        tuple(next(found) for _ in d.hierarchies) if d is not None else () for d in held
    )
    return list(grove.values()), numbers


def _joined(first: Hierarchy, second: Hierarchy, *, disjoint: bool) -> Hierarchy | None:
    """One tree that says what both say, or None if they say different things."""
    labels = {**second.labels, **first.labels}
    if first.same_tree(second):
        return Hierarchy(first.codes, first.parents, labels)
    if first.total != second.total and (first.total in second) == (
        second.total in first
    ):
        return None
    large, small = sorted((first, second), key=len, reverse=True)
    above, below = _parents(large), _parents(small)
    if any(above.get(code, parent) != parent for code, parent in below.items()):
        return None
    if not disjoint and not _parts_agree(large, small):
        return None
    return Hierarchy.from_parents({**above, **below}, labels=labels)


def _parents(tree: Hierarchy) -> dict[str, str]:
    above = [tree.codes[p] for p in tree.parents[1:].tolist()]
    return dict(zip(tree.codes[1:], above, strict=True))


def _parts_agree(first: Hierarchy, second: Hierarchy) -> bool:
    """Whether no code has two different lists of parts.

    Parts that are a selection of the others are those that the data of one table
    hold; anything else is another way to divide the code.
    """
    inner = [code for code in _inner(second) if code in first]
    for code in inner:
        here, there = set(first.children(code)), set(second.children(code))
        if here and not (here <= there or there <= here):
            return False
    return True


def _inner(tree: Hierarchy) -> list[str]:
    return [tree.codes[i] for i in np.flatnonzero(~tree.is_leaf).tolist()]


def _grafted(grove: Sequence[Hierarchy]) -> list[Hierarchy]:
    """Give leaves of each tree the parts that they have in another one."""
    trees = list(grove)
    for i in range(len(trees)):
        for j in range(len(trees)):
            if i != j:
                trees[i] = _graft(trees[i], trees[j])
    return trees


def _graft(tree: Hierarchy, other: Hierarchy) -> Hierarchy:
    grown: dict[str, str] = {}
    for code in _inner(other):
        if code in tree.leaf_codes:
            below = other.descendants(code)
            if not any(part in tree for part in below):
                grown |= {part: str(other.parent(part)) for part in below}
    if not grown:
        return tree
    labels = {**other.labels, **tree.labels}
    return Hierarchy.from_parents(
        {**_parents(tree), **grown}, total=tree.total, labels=labels
    )


def _check_sums(name: str, trees: Sequence[Hierarchy]) -> None:
    """Check that no code stands for two overlapping, unequal sets of leaves."""
    for j, second in enumerate(trees):
        for first in trees[:j]:
            for code in _inner(second):
                if code not in first:
                    continue
                here, there = leaves_below(first, code), leaves_below(second, code)
                if here != there and (here & there or code in here):
                    raise HierarchyError(_two_sums(name, code, here, there))


def _two_sums(name: str, code: str, here: frozenset[str], there: frozenset[str]) -> str:
    part = min(here ^ there)
    return (
        f"Dimension '{name}' of the linked tables: '{code}' holds '{part}' in one table"
        " and not in another, although other parts are the same. One code cannot be "
        "two sums: give both tables the same parts of it, or rename it in one of them."
    )
