# SPDX-License-Identifier: Apache-2.0
"""``tacit explain``: why a cell is withheld."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

from tacit.cli._progress import progress_on_stderr
from tacit.job import Job

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["explain_command"]


def explain_command(path: Path, *, cell: str, out: Path | None, as_json: bool) -> int:
    """Explain one cell of a job."""
    from tacit.job._explain import codes_in, explain_job  # noqa: PLC0415

    job = Job.load(path)
    run = out if out is not None else job.folder / "out"
    with progress_on_stderr() as progress:
        told, stored = explain_job(job, codes_in(cell), run=run, progress=progress)
    if not stored:
        typer.echo(
            f"No run of this table in '{run}': the table was protected anew, and a run "
            "may choose other cells.",
            err=True,
        )
    if not as_json:
        typer.echo(told.text)
        return 0
    content = {
        "internal": True,
        "cell": told.cell,
        "state": told.state,
        "why": list(told.why),
        "needs": [
            {"cell": need.cell, "kind": need.kind, "why": need.why}
            for need in told.needs
        ],
        "interval": told.interval,
        "change": list(told.change),
    }
    typer.echo(json.dumps(content, indent=2))
    return 0
