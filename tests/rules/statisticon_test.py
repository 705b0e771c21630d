# SPDX-License-Identifier: Apache-2.0
"""The Statisticon rule, its intervals, and all pairs against linear programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from tacit.errors import RuleError
from tacit.rules import PPercent, ShiftWarning, Statisticon, statisticon_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tacit.table import Table


def width(x: Sequence[float], *, all_pairs: bool = False) -> float:
    low, high = statisticon_interval(x, all_pairs=all_pairs)
    return high - low


def lp_interval(x: list[int], target: int, known: int) -> tuple[float, float]:
    """Bound one rank from another by two linear programs: the definition itself."""
    n = len(x)
    order = np.zeros((n - 1, n))
    for row in range(n - 1):
        order[row, row], order[row, row + 1] = -1, 1
    equal = np.array([np.ones(n), np.eye(n)[known]])
    ends = []
    for sign in (1, -1):
        found = linprog(
            sign * np.eye(n)[target],
            A_ub=order,
            b_ub=np.zeros(n - 1),
            A_eq=equal,
            b_eq=[sum(x), x[known]],
        )
        assert found.status == 0
        ends.append(sign * found.fun)
    return ends[0], ends[1]


def lp_width(x: list[int]) -> float:
    pairs = ((i, j) for i in range(len(x)) for j in range(len(x)) if i != j)
    return min(high - low for low, high in (lp_interval(x, *pair) for pair in pairs))


@pytest.mark.parametrize(
    ("x", "onset"), [([59, 40, 1], 1.694915), ([41, 40, 19], 46.341463)]
)
def test_o4_1_p_percent_tells_apart_what_intervals_do_not(
    x: list[int], onset: float
) -> None:
    assert width(x) == 20
    assert Statisticon(s=25).unsafe(x)
    assert not Statisticon(s=15).unsafe(x)
    assert not PPercent(p=onset - 1e-5).unsafe(x)
    assert PPercent(p=onset + 1e-5).unsafe(x)


def test_o4_2_width_of_24_percent() -> None:
    x = (0.45, 0.38, 0.12, 0.05)
    assert width(x) == pytest.approx(0.24)
    assert Statisticon(s=27).unsafe(x)


def test_o4_3_lower_bound_is_not_the_second_largest() -> None:
    x = (0.69, 0.23, 0.06, 0.02)
    assert statisticon_interval(x) == pytest.approx((0.31, 0.77))
    assert width(x) == pytest.approx(0.46)
    assert not Statisticon(s=27).unsafe(x)


def test_o4_5_all_pairs() -> None:
    assert width([34, 33, 33]) == 33
    assert statisticon_interval([34, 33, 33], all_pairs=True) == (33.5, 34)
    assert statisticon_interval([41, 40, 19], all_pairs=True) == (29.5, 41)
    assert width([70, 16, 14]) == 16
    assert statisticon_interval([70, 16, 14], all_pairs=True) == (15, 30)


THESIS = [
    ((0.09, 2.49, 0.07, 0.69), 6.43, 41.32),
    ((4.49, 0.04, 1.24, 0.74), 17.37, 38.10),
    ((1.70, 2.94, 0.17, 0.32), 16.67, 33.72),
    ((1.59, 0.28, 0.06, 4.15), 8.19, 47.70),
    ((0, 0.82, 1.73, 0.07), 4.05, 37.40),
    ((0.15, 1.31, 1.78, 0.24), 21.91, 24.71),
    ((1.73, 0.22, 1.93, 0.60), 42.49, 22.77),
    ((1.31, 1.08, 0.07, 0.24), 23.66, 20.00),
    ((0.67, 0.11, 1.56, 1.76), 44.32, 23.90),
    ((0.80, 0.03, 1.41, 1.59), 52.20, 26.37),
]


@pytest.mark.parametrize(("x", "ratio", "interval"), THESIS)
def test_o4_14_and_o4_15_where_two_rules_disagree(
    x: tuple[float, ...], ratio: float, interval: float
) -> None:
    ranked = sorted(x, reverse=True)
    assert 100 * sum(ranked[2:]) / ranked[0] == pytest.approx(ratio, abs=0.005)
    assert 100 * width(x) / sum(x) == pytest.approx(interval, abs=0.005)
    assert PPercent(p=18).unsafe(x) is (ratio < 18)
    assert Statisticon(s=27).unsafe(x) is (interval < 27)


def test_one_and_two_contributors_have_no_interval() -> None:
    assert statisticon_interval([7]) == (7, 7)
    assert statisticon_interval([7, 2], all_pairs=True) == (7, 7)
    assert Statisticon(s=1).unsafe([7, 2])
    assert not Statisticon(s=1).unsafe([])
    assert not Statisticon(s=1).unsafe([0, 0, 0])


def test_no_cell_of_four_is_safe_above_half() -> None:
    assert not Statisticon(s=50).unsafe([1, 1, 1, 1])
    assert Statisticon(s=50.1).unsafe([1, 1, 1, 1])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=3, max_size=6))
def test_all_pairs_equal_the_linear_programs(values: list[int]) -> None:
    x = sorted(values, reverse=True)
    assert width(x, all_pairs=True) == pytest.approx(lp_width(x), abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=3, max_size=6))
def test_closed_form_is_the_linear_program_of_the_second_about_the_first(
    values: list[int],
) -> None:
    x = sorted(values, reverse=True)
    assert statisticon_interval(x) == pytest.approx(lp_interval(x, 0, 1), abs=1e-6)
    n, total = len(x), sum(x)
    assert width(x) == min((n - 2) * x[1], total - 2 * x[1])
    assert width(x) <= total * (n - 2) / n + 1e-9


@settings(max_examples=60, deadline=None)
@given(
    parts=st.lists(st.lists(st.integers(0, 50), max_size=7), min_size=1, max_size=6),
    s=st.integers(1, 60),
    all_pairs=st.booleans(),
)
def test_tables_are_judged_as_cells_by_hand(
    table_of: Callable[..., Table], parts: list[list[int]], s: int, *, all_pairs: bool
) -> None:
    rule = Statisticon(s=s, all_pairs=all_pairs)
    verdict = rule.evaluate(table_of(parts))
    for cell, part in enumerate([[x for p in parts for x in p], *parts]):
        assert bool(verdict.unsafe[cell]) is rule.unsafe(part)
        level = max(rule.sensitivity(part), 0) if rule.unsafe(part) else 0
        assert verdict.upper[cell] == pytest.approx(level, abs=1e-6)


def test_equality_is_decided_exactly(table_of: Callable[..., Table]) -> None:
    # (n - 2) x2 = 20 of 100; with 1e15 the product leaves 64 bits if not cut.
    big = 10**14
    table = table_of([[59 * big, 40 * big, big], [59 * big + 1, 40 * big, big - 1]])
    assert Statisticon(s=20).evaluate(table).unsafe.tolist()[1:] == [False, False]
    closed = Statisticon(s=20, closed=True).evaluate(table)
    assert closed.unsafe.tolist()[1:] == [True, True]
    above = table_of([[59 * big, 40 * big + 1, big - 1]])
    assert Statisticon(s=20).evaluate(above).unsafe.tolist()[1:] == [True]


def test_negative_contributions_need_a_policy(table_of: Callable[..., Table]) -> None:
    with pytest.raises(RuleError, match="Choose a policy"):
        Statisticon(s=10).evaluate(table_of([[5, -1, 3]]))
    judged = Statisticon(s=10, negatives="absolute").evaluate(table_of([[5, -1, 3]]))
    assert judged.unsafe[1] == Statisticon(s=10).unsafe([5, 1, 3])
    with pytest.raises(RuleError, match="Intervals need contributions"):
        statisticon_interval([5, -1])
    with pytest.warns(ShiftWarning):
        Statisticon(s=10, negatives="shift").evaluate(table_of([[5, -1, 3]]))
