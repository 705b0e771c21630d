# SPDX-License-Identifier: Apache-2.0
"""Releases side by side: the front, the recommendation, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tacit
from measure.conftest import ORIGINAL, ROUNDED, changed, table_of
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.protect import Release


@dataclass(frozen=True)
class Verdict:
    safe: bool


ASSESSMENT = tacit.assess(table_of(ORIGINAL))


def made(values: np.ndarray, *, safe: bool = True) -> Release:
    release = changed(ORIGINAL, values)
    return replace(release, assessment=ASSESSMENT, audit=Verdict(safe=safe))


def compared(**more: Any) -> tacit.Comparison:
    releases = {
        "fives": made(ROUNDED),
        "far": made(ORIGINAL + np.arange(9).reshape(3, 3) * 5),
        "beaten": made(ORIGINAL + 20 + (ORIGINAL == 8)),
        "unsafe": made(ORIGINAL + (ORIGINAL == 8), safe=False),
    }
    return tacit.compare(ASSESSMENT, releases, **more)


def test_safe_releases_come_first_and_beaten_ones_behind() -> None:
    found = compared()
    assert found.front == ("fives", "far")
    assert found.ranks == {"fives": 1, "far": 1, "beaten": 2, "unsafe": 3}
    assert found.recommended == "fives"


def test_the_sentence_says_why() -> None:
    said = compared().recommendation
    assert said.startswith("Take 'fives': of 3 releases that are safe by their audit")
    assert "absolute loss percent 6.316" in said
    assert "'far' has the least risk" in said


def test_one_table_with_every_measure() -> None:
    frame = compared().frame.to_pydict()
    assert frame["release"] == ["fives", "far", "beaten", "unsafe"]
    assert frame["front"] == [True, True, False, False]
    assert frame["absolute_loss_per_cell"][0] == 12


def test_the_axes_can_be_chosen() -> None:
    found = compared(loss="hellinger", risk="risk_audit")
    assert found.recommended == "fives"
    assert "hellinger" in found.map


def test_without_a_safe_release_none_is_recommended() -> None:
    found = tacit.compare(ASSESSMENT, {"x": replace(made(ROUNDED), audit=None)})
    assert found.recommended is None
    assert "None of these 1 releases can be published" in found.recommendation


def test_where_one_is_safe_that_is_the_reason() -> None:
    releases = {"x": made(ROUNDED), "y": made(ORIGINAL, safe=False)}
    said = tacit.compare(ASSESSMENT, releases).recommendation
    assert said.startswith("Take 'x': of 2 releases it is the only one that is safe")


def test_nothing_is_shown_of_itself_but_in_a_notebook() -> None:
    found = compared()
    assert repr(found) == "<Comparison of 4 releases: 'fives' recommended>"
    assert found._repr_html_().count("<svg") == 1


@pytest.mark.parametrize(
    ("first", "releases", "options", "words"),
    [
        (None, {"x": made(ROUNDED)}, {}, "takes an assessment first"),
        (ASSESSMENT, {}, {}, "at least one"),
        (ASSESSMENT, {"x": 3}, {}, "'x' is a int and not a release"),
        (
            ASSESSMENT,
            {"x": changed(ORIGINAL + 1, ROUNDED)},
            {},
            "'x' is a release of another table",
        ),
        (ASSESSMENT, {"x": made(ROUNDED)}, {"risk": "hellinger"}, "takes a measure of"),
        (ASSESSMENT, {"x": made(ROUNDED)}, {"loss": "helinger"}, "Did you mean"),
        (ASSESSMENT, {"x": made(ROUNDED)}, {"tolerance": 2}, "0.001 takes values"),
    ],
)
def test_what_cannot_be_compared_is_told(
    first: Any, releases: Any, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        tacit.compare(first, releases, **options)
