# SPDX-License-Identifier: Apache-2.0
"""Releases to write: a safe one, and one that an audit has cleared."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import tacit
from tacit.protect import Release, release_as_is
from tacit.table import State

REGIONS = tacit.Hierarchy.from_parents(
    {"A1": "A", "A2": "A", "A": "T", "B": "T"},
    labels={"T": "Everywhere", "A1": "=1+1", "B": 'B "best", <b>'},
)
SECRET = 918_273_645


@dataclass(frozen=True)
class Verdict:
    """What an audit hands over, as far as a release asks."""

    safe: bool


@pytest.fixture
def table() -> tacit.Table:
    rows = {
        "region": ["A1", "A1", "A2", "A2", "B"],
        "size": ["1", "2", "1", "2", "1"],
        "turnover": [10.25, 0.0, 5.5, SECRET / 100, -3.0],
        "n": [5, 4, 6, 1, 7],
    }
    return tacit.Table.from_cells(
        rows,
        by={"region": REGIONS, "size": "S"},
        value="turnover",
        count="n",
        decimals=2,
    )


@pytest.fixture
def safe(table: tacit.Table) -> Release:
    return release_as_is(tacit.assess(table))


@pytest.fixture
def suppressed(table: tacit.Table) -> Release:
    """One sensitive cell and what must go with it, said to be safe by an audit."""
    assessment = tacit.assess(table, tacit.MinFrequency(n=2))
    state = assessment.state.copy()
    for region, size in (("A2", "1"), ("A1", "1"), ("A1", "2")):
        state[table.index(region=region, size=size)] = State.SUPPRESSED
    audit = Verdict(safe=True)
    return Release(assessment, state, "test", table.cells.value, audit=audit)


@pytest.fixture
def unsafe(suppressed: Release) -> Release:
    return replace(suppressed, audit=None)


@pytest.fixture
def huge() -> Release:
    rows = {"who": ["a", "b"], "x": np.array([10**17 + 1, 3], dtype=np.int64)}
    return release_as_is(
        tacit.assess(tacit.Table.from_cells(rows, by={"who": "T"}, value="x"))
    )
