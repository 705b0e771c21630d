# SPDX-License-Identifier: Apache-2.0
"""Hypercube and network against the cheapest pattern of small tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings

from brute import shortfalls
from cheapest import cheapest_cost, deep, flat, small_assessments
from tacit import Attacker
from tacit.protect.suppress import suppress
from tacit.protect.suppress._costs import costs_of

if TYPE_CHECKING:
    from tacit import Assessment
    from tacit.protect.suppress._methods import Method

OUTSIDER = (Attacker(),)


FLAT = [(flat("r", 4), flat("c", 4)), (flat("r", 3), flat("c", 2))]
HIERARCHY = [(deep("r"), flat("c", 3)), (flat("r", 2), deep("c"))]
OTHERS = [
    tuple(flat(letter, 3) for letter in "rcs"),
    (deep("r"), deep("c")),
    (deep("r"), flat("c", 2), flat("s", 2)),
]
few = settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def check(assessment: Assessment, method: Method) -> None:
    """Safe, no cheaper than the cheapest, and not cheaper than it says."""
    for cost in ("value", "unit"):
        release = suppress(assessment, method, cost=cost, attackers=OUTSIDER)
        price = costs_of(assessment.table, cost)
        assert release.provenance["open"] == bool(shortfalls(release))
        other = release.withheld & ~assessment.sensitive
        assert release.cost == pytest.approx(price[other].sum())
        if not release.provenance["open"]:
            assert release.cost >= cheapest_cost(assessment, price) * (1 - 1e-6) - 1e-6


@pytest.mark.parametrize("method", ["hypercube", "network"])
def test_networks_cost_at_least_the_optimum(method: Method) -> None:
    @few
    @given(small_assessments(*FLAT, *HIERARCHY))
    def run(assessment: Assessment) -> None:
        check(assessment, method)

    run()


@few
@given(small_assessments(*OTHERS, most=3))
def test_boxes_cost_at_least_the_optimum(assessment: Assessment) -> None:
    check(assessment, "hypercube")
