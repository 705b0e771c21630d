# SPDX-License-Identifier: Apache-2.0
"""Why a cell is withheld: the rule, who needs it, and that this is really so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import tacit
from releases import instruments, percent, releases, withheld
from tacit.errors import InputError
from tacit.protect import Release
from tacit.table import State

SQUARE = ("Harps-D", "Pianos-B", "Harps-B", "Pianos-D")


def test_a_sensitive_cell_is_told_by_its_rule_and_its_levels() -> None:
    told = withheld(percent(50), *SQUARE[:2]).explain({"kind": "Harps", "region": "B"})
    assert told.state == "sensitive"
    assert "fewer than n contributors (n = 3, margin = 50.0)" in told.why[0]
    assert (
        told.why[1] == "It must not be estimated closer than 23.5 above and 23.5 below."
    )
    # The interval of the literature.
    assert told.interval == (19, 136)
    assert "The next wider cells are not sensitive" in told.text


def test_a_guard_is_told_by_what_it_guards() -> None:
    release = withheld(percent(50), *SQUARE[:2])
    told = release.explain({"kind": "Harps", "region": "D"})
    assert told.state == "withheld to guard others"
    assert [need.cell for need in told.needs] == [
        "kind = Harps, region = B",
        "kind = Pianos, region = D",
    ]
    assert "worked out exactly" in told.needs[0].kind
    assert "Follows from: kind" in told.needs[1].why
    assert "would have to be guarded by other cells" in told.text


def test_a_cell_that_nobody_needs_is_told_to_be_spare() -> None:
    release = withheld(percent(10), *SQUARE[:2], "Organs-A", "Organs-C", "Other-A")
    told = release.explain({"kind": "Other", "region": "A"})
    assert told.needs == ()
    assert told.change[0].startswith("Nothing would be given away without it")


@settings(max_examples=25, deadline=None)
@given(releases())
def test_who_needs_a_guard_is_found_by_publishing_it(release: Release) -> None:
    before = release.audited()
    guards = np.flatnonzero(release.withheld & ~release.assessment.sensitive)
    for cell in guards[:3].tolist():
        state = release.state.copy()
        state[cell] = State.SAFE
        after = tacit.audit(replace(release, state=state))
        told = before.explain(cell)
        lost = set(after.findings.cell.tolist()) - set(before.audit.findings.cell)
        assert {need.cell for need in told.needs} >= {
            release.table.describe_cell(one) for one in lost if one >= 0
        }
        if not len(after.findings) and not after.open:
            assert not told.needs


def test_published_and_empty_cells_are_told_too() -> None:
    release = withheld(percent(50), *SQUARE[:2])
    assert release.explain({}).state == "published as it is"
    cells = {"a": ["x", "y"], "n": [3, 0]}
    table = tacit.Table.from_cells(cells, by={"a": "T"}, value="n", count="n")
    empty = Release(tacit.assess(table), table.cells.state, "x", table.cells.value)
    assert empty.explain({"a": "y"}).state == "empty"


def test_what_came_with_an_order_says_so() -> None:
    cells = {"a": ["x", "y", "z"], "n": [3, 4, 9], "s": ["m", "u", "s"]}
    table = tacit.Table.from_cells(cells, by={"a": "T"}, value="n", state="s")
    assessment = tacit.assess(table, margin=10)
    release = tacit.protect.release_as_stated(assessment)
    assert release.explain({"a": "x"}).state == "withheld as told"
    assert release.explain({"a": "y"}).why[0] == "It came marked as sensitive."


def test_an_exposed_cell_says_so() -> None:
    assessment = percent(50)
    none = np.zeros_like(assessment.state)
    release = Release(assessment, none, "none", assessment.table.cells.value)
    told = release.explain({"kind": "Harps", "region": "B"})
    assert told.state == "sensitive, published as it is"


def test_nothing_is_shown_unasked() -> None:
    told = withheld(percent(50), *SQUARE[:2]).explain({"kind": "Harps", "region": "B"})
    shown = repr(told) + told._repr_html_() + repr(told.needs)
    assert "136" not in shown
    assert "n = 3" not in shown


def test_a_wrong_code_is_told() -> None:
    release = withheld(percent(50), *SQUARE[:2])
    with pytest.raises(InputError, match="Did you mean 'Harps'"):
        release.explain({"kind": "Harp"})
    assert len(instruments()) == len(release)


def test_of_a_changed_table_the_audit_tells_the_interval() -> None:
    assessment = percent(10)
    release = tacit.round(assessment, base=10, method="conventional").audited(full=True)
    cell = {"kind": "Harps", "region": "B"}
    told = release.explain(cell)
    assert told.state == "sensitive, published changed"
    if told.interval is not None:
        low, high = told.interval
        assert low <= 47 <= high
    assert release.explain({"kind": "Other", "region": "A"}).state.startswith(
        "published"
    )
