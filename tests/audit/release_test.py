# SPDX-License-Identifier: Apache-2.0
"""The audit of a release: what is owed to its sensitive cells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from releases import instruments, percent, releases, withheld
from small_tables import plain_interval
from tacit import Attacker, MinFrequency, PPercent
from tacit.audit._required import problem_of, required_of
from tacit.errors import InputError
from tacit.protect import Release, release_as_stated
from tacit.table import State

OUTSIDER = [Attacker()]


def kinds(report: tacit.AuditReport) -> list[tuple[str, str, str]]:
    rows = report.violations.to_pylist()
    return [(r["kind"], r["region"], r["violation"]) for r in rows]


def test_primary_suppression_alone_is_undone() -> None:
    report = tacit.audit(withheld(percent(15)))
    assert not report.safe
    assert kinds(report) == [("Harps", "B", "exact"), ("Pianos", "D", "exact")]
    assert "where all else is known" in report.violations.to_pydict()["why"][0]
    assert report.internal.violations.to_pydict()["lowest"] == [47, 28]


@pytest.mark.parametrize("margin", [1, 15, 50])
def test_oc4_the_pattern_protects_from_the_outsider(margin: float) -> None:
    release = withheld(percent(margin), "Harps-D", "Pianos-B")
    report = tacit.audit(release, attackers=OUTSIDER)
    assert report.safe
    assert any("insiders" in what for what in report.not_checked)


def test_oc4_the_whole_intervals() -> None:
    release = withheld(percent(15), "Harps-D", "Pianos-B")
    report = tacit.audit(release, attackers=OUTSIDER, full=True)
    rows = report.internal.intervals.to_pylist()
    ends = {(r["kind"], r["region"]): (r["lowest"], r["highest"]) for r in rows}
    assert ends == {
        ("Harps", "B"): (19, 136), ("Pianos", "D"): (0, 117),
        ("Harps", "D"): (0, 117), ("Pianos", "B"): (68, 185),
    }  # fmt: skip


def test_oc5_the_owner_of_a_cell_undoes_it() -> None:
    report = tacit.audit(withheld(percent(15), "Harps-D", "Pianos-B"))
    assert kinds(report) == [("Harps", "B", "insider")]
    assert "Pianos, region = D" in report.violations.to_pydict()["why"][0]
    assert report.summary()["insiders"] == 1


def test_more_cells_protect_from_the_owner_too() -> None:
    more = ("Harps-D", "Pianos-B", "Organs-B", "Organs-D")
    assert tacit.audit(withheld(percent(15), *more)).safe


def test_an_interval_can_be_too_narrow() -> None:
    release = withheld(percent(99), "Harps-D", "Pianos-B")
    assessment = replace(
        release.assessment,
        upl=release.assessment.upl + 80.0 * release.assessment.sensitive,
    )
    report = tacit.audit(replace(release, assessment=assessment), attackers=OUTSIDER)
    assert ("Harps", "B", "interval") in kinds(report)
    row = kinds(report).index(("Harps", "B", "interval"))
    assert report.internal.violations.to_pydict()["highest"][row] == 136
    assert report.violations.to_pydict()["why"][row].startswith("Too narrow above")


def test_prior_knowledge_can_undo_a_pattern() -> None:
    release = withheld(percent(15), "Harps-D", "Pianos-B")
    knowing = Attacker(bounds=(0.9, 1.1))
    report = tacit.audit(release, attackers=[knowing])
    assert {row[2] for row in kinds(report)} == {"interval"}


def test_bounds_that_come_with_the_table_count_unless_left_out() -> None:
    rows = {"sex": ["f", "m", "x"], "n": [20, 30, 9], "s": ["u", "m", "s"]}
    table = tacit.Table.from_cells(rows, by={"sex": "all"}, value="n", state="s")
    lower = np.array([50, 19, 0, 0])
    upper = np.array([70, 21, 99, 99])  # all, f, m, x
    table = table.updated(cells=replace(table.cells, lower=lower, upper=upper))
    release = release_as_stated(tacit.assess(table, margin=20))
    assert not tacit.audit(release, attackers=OUTSIDER).safe
    assert tacit.audit(release, attackers=[Attacker(bounds="none")]).safe


def test_a_sensitive_cell_that_is_published_is_the_worst() -> None:
    assessment = percent(15)
    state = np.full(len(assessment), State.SAFE, dtype=np.uint8)
    release = Release(assessment, state, "test", assessment.table.cells.value)
    report = tacit.audit(release)
    assert kinds(report) == [("Harps", "B", "exact"), ("Pianos", "D", "exact")]
    assert set(report.violations.to_pydict()["why"]) == {"Published as it is"}


def test_nothing_withheld_and_nothing_sensitive_is_safe() -> None:
    assessment = tacit.assess(instruments())
    release = Release(assessment, assessment.state, "none", instruments().cells.value)
    assert tacit.audit(release).safe


# --- other kinds of numbers ------------------------------------------------------


def stated(rows: dict[str, list[Any]], margin: float, **more: Any) -> Release:
    table = tacit.Table.from_cells(rows, by={"sex": "all"}, state="s", **more)
    return release_as_stated(tacit.assess(table, margin=margin))


def test_below_zero_nothing_is_assumed() -> None:
    rows: dict[str, list[Any]] = {
        "sex": ["f", "m", "x"],
        "n": [20, -1, 9],
        "s": ["u", "m", "s"],
    }
    assert tacit.audit(stated(rows, 20, value="n"), attackers=OUTSIDER).safe
    sure = Attacker(non_negative=True)
    with pytest.raises(InputError, match="exclude the true value"):
        tacit.audit(stated(rows, 20, value="n"), attackers=[sure])


def test_counts_of_one_and_two_that_add_up_to_three() -> None:
    """Each is 1 or 2: not known, so the sum may be printed."""
    rows = {"sex": ["f", "m", "x"], "n": [1, 2, 9], "s": ["safe"] * 3}
    table = tacit.Table.from_cells(
        {"sex": rows["sex"], "n": rows["n"]}, by={"sex": "all"}, count="n"
    )
    assessment = tacit.assess(table, MinFrequency(n=3))
    release = Release(assessment, assessment.state, "test", table.cells.value)
    assert tacit.audit(release, attackers=OUTSIDER).safe
    inside = tacit.audit(release)
    assert [row["sex"] for row in inside.violations.to_pylist()] == ["m"]


def test_two_ones_of_a_sum_of_two_are_known() -> None:
    table = tacit.Table.from_cells(
        {"sex": ["f", "m", "x"], "n": [1, 1, 9]}, by={"sex": "all"}, count="n"
    )
    assessment = tacit.assess(table, MinFrequency(n=3))
    release = Release(assessment, assessment.state, "test", table.cells.value)
    report = tacit.audit(release, attackers=OUTSIDER)
    assert [row["violation"] for row in report.violations.to_pylist()] == ["exact"] * 2
    unsure = Attacker(others_at_least_one=False)
    assert tacit.audit(release, attackers=[unsure]).safe


def test_rounded_values_are_audited_by_their_base() -> None:
    assessment = percent(5)
    value = assessment.table.cells.value
    release = Release(
        assessment, assessment.state, "round", value // 50 * 50, perturbed=True
    )
    with pytest.raises(InputError, match="give base="):
        tacit.audit(release)
    state = np.where(release.state == State.SENSITIVE, State.SAFE, release.state)
    shown = replace(release, state=state.astype(np.uint8))
    assert tacit.audit(shown, base=50, attackers=OUTSIDER).safe
    close = replace(shown, published=value // 2 * 2)
    report = tacit.audit(close, base=2, attackers=OUTSIDER)
    assert {row[2] for row in kinds(report)} == {"interval"}


def test_a_base_that_excludes_the_truth_is_refused() -> None:
    assessment = percent(15)
    value = assessment.table.cells.value
    release = Release(assessment, assessment.state, "round", value + 20, perturbed=True)
    state = np.full(len(value), State.SAFE, dtype=np.uint8)
    with pytest.raises(InputError, match="exclude the true value"):
        tacit.audit(replace(release, state=state), base=5)


def test_a_table_that_adds_up_only_roughly_is_refused() -> None:
    rows = {"sex": ["all", "f", "m"], "n": [21, 10, 10], "s": ["s", "u", "m"]}
    table = tacit.Table.from_cells(
        rows, by={"sex": "all"}, value="n", state="s", tolerance=1
    )
    release = release_as_stated(tacit.assess(table, margin=10))
    with pytest.raises(InputError, match="hold only within"):
        tacit.audit(release)


def test_columns_have_no_place_in_the_audit_of_a_release() -> None:
    with pytest.raises(InputError, match="by= names something in a frame"):
        tacit.audit(withheld(percent(15)), by={"sex": "all"})


# --- contributors ----------------------------------------------------------------


def records() -> dict[str, list[Any]]:
    """Two single firms in one column; the same firm alone in two cells."""
    return {
        "size": ["s", "s", "m", "m", "l", "l", "s", "m", "l", "l"],
        "town": ["A", "B", "A", "B", "A", "B", "C", "C", "C", "C"],
        "firm": ["f1", "f2", "f1", "f3", "f4", "f5", "f6", "f7", "f8", "f9"],
        "sales": [50, 60, 70, 80, 90, 100, 110, 120, 130, 140],
    }


def tabulated() -> tacit.Assessment:
    table = tacit.tabulate(
        records(), by={"size": "all", "town": "all"}, value="sales", unit="firm"
    )
    return tacit.assess(table, PPercent(p=10))


def test_sums_of_withheld_cells_are_judged_by_the_rule() -> None:
    assessment = tabulated()
    state = assessment.state.copy()
    values = assessment.table.cells.value
    release = Release(assessment, state, "test", values)
    report = tacit.audit(release)
    assert "derivable sums" in report.checked
    assert report.summary()["derivable sum"] > 0
    whys = [
        row["why"]
        for row in report.violations.to_pylist()
        if row["violation"] == "derivable sum"
    ]
    assert all("can be computed" in why for why in whys)


def test_without_contributions_sums_are_said_not_to_be_checked() -> None:
    report = tacit.audit(withheld(percent(15), "Harps-D", "Pianos-B"))
    assert any(what.startswith("derivable sums") for what in report.not_checked)


# --- against brute force -----------------------------------------------------------


def falls_short(release: Release) -> set[int]:
    """Sensitive cells that two plain programs each show to be too close."""
    problem = problem_of(release, Attacker())
    required = required_of(release, Attacker())
    bad = set(np.flatnonzero(release.exposed).tolist())
    for k, cell in enumerate(required.cells.tolist()):
        low, high = plain_interval(problem, cell)
        value = release.table.cells.value[cell]
        short = high < value + required.above[k] - 1e-6
        short |= low > value - required.below[k] + 1e-6
        short |= high - low < required.width[k] - 1e-6
        if short:
            bad.add(cell)
    return bad


@settings(max_examples=40)
@given(releases())
def test_it_agrees_with_plain_linear_programs(release: Release) -> None:
    report = tacit.audit(release, attackers=OUTSIDER)
    assert set(report.findings.cell.tolist()) == falls_short(release)


@settings(max_examples=30)
@given(releases(), st.data())
def test_one_more_published_cell_is_noticed(release: Release, data: Any) -> None:
    """Mutation: publish a withheld cell; the audit says what plain programs say."""
    withheld_cells = np.flatnonzero(release.withheld).tolist()
    if not withheld_cells:
        return
    state = release.state.copy()
    state[data.draw(st.sampled_from(withheld_cells))] = State.SAFE
    mutant = replace(release, state=state)
    report = tacit.audit(mutant, attackers=OUTSIDER)
    assert set(report.findings.cell.tolist()) == falls_short(mutant)
