# SPDX-License-Identifier: Apache-2.0
"""Contributors put into leaf cells, and told apart: in one leaf cell, or in several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import SourceError
from tacit.table._keys import KeyIndex
from tacit.tabulate._parse import KEY_UNIT
from tacit.tabulate._reduce import WHOLE, Reduced, two_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.table import Dimension
    from tacit.tabulate._spec import Spec

__all__ = ["Members", "arrange", "half_even"]

_FITS = 2**62
_HALF_KEY = 10**8


@dataclass(frozen=True, eq=False, repr=False)
class Members:
    """Reduced records in ascending order of leaf cell and unit. Confidential.

    ``leaf`` numbers the non-empty leaf cells from 0, ``starts`` is the first row of
    each. ``entity`` is the holding if there is one, else the unit, else the record.
    """

    rows: Reduced
    leaf: NDArray[np.int32]
    starts: NDArray[np.int64]
    unit: NDArray[np.int64]

    @property
    def entity(self) -> NDArray[np.int64]:
        """Number of the contributor that the rules protect."""
        return self.unit if self.rows.holding is None else self.rows.holding

    @cached_property
    def entities(self) -> int:
        """How many there are."""
        return int(self.entity.max()) + 1

    @cached_property
    def several(self) -> NDArray[np.bool_]:
        """Which entities live in more than one leaf cell."""
        entity, leaf = self.entity, self.leaf
        if self.rows.holding is None:
            return np.bincount(entity, minlength=self.entities) > 1
        pairs = np.unique(leaf.astype(np.int64) * self.entities + entity)
        return np.bincount(pairs % self.entities, minlength=self.entities) > 1

    @property
    def leaf_codes(self) -> NDArray[np.int32]:
        """Codes of the leaf cells."""
        return self.rows.codes[:, self.starts]

    def over_leaves(self, column: NDArray[Any]) -> NDArray[Any]:
        """Sum a column over the rows of each leaf cell."""
        sums: NDArray[Any] = np.add.reduceat(column, self.starts)
        return sums

    def keys_over_leaves(self, column: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sum record keys over the rows of each leaf cell, and keep the fraction."""
        # In two halves, because a sum of many keys does not fit 64 bits.
        high, low = np.divmod(column, _HALF_KEY)
        carried = self.over_leaves(high) % _HALF_KEY * _HALF_KEY
        sums: NDArray[np.int64] = (carried + self.over_leaves(low)) % KEY_UNIT
        return sums

    @cached_property
    def leaf_value(self) -> NDArray[np.int64]:
        """Published value of each leaf cell."""
        rows = self.rows
        if rows.weighted is None or rows.rest is None:
            return self.over_leaves(rows.value)
        return half_even(self.over_leaves(rows.weighted), self.over_leaves(rows.rest))

    def __repr__(self) -> str:
        return f"<Members: {len(self.leaf):,} rows, confidential>"


def half_even(
    whole: NDArray[np.int64], millionths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Round whole numbers and millionths to whole numbers, halves to the even one.

    >>> half_even(np.array([0, 1, 0]), np.array([500_000, 500_000, -700_000])).tolist()
    [0, 2, -1]
    """
    carry, rest = np.divmod(millionths, WHOLE)
    whole = whole + carry
    up = (2 * rest > WHOLE) | ((2 * rest == WHOLE) & (whole % 2 == 1))
    rounded: NDArray[np.int64] = whole + up
    return rounded


def arrange(rows: Reduced, spec: Spec, dimensions: Sequence[Dimension]) -> Members:
    """Sort the rows by leaf cell and contributor, whatever order they came in."""
    keys = KeyIndex.of(rows.codes, [len(d) for d in dimensions]).keys
    order = _order(keys, rows)
    keys = keys[order]
    rows = _take(rows, order)
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    leaf = np.zeros(len(keys), dtype=np.int32)
    leaf[starts[1:]] = 1
    np.cumsum(leaf, out=leaf)
    unit = np.arange(len(rows)) if rows.unit is None else rows.unit
    members = Members(replace(rows, unit=None), leaf, starts, unit)
    _check_holdings(members, spec)
    _check_weights(members, spec)
    return members


def _order(keys: NDArray[np.int64], rows: Reduced) -> NDArray[np.int64]:
    if rows.unit is None:
        # Records have no names: they are told apart by all that is known of them.
        known = (
            rows.key,
            rows.cost,
            rows.request,
            rows.waived,
            rows.size,
            rows.weight,
            rows.value,
            rows.holding,
        )
        return np.lexsort((*(c for c in known if c is not None), keys))
    units = int(rows.unit.max()) + 1
    if (int(keys.max()) + 1) * units < _FITS:
        return np.argsort(keys * units + rows.unit)
    return np.lexsort((rows.unit, keys))


def _take(rows: Reduced, order: NDArray[np.int64]) -> Reduced:
    columns: dict[str, Any] = {
        name: None if column is None else column[..., order]
        for name, column in vars(rows).items()
    }
    return Reduced(**columns)


def _check_holdings(members: Members, spec: Spec) -> None:
    """Refuse a unit that belongs to two holdings."""
    holding = members.rows.holding
    if holding is None or spec.unit is None:
        return
    number = _number_of_differing(members.unit, holding)
    if number:
        message = (
            f"{number:,} of the units (column '{spec.unit}') belong to more than one "
            f"holding (column '{spec.holding}'), so their contributions cannot be "
            "added to those of one. Give each unit one holding, for instance that of "
            "the end of the period."
        )
        raise SourceError(message)


def _check_weights(members: Members, spec: Spec) -> None:
    """Refuse a unit with two weights where its virtual units are counted."""
    weight = members.rows.weight
    if weight is None or spec.unit is None or spec.weights != "partial":
        return
    number = _number_of_differing(members.unit, weight)
    if number:
        raise SourceError(two_weights(spec, number))


def _number_of_differing(unit: NDArray[np.int64], column: NDArray[np.int64]) -> int:
    """Count the units whose rows differ in a column."""
    any_of = np.zeros(int(unit.max()) + 1, dtype=column.dtype)
    any_of[unit] = column
    return len(np.unique(unit[any_of[unit] != column]))
