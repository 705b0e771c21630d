# SPDX-License-Identifier: Apache-2.0
"""Flows through a table of one hierarchy, and the tables that are none."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import tacit
from brute import insider_shortfalls, shortfalls
from conformance.cases import networks
from tacit import Attacker, Hierarchy, Table
from tacit.errors import InputError
from tacit.protect.suppress import suppress
from tacit.protect.suppress._build import build_problem
from tacit.protect.suppress._network import Routes
from tacit.protect.suppress._presolve import components, presolve
from tacit.protect.suppress._progress import Clock

if TYPE_CHECKING:
    from tacit import Assessment

OUTSIDER = (Attacker(),)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(networks(counts=True))
def test_counts_are_safe_from_everyone(assessment: Assessment) -> None:
    release = suppress(assessment, "network")
    short = shortfalls(release) or insider_shortfalls(release)
    assert bool(short) == bool(release.provenance["open"])


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(networks())
def test_every_flow_is_one_more_table(assessment: Assessment) -> None:
    """All flows keep all relations, where cells are merged or left out as well."""
    cost = np.abs(assessment.table.cells.value) + 1.0
    whole, _ = build_problem(assessment, cost, attackers=OUTSIDER)
    for part in components(presolve(whole).problem):
        problem = part.problem
        assert problem.geometry is not None
        routes = Routes(problem, problem.geometry)
        routes.find_all(Clock())
        moves = routes.moves()
        assert len(moves) == sum(len(flows) for flows in routes.flows.values())
        used = np.zeros(len(problem), dtype=bool)
        for move in moves:
            assert not (problem.relations[:, move.cells] @ move.amounts).any()
            used[move.cells] = True
        assert (routes.hidden == used | problem.sensitive | problem.forced).all()


def narrow() -> Assessment:
    """A row whose cells have little room each: one other cell is not enough."""
    cells = list(product("ab", "vwxyz"))
    frame = {
        "r": [r for r, _ in cells],
        "c": [c for _, c in cells],
        "v": [20, 5, 5, 5, 90, 20, 5, 5, 5, 90],
        "s": ["sensitive", *["safe"] * 9],
        "n": [12.0, *[0.0] * 9],
    }
    table = Table.from_cells(
        frame, by={"r": "T", "c": "T"}, value="v", state="s", lower="n", upper="n"
    )
    return tacit.assess(table)


def test_an_amount_goes_several_ways_where_that_is_cheaper() -> None:
    """Three cells of 5 in both rows carry 12; the cell of 90 would do it alone."""
    release = suppress(narrow(), "network", attackers=OUTSIDER)
    table = release.table
    other = release.withheld & ~release.assessment.sensitive
    hidden = {table.describe_cell(cell) for cell in np.flatnonzero(other).tolist()}
    three = {f"r = {r}, c = {c}" for r in "ab" for c in "wxy"}
    assert hidden == {*three, "r = b, c = v"}
    assert release.provenance["alone"]["cost"] == release.cost == 50
    assert not shortfalls(release)


def of(*trees: Hierarchy | list[Hierarchy]) -> Table:
    names = [f"d{d}" for d in range(len(trees))]
    first = [tree[0] if isinstance(tree, list) else tree for tree in trees]
    cells = list(product(*([c for c in t.codes if c in t.leaf_codes] for t in first)))
    frame = {n: [c[d] for c in cells] for d, n in enumerate(names)}
    frame["v"] = list(range(2, len(cells) + 2))
    return Table.from_cells(
        frame, by=dict(zip(names, trees, strict=True)), value="v", count="v"
    )


LEVELS = Hierarchy.from_parents(
    {"a": "A", "b": "A", "c": "B", "d": "B", "A": "T", "B": "T"}, total="T"
)
OTHER = Hierarchy.from_parents(
    {"a": "C", "d": "C", "b": "D", "c": "D", "C": "T", "D": "T"}, total="T"
)
FLAT = Hierarchy.flat(["x", "y"], total="T")


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (of(FLAT, FLAT, FLAT), "it has 3 dimensions"),
        (of(LEVELS, OTHER), "'d0' and 'd1' both have levels between total and leaves"),
        (of([LEVELS, OTHER], FLAT), "'d0' has 2 hierarchies"),
        (
            tacit.link({"one": of(LEVELS, FLAT), "two": of(LEVELS, FLAT)}),
            "it is linked from other tables, or has equations of its own",
        ),
    ],
)
def test_other_tables_are_refused(table: Table, why: str) -> None:
    with pytest.raises(InputError) as caught:
        suppress(tacit.assess(table, tacit.MinFrequency(n=3)), "network")
    assert str(caught.value) == (
        "The method 'network' is for one table of two dimensions (or one), of which at "
        "most one has levels between its total and its leaves, with one hierarchy "
        f"each. This table is not: {why}. Use 'auto', which protects any table, or "
        "'hypercube'."
    )


def test_one_dimension_is_a_network_too() -> None:
    release = suppress(
        tacit.assess(of(LEVELS), tacit.MinFrequency(n=3)), "network", cost="unit"
    )
    # 2 of 2 + 3 + 4 + 5: its sister is withheld with it.
    assert release.summary()["secondary"] == 1
    assert not shortfalls(release)
