# SPDX-License-Identifier: Apache-2.0
"""Every method that withholds cells keeps the same promises, on any table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit
from brute import derivable, insider_shortfalls, shortfalls
from conformance.methods import Promise, hiding_methods
from tacit.table import State

if TYPE_CHECKING:
    from conformance.methods import Method
    from tacit import Assessment, Release

any_table = settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def said(release: Release) -> bool:
    """Whether the release owns up to needs that it could not meet."""
    return bool(release.provenance["open"]) and not release.safe


def check_states(release: Release) -> None:
    """Only cells that may be withheld are, and every one that must be."""
    asked, state = release.assessment, release.state
    hidden = release.withheld
    kept = np.isin(asked.state, (State.EMPTY, State.FROZEN)) & ~asked.sensitive
    assert not hidden[kept].any()
    assert (state[kept] == asked.state[kept]).all()
    assert hidden[asked.sensitive].all()
    assert hidden[asked.state == State.FORCED].all()
    assert (state[hidden & ~asked.held_back] == State.SUPPRESSED).all()


def check_values(release: Release) -> None:
    """True values are as they were, and add up."""
    value = release.assessment.table.cells.value
    assert release.published is value or (release.published == value).all()
    assert not release.table.relations.residuals(value).any()


def check_public(release: Release) -> None:
    """The public view has a value where one is published, and nothing elsewhere."""
    frame = columns_of(release.cells)
    name = next(n for n in frame if n.startswith(release.table.measure))
    shown = np.array([one is not None for one in frame[name]])
    assert (shown == ~release.withheld).all()
    true = release.table.value_in_units[shown].tolist()
    assert [one for one in frame[name] if one is not None] == pytest.approx(true)
    assert set(frame["status"]) <= {"published", "suppressed"}


def columns_of(frame: Any) -> dict[str, list[Any]]:
    """Columns as lists, nothing as None, of any kind of frame."""
    made: dict[str, list[Any]] = frame.to_pydict()
    return made


def check_promise(release: Release, promise: Promise) -> None:
    """What is promised holds against attacks that share no code with the package."""
    exact = derivable(release.table.relations.matrix, release.withheld)
    given_away = exact & release.assessment.sensitive
    if promise is Promise.EXACT:
        assert not given_away.any() or may_be_impossible(release, given_away)
        return
    short = shortfalls(release) or insider_shortfalls(release)
    if not short:
        assert not given_away.any()
    assert bool(short) == said(release)
    assert not short or everything_hidden_falls_short(release), "it could be met"


def may_be_impossible(release: Release, cells: np.ndarray) -> bool:
    """Whether some of these cells can be derived whatever else is withheld."""
    best = derivable(release.table.relations.matrix, widest(release).withheld)
    return bool((best & cells).sum() == cells.sum())


def everything_hidden_falls_short(release: Release) -> bool:
    """Whether even the widest pattern leaves a need unmet."""
    best = widest(release)
    return bool(shortfalls(best) or insider_shortfalls(best))


def widest(release: Release) -> Release:
    """The same table with all withheld that may be."""
    asked = release.assessment.state
    fixed = np.isin(asked, (State.EMPTY, State.FROZEN)) & ~release.assessment.sensitive
    return replace(release, state=np.where(fixed, asked, State.SUPPRESSED))


@hiding_methods
def test_any_table_is_protected(method: Method) -> None:
    @any_table
    @given(method.assessments)
    def check(assessment: Assessment) -> None:
        release = method.run(assessment)
        check_states(release)
        check_values(release)
        check_public(release)
        check_promise(release, method.promise)

    check()


@hiding_methods
def test_the_audit_agrees_with_what_is_said(method: Method) -> None:
    """Needs that stay open, unsafe sums that stay known: the audit finds no others."""
    if method.promise is Promise.EXACT:
        pytest.skip("protects from exact disclosure to the outsider only, and says so")

    @any_table
    @given(st.one_of(method.assessments, method.frozen))
    def check(assessment: Assessment) -> None:
        release = method.run(assessment)
        report = tacit.audit(release)
        left = said(release) or bool(release.provenance["open_sums"])
        assert report.safe is not left, report.explain()

    check()


@hiding_methods
def test_cells_that_must_stay_published_do_even_if_nothing_is_safe_then(
    method: Method, capfd: pytest.CaptureFixture[str]
) -> None:
    @any_table
    @given(method.frozen)
    def check(assessment: Assessment) -> None:
        release = method.run(assessment)
        check_states(release)
        check_promise(release, method.promise)

    check()
    assert not capfd.readouterr().out  # solvers keep quiet: that is for results


@hiding_methods
def test_two_runs_give_the_same_bytes(method: Method) -> None:
    @settings(any_table, max_examples=25)
    @given(method.assessments)
    def check(assessment: Assessment) -> None:
        first, second = method.run(assessment), method.run(assessment)
        assert first.state.tobytes() == second.state.tobytes()
        assert first.cost == second.cost
        assert columns_of(first.cells) == columns_of(second.cells)

    check()
