# SPDX-License-Identifier: Apache-2.0
"""Tables that come again: patterns, frozen cells, prior knowledge, differences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from pydantic import ValidationError

import tacit
from tacit.errors import InputError
from tacit.protect.suppress import History, Pattern, difference, suppress
from tacit.table import State

if TYPE_CHECKING:
    from pathlib import Path

ROWS = {
    "r": ["a", "a", "a", "b", "b", "b", "c", "c", "c"],
    "s": ["x", "y", "z"] * 3,
    "v": [20, 50, 10, 8, 19, 22, 17, 32, 12],
}


def wave(values: dict[int, int] | None = None, sensitive: int = 4) -> tacit.Assessment:
    rows = {name: list(column) for name, column in ROWS.items()}
    for row, value in (values or {}).items():
        rows["v"][row] = value
    rows["state"] = ["sensitive" if i == sensitive else "safe" for i in range(9)]
    table = tacit.Table.from_cells(
        rows, by={"r": "T", "s": "T"}, value="v", state="state"
    )
    return tacit.assess(table, margin=20)


def withheld(release: tacit.Release) -> set[str]:
    cells = np.flatnonzero(release.withheld)
    return {release.table.describe_cell(cell) for cell in cells.tolist()}


def test_a_required_pattern_is_kept() -> None:
    first = suppress(wave())
    second = suppress(wave(sensitive=8), history=History(first, pattern="require"))
    assert withheld(first) <= withheld(second)
    assert second.audited().safe


def test_a_preferred_pattern_is_taken_where_it_is_as_good() -> None:
    even = np.ones(16)
    first = suppress(wave(), cost=even)
    other = np.where(first.withheld, 1.2, 1.0)
    alone = suppress(wave(), cost=other)
    kept = suppress(wave(), cost=other, history=first)
    assert withheld(alone) != withheld(first)
    assert withheld(kept) == withheld(first)
    assert kept.cost == pytest.approx(1.2 * 3)
    assert kept.bound is None or kept.bound <= kept.cost


def test_nothing_of_a_pattern_where_it_is_ignored() -> None:
    first = suppress(wave())
    again = suppress(wave(sensitive=8), history=History(first, pattern="ignore"))
    assert withheld(again) == withheld(suppress(wave(sensitive=8)))


def test_cells_published_before_stay_published() -> None:
    first = suppress(wave())
    again = suppress(wave(sensitive=0), history=History(first, published="frozen"))
    shown = first.withheld | again.assessment.sensitive
    assert not (again.withheld & ~shown).any()
    (claim,) = again.open_claims  # its value was published, and that stays known
    assert claim.reason in {"bounds", "frozen"}
    assert not again.audited().safe


def test_revised_values_are_not_frozen() -> None:
    first = suppress(wave())
    revised = wave({i: value + 1 for i, value in enumerate(ROWS["v"])}, sensitive=0)
    again = suppress(revised, history=History(first, published="frozen"))
    assert not again.open_claims
    assert again.audited().safe


def test_the_previous_value_is_prior_knowledge() -> None:
    first = suppress(wave(sensitive=8))
    close = History(first, pattern="ignore", change=0.05)
    release = suppress(wave({4: 20}), history=close)
    lower = release.table.cells.lower
    assert lower is not None
    cell = release.table.index(r="b", s="x")
    if not first.withheld[cell]:
        assert lower[cell] == 7
    assert release.open_claims
    assert not release.audited().safe
    far = suppress(wave({4: 20}), history=History(first, pattern="ignore", change=2.0))
    assert not far.open_claims
    assert far.audited().safe


def test_bounds_never_exclude_the_truth() -> None:
    first = suppress(wave(sensitive=8))
    release = suppress(wave({1: 500}), history=History(first, change=0.01))
    cells = release.table.cells
    assert cells.lower is not None
    assert cells.upper is not None
    assert (cells.lower <= cells.value).all()
    assert (cells.upper >= cells.value).all()


def test_a_pattern_is_read_from_what_was_published(tmp_path: Path) -> None:
    first = suppress(wave()).audited()
    path = first.write(tmp_path / "first.csv")
    read, mine = Pattern.of(path), Pattern.of(first)
    assert read.names == mine.names
    assert read.withheld.tolist() == mine.withheld.tolist()
    assert read.value.tolist() == mine.value.tolist()
    assert not mine.value[mine.withheld].any()
    by_file = suppress(wave(sensitive=8), history=History(path, pattern="require"))
    by_noun = suppress(wave(sensitive=8), history=History(first, pattern="require"))
    assert by_file.state.tolist() == by_noun.state.tolist()


def test_other_files_and_tables_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="not the public csv file"):
        History(tmp_path / "other.csv")
    table = tacit.Table.from_cells({"q": ["a"], "v": [1]}, by={"q": "T"}, value="v")
    other = suppress(tacit.assess(table))
    with pytest.raises(InputError, match="earlier release is by q, and this table by"):
        suppress(wave(), history=other)
    with pytest.raises(ValidationError):
        History(other, pattern="perfer")


def test_codes_may_come_and_go() -> None:
    rows = {"r": ["a", "b", "d"], "v": [5, 50, 60], "s": ["sensitive", "safe", "safe"]}
    old = tacit.Table.from_cells(rows, by={"r": "T"}, value="v", state="s")
    rows |= {"r": ["a", "b", "e"]}
    new = tacit.Table.from_cells(rows, by={"r": "T"}, value="v", state="s")
    first = suppress(tacit.assess(old, margin=10))
    second = suppress(tacit.assess(new, margin=10), history=first)
    rows_of = difference(first, second).to_pydict()
    assert rows_of["change"][-1] == "no longer in the table"
    assert rows_of["r"][-1] == "d"


def test_the_difference_says_what_and_why() -> None:
    first, second = suppress(wave()), suppress(wave(sensitive=8))
    rows = difference(first, second).to_pydict()
    said = dict(zip(zip(rows["r"], rows["s"], strict=True), rows["why"], strict=True))
    assert said["c", "z"].startswith("sensitive")
    assert "protects other cells" in said.values()
    assert "no longer needed to protect others" in said.values()
    changed = int((first.withheld != second.withheld).sum())
    assert len(said) == changed
    assert difference(first, first).num_rows == 0


def test_waves_can_be_protected_in_one_system() -> None:
    one, two = wave(), wave({4: 21}, sensitive=8)
    linked = tacit.link({"2024": one.table, "2025": two.table}, along="year")
    release = suppress(tacit.assess(linked, margin=20))
    assert not release.open_claims
    assert release.audited().safe
    sensitive = np.flatnonzero(release.assessment.sensitive)
    assert {release.table.labels_of(int(c))["year"] for c in sensitive} == {
        "2024",
        "2025",
    }


def test_a_release_keeps_what_the_next_wave_needs() -> None:
    first = suppress(wave())
    kept = replace(first, audit=None)
    assert Pattern.of(kept).place_in(wave().table).tolist() == list(range(16))
    assert set(np.unique(first.state)) <= {
        State.SAFE,
        State.SENSITIVE,
        State.SUPPRESSED,
    }
