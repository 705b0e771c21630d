# SPDX-License-Identifier: Apache-2.0
"""Negative contributions: refused without a policy, judged under one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import RuleError
from tacit.rules import Dispersion, Dominance, LinearRule, PPercent, ShiftWarning

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.table import Table

# fmt: off
Y = [-19302, -18599, -1409, -582, -485, -463, -11, -3, -3, 0, 0, 0, 1, 6, 11, 11, 32,
     236, 391, 715, 1356]
# fmt: on
MIXED = [[50, -45, 3, 2], [10, 9, 8, 7], [-4, -3, -3], [0, 0, 5]]


def everything(parts: list[list[int]]) -> list[list[int]]:
    return [[x for part in parts for x in part], *parts]


@pytest.mark.parametrize("rule", [PPercent(p=10), Dominance(n=2, k=90)])
@pytest.mark.parametrize("part", [[5, -1, 7], [-5, -1, -7], [0, 0, -1]])
def test_without_a_policy_they_are_refused(
    table_of: Callable[..., Table], rule: PPercent, part: list[int]
) -> None:
    with pytest.raises(RuleError, match=r"'absolute'.*'relaxed'.*'dispersion'"):
        rule.sensitivity(part)
    with pytest.raises(RuleError, match=r"'absolute'.*'relaxed'.*'dispersion'"):
        rule.evaluate(table_of([[1, 2, 3], part]))


def test_o0_2_and_o0_3_a_shift_hides_dominance() -> None:
    moved = sorted((y + 19303 for y in Y), reverse=True)
    assert sum(moved) == 367265
    assert moved[0] / sum(moved) == pytest.approx(0.0562509, abs=1e-7)
    assert sum(moved[:2]) / sum(moved) == pytest.approx(0.1107565, abs=1e-7)
    rule = Dominance(n=2, k=11, negatives="shift")
    with pytest.warns(ShiftWarning, match="hides dominance"):
        assert rule.sensitivity(Y) == Dominance(n=2, k=11).sensitivity(moved)


def test_o0_4_shifted_cell_is_safe_for_every_p() -> None:
    moved = sorted((y + 19303 for y in Y), reverse=True)
    assert 100 * sum(moved[2:]) / moved[0] == pytest.approx(1580.851)
    with pytest.warns(ShiftWarning):
        assert not PPercent(p=100, negatives="shift").unsafe(Y)
    above = PPercent(p=1580.9, over_100=True, negatives="shift")
    with pytest.warns(ShiftWarning):
        assert above.unsafe(Y)


def test_o0_5_absolute_values() -> None:
    sizes = sorted(map(abs, Y), reverse=True)
    assert sum(sizes) == 43616
    assert sizes[0] / 43616 == pytest.approx(0.4425440, abs=1e-7)
    assert sum(sizes[:2]) / 43616 == pytest.approx(0.8689701, abs=1e-7)
    for n, k in ((1, 50), (2, 90)):
        assert not Dominance(n=n, k=k, negatives="absolute").unsafe(Y)
    assert Dominance(n=1, k=44, negatives="absolute").unsafe(Y)


def test_o0_6_largest_safe_p() -> None:
    def absolute(p: float) -> PPercent:
        return PPercent(p=p, negatives="absolute")

    assert not absolute(29.5).unsafe(Y)
    assert absolute(29.7).unsafe(Y)
    assert absolute(30).sensitivity(Y) == pytest.approx(75.6)
    assert not absolute(29.608330).unsafe(Y)
    assert absolute(29.608332).unsafe(Y)


def test_o0_17_shares_exactly_at_the_limit() -> None:
    for rule, x in (
        (Dominance(n=1, k=50), [50, 20, 20, 10]),
        (Dominance(n=2, k=90), [50, 40, 5, 5]),
    ):
        assert not rule.unsafe(x)
        assert rule.model_copy(update={"closed": True}).unsafe(x)


def test_oe_9_relaxed_parameters() -> None:
    x = [100, 30, 4, 2]
    relaxed = PPercent(p=10, negatives="relaxed", factor=2)
    assert relaxed.sensitivity(x) == PPercent(p=5).sensitivity(x)
    dominance = Dominance(n=2, k=90, negatives="relaxed", factor=2)
    assert dominance.sensitivity(x) == Dominance(n=2, k=95).sensitivity(x)


def test_relaxing_without_end_is_a_rule_of_frequency() -> None:
    hardly = PPercent(p=10, negatives="relaxed", factor=1e9)
    frequency = PPercent(p=10, negatives="frequency_only")
    for x in ([100, -3], [100, -30, 1], [7], [], [5, 4, 3]):
        assert hardly.unsafe(x) == frequency.unsafe(x) == (0 < len(x) < 3)


def test_a_proxy_protects_a_large_unit_with_a_small_value(
    table_of: Callable[..., Table],
) -> None:
    x, sizes = [0, -40, 30, 20, 10], [10000, 40, 30, 20, 10]
    assert not PPercent(p=10, negatives="absolute").unsafe(x)
    rule = PPercent(p=10, negatives="proxy")
    assert rule.unsafe(x, sizes=sizes)
    assert rule.evaluate(table_of([x], sizes=[sizes])).unsafe.tolist() == [True, True]
    with pytest.raises(RuleError, match="needs sizes="):
        rule.unsafe(x)
    with pytest.raises(RuleError, match="size="):
        rule.evaluate(table_of([x]))
    part = PPercent(p=10, negatives="proxy", factor=0.001)
    assert not part.unsafe(x, sizes=sizes)
    assert part.evaluate(table_of([x], sizes=[sizes])).unsafe.tolist() == [False] * 2


@pytest.mark.parametrize("policy", ["absolute", "relaxed", "frequency_only"])
@pytest.mark.parametrize("name", ["p", "k"])
def test_tables_are_judged_as_cells_by_hand(
    table_of: Callable[..., Table], policy: str, name: str
) -> None:
    fields = {"negatives": policy, "closed": False}
    rule = PPercent(p=10, **fields) if name == "p" else Dominance(n=2, k=85, **fields)
    unsafe = rule.evaluate(table_of(MIXED)).unsafe
    expected = [rule.unsafe(part) for part in everything(MIXED)]
    assert unsafe.tolist() == expected
    assert any(expected)
    assert not all(expected)


def test_shifted_tables_are_judged_as_cells_by_hand(
    table_of: Callable[..., Table],
) -> None:
    rule = Dominance(n=1, k=40, negatives="shift")
    with pytest.warns(ShiftWarning):
        unsafe = rule.evaluate(table_of(MIXED)).unsafe.tolist()
    with pytest.warns(ShiftWarning):
        assert unsafe == [rule.unsafe(part) for part in everything(MIXED)]


parts = st.lists(st.lists(st.integers(-30, 30), max_size=7), min_size=1, max_size=6)


@given(parts)
def test_dispersion_takes_over_where_signs_are_mixed(
    table_of: Callable[..., Table], parts: list[list[int]]
) -> None:
    rule = PPercent(p=10, negatives="dispersion")
    verdict = rule.evaluate(table_of(parts))
    expected = [rule.unsafe(part) for part in everything(parts)]
    assert verdict.unsafe.tolist() == expected


@given(parts)
def test_dispersion_with_a_rule_for_one_sign(
    table_of: Callable[..., Table], parts: list[list[int]]
) -> None:
    rule = Dispersion(one_signed=PPercent(p=10))
    verdict = rule.evaluate(table_of(parts))
    assert verdict.unsafe.tolist() == [rule.unsafe(p) for p in everything(parts)]
    alone = Dispersion()
    verdict = alone.evaluate(table_of(parts))
    assert verdict.unsafe.tolist() == [alone.unsafe(p) for p in everything(parts)]


def test_weights_cannot_be_relaxed() -> None:
    with pytest.raises(RuleError, match="relax them"):
        LinearRule(weights=[1, -1], negatives="relaxed")


def test_weighted_totals_may_be_rounded(table_of: Callable[..., Table]) -> None:
    table = table_of([[3, 2]])
    assert table.evidence is not None
    rounded = np.array([5.4, 5.4])
    evidence = type(table.evidence)(
        contributors=np.array([2, 2]),
        total=rounded,
        largest=np.array([[3.0, 2.0], [3.0, 2.0]]),
    )
    weighted = type(table)(table.dimensions, table.cells, evidence=evidence)
    assert PPercent(p=10).evaluate(weighted).unsafe.tolist() == [False, False]
