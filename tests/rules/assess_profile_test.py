# SPDX-License-Identifier: Apache-2.0
"""Where the conventions of other tools differ from ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit import Hierarchy, Profile, assess
from tacit.rules import (
    PQ,
    AllOf,
    Dominance,
    MinFrequency,
    PPercent,
    Rule,
    ZeroRule,
    profiles,
)
from tacit.table import Cells, Dimension, Evidence, State, Table


def one_cell(
    *contributions: int, decimals: int = 0, state: State = State.SAFE
) -> Table:
    """Make a table of two like cells and their sum; what is asked is about cell 1."""
    ordered = sorted(map(abs, contributions), reverse=True)
    once = sum(contributions)
    value = np.array([2 * once, once, once])
    states = np.array([State.SAFE, state, State.SAFE], dtype=np.uint8)
    cells = Cells(np.arange(3, dtype=np.int32)[None, :], value, decimals, states)
    top = np.array([[*ordered, 0, 0, 0][:3]] * 3)
    top[0] = np.repeat([*ordered, 0, 0, 0], 2)[:3]
    count = np.array([2 * len(ordered), len(ordered), len(ordered)])
    total = np.array([2, 1, 1]) * sum(ordered)
    evidence = Evidence(count, total, top)
    region = Dimension.of("region", Hierarchy.flat(["a", "b"], total="all"))
    return Table((region,), cells, evidence=evidence)


def upper(table: Table, rule: Rule | None, profile: str, **more: Any) -> float:
    return float(assess(table, rule, profile=profile, **more).upl[1])


EQUAL: dict[str, tuple[tuple[int, ...], Rule, set[str]]] = {
    "dominance at k": ((80, 10, 10), Dominance(n=1, k=80), {"gauss"}),
    "p% at p": ((100, 50, 10), PPercent(p=10), set()),
    "p/q at p/q": ((100, 50, 20), PQ(p=10, q=50), set()),
    "as many as n": ((9, 8, 7), MinFrequency(n=3), {"gauss", "sdctable"}),
    "above k": ((81, 10, 9), Dominance(n=1, k=80), {*profiles()}),
    "fewer than n": ((9, 8), MinFrequency(n=3), {*profiles()}),
}


@pytest.mark.parametrize("case", EQUAL)
def test_equality(case: str) -> None:
    contributions, rule, unsafe = EQUAL[case]
    table = one_cell(*contributions)
    # The printed formula of dominance is milder; it is tested below.
    names = [name for name in profiles() if name != "kim_table3"]
    found = {name for name in names if assess(table, rule, profile=name).sensitive[1]}
    assert found == unsafe - {"kim_table3"}


def test_a_profile_reaches_rules_inside_of_sets() -> None:
    table = one_cell(80, 10, 10)
    rule = AllOf(rules=(MinFrequency(n=3), Dominance(n=1, k=80) | PPercent(p=1)))
    assert not assess(table, rule).sensitive[1]
    assert assess(table, rule, profile="gauss").sensitive[1]


def test_a_rule_is_not_changed_by_a_profile() -> None:
    rule = Dominance(n=1, k=80)
    assess(one_cell(80, 10, 10), rule, profile="gauss")
    assert not rule.closed


def test_gauss_takes_absolute_values() -> None:
    table = one_cell(-90, -5, -5)
    assert assess(table, Dominance(n=1, k=80), profile="gauss").sensitive[1]


def test_the_first_group_that_fires_gives_the_level() -> None:
    """p% asks for 1, the threshold for 30 % of 22: the level here is p%'s."""
    table = one_cell(20, 2)
    rule = MinFrequency(n=3, margin=30) | PPercent(p=5)
    assert upper(table, rule, "tacit") == pytest.approx(6.6)
    assert upper(table, rule, "tauargus") == pytest.approx(1)
    assert upper(table, MinFrequency(n=3, margin=30), "tauargus") == pytest.approx(6.6)


def test_the_largest_level_of_a_group_counts() -> None:
    table = one_cell(81, 5, 2, 2, 2)
    rule = PPercent(p=10) | Dominance(n=2, k=85)
    assert upper(table, rule, "tauargus") == pytest.approx(9.176471)


def test_every_rule_that_fires_is_a_reason_also_behind_the_first() -> None:
    rule = MinFrequency(n=3, margin=30) | PPercent(p=5)
    found = assess(one_cell(20, 2), rule, profile="tauargus")
    assert found.reasons_of(1) == ("min_frequency", "p_percent")


def test_levels_are_never_below_one_unit() -> None:
    table = one_cell(10, 1, decimals=1)
    assert upper(table, PPercent(p=1), "tacit") == pytest.approx(0.01)
    found = assess(table, PPercent(p=1), profile="tauargus")
    assert (found.upl[1], found.lpl[1], found.spl[1]) == (0.1, 0.1, 0)


def test_a_cell_of_zeros_gets_the_zero_range_above_and_nothing_below() -> None:
    table = one_cell(0, 0)
    found = assess(table, ZeroRule(range=10), profile="tauargus")
    assert (found.upl[1], found.lpl[1]) == (10, 0)


def test_a_cell_sensitive_by_hand_gets_the_manual_margin() -> None:
    table = one_cell(60, 40, state=State.SENSITIVE)
    assert upper(table, None, "tauargus") == 20
    assert upper(table, None, "tauargus", margin=5) == 5
    assert upper(table, None, "tauargus", margin=300) == 100


def test_the_printed_formula_calls_a_milder_rule_by_the_same_name() -> None:
    """O2.6: shipments of 100 to 199; top-2 share 79.79 %, published as sensitive."""
    table = one_cell(313449, 107612, 106626)
    rule = Dominance(n=2, k=80)
    assert not assess(table, rule).sensitive[1]
    assert assess(table, rule, profile="kim_table3").sensitive[1]
    assert assess(table, Dominance(n=2, k=75)).sensitive[1]


def test_a_profile_of_ones_own_is_used_and_named() -> None:
    ours = Profile(name="ours", closed=("p_percent",), manual_margin=15)
    found = assess(one_cell(100, 50, 10), PPercent(p=10), profile=ours)
    assert found.sensitive[1]
    assert found.summary()["profile"] == "ours"
    given = one_cell(60, 40, state=State.SENSITIVE)
    assert assess(given, profile=ours).upl[1] == 15
