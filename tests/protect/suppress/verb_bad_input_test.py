# SPDX-License-Identifier: Apache-2.0
"""What cannot be protected is refused or said, and never a wrong table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import block_array, csr_array

import tacit
from tacit.errors import InputError, LimitError, UnsafeError
from tacit.protect.suppress import suppress
from tacit.protect.suppress._gauss import determined
from tacit.table import State

SQUARE = {
    "r": ["a", "a", "a", "b", "b", "b", "c", "c", "c"],
    "s": ["x", "y", "z"] * 3,
    "v": [20, 50, 10, 8, 19, 22, 17, 32, 12],
}


def square(**columns: Any) -> tacit.Assessment:
    names = {name: name for name in ("state", "lower", "upper") if name in columns}
    bounds = ("low", "high") if "low" in columns else None
    table = tacit.Table.from_cells(
        SQUARE | columns, by={"r": "T", "s": "T"}, value="v", bounds=bounds, **names
    )
    return tacit.assess(table)


def one_sensitive(level: float = 5, **columns: Any) -> tacit.Assessment:
    state = ["safe"] * 9
    state[4] = "sensitive"
    levels = [0.0] * 9
    levels[4] = level
    given = {"state": state, "lower": levels, "upper": levels} | columns
    return square(**given)


def test_the_square_is_protected() -> None:
    release = suppress(one_sensitive())
    assert not release.open_claims
    assert release.withheld.sum() == 4
    assert release.audited().safe


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"method": "atuo"},
            "no method of suppression named 'atuo'. Did you mean 'auto'",
        ),
        ({"cost": "vlaue"}, "no cost named 'vlaue'. Did you mean 'value'"),
        ({"cost": np.ones(3)}, "one number per cell"),
        ({"cost": np.full(16, np.nan)}, "not a number"),
        ({"cost": np.full(16, -1.0)}, "negative"),
        ({"cost": "count"}, "number of contributors"),
        ({"cost": "column"}, "cost is to come from a column"),
        ({"time_limit": -1}, "time_limit is -1"),
        ({"time_limit": float("nan")}, "time_limit is nan"),
        ({"time_limit": "60"}, "time_limit is '60'"),
        ({"attackers": "outsider"}, "tacit.Attacker objects, not a str"),
        ({"attackers": []}, "tacit.Attacker objects, not a empty list"),
        ({"executor": 0}, "number of processes from 1 up"),
        ({"executor": "pool"}, "number of processes from 1 up"),
        ({"groups": [{"r": "a"}]}, "lists of cells"),
        ({"groups": [[{"r": "q"}]]}, "q"),
        ({"combinations": [[99]]}, "names a cell 99, and the table has 16 cells"),
        ({"history": 5}, "History is made of releases, not of a int"),
        ({"history": "absent.csv"}, "'absent.csv' does not exist"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words.replace(".", r"\.").replace("(", r"\(")):
        suppress(one_sensitive(), **options)


def test_a_table_is_no_assessment() -> None:
    with pytest.raises(InputError, match="takes an assessment, not a Table"):
        suppress(one_sensitive().table)  # type: ignore[arg-type]


def test_sums_that_only_nearly_hold_prove_nothing() -> None:
    rows = {"r": ["T", "a", "b"], "v": [101, 50, 50]}
    table = tacit.Table.from_cells(rows, by={"r": "T"}, value="v", tolerance=2)
    with pytest.raises(InputError, match="only within the tolerance"):
        suppress(tacit.assess(table))


def test_a_sensitive_cell_without_levels_is_not_derivable() -> None:
    table = tacit.Table.from_cells(
        {"r": ["a", "b", "c"], "v": [3, 5, 9], "n": [1, 4, 5]},
        by={"r": "T"},
        value="v",
        count="n",
    )
    release = suppress(tacit.assess(table, tacit.MinFrequency(n=3)))
    assert release.withheld.sum() == 2
    assert release.audited().safe


def frozen_but_one() -> tacit.Assessment:
    assessment = one_sensitive()
    state = np.full(len(assessment), State.FROZEN, dtype=np.uint8)
    state[assessment.sensitive] = State.SENSITIVE
    return replace(assessment, state=state)


@pytest.mark.parametrize("method", ["auto", "gauss"])
def test_frozen_cells_in_the_way_are_named(method: Any) -> None:
    release = suppress(frozen_but_one(), method)
    assert release.withheld.sum() == 1
    (claim,) = release.open_claims
    assert claim.reason == "frozen"
    assert len(claim.in_the_way) == 3
    assert all("r = " in where for where in claim.in_the_way)
    audited = release.audited()
    assert not release.safe
    assert not audited.safe
    assert "must stay published" in audited.why_unsafe()
    with pytest.raises(UnsafeError, match="must stay published"):
        release.write("table.csv")


def test_the_fewest_frozen_cells_are_named() -> None:
    state = ["safe"] * 9
    state[4], state[3], state[5] = "sensitive", "frozen", "frozen"
    rows = SQUARE | {"state": state}
    # The totals of a one-dimensional table cannot help where they are frozen too.
    table = tacit.Table.from_cells(
        rows, by={"r": "T", "s": "T"}, value="v", state="state"
    )
    release = suppress(tacit.assess(table, margin=20))
    assert not release.open_claims  # column y and total of row b remain
    assert release.audited().safe


def test_levels_beyond_what_bounds_allow_stay_open() -> None:
    value = np.array(SQUARE["v"])
    release = suppress(one_sensitive(low=value - 2, high=value + 2))
    (claim,) = release.open_claims
    assert claim.reason == "bounds"
    assert "beforehand" in release.why_unsafe()
    assert not release.audited().safe


def test_why_unsafe_names_no_sensitive_cell_and_no_value() -> None:
    why = suppress(frozen_but_one()).why_unsafe()
    assert "r = b, s = y" not in why
    assert "19" not in why


def test_a_sensitive_grand_total_hides_a_way_down() -> None:
    table = tacit.Table.from_cells(
        {"r": ["T", "a", "b"], "v": [8, 3, 5], "n": [2, 1, 1]},
        by={"r": "T"},
        value="v",
        count="n",
    )
    release = suppress(tacit.assess(table, tacit.MinFrequency(n=3)))
    assert release.withheld.all()
    assert not release.open_claims


@pytest.mark.parametrize("method", ["auto", "gauss"])
def test_a_table_of_one_cell(method: Any) -> None:
    table = tacit.Table.from_cells(
        {"r": ["a"], "v": [8], "n": [1]}, by={"r": "T"}, value="v", count="n"
    )
    release = suppress(tacit.assess(table, tacit.MinFrequency(n=3)), method)
    assert release.withheld.all()
    assert release.cells.to_pydict()["v"] == [None, None]


def test_nothing_sensitive_withholds_nothing() -> None:
    release = suppress(square())
    assert not release.withheld.any()
    assert release.safe
    assert release.cost == 0


def test_cells_that_must_go_are_withheld_and_counted() -> None:
    state = ["safe"] * 9
    state[0] = "forced"
    release = suppress(square(state=state))
    cell = release.table.index(r="a", s="x")
    assert release.state[cell] == State.FORCED
    assert release.withheld[cell]
    assert release.cost >= 20


def test_no_time_at_all() -> None:
    with pytest.raises(LimitError, match="time limit of 0 s"):
        suppress(one_sensitive(), time_limit=0)


def test_an_interrupt_before_anything_is_safe() -> None:
    def stop(step: str, *_: object) -> None:
        if step == "repairing":
            raise KeyboardInterrupt

    with pytest.raises(LimitError, match="Stopped after"):
        suppress(one_sensitive(), progress=stop)


def test_an_interrupt_during_improvement_gives_the_best_so_far() -> None:
    def stop(step: str, *_: object) -> None:
        if step == "improving":
            raise KeyboardInterrupt

    release = suppress(one_sensitive(), progress=stop)
    assert not release.open_claims
    assert release.audited().safe


def test_progress_tells_what_is_left() -> None:
    seen: list[Any] = []
    suppress(
        one_sensitive(),
        progress=lambda step, done, total: seen.append((step, done, total)),
    )
    step, done, total = seen[-1]
    assert (done, total) == (1, 1)
    assert {"cells", "open", "cost", "bound", "seconds"} <= set(step.figures)
    assert {str(one[0]) for one in seen} >= {"guiding", "repairing", "improving"}


def test_gauss_says_what_it_does_not_do() -> None:
    release = suppress(one_sensitive(level=15), "gauss")
    assert "against exact disclosure only" in repr(release)
    assert release.summary()["exact_only"]
    assert not release.safe


def test_groups_go_together() -> None:
    free = suppress(one_sensitive())
    cells = np.flatnonzero(free.withheld)
    other = int(np.flatnonzero(~free.withheld)[0])
    group = [int(cells[0]), other]
    release = suppress(one_sensitive(), groups=[group, [other, other + 1]])
    assert release.withheld[[*group, other + 1]].all()
    assert release.audited().safe


def test_a_group_that_holds_a_frozen_cell_stays_published() -> None:
    state = ["safe"] * 9
    state[4], state[8] = "sensitive", "frozen"
    assessment = one_sensitive(state=state)
    where = [{"r": "c", "s": "z"}, {"r": "b", "s": "x"}]
    release = suppress(assessment, groups=[where])
    assert not release.withheld[[assessment.table.find(one) for one in where]].any()
    assert not release.open_claims
    with pytest.raises(InputError, match="withheld together"):
        suppress(assessment, groups=[[{"r": "c", "s": "z"}, {"r": "b", "s": "y"}]])


@pytest.mark.parametrize("method", ["auto", "gauss"])
def test_combinations_cannot_be_derived(method: Any) -> None:
    table = one_sensitive().table
    row = [table.index(r="b", s="y"), table.index(r="b", s="x")]
    release = suppress(one_sensitive(), method, combinations=[row])
    # Known sums show as a determined cell once the sum is a cell of its own.
    matrix = table.relations.matrix.astype(np.int64)
    sum_ = np.zeros((1, matrix.shape[1]), dtype=np.int64)
    sum_[0, row] = 1
    wide = csr_array(
        block_array([[matrix, None], [csr_array(sum_), csr_array([[-1]])]])
    )
    assert not determined(wide, np.append(release.withheld, True))[-1]
