# SPDX-License-Identifier: Apache-2.0
"""What must hold for every cell, whatever its contributions."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.rules import (
    PQ,
    Dominance,
    LinearRule,
    MinFrequency,
    PPercent,
    Rule,
    SubadditivityWarning,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.table import Table

cells = st.lists(st.integers(0, 1000), min_size=1, max_size=8)
tables = st.lists(st.lists(st.integers(0, 60), max_size=6), min_size=1, max_size=6)
percents = st.integers(1, 99) | st.sampled_from([12.5, 33.3, 0.5 + 66])
concentration = st.one_of(
    percents.map(lambda p: PPercent(p=p)),
    st.tuples(percents, st.integers(2, 3)).map(
        lambda pc: PPercent(p=pc[0], coalition=pc[1])
    ),
    percents.map(lambda p: PQ(p=p, q=100)),
    st.tuples(st.integers(1, 4), percents).map(lambda nk: Dominance(n=nk[0], k=nk[1])),
)
all_rules = concentration | st.integers(1, 6).map(lambda n: MinFrequency(n=n))


@given(concentration, cells, cells)
def test_two_disjoint_cells_add_up_to_no_more(
    rule: Rule, x: list[int], y: list[int]
) -> None:
    parts = rule.sensitivity(x) + rule.sensitivity(y)
    assert rule.sensitivity(x + y) <= parts + 1e-9 * (1 + sum(x) + sum(y))


@given(
    st.lists(st.integers(-20, 20), min_size=2, max_size=5).filter(lambda w: max(w) > 0),
    cells,
    cells,
)
def test_weights_that_fall_are_subadditive(
    weights: list[int], x: list[int], y: list[int]
) -> None:
    rule = LinearRule(weights=sorted(map(float, weights), reverse=True))
    assert rule.sensitivity(x + y) <= rule.sensitivity(x) + rule.sensitivity(y)


def test_weights_that_rise_are_not() -> None:
    with pytest.warns(SubadditivityWarning, match="'weights' increase"):
        rule = LinearRule(weights=[0.1, 1, -1])
    x, y = [10, 2, 2, 1], [10, 2, 2, 1]
    assert not rule.unsafe(x)
    assert not rule.unsafe(y)
    assert rule.unsafe(x + y)


@given(concentration, st.lists(st.integers(0, 1000), min_size=2, max_size=8), st.data())
def test_merging_two_contributions_never_lowers_sensitivity(
    rule: Rule, x: list[int], data: st.DataObject
) -> None:
    i = data.draw(st.integers(0, len(x) - 2))
    merged = [*x[:i], x[i] + x[i + 1], *x[i + 2 :]]
    assert rule.sensitivity(merged) >= rule.sensitivity(x) - 1e-9 * (1 + sum(x))


@given(cells, percents, st.integers(1, 3), st.integers(1, 4))
def test_named_rules_are_their_weights(x: list[int], p: float, c: int, n: int) -> None:
    named = PPercent(p=p, coalition=c)
    weights = LinearRule(weights=[p, *[0] * c, -100])
    assert named.unsafe(x) == weights.unsafe(x)
    assert 100 * named.sensitivity(x) == pytest.approx(weights.sensitivity(x), abs=1e-6)
    dominance = Dominance(n=n, k=p)
    by_weights = LinearRule(weights=[*[100 - p] * n, -p])
    assert dominance.unsafe(x) == by_weights.unsafe(x)
    cox = 100 * dominance.sensitivity(x, scale="cox")
    assert cox == pytest.approx(by_weights.sensitivity(x), abs=1e-6)


@given(cells, st.integers(1, 98), st.data())
def test_p_percent_is_within_pq(x: list[int], p: int, data: st.DataObject) -> None:
    q = data.draw(st.integers(p + 1, 100))
    assert PQ(p=p, q=q).unsafe(x) or not PPercent(p=p).unsafe(x)
    if q == 100:
        assert PQ(p=p, q=q).unsafe(x) == PPercent(p=p).unsafe(x)


@given(cells, st.integers(1, 49))
def test_pq_is_p_percent_at_p_over_q(x: list[int], p: int) -> None:
    assert PQ(p=p, q=50).sensitivity(x) == PPercent(p=2 * p).sensitivity(x)


@given(cells, st.integers(1, 100))
def test_cells_safe_by_two_k_are_safe_by_the_p_that_belongs_to_it(
    x: list[int], p: int
) -> None:
    k = 100 * 100 / (100 + p)
    # k is rounded when it is written as a float; on the border it decides nothing.
    x1, x2, *_ = [*sorted(x, reverse=True), 0]
    border = (x1 + x2) * (100 + p) == 100 * sum(x)
    if not border and not Dominance(n=2, k=k).unsafe(x):
        assert not PPercent(p=p).unsafe(x)


def test_the_converse_does_not_hold() -> None:
    x = [52000, 50000, *[1000] * 8]
    assert Dominance(n=2, k=100 * 100 / 110).unsafe(x)
    assert not PPercent(p=10).unsafe(x)


@given(cells, percents, st.integers(1, 4))
def test_a_larger_coalition_never_lowers_sensitivity(
    x: list[int], p: float, c: int
) -> None:
    smaller = PPercent(p=p, coalition=c).sensitivity(x)
    assert PPercent(p=p, coalition=c + 1).sensitivity(x) >= smaller


@given(cells, percents)
def test_no_pair_is_worse_than_second_about_first(x: list[int], p: float) -> None:
    worst = PPercent(p=p).sensitivity(x)
    share = Fraction(repr(float(p))) / 100
    for i, target in enumerate(x):
        for j, observer in enumerate(x):
            if i != j:
                assert share * target - (sum(x) - target - observer) <= worst + 1e-6


@given(cells, st.integers(1, 4), st.integers(1, 99), st.integers(2, 50))
def test_dominance_does_not_depend_on_the_unit(
    x: list[int], n: int, k: int, unit: int
) -> None:
    rule = Dominance(n=n, k=k)
    assert rule.unsafe(x) == rule.unsafe([unit * v for v in x])


@given(parts=tables, rule=all_rules, closed=st.booleans())
def test_tables_are_judged_as_cells_by_hand(
    table_of: Callable[..., Table],
    parts: list[list[int]],
    rule: Rule,
    *,
    closed: bool,
) -> None:
    rule = rule.model_copy(update={"closed": closed})
    verdict = rule.evaluate(table_of(parts))
    for cell, part in enumerate([[x for p in parts for x in p], *parts]):
        assert bool(verdict.unsafe[cell]) is rule.unsafe(part)
        if not isinstance(rule, MinFrequency):
            level = max(rule.sensitivity(part), 0) if rule.unsafe(part) else 0
            assert verdict.upper[cell] == pytest.approx(level, abs=1e-9)
            assert verdict.lower[cell] == verdict.upper[cell]


@given(parts=tables, rule=concentration, data=st.data())
def test_waivers_are_read_from_evidence(
    table_of: Callable[..., Table],
    parts: list[list[int]],
    rule: PPercent | Dominance,
    data: st.DataObject,
) -> None:
    everything = [[x for p in parts for x in p], *parts]
    marks = [data.draw(st.booleans()) for _ in everything[0]]
    waived, start = [marks], 0
    for part in parts:
        waived.append(marks[start : start + len(part)])
        start += len(part)
    pairs = list(zip(everything, waived, strict=True))
    unwaived = [
        max((x for x, w in zip(part, marks, strict=True) if not w), default=0)
        for part, marks in pairs
    ]
    verdict = rule.evaluate(table_of(parts, unwaived=np.array(unwaived)))
    for cell, (part, agreed) in enumerate(pairs):
        assert bool(verdict.unsafe[cell]) is rule.unsafe(part, waived=agreed)


@given(parts=tables, weights=st.integers(1, 9))
def test_linear_rules_judge_tables_too(
    table_of: Callable[..., Table], parts: list[list[int]], weights: int
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SubadditivityWarning)
        rule = LinearRule(weights=[weights / 10, 0.25, -1])
    verdict = rule.evaluate(table_of(parts))
    for cell, part in enumerate(parts, start=1):
        assert bool(verdict.unsafe[cell]) is rule.unsafe(part)
