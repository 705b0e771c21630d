# SPDX-License-Identifier: Apache-2.0
"""What withholding a cell costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

import tacit
from tacit import Cost
from tacit.protect.suppress import suppress
from tacit.protect.suppress._costs import costs_of


def table(**columns: Any) -> tacit.Table:
    rows = {
        "r": ["a", "a", "b", "b"],
        "s": ["x", "y"] * 2,
        "v": [1.5, 2.25, 8, 0],
        "n": [3, 4, 5, 1],
    }
    cost = {"cost": "w"} if "w" in columns else {}
    return tacit.Table.from_cells(
        rows | columns, by={"r": "T", "s": "T"}, value="v", count="n", **cost
    )


def of(cost: Any, t: tacit.Table | None = None) -> dict[str, float]:
    t = t or table()
    found = costs_of(t, cost)
    names = ["".join(t.labels_of(cell).values()) for cell in range(len(t))]
    return dict(zip(names, found.tolist(), strict=True))


def test_the_value_is_the_cost() -> None:
    assert of("value")["ax"] == 1.5
    assert of("value")["TT"] == 11.75


def test_negative_values_cost_their_size() -> None:
    rows = {"r": ["a", "b"], "v": [-7, 3]}
    found = of("value", tacit.Table.from_cells(rows, by={"r": "T"}, value="v"))
    assert found == {"T": 4.0, "a": 7.0, "b": 3.0}


def test_nothing_is_free() -> None:
    assert of("value")["by"] == pytest.approx(1.5e-3)
    assert min(of(Cost(base="value", log=True)).values()) > 0


def test_counts_units_and_columns() -> None:
    assert of("count")["bx"] == 5.0
    assert of("count")["TT"] == 13.0
    assert set(of("unit").values()) == {1.0}
    assert of("column", table(w=[4, 3, 2, 1]))["ax"] == 4.0


def test_powers_and_logarithms() -> None:
    assert of(Cost(power=0.5))["ax"] == pytest.approx(1.5**0.5)
    assert of(Cost(log=True))["bx"] == pytest.approx(np.log(9))


def test_margins_weigh_once_for_each_dimension() -> None:
    found = of(Cost(base="unit", margins=3))
    assert found["ax"] == 1.0
    assert found["aT"] == found["Tx"] == 3.0
    assert found["TT"] == 9.0


def test_a_number_for_each_cell() -> None:
    own = np.arange(1.0, 10.0)
    assert list(of(own).values()) == own.tolist()
    assert list(of(own.astype(int)).values()) == own.tolist()


@pytest.mark.parametrize(
    "options", [{"power": 0}, {"power": -1}, {"margins": 0.5}, {"base": "size"}]
)
def test_costs_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Cost(**options)


def test_the_cheapest_cells_go() -> None:
    states = ["sensitive", *["safe"] * 8]
    rows = {"r": list("aaabbbccc"), "s": list("xyz") * 3, "v": [9] * 9, "st": states}
    t = tacit.Table.from_cells(rows, by={"r": "T", "s": "T"}, value="v", state="st")
    found = tacit.assess(t, margin=10)
    for r, s in (("b", "y"), ("b", "z"), ("c", "y"), ("c", "z")):
        cost = np.full(len(t), 10.0)
        wanted = [t.index(r="a", s=s), t.index(r=r, s="x"), t.index(r=r, s=s)]
        cost[wanted] = 1.0
        release = suppress(found, cost=cost)
        assert set(np.flatnonzero(release.withheld)) == {t.index(r="a", s="x"), *wanted}
        assert release.cost == 3.0
        assert release.bound == pytest.approx(3.0)


def test_ties_are_settled_the_same_way_every_time() -> None:
    states = ["sensitive", *["safe"] * 8]
    rows = {"r": list("aaabbbccc"), "s": list("xyz") * 3, "v": [9] * 9, "st": states}
    t = tacit.Table.from_cells(rows, by={"r": "T", "s": "T"}, value="v", state="st")
    found = tacit.assess(t, margin=10)
    for method in ("auto", "gauss"):
        patterns = {suppress(found, method, cost="unit").state.tobytes() for _ in "abc"}  # type: ignore[arg-type]
        assert len(patterns) == 1
