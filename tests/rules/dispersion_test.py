# SPDX-License-Identifier: Apache-2.0
"""Dispersion measures for contributions of both signs."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import RuleError
from tacit.rules import Dispersion, quantile_ratio, t_ratio, variance_ratio

# fmt: off
Y = [-19302, -18599, -1409, -582, -485, -463, -11, -3, -3, 0, 0, 0, 1, 6, 11, 11, 32,
     236, 391, 715, 1356]
# fmt: on
values = st.lists(st.integers(-100, 100), min_size=1, max_size=9)


def test_o0_1_t_ratio() -> None:
    positive = sum(y for y in Y if y > 0)
    negative = sum(y for y in Y if y < 0)
    assert (len(Y), sum(Y), positive, negative) == (21, -38098, 2759, -40857)
    assert t_ratio(Y) == pytest.approx(0.0675282, abs=1e-7)


def test_o0_7_median_and_mean() -> None:
    assert float(np.median(Y)) == 0
    assert float(np.mean(Y)) == pytest.approx(-1814.190476)


@pytest.mark.parametrize(
    ("h", "variance", "quantile"),
    [
        (1, 0.5363462, 0.4852790),
        (2, 0.0090482, 0.0073686),
        (3, 0.0058701, 0.0046258),
    ],
)
def test_o0_8_and_o0_9_ratios(h: int, variance: float, quantile: float) -> None:
    assert variance_ratio(Y, h) == pytest.approx(variance, abs=5e-8)
    assert quantile_ratio(Y, h) == pytest.approx(quantile, abs=5e-8)


def test_o0_10_two_extremes_make_it_unsafe_one_does_not() -> None:
    assert not Dispersion(h=1).unsafe(Y)
    assert Dispersion(h=2).unsafe(Y)
    report = Dispersion(h=2).report(Y)
    assert [ratio <= 0.05 for ratio in report.variance] == [False, True]
    assert [ratio <= 0.05 for ratio in report.quantile] == [False, True]


@pytest.mark.parametrize(
    ("n", "m", "expected"), [(3, 2, 1.5), (4, 2, 1.0), (4, 3, 4 / 3), (7, 5, 1.12)]
)
def test_o0_12_many_extremes_raise_the_ratio(n: int, m: int, expected: float) -> None:
    x = [1] * m + [0] * (n - m)
    assert variance_ratio(x, 1) == pytest.approx(expected)
    assert n * (m - 1) / (m * (n - 2)) == pytest.approx(expected)
    assert Dispersion(h=1).report(x).above_1 is (expected > 1)


def test_o0_13_one_that_hardly_differs_is_no_outlier() -> None:
    x = [5, 5, 5, 5.01]
    assert variance_ratio(x, 1) == 0
    assert quantile_ratio(x, 1) == 0
    report = Dispersion(h=1).report(x)
    assert report.degenerate
    assert not report.unsafe
    assert Dispersion(h=1).unsafe([5, 5, 5, 500])
    assert variance_ratio([5, 5, 5, 4], 1) == pytest.approx(4 / 3)


def test_o0_14_extremes_keep_their_sign() -> None:
    x = [-10, -6, -5, -5, -4]
    assert quantile_ratio(x, 1) == pytest.approx(2 / 27)
    squares = sum((y + 5) ** 2 for y in x)
    assert 1 - (10 + 5) ** 2 / squares == pytest.approx(-22 / 3)


@pytest.mark.parametrize("x", list(permutations([100, -100, 1, 2, 3]))[::17])
def test_o0_15_ties_take_the_smallest_ratio(x: list[int]) -> None:
    assert variance_ratio(x, 1) == pytest.approx(0.4801701, abs=5e-8)
    assert quantile_ratio(x, 1) == pytest.approx(0.4800600, abs=5e-8)


def test_decision_rule() -> None:
    from tacit.rules import PPercent  # noqa: PLC0415

    rule = Dispersion(one_signed=PPercent(p=10))
    # One sign: the other rule decides, on absolute values.
    assert rule.unsafe([-100, -1, -2]) is PPercent(p=10).unsafe([100, 1, 2])
    assert not rule.unsafe([-100, -90, -80, -70])
    # Mixed signs: the ratios decide.
    assert rule.unsafe([1000, -900, 1, 2, -1, 0])
    assert not rule.unsafe([9, -8, 7, -6, 5, -4])


def test_too_few_to_tell_is_unsafe() -> None:
    for x in ([5], [5, 5], [5, -3], [5, -3, 1]):
        assert Dispersion(h=2).unsafe(x)
    assert not Dispersion(h=2).unsafe([])
    assert not Dispersion(h=2).unsafe([0, 0])
    # All equal: nothing stands out.
    assert math.isnan(variance_ratio([5, 5, 5, 5], 1))
    assert not Dispersion(h=2).unsafe([5, 5, 5, 5])


@given(values)
def test_t_ratio_is_a_share_that_signs_and_units_do_not_change(x: list[int]) -> None:
    ratio = t_ratio(x)
    assert 0 <= ratio <= 1
    assert t_ratio([-y for y in x]) == ratio
    assert t_ratio([7 * y for y in x]) == ratio


@given(values, st.integers(1, 4))
def test_quantile_ratio_is_between_0_and_1(x: list[int], h: int) -> None:
    ratio = quantile_ratio(x, h)
    assert math.isnan(ratio) == (len(set(x)) == 1)
    assert math.isnan(ratio) or 0 <= ratio <= 1


@given(values, st.integers(1, 3))
def test_ratios_do_not_depend_on_the_unit(x: list[int], h: int) -> None:
    scaled = [-3 * y for y in x]
    for ratio in (variance_ratio, quantile_ratio):
        same = pytest.approx(ratio(x, h), abs=1e-9, nan_ok=True)
        assert ratio(scaled, h) == same


@given(st.lists(st.sampled_from([-9, -3, 0, 1, 3, 9]), min_size=4, max_size=7))
def test_ties_are_broken_for_the_smallest_ratio(x: list[int]) -> None:
    if len(set(x)) == 1:
        return
    y = np.array(x, dtype=float)
    found = []
    for order in permutations(range(len(x)), 2):
        gone, rest = list(order), [i for i in range(len(x)) if i not in order]
        if min(abs(y[gone])) >= max(abs(y[rest])):
            found.append(y[rest].var(ddof=1) / y.var(ddof=1))
    assert variance_ratio(x, 2) == pytest.approx(min(found), abs=1e-9)


def test_h_must_be_positive() -> None:
    with pytest.raises(RuleError, match="at least 1"):
        variance_ratio([1, 2, 3], 0)
