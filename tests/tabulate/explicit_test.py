# SPDX-License-Identifier: Apache-2.0
"""A table equals the one that plain Python computes, cell by cell."""

from __future__ import annotations

import itertools
from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit import Hierarchy, Table, tabulate

CHAIN = Hierarchy.from_parents(
    {"a": "T", "b": "T", "a1": "a", "a2": "a", "b1": "b", "b11": "b1", "c": "T"}
)
PROVINCES = Hierarchy.from_parents({"1": "N", "2": "N", "3": "S", "N": "T", "S": "T"})
MARKETS = Hierarchy.from_parents({"1": "W", "2": "E", "3": "E", "W": "T", "E": "T"})
OTHERWISE = Hierarchy.from_parents({"1": "P", "2": "P", "P": "all", "3": "all"})
FLAT = Hierarchy.flat(["m", "f"], total="T")
SHAPES: list[tuple[Hierarchy, ...]] = [
    (FLAT,),
    (CHAIN,),
    (PROVINCES,),
    (PROVINCES, MARKETS),
    (PROVINCES, OTHERWISE),
]
WEIGHTS = [
    Fraction(1),
    Fraction(5, 2),
    Fraction(1, 50),
    Fraction(7),
    Fraction(3, 10),
    Fraction(1234567, 1000000),
]


def above(trees: tuple[Hierarchy, ...], leaf: str) -> set[str]:
    """A leaf and every code above it in any tree."""
    found = {leaf}
    for tree in trees:
        if leaf not in tree.codes:
            continue
        here = tree.codes.index(leaf)
        while here >= 0:
            found.add(tree.codes[here])
            here = int(tree.parents[here])
    return found


def half_even(x: Fraction) -> int:
    return round(x)


def explicit(
    rows: list[dict[str, Any]], trees: list[tuple[Hierarchy, ...]], how: dict[str, Any]
) -> dict[tuple[str, ...], dict[str, Any]]:
    """Group the records anew in every cell, and look."""
    leaves: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    cells: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    value: dict[tuple[str, ...], int] = defaultdict(int)
    for row in rows:
        leaves[row["codes"]].append(row)
    for leaf, inside in leaves.items():
        exact = half_even(sum(r["w"] * r["x"] for r in inside))
        for cell in itertools.product(*map(above, trees, leaf)):
            cells[cell] += inside
            value[cell] += exact
    return {
        cell: {"value": value[cell], **describe(inside, how)}
        for cell, inside in cells.items()
    }


def describe(inside: list[dict[str, Any]], how: dict[str, Any]) -> dict[str, Any]:
    entities: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for row in inside:
        entities[row["entity"]].append(row)
    x = {e: abs(sum(r["x"] for r in own)) for e, own in entities.items()}
    wx = {e: abs(sum(r["w"] * r["x"] for r in own)) for e, own in entities.items()}
    amount = wx if how["weights"] == "expanded" else x
    ranked = sorted(x, key=lambda e: (-amount[e], e))
    units = {(r["entity"], r["unit"]): r["w"] for r in inside}
    for r in inside:
        key = (r["entity"], r["unit"])
        units[key] = max(units[key], r["w"])
    largest = [(amount[e], e) for e in ranked[:3]]
    if how["weight"] and how["weights"] == "partial":
        largest = virtual([(x[e], units[e, entities[e][0]["unit"]], e) for e in ranked])
    unwaived = [amount[e] for e in x if not all(r["waived"] for r in entities[e])]
    asked = {
        flag: [amount[e] for e in x if any(r["request"] == flag for r in entities[e])]
        for flag in (1, 2)
    }
    return {
        "contributors": len(x),
        "units": len(units),
        "records": len(inside),
        "nonzero": sum(sum(r["x"] for r in own) != 0 for own in entities.values()),
        "total": sum(wx.values()) if how["weight"] else sum(x.values()),
        "largest": largest,
        "unwaived": max(unwaived, default=0),
        "requested": [max(asked[1], default=0), max(asked[2], default=0)],
        "sum_of_weights": sum(units.values()),
        "largest_unweighted": max(x.values()),
        "cost": sum(r["w"] * r["cost"] for r in inside),
    }


