# SPDX-License-Identifier: Apache-2.0
"""Run a job and write what comes of it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.job._folder import MANIFEST, check_target, complete_folder, write_json
from tacit.job._manifest import manifest_of
from tacit.job._names import CERTIFICATE, RELEASE, REPORT
from tacit.job._protect import protect_job
from tacit.protect._stored import save_release
from tacit.publish import writer
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tacit.job._model import Job
    from tacit.protect import Release

__all__ = ["Outcome", "run_job"]

_log = logging.getLogger(__name__)

_SAFE, _UNSAFE, _UNDECIDED = 0, 3, 4


@dataclass(frozen=True)
class Outcome:
    """What came of a job.

    ``exit_code`` is 0 where a safe table was published and 3 where it was not;
    ``paths`` are the files written, ``message`` says in words what happened.
    """

    exit_code: int
    summary: Mapping[str, Any]
    paths: tuple[Path, ...]
    message: str


def run_job(
    job: Job, target: Path, *, force: bool, progress: Callable[..., None] | None
) -> Outcome:
    """Run the whole protocol into the folder ``target``."""
    check_target(target, force=force)
    for ending in (*job.output.public, *job.output.internal):
        writer(ending).ready()
    assessment = job.assess(progress)
    release = protect_job(job, assessment, progress)
    if release.perturbed or release.withheld.any():
        attackers = job.protect.attackers if job.protect is not None else None
        release = release.audited(attackers=attackers, progress=progress)
    exit_code = _exit_code(release)
    message = _message(release)
    summary = _summary(release)
    with complete_folder(target, force=force) as folder:
        _write_tables(job, release, folder, progress or _silent)
        write_json(folder / "summary.json", summary)
        manifest = manifest_of(
            job, release, folder, exit_code=exit_code, message=message
        )
        write_json(folder / MANIFEST, manifest)
        written = sorted(p.relative_to(folder) for p in folder.rglob("*.*"))
    _log.info("wrote %d files, exit code %d", len(written), exit_code)
    return Outcome(
        exit_code, summary, tuple(target / path for path in written), message
    )


def _exit_code(release: Release) -> int:
    if release.safe:
        return _SAFE
    if release.open_claims:
        return _UNDECIDED
    report = release.audit
    undecided = report is not None and report.open and not len(report.findings)
    return _UNDECIDED if undecided and not release.exposed.any() else _UNSAFE


def _write_proof(release: Release, folder: Path) -> None:
    """Write the proof where all holds."""
    if release.audit is not None and release.certificate is not None:
        release.certificate.save(folder / CERTIFICATE)
        save_release(release, folder / RELEASE)


def _write_tables(
    job: Job, release: Release, folder: Path, progress: Callable[..., None]
) -> None:
    public, internal = folder / "public", folder / "internal"
    public.mkdir()
    internal.mkdir(mode=0o700)
    name, layout = job.output.name, job.output.layout
    # The report is the internal page, whatever formats are asked for.
    others = [ending for ending in job.output.internal if ending != "html"]
    paths = [internal / f"{name}.internal.{ending}" for ending in others]
    paths.append(internal / REPORT)
    if release.safe:
        paths += [public / f"{name}.{ending}" for ending in job.output.public]
    for done, path in enumerate(paths):
        progress("writing", done, len(paths))
        door = release if path.parent == public else release.internal
        door.write(path, layout=layout)
    _write_proof(release, internal)
    progress("writing", len(paths), len(paths))


def _silent(_stage: str, _done: int, _total: int) -> None:
    """Report to nobody."""


def _message(release: Release) -> str:
    cells = f"{len(release):,} cells"
    report = release.audit
    if report is None:
        return "Nothing is sensitive: the table was published as it is."
    held_back = int(release.withheld.sum())
    if release.safe and release.perturbed:
        changed = release.provenance["changed"]
        return f"The table was published: {changed:,} of {cells} hold another number."
    if release.safe:
        verb = "cell holds" if held_back == 1 else "cells hold"
        published = (
            f"The table was published: its {held_back:,} withheld {verb} against the "
            "audit."
        )
        return f"{published} {release.repaired}".rstrip()
    if release.open_claims or release.exact_only:
        return f"Nothing was published. {release.why_unsafe()}"
    sensitive = int(release.assessment.sensitive.sum())
    primary = not (release.withheld & ~release.assessment.sensitive).any()
    if sensitive and primary and release.method == "none":
        verb = "is" if sensitive == 1 else "are"
        return (
            f"Nothing was published: {sensitive:,} of {cells} {verb} sensitive, and "
            "the job chooses no protection. The folder internal/ lists them."
        )
    return f"Nothing was published. {report.headline} See internal/{REPORT}."


def _summary(release: Release) -> dict[str, Any]:
    return {
        "cells": len(release),
        "empty": int(np.count_nonzero(release.state == State.EMPTY)),
        "sensitive": int(release.assessment.sensitive.sum()),
        "suppressed": int(np.count_nonzero(release.state == State.SUPPRESSED)),
        "cost": release.cost,
        "bound": release.bound,
        "safe": release.safe,
    }
