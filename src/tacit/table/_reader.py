# SPDX-License-Identifier: Apache-2.0
"""Which column of a finished table says what, and its amounts laid over the cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tacit.errors import InputError, SourceError
from tacit.table._amounts import amounts
from tacit.table._totals import recompute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from tacit.hierarchy import Hierarchy
    from tacit.table._additivity import Tolerance
    from tacit.table._cells import State
    from tacit.table._dimension import Dimension
    from tacit.table._possible import Possible
    from tacit.table._table import Table

__all__ = ["CellColumns", "Reader", "level_columns"]


@dataclass(frozen=True, kw_only=True)
class CellColumns:
    """Which column of a finished table says what, and how to read it."""

    by: Mapping[str, Hierarchy | Sequence[Hierarchy] | Dimension | str]
    value: str | None = None
    count: str | None = None
    contributions: Sequence[str] = ()
    holdings: str | None = None
    state: str | None = None
    states: Mapping[str, State | str] | None = None
    levels: tuple[str, str, str | None] | None = None
    bounds: tuple[str, str] | None = None
    cost: str | None = None
    decimals: int | None = None
    mark: str = "."
    tolerance: Tolerance = None
    missing_totals: Literal["recompute", "error"] = "recompute"
    possible: Possible | None = None

    @property
    def published(self) -> str:
        """The column whose numbers the table publishes."""
        return self.value or self.count or ""

    @property
    def scaled(self) -> list[str]:
        """Columns that share the decimals of the published one."""
        bounds = list(self.bounds or ())
        return [self.published, *self.contributions, *bounds]

    def names(self) -> list[str]:
        """Every column that is read."""
        levels = [name for name in self.levels or () if name]
        others = [self.count, self.holdings, self.state, self.cost]
        return [*self.by, *self.scaled, *levels, *(name for name in others if name)]


@dataclass(frozen=True, eq=False)
class Reader:
    """Columns laid out over the cells: given rows in their place, implied totals."""

    columns: pa.Table
    request: CellColumns
    table: Table
    source: NDArray[np.int64]
    is_total: NDArray[np.bool_]
    decimals: int

    def column(self, name: str) -> pa.Array:
        """One column, in the order of the rows."""
        return self.columns.column(name).combine_chunks()

    def spread(self, rows: NDArray[Any], fill: float) -> NDArray[Any]:
        """Put one number per row in its cell; implied cells get ``fill``."""
        if not len(rows):
            return np.full(len(self.source), fill, dtype=rows.dtype)
        return np.where(self.source >= 0, rows[self.source], rows.dtype.type(fill))

    def given(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Exact amounts of a column and which cells have none."""
        scaled = name in self.request.scaled
        decimals = self.decimals if scaled else 0
        values, missing = amounts(
            self.column(name), name, decimals, self.request.mark if scaled else "."
        )
        return self.spread(values, 0), self.spread(missing, fill=True)

    def summed(self, name: str) -> NDArray[np.int64]:
        """Exact amounts of a column, missing totals summed from their parts."""
        values, missing = self.given(name)
        self.refuse_missing(missing, name)
        return recompute(self.table.relations, values, missing)

    def refuse_missing(self, missing: NDArray[np.bool_], name: str) -> None:
        """Only totals may be missing: nothing says what another cell would be."""
        bad = np.flatnonzero(missing & ~self.is_total)
        if len(bad):
            message = (
                f"Column '{name}', row {self.source[bad[0]] + 1} "
                f"({self.table.describe_cell(int(bad[0]))}): the amount is missing. "
                "Only totals can be recomputed; a cell without parts needs its amount. "
                "Leave the row out if nobody stands behind the cell."
            )
            raise SourceError(message)

    def refuse(self, bad: NDArray[np.bool_], name: str, why: str) -> None:
        """Raise an error that names the first cell that is bad."""
        if bad.any():
            at_row = bad & (self.source >= 0)
            cell = int(np.argmax(at_row if at_row.any() else bad))
            row = int(self.source[cell])
            where = f", row {row + 1}" if row >= 0 else ""
            message = (
                f"Column '{name}'{where} ({self.table.describe_cell(cell)}): {why}"
            )
            raise SourceError(message)


def level_columns(
    lower: str | None, upper: str | None, sliding: str | None
) -> tuple[str, str, str | None] | None:
    """Check that both sides of the protection are named, or neither."""
    if lower is None and upper is None and sliding is None:
        return None
    if lower is None or upper is None:
        message = (
            "Protection levels need both sides: name lower= and upper=, the same "
            "column twice if they are equal."
        )
        raise InputError(message)
    return lower, upper, sliding