def virtual(ranked: list[tuple[int, Fraction, Any]]) -> list[tuple[Fraction, Any]]:
    """Let every contribution occur as often as its weight says; take three units."""
    found = []
    for j in range(3):
        start, share = Fraction(0), []
        for x, w, e in ranked:
            inside = min(start + w, j + 1) - max(start, Fraction(j))
            if inside > 0:
                share.append((inside, x * inside, e))
            start += w
        if share:
            owner = max(share, key=lambda item: item[0])[2]
            found.append((sum(item[1] for item in share), owner))
    return found


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3))
    leaves = [sorted(trees[0].leaf_codes) for trees in shapes]
    weight = draw(st.booleans())
    weights = draw(st.sampled_from(["partial", "sample", "expanded"]))
    entity = draw(st.sampled_from(["record", "unit", "holding", "lonely holding"]))
    if "holding" in entity and weight and weights == "partial":
        entity = "unit"
    number = draw(st.integers(1, 5))
    group = draw(st.lists(st.integers(1, 3), min_size=number, max_size=number))
    own = draw(st.lists(st.sampled_from(WEIGHTS), min_size=number, max_size=number))
    low = draw(st.sampled_from([1, 0, -6]))
    # Sums of the largest leave no room for an entity in the same 63 bits.
    large = [5, 10**6] if weight else [10**6, 3 * 10**17]
    one = st.fixed_dictionaries(
        {
            "codes": st.tuples(*(st.sampled_from(codes) for codes in leaves)),
            "unit": st.integers(0, number - 1),
            "x": st.integers(low, 9) | st.sampled_from(large),
            "w": st.sampled_from(WEIGHTS),
            "waived": st.booleans(),
            "request": st.integers(0, 2),
            "cost": st.integers(0, 5),
        }
    )
    rows = draw(st.lists(one, min_size=1, max_size=14))
    for i, row in enumerate(rows):
        unit = row["unit"]
        if entity == "unit" and weights == "partial":
            row["w"] = own[unit]
        row["w"] = Fraction(round(row["w"] * 10**6), 10**6) if weight else Fraction(1)
        row["holding"] = group[unit]
        if entity in {"record", "lonely holding"}:
            row["unit"] = unit = i
        row["entity"] = {"record": i, "unit": unit}.get(entity, row["holding"])
    how = {"weight": weight, "weights": weights, "entity": entity}
    return {"rows": rows, "shapes": shapes, "how": how}


def run(problem: dict[str, Any]) -> Table:
    rows, how = problem["rows"], problem["how"]
    data: dict[str, Any] = {
        f"d{i}": [row["codes"][i] for row in rows]
        for i in range(len(problem["shapes"]))
    }
    by = {f"d{i}": list(trees) for i, trees in enumerate(problem["shapes"])}
    for name in ("x", "waived", "request", "cost"):
        data[name] = [row[name] for row in rows]
    data["w"] = [float(row["w"]) for row in rows]
    # Ids whose order as text is not that of the rows.
    data["unit"] = [f"u{9 - row['unit']}" for row in rows]
    data["holding"] = [70 - row["holding"] for row in rows]
    named = {
        "unit": {"unit": "unit"},
        "holding": {"unit": "unit", "holding": "holding"},
    }
    named["lonely holding"] = {"holding": "holding"}
    if how["weight"]:
        named.setdefault(how["entity"], {})["weight"] = "w"
    return tabulate(
        data,
        by=by,
        value="x",
        waiver="waived",
        request="request",
        cost="cost",
        weights=how["weights"],
        **named.get(how["entity"], {}),
    )


def number_of(problem: dict[str, Any]) -> dict[Any, int]:
    """Numbers go up with the ids as they are in the data."""
    entities = {row["entity"] for row in problem["rows"]}
    return {e: i for i, e in enumerate(sorted(entities, reverse=True))}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problem=problems())
