# SPDX-License-Identifier: Apache-2.0
"""Measures of up to a million cells, the report of a large table, matrices of rules."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import tacit
from tacit.protect import Release
from tacit.study import FAMILIES, draw
from tacit.table import Cells, Dimension, State

SIZES = ((300, 300), (1000, 1000))


def table_of(rows: int, columns: int) -> tacit.Table:
    """A skewed table with margins, made of its arrays."""
    inner = np.random.default_rng(7).lognormal(6, 2, (rows, columns)).astype(np.int64)
    value = np.zeros((rows + 1, columns + 1), dtype=np.int64)
    value[1:, 1:] = inner + 1
    value[0] = value.sum(axis=0)
    value[:, 0] = value.sum(axis=1)
    axes = np.meshgrid(np.arange(rows + 1), np.arange(columns + 1), indexing="ij")
    codes = np.stack([axis.ravel() for axis in axes]).astype(np.int32)
    dimensions = tuple(
        Dimension.of(
            name, tacit.Hierarchy.flat([f"{name}{k}" for k in range(size)], total="T")
        )
        for name, size in (("r", rows), ("c", columns))
    )
    state = np.zeros(value.size, dtype=np.uint8)
    return tacit.Table(dimensions, Cells(codes, value.ravel(), 0, state))


def releases_of(table: tacit.Table) -> dict[str, Release]:
    assessment = tacit.assess(table)
    value = table.cells.value
    inner = (table.cells.codes > 0).all(axis=0)
    state = assessment.state.copy()
    hidden = np.flatnonzero(inner)[np.random.default_rng(8).random(inner.sum()) < 0.05]
    state[hidden] = State.SUPPRESSED
    rounded = (value + 2) // 5 * 5
    return {
        "5 % withheld": Release(assessment, state, "bench", value),
        "rounded": Release(assessment, assessment.state, "bench", rounded, True),  # noqa: FBT003
    }


def report_of(table: tacit.Table) -> dict[str, Any]:
    """The page of a table of 90,601 cells: seconds and size."""
    release = releases_of(table)["5 % withheld"]
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        path = release.internal.write(Path(folder) / "report.internal.html")
        seconds = time.process_time() - start
        return {
            "cells": len(table),
            "release": "report, 5 % withheld",
            "megabytes": round(path.stat().st_size / 1e6, 2),
            "cpu_s": round(seconds, 2),
        }


def matrices() -> dict[str, Any]:
    """The 0/1 matrices of a published study: 1,000 cells, 100 parameters, 18 sizes."""
    start = time.process_time()
    parameters = np.arange(1.0, 101.0)
    for n in range(3, 21):
        x = draw("exponential", 1000, n, np.random.default_rng(n))
        for name in ("p_percent", "statisticon", "dominance_2"):
            FAMILIES[name].sensitive(x, parameters)
    seconds = time.process_time() - start
    return {
        "cells": 18_000,
        "release": "three rules by 100 parameters",
        "cpu_s": round(seconds, 3),
    }


def run() -> list[dict[str, Any]]:
    rows = [matrices()]
    for size in SIZES:
        table = table_of(*size)
        _ = table.relations
        tacit.measure(releases_of(table)["rounded"])
        for name, release in releases_of(table).items():
            start = time.process_time()
            found = tacit.measure(release)
            rows.append(
                {
                    "cells": len(table),
                    "release": name,
                    "measures": len(found),
                    "cpu_s": round(time.process_time() - start, 2),
                }
            )
        if len(table) < 100_000:
            rows.append(report_of(table))
    return rows


if __name__ == "__main__":
    for row in run():
        print(row)
