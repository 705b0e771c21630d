# SPDX-License-Identifier: Apache-2.0
"""Every contribution to the sensitive cells, as far as M3A needs to know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError
from tacit.protect.adjust._attacks import People
from tacit.table import contributions_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.table import Evidence, Table

__all__ = ["people_of"]


def people_of(
    table: Table, cells: NDArray[np.int64], attackers: int | None = None
) -> People:
    """Gather the contributions to these cells, those of a holding as one.

    From the records that were tabulated; or from the largest contributions, which is
    what a finished or a linked table knows: as many as there are attackers must be
    known of each cell (None: all).

    >>> from tacit import Table
    >>> given = {"sex": ["f", "m"], "v": [10, 7], "n": [2, 1], "x": [9, 7], "y": [1, 0]}
    >>> table = Table.from_cells(
    ...     given, by={"sex": "T"}, value="v", count="n", contributions=["x", "y"])
    >>> people_of(table, np.array([1, 2])).value.tolist()
    [9, 1, 7]
    """
    if table.contributions is not None:
        return _from_records(table, cells)
    evidence = table.evidence
    if evidence is None or not evidence.largest.shape[1]:
        message = (
            "M3A works out what each contributor could infer, so it needs the single "
            "contributions to every sensitive cell, and the table knows none. Tabulate "
            "it from microdata, or name their columns: Table.from_cells(..., count=, "
            "contributions=)."
        )
        raise InputError(message)
    return _from_largest(table, evidence, cells, attackers)


def _from_largest(
    table: Table, evidence: Evidence, cells: NDArray[np.int64], attackers: int | None
) -> People:
    counts = evidence.contributors[cells]
    needed = counts if attackers is None else np.minimum(counts, max(attackers, 2))
    known = needed <= evidence.largest.shape[1]
    if evidence.complete is not None:
        known &= evidence.complete[cells]
    if not known.all():
        raise InputError(_incomplete(table, cells[~known]))
    largest = np.rint(evidence.largest[cells]).astype(np.int64)
    held = np.arange(largest.shape[1]) < counts[:, None]
    rest = np.rint(evidence.total[cells]).astype(np.int64) - largest.sum(axis=1)
    if held.sum() == counts.sum():
        return People(_pointers(counts), largest[held])
    return People(_pointers(held.sum(axis=1)), largest[held], counts, rest)


def _from_records(table: Table, cells: NDArray[np.int64]) -> People:
    rows = contributions_of(table, cells)
    if rows.weighted is not None:
        message = (
            "M3A is defined for tables of everybody, not for samples: with sampling "
            "weights a contributor cannot subtract its own part from the total. "
            "Tabulate without weights, or use method='cta'."
        )
        raise InputError(message)
    # What a holding adds up to nothing with is nobody's secret, and no one estimates.
    there = rows.value != 0
    counts = np.bincount(rows.group[there], minlength=len(rows))
    return People(_pointers(counts), rows.value[there])


def _pointers(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    indptr = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=indptr[1:])
    return indptr


def _incomplete(table: Table, cells: NDArray[np.int64]) -> str:
    first = table.describe_cell(int(cells[0]))
    return (
        f"{len(cells):,} sensitive cells (the first: {first}) have more attackers "
        "than contributions that are known. Give more columns as contributions= (or "
        "tabulate with a larger top=), or let fewer attack with phi=."
    )
