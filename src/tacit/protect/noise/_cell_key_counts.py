# SPDX-License-Identifier: Apache-2.0
"""Counts changed by cell key, weighted ones in proportion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError
from tacit.protect._perturbing import Changed
from tacit.protect.noise._cell_key import ptable_of
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.noise._cell_key import CellKey
    from tacit.protect.noise._ptable import PTable
    from tacit.rules import Assessment
    from tacit.table import Table

__all__ = ["perturbed", "staying"]


def perturbed(assessment: Assessment, options: CellKey) -> Changed:
    """Look up the change of each count by its key."""
    table = assessment.table
    ptable = ptable_of(options.noise)
    last = len(ptable.numbers) - 1
    if not np.array_equal(ptable.numbers, np.arange(last + 1)):
        message = (
            "A table of transition probabilities for counts has a row for each number "
            f"from 0 on, and this one has {_listed(ptable.numbers)}. Is it one for "
            "amounts? Give kind='count' in its design."
        )
        raise InputError(message)
    records = _records(table)
    row = np.minimum(records, last)
    found = ptable.change(row, _keys(table), closed=options.bounds == "within")
    change = np.rint(found).astype(np.int64)
    kept = staying(assessment)
    change[kept] = 0
    value = table.cells.value
    notes: dict[str, Any] = {
        "kind": "counts",
        "privacy": ptable.privacy(),
        "kept": kept,
    }
    published = value + change * 10**table.cells.decimals
    if table.evidence is not None and table.evidence.sum_of_weights is not None:
        published = _in_proportion(value, records, records + change)
        share = value / np.maximum(records, 1)
        notes["room"] = np.ceil(np.abs(share) * ptable.largest)
    else:
        notes["entries"] = _entries(ptable)
    cost = float(np.abs(published - value).sum()) / 10**table.cells.decimals
    return Changed(published, "cell_key", cost=cost, notes=notes)


def _entries(ptable: PTable) -> tuple[list[int], list[int]]:
    """Which number can become which: what an attacker is taken to know."""
    pairs = zip(ptable.i, ptable.j, ptable.p, strict=True)
    possible = [(round(i), round(j)) for i, j, p in pairs if p > 0]
    return [i for i, _ in possible], [j for _, j in possible]


def staying(assessment: Assessment) -> NDArray[np.bool_]:
    """Cells that must not change: those that were published, and empty ones."""
    stays: NDArray[np.bool_] = np.isin(assessment.state, (State.FROZEN, State.EMPTY))
    return stays


def _keys(table: Table) -> NDArray[np.int64]:
    evidence = table.evidence
    if evidence is None or evidence.keys is None:  # pragma: no cover - checked before
        message = "This table carries no cell keys."
        raise InputError(message)
    return evidence.keys


def _records(table: Table) -> NDArray[np.int64]:
    evidence = table.evidence
    if evidence is None or evidence.records is None:
        message = (
            "The number of records in each cell is not known, so its row of the table "
            "of transition probabilities is not. Tabulate the microdata."
        )
        raise InputError(message)
    return evidence.records


def _in_proportion(
    value: NDArray[np.int64], before: NDArray[np.int64], after: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Change weighted counts as the records behind them changed; halves to even.

    In whole numbers: ``value * after / before`` may not fit 64 bits, so the value is
    divided first and the remainder after.
    """
    divisor = np.maximum(before, 1)
    whole, rest = np.divmod(value, divisor)
    quotient, left = np.divmod(rest * after, divisor)
    result = whole * after + quotient
    up = (2 * left > divisor) | ((2 * left == divisor) & (result % 2 == 1))
    return np.where(before > 0, result + up, value)


def _listed(numbers: NDArray[np.float64]) -> str:
    return ", ".join(f"{number:g}" for number in numbers[:6].tolist())
