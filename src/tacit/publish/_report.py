# SPDX-License-Identifier: Apache-2.0
"""The report of an audit as one page of HTML that needs nothing else."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit import Kind
from tacit.errors import InputError
from tacit.publish._page import page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.audit import AuditReport

__all__ = ["write_report"]

_MOST_ROWS = 10_000


def write_report(report: AuditReport, path: str | Path, *, force: bool = False) -> Path:
    """Write the page; of a release it is internal, and its name must say so."""
    target = Path(path)
    if not report.public and "internal" not in target.name.lower():
        message = (
            f"'{target.name}' would show which cells are sensitive and how closely "
            "they can be estimated, and its name does not say so. It must hold the "
            "word 'internal', as in 'audit.internal.html'."
        )
        raise InputError(message)
    if target.suffix.lower() != ".html":
        message = f"A report is written as HTML: name the file '{target.stem}.html'."
        raise InputError(message)
    if not target.parent.is_dir():
        message = f"The folder '{target.parent}' does not exist. Make it first."
        raise InputError(message)
    if target.exists() and not force:
        message = (
            f"'{target}' exists, and nothing is overwritten unasked. Choose another "
            "name, or say force=True."
        )
        raise InputError(message)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(f"{line}\n" for line in _page(report))
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def _page(report: AuditReport) -> Iterator[str]:
    return page(f"Audit of {report.table.measure}", _body(report), over="Audit")


def _body(report: AuditReport) -> Iterator[str]:
    if not report.public:
        yield '<p class="confidential">Internal: sensitive cells. Confidential.</p>'
    kind = "verdict" if report.safe else "verdict no"
    yield f'<p class="{kind}">{escape(report.headline)}</p>'
    yield from _scope(report)
    yield from _violations(report)
    yield from _intervals(report)


def _scope(report: AuditReport) -> Iterator[str]:
    for head, listed in (
        ("Checked", report.checked),
        ("Not checked", report.not_checked),
    ):
        if listed:
            items = "".join(f"<li>{escape(what)}</li>" for what in listed)
            yield f"<h2>{head}</h2><ul>{items}</ul>"


def _violations(report: AuditReport) -> Iterator[str]:
    found = report.findings
    if not len(found):
        return
    yield f"<h2>Violations: {len(found):,}</h2>"
    yield from _head(report, "violation", "lowest", "highest", "why")
    for row in range(min(len(found), _MOST_ROWS)):
        ends = (found.lowest[row], found.highest[row])
        cells = _codes(report, int(found.cell[row]))
        label = Kind(int(found.kind[row])).label
        numbers = "".join(f'<td class="n">{_number(end)}</td>' for end in ends)
        why = escape(str(found.why[row]))
        yield f"<tr>{cells}<td>{label}</td>{numbers}<td>{why}</td></tr>"
    yield from _foot(len(found))


def _intervals(report: AuditReport) -> Iterator[str]:
    ranges = report.ranges
    if not len(ranges):
        return
    yield f"<h2>Intervals: {len(ranges):,}</h2>"
    yield from _head(report, "lowest", "highest", "")
    for row in range(min(len(ranges), _MOST_ROWS)):
        ends = (ranges.lowest[row], ranges.highest[row])
        cells = _codes(report, int(ranges.cells[row]))
        numbers = "".join(f'<td class="n">{_number(end)}</td>' for end in ends)
        wider = "" if ranges.complete[row] else "or wider"
        yield f"<tr>{cells}{numbers}<td>{wider}</td></tr>"
    yield from _foot(len(ranges))


def _head(report: AuditReport, *more: str) -> Iterator[str]:
    names = [*report.table.names, *more]
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    yield '<div class="scroll"><table class="list">'
    yield f"<thead><tr>{heads}</tr></thead><tbody>"


def _foot(rows: int) -> Iterator[str]:
    yield "</tbody></table></div>"
    if rows > _MOST_ROWS:
        yield f"<p>The first {_MOST_ROWS:,} of {rows:,}.</p>"


def _codes(report: AuditReport, cell: int) -> str:
    table = report.table
    if cell < 0:
        return "<td></td>" * len(table.names)
    return "".join(f"<td>{escape(c)}</td>" for c in table.labels_of(cell).values())


def _number(value: float) -> str:
    if np.isnan(value):
        return ""
    if np.isinf(value):
        return "no limit"
    return f"{value:,.10g}"
