# SPDX-License-Identifier: Apache-2.0
"""What is asked of each cell: how far it must move, how far it may."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError, LimitError
from tacit.protect._perturbing import marked
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.adjust._cta import Cta
    from tacit.rules import Assessment
    from tacit.table import Table

__all__ = ["Demands", "demands_of"]

_NOISE = 1e-9


@dataclass(frozen=True, eq=False)
class Demands:
    """Per cell, in scaled amounts: moves between ``least`` and ``most``.

    A sensitive cell must move up by ``up`` or down by ``down``; 0 says that this side
    does not protect it. ``kept`` cells do not move; ``weight`` is the cost of a move
    by one.
    """

    sensitive: NDArray[np.bool_]
    up: NDArray[np.int64]
    down: NDArray[np.int64]
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    kept: NDArray[np.bool_]
    weight: NDArray[np.float64]


def demands_of(assessment: Assessment, options: Cta) -> Demands:
    """Read levels, bounds, slack and what is to be preserved."""
    table = assessment.table
    sensitive = assessment.sensitive
    up, down = _needs(assessment)
    empty = assessment.state == State.EMPTY
    asked = _preserved(table, options)
    if (asked & sensitive).any():
        raise LimitError(_both(table, asked & sensitive))
    kept = ((assessment.state == State.FROZEN) & ~sensitive) | asked
    kept &= ~empty
    farthest = int(np.maximum(up, down)[sensitive].sum()) or 1
    least, most = _room(table, farthest)
    others = ~sensitive
    if options.slack is not None:
        free = np.floor(np.abs(table.cells.value) * (options.slack / 100) + _NOISE)
        least[others] = np.maximum(least, -free.astype(np.int64))[others]
        most[others] = np.minimum(most, free.astype(np.int64))[others]
    still = kept | (empty & ~sensitive)
    least[still], most[still] = 0, 0
    down = np.where(-least >= down, down, 0)
    up = np.where(most >= up, up, 0)
    weight = _weights(table, options.weights)
    return Demands(sensitive, up, down, least, most, kept, weight)


def _both(table: Table, cells: NDArray[np.bool_]) -> str:
    first = table.describe_cell(int(np.flatnonzero(cells)[0]))
    many = int(cells.sum())
    verb = "cell is" if many == 1 else "cells are"
    return (
        f"preserve: {many:,} {verb} to keep its value and sensitive, so that it must "
        f"move, the first at ({first}). Name totals that are not sensitive by their "
        "codes, as in preserve=[{'region': 'A'}], or preserve none."
    )


def _needs(assessment: Assessment) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Levels in scaled amounts, rounded up; without any, a move by one."""
    scale = float(10**assessment.table.cells.decimals)
    above, below, either = (
        np.ceil(level * scale * (1 - _NOISE)).astype(np.int64)
        for level in (assessment.upl, assessment.lpl, assessment.spl)
    )
    bare = assessment.sensitive & (above == 0) & (below == 0)
    alone = np.maximum(either, 1)
    return np.where(bare, alone, above), np.where(bare, alone, below)


def _room(table: Table, farthest: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How far each cell may move, by what readers know of it beforehand."""
    cells = table.cells
    least = np.full(len(cells), -farthest, dtype=np.int64)
    most = np.full(len(cells), farthest, dtype=np.int64)
    if len(cells) and cells.value.min() >= 0:
        least = np.maximum(least, -cells.value)
    if cells.lower is not None:
        least = np.maximum(least, np.minimum(cells.lower - cells.value, 0))
    if cells.upper is not None:
        most = np.minimum(most, np.maximum(cells.upper - cells.value, 0))
    return least, most


def _preserved(table: Table, options: Cta) -> NDArray[np.bool_]:
    """Mark the cells whose values are to be kept."""
    marks = np.zeros(len(table), dtype=np.bool_)
    if options.preserve == "none":
        return marks
    if isinstance(options.preserve, str):
        matrix = table.relations.matrix
        total, part = np.zeros_like(marks), np.zeros_like(marks)
        total[matrix.indices[matrix.data < 0]] = True
        part[matrix.indices[matrix.data > 0]] = True
        return total & ~part if options.preserve == "total" else total
    return marked(table, "preserve", options.preserve)


def _weights(table: Table, weights: str) -> NDArray[np.float64]:
    size = np.maximum(np.abs(table.value_in_units), 10.0**-table.cells.decimals)
    if weights == "relative":
        return 1.0 / size
    if weights == "root":
        return 1.0 / np.sqrt(size)
    if weights == "unit":
        return np.ones(len(table))
    if table.cells.cost is None:
        message = (
            "weights = 'column' takes the cost that came with the table, and it has "
            "none. Name the column with cost= when the table is made."
        )
        raise InputError(message)
    return np.maximum(table.cells.cost, 1e-9)
