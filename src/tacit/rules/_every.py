# SPDX-License-Identifier: Apache-2.0
"""All contributions of some cells, for the rules that the largest do not suffice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import RuleError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tacit.rules._exact import Column
    from tacit.table import Table

__all__ = ["Every", "every_contribution", "in_portions"]

_ROWS_AT_A_TIME = 4_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Every:
    """All contributions of m cells, cell after cell; those of one lie together.

    Under sampling weights they are the weighted ones.
    """

    indptr: NDArray[np.int64]
    value: Column
    size: Column | None = None

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Contributions per cell."""
        return np.diff(self.indptr)

    @cached_property
    def cell(self) -> NDArray[np.int64]:
        """Number of the cell that each contribution belongs to."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def sizes(self) -> Column:
        """Size of each contributor, or say that it is not known."""
        if self.size is None:
            message = (
                "negatives='proxy' needs the size of each contributor. "
                "Tabulate the table with size=, the name of its column."
            )
            raise RuleError(message)
        return self.size

    def reduce(self, how: np.ufunc, values: NDArray[Any]) -> NDArray[Any]:
        """Reduce the values of each cell; 0 where it has none."""
        result = np.zeros(len(self.counts), dtype=values.dtype)
        held = self.counts > 0
        if held.any():
            result[held] = how.reduceat(values, self.indptr[:-1][held])
        return result

    def ordered(self, values: NDArray[Any], *, width: int) -> tuple[Any, Any]:
        """Give each cell's sum and largest values, descending, padded with 0."""
        cell = self.cell
        order = np.lexsort((-values, cell))
        rank = np.arange(len(cell)) - self.indptr[cell]
        top = rank < width
        largest = np.zeros((len(self.counts), width), dtype=values.dtype)
        largest[cell[top], rank[top]] = values[order][top]
        return self.reduce(np.add, values), largest


def every_contribution(table: Table, cells: NDArray[np.int64], why: str) -> Every:
    """Gather all contributions of some cells, added up per entity."""
    if table.contributions is None:
        message = (
            f"'{why}' needs all contributions of a cell, not only the largest, and "
            "this table was built without them. Tabulate it from microdata."
        )
        raise RuleError(message)
    from tacit.table._contributions import contributions_of  # noqa: PLC0415 - seldom

    found = contributions_of(table, cells)
    value = found.value if found.weighted is None else found.weighted
    return Every(found.indptr, value, found.size)


def in_portions(
    counts: NDArray[np.int64] | NDArray[np.float64], cells: NDArray[np.int64]
) -> Iterator[NDArray[np.int64]]:
    """Split cells so that their contributions fit in memory together."""
    if not len(cells):
        return
    portion = np.cumsum(counts[cells]) // _ROWS_AT_A_TIME
    breaks = np.flatnonzero(np.diff(portion)) + 1
    yield from np.split(cells, breaks)
