# SPDX-License-Identifier: Apache-2.0
"""The minimum number of contributors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import tacit
from tacit.errors import RuleError
from tacit.rules import MinFrequency

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.table import Table

ROWS = ["Harps", "Organs", "Pianos", "Other"]
COUNTS = [
    [151, 2, 98, 23],
    [16, 21, 9, 8],
    [5, 12, 7, 1],
    [302, 362, 287, 227],
]


def instruments() -> Table:
    columns = {
        "kind": [row for row in ROWS for _ in "ABCD"],
        "region": list("ABCD") * len(ROWS),
        "n": [n for row in COUNTS for n in row],
    }
    return tacit.Table.from_cells(
        columns, by={"kind": "Total", "region": "Total"}, count="n"
    )


def test_o1_2_two_cells_of_fewer_than_three() -> None:
    table = instruments()
    assert int(table.cells.value.max()) == 1531
    unsafe = np.flatnonzero(MinFrequency(n=3).evaluate(table).unsafe)
    found = {
        (table.labels_of(cell)["kind"], table.labels_of(cell)["region"])
        for cell in unsafe
    }
    assert found == {("Harps", "B"), ("Pianos", "D")}


def test_equality_is_safe_and_empty_too(table_of: Callable[..., Table]) -> None:
    table = table_of([[1, 1], [1, 1, 1], []])
    assert MinFrequency(n=3).evaluate(table).unsafe.tolist()[1:] == [True, False, False]
    closed = MinFrequency(n=3, closed=True).evaluate(table)
    assert closed.unsafe.tolist()[1:] == [True, True, False]


# What was said of the table of companies by class and size: where the cells below 3
# are, and how many lie below other thresholds. The rest is large here.
SIZES = ["100~199", "200~299", "300~499", "500~"]
SMALL = {
    ("C312", "500~"): 1,
    ("C313", "200~299"): 1,
    ("C319", "300~499"): 2,
    ("C312", "200~299"): 0,
    ("C312", "300~499"): 0,
    ("C313", "300~499"): 0,
    ("C319", "100~199"): 0,
    ("C319", "200~299"): 0,
}
LARGER = [3, 3, 3, 4, 40, 40, 40, 4, 40, 5, 6, 40]


def companies() -> Table:
    places = [(c, s) for c in ("C311", "C312", "C313", "C314", "C319") for s in SIZES]
    larger = iter(LARGER)
    counts = [SMALL[at] if at in SMALL else next(larger) for at in places]
    columns = {
        "class": [at[0] for at in places],
        "size": [at[1] for at in places],
        "n": counts,
    }
    return tacit.Table.from_cells(
        columns, by={"class": "all", "size": "any"}, count="n"
    )


@pytest.mark.parametrize(
    ("base", "every", "filled"),
    [(2, 7, 2), (3, 8, 3), (4, 11, 6), (5, 13, 8), (6, 14, 9), (10, 15, 10)],
)
def test_o2_1_value_below_three(base: int, every: int, filled: int) -> None:
    table = companies()
    unsafe = MinFrequency(n=base).evaluate(table).unsafe
    assert unsafe.sum() == filled
    assert (table.cells.value < base).sum() == every
    if base == 3:
        found = {
            tuple(table.labels_of(cell).values()) for cell in np.flatnonzero(unsafe)
        }
        assert found == {at for at, n in SMALL.items() if n}


def test_the_level_is_none_or_a_margin(table_of: Callable[..., Table]) -> None:
    table = table_of([[10, 30], [1, 1, 1]])
    assert MinFrequency(n=3).evaluate(table).upper.tolist() == [0, 0, 0]
    verdict = MinFrequency(n=3, margin=20).evaluate(table)
    assert verdict.upper.tolist() == verdict.lower.tolist() == [0, 8, 0]


def test_what_can_be_counted(table_of: Callable[..., Table]) -> None:
    table = table_of(
        [[5, 0, 0], [4, 3]],
        units=np.array([9, 3, 6]),
        records=np.array([20, 2, 18]),
        nonzero=np.array([3, 1, 2]),
        sum_of_weights=np.array([9.5, 2.5, 7.0]),
    )

    def unsafe(**what: object) -> list[bool]:
        return MinFrequency(n=3, **what).evaluate(table).unsafe.tolist()  # type: ignore[arg-type]

    assert unsafe() == [False, False, True]
    assert unsafe(holding=True) == [False, False, True]
    assert unsafe(count="units") == [False, False, False]
    assert unsafe(count="records") == [False, True, False]
    assert unsafe(count="nonzero") == [False, True, True]
    assert unsafe(count="weights") == [False, True, False]


@pytest.mark.parametrize("count", ["records", "nonzero", "weights"])
def test_what_the_table_does_not_hold_is_an_error(
    table_of: Callable[..., Table], count: str
) -> None:
    with pytest.raises(RuleError, match=f"counts {count}, and the table does not"):
        MinFrequency(n=3, count=count).evaluate(table_of([[1]]))


def test_holdings_must_be_there(table_of: Callable[..., Table]) -> None:
    with pytest.raises(RuleError, match="counts holdings"):
        MinFrequency(n=3, holding=True).evaluate(table_of([[1]]))
    with pytest.raises(RuleError, match="does not go with"):
        MinFrequency(n=3, holding=True, count="records")


def test_a_table_of_amounts_without_evidence_cannot_be_judged() -> None:
    table = tacit.Table.from_cells(
        {"cell": ["a", "b"], "x": [5, 6]}, by={"cell": "all"}, value="x"
    )
    with pytest.raises(RuleError, match="needs the contributors of each cell"):
        MinFrequency(n=3).evaluate(table)
