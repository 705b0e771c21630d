# SPDX-License-Identifier: Apache-2.0
"""What a release tells, to whom, and when it may go out."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tacit
from tacit.errors import UnsafeError
from tacit.protect import Release, release_as_is
from tacit.table import State

SECRET = 918_273_645


@dataclass(frozen=True)
class Verdict:
    safe: bool


ROWS = {"sex": ["f", "m", "x"], "n": [30, 12, 2], "turnover": [400, 500, SECRET]}


def assessed(rows: object = ROWS, n: int = 3) -> tacit.Assessment:
    table = tacit.Table.from_cells(
        rows, by={"sex": "all"}, value="turnover", count="n", decimals=2
    )
    return tacit.assess(table, tacit.MinFrequency(n=n))


@pytest.fixture
def release() -> Release:
    assessment = assessed()
    state = assessment.state.copy()
    state[assessment.table.index(sex="m")] = State.SUPPRESSED
    values = assessment.table.cells.value
    return Release(assessment, state, "test", values, cost=500.0)


def test_the_public_frame_has_one_kind_of_suppression(release: Release) -> None:
    assert release.cells.to_pydict() == {
        "sex": ["all", "f", "m", "x"],
        "turnover": [SECRET + 900.0, 400.0, None, None],
        "status": ["published", "published", "suppressed", "suppressed"],
    }


def test_the_memory_of_the_public_frame_holds_no_secret(release: Release) -> None:
    column = release.cells.column("turnover").combine_chunks()
    raw = b"".join(buffer.to_pybytes() for buffer in column.buffers() if buffer)
    assert np.float64(SECRET).tobytes() not in raw
    assert np.float64(400).tobytes() in raw


def test_the_internal_frame_tells_all(release: Release) -> None:
    cells = release.internal.cells.to_pydict()
    assert cells["turnover"] == [SECRET + 900.0, 400.0, 500.0, float(SECRET)]
    assert cells["published"] == [SECRET + 900.0, 400.0, None, None]
    assert cells["state"] == ["safe", "safe", "suppressed", "sensitive"]
    assert cells["sensitive"] == [False, False, False, True]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_come_back_in_the_kind_that_was_given(kind: type) -> None:
    release = release_as_is(assessed(kind(ROWS), n=2))
    assert isinstance(release.cells, kind)
    assert isinstance(release.internal.cells, kind)


def test_the_summary_has_the_names_that_are_fixed(release: Release) -> None:
    assert release.summary() == {
        "cells": 4,
        "sensitive": 1,
        "secondary": 1,
        "secondary_value": 500.0,
        "cost": 500.0,
        "bound": None,
        "gap": None,
        "safe": False,
        "seconds": 0.0,
        "claims": 0,
        "open": 0,
        "exact_only": False,
    }


def test_only_an_audit_makes_suppressions_safe(release: Release) -> None:
    assert not release.safe
    assert "No audit was run" in release.why_unsafe()
    failed = replace(release, audit=Verdict(safe=False))
    assert not failed.safe
    assert "can be inferred too closely" in failed.why_unsafe()
    passed = replace(release, audit=Verdict(safe=True))
    assert passed.safe
    assert passed.why_unsafe() == ""


def test_an_exposed_cell_is_never_safe(release: Release) -> None:
    state = np.full(4, State.SAFE, dtype=np.uint8)
    exposed = replace(release, state=state, audit=Verdict(safe=True))
    assert not exposed.safe
    assert "1 of 4 cells" in exposed.why_unsafe()


def test_changed_values_are_safe_only_by_audit() -> None:
    assessment = assessed(n=2)
    values = assessment.table.cells.value
    changed = Release(assessment, assessment.state, "round", values, perturbed=True)
    assert not changed.safe
    assert replace(changed, audit=Verdict(safe=True)).safe


def test_as_it_is_only_where_nothing_is_sensitive() -> None:
    assert release_as_is(assessed(n=2)).safe
    with pytest.raises(UnsafeError, match="1 of 4 cells is sensitive") as caught:
        release_as_is(assessed())
    assert str(SECRET) not in str(caught.value)


def test_cells_that_must_be_suppressed_do_not_go_out_as_they_are() -> None:
    rows = {"sex": ["f", "m"], "n": [5, 6], "state": ["forced", "safe"]}
    table = tacit.Table.from_cells(rows, by={"sex": "all"}, value="n", state="state")
    with pytest.raises(UnsafeError):
        release_as_is(tacit.assess(table))


def test_it_says_little_of_itself(release: Release) -> None:
    for text in (repr(release), release._repr_html_(), repr(release.internal)):
        assert "sensitive" not in text
        assert "500" not in text
    assert repr(release) == (
        "<Release by test: 4 cells, 2 withheld, not safe to publish>"
    )


def test_it_does_not_change(release: Release) -> None:
    with pytest.raises(FrozenInstanceError):
        release.cost = 1.0  # type: ignore[misc]
