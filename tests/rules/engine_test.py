# SPDX-License-Identifier: Apache-2.0
"""The engine of precision thresholds and noise against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import RuleError
from tacit.rules import PQ, PPercent, precision_threshold
from tacit.rules._engine import precision_threshold_cells

Respondent = tuple[int, int, int]

respondents = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 20)), max_size=7
)
contributions = st.lists(st.integers(0, 1000), max_size=8)


def by_definition(cell: list[Respondent]) -> float:
    """Let every respondent, and an outsider, look for every other."""
    if not cell:
        return 0.0
    found = []
    for t, (threshold, _, _) in enumerate(cell):
        for s in range(-1, len(cell)):
            if s == t:
                continue
            noise = sum(cell[r][1] for r in range(len(cell)) if r not in (t, s))
            found.append(threshold - (cell[s][2] if s >= 0 else 0) - noise)
    return float(max(found))


@given(st.lists(respondents, max_size=5))
def test_the_fast_form_is_the_definition(cells: list[list[Respondent]]) -> None:
    rows = [r for cell in cells for r in cell]
    columns = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    indptr = np.cumsum([0, *map(len, cells)])
    found = precision_threshold_cells(*columns, indptr=indptr)
    assert found.tolist() == [by_definition(cell) for cell in cells]


@given(contributions, st.integers(1, 100))
def test_p_percent_is_a_special_case(x: list[int], p: int) -> None:
    engine = precision_threshold([p / 100 * v for v in x], x)
    assert engine == pytest.approx(PPercent(p=p).sensitivity(x), abs=1e-9)


@given(contributions, st.integers(1, 49))
def test_pq_is_a_special_case(x: list[int], p: int) -> None:
    # Thresholds p x / 100 and noise q x / 100 are q/100 times the p/q rule.
    engine = precision_threshold([p / 100 * v for v in x], [0.5 * v for v in x])
    expected = 0.5 * PQ(p=p, q=50).sensitivity(x)
    assert engine == pytest.approx(expected, abs=1e-9)


@given(
    st.lists(st.tuples(st.integers(0, 100), st.booleans()), max_size=8),
    st.integers(1, 100),
)
def test_waivers_are_thresholds_of_zero(cell: list[tuple[int, bool]], p: int) -> None:
    x, waived = [v for v, _ in cell], [w for _, w in cell]
    engine = precision_threshold([0 if w else p / 100 * v for v, w in cell], x)
    assert PPercent(p=p).unsafe(x, waived=waived) == (engine > 1e-9)


@given(st.lists(st.integers(1, 100), min_size=1, max_size=6), st.integers(1, 99))
def test_a_weight_is_noise_of_units_that_nobody_sees(x: list[int], p: int) -> None:
    # Anonymous noise (w - 1) x: a respondent without threshold that observes nothing.
    weights = [3] * len(x)
    hidden = sum(2 * v for v in x)
    thresholds, noise = [*(p / 100 * v for v in x), 0], [*x, hidden]
    engine = precision_threshold(thresholds, noise, [*[0] * len(x), hidden])
    rule = PPercent(p=p)
    expected = rule.sensitivity(x, weights=weights, convention="sample")
    # Who has no threshold can be a target too, but never makes the cell unsafe.
    assert max(engine, 0) == pytest.approx(max(expected, 0), abs=1e-9)


def test_columns_must_fit() -> None:
    with pytest.raises(RuleError, match="one value per respondent"):
        precision_threshold([1.0], [1.0, 2.0])
    assert precision_threshold([], []) == 0.0
