# SPDX-License-Identifier: Apache-2.0
"""Tabulation of 10 million records against the bare DuckDB split query.

The data are those of a business register: 4 million enterprises, 85 % of them in one
leaf cell; activity with 615 leaves in 4 levels, region with 400 in 3, size with 9 in 2,
so 60 combinations of levels with the totals. The bare query gives records, distinct
contributors, sum and the three largest contributions of each cell, without checks, ids
or exact overflow; it is the best of several ways to write it. Each side runs in a
process of its own, in turns, and its least CPU time counts: other work on the machine
only ever adds to it.
"""

from __future__ import annotations

import importlib
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import duckdb

CPU_RATIO, PEAK_GB = 1.3, 1.5
TURNS = 2
SEED = 20261118


def run(rows: int = 10_000_000) -> list[dict[str, Any]]:
    """Measure both sides; they must agree on the number and sum of the cells."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = str(Path(folder) / "records.parquet")
        measure("generate", path, str(rows))
        turns = [
            {side: measure(side, path) for side in ("bare", "tacit")}
            for _ in range(TURNS)
        ]
    bare, tacit = (
        min((turn[side] for turn in turns), key=lambda row: float(row["cpu_s"]))
        for side in ("bare", "tacit")
    )
    for key in ("cells", "check"):
        if bare[key] != tacit[key]:
            message = f"the two sides differ in {key}: {bare[key]} and {tacit[key]}"
            raise RuntimeError(message)
    bare |= {"ratio": 1.0}
    tacit |= {
        "ratio": round(tacit["cpu_s"] / bare["cpu_s"], 3),
        "target": CPU_RATIO,
        "peak_target": PEAK_GB,
    }
    tacit["met"] = tacit["ratio"] <= CPU_RATIO and tacit["peak_gb"] <= PEAK_GB
    return [{"side": "bare", **bare}, {"side": "tacit", **tacit}]


def measure(*arguments: str) -> dict[str, Any]:
    """Run one side in a process of its own."""
    command = [sys.executable, __file__, *arguments]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, Any] = json.loads(output)
    return found


# Each level of each dimension: what to divide the number of a leaf by.
LEVELS = {
    "activity": (615, (1, 7, 21, 84)),
    "region": (400, (1, 10, 50)),
    "size": (9, (1, 3)),
}


def codes(name: str) -> list[str]:
    """Name the leaves."""
    form = {"activity": "{:04d}", "region": "R{:03d}", "size": "{}"}[name]
    return [form.format(i) for i in range(LEVELS[name][0])]


def generate(path: str, rows: str) -> None:
    """Write the records, the same for the same number."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    number = int(rows)
    rng = np.random.default_rng(SEED)
    firms = number * 2 // 5
    at = {
        name: (size * rng.random(firms) ** power).astype(np.int32)
        for (name, (size, _)), power in zip(LEVELS.items(), (1.5, 1.5, 2), strict=True)
    }
    several = rng.random(firms) < 0.15
    ids = rng.permutation(np.arange(firms, dtype=np.int64)) * 7 + 100_000_000
    firm = rng.integers(0, firms, number)
    moves = np.where(several[firm], rng.integers(0, 4, number), 0)
    position = {name: at[name][firm] for name in LEVELS}
    position["region"] = (position["region"] + moves * (1 + firm % 5)) % 400
    columns = {
        name: pa.DictionaryArray.from_arrays(
            pa.array(position[name].astype(np.int32)), pa.array(codes(name))
        ).cast(pa.string())
        for name in LEVELS
    }
    turnover = np.round(np.exp(rng.normal(5, 1.5, number)) * 100).astype(np.int64)
    records = pa.table({**columns, "firm": ids[firm], "turnover": turnover})
    parquet.write_table(records, path, compression="zstd")
    print(json.dumps({}))


def with_tacit(path: str) -> None:
    """Tabulate."""
    from tacit import Hierarchy, tabulate  # noqa: PLC0415

    importlib.import_module("duckdb")
    start = spent()
    by = {}
    for name, (_, divisors) in LEVELS.items():
        parents: dict[str, str] = {}
        for i, leaf in enumerate(codes(name)):
            way = [leaf, *(f"{d}:{i // d}" for d in divisors[1:]), "Total"]
            parents |= dict(itertools.pairwise(way))
        by[name] = Hierarchy.from_parents(parents)
    table = tabulate(path, by=by, value="turnover", unit="firm")
    if table.evidence is None:
        raise RuntimeError
    report(
        start,
        len(table),
        table.cells.value,
        table.evidence.contributors,
        table.evidence.largest,
    )


