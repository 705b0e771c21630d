# SPDX-License-Identifier: Apache-2.0
"""The table of a page: rows and columns that fold, states in colour and by sign."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from tacit.publish._grid import lay_out
from tacit.publish._view import decimal_text
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tacit.publish._formats import Layout
    from tacit.publish._grid import Grid
    from tacit.publish._view import View
    from tacit.table import Dimension

__all__ = ["table_of"]

# A browser shows this many cells without trouble; the notice says what is left out.
_MOST_CELLS = 100_000
_WITHHELD, _ABSENT, _CHANGED = "w", "m", "c"
_PUBLIC = {_WITHHELD: "not published", _ABSENT: "cannot occur"}
_INTERNAL = {
    State.SENSITIVE: ("s", "sensitive"),
    State.SUPPRESSED: ("g", "withheld to guard others"),
    State.FORCED: ("f", "withheld as told"),
    State.FROZEN: ("z", "published as told"),
}


def table_of(view: View, layout: Layout) -> Iterator[str]:
    """Give the tools, the table and the meaning of its signs."""
    drawn = _Drawn.of(view, layout)
    yield from _tools(drawn)
    shown = len(drawn.grid.cell)
    if shown < drawn.grid.rows:
        yield (
            f"<p>The first {shown:,} of {drawn.grid.rows:,} rows. "
            "The csv file holds the whole table.</p>"
        )
    name = escape(layout.title or view.measure)
    yield f'<div class="sheet" role="region" aria-label="{name}">'
    yield f'<table id="cells" aria-label="{name}">'
    yield from _columns(drawn)
    yield from _heads(drawn)
    yield "<tbody>"
    yield from _rows(drawn)
    yield "</tbody></table></div>"
    yield '<p id="told" aria-live="polite"></p>'
    yield from _signs(drawn)
    yield f'<script type="application/json" id="trees">{_trees(drawn)}</script>'


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What is drawn of a view: the grid, and per cell its text, kind and more words."""

    view: View
    layout: Layout
    grid: Grid
    text: NDArray[np.object_]
    kind: NDArray[np.object_]
    more: NDArray[np.object_]

    @classmethod
    def of(cls, view: View, layout: Layout) -> _Drawn:
        text = grouped(decimal_text(_printed(view), view.decimals))
        kind = np.full(len(view), "", dtype=object)
        more = np.full(len(view), "", dtype=object)
        if view.secrets is None:
            text[view.withheld] = layout.symbol
            kind[view.withheld] = _WITHHELD
        else:
            _internal(view, kind, more)
        return cls(view, layout, lay_out(view, _MOST_CELLS), text, kind, more)

    @property
    def axes(self) -> tuple[Dimension, ...]:
        """Dimensions of the rows, then that of the columns."""
        column = self.grid.column_dimension
        return (*self.grid.row_dimensions, *(() if column is None else (column,)))


def _printed(view: View) -> NDArray[np.int64]:
    """What is shown: of the internal view the true value where it is withheld."""
    if view.secrets is None:
        return view.value
    return np.where(view.withheld, view.value, view.secrets.published)


def _internal(
    view: View,
    kind: NDArray[np.object_],
    more: NDArray[np.object_],
) -> None:
    secrets = view.secrets
    if secrets is None:
        return
    state = np.where(secrets.sensitive, np.uint8(State.SENSITIVE), secrets.state)
    for one, (short, words) in _INTERNAL.items():
        kind[state == one] = short
        more[state == one] = words
    why = secrets.reasons != ""
    more[why] = more[why] + ": " + secrets.reasons[why]
    changed = ~view.withheld & (secrets.published != view.value)
    true = grouped(decimal_text(view.value[changed], view.decimals))
    glue = np.where(more[changed] == "", "", "; ").astype(object)
    more[changed] = more[changed] + glue + "true value " + true
    space = np.where(kind[changed] == "", "", " ").astype(object)
    kind[changed] = kind[changed] + space + _CHANGED


def grouped(numbers: NDArray[np.object_]) -> NDArray[np.object_]:
    """Set commas between thousands.

    >>> import numpy as np
    >>> grouped(np.array(["-1234.50", "12"], dtype=object)).tolist()
    ['-1,234.50', '12']
    """

    def one(number: object) -> str:
        text = str(number)
        sign = "-" if text.startswith("-") else ""
        whole, point, rest = text.removeprefix("-").partition(".")
        return f"{sign}{int(whole):,}{point}{rest}"

    found: NDArray[np.object_] = np.array([one(n) for n in numbers], dtype=object)
    return found


