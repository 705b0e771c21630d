# SPDX-License-Identifier: Apache-2.0
"""An assessment depends on who contributed what, and on nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from strategies import tables
from tacit import Hierarchy
from tacit.rules import AllOf, AnyOf, Dominance, MinFrequency, PPercent, Rule, profiles
from tacit.table import State, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

Record = tuple[str, str, str, int]

REGIONS = Hierarchy.from_parents(
    {"a1": "a", "a2": "a", "a": "all", "b": "all"}, total="all"
)
RULES: list[Rule] = [
    PPercent(p=10),
    PPercent(p=25, coalition=2),
    Dominance(n=1, k=60),
    Dominance(n=2, k=85),
    MinFrequency(n=3, margin=10),
]
records = st.lists(
    st.tuples(
        st.sampled_from(["a1", "a2", "b"]),
        st.sampled_from(["f", "m"]),
        st.sampled_from("pqrstuvw"),
        st.integers(0, 400),
    ),
    min_size=1,
    max_size=20,
)
one_rule = st.sampled_from(RULES)
rules = one_rule | st.builds(
    lambda kind, parts: kind(rules=tuple(parts)),
    st.sampled_from([AnyOf, AllOf]),
    st.lists(one_rule, min_size=1, max_size=3),
)
FEW = settings(max_examples=15, deadline=None)


def columns(rows: Sequence[Record]) -> dict[str, list[Any]]:
    names = ("region", "sex", "firm", "amount")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def assessed(source: Any, rule: Rule) -> tacit.Assessment:
    table = tacit.tabulate(
        source, by={"region": REGIONS, "sex": "all"}, value="amount", unit="firm"
    )
    return tacit.assess(table, rule)


def same(one: tacit.Assessment, other: tacit.Assessment) -> None:
    np.testing.assert_array_equal(one.table.cells.codes, other.table.cells.codes)
    for name in ("state", "sensitive", "upl", "lpl", "spl"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert list(one.reasons) == list(other.reasons)
    for label, fired in one.reasons.items():
        np.testing.assert_array_equal(fired, other.reasons[label])


@FEW
@given(records, rules, st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(
    rows: list[Record], rule: Rule, random: Any
) -> None:
    shuffled = random.sample(rows, len(rows))
    same(assessed(columns(rows), rule), assessed(columns(shuffled), rule))


@FEW
@given(records, rules, st.data())
def test_splitting_a_record_does_not_matter(
    rows: list[Record], rule: Rule, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(rows) - 1))
    *who, amount = rows[place]
    part = data.draw(st.integers(0, amount))
    split = [*rows, (*who, part)]
    split[place] = (*who, amount - part)
    same(assessed(columns(rows), rule), assessed(columns(split), rule))


@FEW
@given(records, rules)
def test_the_library_of_the_frame_does_not_matter(
    rows: list[Record], rule: Rule
) -> None:
    pandas, polars, arrow = (
        pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow")
    )
    data = columns(rows)
    plain = assessed(data, rule)
    for make in (pandas.DataFrame, polars.DataFrame, arrow.table):
        found = assessed(make(data), rule)
        same(plain, found)
        assert isinstance(found.cells, type(make(data)))


@FEW
@given(tables(max_dimensions=2, is_count=False, top=3), st.lists(one_rule, min_size=1))
def test_any_of_is_the_union_and_all_of_the_intersection(
    table: Table, parts: list[Rule]
) -> None:
    single = [tacit.assess(table, part) for part in parts]
    union = tacit.assess(table, AnyOf(rules=tuple(parts)))
    common = tacit.assess(table, AllOf(rules=tuple(parts)))
    marks = np.stack([found.sensitive for found in single])
    np.testing.assert_array_equal(union.sensitive, marks.any(axis=0))
    np.testing.assert_array_equal(common.sensitive, marks.all(axis=0))
    levels = np.stack([found.upl for found in single])
    np.testing.assert_array_equal(union.upl, levels.max(axis=0))
    np.testing.assert_array_equal(
        common.upl, np.where(common.sensitive, levels.max(axis=0), 0)
    )


@FEW
@given(tables(max_dimensions=2, is_count=False), rules)
def test_every_sensitive_cell_asks_for_something_and_no_other_does(
    table: Table, rule: Rule
) -> None:
    for profile in profiles():
        found = tacit.assess(table, rule, profile=profile)
        asked = (found.upl > 0) | (found.lpl > 0) | (found.spl > 0)
        np.testing.assert_array_equal(asked, found.sensitive)
        np.testing.assert_array_equal(found.state == State.SENSITIVE, found.sensitive)


@FEW
@given(tables(max_dimensions=2, is_count=False), rules)
def test_the_lower_level_never_leaves_the_bounds(table: Table, rule: Rule) -> None:
    found = tacit.assess(table, rule)
    assert (found.lpl <= table.value_in_units + 1e-9).all()
    assert (found.lpl <= found.upl).all()


@FEW
@given(tables(max_dimensions=2, is_count=False), rules)
def test_a_reason_is_given_for_every_sensitive_cell_only(
    table: Table, rule: Rule
) -> None:
    found = tacit.assess(table, rule)
    marks = np.logical_or.reduce(list(found.reasons.values()))
    np.testing.assert_array_equal(marks, found.sensitive)
