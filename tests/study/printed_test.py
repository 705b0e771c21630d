# SPDX-License-Identifier: Apache-2.0
"""Printed figures checked by themselves, those of a published comparison among them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.study import cells_behind, changes_possible, total_behind

# The shares of cells that the first table of the paper prints, in percent.
PRINTED = [40.37, 48.62, 49.54, 99.08]


def test_o3_10_the_shares_are_of_109_cells_and_not_of_220() -> None:
    found = cells_behind(PRINTED, most=220)
    assert found == [109, 218]
    assert [round(100 * cells / 109, 2) for cells in (44, 53, 54, 108)] == PRINTED


def test_o3_10_such_changes_cannot_be() -> None:
    """A mean change of 601,567.6, and a deviation of 235 from one to another."""
    for total in (0, 408_494_978 // 100):
        assert not changes_possible(601_567.6, 235.05, change_of_total=total, cells=109)
    assert changes_possible(601_567.6, 1_353_330, change_of_total=0, cells=109)


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=9))
def test_changes_that_are_there_are_possible(changes: list[int]) -> None:
    n, total = len(changes), sum(changes)
    spread = (sum((c - total / n) ** 2 for c in changes) / (n - 1)) ** 0.5
    size = sum(map(abs, changes)) / n
    assert changes_possible(size, spread, change_of_total=total, cells=n)


@given(st.integers(1, 300), st.data())
def test_the_true_number_of_cells_is_found(cells: int, data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, cells), min_size=1, max_size=4))
    shares = [round(100 * count / cells, 2) for count in counts]
    assert cells in cells_behind(shares, most=300)


@given(st.floats(1, 1e6), st.floats(0.5, 100))
def test_the_true_total_lies_between(amount: float, percent: float) -> None:
    total = 100 * amount / percent
    low, high = total_behind(amount, round(percent, 2), decimals=2)
    assert low * (1 - 1e-9) <= total <= high * (1 + 1e-9)


def test_what_bounds_nothing_says_so() -> None:
    with pytest.raises(InputError, match="may stand for 0"):
        total_behind(5, 0.0, decimals=2)
    with pytest.raises(InputError, match="at least one"):
        cells_behind([])
