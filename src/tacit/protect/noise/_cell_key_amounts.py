# SPDX-License-Identifier: Apache-2.0
"""Amounts changed by cell key: shares of the largest contributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.errors import InputError
from tacit.protect._perturbing import Changed
from tacit.protect.noise._cell_key import Flex, ptable_of
from tacit.protect.noise._cell_key_counts import staying
from tacit.protect.noise._ptable import KEY_UNIT
from tacit.table import contributions_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.noise._cell_key import CellKey
    from tacit.protect.noise._ptable import PTable
    from tacit.rules import Assessment
    from tacit.table import Evidence, Table

__all__ = ["perturbed"]

_BLOCK = 1 << 18


class _Sizes(NamedTuple):
    """How large noise is: in units of the last decimal."""

    large: float
    small: float
    start: float
    q: float
    near: float
    """Below this amount a cell is small; 0 where none is separated."""
    unit: float
    """What a small cell changes by in one step."""

    def share(self, amount: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of an amount that a step of noise changes it by."""
        share = np.where(amount > self.near, self.small, 0.0)
        if np.isinf(self.start):
            return share
        ratio = (self.small * amount - self.large * self.start) / (
            self.large * self.start
        )
        far = self.large * (
            1 + ratio * (2 * self.start / (amount + self.start)) ** self.q
        )
        return np.where(amount >= self.start, far, share)


