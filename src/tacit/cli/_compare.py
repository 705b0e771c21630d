# SPDX-License-Identifier: Apache-2.0
"""``tacit compare``: several methods on one table."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import typer

from tacit.cli._progress import progress_on_stderr
from tacit.job import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.job._compare import Compared
    from tacit.measure import Comparison

__all__ = ["compare_command"]

_SAFE, _UNSAFE = 0, 3
_WIDE = 400


def compare_command(
    path: Path, *, out: Path | None, force: bool, as_json: bool, axes: dict[str, str]
) -> int:
    """Run the methods, say which to take, and write the map."""
    from tacit.job._compare import compare_job, write_comparison  # noqa: PLC0415
    from tacit.job._folder import check_target  # noqa: PLC0415 - as above

    job = Job.load(path)
    target = out if out is not None else job.folder / "compare"
    check_target(target, force=force)
    with progress_on_stderr() as progress:
        found = compare_job(job, progress=progress, **axes)
    paths = write_comparison(job, found, target, force=force)
    if as_json:
        typer.echo(json.dumps(_content(found, paths), indent=2))
    else:
        _show(found, paths)
    return _SAFE if found.comparison.recommended is not None else _UNSAFE


def _content(found: Compared, paths: tuple[Path, ...]) -> dict[str, Any]:
    frame = found.comparison.frame
    columns = {name: list(frame[name].to_pylist()) for name in frame.column_names}
    return {
        "internal": True,
        **found.comparison.summary(),
        "measures": columns,
        "skipped": dict(found.skipped),
        "paths": [path.as_posix() for path in paths],
    }


def _show(found: Compared, paths: tuple[Path, ...]) -> None:
    from rich.console import Console  # noqa: PLC0415 - late, like all else

    width = None if sys.stdout.isatty() else _WIDE
    console = Console(file=sys.stdout, highlight=False, markup=False, width=width)
    console.print(_table(found.comparison))
    console.print(found.comparison.recommendation)
    for name, why in found.skipped.items():
        console.print(f"Not compared: {name}: {why}")
    for path in paths:
        typer.echo(path)


def _table(comparison: Comparison) -> Any:  # noqa: ANN401 - rich is loaded late
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    from tacit.measure import number_text  # noqa: PLC0415

    shown = [comparison.loss, "share_suppressed", "share_modified", comparison.risk]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("release", "safe", "rank"):
        table.add_column(head)
    for name in dict.fromkeys(shown):
        table.add_column(name.replace("_", " "), justify="right")
    front = comparison.front
    for name, measured in comparison.measured.items():
        safe = "yes" if comparison.releases[name].safe else "no"
        rank = f"{comparison.ranks[name]}{', front' if name in front else ''}"
        numbers = [number_text(measured[what]) for what in dict.fromkeys(shown)]
        table.add_row(name, safe, rank, *numbers)
    return table
