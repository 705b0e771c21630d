# SPDX-License-Identifier: Apache-2.0
"""Where a number is safe from every estimate: known sets, and brute force."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.errors import InputError

SEVEN = [10000, 8000, 1600, 1500, 1100, 900, 800]
WITHOUT_MEAN = ("I", "IIIa", "IIIb", "IIIc")
END = math.inf


def nearest(segments: list[tuple[float, float]], value: float) -> set[float]:
    """The safe numbers that are nearest to a value."""
    points = [min(max(value, low), high) for low, high in segments]
    closest = min(abs(point - value) for point in points)
    return {point for point in points if abs(point - value) == closest}


def test_seven_respondents_under_every_attack() -> None:
    found = tacit.m3a_safe_set(SEVEN)
    assert found == [
        (0, 5040), (6930, 6930), (8470, 9450), (12320, 16000), (19200, 19600),
        (23600, 50400), (61600, 63000), (77000, END),
    ]  # fmt: skip
    assert nearest(found, 23900) == {23900}


def test_seven_respondents_without_the_mean() -> None:
    assert tacit.m3a_safe_set(SEVEN, scenarios=WITHOUT_MEAN) == [
        (0, 16000), (19200, 19600), (23600, END),
    ]  # fmt: skip


def test_the_published_hull_needs_a_scenario_out_of_place() -> None:
    hull = tacit.m3a_safe_set(SEVEN, mode="paper", scenarios=WITHOUT_MEAN)
    assert hull == [(0, 16000), (23600, END)]
    printed = tacit.m3a_safe_set(
        SEVEN, mode="paper", scenarios=("I_any", *WITHOUT_MEAN)
    )
    assert printed == [(0, 9000), (23600, END)]
    everything = tacit.m3a_safe_set(SEVEN, mode="paper")
    assert everything == [(0, 5040), (77000, END)]


@pytest.mark.parametrize(
    ("contributions", "released"),
    [
        ([100, 10], {100, 120}),
        ([60, 40], {94, 106}),
        ([50, 50], {90, 110}),
        ([500], {450, 550}),
        ([10, 10, 10, 10], {36, 44}),
        ([81, 5, 2, 2, 2], {94.1}),
        ([40, 30, 20, 10], {108}),
    ],
)
def test_the_released_number_is_the_nearest_safe_one(
    contributions: list[float], released: set[float]
) -> None:
    found = tacit.m3a_safe_set(contributions)
    assert nearest(found, sum(contributions)) == released


def test_two_respondents_have_four_segments_and_a_worse_hull() -> None:
    assert tacit.m3a_safe_set([100, 10]) == [(0, 18), (22, 100), (120, 180), (220, END)]
    assert nearest(tacit.m3a_safe_set([100, 10], mode="paper"), 110) == {18}


def test_a_single_point_can_be_left_out() -> None:
    assert (108, 108) in tacit.m3a_safe_set([40, 30, 20, 10])
    wide = tacit.m3a_safe_set([40, 30, 20, 10], min_gap=0.5)
    assert nearest(wide, 100) == {132}


def test_negative_contributions_need_a_least_distance() -> None:
    found = tacit.m3a_safe_set([50, -45, 3, 2], least=1)
    assert nearest(found, 10) == {16}
    assert not any(low < 16 and high > 0 for low, high in found)
    with pytest.raises(InputError, match="give least=, a least distance"):
        tacit.m3a_safe_set([50, -45, 3, 2])


def test_the_fourth_respondent_finds_the_second() -> None:
    # With the top three attacking the total is safe; the fourth estimates 7466.67.
    assert nearest(tacit.m3a_safe_set(SEVEN, phi=3), 23900) == {23900}
    estimate = Fraction(23900 - 1500, 3)
    assert abs(float(estimate) - 7466.667) < 1e-3
    assert abs(estimate - 8000) / 8000 < Fraction(1, 10)
    assert nearest(tacit.m3a_safe_set(SEVEN, phi=None), 23900) != {23900}


@pytest.mark.parametrize("d", [0, 100, 150, float("nan")])
def test_a_percentage_lies_between_0_and_100(d: float) -> None:
    with pytest.raises(InputError, match="no percentage between 0 and 100"):
        tacit.m3a_safe_set([500], d=d)


def test_an_unknown_scenario_is_named() -> None:
    with pytest.raises(InputError, match=r"no scenario 'IIId'\. Did you mean 'III"):
        tacit.m3a_safe_set([500], scenarios=["IIId"])  # type: ignore[list-item]


def blocked(total: Fraction, x: list[int], share: Fraction, phi: int) -> bool:
    """Whether every estimate of every contributor is off by at least the share."""
    m, y = len(x), [Fraction(one) for one in sorted(x, reverse=True)]
    estimates = [(total, y[0])] if m == 1 else [(total / m, one) for one in y]
    if m >= 2:
        estimates += [(total - y[0], y[1]), (total - y[1], y[0])]
    if m >= 3:
        estimates.append((total - 2 * y[1], sum(y[2:], Fraction(0))))
        for j in range(3, min(phi, m) + 1):
            estimates += [((total - y[j - 1]) / (j - 1), y[i]) for i in range(j - 1)]
    return all(abs(guess - true) >= share * abs(true) for guess, true in estimates)


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=6),
    st.sampled_from([5, 10, 12.5, 40]),
    st.integers(2, 6),
)
def test_exactly_what_no_attack_reaches_is_safe(
    x: list[int], d: float, phi: int
) -> None:
    segments = tacit.m3a_safe_set(x, d=d, phi=phi)
    share = Fraction(str(d)) / 100
    assert segments[-1][1] == END
    ends = [end for pair in segments for end in pair if end != END]
    grid = np.linspace(0, 3 * sum(x), 61).tolist() + ends
    for point in grid:
        inside = any(low <= point <= high for low, high in segments)
        assert inside == blocked(Fraction(str(point)), x, share, phi)
