# SPDX-License-Identifier: Apache-2.0
"""Known sums of hidden cells are judged as plain Python judges them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from strategies import ancestors, tables
from tacit.audit._combinations import SumKind
from tacit.audit._judge import rule_for_sums
from tacit.audit._sums import derivable_sums
from tacit.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.rules import Rule
    from tacit.table import Table

P10 = tacit.PPercent(p=10)
RULES: list[Rule] = [
    P10,
    tacit.MinFrequency(n=3),
    P10 | tacit.MinFrequency(n=2),
    tacit.Dominance(n=2, k=85),
    P10 & tacit.MinFrequency(n=4),
    tacit.Statisticon(s=20),
]


def leaves_below(table: Table, cell: int) -> set[int]:
    """Leaf cells with contributions that lie in a cell, code by code."""
    assert table.contributions is not None
    wanted = [
        axis.codes[c]
        for axis, c in zip(table.dimensions, table.cells.codes[:, cell], strict=True)
    ]
    return {
        leaf
        for leaf in set(table.contributions.leaf.tolist())
        if all(
            code in ancestors(axis, axis.codes[c])
            for axis, code, c in zip(
                table.dimensions, wanted, table.cells.codes[:, leaf], strict=True
            )
        )
    }


def plain_leaves(table: Table, sums: dict[int, int]) -> dict[int, int]:
    """How often each leaf cell is in a combination of cells."""
    found: dict[int, int] = defaultdict(int)
    for cell, factor in sums.items():
        for leaf in leaves_below(table, cell):
            found[leaf] += factor
    return {leaf: factor for leaf, factor in found.items() if factor}


def plain_amounts(table: Table, leaves: dict[int, int]) -> list[int]:
    """What each entity adds, without its sign."""
    given_ = table.contributions
    assert given_ is not None
    entity = given_.unit if given_.holding is None else given_.holding
    amounts: dict[int, int] = defaultdict(int)
    for row, leaf in enumerate(given_.leaf.tolist()):
        if leaf in leaves:
            amounts[int(entity[row])] += leaves[leaf] * int(given_.value[row])
    sizes = [abs(amount) for amount in amounts.values()]
    taken_away = len({factor < 0 for factor in leaves.values()}) > 1
    return [size for size in sizes if size] if taken_away else sizes


def hidden_part(table: Table, row: int, hidden: NDArray[np.bool_]) -> dict[int, int]:
    matrix = table.relations.matrix
    start, end = matrix.indptr[row : row + 2]
    return {
        int(c): int(v)
        for c, v in zip(matrix.indices[start:end], matrix.data[start:end], strict=True)
        if hidden[c]
    }


def unsafe(rule: Rule, amounts: list[int]) -> bool:
    return bool(amounts) and rule.unsafe(amounts)


@st.composite
def attacked(draw: st.DrawFn) -> tuple[Table, Rule, NDArray[np.bool_]]:
    """A table whose unsafe cells are hidden, with some others."""
    table = draw(tables(max_dimensions=2, max_leaves=4))
    rule = draw(st.sampled_from(RULES))
    hidden = rule.evaluate(table).unsafe.copy()
    more = draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table)))
    return table, rule, hidden | np.array(more)


@settings(max_examples=150)
@given(attacked())
def test_line_sums_are_those_that_plain_python_finds(
    case: tuple[Table, Rule, NDArray[np.bool_]],
) -> None:
    table, rule, hidden = case
    found = derivable_sums(table, hidden, rule, rounds=0)
    expected = set()
    for row in range(len(table.relations)):
        part = hidden_part(table, row, hidden)
        amounts = plain_amounts(table, plain_leaves(table, part))
        if part and unsafe(rule, amounts):
            expected.add(row)
    assert set(found.relation[found.kind == SumKind.LINE].tolist()) == expected


def as_key(leaves: dict[int, int]) -> frozenset[tuple[int, int]]:
    """A combination of leaf cells, whatever its sign."""
    ways = [frozenset((k, s * v) for k, v in leaves.items()) for s in (1, -1)]
    return min(ways, key=sorted)


def row_of(matrix: object, k: int) -> dict[int, int]:
    start, end = matrix.indptr[k : k + 2]  # type: ignore[attr-defined]
    pairs = zip(
        matrix.indices[start:end],  # type: ignore[attr-defined]
        matrix.data[start:end],  # type: ignore[attr-defined]
        strict=True,
    )
    return {int(c): int(v) for c, v in pairs}


@settings(max_examples=150)
@given(attacked())
def test_every_reported_sum_is_known_and_unsafe(
    case: tuple[Table, Rule, NDArray[np.bool_]],
) -> None:
    table, rule, hidden = case
    value = table.cells.value
    found = derivable_sums(table, hidden, rule)
    for k in range(len(found)):
        part, shown = row_of(found.hidden, k), row_of(found.shown, k)
        assert hidden[list(part)].all()
        assert not hidden[list(shown)].any()
        assert sum(v * value[c] for c, v in part.items()) == sum(
            v * value[c] for c, v in shown.items()
        )
        amounts = plain_amounts(table, plain_leaves(table, part))
        assert unsafe(rule, amounts)
        assert found.entities[k] == len(amounts)


@settings(max_examples=100)
@given(attacked())
def test_pairs_of_relations_that_share_a_hidden_cell_are_judged(
    case: tuple[Table, Rule, NDArray[np.bool_]],
) -> None:
    table, rule, hidden = case
    found = derivable_sums(table, hidden, rule, cells=5, rounds=1)
    reported = {
        as_key(plain_leaves(table, row_of(found.hidden, k))) for k in range(len(found))
    }
    parts = [hidden_part(table, r, hidden) for r in range(len(table.relations))]
    parts = [part for part in parts if 0 < len(part) <= 5]
    for one, other in itertools.combinations(parts, 2):
        for sign in (1, -1):
            both = {c: one.get(c, 0) + sign * other.get(c, 0) for c in {**one, **other}}
            both = {c: v for c, v in both.items() if v}
            if len(both) > 5 or len(both) == len({**one, **other}):
                continue
            leaves = plain_leaves(table, both)
            if unsafe(rule, plain_amounts(table, leaves)):
                assert as_key(leaves) in reported


def two_singletons() -> tuple[Table, NDArray[np.bool_]]:
    """A row with two hidden cells of one firm each."""
    records = {
        "size": ["s", "m", "l", "l", "l"],
        "firm": ["a", "b", "c", "d", "e"],
        "sales": [50, 60, 100, 90, 80],
    }
    table = tacit.tabulate(records, by={"size": "all"}, value="sales", unit="firm")
    return table, np.isin(table.codes_of("size"), ["s", "m"])


def test_two_singletons_in_a_line_protect_each_other_only_from_outsiders() -> None:
    table, hidden = two_singletons()
    found = derivable_sums(table, hidden, P10)
    assert found.counts()["by entities"]["two entities"] == 1
    assert found.cells_of(0).tolist() == np.flatnonzero(hidden).tolist()


def test_a_third_hidden_cell_with_several_firms_cures_it() -> None:
    table, hidden = two_singletons()
    hidden[:] = True
    hidden[table.find({})] = False
    assert derivable_sums(table, hidden, P10).safe


def blocks() -> tuple[Table, NDArray[np.bool_]]:
    """Both regions are hidden, and one part of each: T - A1 - B1 is one firm's."""
    tree = tacit.Hierarchy.from_parents(
        {"A1": "A", "A2": "A", "B1": "B", "B2": "B", "A": "T", "B": "T"}
    )
    records = {
        "region": ["A1", "A1", "A1", "A2", "B1", "B1", "B1", "B2"],
        "firm": ["a", "b", "c", "x", "d", "e", "f", "x"],
        "sales": [10, 11, 12, 100, 13, 14, 15, 200],
    }
    table = tacit.tabulate(records, by={"region": tree}, value="sales", unit="firm")
    return table, np.isin(table.codes_of("region"), ["A", "B", "A2", "B2"])


