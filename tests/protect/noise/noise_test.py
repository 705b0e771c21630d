# SPDX-License-Identifier: Apache-2.0
"""Noise on contributions and on cells, and noise with a privacy budget."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import InputError
from tacit.protect.noise import ratios
from tacit.protect.noise._gaussian import discrete_gaussian, rho_of
from tacit.protect.noise._laplace import discrete_laplace
from tacit.table import State

GRID = (np.arange(1_000_000) + 0.5) / 1_000_000


def firms(seed: int, number: int = 300) -> dict[str, list[Any]]:
    random = np.random.default_rng(seed)
    return {
        "a": random.choice(list("abcdef"), number).tolist(),
        "b": random.choice(list("uvwxyz"), number).tolist(),
        "v": np.rint(np.exp(random.normal(6, 1.5, number))).astype(int).tolist(),
        "firm": [f"firm {k}" for k in range(number)],
    }


def assessed(seed: int, *, number: int = 300, count: bool = False) -> tacit.Assessment:
    table = tacit.tabulate(
        firms(seed, number),
        by={"a": "T", "b": "T"},
        value=None if count else "v",
        unit="firm",
        secret="a long secret",
    )
    rule = tacit.MinFrequency(n=3)
    return tacit.assess(table, rule if count else rule | tacit.PPercent(p=10))


# Noise on the largest contribution


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 500), st.sampled_from(["nothing", "additive"]))
@example(208, "additive")  # a row of which every cell and the total are sensitive
def test_nobody_estimates_another_in_a_sensitive_cell(seed: int, restore: Any) -> None:
    assessment = assessed(seed, number=120)
    release = tacit.perturb(
        assessment, "multiplicative", p=10.0, key="k", restore=restore
    )
    evidence = assessment.table.evidence
    assert evidence is not None
    first, second = evidence.largest[:, 0], evidence.largest[:, 1]
    estimate = release.published - second
    off = abs(estimate - first) >= 0.1 * first
    inner = assessment.sensitive & _inner(release)
    checked = assessment.sensitive if restore == "nothing" else inner
    assert off[checked].all()
    if restore == "additive":
        assert not release.table.relations.residuals(release.published).any()
        noisy = tacit.perturb(assessment, "multiplicative", p=10.0, key="k").published
        assert (release.published == noisy)[inner].all()
    else:
        assert tacit.audit(release).safe


def _inner(release: tacit.Release) -> Any:
    matrix = release.table.relations.matrix
    inner = np.ones(len(release), dtype=bool)
    inner[matrix.indices[matrix.data < 0]] = False
    return inner


def test_the_same_records_get_the_same_noise_in_every_table() -> None:
    records = firms(1)
    published = []
    for names in (["a"], ["a", "b"]):
        table = tacit.tabulate(
            records, by=dict.fromkeys(names, "T"), value="v", unit="firm",
            secret="a long secret",
        )  # fmt: skip
        release = tacit.perturb(table, "multiplicative", p=10.0, key="k")
        published.append([release.published[table.find({"a": x})] for x in "abcdef"])
    assert published[0] == published[1]


def test_the_audit_finds_too_little_noise() -> None:
    assessment = assessed(2, number=80)
    release = tacit.perturb(assessment, "multiplicative", p=1.0, sigma=0.0, key="k")
    report = tacit.audit(release)
    assert not report.safe
    assert "estimates the first too closely" in report.explain(50)


def test_cells_that_are_frozen_stay() -> None:
    assessment = assessed(2)
    state = assessment.state.copy()
    state[:5] = State.FROZEN
    release = tacit.perturb(
        replace(assessment, state=state), "multiplicative", p=10.0, key="k"
    )
    value = release.table.cells.value
    assert (release.published[:5] == value[:5]).all()
    assert (release.published[5:] != value[5:]).any()
    with pytest.raises(InputError, match="totals must keep their value"):
        tacit.perturb(
            replace(assessment, state=state),
            "multiplicative",
            p=10.0,
            key="k",
            restore="additive",
        )


# Noise on contributions


def test_noise_on_contributions_is_additive_and_follows_the_unit() -> None:
    release = tacit.perturb(assessed(1), "ezs", key="k")
    assert not release.table.relations.residuals(release.published).any()
    other = tacit.tabulate(
        firms(1), by={"a": "T"}, value="v", unit="firm", secret="a long secret"
    )
    again = tacit.perturb(other, "ezs", key="k")
    for code in "abcdef":
        here = release.published[release.table.find({"a": code})]
        there = again.published[other.find({"a": code})]
        # The inner cells are rounded one by one.
        assert abs(here - there) <= 6


def test_each_contribution_changes_by_as_much_as_was_asked_for() -> None:
    records = firms(3, 200) | {"a": [f"a{k}" for k in range(200)]}
    table = tacit.tabulate(
        records, by={"a": "T"}, value="v", unit="firm", secret="a long secret",
        decimals=3,
    )  # fmt: skip
    release = tacit.perturb(table, "ezs", key="k", least=8.0, most=12.0)
    change = release.published[1:] / table.cells.value[1:] - 1
    assert (abs(change) >= 0.0799).all()
    assert (abs(change) <= 0.1201).all()
    assert 60 < (change > 0).sum() < 140


def test_balanced_noise_leaves_cells_nearer_to_the_truth() -> None:
    assessment = assessed(4, number=1500)
    plain = tacit.perturb(assessment, "ezs", key="k")
    balanced = tacit.perturb(assessment, "ezs", key="k", balanced=True)
    inner = _inner(plain) & ~assessment.sensitive
    value = assessment.table.cells.value
    before = abs(plain.published - value)[inner].sum()
    assert abs(balanced.published - value)[inner].sum() < 0.5 * before
    assert not plain.table.relations.residuals(balanced.published).any()


def test_units_of_a_holding_change_together() -> None:
    records = {
        "a": ["x", "x"], "v": [100, 100], "firm": ["f", "g"], "group": ["h", "h"]
    }  # fmt: skip
    table = tacit.tabulate(
        records, by={"a": "T"}, value="v", unit="firm", holding="group",
        secret="a long secret",
    )  # fmt: skip
    for key in "abcdefgh":
        change = abs(tacit.perturb(table, "ezs", key=key).published - 200)
        assert (change >= 16).all()


# Noise with a budget


@pytest.mark.parametrize(
    ("epsilon", "stays", "one"), [(1.5, 0.63516, 0.14172), (0.5, 0.2506, 0.1520)]
)
def test_discrete_laplace_noise(epsilon: float, stays: float, one: float) -> None:
    noise = discrete_laplace(GRID, epsilon)
    kept = noise[abs(noise) <= 7]  # the source prints the distribution cut at 7
    assert (kept == 0).mean() == pytest.approx(stays, abs=2e-4)
    assert (kept == 1).mean() == pytest.approx(one, abs=2e-4)
    assert (kept == -1).mean() == pytest.approx(one, abs=2e-4)


@pytest.mark.parametrize("sigma", [0.7, 2.0, 15.0])
def test_discrete_gaussian_noise(sigma: float) -> None:
    noise = discrete_gaussian(GRID, sigma)
    k = np.arange(-200, 201)
    weight = np.exp(-(k**2) / (2 * sigma**2))
    weight /= weight.sum()
    found = np.bincount(noise + 200, minlength=401)[:401] / len(GRID)
    assert found == pytest.approx(weight, abs=1e-4)


def test_the_budget_is_split_over_the_cells_that_a_record_is_in() -> None:
    assessment = assessed(1, count=True)
    every = tacit.perturb(assessment, "laplace", epsilon=1.0, key="k")
    inner = tacit.perturb(assessment, "laplace", epsilon=1.0, key="k", where="inner")
    assert every.provenance["combinations"] == 4
    assert inner.provenance["combinations"] == 1
    assert not inner.table.relations.residuals(inner.published).any()
    cells = _inner(inner)
    value = assessment.table.cells.value
    assert (
        abs(inner.published - value)[cells].mean()
        < abs(every.published - value)[cells].mean()
    )
    told = tacit.audit(every).checked
    assert any(
        "privacy budget of 1, of one record over 4 cells" in line for line in told
    )


def test_noise_with_a_budget_does_not_depend_on_the_records() -> None:
    assessment = assessed(1, count=True)
    release = tacit.perturb(
        assessment, "gaussian", epsilon=1.0, delta=1e-6, key="k", negative=True
    )
    records = firms(1)
    records["firm"][0] = "another firm"
    table = tacit.tabulate(
        records, by={"a": "T", "b": "T"}, unit="firm", secret="another secret"
    )
    again = tacit.perturb(
        table, "gaussian", epsilon=1.0, delta=1e-6, key="k", negative=True
    )
    assert (again.published == release.published).all()


def test_a_budget_that_hides_nobody_is_found() -> None:
    release = tacit.perturb(
        assessed(1, number=60, count=True), "laplace", epsilon=50.0, key="k"
    )
    assert not tacit.audit(release).safe


def test_gaussian_noise_keeps_its_budget() -> None:
    epsilon, delta = 1.0, 1e-5
    rho = rho_of(epsilon, delta)
    sigma = np.sqrt(1 / (2 * rho))
    k = np.arange(-4000, 4001)
    p = np.exp(-(k**2) / (2 * sigma**2))
    p /= p.sum()
    lost = np.maximum(p[1:] - np.exp(epsilon) * p[:-1], 0).sum()
    assert lost <= delta


# Means


def test_means_come_from_changed_numbers() -> None:
    records = firms(1)
    by = {"a": "T"}
    counts = tacit.tabulate(records, by=by, unit="firm", secret="a long secret")
    amounts = tacit.tabulate(
        records, by=by, value="v", unit="firm", secret="a long secret"
    )
    below = tacit.perturb(counts, noise={"D": 4, "V": 1.5})
    above = tacit.perturb(
        amounts, noise={"D": 4, "V": 1.0, "kind": "magnitude"}, scale=0.1
    )
    mean = ratios(above, below).to_pydict()["ratio"]
    assert mean == pytest.approx((above.published / below.published).round(2).tolist())
    with pytest.raises(InputError, match="from true numbers a mean would give away"):
        ratios(above, tacit.protect.release_as_is(tacit.rules.assess_as_stated(counts)))


# What cannot be used


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("multiplicative", {"p": 60.0, "key": "k"}, "p: input should be less than 50"),
        ("multiplicative", {"p": 10.0}, "key= is missing"),
        ("ezs", {"key": "k", "least": 13.0}, "least"),
        ("laplace", {"key": "k", "epsilon": 1.0}, "Use it on a table of counts"),
        ("laplace", {"key": "k", "epsilon": 0.0}, "greater than 0"),
        ("gaussian", {"key": "k", "epsilon": 1.0}, "delta= is missing"),
        ("lapalce", {"key": "k"}, "Did you mean 'laplace'"),
    ],
)
def test_options_that_cannot_be_used(
    method: str, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        tacit.perturb(assessed(1), method, **options)


def test_tables_that_cannot_be_used() -> None:
    bare = tacit.tabulate(firms(1), by={"a": "T"}, value="v", unit="firm")
    with pytest.raises(InputError, match="each by the key of its unit"):
        tacit.perturb(bare, "ezs", key="k")
    finished = tacit.Table.from_cells({"a": ["x"], "v": [3]}, by={"a": "T"}, value="v")
    with pytest.raises(InputError, match="share of the largest contribution"):
        tacit.perturb(finished, "multiplicative", p=10.0, key="k")


def test_inner_cells_of_linked_tables_are_not_changed_one_by_one() -> None:
    records = firms(1)
    records["c"] = records["b"][::-1]
    parts = {
        name: tacit.tabulate(records, by=dict.fromkeys(name, "T"), unit="firm")
        for name in ("ab", "ac")
    }
    linked = tacit.link(parts)
    with pytest.raises(InputError, match="where='inner' changes inner cells"):
        tacit.perturb(linked, "laplace", epsilon=1.0, key="k", where="inner")
    assert tacit.perturb(linked, "laplace", epsilon=1.0, key="k").perturbed
