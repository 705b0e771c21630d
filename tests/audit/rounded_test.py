# SPDX-License-Identifier: Apache-2.0
"""What a rounded table says: intervals of each number, and what adds up beside it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.audit import Rounding
from tacit.protect.round._conventional import nearest


@pytest.mark.parametrize(
    ("published", "base", "steps", "low", "high"),
    [(0, 5, 0, 0, 4), (15, 5, 1, 6, 24), (15, 5, 0, 11, 19), (5, 5, 1, 0, 14)],
)
def test_existence_intervals(
    published: int, base: int, steps: int, low: int, high: int
) -> None:
    """Steps and base give the interval of a count, cut at 0 where none is negative."""
    rounding = Rounding(base=base, steps=steps)
    ends = rounding.ends(np.array([published]), whole=True)
    assert (max(0, ends[0][0]), ends[1][0]) == (low, high)


@given(st.integers(1, 30), st.sampled_from(["up", "even"]), st.integers(-90, 90))
def test_ties_tell_which_side_a_half_came_from(base: int, ties: str, true: int) -> None:
    """The interval holds exactly the whole numbers that are rounded to it."""
    even = ties == "even"
    made = nearest(np.array([true]), base, even=even)
    rounding = Rounding(base=base, nearest=True, ties=ties)  # type: ignore[arg-type]
    low, high = rounding.ends(made, whole=True)
    every = np.arange(-200, 201)
    same = every[nearest(every, base, even=even) == made[0]]
    assert (low[0], high[0]) == (same.min(), same.max())


def table(inner: list[list[int]]) -> tacit.Table:
    frame: dict[str, list[object]] = {"a": [], "b": [], "n": []}
    for i, row in enumerate(inner):
        for j, number in enumerate(row):
            frame["a"].append(f"a{i}")
            frame["b"].append(f"b{j}")
            frame["n"].append(number)
    return tacit.Table.from_cells(frame, by={"a": "T", "b": "T"}, count="n")


@settings(max_examples=25)
@given(
    st.lists(st.integers(1, 9), min_size=4, max_size=4),
    st.sampled_from(["conventional", "controlled"]),
)
def test_the_audit_finds_what_counting_finds(cells: list[int], method: str) -> None:
    """All tables that could have been rounded to the published one."""
    made = table([cells[:2], cells[2:]])
    found = tacit.assess(made, tacit.MinFrequency(n=3))
    release = tacit.round(found, method, base=3)
    report = tacit.audit(release, attackers=tacit.Attacker(), full=True)
    rounding = Rounding(
        base=3,
        nearest=method == "conventional",
        ties="up" if method == "conventional" else None,
    )
    low, high = rounding.ends(release.published, whole=True)
    low = np.maximum(low, 0)
    fits = []
    for inner in product(range(13), repeat=4):
        a, b, c, d = inner
        every = np.array([a + b + c + d, a + c, b + d, a + b, a, b, c + d, c, d])
        if ((every >= low) & (every <= high)).all():
            fits.append(every)
    least, most = np.min(fits, axis=0), np.max(fits, axis=0)
    ranges = report.ranges
    assert (ranges.lowest >= least[ranges.cells] - 1 - 1e-6).all()
    assert (ranges.lowest <= least[ranges.cells] + 1e-6).all()
    assert (ranges.highest >= most[ranges.cells] - 1e-6).all()
    assert (ranges.highest <= most[ranges.cells] + 1 + 1e-6).all()


def test_an_empty_cell_is_known_to_be_empty() -> None:
    frame = {"kind": ["a", "b", "c"], "n": [1, 9, 0]}
    made = tacit.Table.from_cells(frame, by={"kind": "all"}, count="n")
    release = tacit.round(tacit.assess(made, tacit.MinFrequency(n=3)), base=3)
    report = tacit.audit(release, attackers=tacit.Attacker(), full=True)
    empty = made.find({"kind": "c"})
    assert made.cells.state[empty] == tacit.table.State.EMPTY
    assert empty not in report.ranges.cells.tolist()


def test_numbers_that_pin_each_other_down_are_found() -> None:
    """Rounded one by one, 1 and 1 become 0 and 0, but their sum of 2 becomes 3."""
    made = table([[1, 1], [40, 40]])
    found = tacit.assess(made, tacit.MinFrequency(n=3))
    release = tacit.round(found, "conventional", base=3)
    report = tacit.audit(release)
    assert not report.safe
    assert "exact" in report.explain()
    assert "still known too closely" in release.audited().why_unsafe()


def test_small_counts_are_attacked_by_what_they_may_stand_for() -> None:
    made = table([[1, 40], [50, 60]])
    found = tacit.assess(made, tacit.MinFrequency(n=3))
    release = tacit.round(found, "small_counts", base=3)
    report = tacit.audit(release, attackers=tacit.Attacker(), full=True)
    cell = report.ranges.cells.tolist().index(made.find({"a": "a0", "b": "b0"}))
    shown = release.published[made.find({"a": "a0", "b": "b0"})]
    expected = (0, 2) if shown == 0 else (1, 3)
    ends = (report.ranges.lowest[cell], report.ranges.highest[cell])
    assert ends == pytest.approx(expected)
    large = report.ranges.cells.tolist().index(made.find({"a": "a1", "b": "b1"}))
    assert report.ranges.lowest[large] == report.ranges.highest[large] == 60
