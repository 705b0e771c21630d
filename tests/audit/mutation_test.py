# SPDX-License-Identifier: Apache-2.0
"""A protected release with one cell too many published is never called safe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import tacit
from brute import insider_shortfalls, shortfalls
from conformance.cases import assessments
from tacit import Assessment
from tacit.audit import Kind
from tacit.table import State


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(assessments(), st.data())
def test_one_more_published_cell_is_noticed_by_whoever_is_asked(
    assessment: Assessment, data: st.DataObject
) -> None:
    """Wherever plain programs find an attack, by an insider too, the audit does."""
    release = tacit.suppress(assessment)
    assume(release.withheld.any())
    cell = data.draw(st.sampled_from(np.flatnonzero(release.withheld).tolist()))
    state = release.state.copy()
    state[cell] = State.SAFE
    mutant = replace(release, state=state)
    report = tacit.audit(mutant)
    outside = {one.cell for one in shortfalls(mutant)}
    inside = {one.cell for one in insider_shortfalls(mutant)}
    told = set(report.findings.cell.tolist())
    assert outside <= told
    assert inside <= told
    if outside or inside or assessment.sensitive[cell]:
        assert not report.safe
    else:
        sums = report.findings.kind == Kind.SUM
        assert report.safe or sums.any()
