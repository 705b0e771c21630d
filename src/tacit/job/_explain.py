# SPDX-License-Identifier: Apache-2.0
"""Why a cell of a job is withheld."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError
from tacit.job._names import RELEASE
from tacit.job._protect import protect_job
from tacit.protect import Release
from tacit.protect._stored import load_release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tacit.audit import Explanation
    from tacit.job._model import Job
    from tacit.rules import Assessment

__all__ = ["codes_in", "explain_job"]


def codes_in(text: str) -> dict[str, str]:
    """Read the codes of a cell, as ``region=A1,size=3``.

    >>> codes_in("region=A1, size=3")
    {'region': 'A1', 'size': '3'}
    >>> codes_in("A1")
    Traceback (most recent call last):
    tacit.errors.InputError: 'A1' names no dimension. Write --cell region=A1,size=3; \
dimensions that are not named are at their total.
    """
    codes: dict[str, str] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, sign, code = part.partition("=")
        if not sign:
            message = (
                f"'{part}' names no dimension. Write --cell region=A1,size=3; "
                "dimensions that are not named are at their total."
            )
            raise InputError(message)
        codes[name.strip()] = code.strip()
    return codes


def explain_job(
    job: Job,
    codes: dict[str, str],
    *,
    run: Path,
    progress: Callable[..., None] | None = None,
) -> tuple[Explanation, bool]:
    """Explain a cell of the release that a run has stored, or of one made anew.

    The second value tells whether the release was that of the run.
    """
    assessment = job.assess(progress)
    # A name that is not there is told before the search for a pattern begins.
    cell = assessment.table.find(codes)
    release = _stored(assessment, run / "internal" / RELEASE)
    found = release is not None
    if release is None:
        release = protect_job(job, assessment, progress)
    attackers = None if job.protect is None else job.protect.attackers
    return release.explain(cell, attackers=attackers), found


def _stored(assessment: Assessment, path: Path) -> Release | None:
    """Give the release of a run, if it is one of this very table."""
    if not path.is_file():
        return None
    stored, cells = load_release(path), assessment.table.cells
    same = (
        stored.table.names == assessment.table.names
        and np.array_equal(stored.table.cells.codes, cells.codes)
        and np.array_equal(stored.table.cells.value, cells.value)
        and np.array_equal(stored.assessment.sensitive, assessment.sensitive)
    )
    if not same:
        return None
    return Release(
        assessment,
        stored.state,
        stored.method,
        stored.published,
        perturbed=stored.perturbed,
    )
