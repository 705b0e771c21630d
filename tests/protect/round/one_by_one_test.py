# SPDX-License-Identifier: Apache-2.0
"""Numbers rounded one by one: conventionally, and by chance with a key."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.errors import InputError
from tacit.protect.adjust import Cta
from tacit.protect.round import Conventional, Random, minimum_base
from tacit.protect.round._conventional import nearest
from tacit.protect.round._random import draws, rounds_up


def counts(*values: int, total: str = "all") -> tacit.Table:
    names = [f"c{i:04d}" for i in range(len(values))]
    frame = {"kind": names, "n": list(values)}
    return tacit.Table.from_cells(frame, by={"kind": total}, count="n")


def amounts(values: list[float], decimals: int) -> tacit.Table:
    names = [f"c{i:04d}" for i in range(len(values))]
    frame = {"kind": names, "v": values}
    return tacit.Table.from_cells(
        frame, by={"kind": "all"}, value="v", decimals=decimals
    )


def published(release: tacit.Release) -> list[int]:
    return release.published[1:].tolist()  # type: ignore[no-any-return]


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1), st.integers(1, 1000))
def test_the_nearest_multiple_is_the_nearest(values: list[int], base: int) -> None:
    true = np.array(values)
    for even in (False, True):
        found = nearest(true, base, even=even)
        assert not (found % base).any()
        assert (2 * np.abs(found - true) <= base).all()


def test_ties_go_away_from_zero_or_to_the_even_multiple() -> None:
    table = amounts([5, 15, 25, -5, -15], 0)
    assert published(tacit.round(table, "conventional", base=10)) == [
        10, 20, 30, -10, -20,
    ]  # fmt: skip
    even = tacit.round(table, "conventional", base=10, ties="even")
    assert published(even) == [0, 20, 20, 0, -20]


def test_the_base_is_in_published_units() -> None:
    release = tacit.round(amounts([1.26, 7.5], 2), "conventional", base=0.5)
    assert release.cells.to_pydict()["v"] == [9.0, 1.5, 7.5]


def test_a_number_goes_up_as_often_as_it_lies_above_the_multiple() -> None:
    """4 to base 3 becomes 3 twice as often as 6; multiples stay."""
    keys = [f"key {k}" for k in range(3000)]
    table = counts(4, 6, 1, 2)
    found = np.array(
        [published(tacit.round(table, "random", base=3, key=key)) for key in keys]
    )
    assert set(found[:, 0]) == {3, 6}
    assert set(found[:, 1]) == {6}
    share = (found[:, 0] == 6).mean()
    assert abs(share - 1 / 3) < 4 * np.sqrt(2 / 9 / len(keys))
    for column, true in enumerate([4, 6, 1, 2]):
        error = 4 * found[:, column].std() / np.sqrt(len(keys))
        assert abs(found[:, column].mean() - true) <= error


@given(st.integers(0, 10**9), st.integers(2, 500), st.floats(0, 1, exclude_max=True))
def test_chance_takes_one_of_the_multiples_beside(
    value: int, base: int, draw: float
) -> None:
    low, rest = divmod(value, base)
    up = rounds_up(np.array([rest]), base, np.array([draw]))[0]
    rounded = (low + int(up)) * base
    assert abs(rounded - value) < base
    assert rest or rounded == value


def test_draws_are_even_and_have_nothing_in_common() -> None:
    table = tacit.tabulate(
        {"a": [f"a{i % 60}" for i in range(3600)],
         "b": [f"b{i // 60}" for i in range(3600)]},
        by={"a": "T", "b": "T"},
    )  # fmt: skip
    found = draws(table, b"key")
    inner = found.reshape(61, 61)[1:, 1:]
    assert len(np.unique(found)) == len(found)
    histogram = np.histogram(inner, bins=10, range=(0, 1))[0]
    assert ((histogram - 360) ** 2 / 360).sum() < 30
    assert abs(np.corrcoef(inner[:-1].ravel(), inner[1:].ravel())[0, 1]) < 0.07
    crossed = inner[:-1, :-1] - inner[1:, :-1] - inner[:-1, 1:] + inner[1:, 1:]
    assert np.abs(crossed).min() > 0


def test_the_same_cell_is_rounded_in_the_same_way_in_every_table() -> None:
    rows = {"sex": ["f", "m"] * 40, "age": [f"y{i % 8}" for i in range(80)]}
    both = tacit.tabulate(rows, by={"sex": "all", "age": "any"})
    one = tacit.tabulate(rows, by={"age": "Total"})
    options = {"base": 7, "key": "office"}
    wide, narrow = (tacit.round(t, "random", **options) for t in (both, one))
    for age in sorted(set(rows["age"])):
        cell = both.find({"age": age, "sex": "all"})
        assert wide.published[cell] == narrow.published[one.find({"age": age})]


def test_another_key_rounds_otherwise() -> None:
    table = counts(*range(1, 400))
    one, two = (tacit.round(table, "random", base=10, key=key) for key in ("a", "b"))
    assert (one.published != two.published).mean() > 0.2


def test_the_key_is_written_nowhere() -> None:
    secret = "zebra-4711"  # noqa: S105 - looked for below
    release = tacit.round(counts(4, 5), "random", base=3, key=secret)
    told = [
        repr(release),
        repr(Random(base=3, key=secret)),  # type: ignore[arg-type]
        json.dumps(release.summary()),
        repr(dict(release.provenance)),
    ]
    assert not [text for text in told if secret in text]


def test_the_base_may_follow_from_the_sensitive_cells() -> None:
    """Levels, a share of the largest cell, a share of the largest contribution."""
    y7 = [10000, 8000, 1600, 1500, 1100, 900, 800]
    other = [100] * 300
    frame = {
        "kind": ["all", "a", "b"],
        "n": [307, 7, 300],
        "v": [sum(y7) + sum(other), sum(y7), sum(other)],
        "x1": [10000, 10000, 100],
        "x2": [8000, 8000, 100],
    }
    table = tacit.Table.from_cells(
        frame, by={"kind": "all"}, value="v", count="n", contributions=["x1", "x2"]
    )
    assessment = tacit.assess(table, tacit.Dominance(n=2, k=75))
    assert assessment.sensitive.tolist() == [False, True, False]
    assert minimum_base(assessment) == pytest.approx(100)
    assert minimum_base(assessment, "largest_cell", share=10) == pytest.approx(2390)
    share = minimum_base(assessment, "largest_contribution", share=10)
    assert share == pytest.approx(1000)
    release = tacit.round(assessment, "conventional", base="largest_cell")
    assert release.provenance["base"] == 5000, "2390 itself would give the cell away"


BAD: list[tuple[dict[str, Any], str]] = [
    ({"base": 0}, "base: input should be greater than 0"),
    ({"base": -5}, "greater than 0"),
    ({"base": float("nan")}, "base: input should be a finite number"),
    ({}, "base= is missing: the number of which every published number"),
    ({"base": 5, "ties": "down"}, "ties: input should be 'up' or 'even'"),
    ({"base": 5, "tie": "up"}, "There is no option 'tie'. Did you mean 'ties'?"),
    ({"base": 0.5}, "base = 0.5 is finer than the values, which are whole numbers"),
    ({"base": "levels"}, "no cell is sensitive. Give a number, such as base=5."),
    ({"base": "level"}, "'largest_cell', 'largest_contribution' or 'levels'"),
]


@pytest.mark.parametrize(("options", "said"), BAD)
def test_what_cannot_be_done_is_said(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as error:
        tacit.round(counts(4, 5), "conventional", **options)
    assert said in str(error.value)


def test_a_key_is_asked_for() -> None:
    with pytest.raises(InputError, match=r"key= is missing: a secret text"):
        tacit.round(counts(4, 5), "random", base=3)


def test_options_may_be_an_object_but_not_twice() -> None:
    release = tacit.round(counts(4, 5), Conventional(base=3))
    assert release.published.tolist() == [9, 3, 6]
    with pytest.raises(InputError, match="as an object and by name"):
        tacit.round(counts(4, 5), Conventional(base=3), base=5)
    with pytest.raises(InputError, match="not the options of a method of round"):
        tacit.round(counts(4, 5), Cta())


def test_a_table_that_adds_up_only_within_a_tolerance_is_refused() -> None:
    frame = {"kind": ["all", "a", "b"], "v": [10, 4, 5]}
    table = tacit.Table.from_cells(frame, by={"kind": "all"}, value="v", tolerance=1)
    with pytest.raises(InputError, match="hold only within the tolerance"):
        tacit.round(table, "conventional", base=5)
