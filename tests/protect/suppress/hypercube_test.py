# SPDX-License-Identifier: Apache-2.0
"""Which boxes the hypercube method hides, by going through all of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit import Attacker, Hierarchy, Table
from tacit.attacker import default_attackers
from tacit.protect.suppress import suppress
from tacit.protect.suppress._build import build_problem
from tacit.protect.suppress._costs import costs_of
from tacit.protect.suppress._hypercube import boxes_of, pattern
from tacit.protect.suppress._parallel import Crew
from tacit.protect.suppress._progress import Clock

if TYPE_CHECKING:
    from tacit import Assessment
    from tacit.protect.suppress._hypercube import Boxes
    from tacit.protect.suppress._problem import Problem

OUTSIDER = (Attacker(),)


def one_sensitive(
    sizes: tuple[int, ...],
    seed: int,
    need: float,
    *,
    margin: bool = False,
    width: float | None = None,
) -> Assessment:
    """A flat table with one sensitive cell, inside it or on its margin."""
    random = np.random.default_rng(seed)
    names = [[f"{'rcs'[d]}{i}" for i in range(n)] for d, n in enumerate(sizes)]
    every = [["T", *codes] for codes in names]
    inner = random.integers(0, 40, sizes)
    cells = list(product(*every))
    values = [
        int(inner[np.ix_(*([names[d].index(c)] if c != "T" else range(sizes[d])
                          for d, c in enumerate(cell)))].sum())
        for cell in cells
    ]  # fmt: skip
    fits = [
        k
        for k, cell in enumerate(cells)
        if values[k] >= max(need, 1) and ("T" in cell) == margin and set(cell) != {"T"}
    ]
    target = fits[seed % len(fits)] if fits else len(cells) - 1
    frame: dict[str, Any] = {f"d{d}": [c[d] for c in cells] for d in range(len(sizes))}
    frame |= {"v": values, "s": ["safe"] * len(cells), "n": [0.0] * len(cells)}
    frame["s"][target], frame["n"][target] = "sensitive", need
    more: dict[str, Any] = {}
    if width is not None:
        frame["low"] = [v - round(width * v) for v in values]
        frame["high"] = [v + round(width * v) for v in values]
        more["bounds"] = ("low", "high")
    table = Table.from_cells(
        frame,
        by={f"d{d}": "T" for d in range(len(sizes))},
        value="v",
        state="s",
        lower="n",
        upper="n",
        decimals=0,
        **more,
    )
    return tacit.assess(table)


def problem_of(
    found: Assessment, cost: str, attackers: tuple[Attacker, ...] = OUTSIDER
) -> Problem:
    price = costs_of(found.table, cost)
    return build_problem(found, price, attackers=attackers)[0]


def boxes(problem: Problem) -> Boxes:
    assert problem.geometry is not None
    return boxes_of(problem, problem.geometry, Clock())


def cheapest_box(problem: Problem) -> float | None:
    """Least cost of a box that goes far enough, all boxes tried; None if none does."""
    place = problem.geometry
    assert place is not None
    at = {tuple(codes): cell for cell, codes in enumerate(place.codes.T.tolist())}
    target = int(np.flatnonzero(problem.sensitive)[0])
    own = place.codes[:, target].tolist()
    sizes = np.diff(place.trees[0]).tolist()
    costs = []
    for other in product(*([c for c in range(n) if c != o]
                           for n, o in zip(sizes, own, strict=True))):  # fmt: skip
        up = down = np.inf
        cost = 0.0
        for taken in product((False, True), repeat=len(own)):
            corner = tuple(
                o if use else w for use, w, o in zip(taken, own, other, strict=True)
            )
            if corner not in at:
                break
            cell = at[corner]
            # Two parts move against each other, a part and the total (code 0) alike.
            turns = sum(
                use and 0 not in (w, o)
                for use, w, o in zip(taken, own, other, strict=True)
            )
            room = problem.room_up[cell], problem.room_down[cell]
            up, down = min(up, room[turns % 2]), min(down, room[1 - turns % 2])
            cost += problem.cost[cell] * (cell != target)
        else:
            if up >= problem.need_up[target] and down >= problem.need_down[target]:
                costs.append(cost)
    return min(costs, default=None)


@settings(max_examples=150)
@given(
    sizes=st.sampled_from([(3, 3), (2, 5), (3, 2, 3)]),
    seed=st.integers(0, 5_000),
    need=st.integers(1, 25),
    margin=st.booleans(),
    cost=st.sampled_from(["value", "unit"]),
    width=st.sampled_from([None, 0.4]),
)
def test_the_cheapest_sufficient_box_is_hidden(
    sizes: tuple[int, ...],
    seed: int,
    need: int,
    margin: bool,  # noqa: FBT001 - drawn
    cost: str,
    width: float | None,
) -> None:
    problem = problem_of(
        one_sensitive(sizes, seed, need, margin=margin, width=width), cost
    )
    least = cheapest_box(problem)
    found = boxes(problem)
    other = found.hidden & ~problem.sensitive
    if least is not None:
        assert problem.cost[other].sum() == pytest.approx(least)
        assert other.sum() == 2 ** len(sizes) - 1
    for move in found.moves:
        left = problem.relations[:, move.cells] @ move.amounts
        assert not left.any()


def test_at_equal_cost_small_cells_inside_come_before_margins() -> None:
    rows = {"r": list("aaabbbccc"), "c": list("xyz") * 3}
    rows["v"] = [5, 40, 60, 50, 60, 70, 30, 9, 8]
    state = ["sensitive", *["safe"] * 8]
    table = Table.from_cells(
        rows | {"s": state, "n": [3.0, *[0.0] * 8]},
        by={"r": "T", "c": "T"},
        value="v",
        state="s",
        lower="n",
        upper="n",
    )
    problem = problem_of(tacit.assess(table), "unit")
    hidden = np.flatnonzero(boxes(problem).hidden)
    # ln 40 + ln 30 + ln 9 is less than that of any other box without a total.
    assert {table.describe_cell(cell) for cell in hidden.tolist()} == {
        "r = a, c = x", "r = a, c = y", "r = c, c = x", "r = c, c = y",
    }  # fmt: skip


def test_a_corner_of_one_contributor_asks_for_a_second_box() -> None:
    """Whoever fills that corner knows the whole box."""
    firms = [("a", "x", 9, 1), ("a", "x", 1, 2), ("a", "y", 4, 3), ("b", "x", 5, 4)]
    firms += [("b", "y", 6, 5), ("b", "x", 4, 6), ("b", "y", 7, 7)]
    firms += [("ab"[i % 2], "z", 200 + i, 10 + i) for i in range(8)]
    firms += [("c", "xyz"[i % 3], 300 + i, 20 + i) for i in range(9)]
    columns = dict(
        zip(("r", "c", "v", "u"), map(list, zip(*firms, strict=True)), strict=True)
    )
    table = tacit.tabulate(columns, by={"r": "T", "c": "T"}, value="v", unit="u")
    found = tacit.assess(table, tacit.PPercent(p=15))
    target = table.index(r="a", c="x")
    found = replace(found, sensitive=np.arange(len(table)) == target)
    problem = problem_of(found, "value", default_attackers())
    alone = table.index(r="a", c="y")
    assert problem.owner[alone] >= 0
    hidden = boxes(problem).hidden
    assert hidden[alone]
    # The second box leaves that corner alone, and so that row's other cell is hidden.
    assert hidden[table.index(r="a", c="z")]
    # An outsider alone knows no corner: one box is enough.
    assert boxes(problem_of(found, "value")).hidden.sum() == 4


def test_corners_are_protected_in_their_other_subtables() -> None:
    """A total that is hidden is hidden below as well."""
    tree = Hierarchy.from_parents(
        {"a1": "a", "a2": "a", "b1": "b", "b2": "b", "a": "T", "b": "T"}, total="T"
    )
    cells = list(product(("a1", "a2", "b1", "b2"), "xyz"))
    frame = {
        "r": [r for r, _ in cells],
        "c": [c for _, c in cells],
        "v": [20, 30, 40, 25, 35, 45, 21, 31, 41, 26, 36, 46],
    }
    table = Table.from_cells(frame, by={"r": tree, "c": "T"}, value="v")
    found = tacit.assess(table, margin=10)
    upl = np.zeros(len(table))
    sensitive = np.arange(len(table)) == table.index(r="a", c="x")
    upl[sensitive] = 6
    state = np.where(sensitive, 1, 0).astype(np.uint8)
    found = replace(found, sensitive=sensitive, upl=upl, lpl=upl, state=state)
    problem = problem_of(found, "value")
    result = boxes(problem)
    inside = [table.index(r=r, c=c) for r in ("a1", "a2") for c in "xyz"]
    assert result.hidden[inside].sum() >= 2
    release = suppress(found, "hypercube", attackers=OUTSIDER)
    assert not release.provenance["open"]
    assert release.provenance["alone"]["short"] == 0


def test_without_places_it_works_over_the_relations() -> None:
    found = one_sensitive((3, 3), 7, 5)
    problem = replace(problem_of(found, "value"), geometry=None)
    outcome = pattern(problem, clock=Clock(), crew=Crew(1))
    assert not len(outcome.open)
    assert outcome.ledger is not None
    assert outcome.ledger.moves


def test_the_release_says_what_the_method_did_alone() -> None:
    release = suppress(one_sensitive((3, 3), 3, 4), "hypercube", attackers=OUTSIDER)
    alone = release.provenance["alone"]
    assert alone["secondary"] == 3
    assert alone["added"] == alone["short"] == 0
    assert release.repaired == (
        "Hypercube alone withheld 3 cells beside the sensitive ones and left none of "
        "these without a proof. Repair added 0 cells (+0.0% of that cost). Insiders, "
        "sums and clean-up done, it is 3 cells at 100.0%."
    )
    assert suppress(one_sensitive((3, 3), 3, 4)).repaired == ""
