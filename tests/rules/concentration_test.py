# SPDX-License-Identifier: Apache-2.0
"""Rules of concentration on cells whose sensitivities are known."""

from __future__ import annotations

import math

import pytest

from tacit.errors import RuleError
from tacit.rules import PQ, Dominance, LinearRule, PPercent

ACCORDIONS = [81, 5, 2, 2, 2]
VIOLINS = [600, 90, 60, *[10] * 6]


def cell(first: int, second: int, rest: int) -> list[int]:
    """Make a cell of twelve; no rule here looks behind the second."""
    return [first, second, *[rest // 10] * 9, rest - 9 * (rest // 10)]


def share(x: list[int], n: int) -> float:
    return sum(x[:n]) / sum(x)


def test_o1_3_p_percent() -> None:
    rule = PPercent(p=10)
    assert rule.sensitivity(ACCORDIONS) == 2.1
    assert rule.unsafe(ACCORDIONS)
    assert not PPercent(p=7).unsafe(ACCORDIONS)
    # The second largest estimates the largest as 87: that is 100 * 6 / 81 off.
    estimate = sum(ACCORDIONS) - ACCORDIONS[1]
    assert estimate == 87
    assert 100 * (estimate - 81) / 81 == pytest.approx(7.407407)


def test_o1_4_dominance_and_its_scales() -> None:
    rule = Dominance(n=2, k=85)
    assert share(ACCORDIONS, 2) == pytest.approx(0.9347826)
    assert rule.sensitivity(ACCORDIONS, scale="cox") == pytest.approx(7.8)
    assert rule.sensitivity(ACCORDIONS) == pytest.approx(9.176471)


@pytest.mark.parametrize(
    ("x", "expected_share", "cox", "level", "estimate"),
    [
        pytest.param([25, 19, 13, 8, 2], 0.8507463, 0.05, 0.0588235, 35, id="o1.5"),
        pytest.param([25, 19, 12, 8, 2], 0.8484848, -0.10, None, 35, id="o1.6"),
        pytest.param([41, 40, 40, 20, 1], 0.8521127, 0.3, 0.3529412, 62, id="o1.7"),
        pytest.param([81, 20, 20, 20, 1], 0.8521127, 0.3, 0.3529412, 102, id="o1.8"),
    ],
)
def test_o1_5_to_o1_8_three_contributors_of_85_percent(
    x: list[int], expected_share: float, cox: float, level: float | None, estimate: int
) -> None:
    rule = Dominance(n=3, k=85)
    assert share(x, 3) == pytest.approx(expected_share, abs=1e-7)
    assert rule.sensitivity(x, scale="cox") == pytest.approx(cox)
    assert rule.unsafe(x) is (level is not None)
    if level is not None:
        assert rule.sensitivity(x) == pytest.approx(level, abs=1e-7)
    # A coalition of the second and third: what remains is their bound on the largest.
    assert sum(x) - x[1] - x[2] == estimate


@pytest.mark.parametrize(
    ("n", "k", "fewest"),
    [
        (3, 70, 5),
        (1, 50, 2),
        (2, 85, 3),
        (3, 75, 4),
        (2, 80, 3),
        (2, 90, 3),
        (4, 60, 7),
        (5, 88, 6),
        (1, 75, 2),
    ],
)
def test_o1_9_fewest_contributors_of_a_safe_cell(n: int, k: int, fewest: int) -> None:
    rule = Dominance(n=n, k=k)
    assert rule.contributors_implied == fewest
    # Equal contributions are as safe as a cell can be.
    assert not rule.unsafe([1] * fewest)
    if fewest > n:
        assert rule.unsafe([1] * (fewest - 1))


def test_o1_9_holds_on_rationals() -> None:
    # 100 * 7 / 70 is 10 exactly, 100 * 3 / 33.3 is a little over 9.
    assert Dominance(n=7, k=70).contributors_implied == 10
    assert Dominance(n=3, k=33.3).contributors_implied == 10
    assert Dominance(n=3, k=37.5).contributors_implied == 8


def test_o1_10_equality_is_safe_unless_closed() -> None:
    equal = [7, 7, 7, 7]
    assert not Dominance(n=3, k=75).unsafe(equal)
    assert Dominance(n=3, k=75, closed=True).unsafe(equal)
    assert Dominance(n=3, k=70).unsafe(equal)
    assert not Dominance(n=3, k=70).unsafe([*equal, 7])


def test_o1_11_a_holding_counts_once_in_the_margin() -> None:
    rule = PPercent(p=10)
    assert sum(VIOLINS) == 810
    assert 100 * (810 - 690) / 600 == 20
    assert not rule.unsafe(VIOLINS)
    merged = [690, *VIOLINS[2:]]
    assert pytest.approx(8.695652) == 100 * (810 - 750) / 690
    assert rule.unsafe(merged)


def test_o1_17_a_weight_of_five_is_five_units() -> None:
    rule = Dominance(n=2, k=39)
    assert rule.sensitivity([100], weights=[5]) == pytest.approx(200 / 0.39 - 500)
    assert rule.sensitivity([100], weights=[5]) == rule.sensitivity([100] * 5)


def test_o1_19_a_coalition_of_two() -> None:
    x = [25, 19, 13, 8, 2]
    assert PPercent(p=10, coalition=2).sensitivity(x) == 2.5 - 10
    assert not PPercent(p=40, coalition=2).unsafe(x)
    assert PPercent(p=40, coalition=2, closed=True).unsafe(x)
    assert not PPercent(p=92).unsafe(x)
    assert PPercent(p=92, closed=True).unsafe(x)


def test_oe_1_dominance_misses_a_close_estimate() -> None:
    x = [50000, 49000, *[1] * 1000]
    assert not Dominance(n=1, k=90).unsafe(x)
    assert 100 * (sum(x) - x[1] - x[0]) / x[0] == 2
    assert PPercent(p=10).unsafe(x)


def test_oe_2_upper_levels() -> None:
    x = [300, 20, 10]
    assert pytest.approx(352.941, abs=1e-3) == 300 / 0.85
    assert Dominance(n=1, k=85).sensitivity(x) == pytest.approx(22.941176)
    assert Dominance(n=2, k=85).sensitivity(x) == pytest.approx(46.470588)
    assert PPercent(p=10).sensitivity(x) == 20
    assert PQ(p=20, q=50).sensitivity(x) == 110


def test_oe_3_dominance_is_the_stricter_of_two_that_correspond() -> None:
    x = [52000, 50000, *[1000] * 8]
    assert 100 * (sum(x) - 102000) / 52000 == pytest.approx(15.384615)
    assert not PPercent(p=10).unsafe(x)
    assert Dominance(n=2, k=100 * 100 / 110).unsafe(x)


@pytest.mark.parametrize(("k", "p"), [(80, 25.0), (95, 5.263158)])
def test_oe_4_p_from_k(k: int, p: float) -> None:
    assert 100 * (100 - k) / k == pytest.approx(p)
    # One of k percent and many small ones: both rules turn at the same share.
    x = [1000 * k, *[10] * (100 * (100 - k))]
    assert not PPercent(p=p - 0.05).unsafe(x)
    assert PPercent(p=p + 0.05).unsafe(x)
    assert not Dominance(n=2, k=k + 0.05).unsafe(x)
    assert Dominance(n=2, k=k - 0.05).unsafe(x)


def test_oe_6_weighted_total_and_top_two() -> None:
    # X = 470, top two 100 and 100: 200 / 470 = 42.55 %.
    assert not Dominance(n=2, k=42.56).unsafe([100, 10], weights=[4, 7])
    assert Dominance(n=2, k=42.55).unsafe([100, 10], weights=[4, 7])


def test_oe_7_conventions_for_weights() -> None:
    x, w = [100, 1], [2, 3]
    assert not PPercent(p=3).unsafe(x, weights=w)
    assert PPercent(p=3.01).unsafe(x, weights=w)
    # As observed: 203 - 1 - 100 = 102 remain.
    rule = PPercent(p=102, over_100=True)
    assert not rule.unsafe(x, weights=w, convention="sample")
    assert rule.model_copy(update={"closed": True}).unsafe(
        x, weights=w, convention="sample"
    )
    # After weighting the two largest are all there is.
    assert PPercent(p=10).sensitivity(x, weights=w, convention="expanded") == 10


def test_the_last_unit_of_a_weight_may_be_shared() -> None:
    # 1.5 of 100 and 2 of 10: units of 100, 55 and 10, and half a unit of 10.
    rule = LinearRule(weights=[1, 0, 0])
    assert rule.sensitivity([100, 10], weights=[1.5, 2]) == 100
    second = LinearRule(weights=[1, 1, 0])
    assert second.sensitivity([100, 10], weights=[1.5, 2]) == 155


@pytest.mark.parametrize(
    ("x", "waived", "unsafe"),
    [
        ([300, 20, 10], [True, False, False], False),
        ([300, 200, 10], [True, False, False], True),
        ([300, 20, 10], [False, True, False], True),
    ],
)
def test_oe_8_waivers(x: list[int], waived: list[bool], *, unsafe: bool) -> None:
    assert PPercent(p=15).unsafe(x, waived=waived) is unsafe


def test_waivers_in_dominance_take_the_largest_who_gave_none() -> None:
    x = [60, 20, 10, 10]
    rule = Dominance(n=2, k=75)
    assert rule.unsafe(x, waived=[False] * 4)
    # 60 looks for 20 at 80 %, but once 20 agrees too, only for 10: 70 %.
    assert rule.unsafe(x, waived=[True, False, False, False])
    assert not rule.unsafe(x, waived=[True, True, False, False])
    assert not rule.unsafe(x, waived=[True] * 4)


def test_cells_of_few_contributors() -> None:
    for rule in (PPercent(p=10), PQ(p=10, q=50), Dominance(n=2, k=90)):
        assert not rule.unsafe([])
        assert rule.unsafe([5])
        assert rule.unsafe([5, 4])
        assert not rule.unsafe([0, 0, 0])
        assert not rule.model_copy(update={"closed": True}).unsafe([0, 0, 0])


def test_o2_6_the_cell_that_the_printed_formula_flips() -> None:
    x = cell(313449, 107612, 106626)
    assert sum(x) == 527687
    assert sum(x[:2]) / sum(x) == pytest.approx(0.7979370, abs=1e-7)
    printed = Dominance(n=2, k=80, first_sum="all")
    assert printed.sensitivity(x, scale="kim") == 101183
    assert printed.unsafe(x)
    correct = Dominance(n=2, k=80)
    assert correct.sensitivity(x, scale="kim") == -5443
    assert correct.sensitivity(x) == -1360.75
    assert PQ(p=20, q=50).sensitivity(x) == pytest.approx(18753.6)
    assert not PPercent(p=20).unsafe(x)


RECONSTRUCTED = [
    (18, 12, 33),
    (502, 195, 138),
    (250000, 14784, 17414),
    (25276, 11300, 21977),
    (342086, 320981, 0),
]


@pytest.mark.parametrize(("first", "second", "rest"), RECONSTRUCTED)
def test_o2_7_three_sensitivities_give_the_largest_away(
    first: int, second: int, rest: int
) -> None:
    x = cell(first, second, rest)
    total = sum(x)
    dominance = Dominance(n=2, k=80, first_sum="all").sensitivity(x, scale="kim")
    p20 = PPercent(p=20).sensitivity(x, scale="kim")
    found_rest = (total - dominance) / 4
    assert found_rest == rest
    assert p20 + 5 * found_rest == first
    assert total - first - found_rest == second


# Six of the 21 cells can be worked out: x1, x2, the rest; the printed S of 20/50, half
# rounded away from zero; the printed signs of (2,80), 20 % and 20/50. The last one is
# printed with a comma in the wrong place, and is the one whose first sign is wrong.
PRINTED = {
    "workers 10~19": (18, 12, 33, -65, (False, False, False)),
    "wages 10~19": (502, 195, 138, 157, (True, False, True)),
    "shipments 20~49": (250000, 14784, 17414, 206465, (True, True, True)),
    "workers 500~": (25276, 11300, 21977, -29667, (False, False, False)),
    "shipments 300~499": (342086, 320981, 0, 342086, (True, True, True)),
    "shipments 100~199": (313449, 107612, 106626, 46884, (True, False, True)),
}


def half_away(number: float) -> int:
    return math.floor(abs(number) + 0.5) * (1 if number > 0 else -1)


@pytest.mark.parametrize("name", PRINTED)
def test_o2_3_p_q_from_the_two_other_sensitivities(name: str) -> None:
    first, second, rest, printed, _ = PRINTED[name]
    x = cell(first, second, rest)
    assert half_away(PQ(p=20, q=50).sensitivity(x, scale="kim")) == printed
    dominance = Dominance(n=2, k=80, first_sum="all").sensitivity(x, scale="kim")
    p20 = PPercent(p=20).sensitivity(x, scale="kim")
    assert half_away(p20 + 2.5 * (sum(x) - dominance) / 4) == printed


@pytest.mark.parametrize("name", PRINTED)
def test_o2_4_signs_as_printed(name: str) -> None:
    first, second, rest, _, signs = PRINTED[name]
    x = cell(first, second, rest)
    printed = Dominance(n=2, k=80, first_sum="all")
    rules = (printed, PPercent(p=20), PQ(p=20, q=50))
    assert tuple(rule.unsafe(x) for rule in rules) == signs


@pytest.mark.parametrize("name", PRINTED)
def test_o2_5_the_correct_formula_flips_one_cell(name: str) -> None:
    first, second, rest, _, signs = PRINTED[name]
    correct = Dominance(n=2, k=80).unsafe(cell(first, second, rest))
    assert (correct != signs[0]) is (name == "shipments 100~199")


def test_o2_8_levels_of_shipments() -> None:
    x = cell(250000, 14784, 17414)
    assert pytest.approx(6.9656) == 100 * 17414 / 250000
    assert PPercent(p=20).sensitivity(x) == 32586
    assert PQ(p=20, q=50).sensitivity(x) == 82586
    assert Dominance(n=2, k=80).sensitivity(x) == 48782


@pytest.mark.parametrize(
    ("shares", "p", "ratio", "top_two"),
    [
        pytest.param((0.45, 0.38, 0.12, 0.05), 18, 37.778, 0.83, id="o4.2"),
        pytest.param((0.69, 0.23, 0.06, 0.02), 18, 11.594, 0.92, id="o4.3"),
        pytest.param((0.59, 0.23, 0.10, 0.08), 18, 30.508, 0.82, id="o4.4"),
        pytest.param((0.09, 2.49, 0.07, 0.69), 7, 6.426, None, id="o4.6"),
    ],
)
def test_o4_2_to_o4_6_ratios_of_shares(
    shares: tuple[float, ...], p: int, ratio: float, top_two: float | None
) -> None:
    x = sorted(shares, reverse=True)
    assert 100 * sum(x[2:]) / x[0] == pytest.approx(ratio, abs=1e-3)
    assert PPercent(p=p).unsafe(shares) is (ratio < p)
    if top_two is not None:
        assert sum(x[:2]) / sum(x) == pytest.approx(top_two)
        assert Dominance(n=2, k=89).unsafe(shares) is (top_two > 0.89)


def test_o4_6_onset_is_at_seven() -> None:
    x = (0.09, 2.49, 0.07, 0.69)
    assert next(p for p in range(1, 20) if PPercent(p=p).unsafe(x)) == 7


@pytest.mark.parametrize("scale", ["cox", "kim"])
def test_a_linear_rule_has_no_scale_of_the_literature(scale: str) -> None:
    with pytest.raises(RuleError, match="'scale' must be one of upl"):
        LinearRule(weights=[1, -1]).sensitivity([1], scale=scale)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [math.nan, math.inf, "12", None, True])
def test_a_contribution_must_be_a_finite_number(wrong: object) -> None:
    with pytest.raises(RuleError, match="finite number"):
        PPercent(p=10).sensitivity([1, wrong])  # type: ignore[list-item]


def test_floats_have_a_tolerance_and_integers_none() -> None:
    # 0.1 + 0.2 is not 0.3: by the letter the sum would be above the limit.
    assert not Dominance(n=1, k=30).unsafe([0.1 + 0.2, 0.25, 0.25, 0.2])
    big = 10**15
    half = big // 2
    assert not PPercent(p=10).unsafe([10 * big, big, half, half])
    assert PPercent(p=10).unsafe([10 * big, big, half, half - 1])
