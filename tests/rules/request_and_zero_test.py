# SPDX-License-Identifier: Apache-2.0
"""Requests for protection, and cells with nothing in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tacit.errors import RuleError
from tacit.rules import RequestRule, ZeroRule

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.table import Table


@pytest.mark.parametrize(
    ("x", "requests", "unsafe"),
    [
        ([75, 25], [1, 0], True),
        ([75, 25], [2, 0], False),
        ([90, 10], [2, 0], True),
        ([75, 25], [0, 1], False),
        ([75, 25], [0, 0], False),
        ([70, 30], [1, 0], False),
    ],
)
def test_shares_above_the_limit_of_the_flag(
    x: list[int], requests: list[int], *, unsafe: bool
) -> None:
    rule = RequestRule(percent_1=70, percent_2=85)
    assert rule.unsafe(x, requests=requests) is unsafe


def test_one_limit_counts_for_both_flags() -> None:
    assert RequestRule(percent_1=70).unsafe([75, 25], requests=[2, 0])
    assert RequestRule(percent_1=70, closed=True).unsafe([70, 30], requests=[1, 0])


def test_a_request_in_a_small_cell() -> None:
    rule = RequestRule(percent_1=70, min_frequency=3)
    assert rule.unsafe([40, 60], requests=[1, 0])
    assert not rule.unsafe([40, 30, 30], requests=[1, 0, 0])
    assert not rule.unsafe([60, 40], requests=[0, 0])


def test_tables_are_judged_by_their_requests(table_of: Callable[..., Table]) -> None:
    requested = np.array([[75, 0], [75, 0], [0, 75], [0, 3], [0, 0]])
    table = table_of([[75, 25], [75, 25], [3, 4], []], requested=requested)
    rule = RequestRule(percent_1=70, percent_2=85, min_frequency=2, margin=10)
    verdict = rule.evaluate(table)
    assert verdict.unsafe.tolist() == [False, True, False, False, False]
    assert verdict.upper.tolist() == [0, 10, 0, 0, 0]
    small = RequestRule(percent_1=70, percent_2=85, min_frequency=3)
    assert small.evaluate(table).unsafe.tolist() == [False, True, True, True, False]


def test_requests_must_be_known(table_of: Callable[..., Table]) -> None:
    with pytest.raises(RuleError, match="request="):
        RequestRule(percent_1=70).evaluate(table_of([[1]]))
    with pytest.raises(RuleError, match="one entry for each"):
        RequestRule(percent_1=70).unsafe([1, 2])
    with pytest.raises(RuleError, match="'absolute'"):
        RequestRule(percent_1=70).unsafe([1, -2], requests=[0, 1])


def test_cells_of_zeros(table_of: Callable[..., Table]) -> None:
    table = table_of([[0, 0], [0, 1], [], [2, -2]], decimals=2)
    verdict = ZeroRule(range=10).evaluate(table)
    assert verdict.unsafe.tolist() == [False, True, False, False, False]
    assert verdict.upper.tolist() == [0, 1000, 0, 0, 0]
    assert verdict.lower.tolist() == [0] * 5
    assert ZeroRule(range=10).sensitivity([0, 0]) == 10
    assert ZeroRule(range=10).sensitivity([0, 1]) == 0
