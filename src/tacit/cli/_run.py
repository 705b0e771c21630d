# SPDX-License-Identifier: Apache-2.0
"""``tacit run``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import typer

from tacit.cli._progress import progress_on_stderr
from tacit.job import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.job import Outcome

__all__ = ["run_command"]


def run_command(path: Path, *, out: Path | None, force: bool, as_json: bool) -> int:
    """Run a job and say what came of it."""
    job = Job.load(path)
    with progress_on_stderr() as progress:
        outcome = job.run(out, force=force, progress=progress)
    if as_json:
        _as_json(outcome)
    else:
        _as_text(outcome)
    return outcome.exit_code


def _as_json(outcome: Outcome) -> None:
    content = {
        "exit_code": outcome.exit_code,
        "message": outcome.message,
        "summary": dict(outcome.summary),
        "paths": [path.as_posix() for path in outcome.paths],
    }
    typer.echo(json.dumps(content, indent=2))


def _as_text(outcome: Outcome) -> None:
    for path in outcome.paths:
        typer.echo(path)
    sys.stdout.flush()
    typer.echo(outcome.message, err=True)
