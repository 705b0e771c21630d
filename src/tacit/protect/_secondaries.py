# SPDX-License-Identifier: Apache-2.0
"""The pattern that another program has found for a JJ file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect._release import Release
from tacit.table import State
from tacit.table._jj_lines import Faults, read_lines

if TYPE_CHECKING:
    from tacit.rules import Assessment

__all__ = ["release_with_secondaries"]

_LONGEST = 9


def release_with_secondaries(assessment: Assessment, path: str | Path) -> Release:
    """Withhold the cells that a solution file lists, beside the sensitive ones.

    Such a file holds the index of one secondary cell a line, counted from 0 in the
    order of the table. Its audit tells whether the pattern protects. The cost is that
    of the secondaries, where the table came with costs.

    >>> import tempfile, tacit
    >>> cells = {"sex": ["f", "m", "x"], "n": [20, 30, 9], "s": ["u", "s", "s"]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, value="n", state="s")
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("2"), file.flush()
    ...     release_with_secondaries(tacit.assess(table, margin=10), file.name)
    <Release by file: 4 cells, 2 withheld, not safe to publish>
    """
    listed = _listed(assessment, Path(path))
    state = assessment.state.copy()
    extra = listed[~assessment.held_back[listed]]
    state[extra] = State.SUPPRESSED
    cells = assessment.table.cells
    release = Release(assessment, state, "file", cells.value)
    if cells.cost is None:
        return release
    from tacit.protect.suppress._costs import costs_of  # noqa: PLC0415 - as methods do

    cost = costs_of(assessment.table, "column")
    secondary = release.withheld & ~assessment.sensitive
    return Release(
        assessment, state, "file", cells.value, cost=float(cost[secondary].sum())
    )


def _listed(assessment: Assessment, path: Path) -> np.ndarray:
    faults = Faults(path)
    seen: dict[int, int] = {}
    for line, text in enumerate(read_lines(path), start=1):
        found = text.strip()
        if not found:
            continue
        if not found.isdigit() or len(found) > _LONGEST:
            faults.add(line, "this is not the index of one cell.")
            continue
        why = _why_not(assessment, int(found), seen)
        if why:
            faults.add(line, why)
        seen.setdefault(int(found), line)
    faults.refuse()
    return np.array(list(seen), dtype=np.int64)


def _why_not(assessment: Assessment, cell: int, seen: dict[int, int]) -> str:
    """What is wrong with this index, if anything."""
    if cell >= len(assessment):
        return (
            f"there is no cell {cell}: cells are counted from 0 to "
            f"{len(assessment) - 1}. Is this the solution of another problem?"
        )
    if cell in seen:
        return f"cell {cell} stands in line {seen[cell]} already."
    if assessment.sensitive[cell]:
        return ""
    state = State(int(assessment.state[cell]))
    if state in (State.FROZEN, State.EMPTY):
        return (
            f"cell {cell} is {state.label}: it stays as it is. Is this the solution of "
            "another problem?"
        )
    return ""
