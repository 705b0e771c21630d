# SPDX-License-Identifier: Apache-2.0
"""Intervals of counts equal enumeration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from small_tables import enumerated, problems
from tacit.audit import Problem, intervals
from tacit.errors import LimitError


@settings(max_examples=60, deadline=None)
@given(problems(most=2, integral=True), st.booleans())
def test_equal_enumeration(problem: Problem, known: bool) -> None:  # noqa: FBT001
    hidden = np.flatnonzero(problem.hidden)
    assume(0 < len(hidden) <= 7)
    problem = replace(
        problem,
        lower=np.maximum(0.0, problem.value - 2.0),
        upper=problem.value + 2.0,
        value=problem.value if known else None,
    )
    found = intervals(problem, hidden)
    assert found.complete.all()
    for k, cell in enumerate(hidden.tolist()):
        assert (found.lowest[k], found.highest[k]) == enumerated(problem, cell)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_equal_enumeration_of_any_integer_system(data: st.DataObject) -> None:
    """Coefficients beyond 1 make linear programs end in fractions."""
    cells, rows = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 2))
    numbers = st.lists(st.integers(-3, 3), min_size=cells, max_size=cells)
    matrix = np.array(data.draw(st.lists(numbers, min_size=rows, max_size=rows)))
    values = st.lists(st.integers(0, 4), min_size=cells, max_size=cells)
    value = np.array(data.draw(values))
    total = matrix @ value
    problem = Problem.of(
        csr_array(np.hstack([matrix, -np.eye(rows, dtype=int)])),
        np.array([True] * cells + [False] * rows),
        value=np.concatenate([value, total]),
        upper=np.array([5.0] * cells + [np.inf] * rows),
        integral=True,
    )
    found = intervals(problem, np.arange(cells))
    assert found.complete.all()
    for cell in range(cells):
        assert (found.lowest[cell], found.highest[cell]) == enumerated(problem, cell)


def test_two_equal_counts_of_at_least_one() -> None:
    """15 = 10 + 3 + x + x with x at least 1."""
    rows = csr_array([[-1, 1, 1, 1, 1], [0, 0, 0, 1, -1]])
    problem = Problem(
        rows,
        hidden=np.array([False, False, False, True, True]),
        published=np.array([15, 10, 3, 0, 0]),
        lower=np.ones(5),
        upper=np.full(5, np.inf),
        integral=True,
    )
    found = intervals(problem, np.array([3, 4]))
    assert found.lowest.tolist() == [1, 1]
    assert found.highest.tolist() == [1, 1]


def test_whole_numbers_tighten_what_fractions_leave_open() -> None:
    """7 = 2x + 3y: fractions reach x = 3.5, whole numbers only x = 2 and y = 1."""
    problem = Problem(
        csr_array([[2, 3, -1]]),
        hidden=np.array([True, True, False]),
        published=np.array([0, 0, 7]),
        lower=np.zeros(3),
        upper=np.full(3, np.inf),
    )
    assert intervals(problem, np.array([0])).highest.tolist() == [3.5]
    whole = intervals(replace(problem, integral=True), np.array([0, 1]))
    assert whole.lowest.tolist() == whole.highest.tolist() == [2, 1]


def test_no_table_of_whole_numbers_is_an_error() -> None:
    problem = Problem(
        csr_array([[2, 2, -1]]),
        hidden=np.array([True, True, False]),
        published=np.array([0, 0, 7]),
        lower=np.zeros(3),
        upper=np.full(3, 9.0),
        integral=True,
    )
    with pytest.raises(LimitError, match="whole numbers"):
        intervals(problem, np.array([0]))