def test_a_sum_over_two_hidden_totals_is_found() -> None:
    table, hidden = blocks()
    found = derivable_sums(table, hidden, tacit.MinFrequency(n=3))
    assert len(found) == 1
    assert found.kind.tolist() == [SumKind.BLOCK]
    assert found.entities.tolist() == [1]
    assert found.describe(0) == (
        "(region = A2) + (region = B2) = (region = T) - (region = A1) - (region = B1)"
    )


def test_a_chain_of_two_lines_is_found() -> None:
    """Row a leaves x + y, column p leaves x + z; their difference is y - z."""
    records = {
        "row": ["a", "a", "b", "b", "a", "b", "a", "b", *"cccccc"],
        "col": ["p", "q", "p", "q", "r", "r", "p", "q", *"ppqqrr"],
        "firm": [*"wxyzuvst", *"123456"],
        "sales": [5, 60, 90, 7, 3, 4, 6, 8, *[30] * 6],
    }
    table = tacit.tabulate(
        records, by={"row": "T", "col": "T"}, value="sales", unit="firm"
    )
    row, col = table.codes_of("row"), table.codes_of("col")
    hidden = np.isin(row, ["a", "b"]) & np.isin(col, ["p", "q"])
    rule = tacit.MinFrequency(n=3)
    assert len(derivable_sums(table, hidden, rule, rounds=0)) == 0
    found = derivable_sums(table, hidden, rule)
    words = [found.describe(k) for k in range(len(found))]
    assert set(found.kind.tolist()) == {SumKind.CHAIN}
    assert any(
        word.startswith("(row = b, col = p) - (row = a, col = q) = ") for word in words
    )


