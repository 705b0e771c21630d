# SPDX-License-Identifier: Apache-2.0
"""The finest classes that several classifications of the same thing have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from tacit.table import Dimension, Table

__all__ = ["DATA", "Axis", "axes_of"]

DATA = "data="
_OTHERS = "(others)"
_NOWHERE = -1


class Axis(NamedTuple):
    """One variable: its finest classes, and where each of them lies in each table.

    ``place[k][a]`` is the position of the leaf code of table k that holds class a; 0
    where the table does not show the variable, -1 where it leaves the class out.
    """

    name: str
    atoms: tuple[str, ...]
    place: tuple[NDArray[np.int64], ...]


def axes_of(
    tables: Mapping[str, Table],
    classes: Mapping[str, Mapping[str, Sequence[str]]],
    within: Mapping[str, Mapping[str, Sequence[str]]],
) -> tuple[Axis, ...]:
    """Find the finest common classes of every variable that any table shows.

    The table called ``DATA`` is not published and may have fewer classes.
    """
    shown = [name for table in tables.values() for name in table.names]
    limited = [name for limits in within.values() for name in limits]
    _check_names(tables, classes, within, set(shown) | set(limited))
    return tuple(
        _Variable(name, tables, classes.get(name, {}), within).axis()
        for name in dict.fromkeys([*shown, *limited])
    )


def _check_names(
    tables: Mapping[str, Table],
    classes: Mapping[str, Mapping[str, Sequence[str]]],
    within: Mapping[str, Mapping[str, Sequence[str]]],
    names: set[str],
) -> None:
    from tacit.errors import suggest  # noqa: PLC0415 - for the message only

    for name in classes:
        if name not in names:
            message = f"classes= names no variable '{name}'. {suggest(name, names)}"
            raise InputError(message)
    for table in within:
        if table not in tables:
            message = f"within= names no table '{table}'. {suggest(table, tables)}"
            raise InputError(message)


class _Variable:
    """The codes of one variable in all tables, resolved to finest classes."""

    def __init__(
        self,
        name: str,
        tables: Mapping[str, Table],
        given: Mapping[str, Sequence[str]],
        within: Mapping[str, Mapping[str, Sequence[str]]],
    ) -> None:
        self.name, self.given = name, given
        self.tables = list(tables)
        self.dimensions = [
            table.dimensions[table.axis(name)] if name in table.names else None
            for table in tables.values()
        ]
        self.limits = [within.get(table, {}).get(name) for table in tables]

    def axis(self) -> Axis:
        found: dict[str, int] = {}
        for dimension in self.dimensions:
            for code in _leaf_codes(dimension):
                self._note(self.resolve(code), found)
        unseen = len(found)
        for limit in self.limits:
            for code in limit or ():
                self._note(self.resolve(code), found)
        if not unseen:
            found[_OTHERS] = len(found)
        place = [self._place(k, found) for k in range(len(self.tables))]
        return Axis(self.name, tuple(found), tuple(place))

    @staticmethod
    def _note(atoms: Iterable[str], found: dict[str, int]) -> None:
        for atom in atoms:
            found.setdefault(atom, len(found))

    def resolve(self, code: str, above: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Finest classes of one code: as declared, or as another table splits it."""
        if code in self.given:
            return tuple(self.given[code])
        if code in above:
            return (code,)
        for dimension in self.dimensions:
            parts = _parts(dimension, code)
            if parts:
                inner = [self.resolve(part, (*above, code)) for part in parts]
                return tuple(dict.fromkeys(a for atoms in inner for a in atoms))
        return (code,)

    def _place(self, k: int, found: dict[str, int]) -> NDArray[np.int64]:
        dimension, limit = self.dimensions[k], self.limits[k]
        inside = np.ones(len(found), dtype=bool)
        if limit is not None:
            inside[:] = False
            inside[[found[a] for code in limit for a in self.resolve(code)]] = True
        if dimension is None:
            return np.where(inside, 0, _NOWHERE)
        place = np.full(len(found), _NOWHERE, dtype=np.int64)
        for code in _leaf_codes(dimension):
            at = [found[atom] for atom in self.resolve(code)]
            self._refuse_overlap(k, dimension, code, place[at])
            place[at] = dimension.position(code)
        # the records themselves may well have nobody in a class
        if self.tables[k] != DATA:
            self._refuse_gaps(k, tuple(found), np.flatnonzero(inside & (place < 0)))
        place[~inside] = _NOWHERE
        return place

    def _refuse_overlap(
        self, k: int, dimension: Dimension, code: str, held: NDArray[np.int64]
    ) -> None:
        taken = held[held >= 0]
        if len(taken):
            other = dimension.codes[int(taken[0])]
            message = (
                f"In '{self.tables[k]}' the classes '{other}' and '{code}' of "
                f"'{self.name}' overlap by what classes= says of them. The classes of "
                "one table must lie apart: correct classes=."
            )
            raise InputError(message)

    def _refuse_gaps(
        self, k: int, atoms: tuple[str, ...], gaps: NDArray[np.int64]
    ) -> None:
        if len(gaps):
            named = ", ".join(f"'{atoms[g]}'" for g in gaps[:5].tolist())
            message = (
                f"'{self.tables[k]}' has no class of '{self.name}' that holds {named}, "
                "which another table shows. Say how the classes overlap with "
                f"classes={{'{self.name}': {{class: [finest classes]}}}}, or, if the "
                "table leaves them out, what it covers with "
                f"within={{'{self.tables[k]}': {{'{self.name}': [...]}}}}."
            )
            raise InputError(message)


def _leaf_codes(dimension: Dimension | None) -> list[str]:
    if dimension is None:
        return []
    return [dimension.codes[p] for p in dimension.leaves.tolist()]


def _parts(dimension: Dimension | None, code: str) -> list[str]:
    """Leaves below a code that this dimension splits; none if it does not."""
    if dimension is None or code not in dimension.positions:
        return []
    for tree in dimension.hierarchies:
        if code in tree and code not in tree.leaf_codes:
            return [c for c in tree.descendants(code) if c in tree.leaf_codes]
    return []
