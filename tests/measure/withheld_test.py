# SPDX-License-Identifier: Apache-2.0
"""Withheld cells: what stands for them, how many they are, what can be said of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tacit
from releases import instruments, percent, withheld
from tacit import MinFrequency
from tacit.errors import InputError
from tacit.measure import measures
from tacit.measure._pair import pair_of
from tacit.protect import release_as_stated

SQUARE = ("Harps-D", "Pianos-B", "Harps-B", "Pianos-D")


def square() -> tacit.Release:
    return withheld(percent(50), *SQUARE).audited(full=True)


@pytest.mark.parametrize(
    ("imputation", "harps"),
    [("spread", [(47 + 157) / 2, (89 + 28) / 2]), ("zero", [0, 0])],
)
def test_what_stands_for_a_withheld_value(imputation: str, harps: list[float]) -> None:
    laid = pair_of(square(), imputation=imputation)  # type: ignore[arg-type]
    table = instruments()
    cells = [table.index(kind="Harps", region=region) for region in "BD"]
    at = [laid.cells.tolist().index(cell) for cell in cells]
    assert laid.released[at].tolist() == harps


def test_the_middle_is_that_of_what_can_be_worked_out() -> None:
    laid = pair_of(square(), imputation="midpoint")
    cell = instruments().index(kind="Harps", region="B")
    at = laid.cells.tolist().index(cell)
    # The interval of this cell is known from the literature.
    assert laid.released[at] == pytest.approx((19 + 136) / 2)


def test_dropped_cells_are_on_neither_side() -> None:
    laid = pair_of(square(), imputation="drop")
    assert len(laid) == 12
    assert not laid.change.any()


def test_shares_of_cells_and_value() -> None:
    found = tacit.measure(square())
    assert found["share_suppressed"] == pytest.approx(100 * 4 / 16)
    assert found["share_totals_suppressed"] == 0
    assert found["share_modified"] == 0
    assert found["value_suppressed"] == 321
    assert found["value_suppressed_percent"] == pytest.approx(100 * 321 / 3943)
    assert found["share_recalculable"] == 0
    assert found["audit_violations"] > 0  # the owner of a single cell knows it


def test_what_can_be_recalculated_is_counted_without_an_audit_too() -> None:
    release = withheld(percent(50), "Harps-D", "Pianos-B")
    alone = withheld(percent(50))
    assert tacit.measure(alone)["share_recalculable"] == 100
    assert tacit.measure(alone.audited())["share_recalculable"] == 100
    assert tacit.measure(release)["share_recalculable"] == 0


def test_risk_by_the_entropy_that_is_left() -> None:
    found = tacit.measure(square())
    # Harps-B can be 19 to 136, Pianos-D 0 to 117: 118 values each.
    assert found["risk_posterior"] == pytest.approx(1 / math.log2(118))
    assert found["interval_width"] == pytest.approx((117 / 47 + 117 / 28) / 2)
    assert tacit.measure(withheld(percent(50)).audited())["risk_posterior"] == math.inf


def test_risk_by_the_audit() -> None:
    assert tacit.measure(withheld(percent(50)).audited())["risk_audit"] == 100
    assert math.isnan(tacit.measure(withheld(percent(50)))["risk_audit"])
    safe = tacit.suppress(tacit.assess(instruments(), MinFrequency(n=3))).audited()
    assert tacit.measure(safe)["risk_audit"] == 0
    assert tacit.measure(safe)["audit_violations"] == 0


def test_an_exposed_cell_is_all_the_risk_there_is() -> None:
    assessment = tacit.assess(instruments(), MinFrequency(n=3))
    state = np.zeros_like(assessment.state)
    release = tacit.Release(assessment, state, "none", assessment.table.cells.value)
    found = tacit.measure(release)
    assert found["risk_audit"] == 100
    assert found["risk_posterior"] == math.inf


def test_sums_that_do_not_add_up_are_counted() -> None:
    assessment = tacit.assess(instruments())
    printed = assessment.table.cells.value.copy()
    printed[assessment.table.index(kind="Harps", region="A")] += 1
    release = tacit.Release(
        assessment, assessment.state, "test", printed, perturbed=True
    )
    found = tacit.measure(release)
    relations = len(assessment.table.relations)
    assert found["share_not_additive"] == pytest.approx(100 * 2 / relations)
    assert found["share_modified"] == pytest.approx(100 / 16)


def test_everything_withheld_leaves_nothing_to_drop_to() -> None:
    cells = {"a": ["x", "y"], "n": [3, 4], "s": ["u", "m"]}
    table = tacit.Table.from_cells(cells, by={"a": "T"}, value="n", state="s")
    release = release_as_stated(tacit.assess(table, margin=10))
    with pytest.raises(InputError, match="dropping them leaves nothing to measure"):
        tacit.measure(release, imputation="drop")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"imputation": "midpiont"}, "Did you mean 'midpoint'"),
        ({"columns": "regoin"}, "Did you mean 'region'"),
        ({"only": ["helinger"]}, "Did you mean 'hellinger'"),
    ],
)
def test_wrong_words_are_told(options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        tacit.measure(square(), **options)  # type: ignore[arg-type]


def test_only_a_release_can_be_measured() -> None:
    with pytest.raises(InputError, match="takes a release, not a Table"):
        tacit.measure(instruments())  # type: ignore[arg-type]


def test_one_table_of_results_for_every_method() -> None:
    found = tacit.measure(square())
    frame = found.frame.to_pydict()
    assert frame["measure"] == [one.name for one in measures()] == list(found)
    assert all(frame["meaning"])
    assert "321" not in repr(found) + found._repr_html_()
    with pytest.raises(KeyError, match="Did you mean 'hellinger'"):
        found["helinger"]
    with pytest.raises(InputError, match="Did you mean 'rows'"):
        found.lines("row")
