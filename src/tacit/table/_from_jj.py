# SPDX-License-Identifier: Apache-2.0
"""Read the suppression problem from a JJ file, as τ-ARGUS and its solvers write it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tacit.errors import InputError
from tacit.table._additivity import check_additivity
from tacit.table._amounts import MAX_DECIMALS
from tacit.table._dimension import Dimension
from tacit.table._jj_cells import CellLines, cells_of
from tacit.table._jj_lines import Faults, read_lines
from tacit.table._jj_relations import equations_of
from tacit.table._table import Table

if TYPE_CHECKING:
    from tacit.table._additivity import Tolerance

__all__ = ["from_jj"]

_CELLS_LINE = 2
_MOST_DIGITS = 9


def from_jj(
    path: str | Path, *, decimals: int | None = None, tolerance: Tolerance = None
) -> Table:
    """Build a table from a JJ file; see :meth:`Table.from_jj`."""
    _check_decimals(decimals)
    path = Path(path)
    lines = read_lines(path)
    faults = Faults(path)
    cells, relations = _sections(lines, faults)
    first = _CELLS_LINE + 1
    split = CellLines.split(lines[_CELLS_LINE : _CELLS_LINE + cells], first, faults)
    made, levels = cells_of(split, decimals, faults)
    below = _CELLS_LINE + cells + 1
    equations = equations_of(lines[below : below + relations], below + 1, cells, faults)
    table = Table(
        dimensions=(Dimension("cell", tuple(map(str, range(cells)))),),
        cells=made,
        levels=levels,
        equations=equations,
    )
    return table.updated(residuals_accepted=check_additivity(table, tolerance))


def _check_decimals(decimals: int | None) -> None:
    if decimals is not None and not 0 <= decimals <= MAX_DECIMALS:
        message = f"decimals={decimals} must be between 0 and {MAX_DECIMALS}."
        raise InputError(message)


def _sections(lines: list[str], faults: Faults) -> tuple[int, int]:
    """How many cells and relations the file declares, where it holds as many."""
    if not lines or lines[0].strip() != "0":
        faults.add(
            1,
            "a JJ file begins with a line that is 0, then the number of cells. Is this "
            "another kind of file?",
        )
        faults.refuse()
    cells = _count(lines, _CELLS_LINE, "cells", faults)
    here = len(lines) - _CELLS_LINE
    if here <= cells:
        _refuse_short(lines, (cells, max(here, 0)), "cells", faults)
    at = _CELLS_LINE + cells + 1
    relations = _count(lines, at, "relations", faults)
    here = len(lines) - at
    if here < relations:
        _refuse_short(lines, (relations, here), "relations", faults)
    if here > relations:
        faults.add(
            at + relations + 1,
            f"the file goes on after the {relations:,} relations that line {at} "
            "declares. Correct that number, or remove what follows.",
        )
    return cells, relations


def _count(lines: list[str], line: int, what: str, faults: Faults) -> int:
    text = lines[line - 1].strip() if len(lines) >= line else ""
    plain = text.isdigit() and len(text) <= _MOST_DIGITS
    if plain and (what == "relations" or int(text)):
        return int(text)
    if what == "relations" and len(text.split()) > 1:
        faults.add(
            line,
            f"here the number of relations should stand, after the {line - 3:,} cells "
            "that line 2 declares. Correct that number if it is wrong.",
        )
    else:
        faults.add(line, f"here the number of {what} should stand, and nothing else.")
    faults.refuse()
    return 0


def _refuse_short(
    lines: list[str], counts: tuple[int, int], what: str, faults: Faults
) -> None:
    declared, here = counts
    faults.add(
        len(lines),
        f"the file ends here. It declares {declared:,} {what}"
        + (" and then relations" if what == "cells" else "")
        + f", and {here:,} lines follow: it is cut off, or the number is wrong.",
    )
    faults.refuse()
