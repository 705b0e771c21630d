# SPDX-License-Identifier: Apache-2.0
"""Rules by simulation: as published, as exact, and as the library judges."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.rules import Dominance, PPercent, Rule, Statisticon
from tacit.study import (
    FAMILIES,
    Agreement,
    agreement,
    draw,
    kappa_label,
    study,
    typical,
)

if TYPE_CHECKING:
    from tacit.study import Study

RULES: dict[str, object] = {
    "p_percent": lambda m: PPercent(p=m),
    "statisticon": lambda m: Statisticon(s=m),
    "dominance_1": lambda m: Dominance(n=1, k=m),
    "dominance_2": lambda m: Dominance(n=2, k=m),
}
# The published parameters, at which the typical cells were taken.
PARAMETERS = {"p_percent": 18.0, "statisticon": 27.0, "dominance_2": 89.0}


@pytest.fixture(scope="module")
def cells() -> np.ndarray:
    return draw("exponential", 1_000_000, 4, np.random.default_rng(44))


def marks(cells: np.ndarray, name: str) -> np.ndarray:
    found = FAMILIES[name].sensitive(cells, np.array([PARAMETERS[name]]))
    return found[:, 0]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("n", [3, 4, 7])
def test_limits_are_those_of_the_rules(name: str, n: int) -> None:
    x = np.ceil(1000 * draw("exponential", 40, n, np.random.default_rng(n)))
    parameters = np.array([5.0, 20.0, 45.0, 80.0])
    found = FAMILIES[name].sensitive(x, parameters)
    for row, cell in enumerate(x.tolist()):
        for column, parameter in enumerate(parameters.tolist()):
            rule: Rule = RULES[name](parameter)  # type: ignore[operator]
            assert rule.unsafe([int(v) for v in cell]) == found[row, column]


@pytest.mark.parametrize("name", FAMILIES)
def test_counts_are_sums_of_the_matrix(name: str) -> None:
    x = draw("lognormal", 500, 5, np.random.default_rng(1))
    parameters = np.arange(1.0, 101.0)
    whole = FAMILIES[name].sensitive(x, parameters)
    assert FAMILIES[name].counts(x, parameters).tolist() == whole.sum(axis=0).tolist()


@pytest.mark.parametrize(
    ("first", "second", "third", "rest", "kappa"),
    [(74, 126, 126, 674, 0.2125), (178, 22, 22, 778, 0.8625)],
)
def test_kappa_by_hand(
    first: int, second: int, third: int, rest: int, kappa: float
) -> None:
    assert Agreement(first, second, third, rest).kappa == pytest.approx(kappa)


@pytest.mark.parametrize(
    ("kappa", "label"),
    [
        (-0.01, "poor"),
        (0.0, "slight"),
        (0.20, "slight"),
        (0.21, "fair"),
        (0.242556, "fair"),
        (0.40, "fair"),
        (0.41, "moderate"),
        (0.61, "substantial"),
        (0.80, "substantial"),
        (0.81, "almost perfect"),
        (0.870659, "almost perfect"),
    ],
)
def test_o4_9_labels_of_the_cited_scale(kappa: float, label: str) -> None:
    assert kappa_label(kappa) == label


def test_o4_10_shares_at_the_published_parameters(cells: np.ndarray) -> None:
    assert marks(cells, "dominance_2").mean() == pytest.approx(0.17787, abs=0.002)
    assert marks(cells, "p_percent").mean() == pytest.approx(0.18420, abs=0.002)
    assert marks(cells, "statisticon").mean() == pytest.approx(0.178, abs=0.002)


@pytest.mark.parametrize(("n", "largest"), [(3, 1 / 3), (4, 1 / 2)])
def test_o4_10_no_interval_is_wider(n: int, largest: float) -> None:
    x = draw("exponential", 200_000, n, np.random.default_rng(3))
    widest = FAMILIES["statisticon"].limit(x).max() / 100
    assert widest <= largest
    assert widest > 0.99 * largest


@pytest.mark.parametrize(
    ("first", "second", "shares"),
    [
        ("p_percent", "statisticon", (0.687, 0.233, 0.058, 0.017)),
        ("statisticon", "p_percent", (0.454, 0.384, 0.112, 0.042)),
    ],
)
def test_o4_11_typical_cells(
    cells: np.ndarray, first: str, second: str, shares: tuple[float, ...]
) -> None:
    case = typical(cells, marks(cells, first) & ~marks(cells, second))
    assert case.shares == pytest.approx(shares, abs=0.01)


def test_o4_11_what_kind_of_cell_each_rule_finds_alone(cells: np.ndarray) -> None:
    p, s, k = (marks(cells, name) for name in PARAMETERS)
    for which, dominated in ((p & ~s, True), (s & ~p, False), (k & ~p, False)):
        first, second, *_ = typical(cells, which).shares
        assert (first > 2 * second) == dominated


def test_o4_12_kappas_of_a_thousand_data_sets(cells: np.ndarray) -> None:
    expected = {
        ("p_percent", "statisticon"): (0.285, 0.038),
        ("dominance_2", "statisticon"): (0.315, 0.038),
        ("p_percent", "dominance_2"): (0.867, 0.021),
    }
    for (one, other), (mean, spread) in expected.items():
        a, b = marks(cells, one), marks(cells, other)
        found = [
            agreement(x, y).kappa
            for x, y in zip(a.reshape(1000, -1), b.reshape(1000, -1), strict=True)
        ]
        # Means of a thousand: three standard errors, and the digits printed.
        assert np.mean(found) == pytest.approx(mean, abs=0.004 + 0.0005)
        assert np.std(found, ddof=1) == pytest.approx(spread, abs=0.003)


def test_o4_13_spread_and_lead_of_the_typical_cells(cells: np.ndarray) -> None:
    p, s = marks(cells, "p_percent"), marks(cells, "statisticon")
    a, b = typical(cells, p & ~s), typical(cells, s & ~p)
    assert a.deviation == pytest.approx(1.233, abs=0.015)
    assert a.lead == pytest.approx(1.785, abs=0.025)
    assert b.deviation == pytest.approx(0.865, abs=0.012)
    assert b.lead == pytest.approx(0.522, abs=0.02)


def test_the_study_calibrates_exactly_where_it_can(rules: Study) -> None:
    found = dict(
        zip(
            rules.tables["calibration"]["rule"],
            rules.tables["calibration"]["value"],
            strict=True,
        )
    )
    assert found["p_percent"] == pytest.approx(19.0582, abs=5e-5)
    assert found["dominance_2"] == pytest.approx(88.2448, abs=5e-5)
    assert found["statisticon"] == pytest.approx(28.09, abs=0.15)


def test_simulated_shares_follow_the_exact_ones(rules: Study) -> None:
    table = rules.tables["sensitive"]
    pairs = [
        (share, exact)
        for share, exact in zip(table["share"], table["exact_share"], strict=True)
        if exact != ""
    ]
    assert len(pairs) == 2 * 18 * 100
    worst = max(abs(share - exact) for share, exact in pairs)
    # A thousand cells a share: about four standard errors of the worst kind.
    assert worst < 0.07


def test_the_same_seed_gives_the_same_numbers() -> None:
    options = {"datasets": 20, "distribution": "normal", "seed": 8}
    one, other = study("rules", **options), study("rules", **options)
    assert one.tables == other.tables
    assert one.figures == other.figures
    assert study("rules", **{**options, "seed": 9}).tables != one.tables


def test_the_matrices_of_the_published_study_are_quick() -> None:
    start = time.process_time()
    parameters = np.arange(1.0, 101.0)
    for n in range(3, 21):
        x = draw("exponential", 1000, n, np.random.default_rng(n))
        for name in PARAMETERS:
            assert FAMILIES[name].sensitive(x, parameters).shape == (1000, 100)
    assert time.process_time() - start < 2


def test_wrong_words_are_told() -> None:
    with pytest.raises(InputError, match="Did you mean 'p_percent'"):
        study("rules", rules=["p_precent"])
    with pytest.raises(InputError, match="Did you mean 'normal'"):
        study("rules", distribution="norml")
    with pytest.raises(InputError, match="below zero"):
        study("rules", distribution=lambda rng, size: rng.normal(0, 1, size))
