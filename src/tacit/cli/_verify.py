# SPDX-License-Identifier: Apache-2.0
"""``tacit verify``: check the proof of a run without a solver."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

from tacit.job._verify import verify_folder

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["verify_command"]

_HOLDS, _FAILS = 0, 3


def verify_command(folder: Path, *, as_json: bool) -> int:
    """Check a folder and say what holds."""
    found = verify_folder(folder)
    problems = [*found.proof.problems, *found.problems]
    if as_json:
        content = {
            "holds": bool(found),
            "witnesses": found.proof.witnesses,
            "claims": found.proof.claims,
            "attacker": found.proof.attacker.model_dump(mode="json"),
            "files": found.files,
            "compared": list(found.compared),
            "problems": problems,
        }
        typer.echo(json.dumps(content, indent=2))
    elif found:
        typer.echo(
            f"The proof holds{found.proof.against}: {found.proof.claims:,} claims by "
            f"{found.proof.witnesses:,} other tables, checked without a solver."
        )
        compared = ", ".join(found.compared) or "none"
        typer.echo(
            f"{found.files:,} files are unchanged; compared with it: {compared}."
        )
    else:
        typer.echo("The proof does not hold.")
        for problem in problems:
            typer.echo(f"  - {problem}")
    return _HOLDS if found else _FAILS
