# SPDX-License-Identifier: Apache-2.0
"""Exact disclosure is what elimination in fractions finds, no more and no less."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from small_tables import margins, problems, rational_rank_test, with_totals
from tacit.audit import Problem, exact_disclosure


@given(problems())
def test_equals_rational_elimination(problem: Problem) -> None:
    found = exact_disclosure(problem)
    assert found.tolist() == rational_rank_test(problem).tolist()


@settings(max_examples=150)
@given(st.data())
def test_equals_rational_elimination_of_any_integer_system(data: st.DataObject) -> None:
    rows, cells = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 8))
    numbers = st.lists(st.integers(-3, 3), min_size=cells, max_size=cells)
    matrix = data.draw(st.lists(numbers, min_size=rows, max_size=rows))
    mask = data.draw(st.lists(st.booleans(), min_size=cells, max_size=cells))
    problem = Problem(
        csr_array(np.array(matrix)),
        hidden=np.array(mask),
        published=np.zeros(cells, dtype=np.int64),
        lower=np.zeros(cells),
        upper=np.full(cells, np.inf),
    )
    found = exact_disclosure(problem)
    assert found.tolist() == rational_rank_test(problem).tolist()


def test_nothing_hidden_discloses_nothing() -> None:
    value = with_totals(np.arange(6).reshape(2, 3))
    hidden = np.zeros(len(value), dtype=bool)
    assert not exact_disclosure(Problem.of(margins(2, 3), hidden, value=value)).any()


def test_a_table_without_relations_discloses_nothing() -> None:
    none = csr_array((0, 3), dtype=np.int64)
    hidden = np.array([True, True, False])
    problem = Problem.of(none, hidden, value=np.array([1, 2, 3]))
    assert not exact_disclosure(problem).any()


def test_a_hidden_subtotal_with_one_hidden_part_is_seen_through() -> None:
    # total = a + b, a = c + d: a and c are hidden, and each gives the other away
    rows = csr_array([[-1, 1, 1, 0, 0], [0, -1, 0, 1, 1]])
    hidden = np.array([False, True, False, True, False])
    problem = Problem.of(rows, hidden, value=np.array([9, 5, 4, 2, 3]))
    assert exact_disclosure(problem).tolist() == [False, True, False, True, False]
