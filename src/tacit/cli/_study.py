# SPDX-License-Identifier: Apache-2.0
"""``tacit study``: run a study, and write its numbers and figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from tacit.cli._progress import progress_on_stderr
from tacit.errors import InputError

__all__ = ["study_command"]


def study_command(
    name: str,
    *,
    out: Path | None,
    job: Path | None,
    seed: int | None,
    force: bool,
    as_json: bool,
) -> int:
    """Run a study and say what it found."""
    from tacit.study import STUDIES, study  # noqa: PLC0415

    if name not in STUDIES:
        study(name)  # says which there are
    options: dict[str, Any] = {} if seed is None else {"seed": seed}
    if name == "korea" and options:
        message = "The study 'korea' draws nothing at random: leave --seed out."
        raise InputError(message)
    if job is not None:
        options["table"] = _table(name, job)
    found = study(name, **options)
    target = out if out is not None else Path(f"study-{name}")
    paths = found.write(target, force=force)
    if as_json:
        content = {
            "name": found.name,
            "title": found.title,
            "seed": found.seed,
            "findings": list(found.findings),
            "paths": [path.as_posix() for path in paths],
        }
        typer.echo(json.dumps(content, indent=2))
        return 0
    typer.echo(found.title)
    for said in found.findings:
        typer.echo(f"- {said}")
    for path in paths:
        typer.echo(path)
    return 0


def _table(name: str, job: Path) -> Any:  # noqa: ANN401 - a table, opened late
    from tacit.job import Job  # noqa: PLC0415

    if name != "advisor":
        message = (
            f"The study '{name}' looks at no table of yours: leave --job out. The "
            "study 'advisor' does."
        )
        raise InputError(message)
    with progress_on_stderr() as progress:
        return Job.load(job).tabulate(progress)
