# SPDX-License-Identifier: Apache-2.0
"""``tacit assess``: what is sensitive, by rule and by level. Internal output."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from tacit.cli._progress import progress_on_stderr
from tacit.job import Job

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tacit.rules import Assessment
    from tacit.table import Dimension

__all__ = ["assess_command"]

_LEVELS_SHOWN = 12
_NOT_LISTED = ("state", "sensitive", "lower", "sliding")
# As wide as the widest table needs, where no terminal sets a limit.
_WIDE = 400


def assess_command(path: Path, *, cells: int, as_json: bool) -> int:
    """Assess the table of a job and show what was found."""
    job = Job.load(path)
    with progress_on_stderr() as progress:
        assessment = job.assess(progress)
    found = _found(assessment)
    listed = _listing(assessment, cells) if cells else []
    if as_json:
        content = {"internal": True, **found}
        if cells:
            content["cells_listed"] = listed
        typer.echo(json.dumps(content, indent=2))
    else:
        _Screen(assessment).show(found, listed)
    return 0


def _found(assessment: Assessment) -> dict[str, Any]:
    table = assessment.table
    return {
        "measure": table.measure,
        "dimensions": list(table.names),
        **assessment.summary(),
        "only_by_rule": _only_by_rule(assessment),
        "by_level": {
            dimension.name: _by_level(dimension, table.cells.codes[d], assessment)
            for d, dimension in enumerate(table.dimensions)
        },
    }


def _only_by_rule(assessment: Assessment) -> list[int]:
    """Count, per rule, the cells that no other rule caught."""
    fired = [np.asarray(marks) for marks in assessment.reasons.values()]
    if not fired:
        return []
    rules = np.add.reduce([marks.astype(np.int32) for marks in fired])
    return [int((marks & (rules == 1)).sum()) for marks in fired]


def _by_level(
    dimension: Dimension, codes: NDArray[np.int32], assessment: Assessment
) -> list[dict[str, int]]:
    level = dimension.depths[codes]
    size = int(level.max(initial=0)) + 1
    cells = np.bincount(level, minlength=size)
    sensitive = np.bincount(level[assessment.sensitive], minlength=size)
    return [
        {"level": n, "cells": int(cells[n]), "sensitive": int(sensitive[n])}
        for n in range(size)
    ]


def _listing(assessment: Assessment, most: int) -> list[dict[str, Any]]:
    """List the sensitive cells of the largest value. Confidential."""
    import pyarrow.compute as pc  # noqa: PLC0415

    table = assessment.table
    frame = assessment.internal.cells
    size = np.abs(table.cells.value.astype(np.float64))
    sensitive = np.flatnonzero(assessment.sensitive)
    chosen = sensitive[np.argsort(-size[sensitive], kind="stable")[:most]]
    kept = [
        name
        for name in frame.column_names
        if name not in _NOT_LISTED and not name.startswith("largest_")
    ]
    listed: list[dict[str, Any]] = pc.take(frame.select(kept), chosen).to_pylist()
    return listed


class _Screen:
    """The findings as a person reads them."""

    def __init__(self, assessment: Assessment) -> None:
        from rich.console import Console  # noqa: PLC0415

        self.assessment = assessment
        width = None if sys.stdout.isatty() else _WIDE
        self.console = Console(
            file=sys.stdout, highlight=False, markup=False, width=width
        )

    def show(self, found: dict[str, Any], listed: list[dict[str, Any]]) -> None:
        """Print the headline, the two tables, and the list if there is one."""
        by = " x ".join(found["dimensions"])
        share = 100 * found["share_sensitive"]
        self.console.print(f"{found['measure']} by {by}", style="bold")
        counts = f"{found['cells']:,} cells, {found['sensitive']:,} sensitive"
        self.console.print(f"{counts} ({share:.1f} %)")
        self._extras(found)
        if found["by_rule"]:
            self._rules(found)
        self._levels(found)
        if listed:
            self._cells(listed)

    def _extras(self, found: dict[str, Any]) -> None:
        for key, words in (
            ("forced", "must be suppressed as told"),
            ("frozen", "must stay published as told"),
            ("conflicts", "sensitive, and told to be published"),
            ("exempted", "exempted from the rules"),
        ):
            if found.get(key):
                self.console.print(f"{found[key]:,} {words}")

    def _rules(self, found: dict[str, Any]) -> None:
        table = self._table("rule", ">cells", ">by this rule only")
        only = found["only_by_rule"]
        for (name, count), alone in zip(found["by_rule"].items(), only, strict=True):
            table.add_row(name, f"{count:,}", f"{alone:,}")
        self.console.print(table)

    def _levels(self, found: dict[str, Any]) -> None:
        table = self._table("dimension", ">level", ">cells", ">sensitive", ">%")
        for name, levels in found["by_level"].items():
            for row in levels[:_LEVELS_SHOWN]:
                share = 100 * row["sensitive"] / row["cells"] if row["cells"] else 0.0
                level = "total" if row["level"] == 0 else str(row["level"])
                table.add_row(
                    name if row["level"] == 0 else "",
                    level,
                    f"{row['cells']:,}",
                    f"{row['sensitive']:,}",
                    f"{share:.1f}",
                )
        self.console.print(table)

    def _cells(self, listed: list[dict[str, Any]]) -> None:
        self.console.print("Sensitive cells. Confidential: do not publish.")
        numbers = {name for name, x in listed[0].items() if isinstance(x, (int, float))}
        table = self._table(*(f">{n}" if n in numbers else n for n in listed[0]))
        for row in listed:
            table.add_row(*(self._text(x) for x in row.values()))
        self.console.print(table)

    def _text(self, cell: object) -> str:
        decimals = self.assessment.table.cells.decimals
        if isinstance(cell, float):
            return f"{cell:,.{decimals}f}"
        return f"{cell:,}" if isinstance(cell, int) else f"{cell}"

    def _table(self, *heads: str) -> Any:  # noqa: ANN401 - rich is loaded late
        from rich import box  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for head in heads:
            right = head.startswith(">")
            table.add_column(head.lstrip(">"), justify="right" if right else "left")
        return table