def bare(path: str) -> None:
    """Run the split query as one would write it by hand."""
    import duckdb  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    start = spent()
    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    spans = []
    for name, (size, divisors) in LEVELS.items():
        columns: dict[str, Any] = {"code": codes(name)}
        span = 0
        for level, d in enumerate((*divisors, size)):
            columns[f"l{level}"] = pa.array(np.arange(size) // d + span, pa.int32())
            span += (size - 1) // d + 1
        spans.append(span)
        connection.register("incoming", pa.table(columns))
        connection.execute(f"CREATE TEMP TABLE d_{name} AS FROM incoming")
    prepare(connection, path)
    levels = [len(divisors) + 1 for _, divisors in LEVELS.values()]
    found = []
    for a, r, s in itertools.product(*map(range, levels)):
        key = f"(activity{a} * {spans[1]} + region{r}) * {spans[2]} + size{s}"
        found.append(connection.sql(COMBINATION.format(key=key)).to_arrow_table())
    result = pa.concat_tables(found)
    largest = result.column("top").combine_chunks()
    report(
        start,
        len(result),
        result.column("x").to_numpy(),
        result.column("m").to_numpy(),
        largest.flatten().to_numpy(),
    )


COMBINATION = """
SELECT k, sum(m)::BIGINT m, sum(n)::BIGINT n, sum(x)::BIGINT x, max(v, 3) top FROM (
  SELECT {key} k, m, n, x, v FROM merged
  UNION ALL
  SELECT k, 1, n, x, x FROM (
    SELECT {key} k, firm, sum(n)::BIGINT n, sum(x)::BIGINT x FROM shared
    GROUP BY k, firm)
) GROUP BY k
"""


def prepare(connection: duckdb.DuckDBPyConnection, path: str) -> None:
    """Reduce the records; tell apart who lives in one leaf cell and who does not."""
    joins = " ".join(f"JOIN d_{name} ON {name} = d_{name}.code" for name in LEVELS)
    leaf = ", ".join(f"d_{name}.l0 {name}" for name in LEVELS)
    connection.execute(
        f"CREATE TEMP TABLE pairs AS SELECT {leaf}, firm, sum(turnover)::BIGINT x, "
        f"count(*) n FROM read_parquet('{path}') {joins} GROUP BY ALL"
    )
    connection.execute(
        "CREATE TEMP TABLE several AS "
        "SELECT firm FROM pairs GROUP BY firm HAVING count(*) > 1"
    )
    levels = ", ".join(
        f"d_{name}.l{level} {name}{level}"
        for name, (_, divisors) in LEVELS.items()
        for level in range(len(divisors) + 1)
    )
    again = " ".join(f"JOIN d_{name} ON d_{name}.l0 = p.{name}" for name in LEVELS)
    connection.execute(
        f"CREATE TEMP TABLE merged AS SELECT {levels}, IF(g = 1, m, 0) m, "
        "IF(g = 1, n, 0) n, IF(g = 1, x, 0) x, top[g] v FROM ("
        "SELECT activity, region, size, count(*) m, sum(n)::BIGINT n, "
        "sum(x)::BIGINT x, max(x, 3) top FROM pairs WHERE firm NOT IN (FROM several) "
        f"GROUP BY ALL) p {again}, (VALUES (1), (2), (3)) t(g) WHERE g <= len(top)"
    )
    connection.execute(
        f"CREATE TEMP TABLE shared AS SELECT {levels}, firm, n, x FROM "
        f"(FROM pairs WHERE firm IN (FROM several)) p {again}"
    )


def spent() -> float:
    """Give the CPU seconds of this process so far, all threads included."""
    import resource  # noqa: PLC0415 - not on Windows

    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def report(start: float, cells: int, *columns: np.ndarray[Any, Any]) -> None:
    """Print what was spent, and sums by which the two sides are compared."""
    import resource  # noqa: PLC0415 - not on Windows

    seconds = spent() - start
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    check = " ".join(str(int(column.sum())) for column in columns)
    found = {"cpu_s": round(seconds, 2), "peak_gb": round(peak / 1e9, 3)}
    print(json.dumps({**found, "cells": cells, "check": check}))


if __name__ == "__main__":
    {"generate": generate, "bare": bare, "tacit": with_tacit}[sys.argv[1]](
        *sys.argv[2:]
    )
