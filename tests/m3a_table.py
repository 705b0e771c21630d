# SPDX-License-Identifier: Apache-2.0
"""The table of three rows and columns on which M3A is explained."""

from __future__ import annotations

from typing import Any

import tacit

__all__ = ["CELLS", "assessed", "records"]

CELLS = {
    ("r1", "a"): [120, 30, 25, 20, 15],
    ("r1", "b"): [200],
    ("r1", "c"): [60, 40],
    ("r2", "a"): [81, 5, 2, 2, 2],
    ("r2", "b"): [30, 28, 27, 26, 25],
    ("r2", "c"): [500],
    ("r3", "a"): [150],
    ("r3", "b"): [70, 50, 40, 30],
    ("r3", "c"): [100, 80, 16, 15, 11, 9, 8],
}


def records(cells: dict[tuple[str, str], list[int]]) -> dict[str, list[Any]]:
    """One record for each contribution, each of another firm."""
    found: dict[str, list[Any]] = {"r": [], "c": [], "v": [], "firm": []}
    for (r, c), contributions in cells.items():
        for x in contributions:
            found["r"].append(r)
            found["c"].append(c)
            found["v"].append(x)
            found["firm"].append(f"firm {len(found['firm'])}")
    return found


def assessed(
    cells: dict[tuple[str, str], list[int]] | None = None, *, decimals: int = 1
) -> tacit.Assessment:
    """The table with its sensitive cells: dominance of two by 75 %, or fewer than 3."""
    table = tacit.tabulate(
        records(CELLS if cells is None else cells),
        by={"r": "T", "c": "T"},
        value="v",
        unit="firm",
        decimals=decimals,
    )
    rule = tacit.Dominance(n=2, k=75) | tacit.MinFrequency(n=3)
    return tacit.assess(table, rule)
