# SPDX-License-Identifier: Apache-2.0
"""Intervals equal plain linear programs; verdicts agree with intervals."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from small_tables import margins, plain_interval, problems, with_totals
from tacit.audit import ContradictionError, Problem, intervals, verdict
from tacit.errors import InputError


@settings(max_examples=80, deadline=None)
@given(problems(), st.booleans())
def test_intervals_equal_plain_programs(problem: Problem, known: bool) -> None:  # noqa: FBT001
    if not known:
        problem = replace(problem, value=None)
    cells = np.flatnonzero(problem.hidden)
    found = intervals(problem, cells)
    assert found.complete.all()
    for k, cell in enumerate(cells.tolist()):
        low, high = plain_interval(problem, cell)
        assert found.lowest[k] == pytest.approx(low, abs=1e-6)
        assert found.highest[k] == pytest.approx(high, abs=1e-6)


@settings(max_examples=80, deadline=None)
@given(problems(most=20))
def test_looking_nearby_first_gives_the_same(problem: Problem) -> None:
    cells = np.flatnonzero(problem.hidden)
    plain = intervals(problem, cells)
    with (
        patch("tacit.audit._component._LARGE", 0),
        patch("tacit.audit._component._NEARBY", 4),
    ):
        found = intervals(problem, cells)
    assert found.lowest == pytest.approx(plain.lowest)
    assert found.highest == pytest.approx(plain.highest)


@settings(max_examples=120, deadline=None)
@given(problems(most=20), st.data())
def test_verdicts_say_what_plain_programs_say(
    problem: Problem, data: st.DataObject
) -> None:
    if data.draw(st.booleans()):
        problem = replace(
            problem, lower=0.5 * problem.value, upper=1.5 * problem.value + 1
        )
    cells = np.flatnonzero(problem.hidden)
    levels = st.lists(st.integers(0, 9), min_size=len(cells), max_size=len(cells))
    lower = np.array(data.draw(levels), dtype=float)
    upper = np.array(data.draw(levels), dtype=float)
    found = verdict(problem, cells, lower=lower, upper=upper)
    assert not found.open.any()
    for k, cell in enumerate(cells.tolist()):
        low, high = plain_interval(problem, cell)
        value = problem.value[cell]
        above = high >= value + upper[k] - 1e-6
        below = low <= value - lower[k] + 1e-6
        assert found.state[:, k].tolist() == [1 if above else 2, 1 if below else 2]
        if not above:
            assert found.limit[0, k] == pytest.approx(high - value, abs=1e-5)
        if not below:
            assert found.limit[1, k] == pytest.approx(value - low, abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(problems(most=20))
def test_witnesses_are_tables_that_fit(problem: Problem) -> None:
    cells = np.flatnonzero(problem.hidden & (problem.value > 0))
    need = np.ceil(problem.value[cells] / 4)
    found = verdict(problem, cells, lower=need, upper=need)
    for z in found.witnesses.matrix(len(problem)).toarray():
        assert problem.matrix @ z == pytest.approx(0, abs=1e-9)
        assert not z[~problem.hidden].any()
        assert (problem.value + z >= problem.lower - 1e-9).all()
    for side, sign in ((0, 1), (1, -1)):
        for k in np.flatnonzero(found.state[side] == 1):
            z = found.witnesses.matrix(len(problem)).toarray()[found.witness[side, k]]
            assert sign * z[cells[k]] >= need[k] * (1 - 1e-9)


@settings(max_examples=60, deadline=None)
@given(problems(most=9), st.integers(0, 10**6))
def test_one_more_published_cell_is_noticed(problem: Problem, pick: int) -> None:
    """Mutation: whatever brute force calls unsafe is called unsafe."""
    hidden = np.flatnonzero(problem.hidden)
    if not len(hidden):
        return
    mask = problem.hidden.copy()
    mask[hidden[pick % len(hidden)]] = False
    mutant = Problem.of(problem.matrix, mask, value=problem.value)
    cells = np.flatnonzero(mask)
    need = np.maximum(1.0, problem.value[cells] // 2)
    found = verdict(
        mutant, cells, lower=np.minimum(need, mutant.value[cells]), upper=need
    )
    for k, cell in enumerate(cells.tolist()):
        if plain_interval(mutant, cell)[1] < mutant.value[cell] + need[k] - 1e-6:
            assert found.failed[k]


def test_smaller_claims_survive_where_the_largest_on_their_group_fails() -> None:
    # x and y move only together; the room above is 3
    rows = csr_array([[-1, 1, 0, 1], [0, 1, -1, 0]])
    value = np.array([9, 6, 6, 3])
    problem = Problem.of(rows, np.array([False, True, True, True]), value=value)
    found = verdict(
        problem, np.array([1, 2]), lower=np.zeros(2), upper=np.array([5.0, 2.0])
    )
    assert found.state[0].tolist() == [2, 1]
    assert found.limit[0, 0] == pytest.approx(3)
    assert found.witness[0, 1] >= 0


def test_nothing_stands_above_a_total_that_is_not_published() -> None:
    rows = csr_array([[-1, 1, 1]])
    problem = Problem.of(rows, np.ones(3, dtype=bool), value=np.array([9, 4, 5]))
    found = intervals(problem, np.arange(3))
    assert np.isinf(found.highest).all()
    assert found.lowest.tolist() == [0, 0, 0]


def test_true_lower_bounds_of_a_negative_table_count() -> None:
    rows = csr_array([[-1, 1, 1]])
    problem = Problem.of(
        rows, np.array([False, True, True]), value=np.array([1, -4, 5]), lower=-10.0
    )
    found = intervals(problem, np.array([1, 2]))
    assert found.lowest.tolist() == [-10, -10]
    assert found.highest.tolist() == [11, 11]


def test_rounded_cells_are_hidden_cells_with_narrow_bounds() -> None:
    rows = csr_array([[-1, 1, 1]])
    shown = np.array([10.0, 5.0, 5.0])
    problem = Problem(
        rows,
        hidden=np.ones(3, dtype=bool),
        published=np.zeros(3, dtype=np.int64),
        lower=np.array([8.0, 3.0, 3.0]),
        upper=shown + 2,
    )
    found = intervals(problem, np.arange(3))
    assert found.lowest.tolist() == [8, 3, 3]
    assert found.highest.tolist() == [12, 7, 7]


def test_a_published_table_that_contradicts_itself_names_the_relation() -> None:
    value = with_totals(np.array([[4, 5], [6, 7]]))
    hidden = np.zeros(9, dtype=bool)
    hidden[[4, 5, 7, 8]] = True
    shown = np.where(hidden, 0, value)
    shown[1] += 1  # a column total that no longer fits the grand total
    problem = Problem(
        margins(2, 2), hidden, shown, lower=np.zeros(9), upper=np.full(9, np.inf)
    )
    with pytest.raises(ContradictionError, match="contradicts itself") as caught:
        intervals(problem, np.array([4]))
    assert len(caught.value.relations)


def test_a_contradiction_among_hidden_cells_is_found() -> None:
    rows = csr_array([[-1, 1, 1]])
    problem = Problem(
        rows,
        hidden=np.array([False, True, True]),
        published=np.array([9, 0, 0]),
        lower=np.zeros(3),
        upper=np.array([9.0, 4.0, 4.0]),
    )
    with pytest.raises(ContradictionError, match="first relation 0"):
        intervals(problem, np.array([1]))


def test_bounds_that_exclude_the_truth_are_refused() -> None:
    rows = csr_array([[-1, 1, 1]])
    with pytest.raises(InputError, match="exclude the true value of 1 hidden"):
        Problem.of(
            rows,
            np.array([False, True, True]),
            value=np.array([9, 4, 5]),
            upper=np.array([9.0, 3.0, 9.0]),
        )


def test_values_of_ten_to_the_thirteen_lose_nothing() -> None:
    inner = np.array([[20, 50, 10], [8, 19, 22], [17, 32, 12]]) * 10**12 + 1
    hidden = np.zeros((4, 4), dtype=bool)
    hidden[2:, [1, 3]] = True
    problem = Problem.of(margins(3, 3), hidden.ravel(), value=with_totals(inner))
    found = intervals(problem, np.array([11]))
    assert found.lowest.tolist() == [5 * 10**12]
    assert found.highest.tolist() == [30 * 10**12 + 2]
    level = np.array([17e12 + 1])
    assert verdict(problem, np.array([11]), lower=level, upper=level / 3).safe
    assert verdict(problem, np.array([11]), lower=level + 1e7, upper=level).failed.all()