def test_an_entity_in_two_hidden_cells_is_one() -> None:
    table, hidden = two_singletons()
    assert table.contributions is not None
    same = replace(table.contributions, holding=np.zeros(5, dtype=np.int64))
    found = derivable_sums(table.updated(contributions=same), hidden, P10)
    assert found.entities.tolist() == [1]


def test_with_few_chains_allowed_it_says_that_there_are_more() -> None:
    inner = np.arange(1, 26)
    records = {
        "row": np.repeat(list("abcde"), 5).tolist(),
        "col": np.tile(list("pqrst"), 5).tolist(),
        "firm": inner.tolist(),
        "sales": inner.tolist(),
    }
    table = tacit.tabulate(
        records, by={"row": "T", "col": "T"}, value="sales", unit="firm"
    )
    row, col = table.codes_of("row"), table.codes_of("col")
    hidden = (row != "T") & (col != "T")
    few = derivable_sums(table, hidden, P10, cells=8, most=3)
    assert few.judged["chain"] == 3
    assert not few.complete
    assert derivable_sums(table, hidden, P10, cells=8).complete


@settings(max_examples=40)
@given(tables(max_dimensions=2, negatives=True), st.data())
def test_negative_contributions_need_a_policy_and_keep_their_sign(
    table: Table, data: st.DataObject
) -> None:
    bits = st.lists(st.booleans(), min_size=len(table), max_size=len(table))
    hidden = np.array(data.draw(bits))
    rule = tacit.PPercent(p=10, negatives="absolute")
    found = derivable_sums(table, hidden, rule)
    for k in range(len(found)):
        leaves = plain_leaves(table, row_of(found.hidden, k))
        assert unsafe(rule, plain_amounts(table, leaves))


def test_waivers_and_requests_are_asked_of_the_sum() -> None:
    records = {
        "size": ["s", "m", "l", "l", "l"],
        "firm": ["a", "b", "c", "d", "e"],
        "sales": [90, 5, 100, 90, 80],
        "agreed": [True, False, False, False, False],
        "asked": [1, 0, 0, 0, 0],
    }
    table = tacit.tabulate(
        records,
        by={"size": "all"},
        value="sales",
        unit="firm",
        waiver="agreed",
        request="asked",
    )
    hidden = np.isin(table.codes_of("size"), ["s", "m"])
    assert len(derivable_sums(table, hidden, tacit.RequestRule(percent_1=70))) == 1
    assert len(derivable_sums(table, hidden, tacit.RequestRule(percent_1=97))) == 0
    # 90 agreed to be known; what is left of the sum protects 5 from whoever gave 90
    assert derivable_sums(table, hidden, P10).upper.tolist() == [0.5]


def test_what_cannot_be_judged_says_why() -> None:
    table, hidden = two_singletons()
    cells = tacit.Table.from_cells(
        {"size": ["s", "m"], "n": [2, 3]}, by={"size": "all"}, count="n"
    )
    none = np.zeros(3, dtype=bool)
    for given_, marks, rule, reason in [
        (cells, none, P10, "the table came as cells"),
        (table, hidden, None, "no rule was given"),
        (table, hidden, tacit.GroupDisclosure(dimension="size"), "groups of cells"),
    ]:
        found = derivable_sums(given_, marks, rule)
        assert not found.checked
        assert not found.safe
        assert reason in found.reason
        assert reason in repr(found)


def test_weighted_contributions_are_not_judged() -> None:
    records = {"size": ["s", "m"], "firm": [1, 2], "sales": [3, 4], "w": [1.5, 2]}
    table = tacit.tabulate(
        records, by={"size": "all"}, value="sales", unit="firm", weight="w"
    )
    found = derivable_sums(table, np.array([False, True, True]), P10)
    assert "weighted" in found.reason


def test_rules_about_groups_are_left_out_of_a_set() -> None:
    group = tacit.GroupDisclosure(dimension="size")
    assert rule_for_sums(P10 | group) == P10
    assert rule_for_sums(P10 | group | tacit.MinFrequency(n=3)) == (
        P10 | tacit.MinFrequency(n=3)
    )


def test_nothing_hidden_and_everything_hidden() -> None:
    table, hidden = two_singletons()
    assert derivable_sums(table, np.zeros_like(hidden), P10).safe
    assert derivable_sums(table, np.ones_like(hidden), P10).safe


def test_a_pattern_that_does_not_fit_is_refused() -> None:
    table, _ = two_singletons()
    with pytest.raises(InputError, match=r"of the 4 cells .* boolean array"):
        derivable_sums(table, np.array([0, 1, 1, 0]), P10)
    with pytest.raises(InputError, match="has the shape"):
        derivable_sums(table, np.array([True]), P10)


def test_no_value_is_shown() -> None:
    table, hidden = two_singletons()
    found = derivable_sums(table, hidden, P10)
    assert "110" not in repr(found) + found.describe(0) + str(found.counts())
