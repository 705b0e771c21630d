# SPDX-License-Identifier: Apache-2.0
"""Every method side by side: CPU seconds, secondaries, cost, bound, and the audit.

Finished tables are attacked by an outsider, tabulated ones by every attacker; every
release is audited against the same. ``alone`` is what the method cost before anything
was repaired, cleaned up or exchanged, ``short`` the sensitive cells it left without a
proof, ``repair`` what these cost in addition; all costs in % of the value of all cells.
Each row runs in a process of its own. ``python bench/classical.py h3-5k:hypercube``
runs single rows, as does ``CLASSICAL="h3-5k:hypercube"`` before ``bench/run.py``;
PATIENCE=4 multiplies the limits of time where other work shares the machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import tacit
from tacit.protect.suppress import suppress

HERE = Path(__file__).resolve().parent
Row = dict[str, Any]

# CPU seconds that protection may take, by instance and method.
TARGETS = {
    "h3-1k": {"auto": 5, "modular": 10, "hypercube": 5, "optimal": 5},
    "f3-1k": {"auto": 5, "modular": 130, "hypercube": 5, "optimal": 130},
    "h2-5k": {"auto": 6, "modular": 6, "hypercube": 6, "optimal": 3},
    "h2-20k": {"auto": 10, "modular": 10, "hypercube": 10, "optimal": 30},
    "n2-14k": {"auto": 10, "modular": 10, "hypercube": 10, "network": 10},
    "n2-100k": {"auto": 60, "hypercube": 60, "network": 60},
    "h3-5k": {"auto": 20, "modular": 60, "hypercube": 10, "optimal": 120},
    "h3-20k": {"auto": 120, "modular": 300, "hypercube": 60, "optimal": 300},
    "h3-100k": {"auto": 240, "hypercube": 120},
    "farm3": {"auto": 120, "hypercube": 120},
}
# Distance to the bound that optimal may leave, in % of the cost; 0 is a proof.
GAPS = {"h3-5k": 8.0, "h3-20k": 18.0}
# Seconds on the clock; those of bench/suppress.py where it has the instance.
_LIMIT = 120.0


def run() -> list[Row]:
    """Run the rows that are asked for, each in a process of its own."""
    every = [f"{name}:{method}" for name, some in TARGETS.items() for method in some]
    return [measured(row) for row in os.environ.get("CLASSICAL", "").split() or every]


def measured(row: str) -> Row:
    """Run one row in a process of its own."""
    command = [sys.executable, str(HERE / "classical.py"), "--child", row]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: Row = json.loads(done.stdout.splitlines()[-1])
    return found


def child(row: str) -> Row:
    """Protect and audit one table; say what it took and what came of it."""
    # Siblings, on the path by now.
    from suppress import CASES, FINISHED, finished, tabulated  # noqa: PLC0415

    name, _, method = row.partition(":")
    outside = name in FINISHED or name not in CASES
    assessment = finished(name) if outside else tabulated(name)
    attackers = [tacit.Attacker()] if outside else None
    compiled(method)
    target = TARGETS.get(name, {}).get(method)
    limit = CASES[name].limit if name in CASES else _LIMIT
    if method == "optimal" and target is not None:
        limit = target
    limit *= float(os.environ.get("PATIENCE", "1"))
    start = time.process_time()
    release = suppress(
        assessment, method, attackers=attackers, time_limit=limit, executor=1
    )
    spent = time.process_time() - start
    report = tacit.audit(release, attackers=attackers)
    value = np.abs(release.table.cells.value).astype(np.float64)
    alone = release.provenance.get("alone", {})
    share = 100.0 / float(value.sum())
    gap = None if release.gap is None else round(100 * release.gap, 3)
    close = method != "optimal" or (gap or 0.0) <= GAPS.get(name, 0.01)
    return {
        "instance": name,
        "method": method,
        "cells": len(release),
        "sensitive": int(assessment.sensitive.sum()),
        "secondary": release.summary()["secondary"],
        "cost": round(release.cost * share, 4),
        "bound": None if release.bound is None else round(release.bound * share, 4),
        "gap": gap,
        "alone": round(alone["cost"] * share, 4) if alone else "",
        "short": alone.get("short", ""),
        "repair": round(alone["added_cost"] * share, 4) if alone else "",
        "cpu_s": round(spent, 1),
        "audit_cpu_s": round(time.process_time() - start - spent, 1),
        "audit": "safe" if report.safe else str(report.headline),
        "target_s": target or "",
        "met": report.safe and close and (target is None or spent <= target),
    }


def compiled(method: str) -> None:
    """Compile, or load what was compiled, before the clock starts."""
    cells = {
        "r": list("aaabbbccc"),
        "s": list("xyz") * 3,
        "v": [9, 3, 8, 7, 9, 5, 4, 6, 8],
    }
    state = ["sensitive"] + ["safe"] * 8
    table = tacit.Table.from_cells(
        cells | {"is": state, "u": [2] + [0] * 8},
        by={"r": "T", "s": "T"},
        value="v",
        state="is",
        lower="u",
        upper="u",
    )
    suppress(tacit.assess(table), method)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(sys.argv[2])))
    else:
        for chosen in sys.argv[1:]:
            print(measured(chosen), flush=True)