@dataclass(frozen=True, eq=False)
class _Lookup:
    """The change of a cell in steps: between two rows of its table, by its key."""

    tables: tuple[PTable, PTable, PTable]
    closed: bool

    def steps(
        self,
        which: NDArray[np.int64],
        size: NDArray[np.float64],
        key: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Interpolate between the rows of the numbers below and above each size."""
        found = np.zeros(len(size))
        for number, table in enumerate(self.tables):
            mine = which == number
            if mine.any():
                found[mine] = self._of_one(table, size[mine], key[mine])
        return found

    def _of_one(
        self, table: PTable, size: NDArray[np.float64], key: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        numbers = table.numbers
        low = np.searchsorted(numbers, size, side="right") - 1
        high = np.minimum(low + 1, len(numbers) - 1)
        below = table.change(low, key, closed=self.closed)
        above = table.change(high, key, closed=self.closed)
        gap = np.maximum(numbers[high] - numbers[low], 1e-300)
        part = np.where(high > low, (size - numbers[low]) / gap, 0.0)
        return (1 - part) * below + part * above


def perturbed(assessment: Assessment, options: CellKey) -> Changed:
    """Add to each amount the noise of its largest contributions."""
    table = assessment.table
    evidence, key = _evidence(table, options)
    lookup, sizes = _how(table, options)
    parts = _contributions(table, evidence, options)
    value = table.cells.value
    noise = np.concatenate(
        [
            _noise(
                _Cells(value[part], parts[part], key[part], assessment.sensitive[part]),
                _even(evidence)[part],
                options,
                (lookup, sizes),
            )
            for part in _blocks(len(value))
        ]
    )
    kept = staying(assessment)
    noise[kept] = 0.0
    published = value + np.rint(noise).astype(np.int64)
    cost = float(np.abs(published - value).sum()) / 10**table.cells.decimals
    most = _largest_noise(parts, lookup, sizes, options)
    notes = {"kind": "amounts", "room": most, "kept": kept}
    return Changed(published, "cell_key", cost=cost, notes=notes)


class _Cells(NamedTuple):
    """Some cells: value, contributions (largest first), key, whether sensitive."""

    value: NDArray[np.int64]
    parts: NDArray[np.float64]
    key: NDArray[np.int64]
    sensitive: NDArray[np.bool_]


def _blocks(cells: int) -> list[slice]:
    return [slice(a, a + _BLOCK) for a in range(0, max(cells, 1), _BLOCK)]


def _noise(
    cells: _Cells,
    even: NDArray[np.bool_],
    options: CellKey,
    how: tuple[_Lookup, _Sizes],
) -> NDArray[np.float64]:
    """Change step by step: each contribution uses the key turned by one more digit."""
    lookup, sizes = how
    value = cells.value.astype(np.float64)
    total, sign = np.zeros(len(value)), np.sign(value)
    key = cells.key
    for j, weight in enumerate(options.weights):
        key = _turned(key, options.key_decimals)
        size = np.abs(cells.parts[:, j])
        step = weight * size * sizes.share(size)
        if j == 0:
            size, step = _first_step(np.abs(value), size, step, sizes)
        near = (size <= sizes.near) & (options.small is not None) & (j == 0)
        if j == 0:
            small = near
        which = np.where(small, 2, np.where(even, 0, 1))
        moved = step > 0
        ratio = np.divide(np.abs(value), step, out=np.zeros(len(value)), where=moved)
        change = lookup.steps(which, ratio, key)
        if j == 0 and options.extra:
            wide = cells.sensitive & (size >= sizes.near)
            pushed = np.sign(change) * (options.extra + np.abs(change))
            change = np.where(wide, pushed, change)
        total += np.where(moved, sign * step * change, 0.0)
    # Noise never changes the sign of a number.
    return np.where(sign * (value + total) < 0, -value, total)


def _first_step(
    value: NDArray[np.float64],
    size: NDArray[np.float64],
    step: NDArray[np.float64],
    sizes: _Sizes,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the largest contribution is small, or steps are longer than the value."""
    step = np.where(size >= sizes.near, step, sizes.unit)
    long = value < step
    size = np.where(long, value / sizes.small, size)
    short = np.where(size < sizes.near, sizes.unit, value)
    return size, np.where(long, short, step)


def _turned(key: NDArray[np.int64], decimals: int) -> NDArray[np.int64]:
    """Move the first decimal of a key behind its last."""
    unit = KEY_UNIT // 10**decimals
    shown = key // unit
    first, rest = np.divmod(shown, 10 ** (decimals - 1))
    turned: NDArray[np.int64] = (rest * 10 + first) * unit
    return turned


def _evidence(table: Table, options: CellKey) -> tuple[Evidence, NDArray[np.int64]]:
    evidence = table.evidence
    if evidence is None or evidence.keys is None or evidence.keys_nonzero is None:
        message = "This table carries no cell keys for amounts: tabulate it with them."
        raise InputError(message)
    return evidence, evidence.keys if options.zeros else evidence.keys_nonzero


def _even(evidence: Evidence) -> NDArray[np.bool_]:
    counts = evidence.contributors if evidence.nonzero is None else evidence.nonzero
    even: NDArray[np.bool_] = counts % 2 == 0
    return even


def _how(table: Table, options: CellKey) -> tuple[_Lookup, _Sizes]:
    every = ptable_of(options.noise)
    odd = every if options.odd is None else ptable_of(options.odd)
    small = every if options.small is None else ptable_of(options.small)
    scale = options.scale
    unit = float(10**table.cells.decimals)
    near = 0.0
    if isinstance(scale, Flex):
        sizes = _Sizes(
            scale.large, scale.small, scale.start * unit, scale.q, near, unit
        )
    else:
        share = float(scale or 0.0)
        sizes = _Sizes(share, share, np.inf, 1.0, near, unit)
    if options.small is not None:
        last = slice(small.start[-2], small.start[-1])
        spread = np.sqrt(float(np.array(small.p[last]) @ small.noise[last] ** 2))
        squares = float(np.square(options.weights).sum())
        near = spread / (sizes.small * np.sqrt(squares)) * unit
        sizes = sizes._replace(near=near)
    return _Lookup((every, odd, small), options.bounds == "within"), sizes


def _contributions(
    table: Table, evidence: Evidence, options: CellKey
) -> NDArray[np.float64]:
    """Give what is changed by noise, the largest first: (cells, as many as weights)."""
    if options.of == "value":
        return table.cells.value.astype(np.float64)[:, None]
    if options.of == "mean":
        counts = evidence.contributors if evidence.nonzero is None else evidence.nonzero
        return (table.cells.value / np.maximum(counts, 1))[:, None]
    if options.of == "range":
        return _ranges(table)[:, None]
    wanted = len(options.weights)
    if evidence.largest.shape[1] < wanted:
        message = (
            f"weights= names {wanted} of the largest contributions, and the table "
            f"keeps {evidence.largest.shape[1]}. Tabulate with top={wanted}."
        )
        raise InputError(message)
    return evidence.largest[:, :wanted].astype(np.float64)


def _ranges(table: Table) -> NDArray[np.float64]:
    """The largest contribution to each cell less the smallest."""
    rows = contributions_of(table, np.arange(len(table)))
    found = np.zeros(len(table))
    filled = rows.counts > 0
    starts = rows.indptr[:-1][filled]
    if len(starts):
        most = np.maximum.reduceat(rows.value, starts)
        found[filled] = most - np.minimum.reduceat(rows.value, starts)
    return found


def _largest_noise(
    parts: NDArray[np.float64], lookup: _Lookup, sizes: _Sizes, options: CellKey
) -> NDArray[np.float64]:
    """How far noise can move each cell at most."""
    most = max(table.largest for table in lookup.tables)
    room = np.zeros(len(parts))
    for j, weight in enumerate(options.weights):
        size = np.abs(parts[:, j])
        extra = options.extra if j == 0 else 0.0
        step = np.maximum(
            weight * size * sizes.share(size), sizes.unit * (sizes.near > 0) * (j == 0)
        )
        room += step * (most + extra)
    return np.ceil(room)
