# SPDX-License-Identifier: Apache-2.0
"""Every insider against every claim: as if each had its own audit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from small_tables import plain_interval, problems, rational_rank_test
from tacit.audit import Insiders, Problem, insider_problem, insider_verdict, verdict
from tacit.audit._clock import Clock
from tacit.audit._outsider import attack
from tacit.audit._required import Required


def plain_breaches(
    problem: Problem,
    insiders: Insiders,
    cells: np.ndarray,
    need: tuple[np.ndarray, np.ndarray],
    held: np.ndarray,
) -> set[tuple[int, int, int]]:
    """Re-solve every claim that holds against the outsider for every insider."""
    broken = set()
    for k in range(len(insiders)):
        own = insiders.known(k)
        seen = insider_problem(problem, own, part=insiders.shared(k))
        for i, cell in enumerate(cells.tolist()):
            if cell in own:
                continue
            low, high = plain_interval(seen, cell)
            value = problem.value[cell]
            if held[0, i] and high < value + need[0][i] - 1e-6:
                broken.add((k, cell, 0))
            if held[1, i] and low > value - need[1][i] + 1e-6:
                broken.add((k, cell, 1))
    return broken


@settings(max_examples=120, deadline=None)
@given(problems(most=12), st.data())
def test_equals_an_audit_of_its_own(problem: Problem, data: st.DataObject) -> None:
    n, cells = len(problem), np.flatnonzero(problem.hidden)
    some = st.lists(st.integers(1, 2), min_size=n, max_size=n)
    who = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    insiders = Insiders.sole(
        problem.hidden,
        np.array(data.draw(some)),
        np.array(data.draw(who)),
        problem.value,
    )
    levels = st.lists(st.integers(1, 6), min_size=len(cells), max_size=len(cells))
    need = np.array(data.draw(levels)), np.array(data.draw(levels))
    outside = verdict(problem, cells, upper=need[0], lower=need[1])
    found = insider_verdict(problem, insiders, outside)
    assert found.open == 0
    held = outside.state == 1
    told = set(
        zip(
            found.insider.tolist(),
            found.cell.tolist(),
            found.side.tolist(),
            strict=True,
        )
    )
    assert told == plain_breaches(problem, insiders, cells, need, held)
    for k in range(len(insiders)):
        known = rational_rank_test(insider_problem(problem, insiders.known(k)))
        for row in np.flatnonzero(found.insider == k):
            assert found.exact[row] == known[found.cell[row]] or found.limit[row] < 1e-6


@settings(max_examples=80, deadline=None)
@given(problems(most=12), st.data())
def test_own_amounts_in_shared_cells_count(
    problem: Problem, data: st.DataObject
) -> None:
    cells = np.flatnonzero(problem.hidden)
    offset, entity, amount = [0], [], []
    for cell in cells.tolist():
        first = data.draw(st.integers(0, 2))
        part = data.draw(st.integers(0, int(problem.value[cell])))
        if data.draw(st.booleans()):
            entity, amount = [*entity, first], [*amount, int(problem.value[cell])]
        else:
            entity += [first, 9]
            amount += [part, int(problem.value[cell]) - part]
        offset.append(len(entity))
    insiders = Insiders.of_contributions(
        cells,
        np.array(offset),
        np.array(entity, dtype=int),
        np.array(amount, dtype=int),
    )
    need = np.full(len(cells), 2), np.full(len(cells), 2)
    outside = verdict(problem, cells, upper=need[0], lower=need[1])
    found = insider_verdict(problem, insiders, outside)
    told = set(
        zip(
            found.insider.tolist(),
            found.cell.tolist(),
            found.side.tolist(),
            strict=True,
        )
    )
    assert told == plain_breaches(problem, insiders, cells, need, outside.state == 1)


@settings(max_examples=120, deadline=None)
@given(problems(most=12), st.data())
def test_a_width_may_lie_anywhere_for_each_insider(
    problem: Problem, data: st.DataObject
) -> None:
    n, cells = len(problem), np.flatnonzero(problem.hidden)
    some = st.lists(st.integers(1, 2), min_size=n, max_size=n)
    who = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    insiders = Insiders.sole(
        problem.hidden,
        np.array(data.draw(some)),
        np.array(data.draw(who)),
        problem.value,
    )
    levels = st.lists(st.integers(0, 2), min_size=len(cells), max_size=len(cells))
    above, below, more = (np.array(data.draw(levels), float) for _ in range(3))
    required = Required(cells, above, below, above + below + more)
    outcome = attack(problem, required, clock=Clock(None))
    told = set()
    for seen in outcome.verdicts:
        found = insider_verdict(problem, insiders, seen, required=required)
        assert found.open == 0
        told |= set(zip(found.insider.tolist(), found.cell.tolist(), strict=True))
    held = cells[~outcome.failed].tolist()
    narrow = set()
    for k in range(len(insiders)):
        seen = insider_problem(problem, insiders.known(k))
        for cell in sorted(set(held) - set(insiders.known(k).tolist())):
            low, high = plain_interval(seen, cell)
            ends = np.array([high - problem.value[cell], problem.value[cell] - low])
            (i,) = np.flatnonzero(cells == cell)
            asked = np.array([above[i], below[i], required.width[i]])
            if (np.append(ends, ends.sum()) < asked - 1e-6).any():
                narrow.add((k, cell))
    assert {(k, cell) for k, cell in told if cell in held} == narrow


def test_two_that_may_be_one_is_wide_enough_for_whoever_knows_the_third() -> None:
    """5 = 2 + 1 + 2, no hidden count is 0: to the first owner 3 = 1 + 2 or 2 + 1."""
    problem = Problem.of(
        csr_array([[-1, 1, 1, 1]]),
        np.array([False, True, True, True]),
        value=np.array([5, 2, 1, 2]),
        lower=1.0,
    )
    ones = np.array([3, 1, 2, 2])
    first = Insiders.sole(problem.hidden, ones, np.arange(4), problem.value)
    none, unit = np.zeros(1), np.ones(1)
    required = Required(np.array([3]), none, none, unit)
    outcome = attack(problem, required, clock=Clock(None))
    (seen,) = outcome.verdicts
    assert seen.required.tolist() == [[1.0], [0.0]]
    assert insider_verdict(problem, first, seen).cell.tolist() == [3]
    assert insider_verdict(problem, first, seen, required=required).safe
    wider = replace(required, width=2 * unit)
    again = attack(problem, wider, clock=Clock(None))
    assert not again.failed.any()
    found = [insider_verdict(problem, first, v, required=wider) for v in again.verdicts]
    assert [one.cell.tolist() for one in found] == [[], [3]]


def row_of_three() -> tuple[Problem, Insiders]:
    """9 = 2 + 3 + 4, all three hidden, each with an owner."""
    problem = Problem.of(
        csr_array([[-1, 1, 1, 1]]),
        np.array([False, True, True, True]),
        value=np.array([9, 2, 3, 4]),
    )
    ones = np.array([3, 1, 1, 1])
    return problem, Insiders.sole(
        problem.hidden, ones, np.array([0, 5, 6, 7]), problem.value
    )


def test_a_row_of_three_is_safe_from_each_owner_but_not_from_two() -> None:
    problem, insiders = row_of_three()
    cells, ones = np.array([1, 2, 3]), np.ones(3)
    outside = verdict(problem, cells, lower=ones, upper=ones)
    assert outside.safe
    assert insider_verdict(problem, insiders, outside).safe
    pairs = insiders.coalitions(problem.matrix, 2)
    assert pairs.members == ((5,), (6,), (7,), (5, 6), (5, 7), (6, 7))
    found = insider_verdict(problem, pairs, outside)
    assert found.insider.tolist() == [3, 3, 4, 4, 5, 5]
    assert found.cell.tolist() == [3, 3, 2, 2, 1, 1]
    assert found.exact.all()


def test_one_owner_of_two_cells_knows_both() -> None:
    problem, _ = row_of_three()
    insiders = Insiders.sole(
        problem.hidden, np.array([3, 1, 1, 2]), np.array([0, 5, 5, 7]), problem.value
    )
    cells = np.array([1, 2, 3])
    outside = verdict(problem, cells, lower=np.ones(3), upper=np.ones(3))
    found = insider_verdict(problem, insiders, outside)
    assert set(found.cell.tolist()) == {3}
    assert found.exact.all()


def test_own_amounts_without_true_values_must_be_given() -> None:
    problem, _ = row_of_three()
    foreign = Problem(
        problem.matrix, problem.hidden, problem.published, problem.lower, problem.upper
    )
    with pytest.raises(ValueError, match="own amounts are needed"):
        insider_problem(foreign, np.array([1]))
    seen = insider_problem(foreign, np.array([1]), amount=np.array([2]))
    assert seen.published.tolist() == [9, 2, 0, 0]


def test_own_amounts_may_exceed_a_cell_where_others_are_below_zero() -> None:
    """9 = 4 + 2 + 3: the owner of the 4 gave 5 to the 2, and another one -3."""
    problem, _ = row_of_three()
    problem = replace(problem, value=np.array([9, 4, 2, 3]))
    insiders = Insiders.of_contributions(
        np.array([1, 2, 3]),
        np.array([0, 1, 3, 5]),
        np.array([7, 7, 8, 8, 9]),
        np.array([4, 5, -3, 1, 2]),
    )
    cells, ones = np.array([1, 2, 3]), np.ones(3)
    outside = verdict(problem, cells, lower=ones, upper=ones)
    found = insider_verdict(problem, insiders, outside)
    # To the first owner the second cell cannot be below 2, so the third not above 3.
    assert found.cell.tolist() == [2, 3]
    assert found.side.tolist() == [1, 0]
    seen = insider_problem(problem, insiders.known(0), part=insiders.shared(0))
    assert plain_interval(seen, 3) == (0, 3)


def test_no_repr_shows_amounts() -> None:
    problem, insiders = row_of_three()
    for noun in (problem, insiders):
        assert "confidential" in repr(noun)
