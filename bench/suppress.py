# SPDX-License-Identifier: Apache-2.0
"""Suppression from 5,000 to 1.1 million cells: CPU seconds, cost, proofs, memory.

Finished tables are attacked by an outsider, tabulated ones by every attacker. Each row
runs in a process of its own. ``python bench/suppress.py h2-20k h3-5k`` runs single
rows, as does ``SUPPRESS="h2-20k h3-5k"`` before ``bench/run.py``; without names the
rows up to 100,000 cells are run, with ``all`` every one. Limits of time are seconds on
the clock: PATIENCE=4 multiplies them where other work shares the machine.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import tacit
from tacit.errors import LimitError
from tacit.protect.suppress import suppress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit import Assessment, Release

HERE = Path(__file__).resolve().parent
Row = dict[str, Any]


class Case(NamedTuple):
    """A row: seconds and cost to be reached, whether it is large, its processes."""

    seconds: float
    cost: float | None = None
    limit: float = 60.0
    large: bool = False
    processes: int = 1


# Cost in % of the value of all cells.
FINISHED = {
    "h2-5k": Case(6),
    "h2-20k": Case(6, 0.380),
    "h2-100k": Case(25, 0.181, limit=24),
    "h3-5k": Case(8, 0.775),
    "h3-20k": Case(60, 0.577, limit=120),
    "h3-100k": Case(120, 0.25, limit=240),
    "h4-100k": Case(90, 1.7, limit=180, large=True),
    "h3-500k": Case(180, 0.33, limit=360, large=True),
    "h3-1m": Case(200, 0.70, limit=400, large=True, processes=2),
}
# Cost as the value of all secondary cells.
RECORDS = {
    "hier2d_s": Case(5, 1.1 * 3_117_050),
    "h3_20k": Case(15),
    "h3_100k": Case(90, limit=180),
    "hier2d": Case(600, limit=240, large=True),
    "h3_600k": Case(1800, limit=600, large=True),
    "farm3": Case(60, limit=120),
    "farm4": Case(600, limit=400, large=True),
}
CASES = FINISHED | RECORDS


def run() -> list[Row]:
    """Run the rows that are asked for, each in a process of its own."""
    wanted = os.environ.get("SUPPRESS", "").split()
    if wanted == ["all"]:
        wanted = list(CASES)
    rows = [
        measured(name)
        for name in wanted or [n for n, case in CASES.items() if not case.large]
    ]
    return rows + ladder(rows)


def measured(name: str) -> Row:
    """Run one row in a process of its own."""
    command = [sys.executable, str(HERE / "suppress.py"), "--child", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row


def child(name: str) -> Row:
    """Protect one table; say what it took and what came of it."""
    case = CASES[name]
    outside = name in FINISHED
    assessment = finished(name) if outside else tabulated(name)
    attackers = [tacit.Attacker()] if outside else None
    warm_up()
    before = peak()
    limit = case.limit * float(os.environ.get("PATIENCE", "1"))
    start, wall = cpu(), time.perf_counter()
    try:
        release = suppress(
            assessment, attackers=attackers, time_limit=limit, executor=case.processes
        )
    except LimitError as error:
        spent = round(cpu() - start, 1)
        return {"instance": name, "cpu_s": spent, "failed": str(error), "met": False}
    spent, wall = cpu() - start, time.perf_counter() - wall
    row: Row = {"instance": name, **counts(release)}
    row |= {"cpu_s": round(spent, 1), "wall_s": round(wall, 1)}
    row |= {"peak_gb": peak(), "before_gb": before}
    row["cost"] = row.pop("percent") if outside else row.pop("value")
    row |= {"target_s": case.seconds}
    if case.cost is not None:
        row["target_cost"] = round(case.cost, 3)
    cheap = case.cost is None or row["cost"] <= case.cost * 1.005
    row["met"] = bool(not row["open"] and cheap and spent <= case.seconds)
    return row


def counts(release: Release) -> Row:
    """Cells, secondaries, what they cost, and needs that have no proof."""
    assessment, value = release.assessment, release.table.cells.value
    secondary = release.withheld & ~assessment.sensitive
    total = np.abs(value).sum()
    bound = None if release.bound is None else round(100 * release.bound / total, 4)
    return {
        "cells": len(value),
        "sensitive": int(assessment.sensitive.sum()),
        "secondary": int(secondary.sum()),
        "percent": round(100 * float(np.abs(value[secondary]).sum() / total), 4),
        "value": int(np.abs(value[secondary]).sum()),
        "bound": bound,
        "open": int(release.provenance["open"]),
    }


def finished(name: str) -> Assessment:
    """Give an instance with its states and levels, as a table that somebody made."""
    from instances import make  # noqa: PLC0415 - a sibling, on the path by now

    made = make(name)
    held = np.flatnonzero(made.a > 0)
    trees = [tree_of(f"{d}-", parents) for d, parents in enumerate(made.parents)]
    places = np.unravel_index(held, made.shape)
    frame: dict[str, Any] = {
        f"d{d}": np.array([f"{d}-{code}" for code in range(len(parents))])[place]
        for d, (parents, place) in enumerate(zip(made.parents, places, strict=True))
    }
    prim = made.prim[held]
    frame |= {
        "v": made.a[held],
        "s": np.where(prim, "sensitive", "safe"),
        "u": made.upl[held],
        "l": made.lpl[held],
    }
    by = {f"d{d}": tree for d, tree in enumerate(trees)}
    import pyarrow as pa  # noqa: PLC0415

    table = tacit.Table.from_cells(
        pa.table(frame), by=by, value="v", state="s", upper="u", lower="l", decimals=0
    )
    return tacit.assess(table)


def tree_of(prefix: str, parents: NDArray[np.int32]) -> tacit.Hierarchy:
    """Name the codes of an instance after their positions."""
    return tacit.Hierarchy.from_parents(
        {f"{prefix}{code}": f"{prefix}{p}" for code, p in enumerate(parents) if p >= 0},
        total=f"{prefix}0",
    )


def tabulated(name: str) -> Assessment:
    """Give records tabulated and judged: p% with holdings, and few contributors."""
    if name.startswith("farm"):
        from farms import table  # noqa: PLC0415 - a sibling, on the path by now

        rule = tacit.PPercent(p=10) | tacit.MinFrequency(n=3)
        return tacit.assess(table(name), rule)
    from establishments import make  # noqa: PLC0415 - a sibling, on the path by now

    return tacit.assess(make(name).table(), tacit.PPercent(p=10))


def warm_up() -> None:
    """Compile, or load what was compiled, before the clock starts."""
    sown = np.random.default_rng(0).integers(1, 99, 216)
    places = np.unravel_index(np.arange(216), (6, 6, 6))
    frame: dict[str, Any] = {
        d: [f"{d}{i}" for i in at] for d, at in zip("abc", places, strict=True)
    }
    frame |= {"v": sown, "n": (sown > 20) + 2, "x": np.maximum(1, sown // 2)}
    table = tacit.Table.from_cells(
        frame, by=dict.fromkeys("abc", "T"), value="v", count="n", contributions=["x"]
    )
    suppress(tacit.assess(table, tacit.MinFrequency(n=3)))


def ladder(rows: list[Row]) -> list[Row]:
    """State the exponents of time and memory in the number of cells, 3-D, outsider."""
    steps = [r for r in rows if r["instance"][:3] == "h3-" and "cells" in r]
    if len(steps) < 2:
        return []
    cells = np.log([row["cells"] for row in steps])
    growth = {
        key: float(np.polyfit(cells, np.log([row[key] for row in steps]), 1)[0])
        for key in ("cpu_s", "peak_gb")
    }
    return [{"instance": "exponent, h3", **{k: round(v, 2) for k, v in growth.items()}}]


def cpu() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def peak() -> float:
    """Peak memory of this process in GB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9, 3)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(sys.argv[2])))
    else:
        for chosen in sys.argv[1:]:
            print(measured(chosen), flush=True)
