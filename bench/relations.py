# SPDX-License-Identifier: Apache-2.0
"""CPU seconds and memory for the relations of large tables."""

from __future__ import annotations

import resource
import time

import numpy as np

from tacit import Hierarchy, Table
from tacit.table import Cells, Contributions, Dimension
from tacit.table._contributions import contributions_of
from tacit.table._totals import close_upwards

CPU_TARGET = 5.0
MEMORY_TARGET = 1.0
LARGE_MEMORY_TARGET = 3.0
SEED = 1


def run() -> list[dict[str, object]]:
    """Measure a full three-way table, then a sparse five-way one."""
    return [*full(), sparse()]


def full() -> list[dict[str, object]]:
    """1.77 million cells, none empty: regions x industries x legal forms."""
    axes = dimensions([(10, 10, 5), (6, 4, 4, 3), (6,)])
    sizes = [len(axis) for axis in axes]
    codes = np.indices(sizes, dtype=np.int32).reshape(len(sizes), -1)
    table = of(axes, codes)
    start = time.process_time()
    relations = table.relations
    seconds = time.process_time() - start
    row = measured("full 3-D", table, seconds, CPU_TARGET, MEMORY_TARGET)
    start = time.process_time()
    relations.residuals(table.cells.value)
    checked = {"table": "full 3-D, residuals", "cells": len(table)}
    checked |= {"relations": len(relations)}
    checked |= {"cpu_s": round(time.process_time() - start, 2)}
    return [row, checked, gathered(table)]


def sparse() -> dict[str, object]:
    """4 million non-empty cells of 100 million possible ones, in five dimensions."""
    axes = dimensions([(10, 10), (8, 6), (5, 5), (4, 4), (24,)])
    random = np.random.default_rng(SEED)
    leaves = np.stack([random.choice(axis.leaves, 83_000) for axis in axes])
    leaves = np.unique(leaves, axis=1).astype(np.int32)
    codes, _ = close_upwards(leaves, axes)
    table = of(axes, codes)
    start = time.process_time()
    _ = table.relations
    seconds = time.process_time() - start
    row = measured("sparse 5-D", table, seconds, None, LARGE_MEMORY_TARGET)
    possible = float(np.prod([len(axis) for axis in axes], dtype=float))
    return row | {"possible": f"{possible:,.0f}"}


def gathered(table: Table) -> dict[str, object]:
    """The contributions under ten thousand cells of all levels."""
    inner = np.ones(len(table), dtype=bool)
    for code, axis in zip(table.cells.codes, table.dimensions, strict=True):
        inner &= np.isin(code, axis.leaves)
    random = np.random.default_rng(SEED)
    leaf = np.repeat(np.flatnonzero(inner), 3).astype(np.int32)
    unit = random.integers(0, 500_000, len(leaf))
    value = random.integers(1, 1000, len(leaf))
    table = Table(
        table.dimensions, table.cells, contributions=Contributions(leaf, unit, value)
    )
    cells = random.choice(len(table), 10_000, replace=False)
    start = time.process_time()
    rows = contributions_of(table, cells)
    return {
        "table": "full 3-D, contributions of 10,000 cells",
        "cells": len(cells),
        "relations": len(rows.entity),
        "cpu_s": round(time.process_time() - start, 2),
        "peak_gb": peak(),
    }


def dimensions(shapes: list[tuple[int, ...]]) -> tuple[Dimension, ...]:
    """Balanced trees with the given numbers of parts, level by level."""
    return tuple(
        Dimension.of(name, tree(shape))
        for name, shape in zip("abcdefgh", shapes, strict=False)
    )


def tree(shape: tuple[int, ...]) -> Hierarchy:
    """One balanced tree."""
    parents: dict[str, str] = {}
    front = ["T"]
    for parts in shape:
        below = {f"{code}.{i}": code for code in front for i in range(parts)}
        parents |= below
        front = list(below)
    return Hierarchy.from_parents(parents, total="T")


def of(axes: tuple[Dimension, ...], codes: np.ndarray) -> Table:
    """A table without values: relations need none."""
    n = codes.shape[1]
    empty = np.zeros(n, dtype=np.int64)
    return Table(axes, Cells(codes, empty, 0, np.zeros(n, dtype=np.uint8)))


def measured(
    name: str, table: Table, seconds: float, cpu: float | None, memory: float
) -> dict[str, object]:
    """One row of the results; memory is the peak of the whole process so far."""
    used = peak()
    return {
        "table": name,
        "cells": len(table),
        "relations": len(table.relations),
        "cpu_s": round(seconds, 2),
        "peak_gb": used,
        "target": f"{cpu or '-'} s, {memory} GB",
        "met": (cpu is None or seconds <= cpu) and used <= memory,
    }


def peak() -> float:
    """Peak memory of this process in gigabytes."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2)
