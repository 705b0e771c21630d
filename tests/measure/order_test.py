# SPDX-License-Identifier: Apache-2.0
"""Which release is preferred, and which ones nothing beats."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit.measure._order import ladder, layers, preferred

NUMBERS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=9
)


@given(NUMBERS)
def test_preferred_is_no_worse_in_both_and_better_in_one(
    points: list[tuple[int, int]],
) -> None:
    risk, loss = zip(*points, strict=True)
    order = preferred(risk, loss)
    for i, (r1, l1) in enumerate(points):
        for j, (r2, l2) in enumerate(points):
            expected = r1 <= r2 and l1 <= l2 and (r1 < r2 or l1 < l2)
            assert order[i, j] == expected


@given(NUMBERS, st.floats(0, 0.5))
def test_preference_never_runs_in_a_circle(
    points: list[tuple[int, int]], tolerance: float
) -> None:
    risk, loss = zip(*points, strict=True)
    order = preferred(risk, loss, tolerance=tolerance).astype(np.int64)
    reach = order.copy()
    for _ in points:
        reach = np.minimum(1, reach + reach @ order)
    assert not np.diag(reach).any()


@given(NUMBERS)
def test_the_first_layer_is_what_nothing_beats(points: list[tuple[int, int]]) -> None:
    risk, loss = zip(*points, strict=True)
    order = preferred(risk, loss)
    layer = layers(order)
    assert np.array_equal(layer == 1, ~order.any(axis=0))
    for j in np.flatnonzero(layer > 1):
        assert (layer[order[:, j]] == layer[j] - 1).any()


def test_within_the_tolerance_values_are_equal() -> None:
    # In the literature differences below a tenth of a percent decide nothing.
    assert not preferred([1.0, 1.0005], [2.0, 2.0], tolerance=0.001).any()
    assert preferred([1.0, 1.002], [2.0, 2.0], tolerance=0.001)[0, 1]


def test_the_printed_direction_is_turned_to_the_sentence() -> None:
    # More risk for the same loss is never preferred, as a printed formula has it.
    assert preferred([2.0, 1.0], [3.0, 3.0]).tolist() == [[False, False], [True, False]]


def test_what_is_not_defined_is_preferred_to_nothing() -> None:
    order = preferred([math.nan, 1.0, 2.0], [0.0, 1.0, 2.0])
    assert order.tolist() == [[False] * 3, [False, False, True], [False] * 3]


def test_endless_risks_are_alike() -> None:
    assert ladder([math.inf, math.inf, 5.0], 0.1).tolist() == [1, 1, 0]
