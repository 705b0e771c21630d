# SPDX-License-Identifier: Apache-2.0
"""Coarser tables: what is proposed is what comes of it, judged from the records."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.protect.redesign import Collapse

some = settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
REGION = {"A": "T", "B": "T", "C": "T"} | {
    f"{parent}{k}": parent for parent in "AB" for k in range(1, 5)
}
LEAVES = [code for code in REGION if code not in {"A", "B"}]
RULE = tacit.PPercent(p=15) | tacit.MinFrequency(n=3)


def records(seed: int, number: int = 90) -> dict[str, list[Any]]:
    random = np.random.default_rng(seed)
    skewed = np.arange(1, len(LEAVES) + 1) / sum(range(1, len(LEAVES) + 1))
    return {
        "region": random.choice(LEAVES, number, p=skewed).tolist(),
        "size": random.choice(["s1", "s2", "s3", "s4"], number).tolist(),
        "v": np.round(np.exp(random.normal(5, 1.5, number)), 1).tolist(),
        "firm": random.integers(0, 3 * number // 4, number).tolist(),
    }


def table_of(
    rows: dict[str, list[Any]], region: tacit.Hierarchy, *, count: bool = False
) -> tacit.Table:
    return tacit.tabulate(
        rows,
        by={"region": region, "size": "T"},
        value=None if count else "v",
        unit="firm",
        decimals=0 if count else 1,
    )


def assessed(seed: int, *, count: bool = False) -> tacit.Assessment:
    table = table_of(records(seed), tacit.Hierarchy.from_parents(REGION), count=count)
    return tacit.assess(table, tacit.MinFrequency(n=3) if count else RULE)


def recoded(rows: dict[str, list[Any]], step: Collapse) -> dict[str, list[Any]]:
    """Take a step in the records, the plain way."""
    new = dict(rows)
    codes = rows[step.dimension]
    if step.how == "merge":
        new[step.dimension] = [step.merged if c in step.codes else c for c in codes]
        return new
    (top,) = step.codes
    new[step.dimension] = [top if REGION.get(c) == top else c for c in codes]
    return new


def sensitive_codes(assessment: tacit.Assessment) -> dict[tuple[str, str], bool]:
    table = assessment.table
    pairs = zip(table.codes_of("region"), table.codes_of("size"), strict=True)
    return dict(zip(pairs, assessment.sensitive.tolist(), strict=True))


@some
@given(st.integers(0, 10_000), st.booleans())
def test_what_is_proposed_is_what_the_records_give(seed: int, count: bool) -> None:  # noqa: FBT001
    assessment = assessed(seed, count=count)
    if not assessment.sensitive.any():
        return
    found = tacit.redesign(assessment, steps=2)
    for number, proposal in enumerate(found.proposals):
        rows = records(seed)
        for step in proposal.steps:
            rows = recoded(rows, step)
        result = found.apply(number)
        dimensions = found.by(number)
        slow = tacit.tabulate(
            rows, by=dict(dimensions), value=None if count else "v", unit="firm",
            decimals=0 if count else 1,
        )  # fmt: skip
        expected = tacit.assess(slow, tacit.MinFrequency(n=3) if count else RULE)
        assert sensitive_codes(result) == sensitive_codes(expected)
        assert proposal.sensitive == result.sensitive.sum() == expected.sensitive.sum()
        assert proposal.cells == len(slow)
        table = result.table
        assert (table.cells.value == slow.cells.value).all()
        assert not table.relations.residuals(table.cells.value).any()


@some
@given(st.integers(0, 10_000))
def test_a_cut_table_is_judged_as_if_it_were_new(seed: int) -> None:
    assessment = assessed(seed)
    if not assessment.sensitive.any():
        return
    found = tacit.redesign(assessment, steps=2)
    for number in range(len(found)):
        result = found.apply(number)
        again = tacit.assess(result.table, RULE)
        assert (again.sensitive == result.sensitive).all()
        rows = result.table.contributions
        assert rows is not None
        assert (np.diff(rows.leaf) >= 0).all()
        pairs = np.stack([rows.leaf, rows.unit])
        assert len(np.unique(pairs, axis=1).T) == len(rows)


@some
@given(st.integers(0, 10_000))
def test_no_proposal_beats_another(seed: int) -> None:
    assessment = assessed(seed)
    if not assessment.sensitive.any():
        return
    found = tacit.redesign(assessment, steps=3).proposals
    lost = [one.lost for one in found]
    left = [one.sensitive for one in found]
    assert lost == sorted(lost)
    assert all(a > b for a, b in pairwise(left))
    assert all(one < assessment.sensitive.sum() for one in left)


def test_the_first_step_is_the_best_of_all() -> None:
    assessment = assessed(3)
    region = assessment.table.dimensions[0]
    best = 0.0
    for parent in "AB":
        below = [region.positions[c] for c in region.hierarchies[0].descendants(parent)]
        there = np.isin(assessment.table.cells.codes[0], below)
        gone = int((assessment.sensitive & there).sum())
        best = max(best, gone / int(there.sum()))
    found = tacit.redesign(assessment, steps=1).proposals
    before = int(assessment.sensitive.sum())
    worth = max((before - one.sensitive) / max(one.lost, 1) for one in found)
    assert worth >= best


def test_before_and_after_show_no_sensitive_value() -> None:
    assessment = assessed(3)
    found = tacit.redesign(assessment)
    before, after = found.before.to_pydict(), found.after(0).to_pydict()
    assert len(after["region"]) < len(before["region"])
    assert None in before["v"]
    frame = found.frame.to_pydict()
    assert frame["steps"][0] == found.proposals[0].words


def test_a_finished_table_can_be_cut_but_not_merged() -> None:
    cells = {
        "region": ["A1", "A2", "B1", "B2"],
        "v": [10.0, 20.0, 300.0, 400.0],
        "n": [2, 9, 30, 40],
    }
    parents = {"A1": "A", "A2": "A", "B1": "B", "B2": "B", "A": "T", "B": "T"}
    table = tacit.Table.from_cells(
        cells,
        by={"region": tacit.Hierarchy.from_parents(parents)},
        value="v",
        count="n",
    )
    found = tacit.redesign(tacit.assess(table, tacit.MinFrequency(n=3)))
    assert [p.words for p in found.proposals] == ["region: publish A without its parts"]
    result = found.apply(0)
    assert result.table.codes_of("region").tolist() == ["T", "A", "B", "B1", "B2"]
    assert result.table.value_in_units.tolist() == [730, 30, 700, 300, 400]


def test_the_time_limit_is_kept_and_told() -> None:
    found = tacit.redesign(assessed(3), time_limit=0)
    assert not found.finished
    assert "stopped by the time limit" in repr(found)


def test_what_cannot_be_redesigned() -> None:
    with pytest.raises(InputError, match="takes an assessment, not a Table"):
        tacit.redesign(assessed(1).table)  # type: ignore[arg-type]
    safe = tacit.assess(assessed(1).table, tacit.MinFrequency(n=1))
    with pytest.raises(InputError, match="nothing that a coarser table would spare"):
        tacit.redesign(safe)
    with pytest.raises(InputError, match="steps is 0"):
        tacit.redesign(assessed(1), steps=0)
    parts = {
        name: tacit.tabulate(
            records(1), by={"region": tacit.Hierarchy.from_parents(REGION)} | more,
            value="v", unit="firm", decimals=1,
        )
        for name, more in (("one", {}), ("two", {"size": "T"}))
    }  # fmt: skip
    linked = tacit.assess(tacit.link(parts), RULE)
    with pytest.raises(InputError, match="Redesign each table first, then link them"):
        tacit.redesign(linked)
    with pytest.raises(InputError, match="There is no proposal 99"):
        tacit.redesign(assessed(1)).apply(99)