def test_every_cell_equals_the_explicit_method(problem: dict[str, Any]) -> None:
    table, how = run(problem), problem["how"]
    named = how["entity"] != "record"
    number = number_of(problem)
    for row in problem["rows"]:
        # Ties go by number, so let the explicit method rank by it too.
        row["entity"] = number[row["entity"]] if named else row["entity"]
    expected = explicit(problem["rows"], problem["shapes"], how)
    assert len(table) == len(expected)
    evidence = table.evidence
    assert evidence is not None
    for cell in range(len(table)):
        want = expected[tuple(table.labels_of(cell).values())]
        assert table.cells.value[cell] == want["value"]
        assert table.cells.cost[cell] == pytest.approx(float(want["cost"]))
        for name in ("contributors", "records", "nonzero"):
            assert getattr(evidence, name)[cell] == want[name], name
        if "holding" in how["entity"]:
            assert evidence.units[cell] == want["units"]
        assert evidence.total[cell] == pytest.approx(float(want["total"]))
        amounts = [float(amount) for amount, _ in want["largest"]]
        amounts += [0.0] * (3 - len(amounts))
        assert evidence.largest[cell].tolist() == pytest.approx(amounts)
        if named:
            who = [e for _, e in want["largest"]]
            assert evidence.entities[cell].tolist() == who + [-1] * (3 - len(who))
        assert evidence.unwaived[cell] == pytest.approx(float(want["unwaived"]))
        asked = [float(amount) for amount in want["requested"]]
        assert evidence.requested[cell].tolist() == pytest.approx(asked)
        if how["weight"]:
            weight = float(want["sum_of_weights"])
            assert evidence.sum_of_weights[cell] == pytest.approx(weight)
            assert evidence.largest_unweighted[cell] == want["largest_unweighted"]


@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_contributions_hold_what_each_unit_gave_to_each_leaf_cell(
    problem: dict[str, Any],
) -> None:
    table = run(problem)
    given_ = table.contributions
    assert given_ is not None
    assert (np.diff(given_.leaf) >= 0).all()
    sums: dict[tuple[tuple[str, ...], Any], int] = defaultdict(int)
    for row in problem["rows"]:
        sums[row["codes"], row["unit"]] += row["x"]
    found = [tuple(table.labels_of(leaf).values()) for leaf in given_.leaf.tolist()]
    want = sorted((codes, x) for (codes, _), x in sums.items())
    assert sorted(zip(found, given_.value.tolist(), strict=True)) == want


@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_relations_hold_exactly(problem: dict[str, Any]) -> None:
    table = run(problem)
    assert not (table.relations.matrix @ table.cells.value).any()


@settings(max_examples=40, deadline=None)
@given(problem=problems(), chance=st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(
    problem: dict[str, Any], chance: Any
) -> None:
    before = run(problem)
    chance.shuffle(problem["rows"])
    after = run(problem)
    for noun in ("cells", "evidence", "contributions"):
        for name, column in vars(getattr(before, noun)).items():
            other = getattr(getattr(after, noun), name)
            if isinstance(column, np.ndarray):
                assert column.tobytes() == other.tobytes(), (noun, name)


@settings(max_examples=40, deadline=None)
@given(problem=problems().filter(lambda p: p["how"]["entity"] != "record"))
def test_splitting_a_contribution_over_records_does_not_matter(
    problem: dict[str, Any],
) -> None:
    if problem["how"]["entity"] == "lonely holding":
        return
    before = run(problem)
    halves = [dict(row) for row in problem["rows"]]
    for row, half in zip(problem["rows"], halves, strict=True):
        half["x"] = row["x"] // 2
        row["x"] -= half["x"]
        half["cost"] = 0
    problem["rows"] += halves
    after = run(problem)
    for name, column in vars(before.evidence).items():
        if isinstance(column, np.ndarray) and name != "records":
            other = getattr(after.evidence, name)
            assert column.tobytes() == other.tobytes(), name
    assert before.cells.value.tobytes() == after.cells.value.tobytes()
