# SPDX-License-Identifier: Apache-2.0
"""Optimal against brute force, and modular against both."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit
from brute import shortfalls
from cheapest import cheapest_cost, deep, flat, small_assessments
from tacit import Attacker
from tacit.protect.suppress import _optimal as optimal_module
from tacit.protect.suppress import suppress
from tacit.protect.suppress._build import build_problem
from tacit.protect.suppress._costs import costs_of
from tacit.protect.suppress._guide import guide
from tacit.protect.suppress._scip import installed
from tacit.protect.suppress._subtables import part_of, subtables_of
from tacit.table import State

if TYPE_CHECKING:
    from tacit import Assessment

OUTSIDER = (Attacker(),)


FLAT = [
    (flat("r", 4), flat("c", 4)),
    (flat("r", 3), flat("c", 2)),
    tuple(flat(letter, 3) for letter in "rcs"),
    (flat("r", 6),),
]
DEEP = [(deep("r"), flat("c", 3)), (deep("r"), deep("c")), (deep("r"),)]
some = settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@some
@given(small_assessments(*FLAT, *DEEP, most=4), st.sampled_from(["value", "unit"]))
def test_optimal_is_the_cheapest_pattern(assessment: Assessment, cost: str) -> None:
    release = suppress(assessment, "optimal", cost=cost, attackers=OUTSIDER)
    assert release.provenance["open"] == bool(shortfalls(release))
    if not release.provenance["open"]:
        least = cheapest_cost(assessment, costs_of(assessment.table, cost))
        assert release.cost == pytest.approx(least, rel=1e-6, abs=1e-6)
        assert release.bound == pytest.approx(least, rel=1e-5, abs=1e-6)
        assert release.gap == pytest.approx(0.0, abs=1e-5)


@some
@given(small_assessments(*FLAT, most=4))
def test_modular_is_optimal_on_tables_without_hierarchies(
    assessment: Assessment,
) -> None:
    modular = suppress(assessment, "modular", attackers=OUTSIDER)
    least = suppress(assessment, "optimal", attackers=OUTSIDER)
    assert modular.cost == pytest.approx(least.cost, rel=1e-6)


@some
@given(small_assessments(*DEEP, most=4))
def test_no_method_is_cheaper_than_optimal(assessment: Assessment) -> None:
    least = suppress(assessment, "optimal", attackers=OUTSIDER)
    for method in ("auto", "modular", "hypercube"):
        release = suppress(assessment, method, attackers=OUTSIDER)
        if not release.provenance["open"]:
            assert release.cost >= least.cost * (1 - 1e-6)
            assert release.cost >= (release.bound or 0.0) * (1 - 1e-6)


@some
@given(small_assessments(*FLAT, *DEEP, most=4))
def test_the_relaxation_is_a_bound(assessment: Assessment) -> None:
    cost = costs_of(assessment.table, "value")
    problem, _ = build_problem(assessment, cost, attackers=OUTSIDER)
    release = suppress(assessment, "optimal", attackers=OUTSIDER)
    if not release.provenance["open"]:
        assert guide(problem).bound <= release.cost * (1 + 1e-6) + 1e-9


def random_table(seed: int, shape: tuple[int, ...]) -> Assessment:
    """Sow amounts, every fifth cell sensitive."""
    random = np.random.default_rng(seed)
    size = int(np.prod(shape))
    places = np.unravel_index(np.arange(size), shape)
    value = np.rint(np.exp(random.normal(4, 1.2, size))).astype(int)
    chosen = random.random(size) < 0.12
    frame = {f"d{d}": [f"{d}{i}" for i in at] for d, at in enumerate(places)}
    frame |= {
        "v": value.tolist(),
        "s": np.where(chosen, "sensitive", "safe").tolist(),
        "up": np.where(chosen, np.maximum(value // 5, 1), 0).tolist(),
        "low": np.where(chosen, np.maximum(value // 5, 1), 0).tolist(),
    }
    by = dict.fromkeys((f"d{d}" for d in range(len(shape))), "T")
    table = tacit.Table.from_cells(
        frame, by=by, value="v", state="s", upper="up", lower="low", decimals=0
    )
    return tacit.assess(table)


@pytest.mark.skipif(not installed(), reason="the extra scip is not installed")
@pytest.mark.parametrize("seed", range(4))
def test_the_tree_and_the_loop_find_the_same_optimum(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assessment = random_table(seed, (3, 3, 3))
    costs = []
    for effort in (0.0, 1e12):
        monkeypatch.setattr(optimal_module, "_FIRST_EFFORT_BRANCHED", effort)
        release = suppress(assessment, "optimal", attackers=OUTSIDER)
        assert release.gap == pytest.approx(0.0, abs=1e-5)
        assert tacit.audit(release, attackers=OUTSIDER).safe
        costs.append(release.cost)
    assert costs[0] == pytest.approx(costs[1], rel=1e-6)


def test_a_width_is_enough_where_only_a_width_is_asked() -> None:
    """Sliding protection: below or above, or a part of it on both sides."""
    cells = {
        "r": ["a", "a", "b", "b"],
        "c": ["x", "y", "x", "y"],
        "v": [10, 90, 50, 60],
        "s": ["sensitive", "safe", "safe", "safe"],
        "w": [8, 0, 0, 0],
        "n": [0, 0, 0, 0],
    }
    table = tacit.Table.from_cells(
        cells,
        by={"r": "T", "c": "T"},
        value="v",
        state="s",
        lower="n",
        upper="n",
        sliding="w",
        decimals=0,
    )
    release = suppress(tacit.assess(table), "optimal", attackers=OUTSIDER)
    assert release.gap == pytest.approx(0.0, abs=1e-6)
    assert tacit.audit(release, attackers=OUTSIDER).safe
    assert release.withheld.sum() == 4


def test_a_time_limit_leaves_a_safe_pattern_and_a_bound() -> None:
    release = suppress(
        random_table(3, (7, 7, 7)), "optimal", attackers=OUTSIDER, time_limit=12
    )
    assert tacit.audit(release, attackers=OUTSIDER).safe
    assert release.bound is not None
    assert 0 < release.bound <= release.cost


def test_whoever_interrupts_gets_the_pattern_that_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(optimal_module.Search, "run", interrupted)
    release = suppress(random_table(3, (4, 4)), "optimal", attackers=OUTSIDER)
    assert release.withheld.sum() > release.assessment.sensitive.sum()
    assert tacit.audit(release, attackers=OUTSIDER).safe
    assert release.bound is not None


def test_subtables_hold_every_relation_once_at_least() -> None:
    assessment = random_table(1, (3, 4, 2))
    cost = costs_of(assessment.table, "value")
    problem, _ = build_problem(assessment, cost, attackers=OUTSIDER)
    assert problem.geometry is not None
    subtables = subtables_of(problem.geometry)
    assert len(subtables) == 1
    part = part_of(problem, np.unique(subtables.of(0)[0]))
    assert part.relations.shape == problem.relations.shape
    assert int(subtables.of(0)[1].sum()) == 24


def test_modular_tells_a_total_that_is_frozen() -> None:
    """What stands in the way is named, and the release is not safe."""
    found = random_table(5, (3, 3))
    alone = np.zeros(len(found.table), dtype=bool)
    alone[found.table.index(d0="00", d1="10")] = True
    state = np.where(alone, State.SENSITIVE, State.FROZEN).astype(np.uint8)
    levels = np.where(alone, 5.0, 0.0)
    found = replace(found, sensitive=alone, state=state, upl=levels, lpl=levels)
    release = suppress(found, "modular", attackers=OUTSIDER)
    assert release.provenance["open"] == 1
    assert not release.safe
    assert "must stay published" in release.open_claims[0].words
