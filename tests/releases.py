# SPDX-License-Identifier: Apache-2.0
"""Small and large releases that several tests audit."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import tacit
from tacit import MinFrequency
from tacit.protect import Release, release_as_stated
from tacit.table import Cells, Dimension, Levels, State

__all__ = ["instruments", "large", "percent", "releases", "withheld"]

TURNOVER = [
    [58, 47, 36, 89], [71, 124, 24, 31], [92, 157, 59, 28], [800, 934, 651, 742]
]  # fmt: skip
COUNTS = [[151, 2, 98, 23], [16, 21, 9, 8], [5, 12, 7, 1], [302, 362, 287, 227]]
ROWS, COLUMNS = ["Harps", "Organs", "Pianos", "Other"], "ABCD"


def instruments() -> tacit.Table:
    cells: dict[str, list[Any]] = {"kind": [], "region": [], "turnover": [], "n": []}
    for i, kind in enumerate(ROWS):
        for j, region in enumerate(COLUMNS):
            cells["kind"].append(kind)
            cells["region"].append(region)
            cells["turnover"].append(TURNOVER[i][j])
            cells["n"].append(COUNTS[i][j])
    by = {"kind": "Total", "region": "Total"}
    return tacit.Table.from_cells(cells, by=by, value="turnover", count="n")


def withheld(assessment: tacit.Assessment, *codes: str) -> Release:
    """Suppress more cells, given as ``Harps-D``."""
    state = assessment.state.copy()
    for text in codes:
        kind, region = text.split("-")
        state[assessment.table.index(kind=kind, region=region)] = State.SUPPRESSED
    values = assessment.table.cells.value
    return Release(assessment, state, "test", values)


def percent(margin: float) -> tacit.Assessment:
    return tacit.assess(instruments(), MinFrequency(n=3, margin=margin))


def large(rows: int, columns: int) -> Release:
    """Squares of four withheld cells all over a large table, one of each sensitive."""
    axes = [np.arange(rows + 1), np.arange(columns + 1)]
    codes = np.stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")])
    inner = np.random.default_rng(1).integers(50, 500, (rows, columns))
    value = np.zeros((rows + 1, columns + 1), dtype=np.int64)
    value[1:, 1:] = inner
    value[0], value[:, 0] = value.sum(axis=0), 0
    value[:, 0] = value.sum(axis=1)
    state = np.full(value.shape, State.SAFE, dtype=np.uint8)
    state[1::4, 1::4] = State.SENSITIVE
    for i, j in ((1, 2), (2, 1), (2, 2)):
        state[i::4, j::4] = State.SUPPRESSED
    dimensions = tuple(
        Dimension.of(
            name, tacit.Hierarchy.flat([f"{name}{k}" for k in range(size)], total="T")
        )
        for name, size in (("r", rows), ("c", columns))
    )
    n = value.size
    level = np.where(state.ravel() == State.SENSITIVE, 5.0, 0.0)
    table = tacit.Table(
        dimensions,
        Cells(codes.astype(np.int32), value.ravel(), 0, state.ravel()),
        levels=Levels(level, level, np.zeros(n)),
    )
    return release_as_stated(tacit.assess(table))


@st.composite
def releases(draw: st.DrawFn) -> Release:
    """Small tables, cells sensitive and withheld at random."""
    inner = draw(st.lists(st.integers(0, 9), min_size=9, max_size=9))
    marks = draw(st.lists(st.sampled_from("ssum"), min_size=9, max_size=9))
    rows = {
        "a": [a for a in "xyz" for _ in "123"],
        "b": list("123") * 3,
        "n": inner,
        "s": ["s" if n == 0 else mark for n, mark in zip(inner, marks, strict=True)],
        "level": [float(draw(st.integers(1, 4))) for _ in range(9)],
    }
    table = tacit.Table.from_cells(
        rows,
        by={"a": "T", "b": "T"},
        value="n",
        state="s",
        lower="level",
        upper="level",
    )
    return release_as_stated(tacit.assess(table))
