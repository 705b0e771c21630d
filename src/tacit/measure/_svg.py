# SPDX-License-Identifier: Apache-2.0
"""Charts as SVG, drawn here: no library, no font, no network, the same bytes always.

A chart brings its own colours for light and dark, so that it looks the same in a
report, a notebook, the app and a file of its own. Nothing in it depends on colour.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Drawing", "Scale", "number_text", "plot_frame", "width_of"]

_STYLE = """
.tacit-chart{--ink:#1c2024;--dim:#60646c;--rule:#d9d9e0;--paper:#fff;--mark:#0b5c8a;
font:13px system-ui,"Segoe UI",sans-serif;max-width:100%;height:auto}
@media(prefers-color-scheme:dark){.tacit-chart{--ink:#edeef0;--dim:#b0b4ba;
--rule:#3a3d42;--paper:#18191b;--mark:#70b8ff}}
@media print{.tacit-chart{--ink:#000;--dim:#444;--rule:#bbb;--paper:#fff;--mark:#000}}
.tacit-chart text{fill:var(--ink);paint-order:stroke;
stroke:var(--paper);stroke-width:3px}.tacit-chart .dim{fill:var(--dim)}
.tacit-chart .strong{font-weight:600}.tacit-chart .paper{fill:var(--paper)}
.tacit-chart .rule{stroke:var(--rule);fill:none}
.tacit-chart .ink{stroke:var(--ink);fill:none}
.tacit-chart .mark{stroke:var(--mark);fill:none}
.tacit-chart .full{fill:var(--mark);stroke:var(--mark)}
.tacit-chart .hollow{fill:var(--paper);stroke:var(--dim)}
.tacit-chart .lead{stroke:var(--dim);fill:none;stroke-width:.7}
"""

# Widths of letters in parts of the size of the font, a little on the wide side.
_NARROW, _WIDE = set("iljtfrI.,:;'|!()[] "), set("mwMW%@")
_NOTHING = 1e-12
_THIN, _USUAL, _BROAD, _CAPITAL = 0.36, 0.57, 0.92, 0.7


def width_of(text: str, size: float = 13.0) -> float:
    """Estimate how wide a text is drawn, rather too wide than too narrow.

    >>> width_of("mm") > width_of("ll")
    True
    """
    widths = (
        _THIN
        if letter in _NARROW
        else _BROAD
        if letter in _WIDE
        else _CAPITAL
        if letter.isupper()
        else _USUAL
        for letter in text
    )
    return size * sum(widths)


def number_text(value: float) -> str:
    """Write a number as short as it can be read.

    >>> [number_text(x) for x in (0.25, 1500.0, 2_000_000.0, 1e-6, 3.0)]
    ['0.25', '1,500', '2,000,000', '1e-06', '3']
    """
    if math.isinf(value):
        return "no limit"
    size = abs(value)
    if value == 0 or 1e-4 <= size < 1e10:  # noqa: PLR2004 - beyond, powers read better
        digits = 0 if size >= 100 or value == int(value) else 4  # noqa: PLR2004
        text = f"{value:,.{digits}f}" if digits == 0 else f"{value:.4g}"
        return text.replace("-0", "0", 1) if text == "-0" else text
    return f"{value:.3g}"


@dataclass(frozen=True)
class Scale:
    """From values to places on the paper, in even steps or in powers of ten."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    @classmethod
    def over(
        cls, values: Sequence[float], start: float, end: float, *, zero: bool = False
    ) -> Scale:
        """Span finite values with some air; in powers where they differ widely.

        >>> Scale.over([1.0, 10_000.0], 0, 100).log
        True
        """
        # What is smaller than any digit that is shown counts as nothing.
        found = [
            value if abs(value) > _NOTHING else 0.0
            for value in values
            if math.isfinite(value)
        ] or [0.0, 1.0]
        low, high = min(found), max(found)
        if low > 0 and high / low > 50:  # noqa: PLR2004 - all in one corner otherwise
            air = (math.log10(high) - math.log10(low)) * 0.08
            return cls(low / 10**air, high * 10**air, start, end, log=True)
        if high - low <= _NOTHING * max(abs(low), abs(high)):
            low, high = min(low, 0.0), max(high, 0.0)
            high = high if high > low else low + 1.0
        air = 0.06 * (high - low)
        bottom = 0.0 if low >= 0 and (zero or low < 0.4 * high) else low - air
        return cls(
            bottom - (air if bottom == 0 and not zero else 0), high + air, start, end
        )

    def at(self, value: float) -> float:
        """Place of a value."""
        low, high, value = (
            (math.log10(x) if self.log else x) for x in (self.low, self.high, value)
        )
        return self.start + (self.end - self.start) * (value - low) / (high - low)

    def ticks(self, most: int = 7) -> list[float]:
        """Round numbers within the scale.

        >>> Scale(0, 10, 0, 100).ticks()
        [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
        """
        if self.log:
            return self._powers(most)
        rough = (self.high - self.low) / max(1, most - 1)
        base = 10.0 ** math.floor(math.log10(rough))
        step = next(base * k for k in (1, 2, 5, 10) if base * k >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(k * step, 12) + 0.0 for k in range(first, last + 1)]

    def _powers(self, most: int) -> list[float]:
        low = math.floor(math.log10(self.low))
        high = math.ceil(math.log10(self.high))
        found = [
            k * 10.0**p
            for p in range(low, high + 1)
            for k in ((1, 2, 5) if high - low <= most // 2 else (1,))
            if self.low <= k * 10.0**p <= self.high
        ]
        every = max(1, math.ceil(len(found) / most))
        return found[::every]


@dataclass
class Drawing:
    """A sheet of paper; what is drawn later lies on top."""

    width: float
    height: float
    parts: list[str] = field(default_factory=list)

    def add(self, tag: str, kind: str = "", **attributes: float | str) -> None:
        """Draw one element; underscores in names stand for hyphens."""
        given = "".join(
            f' {name.replace("_", "-")}="{_attribute(value)}"'
            for name, value in attributes.items()
        )
        named = f' class="{kind}"' if kind else ""
        self.parts.append(f"<{tag}{named}{given}/>")

    def text(
        self, x: float, y: float, text: str, kind: str = "", **more: float | str
    ) -> None:
        """Write at a place; ``text_anchor`` says which end of the text that is."""
        given = "".join(
            f' {name.replace("_", "-")}="{_attribute(value)}"'
            for name, value in more.items()
        )
        named = f' class="{kind}"' if kind else ""
        place = f'x="{_attribute(x)}" y="{_attribute(y)}"'
        self.parts.append(f"<text {place}{named}{given}>{escape(text)}</text>")

    def path(
        self, points: Sequence[tuple[float, float]], kind: str, **more: str
    ) -> None:
        """Draw a line through points."""
        d = "M" + "L".join(f"{_attribute(x)} {_attribute(y)}" for x, y in points)
        self.add("path", kind, d=d, **more)

    def svg(self, title: str, description: str) -> str:
        """Finish: the whole drawing, with words for those who cannot see it."""
        w, h = _attribute(self.width), _attribute(self.height)
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tacit-chart" role="img" '
            f'width="{w}" height="{h}" viewBox="0 0 {w} {h}">\n'
            f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n"
            f"<style>{_STYLE}</style>\n"
            f'<rect class="paper" width="{w}" height="{h}"/>\n{body}\n</svg>'
        )


def plot_frame(drawing: Drawing, x: Scale, y: Scale, *, names: tuple[str, str]) -> None:
    """Draw axes with their ticks, numbers and names; lines across for reading."""
    for value in y.ticks():
        place = y.at(value)
        drawing.add("path", "rule", d=f"M{x.start} {place:.1f}H{x.end}")
        drawing.text(
            x.start - 8, place + 4, number_text(value), "dim", text_anchor="end"
        )
    for value in x.ticks():
        place = x.at(value)
        drawing.add("path", "rule", d=f"M{place:.1f} {y.start}v5")
        drawing.text(
            place, y.start + 19, number_text(value), "dim", text_anchor="middle"
        )
    drawing.path([(x.start, y.end), (x.start, y.start), (x.end, y.start)], "ink")
    drawing.text((x.start + x.end) / 2, y.start + 40, names[0], text_anchor="middle")
    middle = (y.start + y.end) / 2
    drawing.text(
        16,
        middle,
        names[1],
        text_anchor="middle",
        transform=f"rotate(-90 16 {_attribute(middle)})",
    )


def _attribute(value: float | str) -> str:
    if isinstance(value, str):
        return escape(value, quote=True)
    return f"{value:.2f}".rstrip("0").rstrip(".")
