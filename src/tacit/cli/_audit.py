# SPDX-License-Identifier: Apache-2.0
"""``tacit audit``: attack a published file."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import typer

from tacit.cli._progress import progress_on_stderr
from tacit.job import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.audit import AuditReport
    from tacit.job._audit import FileAudit

__all__ = ["audit_command"]

_SAFE, _UNSAFE, _UNDECIDED = 0, 3, 4
_WIDE = 400


def audit_command(
    path: Path, job_file: Path, how: FileAudit, *, html: Path | None, as_json: bool
) -> int:
    """Read a file by the dimensions of a job, attack it, and say what was found."""
    job = Job.load(job_file)
    with progress_on_stderr() as progress:
        report = how.run(job, path, progress=progress)
    if html is not None:
        report.write(html)
    if as_json:
        typer.echo(json.dumps(_content(report), indent=2))
    else:
        _show(report)
    if report.safe:
        return _SAFE
    return _UNSAFE if len(report.findings) else _UNDECIDED


def _content(report: AuditReport) -> dict[str, Any]:
    return {
        **report.summary(),
        "violations": _rows(report.violations),
        "intervals": _rows(report.intervals),
    }


def _rows(frame: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - arrow, as a file gives
    rows: list[dict[str, Any]] = frame.to_pylist()
    return rows


def _show(report: AuditReport) -> None:
    from rich.console import Console  # noqa: PLC0415

    width = None if sys.stdout.isatty() else _WIDE
    console = Console(file=sys.stdout, highlight=False, markup=False, width=width)
    console.print(report.headline, style="bold")
    if len(report.findings):
        console.print(_table(_rows(report.violations), report))
    if len(report.ranges):
        console.print("How closely withheld cells can be worked out:")
        console.print(_table(_rows(report.intervals), report))
    for what in report.not_checked:
        console.print(f"Not checked: {what}.")


_MOST = 50
_NOISE = 1e-12


def _table(rows: list[dict[str, Any]], report: AuditReport) -> Any:  # noqa: ANN401
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    names = [name for name in rows[0] if name != "complete"]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    numbers = {"lowest", "highest"} - set(report.table.names)
    for name in names:
        table.add_column(name, justify="right" if name in numbers else "left")
    decimals = report.table.cells.decimals
    for row in rows[:_MOST]:
        table.add_row(
            *(_text(row[name], decimals if name in numbers else None) for name in names)
        )
    if len(rows) > _MOST:
        table.caption = (
            f"The first {_MOST} of {len(rows):,}; --json and --html have all."
        )
    return table


def _text(value: object, decimals: int | None) -> str:
    """Write a number with the decimals of the table, or more where it needs them."""
    if value is None:
        return "" if decimals is None else "no limit"
    if decimals is None or not isinstance(value, float):
        return f"{value}"
    exact = f"{value:,.{decimals}f}"
    near = abs(round(value, decimals) - value) <= _NOISE * max(1.0, abs(value))
    return exact if near else f"{value:,.10g}"
