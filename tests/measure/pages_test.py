# SPDX-License-Identifier: Apache-2.0
"""The pages hold every measure as it is, and figures that the studies still draw."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tacit.measure import Measure, measures
from tacit.study import study

DOCS = Path(__file__).resolve().parents[2] / "docs"
BEST = {"lower": "low", "higher": "high", "zero": "near 0"}


def end(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"  # noqa: RUF001 - a minus sign
    return f"{value:g}".replace("-", "−")  # noqa: RUF001 - as above


@pytest.mark.parametrize("one", measures(), ids=lambda one: one.name)
def test_a_measure_is_described_as_it_is(one: Measure) -> None:
    page = (DOCS / "reference" / "measures.md").read_text(encoding="utf-8")
    low, high = one.range
    said = f"Best {BEST[one.better]}; {end(low)} to {end(high)}."
    assert f"`{one.name}`\n: {one.meaning} {said}\n\n  $${one.formula}$$\n" in page


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("rules", ("sensitivity-n4", "contour-statisticon", "contour-p_percent")),
        ("negatives", ("variance-ratio",)),
    ],
)
def test_the_figures_of_the_pages_are_those_of_the_studies(
    name: str, figures: tuple[str, ...]
) -> None:
    found = study(name)
    for figure in figures:
        path = DOCS / "_static" / "studies" / f"{name}-{figure}.svg"
        assert path.read_text(encoding="utf-8").strip() == found.figures[figure]
