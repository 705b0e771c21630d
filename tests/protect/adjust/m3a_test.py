# SPDX-License-Identifier: Apache-2.0
"""M3A: known tables, brute force, and what holds on any table."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import tacit
from conformance.cases import linked, sown
from m3a_table import CELLS, assessed, records
from tacit.errors import InputError, LimitError
from tacit.protect.adjust._m3a import M3a
from tacit.protect.adjust._placing import place
from tacit.protect.suppress._progress import Clock
from tacit.table import State

if TYPE_CHECKING:
    from tacit import Assessment, Release

some = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def number(release: Release, r: str, c: str) -> float:
    """What is published of a cell, in units."""
    cell = release.table.index(r=r, c=c)
    return float(release.published[cell]) / 10**release.table.cells.decimals


def moves(release: Release) -> Any:
    return (release.published - release.table.cells.value) / 10


def test_one_after_the_other_gives_the_table_of_the_paper() -> None:
    release = tacit.adjust(assessed(), "m3a", search="greedy")
    placed = [("r1", "b"), ("r1", "c"), ("r2", "a"), ("r2", "c"), ("r3", "a")]
    found = [number(release, *where) for where in placed]
    assert found == [220, 94, 94.1, 550, 135]
    assert number(release, "r3", "c") == 239
    move = moves(release)
    totals = np.array(["T" in pair for pair in _pairs(release)])
    assert abs(move[totals]).sum() == pytest.approx(209.1)
    assert abs(move[~totals]).sum() == pytest.approx(93.1)


def _pairs(release: Release) -> list[tuple[str, str]]:
    table = release.table
    return list(zip(table.codes_of("r"), table.codes_of("c"), strict=True))


def test_the_totals_need_not_move_as_much() -> None:
    table = assessed()
    release = tacit.adjust(table, "m3a")
    assert release.cost == pytest.approx(240.0)
    assert release.bound == pytest.approx(240.0, rel=1e-4)


def test_the_best_choice_of_sides_disturbs_the_totals_least() -> None:
    # Each of the four cells that are left goes down or up; the others stay.
    fixed = {("r2", "a"): 2.1}
    sides = [("r1", "b", 20), ("r1", "c", 6), ("r2", "c", 50), ("r3", "a", 15)]
    best = np.inf
    for signs in itertools.product((-1, 1), repeat=4):
        change = dict(fixed)
        for sign, (r, c, step) in zip(signs, sides, strict=True):
            change[r, c] = sign * step
        rows = [sum(v for (r, _), v in change.items() if r == x) for x in _ROWS]
        columns = [sum(v for (_, c), v in change.items() if c == x) for x in "abc"]
        total = abs(sum(change.values()))
        best = min(best, sum(map(abs, rows)) + sum(map(abs, columns)) + total)
    assert best == pytest.approx(176.9)
    greedy = tacit.adjust(assessed(), "m3a", search="greedy")
    totals = np.array(["T" in pair for pair in _pairs(greedy)])
    assert abs(moves(greedy)[totals]).sum() >= best


_ROWS = ("r1", "r2", "r3")


def test_margins_are_kept_when_the_inside_may_move() -> None:
    release = tacit.adjust(
        _inside_only(assessed()), "m3a", preserve="margins", slack=np.inf
    )
    assert release.cost == pytest.approx(200.0)
    totals = ~_inner(release)
    assert (release.published == release.table.cells.value)[totals].all()


def _inside_only(assessment: Assessment) -> Assessment:
    """Leave only inner cells sensitive, as the paper does."""
    inner = ~np.isin(assessment.table.codes_of("r"), ["T"])
    inner &= ~np.isin(assessment.table.codes_of("c"), ["T"])
    state = np.where(
        assessment.sensitive & ~inner, np.uint8(State.SAFE), assessment.state
    )
    return replace(assessment, sensitive=assessment.sensitive & inner, state=state)


def _inner(release: Release) -> Any:
    matrix = release.table.relations.matrix
    inner = np.ones(len(release), dtype=bool)
    inner[matrix.indices[matrix.data < 0]] = False
    return inner


def test_a_line_with_one_cell_that_must_move_cannot_keep_its_total() -> None:
    with pytest.raises(LimitError, match=r"r: T = r1 \+ r2 \+ r3, at c = b.*slack="):
        tacit.adjust(_inside_only(assessed()), "m3a", preserve="margins")


def test_totals_that_stand_in_the_way_are_named() -> None:
    cells = {("r1", "a"): [10], ("r1", "b"): [10], ("r2", "a"): [10], ("r2", "b"): [1]}
    assessment = _inside_only(assessed(cells, decimals=0))
    state = assessment.state.copy()
    state[assessment.table.index(r="T", c="T")] = State.FROZEN
    state[assessment.table.index(r="r1", c="T")] = State.FROZEN
    kept = replace(assessment, state=state)
    release = tacit.adjust(kept, "m3a")
    assert number(release, "r1", "T") == 20
    assert number(release, "T", "T") == 31


def test_frozen_cells_keep_their_value() -> None:
    assessment = assessed()
    state = assessment.state.copy()
    kept = [assessment.table.index(r="T", c="T"), assessment.table.index(r="r3", c="T")]
    state[kept] = State.FROZEN
    release = tacit.adjust(replace(assessment, state=state), "m3a", slack=20)
    value = release.table.cells.value
    assert (release.published[kept] == value[kept]).all()
    assert not release.table.relations.residuals(release.published).any()


def test_the_report_says_which_attack_binds() -> None:
    release = tacit.adjust(assessed(), "m3a", search="greedy")
    biting = release.provenance["biting"]
    table = release.table
    assert table.index(r="r1", c="b") in biting["I"]
    assert table.index(r="r2", c="a") in biting["IIIa"]
    assert table.index(r="r3", c="c") not in {
        c for cells in biting.values() for c in cells
    }


# What can be calculated back


def test_cells_of_one_contributor_can_be_calculated_back_if_d_is_known() -> None:
    secret = tacit.adjust(assessed(), "m3a").audited()
    assert secret.safe
    assert secret.audit.counts["invertible"] == 3
    assert any("learns the percentage" in told for told in secret.audit.not_checked)
    known = tacit.adjust(assessed(), "m3a", d_known=True).audited()
    assert not known.safe
    assert "left with two values" in known.audit.explain()


def test_numbers_drawn_beyond_the_end_cannot_be_calculated_back() -> None:
    drawn = tacit.adjust(assessed(), "m3a", spread=20, key="a", d_known=True).audited()
    assert drawn.safe
    assert drawn.audit.counts["invertible"] == 0
    again = tacit.adjust(assessed(), "m3a", spread=20, key="a", d_known=True)
    assert (again.published == drawn.published).all()
    other = tacit.adjust(assessed(), "m3a", spread=20, key="b", d_known=True)
    assert (other.published != drawn.published).any()


def test_the_audit_finds_a_table_that_was_not_adjusted() -> None:
    release = tacit.adjust(assessed(), "m3a")
    bare = replace(release, published=release.table.cells.value)
    report = tacit.audit(bare)
    assert not report.safe
    assert "scenario IIIa" in report.explain(20)
    assert "scenario I)" in report.explain(20)


# Brute force


@st.composite
def small(draw: st.DrawFn) -> Assessment:
    """Tables up to 3 by 3 with two or three cells that must move."""
    rows, columns = draw(st.integers(1, 3)), draw(st.integers(2, 3))
    cells = {
        (f"r{i}", f"c{j}"): draw(st.lists(st.integers(1, 12), min_size=4, max_size=5))
        for i in range(rows)
        for j in range(columns)
    }
    alone = draw(
        st.lists(st.sampled_from(sorted(cells)), min_size=1, max_size=3, unique=True)
    )
    for where in alone:
        cells[where] = draw(st.lists(st.integers(3, 25), min_size=1, max_size=2))
    found = _inside_only(assessed(cells, decimals=0))
    assume(0 < found.sensitive.sum() <= 3)
    return found


@some
@given(small())
def test_no_table_is_cheaper_than_the_one_that_is_found(assessment: Assessment) -> None:
    release = tacit.adjust(assessment, "m3a", d=20)
    assert release.cost == pytest.approx(_cheapest(assessment, d=20))
    assert release.bound == pytest.approx(release.cost)


def _cheapest(assessment: Assessment, d: float) -> float:
    """Try every number of every sensitive cell; totals follow."""
    table = assessment.table
    sensitive = np.flatnonzero(assessment.sensitive)
    choices = []
    for cell in sensitive:
        where = table.labels_of(int(cell))
        x = _contributions(assessment, where)
        value = int(table.cells.value[cell])
        segments = tacit.m3a_safe_set(x, d=d)
        choices.append(
            [
                n - value
                for n in range(2 * value + 20)
                if any(low <= n <= high for low, high in segments)
            ]
        )
    labels = [table.labels_of(int(cell)) for cell in sensitive]
    best = np.inf
    for change in itertools.product(*choices):
        cost = sum(map(abs, change))
        for axis in ("r", "c"):
            for code in {label[axis] for label in labels}:
                parts = (
                    v for v, at in zip(change, labels, strict=True) if at[axis] == code
                )
                cost += abs(sum(parts))
        best = min(best, cost + abs(sum(change)))
    return best


def _contributions(assessment: Assessment, where: dict[str, str]) -> list[float]:
    table = assessment.table
    cell = table.find(where)
    found = tacit.table.contributions_of(table, np.array([cell]))
    return found.value.tolist()


@some
@given(
    st.lists(st.integers(5, 30), min_size=4, max_size=4), st.sampled_from([10, 25, 40])
)
def test_two_by_two_with_all_totals_kept(values: list[int], d: float) -> None:
    where = [("r1", "a"), ("r1", "b"), ("r2", "a"), ("r2", "b")]
    cells = {at: [value] for at, value in zip(where, values, strict=True)}
    assessment = _inside_only(assessed(cells, decimals=0))
    costs = []
    for shift in range(-30, 31):
        new = [
            values[0] + shift,
            values[1] - shift,
            values[2] - shift,
            values[3] + shift,
        ]
        far = all(
            abs(n - v) * 100 >= d * v and n >= 0
            for n, v in zip(new, values, strict=True)
        )
        costs += [4 * abs(shift)] if far else []
    if not costs:
        with pytest.raises(LimitError):
            tacit.adjust(assessment, "m3a", d=d, preserve="margins")
        return
    release = tacit.adjust(assessment, "m3a", d=d, preserve="margins")
    assert release.cost == pytest.approx(min(costs))


def test_weights_on_the_totals_alone_find_the_best_sides() -> None:
    from tacit.protect.adjust import _m3a  # noqa: PLC0415 - looks inside

    assessment = _inside_only(assessed())
    problem = _problem_of(_m3a, assessment)
    inner = problem.inner
    on_totals = replace(problem, weight=np.where(inner, 1e-6, 1.0))
    placed = place(on_totals, assessment.table, Clock(30.0))
    assert abs(placed.move[~inner]).sum() / 10 <= 176.9
    inside = replace(problem, weight=np.where(inner, 1.0, 0.0))
    placed = place(inside, assessment.table, Clock(30.0))
    assert placed.cost / 10 == pytest.approx(93.1)


def _problem_of(m3a: Any, assessment: Assessment) -> Any:
    from tacit.protect.adjust._attacks import (  # noqa: PLC0415
        attacks_on,
        forbidden,
        reach_of,
    )
    from tacit.protect.adjust._m3a_people import people_of  # noqa: PLC0415

    chosen = np.flatnonzero(assessment.sensitive)
    options = M3a()
    attacks = attacks_on(people_of(assessment.table, chosen))
    bad = forbidden(attacks, reach_of(attacks, m3a._share(options)))
    segments = m3a._segments(assessment, options, chosen, [bad])
    return m3a._problem(assessment, options, chosen, segments)


# Any table


@some
@given(
    st.one_of(sown(max_dimensions=3), linked()), st.sampled_from(["exact", "greedy"])
)
def test_every_release_blocks_every_attack(assessment: Assessment, search: Any) -> None:
    try:
        release = tacit.adjust(assessment, "m3a", d=15, search=search, time_limit=5)
    except LimitError:
        return
    assert tacit.audit(release).safe
    _check_untouched(release)


def _check_untouched(release: Release) -> None:
    assert not release.table.relations.residuals(release.published).any()
    still = _inner(release) & ~release.assessment.sensitive
    assert (release.published == release.table.cells.value)[still].all()
    assert (release.published >= 0).all()


@some
@given(sown(max_dimensions=2), st.sampled_from(["total", "margins"]))
def test_totals_are_preserved_to_the_unit(
    assessment: Assessment, preserve: Any
) -> None:
    inner = _inside_of(assessment)
    try:
        release = tacit.adjust(
            inner, "m3a", preserve=preserve, slack=np.inf, time_limit=5
        )
    except LimitError:
        return
    value, table = release.table.cells.value, release.table
    kept = ~_inner(release)
    if preserve == "total":
        kept = np.arange(len(table)) == table.find({})
    assert (release.published == value)[kept].all()
    assert not table.relations.residuals(release.published).any()
    assert tacit.audit(release).safe


def _inside_of(assessment: Assessment) -> Assessment:
    matrix = assessment.table.relations.matrix
    inner = np.ones(len(assessment), dtype=bool)
    inner[matrix.indices[matrix.data < 0]] = False
    state = np.where(
        assessment.sensitive & ~inner, np.uint8(State.SAFE), assessment.state
    )
    return replace(assessment, sensitive=assessment.sensitive & inner, state=state)


@some
@given(sown(max_dimensions=2, negatives=True))
def test_negative_contributions_are_protected_as_well(assessment: Assessment) -> None:
    try:
        release = tacit.adjust(assessment, "m3a", least=0.05, time_limit=5)
    except LimitError:
        return
    assert tacit.audit(release).safe


# What cannot be used


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"d": 100}, "d: input should be less than 100"),
        ({"d": 0}, "d: input should be greater than 0"),
        ({"d": 10, "phi": 0}, "phi"),
        ({"prserve": "total"}, "Did you mean 'preserve'"),
        ({"spread": 10}, "give key=, a secret text"),
        ({"search": "greedy", "slack": 5}, "neither preserve totals nor use slack"),
    ],
)
def test_options_that_cannot_be_used_are_explained(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        tacit.adjust(assessed(), "m3a", **options)


def test_negative_contributions_ask_for_a_least_distance() -> None:
    cells = {**CELLS, ("r3", "a"): [150, -20]}
    table = tacit.tabulate(
        records(cells),
        by={"r": "T", "c": "T"}, value="v", unit="firm",
    )  # fmt: skip
    assessment = tacit.assess(table, tacit.MinFrequency(n=3))
    with pytest.raises(InputError, match="Give least=, the distance"):
        tacit.adjust(assessment, "m3a")


def test_a_finished_table_must_come_with_all_contributions() -> None:
    given = {"sex": ["f", "m"], "v": [10.0, 7.0], "n": [2, 1]}
    table = tacit.Table.from_cells(given, by={"sex": "T"}, value="v", count="n")
    assessment = tacit.assess(table, tacit.MinFrequency(n=2))
    with pytest.raises(InputError, match=r"the table knows none\. Tabulate it"):
        tacit.adjust(assessment, "m3a")
    given |= {"x": [9.0, 7.0]}
    table = tacit.Table.from_cells(
        given, by={"sex": "T"}, value="v", count="n", contributions=["x"]
    )
    assessment = tacit.assess(table, tacit.MinFrequency(n=3))
    with pytest.raises(InputError, match=r"sensitive cells .* have more attackers"):
        tacit.adjust(assessment, "m3a")


def test_too_little_time_is_said_and_nothing_is_changed() -> None:
    with pytest.raises(LimitError, match=r"Nothing was changed\. Allow more time"):
        tacit.adjust(
            _inside_only(assessed()),
            "m3a",
            preserve="margins",
            slack=np.inf,
            time_limit=0,
        )


def test_the_key_is_never_written() -> None:
    release = tacit.adjust(assessed(), "m3a", spread=20, key="very secret")
    assert "very secret" not in repr(release.provenance)


def test_totals_named_by_their_codes_are_preserved() -> None:
    release = tacit.adjust(
        _inside_only(assessed()), "m3a", preserve=[{"r": "r1", "c": "T"}], slack=30
    )
    assert number(release, "r1", "T") == 510
    assert tacit.audit(release).safe
    with pytest.raises(InputError, match="no code 'r9'"):
        tacit.adjust(assessed(), "m3a", preserve=[{"r": "r9"}])
