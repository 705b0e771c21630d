# SPDX-License-Identifier: Apache-2.0
"""The R-U map: every release is on it, no name covers another, no colour is needed."""

from __future__ import annotations

import math
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.measure._labels import Box, place_labels
from tacit.measure._map import Point, draw_map
from tacit.measure._svg import Scale, number_text

PAPER = Box(0, 0, 600, 400)
PLACES = st.lists(
    st.tuples(st.floats(10, 590), st.floats(10, 390), st.floats(20, 140)),
    min_size=1,
    max_size=14,
)


@settings(max_examples=100)
@given(PLACES)
def test_names_cover_no_name_and_no_point(
    places: list[tuple[float, float, float]],
) -> None:
    points = [(x, y) for x, y, _ in places]
    boxes = place_labels(points, [(width, 14.0) for *_, width in places], PAPER)
    placed = [box for box in boxes if box is not None]
    assert not any(one.meets(other) for one, other in combinations(placed, 2))
    assert all(box.inside(PAPER) for box in placed)
    for x, y in points:
        assert not any(box.meets(Box(x - 5, y - 5, x + 5, y + 5)) for box in placed)


def test_fourteen_names_on_one_spot_find_room() -> None:
    boxes = place_labels([(300.0, 200.0)] * 14, [(80.0, 14.0)] * 14, PAPER)
    assert None not in boxes


def drawn(*points: Point) -> ET.Element:
    text = draw_map(points, names=("loss", "risk"), title="A & B")
    return ET.fromstring(text)  # noqa: S314 - our own


def words(root: ET.Element) -> list[str]:
    return ["".join(one.itertext()) for one in root if one.tag.endswith("text")]


def point(name: str, risk: float, loss: float, **more: bool) -> Point:
    flags = {"safe": True, "front": False, "recommended": False, **more}
    return Point(name, risk, loss, **flags)


def test_every_release_is_named_or_told_to_be_missing() -> None:
    root = drawn(
        point("a <b>", 1, 2, front=True, recommended=True),
        point("none", math.inf, 0, safe=False),
        point("unknown", math.nan, 3),
    )
    said = words(root)
    assert "a <b>" in said
    assert "none" in said
    assert "no limit" in said
    assert "Not on the map, a measure is not defined: unknown." in said
    description = next(e for e in root if e.tag.endswith("desc"))
    assert "a <b>: loss 2, risk 1, on the front" in "".join(description.itertext())


def test_marks_differ_in_shape_not_only_in_colour() -> None:
    def shapes(one: Point) -> set[str]:
        before, after = drawn(), drawn(one)
        kinds = [
            [(e.tag.rpartition("}")[2], e.get("class")) for e in root]
            for root in (before, after)
        ]
        extra = kinds[1].copy()
        for kind in kinds[0]:
            extra.remove(kind)
        return {f"{tag}.{name}" for tag, name in extra if tag in {"rect", "circle"}}

    assert shapes(point("x", 1, 1)) == {"circle.full"}
    assert shapes(point("x", 1, 1, safe=False)) == {"circle.hollow"}
    assert shapes(point("x", 1, 1, front=True)) == {"rect.full"}
    assert "circle.mark" in shapes(point("x", 1, 1, front=True, recommended=True))


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.floats(0, 1e12), st.floats(0, 1e12), st.booleans()), max_size=9
    )
)
def test_any_numbers_can_be_drawn(rows: list[tuple[float, float, bool]]) -> None:
    root = drawn(*(point(f"p{k}", *row[:2], safe=row[2]) for k, row in enumerate(rows)))
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for element in root.iter():
        for name, end in (("cx", width), ("cy", height)):
            if name in element.attrib:
                assert 0 <= float(element.attrib[name]) <= end


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_ticks_lie_within_the_scale(low: float, span: float) -> None:
    scale = Scale.over([low, low + span], 0, 100)
    ticks = scale.ticks()
    assert 1 <= len(ticks) <= 15
    assert all(-1e-6 <= scale.at(tick) <= 100 + 1e-6 for tick in ticks)


@pytest.mark.parametrize(
    ("value", "text"), [(-0.0, "0"), (1234.5, "1,234"), (12.5, "12.5"), (2e19, "2e+19")]
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number_text(value) == text
