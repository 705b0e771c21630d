# SPDX-License-Identifier: Apache-2.0
"""The problem of suppression, and its solution, for other programs. Confidential."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tacit.attacker import Attacker
from tacit.errors import InputError
from tacit.protect import Release
from tacit.publish._formats import problem_writer
from tacit.publish._publish import deliver, require_internal_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.suppress import Cost
    from tacit.rules import Assessment

__all__ = ["publish_problem", "publish_secondaries"]


def publish_problem(
    found: Assessment | Release,
    path: str | Path,
    *,
    cost: str | Cost | NDArray[np.float64] = "value",
    attacker: Attacker | None = None,
    singletons: bool = False,
    force: bool = False,
) -> Path:
    """Write the problem that :func:`tacit.suppress` solves as a JJ file. Confidential.

    Cells are counted from 0 in the order of the table. Sensitive cells are u, frozen
    and empty ones z, suppressed and forced ones m (of a release: its secondaries),
    others s. Levels are rounded up to the last decimal, as methods do.

    Args:
        found: What is to be protected, or a release, to hand on its pattern.
        path: The file; its name must hold the word ``internal``.
        cost: The weights, as in :func:`tacit.suppress`, in units as they are. Some
            programs read whole numbers only.
        attacker: Who gives the bounds; the outsider if not given. What nobody bounds
            is bounded far away, because the format knows no infinity.
        singletons: Whether to append, where a relation has exactly two sensitive parts
            and one contributor fills one of them, their sum as a sensitive cell. It
            stands for what insiders know in programs that have no insiders; tacit's
            own methods ask the insiders themselves.
        force: Whether a file of that name is replaced.

    >>> import tempfile, tacit
    >>> cells = {"sex": ["f", "m"], "x": [2, 30], "s": ["u", "s"]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, value="x", state="s")
    >>> assessment = tacit.assess(table, margin=50)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = publish_problem(assessment, folder + "/internal.jj", cost="unit")
    ...     print(file.read_text(), end="")
    0
    3
    0 32 1 s 0.0 372.0 0.000 0.000 0
    1 2 1 u 0.0 342.0 1.000 1.000 0
    2 30 1 s 0.0 370.0 0.000 0.000 0
    1
    0 3 : 0 (-1) 1 (1) 2 (1)
    """
    from tacit.publish._problem_view import problem_view  # noqa: PLC0415 - heavy

    target = Path(path)
    require_internal_name(target, "true values and levels")
    module = problem_writer(target.suffix.lstrip(".").lower())
    view = problem_view(
        _assessment_of(found), cost, attacker or Attacker(), singletons=singletons
    )
    return deliver(target, lambda at: module.write(view, at), force=force)


def publish_secondaries(
    release: Release, path: str | Path, *, force: bool = False
) -> Path:
    """Write the index of each secondary cell, one a line: the solution of a JJ file."""
    target = Path(path)
    require_internal_name(target, "which suppressed cells are not the sensitive ones")
    found = np.flatnonzero(release.withheld & ~release.assessment.sensitive)
    text = "".join(f"{cell}\n" for cell in found.tolist())

    def write(at: Path) -> None:
        at.write_text(text, encoding="ascii", newline="\n")

    return deliver(target, write, force=force)


def _assessment_of(found: Assessment | Release) -> Assessment:
    if not isinstance(found, Release):
        return found
    if found.perturbed:
        message = (
            "This release has other values instead of withheld cells, so it is no "
            "pattern of suppression. Write the problem of its assessment."
        )
        raise InputError(message)
    return replace(found.assessment, state=found.state)
