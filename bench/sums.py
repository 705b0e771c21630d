# SPDX-License-Identifier: Apache-2.0
"""CPU seconds to judge the known sums of hidden cells, with and without chains."""

from __future__ import annotations

import time

import numpy as np
from establishments import make

import tacit
from tacit.audit._sums import derivable_sums

LINES_TARGET = 3.0
CHAINS_TARGET = 10.0


def run() -> list[dict[str, object]]:
    """Measure a two-way and a three-way table."""
    return [row for name in ("hier2d_s", "h3_20k", "h3_100k") for row in measured(name)]


def measured(name: str) -> list[dict[str, object]]:
    """Judge lines and blocks alone, then chains of two and of three relations."""
    table = make(name).table()
    rule = tacit.PPercent(p=10) | tacit.MinFrequency(n=3)
    hidden = pattern(table, tacit.assess(table, rule).sensitive)
    rows: list[dict[str, object]] = []
    for rounds in range(3):
        target = CHAINS_TARGET if rounds else LINES_TARGET
        start = time.process_time()
        found = derivable_sums(table, hidden, rule, rounds=rounds)
        spent = time.process_time() - start
        rows.append(
            {
                "instance": name,
                "cells": len(table),
                "hidden": int(hidden.sum()),
                "relations in a chain": rounds + 1,
                "sums": sum(found.judged.values()),
                "all of them": found.complete,
                "unsafe": len(found),
                "cpu_s": round(spent, 2),
                "met": spent <= target,
            }
        )
    return rows


def pattern(table: tacit.Table, sensitive: np.ndarray) -> np.ndarray:
    """Hide the smallest cell of every relation in which a hidden one stands alone."""
    matrix, value = table.relations.matrix.astype(np.int64), table.cells.value
    hidden = sensitive.copy()
    while True:
        alone = np.flatnonzero(abs(matrix) @ hidden == 1)
        before = int(hidden.sum())
        for row in alone.tolist():
            cells = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
            free = cells[~hidden[cells] & (value[cells] > 0)]
            if len(free) and hidden[cells].sum() == 1:
                hidden[free[np.argmin(value[free])]] = True
        if int(hidden.sum()) == before:
            return hidden
