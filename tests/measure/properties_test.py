# SPDX-License-Identifier: Apache-2.0
"""What holds for measures of any table: no loss is 0, order and scale are nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import tacit
from measure.conftest import changed, table_of
from tacit.measure import measures
from tacit.measure._pair import pair_of
from tacit.measure._ranks import mann_whitney, signed_rank
from tacit.protect import Release


def started(values: np.ndarray) -> np.ndarray:
    """Put something into the first cell: a table of nothing has no loss."""
    values[0, 0] += 1
    return values


TABLES = st.tuples(st.integers(2, 5), st.integers(2, 5)).flatmap(
    lambda shape: st.tuples(
        arrays(np.int64, shape, elements=st.integers(0, 200)).map(started),
        arrays(np.int64, shape, elements=st.integers(0, 200)),
    )
)
# Amounts, not numbers without a unit: these grow with the values.
LINEAR = ("absolute_loss_per_cell", "mean_absolute_loss", "absolute_loss_total")
ROOT = ("hellinger", "square_root_loss")


def same(a: float, b: float) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == pytest.approx(b, rel=1e-7, abs=1e-7)


@settings(max_examples=40)
@given(TABLES)
def test_nothing_is_lost_where_nothing_changes(
    pair: tuple[np.ndarray, np.ndarray],
) -> None:
    found = tacit.measure(changed(pair[0], pair[0]))
    for one in measures():
        if one.kind == "loss" and not math.isnan(found[one.name]):
            best = 1.0 if one.better == "higher" else 0.0
            assert found[one.name] == best, one.name
    assert found["risk_variance"] == math.inf


@settings(max_examples=40)
@given(TABLES)
def test_values_stay_in_their_range(pair: tuple[np.ndarray, np.ndarray]) -> None:
    found = tacit.measure(changed(*pair))
    for one in measures():
        value = found[one.name]
        if not math.isnan(value):
            low, high = one.range
            assert low - 1e-9 <= value <= high + 1e-9, one.name


@settings(max_examples=40)
@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_codes_means_nothing(
    pair: tuple[np.ndarray, np.ndarray], random: object
) -> None:
    before, after = pair
    order = list(range(before.shape[0]))
    random.shuffle(order)  # type: ignore[attr-defined]
    straight = tacit.measure(changed(before, after))
    shuffled = tacit.measure(changed(before[order], after[order]))
    for name in straight:
        assert same(straight[name], shuffled[name]), name


@settings(max_examples=40)
@given(TABLES)
def test_the_unit_of_the_values_means_nothing(
    pair: tuple[np.ndarray, np.ndarray],
) -> None:
    before, after = pair
    once = tacit.measure(changed(before, after))
    often = tacit.measure(changed(100 * before, 100 * after))
    factors = {**dict.fromkeys(LINEAR, 100), **dict.fromkeys(ROOT, 10)}
    for name in once:
        if name != "risk_variance":
            assert same(often[name], once[name] * factors.get(name, 1)), name
    assert same(often["risk_variance"], once["risk_variance"] / 100**2)


@settings(max_examples=25)
@given(TABLES)
def test_an_empty_row_adds_no_distance(pair: tuple[np.ndarray, np.ndarray]) -> None:
    before, after = pair
    none = np.zeros((1, before.shape[1]), dtype=np.int64)
    with_row = tacit.measure(
        changed(np.vstack([before, none]), np.vstack([after, none]))
    )
    without = tacit.measure(changed(before, after))
    for name in (
        "absolute_loss_per_cell",
        "absolute_loss_percent",
        "relative_loss",
        "hellinger",
        "hellinger_shares",
        "kullback_leibler",
        "entropy_loss_rows",
        "entropy_loss_columns",
        "relative_variance_rows",
        "relative_chi_squared",
    ):
        assert same(with_row[name], without[name]), name


@settings(max_examples=40)
@given(TABLES)
def test_tests_and_correlations_agree_with_scipy(
    pair: tuple[np.ndarray, np.ndarray],
) -> None:
    before, after = pair[0] + 1, pair[1]
    release = changed(before, after)
    found, laid = tacit.measure(release), pair_of(release)
    whitney, signed = mann_whitney(laid, laid.rows), signed_rank(laid, laid.rows)
    for row, (old, new) in enumerate(zip(before, after, strict=True)):
        if len(np.unique([old, new])) > 1:
            p = stats.mannwhitneyu(
                old, new, method="asymptotic", use_continuity=False
            ).pvalue
            assert whitney[row] == pytest.approx(p)
        if (old != new).any():
            p = stats.wilcoxon(old, new, method="asymptotic").pvalue
            assert signed[row] == pytest.approx(p)
    if np.ptp(before) and np.ptp(after):
        rho = stats.spearmanr(before.ravel(), after.ravel()).statistic
        assert found["spearman"] == pytest.approx(rho)
        slope = stats.linregress(before.ravel(), after.ravel()).slope
        assert found["regression_slope"] == pytest.approx(100 * (slope - 1), abs=1e-6)


@settings(max_examples=25)
@given(TABLES)
def test_chi_squared_agrees_with_scipy(pair: tuple[np.ndarray, np.ndarray]) -> None:
    from tacit.measure._lines import chi_squared_of  # noqa: PLC0415

    before = pair[0] + 1
    laid = pair_of(changed(before, pair[1]))
    expected = stats.chi2_contingency(before, correction=False).statistic
    got = chi_squared_of(laid.original, laid.rows, laid.columns)
    assert got == pytest.approx(expected, abs=1e-9)


def withheld(release: Release, *places: int) -> Release:
    state = release.state.copy()
    state[list(places)] = tacit.table.State.SUPPRESSED
    return replace(release, state=state, perturbed=False)


@settings(max_examples=25)
@given(TABLES, st.data())
def test_spreading_keeps_the_sum_of_each_column(
    pair: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    release = changed(pair[0], pair[0])
    inner = pair_of(release).cells.tolist()
    places = data.draw(st.lists(st.sampled_from(inner), unique=True))
    laid = pair_of(withheld(release, *places))
    before = laid.columns.sums(laid.original)
    assert laid.columns.sums(laid.released) == pytest.approx(before)


def test_negative_values_have_no_entropy() -> None:
    release = changed(np.array([[1, -2], [3, 4]]), np.array([[1, -2], [3, 5]]))
    found = tacit.measure(release)
    for name in ("hellinger", "kullback_leibler", "entropy_loss_rows"):
        assert math.isnan(found[name])
    assert found["absolute_loss_per_cell"] == 1


def test_one_dimension_is_one_column_of_rows() -> None:
    table = tacit.Table.from_cells(
        {"sex": ["f", "m"], "n": [2, 30]}, by={"sex": "all"}, count="n"
    )
    assessment = tacit.assess(table)
    printed = np.array([35, 5, 30])
    release = Release(assessment, assessment.state, "test", printed, perturbed=True)
    found = tacit.measure(release)
    assert found["absolute_loss_per_cell"] == 3
    assert found["absolute_loss_total"] == 3
    assert math.isnan(found["relative_cramers_v"])
    assert found.lines("rows").num_rows == 1


def test_decimals_are_published_units() -> None:
    table = table_of(np.array([[150, 250], [350, 450]]), decimals=2)
    assessment = tacit.assess(table)
    printed = table.cells.value + 50
    release = Release(assessment, assessment.state, "test", printed, perturbed=True)
    assert tacit.measure(release)["absolute_loss_total"] == 0.5
