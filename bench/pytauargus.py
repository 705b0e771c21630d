# SPDX-License-Identifier: Apache-2.0
"""What an audit finds in patterns of pytauargus 0.6.0 (modular), by its own counts."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import tacit
from tacit.audit import Problem, exact_disclosure, verdict
from tacit.audit._sums import derivable_sums

if TYPE_CHECKING:
    from establishments import Establishments

VERSION = "0.6.0"
WITH = (f"pytauargus=={VERSION}", "pandas", "pyarrow")
NAMES = ("tiny2d", "flat50d", "hier2d_s")
# What an independent check of the same patterns found: hidden cells that follow from
# the equations (and how many of them are sensitive), sensitive cells whose interval
# is too narrow above for p%, and on any side for the levels that it rounded itself;
# line sums in breach of p%, and lines judged.
EXPECTED = {
    "tiny2d": (0, 0, 0, 0, 0, 9),
    "flat50d": (0, 0, 0, 0, 5, 97),
    "hier2d_s": (12, 10, 47, 53, 72, 1978),
}
OWN_AUDIT_SECONDS = {"hier2d_s": 76.0}

PROTECT = """
import csv, json, sys, time
import pandas as pd
from pytauargus import protect

job = json.load(open(sys.argv[1]))
micro = pd.read_csv("micro.csv", dtype={"value": "int64"})
rules = "P(0,100,0)|P(0,100,0)|P(10,100,1)|FREQ(0,0)|FREQ(3,10)"
start = time.process_time()
found = protect(
    micro, job["dims"], response="value", safety_rules=rules,
    suppress="MOD(1,5,1,1,1)", hrc=job["hrc"], holding_var="ent",
    totcode="Total", workdir=".")
print(time.process_time() - start)
found.tables[0].dataframe().to_csv("pattern.csv", index=False)
"""


def run() -> list[dict[str, object]]:
    """Protect three instances in an environment of their own, and audit the results."""
    with tempfile.TemporaryDirectory() as folder:
        python = installed(Path(folder) / "env")
        if python is None:
            reason = f"skipped: pytauargus {VERSION} cannot be installed here"
            return [{"instance": reason}]
        return [audited(name, Path(folder), python) for name in NAMES]


def installed(home: Path) -> Path | None:
    """Make an environment that holds pytauargus; None where that cannot be done."""
    venv.create(home, with_pip=True)
    python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    command = [str(python), "-m", "pip", "install", "--quiet", *WITH]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode else python


def audited(name: str, folder: Path, python: Path) -> dict[str, object]:
    """Give the counts of one instance beside those that are expected."""
    from establishments import make  # noqa: PLC0415 - a sibling, on the path by now

    records = make(name)
    levels, protecting = protected(records, folder / name, python)
    table = records.table()
    own_levels = [levels.get(codes) for codes in codes_of(table)]
    hidden = np.array([level is not None for level in own_levels])
    rule = tacit.PPercent(p=10)
    assessment = tacit.assess(table, rule | tacit.MinFrequency(n=3))
    primary = assessment.sensitive
    if (primary & ~hidden).any():
        message = f"{name}: sensitive cells are published, so the pattern is another"
        raise AssertionError(message)
    problem = Problem.of(table.relations.matrix, hidden, value=table.cells.value)
    start = time.process_time()
    exact = exact_disclosure(problem)
    cells = np.flatnonzero(primary)
    upper = assessment.upl[cells]
    above = verdict(problem, cells, lower=0 * upper, upper=upper)
    lower, upper = np.array([own_levels[cell] for cell in cells.tolist()]).T
    narrow = verdict(problem, cells, lower=lower, upper=upper)
    sums = derivable_sums(table, hidden, rule)
    spent = time.process_time() - start
    counts = (
        int(exact.sum()),
        int((exact & primary).sum()),
        int(above.failed.sum()),
        int(narrow.failed.sum()),
        sums.counts()["unsafe"]["line"],
        sums.judged["line"],
    )
    own = OWN_AUDIT_SECONDS.get(name)
    return {
        "instance": name,
        "hidden": int(hidden.sum()),
        "exact": counts[0],
        "of them sensitive": counts[1],
        "too narrow above": counts[2],
        "below its levels": counts[3],
        "unsafe line sums": counts[4],
        "of": counts[5],
        "unsafe blocks and chains": len(sums) - counts[4],
        "its CPU s": round(protecting, 2),
        "our audit CPU s": round(spent, 2),
        "met": counts == EXPECTED[name] and (own is None or spent < own / 4),
    }


def codes_of(table: tacit.Table) -> list[tuple[str, ...]]:
    """Codes of every cell."""
    return list(zip(*[table.codes_of(name) for name in table.names], strict=True))


def protected(
    records: Establishments, folder: Path, python: Path
) -> tuple[dict[tuple[str, ...], tuple[float, float]], float]:
    """Let it suppress; give its levels by codes of what it hides, and CPU seconds."""
    folder.mkdir()
    dims = records.dimensions
    order = np.argsort(records.columns["ent"].astype(str), kind="stable")
    names = [*dims, "ent", "value"]
    with (folder / "micro.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(zip(*[records.columns[n][order] for n in names], strict=True))
    trees = {d: tree for d in dims if (tree := hrc(records.parents[d]))}
    for d, text in trees.items():
        (folder / f"{d}.hrc").write_text(text)
    job = {"dims": dims, "hrc": {d: str(folder / f"{d}.hrc") for d in trees}}
    (folder / "job.json").write_text(json.dumps(job))
    (folder / "protect.py").write_text(PROTECT)
    command = [str(python), "protect.py", "job.json"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True
    )
    with (folder / "pattern.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["status"] in {"U", "M"}]
    total = {d: next(iter(records.parents[d].values())) for d in dims}
    levels = {
        tuple(
            total[d] if row[d].strip() == "Total" else row[d].strip() for d in dims
        ): (float(row["lower"]), float(row["upper"]))
        for row in rows
    }
    return levels, float(done.stdout.split()[-1])


def hrc(parents: dict[str, str]) -> str:
    """Write a tree in its format: no root, one @ per level; empty if it is flat."""
    depth = {next(iter(parents.values())): 0}
    for code, parent in parents.items():
        depth[code] = depth[parent] + 1
    if max(depth.values()) < 2:
        return ""
    return "".join("@" * (depth[code] - 1) + code + "\n" for code in parents)
