# SPDX-License-Identifier: Apache-2.0
"""Signs of linear forms are exact where the evidence is whole."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.rules import Dominance, PPercent
from tacit.rules._exact import linear_form, percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.table import Table

amounts = st.integers(-(2**62), 2**62) | st.integers(-5, 5)
factors = st.fractions(-50, 50, max_denominator=10**6) | st.floats(-3, 3).map(
    lambda x: Fraction(repr(round(x, 9)))
)


@given(
    st.lists(st.tuples(amounts, amounts, amounts), min_size=1, max_size=8),
    st.tuples(factors, factors, factors),
)
def test_signs_are_those_of_rational_arithmetic(
    rows: list[tuple[int, int, int]], coefficients: tuple[Fraction, ...]
) -> None:
    columns = np.array(rows, dtype=np.int64).T
    _, signs = linear_form(list(columns), coefficients, columns[0])
    exact = [sum(c * x for c, x in zip(coefficients, r, strict=True)) for r in rows]
    assert signs.tolist() == [(s > 0) - (s < 0) for s in exact]


@pytest.mark.parametrize("p", [10, 12.5, 33.3, 7.000000001, 100 / 3])
@pytest.mark.parametrize("unit", [1, 10**3, 10**9, 10**14])
def test_one_unit_either_side_of_equality(
    table_of: Callable[..., Table], p: float, unit: int
) -> None:
    share = percent(p)
    first = 100 * share.denominator * max(1, unit // share.denominator)
    if first > 10**17:
        first = share.denominator
    rest = int(share * first)
    half = rest // 2
    parts = [[first, rest, rest - half, half + off] for off in (-1, 0, 1)]
    verdict = PPercent(p=p).evaluate(table_of(parts))
    assert verdict.unsafe.tolist()[1:] == [True, False, False]
    closed = PPercent(p=p, closed=True).evaluate(table_of(parts))
    assert closed.unsafe.tolist()[1:] == [True, True, False]
    assert verdict.upper[1] > 0


@given(
    st.lists(st.tuples(st.integers(0, 2**62 // 3), st.integers(-2, 2)), min_size=1),
    st.integers(2**40, 2**57),
)
def test_large_coefficients_near_equality(
    rows: list[tuple[int, int]], denominator: int
) -> None:
    # 3 a - b - c with all coefficients close to one another, and c = 3 a - b + off.
    share = Fraction(2**57 + 1, denominator)
    first = np.array([a for a, _ in rows], dtype=np.int64)
    third = np.array([a + off for a, off in rows], dtype=np.int64)
    factors = [2 * share, -share, -share]
    signs = linear_form([first, first, third], factors, first)[1]
    assert signs.tolist() == [(off < 0) - (off > 0) for _, off in rows]


def test_float_evidence_has_a_tolerance() -> None:
    x = np.array([0.1 + 0.2, 0.3 + 1e-8])
    total = np.array([1.0, 1.0])
    signs = linear_form([x, total], [Fraction(10), Fraction(-3)], total)[1]
    assert signs.tolist() == [0, 1]


def test_a_million_cells_on_equality_are_exact() -> None:
    first = np.arange(1, 10**6 + 1, dtype=np.int64) * 10**11
    rest = first // 8
    pairs = [percent(12.5), Fraction(-1)]
    assert not linear_form([first, rest], pairs, first)[1].any()
    assert (linear_form([first, rest - 1], pairs, first)[1] == 1).all()


def test_parameters_are_read_as_they_are_written(
    table_of: Callable[..., Table],
) -> None:
    # 0.555 as a binary fraction is a little above 0.555.
    table = table_of([[555, 445], [1110, 445, 445]])
    unsafe = Dominance(n=1, k=55.5).evaluate(table).unsafe
    assert unsafe.tolist() == [False, False, False]
