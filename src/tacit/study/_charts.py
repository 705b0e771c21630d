# SPDX-License-Identifier: Apache-2.0
"""The charts of the studies: lines, and maps of shades."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tacit.measure._labels import Box, place_labels
from tacit.measure._svg import Drawing, Scale, number_text, plot_frame, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Line", "line_chart", "shade_map"]

_LEFT, _RIGHT, _TOP, _BOTTOM = 78.0, 24.0, 44.0, 60.0
_WIDTH, _HEIGHT = 640.0, 400.0
_DASHES = ("", "7 4", "2 3", "10 3 2 3", "1 5")
_SHADES = 5


class Line(NamedTuple):
    """One line: its points, and whether it is what is exact or what was simulated."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    points: bool = False


def line_chart(
    lines: Sequence[Line], *, names: tuple[str, str], title: str, description: str
) -> str:
    """Draw lines that differ by their dashes, each with its name beside it."""
    spanned = [v for line in lines for v in line.x]
    x = Scale(min(spanned), max(spanned), _LEFT, _WIDTH - _RIGHT)
    ends = [v for line in lines for v in line.y]
    y = Scale.over([0.0, *ends], _HEIGHT - _BOTTOM, _TOP, zero=True)
    drawing = Drawing(_WIDTH, _HEIGHT)
    drawing.text(_LEFT, 22, title, "strong")
    plot_frame(drawing, x, y, names=names)
    for k, line in enumerate(lines):
        places = [(x.at(a), y.at(b)) for a, b in zip(line.x, line.y, strict=True)]
        if line.points:
            for across, down in places:
                drawing.add("circle", "hollow", cx=across, cy=down, r=1.6)
        else:
            dash = _DASHES[k % len(_DASHES)]
            drawing.path(places, "ink", stroke_dasharray=dash, stroke_width="1.5")
    _name_lines(drawing, [line for line in lines if line.name], x, y)
    return drawing.svg(title, description)


def _name_lines(drawing: Drawing, lines: Sequence[Line], x: Scale, y: Scale) -> None:
    """Write each name where its line is farthest from all others."""
    if not lines:
        return
    places = []
    for line in lines:
        others = [o for o in lines if o is not line and len(o.x) == len(line.x)]
        inner = range(len(line.x) // 8, max(1, len(line.x) - len(line.x) // 8))
        apart = [
            min((abs(y.at(line.y[k]) - y.at(o.y[k])) for o in others), default=k)
            for k in inner
        ]
        best = inner[max(range(len(apart)), key=apart.__getitem__)]
        places.append((x.at(line.x[best]), y.at(line.y[best])))
    sizes = [(width_of(line.name), 14.0) for line in lines]
    paper = Box(_LEFT + 4, _TOP, _WIDTH - 4, _HEIGHT - _BOTTOM - 2)
    boxes = place_labels(places, sizes, paper)
    for line, place, box in zip(lines, places, boxes, strict=True):
        if box is None:
            continue
        middle = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        drawing.path(
            [place, (min(max(place[0], box.left), box.right), middle[1])], "lead"
        )
        drawing.text(middle[0], middle[1] + 4.5, line.name, text_anchor="middle")


def shade_map(
    share: NDArray[np.float64],
    rows: Sequence[int],
    columns: Sequence[int],
    *,
    names: tuple[str, str],
    title: str,
) -> str:
    """Draw shares as shades of grey in steps of a fifth, rows upwards.

    ``share[r, c]`` lies between 0 and 1; the steps are the contours.
    """
    drawing = Drawing(_WIDTH, _HEIGHT)
    right = _WIDTH - _RIGHT - 90
    across = (right - _LEFT) / len(columns)
    down = (_HEIGHT - _BOTTOM - _TOP) / len(rows)
    bottom = _HEIGHT - _BOTTOM
    drawing.text(_LEFT, 22, title, "strong")
    for r in range(len(rows)):
        for start, end, step in _runs(share[r]):
            drawing.add(
                "rect",
                "shade",
                x=_LEFT + start * across,
                y=bottom - (r + 1) * down,
                width=(end - start) * across + 0.4,
                height=down + 0.4,
                fill_opacity=f"{step / _SHADES:.2f}",
                style="fill:var(--mark)",
            )
    for value in columns:
        if value % 20 == 0 or value == columns[0]:
            place = _LEFT + (columns.index(value) + 0.5) * across
            drawing.text(place, bottom + 19, str(value), "dim", text_anchor="middle")
    for value in rows:
        if value % 5 == 0 or value == rows[0]:
            place = bottom - (rows.index(value) + 0.5) * down
            drawing.text(_LEFT - 8, place + 4, str(value), "dim", text_anchor="end")
    drawing.path([(_LEFT, _TOP), (_LEFT, bottom), (right, bottom)], "ink")
    drawing.text((_LEFT + right) / 2, bottom + 40, names[0], text_anchor="middle")
    middle = (_TOP + bottom) / 2
    turned = f"rotate(-90 24 {middle:g})"
    drawing.text(24, middle, names[1], text_anchor="middle", transform=turned)
    _key(drawing, right + 16)
    return drawing.svg(title, _told(share, rows, columns))


def _runs(row: NDArray[np.float64]) -> list[tuple[int, int, int]]:
    """Stretches of one shade: (start, end, step)."""
    steps = [min(_SHADES, int(value * _SHADES + 1e-9)) for value in row.tolist()]
    steps = [max(step, 1) if v > 0 else 0 for step, v in zip(steps, row, strict=True)]
    starts = [k for k, step in enumerate(steps) if k == 0 or step != steps[k - 1]]
    ends = [*starts[1:], len(steps)]
    return [(a, b, steps[a]) for a, b in zip(starts, ends, strict=True) if steps[a]]


def _key(drawing: Drawing, left: float) -> None:
    words = ["none", "to 40 %", "to 60 %", "to 80 %", "to 99 %", "all"]
    for step, text in enumerate(words):
        top = _TOP + 20 * (_SHADES - step)
        drawing.add(
            "rect",
            "shade",
            x=left,
            y=top,
            width=14,
            height=14,
            fill_opacity=f"{step / _SHADES:.2f}",
            style="fill:var(--mark);stroke:var(--dim)",
        )
        drawing.text(left + 20, top + 11, text, "dim")


def _told(
    share: NDArray[np.float64], rows: Sequence[int], columns: Sequence[int]
) -> str:
    ends = [
        f"{row}: {number_text(100 * float(share[r, -1]))} %"
        for r, row in enumerate(rows)
    ]
    return f"Share of sensitive cells at {columns[-1]}, by row: {'; '.join(ends)}."
