# SPDX-License-Identifier: Apache-2.0
"""Audit of suppressed tables: CPU seconds against one warm HiGHS model, and in full.

The patterns come from ``pattern.py``: elimination alone (prevents exact disclosure
only), and the same repaired until an outsider finds nothing. The one model holds the
whole system over the hidden cells and solves claim after claim, warm-started; where
claims are many it solves a sample, and the rest is reckoned at the same rate.
``AUDIT_MILLION=1`` adds the table of 1.1 million cells.
"""

from __future__ import annotations

import os
import resource
import time
from typing import TYPE_CHECKING, Any

import highspy
import instances
import numpy as np
import pattern
import scipy.sparse as sp

import tacit
from tacit.audit import (
    Insiders,
    Problem,
    exact_disclosure,
    insider_verdict,
    intervals,
    verdict,
)
from tacit.protect import Release
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

Row = dict[str, Any]
TIMES_LESS = 8.0
FULL_SECONDS, FULL_GB = 60.0, 1.0
SAMPLE_SECONDS = 60.0


def run() -> list[Row]:
    """Compare with one model, then audit large tables in full."""
    warm_up()
    # First what is held against a limit of memory: a peak counts all that came before.
    rows = [end_to_end("h3-100k"), in_full("h3-100k")]
    rows += [
        against_one_model(name, repaired=repaired)
        for name in ("h2-20k", "h3-20k", "h2-100k", "h3-100k")
        for repaired in (False, True)
    ]
    if os.environ.get("AUDIT_MILLION"):
        rows += [in_full("h3-1m")]
    return rows


def warm_up() -> None:
    """Compile, so that no row pays for it."""
    instance = instances.make("h3-1k")
    hidden = pattern.gauss(instance)
    problem, found = attacked(instance, hidden)
    insider_verdict(problem, owners(instance, hidden), found)


def attacked(instance: Any, hidden: NDArray[np.bool_]) -> tuple[Problem, Any]:
    """Judge every sensitive cell against an outsider."""
    matrix = sp.csr_array(instance.relations())
    problem = Problem.of(matrix, hidden, value=instance.a)
    cells = np.flatnonzero(instance.prim)
    need = instance.lpl[cells].astype(float), instance.upl[cells].astype(float)
    return problem, verdict(problem, cells, lower=need[0], upper=need[1])


def hidden_of(instance: Any, *, repaired: bool) -> NDArray[np.bool_]:
    """Choose what is hidden: by elimination, repaired or not."""
    if not repaired:
        return pattern.gauss(instance)
    cells = np.flatnonzero(instance.prim)
    return pattern.safe(
        instance, lambda hidden: cells[attacked(instance, hidden)[1].failed]
    )


def owners(instance: Any, hidden: NDArray[np.bool_]) -> Insiders:
    """Every contributor that fills a hidden cell alone: one leaf cell and above."""
    leaf = instance.leaf_mask() & (instance.n > 0)
    who = np.where(leaf, np.arange(instance.ncell), 0).reshape(instance.shape)
    for d, parents in enumerate(instance.parents):
        along = np.moveaxis(who, d, 0)
        for code in range(len(parents) - 1, 0, -1):
            along[parents[code]] += along[code]
    return Insiders.sole(hidden, instance.n, who.ravel(), instance.a)


def against_one_model(name: str, *, repaired: bool) -> Row:
    """Measure a verdict on all sensitive cells, and one model that does the same."""
    instance = instances.make(name)
    hidden = hidden_of(instance, repaired=repaired)
    start = time.process_time()
    problem, found = attacked(instance, hidden)
    ours = time.process_time() - start
    whole = None if name == "h3-100k" else seconds_of_intervals(problem, found.cells)
    solved, total, wrong, seconds = one_model(problem, found)
    theirs = seconds * total / solved
    return {
        "task": "all claims, outsider",
        "instance": name,
        "pattern": "repaired" if repaired else "elimination",
        "cells": instance.ncell,
        "hidden": int(hidden.sum()),
        "sensitive": int(instance.prim.sum()),
        "failed": int((found.state == 2).sum()),
        "programs": found.programs,
        "cpu_s": round(ours, 2),
        "one_model_cpu_s": round(theirs, 1),
        "solved_there": f"{solved:,} of {total:,}",
        "times_less": round(theirs / ours, 1),
        "intervals_cpu_s": "" if whole is None else round(whole, 2),
        "differ": wrong,
        "met": wrong == 0 and theirs >= TIMES_LESS * max(ours, whole or 0.0),
    }


def seconds_of_intervals(problem: Problem, cells: NDArray[np.int64]) -> float:
    """Measure both ends of every sensitive cell, workers included."""
    start = cpu_seconds()
    found = intervals(problem, cells)
    assert found.complete.all()
    return cpu_seconds() - start


def cpu_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + spent.ru_utime + spent.ru_stime


def peak_gb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9, 2)