def _columns(drawn: _Drawn) -> Iterator[str]:
    """Widths, known beforehand: a browser then need not look at every cell."""
    grid = drawn.grid
    yield "<colgroup>"
    for d, dimension in enumerate(grid.row_dimensions):
        names = [
            len(_plain(dimension, code)) + 1.6 * dimension.depths[code]
            for code in np.unique(grid.row_codes[d]).tolist()
        ]
        width = min(34.0, max([*names, len(dimension.name)]) + 4)
        yield f'<col style="width:{width:.0f}ch">'
    sizes = np.array([len(text) for text in drawn.text.tolist()])
    for c in range(grid.cell.shape[1]):
        cells = grid.cell[:, c]
        widest = int(sizes[cells[cells >= 0]].max(initial=4))
        column = grid.column_dimension
        head = drawn.view.measure
        if column is not None:
            code = column.codes[int(grid.column_codes[c])]
            head = max((code, *column.label(code).split()), key=len)
        yield f'<col style="width:{min(24, max(widest + 3, len(head) + 3)) + 1}ch">'
    yield "</colgroup>"


def _heads(drawn: _Drawn) -> Iterator[str]:
    grid = drawn.grid
    yield "<thead><tr>"
    last = len(grid.row_dimensions) - 1
    for d, dimension in enumerate(grid.row_dimensions):
        kind = "k last" if d == last else "k"
        yield f'<th class="{kind}" scope="col">{escape(dimension.name)}</th>'
    column = grid.column_dimension
    if column is None:
        yield f'<th scope="col">{escape(drawn.view.measure)}</th>'
    else:
        parents = _parents(column)
        for code in grid.column_codes.tolist():
            fold = _fold(len(grid.row_dimensions), column, code, parents)
            name = escape(_plain(column, code), quote=True)
            yield (
                f'<th scope="col" data-k="{code}" data-name="{name}">'
                f"{fold}{_named(column, code)}</th>"
            )
    yield "</tr></thead>"


def _rows(drawn: _Drawn) -> Iterator[str]:
    grid = drawn.grid
    heads = [_RowHeads(d, one) for d, one in enumerate(grid.row_dimensions)]
    codes = grid.row_codes.T.tolist()
    before: list[int] = []
    for at, cells in zip(codes, grid.cell.tolist(), strict=True):
        named = [
            head.of(code, again=before[: d + 1] == at[: d + 1], last=d == len(at) - 1)
            for d, (head, code) in enumerate(zip(heads, at, strict=True))
        ]
        top = all(heads[d].depth[code] == 0 for d, code in enumerate(at))
        body = "".join([_cell(drawn, index) for index in cells])
        key = ",".join(map(str, at))
        kind = ' class="t"' if top else ""
        yield f'<tr{kind} data-k="{key}">{"".join(named)}{body}</tr>'
        before = at


class _RowHeads:
    """The heads of rows in one dimension, each made once."""

    def __init__(self, axis: int, dimension: Dimension) -> None:
        self.axis, self.dimension = axis, dimension
        self.depth = dimension.depths.tolist()
        self.parents = _parents(dimension)
        self.holders = set(self.parents)
        self.made: dict[tuple[int, bool, bool], str] = {}

    def of(self, code: int, *, again: bool, last: bool) -> str:
        """Give the head of a row; one that repeats the row above is dim."""
        key = (code, again, last)
        if key not in self.made:
            kind = "k last" if last else "k"
            kind += " again" if again else ""
            shift = f"padding-left:{self.depth[code] * 1.1 + 0.6:.1f}rem"
            fold = self._fold(code, again=again)
            name = escape(_plain(self.dimension, code), quote=True)
            self.made[key] = (
                f'<th scope="row" class="{kind}" style="{shift}" data-name="{name}">'
                f"{fold}{_named(self.dimension, code)}</th>"
            )
        return self.made[key]

    def _fold(self, code: int, *, again: bool) -> str:
        if again or code not in self.holders:
            return '<span class="nofold"></span>' if len(self.holders) > 1 else ""
        return _button(self.axis, code, self.dimension)


def _fold(axis: int, dimension: Dimension, code: int, parents: list[int]) -> str:
    return _button(axis, code, dimension) if code in parents else ""


