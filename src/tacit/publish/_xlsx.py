# SPDX-License-Identifier: Apache-2.0
"""Workbooks: the table as people read it, a legend, and inside also the reasons.

Codes and labels are written as text, whatever they begin with; nothing in them is
ever a formula. The date of creation is fixed, so that equal tables give equal bytes.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError, MissingExtraError
from tacit.publish._grid import lay_out
from tacit.publish._view import decimal_text
from tacit.table import State

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.publish._formats import Layout
    from tacit.publish._grid import Grid
    from tacit.publish._view import View

_EPOCH = datetime(1980, 1, 1, tzinfo=UTC)
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
# Beyond this nobody opens the file, and writing it takes many minutes.
_MOST_CELLS = 2_000_000
# A spreadsheet holds 15 digits; longer numbers are written as text, exactly.
_EXACT = 10**15
_COLOURS = {
    State.SENSITIVE: "#F4B6B6",
    State.SUPPRESSED: "#FBE3A6",
    State.FORCED: "#D9C2E9",
    State.FROZEN: "#C9DDF2",
}


def ready() -> None:
    """Refuse where the package that writes workbooks is missing."""
    try:
        import xlsxwriter  # noqa: F401, PLC0415
    except ImportError:
        package = "xlsxwriter"
        raise MissingExtraError.for_extra(package, "excel") from None


def write(view: View, path: Path, layout: Layout) -> None:
    """Write a workbook: table, legend, and inside the list of cells."""
    ready()
    import xlsxwriter  # noqa: PLC0415

    grid = lay_out(view, _MOST_CELLS)
    _check_size(grid)
    book = xlsxwriter.Workbook(str(path), {"strings_to_formulas": False})
    try:
        title = layout.title or view.measure
        book.set_properties({"title": title, "created": _EPOCH})
        sheet = _Sheet(book, view, layout)
        sheet.table(grid)
        sheet.legend()
        if view.secrets is not None:
            sheet.reasons()
    finally:
        book.close()


def _check_size(grid: Grid) -> None:
    rows, columns = grid.rows, grid.cell.shape[1]
    heads = len(grid.row_dimensions)
    if (
        rows + 4 > _MOST_ROWS
        or columns + 2 * heads > _MOST_COLUMNS
        or rows > len(grid.cell)
    ):
        message = (
            f"The table has {rows:,} rows and {columns:,} columns, more than a sheet "
            f"can hold ({_MOST_ROWS:,} and {_MOST_COLUMNS:,}, {_MOST_CELLS:,} cells in "
            "all). Write it as csv."
        )
        raise InputError(message)


class _Sheet:
    """The sheets of one workbook, with the formats that they share."""

    def __init__(self, book: Any, view: View, layout: Layout) -> None:  # noqa: ANN401
        self.book, self.view, self.layout = book, view, layout
        digits = "#,##0" + ("." + "0" * view.decimals if view.decimals else "")
        self.number = book.add_format({"num_format": digits, "align": "right"})
        self.sign = book.add_format({"align": "right"})
        self.head = book.add_format({"bold": True, "bottom": 1, "align": "right"})
        self.left = book.add_format({"bold": True, "bottom": 1})
        self.plain = book.add_format()
        self.title = book.add_format({"bold": True, "font_size": 14})
        self.warning = book.add_format({"bold": True, "font_color": "#B00020"})
        self.indent: dict[int, Any] = {}
        self.coloured = {
            int(state): book.add_format(
                {"num_format": digits, "align": "right", "bg_color": colour}
            )
            for state, colour in _COLOURS.items()
        }

    def table(self, grid: Grid) -> None:
        """Write the cells in rows and columns."""
        view = self.view
        sheet = self.book.add_worksheet(self._name("table"))
        sheet.write_string(0, 0, self.layout.title or view.measure, self.title)
        if view.secrets is not None:
            sheet.write_string(1, 0, "Confidential: true values", self.warning)
        heads = 2 * len(grid.row_dimensions)
        for d, dimension in enumerate(grid.row_dimensions):
            sheet.write_string(3, 2 * d, dimension.name, self.left)
            sheet.write_blank(3, 2 * d + 1, None, self.left)
            self._row_heads(sheet, grid, d)
        self._column_heads(sheet, grid, heads)
        self._values(sheet, grid, heads)
        sheet.freeze_panes(4, heads)
        sheet.set_column(0, heads - 1, 14)
        sheet.set_column(heads, heads + grid.cell.shape[1] - 1, 12)

    def _name(self, what: str) -> str:
        return what if self.view.secrets is None else f"internal {what}"

    def _row_heads(self, sheet: Any, grid: Grid, d: int) -> None:  # noqa: ANN401
        dimension = grid.row_dimensions[d]
        depths = dimension.depths.tolist()
        labels = [dimension.label(code) for code in dimension.codes]
        for row, position in enumerate(grid.row_codes[d].tolist()):
            shift = self._indent(depths[position])
            sheet.write_string(row + 4, 2 * d, dimension.codes[position], self.plain)
            sheet.write_string(row + 4, 2 * d + 1, labels[position], shift)

    def _indent(self, depth: int) -> Any:  # noqa: ANN401
        if depth not in self.indent:
            self.indent[depth] = self.book.add_format({"indent": min(depth, 15)})
        return self.indent[depth]

    def _column_heads(self, sheet: Any, grid: Grid, heads: int) -> None:  # noqa: ANN401
        dimension = grid.column_dimension
        if dimension is None:
            sheet.write_string(3, heads, self.view.measure, self.head)
            return
        sheet.write_string(1, heads, dimension.name, self.left)
        for column, position in enumerate(grid.column_codes.tolist()):
            code = dimension.codes[position]
            sheet.write_string(2, heads + column, dimension.label(code), self.sign)
            sheet.write_string(3, heads + column, code, self.head)

    def _values(self, sheet: Any, grid: Grid, heads: int) -> None:  # noqa: ANN401
        view, layout = self.view, self.layout
        scale = 10**view.decimals
        hidden = view.withheld if view.secrets is None else np.zeros(len(view), bool)
        for row, indices in enumerate(grid.cell.tolist()):
            for column, index in enumerate(indices):
                at = (row + 4, heads + column)
                if index < 0:
                    sheet.write_string(*at, layout.absent, self.sign)
                elif hidden[index]:
                    sheet.write_string(*at, layout.symbol, self.sign)
                else:
                    self._number(sheet, at, index, scale)

    def _number(self, sheet: Any, at: tuple[int, int], index: int, scale: int) -> None:  # noqa: ANN401
        value = int(self.view.value[index])
        style = self.number
        if self.view.secrets is not None:
            style = self.coloured.get(int(self.view.secrets.state[index]), style)
        if abs(value) >= _EXACT:
            text = decimal_text(self.view.value[index : index + 1], self.view.decimals)
            sheet.write_string(*at, str(text[0]), style)
        else:
            sheet.write_number(*at, value / scale if scale > 1 else value, style)

    def legend(self) -> None:
        """Say what each sign means."""
        sheet = self.book.add_worksheet(self._name("legend"))
        layout = self.layout
        sheet.write_string(0, 0, "Sign", self.left)
        sheet.write_string(0, 1, "Meaning", self.left)
        rows = [
            (layout.symbol, "not published: confidential"),
            (layout.absent, "cannot occur"),
            ("0", "nothing, or less than half of the last digit shown"),
        ]
        for row, (sign, meaning) in enumerate(rows, start=1):
            sheet.write_string(row, 0, sign, self.sign)
            sheet.write_string(row, 1, meaning, self.plain)
        if self.view.secrets is not None:
            for row, state in enumerate(_COLOURS, start=len(rows) + 2):
                sheet.write_blank(row, 0, None, self.coloured[int(state)])
                sheet.write_string(row, 1, state.label, self.plain)
        sheet.set_column(1, 1, 60)

    def reasons(self) -> None:
        """List the cells that are not simply safe, with levels and reasons."""
        view, secrets = self.view, self.view.secrets
        if secrets is None:
            return
        sheet = self.book.add_worksheet("internal reasons")
        names = [dimension.name for dimension in view.dimensions]
        heads = [*names, view.measure, "state", "lower", "upper", "sliding", "reasons"]
        for column, head in enumerate(heads):
            sheet.write_string(0, column, head, self.left)
        quiet = np.isin(secrets.state, [State.SAFE, State.EMPTY]) & ~secrets.sensitive
        listed = np.flatnonzero(~quiet)[: _MOST_ROWS - 1]
        text = decimal_text(view.value[listed], view.decimals)
        labels = [state.label for state in State]
        for row, index in enumerate(listed.tolist(), start=1):
            for d, dimension in enumerate(view.dimensions):
                code = dimension.codes[view.codes[d, index]]
                sheet.write_string(row, d, code, self.plain)
            at = len(view.dimensions)
            sheet.write_string(row, at, str(text[row - 1]), self.sign)
            sheet.write_string(row, at + 1, labels[secrets.state[index]], self.plain)
            for shift, level in enumerate(
                (secrets.lower, secrets.upper, secrets.sliding), start=2
            ):
                sheet.write_number(row, at + shift, float(level[index]), self.sign)
            sheet.write_string(row, at + 5, str(secrets.reasons[index]), self.plain)
        sheet.freeze_panes(1, 0)
        sheet.set_column(0, len(heads) - 1, 14)
