# SPDX-License-Identifier: Apache-2.0
"""Every method that changes numbers keeps the same promises, on any table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.cases import assessments, frozen
from conformance.methods import changing_methods
from tacit.errors import InputError, LimitError
from tacit.table import State

if TYPE_CHECKING:
    from conformance.methods import Method
    from tacit import Assessment, Release

any_table = settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def made(method: Method, assessment: Assessment) -> Release | None:
    """The release, or nothing where the method says that there is none."""
    if method.counts and not assessment.table.is_count:
        with pytest.raises(InputError, match="is for counts"):
            method.run(assessment)
        return None
    if not method.fits(assessment):
        return None
    try:
        return method.run(assessment)
    except LimitError:
        return None


def columns_of(frame: Any) -> dict[str, list[Any]]:
    """Columns as lists, nothing as None, of any kind of frame."""
    columns: dict[str, list[Any]] = frame.to_pydict()
    return columns


def check_states(release: Release) -> None:
    """All go out but those that were ordered to stay; empty cells stay empty."""
    asked = release.assessment.state
    ordered = np.isin(asked, (State.FORCED, State.SUPPRESSED))
    assert (release.withheld == ordered).all()
    assert release.perturbed
    assert not release.published[asked == State.EMPTY].any()
    assert release.published.dtype == np.int64


def check_public(release: Release) -> None:
    """The public view holds the changed numbers, and no true one in their stead."""
    frame = columns_of(release.cells)
    name = next(n for n in frame if n.startswith(release.table.measure))
    shown = np.array([one is not None for one in frame[name]])
    assert (shown == ~release.withheld).all()
    units = release.published[shown] / 10**release.table.cells.decimals
    held = [one for one in frame[name] if one is not None]
    assert held == pytest.approx(units.tolist())


@changing_methods
def test_any_table_is_published_in_other_numbers(method: Method) -> None:
    @any_table
    @given(st.one_of(assessments(), frozen()))
    def check(assessment: Assessment) -> None:
        release = made(method, assessment)
        if release is None:
            return
        check_states(release)
        check_public(release)
        if method.additive:
            assert not release.table.relations.residuals(release.published).any()

    check()


@changing_methods
def test_it_is_audited_by_its_own_attack(method: Method) -> None:
    @settings(any_table, max_examples=15)
    @given(assessments())
    def check(assessment: Assessment) -> None:
        release = made(method, assessment)
        if release is None:
            return
        assert not release.safe, "no audit was run yet"
        judged = release.audited()
        assert judged.safe is judged.audit.safe
        assert judged.audit.safe or judged.audit.explain()

    check()


@changing_methods
def test_two_runs_give_the_same_bytes(method: Method) -> None:
    @settings(any_table, max_examples=15)
    @given(assessments())
    def check(assessment: Assessment) -> None:
        first, second = made(method, assessment), made(method, assessment)
        assert (first is None) == (second is None)
        if first is None or second is None:
            return
        assert first.published.tobytes() == second.published.tobytes()
        assert columns_of(first.cells) == columns_of(second.cells)

    check()


@changing_methods
def test_the_table_that_was_given_stays_as_it_was(method: Method) -> None:
    @settings(any_table, max_examples=10)
    @given(assessments())
    def check(assessment: Assessment) -> None:
        before = assessment.table.cells.value.copy()
        release = made(method, assessment)
        assert (assessment.table.cells.value == before).all()
        assert release is None or release.published is not assessment.table.cells.value

    check()


@changing_methods
def test_only_assessments_and_tables_are_taken(method: Method) -> None:
    with pytest.raises(InputError, match=r"takes an assessment or a tab"):
        method.run("a table")  # type: ignore[arg-type]