def _button(axis: int, code: int, dimension: Dimension) -> str:
    name = escape(_plain(dimension, code), quote=True)
    return (
        f'<button class="fold" tabindex="-1" data-d="{axis}" data-c="{code}" '
        f'aria-expanded="true" aria-label="Parts of {name}"></button>'
    )


def _cell(drawn: _Drawn, index: int) -> str:
    if index < 0:
        return f'<td class="{_ABSENT}">{escape(drawn.layout.absent)}</td>'
    kind, more = drawn.kind[index], drawn.more[index]
    named = f' class="{kind}"' if kind else ""
    title = f' title="{escape(more, quote=True)}"' if more else ""
    return f"<td{named}{title}>{escape(drawn.text[index])}</td>"


def _named(dimension: Dimension, position: int) -> str:
    code = dimension.codes[position]
    label = dimension.label(code)
    if label == code:
        return escape(code)
    return f"{escape(label)}<small>{escape(code)}</small>"


def _plain(dimension: Dimension, position: int) -> str:
    code = dimension.codes[position]
    label = dimension.label(code)
    return code if label == code else f"{label} {code}"


def _parents(dimension: Dimension) -> list[int]:
    """The parent of each code in the first tree that holds it below another."""
    parents = np.full(len(dimension), -1, dtype=np.int64)
    for tree in reversed(dimension.parents):
        parents = np.where(tree >= 0, tree, parents)
    found: list[int] = parents.tolist()
    return found


def _trees(drawn: _Drawn) -> str:
    trees = [{"parents": _parents(dimension)} for dimension in drawn.axes]
    if drawn.grid.column_dimension is None:
        trees.append({"parents": []})
    words = dict(_PUBLIC)
    if drawn.view.secrets is not None:
        words |= dict(_INTERNAL.values())
    text = json.dumps({"trees": trees, "words": words}, separators=(",", ":"))
    # Nothing in it may end the element that holds it.
    return text.replace("<", "\\u003c")


def _tools(drawn: _Drawn) -> Iterator[str]:
    yield '<div class="tools" hidden>'
    yield from _filter(drawn)
    for d, dimension in enumerate(drawn.axes):
        deepest = int(dimension.depths.max(initial=0))
        if deepest < 1:
            continue
        options = "".join(
            f'<option value="{level}">{"total" if level == 0 else f"level {level}"}'
            "</option>"
            for level in range(deepest + 1)
        )
        yield (
            f"<label>{escape(dimension.name)} down to "
            f'<select data-levels="{d}">{options}</select></label>'
        )
    yield '<label>Find <input type="search" placeholder="code or label"></label></div>'


def _filter(drawn: _Drawn) -> Iterator[str]:
    kinds = {"": ("all", len(drawn.view))}
    for short, words in _kinds(drawn).items():
        count = sum(short in kind.split() for kind in drawn.kind.tolist() if kind)
        if count:
            kinds[short] = (words, count)
    yield "<fieldset><legend>Cells</legend>"
    for short, (words, count) in kinds.items():
        checked = " checked" if not short else ""
        yield (
            f'<label><input type="radio" name="only" value="{short}"{checked}>'
            f"{escape(words)} {count:,}</label>"
        )
    yield "</fieldset>"


def _kinds(drawn: _Drawn) -> dict[str, str]:
    if drawn.view.secrets is None:
        return {_WITHHELD: _PUBLIC[_WITHHELD]}
    return {**dict(_INTERNAL.values()), _CHANGED: "changed"}


def _signs(drawn: _Drawn) -> Iterator[str]:
    layout = drawn.layout
    present = {short for kind in drawn.kind.tolist() for short in kind.split()}
    yield '<ul class="signs">'
    if drawn.view.secrets is None and _WITHHELD in present:
        sign = escape(layout.symbol)
        yield f'<li><b class="k-w">{sign}</b>not published: confidential</li>'
    marks = {"s": "●", "g": "○", "f": "■", "z": "△"}
    for short, words in _INTERNAL.values():
        if short in present:
            mark = marks[short]
            yield f'<li><b class="k-{short}">{mark}</b>{escape(words)}</li>'
    if _CHANGED in present:
        yield "<li><b>≠</b>published with another value than the true one</li>"
    if (drawn.grid.cell < 0).any():
        yield f"<li><b>{escape(layout.absent)}</b>cannot occur</li>"
    yield "<li><b>0</b>nothing, or less than half of the last digit shown</li></ul>"
