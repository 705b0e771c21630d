# SPDX-License-Identifier: Apache-2.0
"""Noise by cell key in cells per CPU second, and M3A on tables up to 961 cells.

``PERTURB="counts amounts"`` before ``bench/run.py`` measures single rows. Tables come
from records with seeds; what tabulation takes is told beside, and not counted.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

import tacit
from tacit.protect.noise import Design

REPEATS = 3
COUNTS, AMOUNTS = 3_000_000, 300_000
"""Cells a CPU second to reach."""
# Leaves of each dimension, contributors to a leaf cell, seconds to stop after.
TABLES = {
    "m3a-99": ((8, 10), 4, 20),
    "m3a-125-3d": ((4, 4, 4), 4, 20),
    "m3a-336": ((15, 20), 4, 60),
    "m3a-484": ((21, 21), 4, 60),
    "m3a-961": ((30, 30), 4, 120),
}


def run() -> list[dict[str, Any]]:
    """Measure the rows that are asked for."""
    rows = {"counts": counts, "amounts": amounts}
    rows |= {name: lambda name=name: adjusted(name) for name in TABLES}
    asked = os.environ.get("PERTURB", "").split() or list(rows)
    return [rows[name]() for name in asked]


def records(number=600_000, sizes=(120, 90, 40)):
    """Firms with lognormal amounts, spread evenly."""
    import pyarrow as pa  # noqa: PLC0415 - only where rows are made

    rng = np.random.default_rng(1)
    columns = {
        name: [f"{name}{k:03}" for k in rng.integers(size, size=number)]
        for name, size in zip("abc", sizes, strict=True)
    }
    columns["v"] = np.rint(np.exp(rng.normal(5, 1.5, number))).astype(np.int64)
    columns["key"] = rng.random(number)
    return pa.table(columns), dict.fromkeys("abc", "T")


def counts() -> dict[str, Any]:
    """Counts, a p-table of 9 rows."""
    return keyed("counts", None, COUNTS, {"noise": Design(D=5, V=3, js=2).table()})


def amounts() -> dict[str, Any]:
    """Amounts: three contributions, flex, small cells apart."""
    options = {
        "noise": Design(D=5, V=1, kind="magnitude").table(),
        "small": Design(D=8, V=2, kind="magnitude").table(),
        "scale": {"large": 0.03, "small": 0.3, "start": 1000.0},
        "weights": (1.0, 0.5, 0.2),
    }
    return keyed("amounts", "v", AMOUNTS, options)


def keyed(name: str, value: str | None, target: int, options: dict[str, Any]):
    """Perturb one table several times; the quickest counts."""
    frame, by = records()
    start = time.process_time()
    table = tacit.tabulate(frame, by=by, value=value, record_key="key")
    tabulated = time.process_time() - start
    assessment = tacit.assess(table)
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        release = tacit.perturb(assessment, "cell_key", **options)
        seconds.append(time.process_time() - start)
    rate = len(table) / min(seconds)
    return {
        "what": name,
        "cells": len(table),
        "tabulate_s": round(tabulated, 2),
        "cpu_s": round(min(seconds), 3),
        "cells_per_s": round(rate),
        "changed": release.provenance["changed"],
        "target": target,
        "met": rate >= target,
    }


def adjusted(name: str) -> dict[str, Any]:
    """M3A with weights by the root of the value: CPU seconds, cost and bound."""
    sizes, mean, limit = TABLES[name]
    assessment = assessed(sizes, mean)
    start = time.process_time()
    release = tacit.adjust(assessment, "m3a", weights="root", time_limit=limit)
    seconds = time.process_time() - start
    report = tacit.audit(release)
    return {
        "what": name,
        "cells": len(release),
        "sensitive": int(assessment.sensitive.sum()),
        "cpu_s": round(seconds, 2),
        "cost": round(release.cost, 3),
        "bound": None if release.bound is None else round(release.bound, 3),
        "gap": None if release.gap is None else round(release.gap, 4),
        "search": release.provenance.get("search"),
        "attacks_blocked": report.safe,
        "met": report.safe and seconds <= limit + 5,
    }


def assessed(sizes: tuple[int, ...], mean: int) -> tacit.Assessment:
    """A flat table of skewed contributions, of which many cells are sensitive."""
    rng = np.random.default_rng(7)
    number = rng.poisson(mean, int(np.prod(sizes)))
    where = np.unravel_index(np.repeat(np.arange(len(number)), number), sizes)
    names = "abc"[: len(sizes)]
    frame: dict[str, Any] = {
        name: [f"{name}{k}" for k in codes]
        for name, codes in zip(names, where, strict=True)
    }
    frame["v"] = np.rint(np.exp(rng.normal(6, 1.6, int(number.sum())))).astype(int)
    frame["id"] = np.arange(len(frame["v"]))
    table = tacit.tabulate(frame, by=dict.fromkeys(names, "T"), value="v", unit="id")
    return tacit.assess(table, tacit.Dominance(n=2, k=75) | tacit.MinFrequency(n=3))
