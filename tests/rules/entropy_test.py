# SPDX-License-Identifier: Apache-2.0
"""Entropy of the shares of a cell."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.rules import entropy, evenness

# fmt: off
Y = [-19302, -18599, -1409, -582, -485, -463, -11, -3, -3, 0, 0, 0, 1, 6, 11, 11, 32,
     236, 391, 715, 1356]
# fmt: on


def test_o0_18_entropy_of_absolute_values() -> None:
    assert entropy(Y) == pytest.approx(1.805013, abs=1e-6)
    assert sum(map(bool, Y)) == 18
    assert evenness(Y) == pytest.approx(0.432865, abs=1e-6)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([81, 5, 2, 2, 2], 0.750328),
        ([25, 19, 13, 8, 2], 2.022615),
        ([41, 40, 40, 20, 1], 1.995857),
        ([81, 20, 20, 20, 1], 1.707187),
        ([10000, 8000, 1600, 1500, 1100, 900, 800], 2.112891),
    ],
)
def test_o1_21_entropies(x: list[int], expected: float) -> None:
    assert entropy(x) == pytest.approx(expected, abs=1e-6)


@given(st.lists(st.integers(-100, 100), max_size=12))
def test_entropy_lies_between_none_and_equal_shares(x: list[int]) -> None:
    holders = sum(map(bool, x))
    assert 0 <= entropy(x) <= (math.log2(holders) if holders else 0) + 1e-12
    assert 0 <= evenness(x) <= 1 + 1e-12
    assert entropy([*x, 0]) == entropy(x)
