# SPDX-License-Identifier: Apache-2.0
"""The R-U map: risk against loss, one point a release."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tacit.measure._labels import Box, place_labels
from tacit.measure._svg import Drawing, Scale, number_text, plot_frame, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Point", "draw_map"]

_WIDTH, _HEIGHT = 720.0, 460.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 86.0, 20.0, 52.0, 62.0
_LINE = 16.0
_BAND = 26.0


class Point(NamedTuple):
    """One release on the map."""

    name: str
    risk: float
    loss: float
    safe: bool
    front: bool
    recommended: bool


@dataclass(frozen=True)
class _Sheet:
    """The paper, its scales, and where risks without limit go."""

    drawing: Drawing
    x: Scale
    y: Scale
    band: float | None
    names: tuple[str, str]

    def at(self, point: Point) -> tuple[float, float]:
        place = self.band if self.band is not None else 0.0
        y = place if math.isinf(point.risk) else self.y.at(point.risk)
        return self.x.at(point.loss), y


def draw_map(points: Sequence[Point], *, names: tuple[str, str], title: str) -> str:
    """Draw the map: loss to the right, risk upwards, the best corner below left.

    Points with an undefined coordinate, or without limit of loss, are listed below.
    Full marks are safe, hollow ones are not; squares lie on the front, circles do not;
    the recommended one has a ring. So the map can be read without any colour.
    """
    shown = [p for p in points if math.isfinite(p.loss) and not math.isnan(p.risk)]
    missing = [p.name for p in points if p not in shown]
    lines = _wrapped(_notes(missing))
    sheet = _sheet(shown, names, below=len(lines))
    drawing = sheet.drawing
    drawing.text(_LEFT, 24, title, "strong")
    _legend(drawing)
    plot_frame(drawing, sheet.x, sheet.y, names=names)
    if sheet.band is not None:
        drawing.text(_LEFT - 8, sheet.band + 4, "no limit", "dim", text_anchor="end")
        dashes = f"M{_LEFT} {sheet.band}H{_WIDTH - _RIGHT}"
        drawing.add("path", "rule", d=dashes, stroke_dasharray="2 4")
    _front(sheet, shown)
    for point in sorted(shown, key=lambda p: p.front):
        _mark(drawing, *sheet.at(point), point)
    unnamed = _names(sheet, shown)
    lines = _wrapped(_notes(missing, unnamed))
    for k, line in enumerate(lines):
        drawing.text(_LEFT, _HEIGHT + 4 + k * _LINE, line, "dim")
    drawing.height = _HEIGHT + (12 + _LINE * len(lines) if lines else 0)
    return drawing.svg(title, _described(points, names))


def _sheet(shown: Sequence[Point], names: tuple[str, str], *, below: int) -> _Sheet:
    drawing = Drawing(_WIDTH, _HEIGHT + below * _LINE)
    endless = any(math.isinf(point.risk) for point in shown)
    top = _TOP + (_BAND if endless else 0)
    finite = [point.risk for point in shown if math.isfinite(point.risk)]
    return _Sheet(
        drawing,
        Scale.over([point.loss for point in shown], _LEFT, _WIDTH - _RIGHT),
        Scale.over(finite, _HEIGHT - _BOTTOM, top),
        _TOP + 6 if endless else None,
        names,
    )


def _legend(drawing: Drawing) -> None:
    x, y = _WIDTH - _RIGHT, 24.0
    for words, front, safe in (
        ("not safe", False, False),
        ("safe, beaten", False, True),
        ("safe, on the front", True, True),
    ):
        drawing.text(x, y, words, "dim", text_anchor="end")
        x -= width_of(words) + 12
        _mark(drawing, x, y - 4, Point("", 0, 0, safe, front, recommended=False))
        x -= 18


def _mark(drawing: Drawing, x: float, y: float, point: Point) -> None:
    kind = "full" if point.safe else "hollow"
    if point.recommended:
        drawing.add("circle", "mark", cx=x, cy=y, r=10, stroke_width=1.5)
    if point.front:
        drawing.add("rect", kind, x=x - 4.5, y=y - 4.5, width=9, height=9)
    else:
        drawing.add("circle", kind, cx=x, cy=y, r=4.5, stroke_width=1.5)


def _front(sheet: _Sheet, shown: Sequence[Point]) -> None:
    """Join the points of the front by steps: beyond them everything is beaten."""
    places = sorted(sheet.at(point) for point in shown if point.front)
    if len(places) < 2:  # noqa: PLR2004 - a line needs two
        return
    steps = [places[0]]
    for x, y in places[1:]:
        steps += [(x, steps[-1][1]), (x, y)]
    sheet.drawing.path(steps, "mark", stroke_dasharray="5 4", stroke_width="1.2")


def _names(sheet: _Sheet, shown: Sequence[Point]) -> list[str]:
    """Write the names; give back those for which there was no room."""
    places = [sheet.at(point) for point in shown]
    sizes = [(width_of(point.name), 14.0) for point in shown]
    paper = Box(_LEFT + 2, _TOP - 14, _WIDTH - 4, _HEIGHT - _BOTTOM - 2)
    unnamed = []
    for point, place, box in zip(
        shown, places, place_labels(places, sizes, paper), strict=True
    ):
        if box is None:
            unnamed.append(point.name)
            continue
        x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        _lead(sheet.drawing, place, box)
        kind = "strong" if point.recommended else ""
        sheet.drawing.text(x, y + 4.5, point.name, kind, text_anchor="middle")
    return unnamed


def _lead(drawing: Drawing, place: tuple[float, float], box: Box) -> None:
    """Draw a line from a point to its name where the two lie apart."""
    x = min(max(place[0], box.left), box.right)
    y = min(max(place[1], box.top), box.bottom)
    apart = math.dist(place, (x, y))
    if apart > 16:  # noqa: PLR2004 - nearer, they can be seen to belong together
        inner = 8 / apart
        start = (place[0] + (x - place[0]) * inner, place[1] + (y - place[1]) * inner)
        drawing.path([start, (x, y)], "lead")


def _notes(missing: Sequence[str], unnamed: Sequence[str] = ()) -> str:
    parts = []
    if missing:
        parts.append(f"Not on the map, a measure is not defined: {', '.join(missing)}.")
    if unnamed:
        parts.append(f"Marks without room for a name: {', '.join(unnamed)}.")
    return " ".join(parts)


def _wrapped(text: str) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer) <= _WIDTH - _LEFT - _RIGHT:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _described(points: Sequence[Point], names: tuple[str, str]) -> str:
    told = [
        f"{p.name}: {names[0]} {number_text(p.loss)}, {names[1]} {number_text(p.risk)}"
        f"{', on the front' if p.front else ''}{'' if p.safe else ', not safe'}"
        for p in points
    ]
    return f"Risk against loss of {len(points)} releases. {'; '.join(told)}."
