# SPDX-License-Identifier: Apache-2.0
"""Does every total equal the sum of its parts? Exactly, and relation by relation."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import numpy as np

from tacit.errors import AdditivityError, InputError
from tacit.table._build import distinct_parents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.table._relations import Relations
    from tacit.table._table import Table

__all__ = ["Tolerance", "check_additivity"]

_SHOWN = 10
Tolerance = int | Literal["rounding"] | None


def check_additivity(table: Table, tolerance: Tolerance = None) -> int:
    """Check every relation of a table; count those that hold only by tolerance.

    ``tolerance`` is how many units of the last decimal each relation may miss by, or
    ``"rounding"``: half a unit for each of its terms, which is what rounding every
    value on its own can do.

    >>> from tacit import Table
    >>> cells = {"sex": ["all", "f", "m"], "n": [6, 2, 3]}
    >>> Table.from_cells(cells, by={"sex": "all"}, count="n")
    Traceback (most recent call last):
    ...
    tacit.errors.AdditivityError: The table does not add up: 1 of 1 relations fails.
      - sex: all = f + m: parts minus total is -1
    Correct the data, or, where each value was rounded alone, say tolerance="rounding".
    """
    relations = table.relations
    residuals = relations.residuals(table.cells.value)
    failing = np.flatnonzero(np.abs(residuals) > _allowed(relations, tolerance))
    childless = _totals_without_parts(table, tolerance)
    if len(failing) or len(childless):
        raise AdditivityError(_report(table, residuals, failing, childless))
    return int(np.count_nonzero(residuals))


def _allowed(relations: Relations, tolerance: Tolerance) -> NDArray[np.int64]:
    if tolerance == "rounding":
        return np.diff(relations.matrix.indptr).astype(np.int64) // 2
    return np.full(len(relations), _units(tolerance), dtype=np.int64)


def _units(tolerance: Tolerance) -> int:
    if tolerance is None or tolerance == "rounding":
        return 0
    if isinstance(tolerance, bool) or not isinstance(tolerance, int) or tolerance < 0:
        message = (
            "tolerance= is a whole number of units of the last decimal, 0 or more, or "
            "'rounding' (half a unit for each term of a relation)."
        )
        raise InputError(message)
    return tolerance


def _totals_without_parts(
    table: Table, tolerance: Tolerance
) -> list[tuple[int, int, int]]:
    """Held totals that are not 0 although no part is: (dimension, tree, cell)."""
    relations = table.relations
    nonzero = np.abs(table.cells.value) > _units(tolerance)
    found: list[tuple[int, int, int]] = []
    for d, dimension in enumerate(table.dimensions):
        for t, parents in enumerate(distinct_parents(dimension)):
            inner = np.zeros(len(dimension), dtype=bool)
            inner[parents[parents >= 0]] = True
            childless = inner[table.cells.codes[d]] & nonzero
            mine = (relations.dimension == d) & (relations.tree == t)
            childless[relations.total[mine]] = False
            found += [(d, t, cell) for cell in np.flatnonzero(childless).tolist()]
    return found


def _report(
    table: Table,
    residuals: NDArray[np.int64],
    failing: NDArray[np.int64],
    childless: list[tuple[int, int, int]],
) -> str:
    """List residuals; they are sums of the user's own input, not of protected data."""
    relations = table.relations
    count = len(failing) + len(childless)
    of = len(relations) + len(childless)
    verb = "fails" if count == 1 else "fail"
    lines = [f"The table does not add up: {count:,} of {of:,} relations {verb}."]
    worst = failing[np.argsort(-np.abs(residuals[failing]), kind="stable")]
    for row in worst[:_SHOWN].tolist():
        gap = _in_units(int(residuals[row]), table.cells.decimals)
        lines.append(f"  - {relations.describe(row)}: parts minus total is {gap}")
    for d, _, cell in childless[: max(0, _SHOWN - len(worst))]:
        lines.append(
            f"  - {table.dimensions[d].name}: no part of "
            f"({table.describe_cell(cell)}) is in the table, yet it is not 0"
        )
    if count > _SHOWN:
        lines.append(f"  and {count - _SHOWN:,} more")
    lines.append(
        "Correct the data, or, where each value was rounded alone, say "
        'tolerance="rounding".'
    )
    return "\n".join(lines)


def _in_units(residual: int, decimals: int) -> str:
    amount = Decimal(residual).scaleb(-decimals)
    return f"{amount:+,f}"