def one_model(problem: Problem, found: Any) -> tuple[int, int, int, float]:
    """Solve the claims one by one; how many, of how many, how many differ, seconds."""
    at = np.flatnonzero(problem.hidden)
    matrix = problem.matrix[:, at].tocsc().astype(float)
    keep = np.flatnonzero(np.diff(matrix.tocsr().indptr))
    matrix = matrix.tocsr()[keep].tocsc()
    solver = highspy.Highs()
    for option, setting in (
        ("output_flag", False),
        ("threads", 1),
        ("presolve", "off"),
        ("solver", "simplex"),
    ):
        solver.setOptionValue(option, setting)
    size, zeros = len(at), np.zeros(len(keep))
    solver.passModel(
        size,
        len(keep),
        matrix.nnz,
        1,
        -1,
        0.0,
        np.zeros(size),
        (problem.lower - problem.value)[at],
        (problem.upper - problem.value)[at],
        zeros,
        zeros,
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data,
        np.zeros(size, dtype=np.int32),
    )
    claims = [(side, k) for k in range(len(found.cells)) for side in (0, 1)]
    order = np.random.default_rng(0).permutation(len(claims))
    # neighbours after each other, as a careful user would: warm starts stay short
    sample = np.sort(order[: min(len(claims), 4000)])
    wrong, solved, start = 0, 0, time.process_time()
    for number in sample.tolist():
        side, k = claims[number]
        column = int(np.searchsorted(at, found.cells[k]))
        solver.changeColCost(column, 1.0 if side == 0 else -1.0)
        solver.run()
        bounded = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
        best = solver.getObjectiveValue() if bounded else np.inf
        solver.changeColCost(column, 0.0)
        reached = best >= found.required[side, k] * (1 - 1e-6)
        wrong += int(reached != (found.state[side, k] == 1))
        solved += 1
        if time.process_time() - start > SAMPLE_SECONDS:
            break
    return solved, len(claims), wrong, time.process_time() - start


def in_full(name: str) -> Row:
    """Measure exact disclosure, the outsider and every insider."""
    instance = instances.make(name)
    hidden = hidden_of(instance, repaired=True)
    start = time.process_time()
    problem, found = attacked(instance, hidden)
    outsider = time.process_time() - start
    exact = int(exact_disclosure(problem).sum())
    inside = insider_verdict(problem, owners(instance, hidden), found)
    spent = time.process_time() - start
    peak = peak_gb()
    return {
        "task": "exact, outsider, insiders",
        "instance": name,
        "pattern": "repaired",
        "cells": instance.ncell,
        "hidden": int(hidden.sum()),
        "sensitive": int(instance.prim.sum()),
        "failed": int((found.state == 2).sum()) + exact,
        "insiders": inside.insiders,
        "failed_inside": len(inside),
        "programs": found.programs + inside.programs,
        "outsider_cpu_s": round(outsider, 2),
        "cpu_s": round(spent, 1),
        "peak_gb": peak,
        "met": name != "h3-100k" or (spent <= FULL_SECONDS and peak <= FULL_GB),
    }


def end_to_end(name: str) -> Row:
    """Measure ``tacit.audit`` of a release: the same, line sums and a certificate."""
    instance = instances.make(name)
    hidden = hidden_of(instance, repaired=True)
    release = released(instance, hidden)
    start = time.process_time()
    report = tacit.audit(release)
    spent, peak = time.process_time() - start, peak_gb()
    return {
        "task": "tacit.audit, line sums too",
        "instance": name,
        "pattern": "repaired",
        "cells": len(release.table),
        "hidden": int(release.withheld.sum()),
        "sensitive": int(release.assessment.sensitive.sum()),
        "insiders": report.counts.get("insiders"),
        "sums": report.counts.get("sums"),
        "cpu_s": round(spent, 1),
        "peak_gb": peak,
        "met": spent <= FULL_SECONDS and peak <= FULL_GB,
    }


def released(instance: Any, hidden: NDArray[np.bool_]) -> Release:
    """Tabulate the records of an instance, and withhold what the pattern hides."""
    leaf, amount = instance.records
    codes = np.unravel_index(leaf, instance.shape)
    names = [f"d{d}" for d in range(len(instance.shape))]
    trees = {
        names[d]: tacit.Hierarchy.from_parents(
            {f"c{c}": f"c{p}" for c, p in enumerate(parents) if p >= 0}, total="c0"
        )
        for d, parents in enumerate(instance.parents)
    }
    columns = {
        name: np.array([f"c{c}" for c in range(size)], dtype=object)[code]
        for name, size, code in zip(names, instance.shape, codes, strict=True)
    }
    frame = arrow({**columns, "unit": np.arange(len(leaf)), "value": amount})
    table = tacit.tabulate(frame, by=trees, value="value", unit="unit")
    assessment = tacit.assess(table, tacit.PPercent(p=12))
    grid = [
        np.array([int(code[1:]) for code in dimension.codes])
        for dimension in table.dimensions
    ]
    place = np.ravel_multi_index(
        tuple(of[row] for of, row in zip(grid, table.cells.codes, strict=True)),
        instance.shape,
    )
    state = table.cells.state.copy()
    state[hidden[place]] = State.SUPPRESSED
    state[assessment.sensitive] = State.SENSITIVE
    return Release(assessment, state, "bench", table.cells.value)


def arrow(columns: dict[str, Any]) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    return pa.table({name: pa.array(values) for name, values in columns.items()})
