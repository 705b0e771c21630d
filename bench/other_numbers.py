# SPDX-License-Identifier: Apache-2.0
"""Rounding and adjustment of tables up to 100,000 cells: CPU seconds, distance, bound.

``python bench/other_numbers.py round-h2-20k`` runs single rows, as does
``OTHER_NUMBERS="round-h2-20k"`` before ``bench/run.py``. Each row runs in a process of
its own, after a small table that opens what is heavy.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tacit

HERE = Path(__file__).resolve().parent
Row = dict[str, Any]


class Case(NamedTuple):
    """A row: verb, method, table, options, and what is to be reached."""

    verb: str
    method: str
    table: str
    options: dict[str, Any]
    seconds: float | None = None
    rate: float | None = None
    largest: float | None = None


def small(table: str, largest: int) -> Case:
    """Small counts to base 3: 30,000 cells a second, no larger difference than R."""
    options = {"base": 3}
    return Case("round", "small_counts", table, options, None, 30_000, largest)


CASES = {
    "round-h2-20k": Case("round", "controlled", "h2-20k", {"base": 5}, 5),
    "round-h2-100k": Case("round", "controlled", "h2-100k", {"base": 5}, 60),
    "round-h3-5k": Case("round", "controlled", "h3-5k", {"base": 5}, 60),
    "round-h3-20k": Case("round", "controlled", "h3-20k", {"base": 5}, 60),
    "small-flat50d": small("flat50d", 3),
    "small-hier2d_s": small("hier2d_s", 5),
    "small-h3_20k": small("h3_20k", 8),
    "small-h3_100k": small("h3_100k", 10),
    "cta-h2-20k": Case("adjust", "cta", "h2-20k", {"time_limit": 60}, 60),
    "cta-h2-100k": Case("adjust", "cta", "h2-100k", {"time_limit": 110}, 120),
    "cta-h3-20k": Case("adjust", "cta", "h3-20k", {"time_limit": 60}, 60),
    "cta-h3-100k": Case("adjust", "cta", "h3-100k", {"time_limit": 240}, 120),
}


def run() -> list[Row]:
    """Measure the rows that are asked for."""
    asked = os.environ.get("OTHER_NUMBERS", "").split() or list(CASES)
    return [measured(name) for name in asked]


def measured(name: str) -> Row:
    """Run one row in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", name],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return {"what": name, "met": False, "error": done.stderr.strip()[-300:]}
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row


def child(name: str) -> Row:
    """Measure one row."""
    sys.path.insert(0, str(HERE))
    case = CASES[name]
    verb = getattr(tacit, case.verb)
    verb(
        subject(case, "tiny2d" if case.method == "small_counts" else "f2-20"),
        case.method,
        **case.options,
    )
    assessment = subject(case, case.table)
    _ = assessment.table.relations.matrix
    start = time.process_time()
    release = verb(assessment, case.method, **case.options)
    seconds = time.process_time() - start
    difference = np.abs(release.published - assessment.table.cells.value)
    row: Row = {
        "what": name,
        "cells": len(release),
        "cpu_s": round(seconds, 2),
        "cells_per_s": round(len(release) / seconds),
        "cost": release.cost,
        "bound": release.bound,
        "gap": None if release.gap is None else round(release.gap, 4),
        "search": release.provenance.get("search"),
        "largest": int(difference.max()),
        "mean": round(float(difference.mean()), 3),
        "additive": not assessment.table.relations.residuals(release.published).any(),
    }
    reached = (
        case.seconds is None or seconds <= case.seconds,
        case.rate is None or len(release) / seconds >= case.rate,
        case.largest is None or difference.max() <= case.largest,
        row["additive"],
    )
    return row | {"met": all(reached)}


def subject(case: Case, table: str) -> tacit.Assessment:
    """Make the assessment of a row."""
    if case.method == "small_counts":
        from establishments import make  # noqa: PLC0415 - a sibling, on the path by now

        records = make(table)
        by = {d: tacit.Hierarchy.from_parents(p) for d, p in records.parents.items()}
        made = tacit.tabulate(records.columns, by=by, unit="unit")
        return tacit.assess(made, tacit.MinFrequency(n=3))
    from suppress import finished  # noqa: PLC0415 - a sibling, on the path by now

    return finished(table)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(sys.argv[2])))
    else:
        for one in sys.argv[1:] or list(CASES):
            print(json.dumps(measured(one)))
