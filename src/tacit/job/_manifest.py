# SPDX-License-Identifier: Apache-2.0
"""The record of a run: what went in, what was asked, what came out. Internal."""

from __future__ import annotations

import hashlib
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tacit
from tacit.job._names import CERTIFICATE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tacit.audit import AuditReport
    from tacit.job._model import Job
    from tacit.protect import Release

__all__ = ["manifest_of"]

_PACKAGES = ("numpy", "scipy", "duckdb", "pyarrow", "narwhals", "highspy")
_NOTE = (
    "Internal: this file holds the parameters of the rules, and they are "
    "confidential. Only the folder public/ may be published."
)


def manifest_of(
    job: Job, release: Release, folder: Path, *, exit_code: int, message: str
) -> dict[str, Any]:
    """Describe a run; the same run gives the same description, at any time."""
    content: dict[str, Any] = {"internal": True, "note": _NOTE}
    if epoch := os.environ.get("SOURCE_DATE_EPOCH", "").strip():
        content["created"] = datetime.fromtimestamp(int(epoch), UTC).isoformat()
    return content | {
        "exit_code": exit_code,
        "message": message,
        "safe": release.safe,
        "inputs": [_input(job.folder, named) for named in _inputs(job)],
        "job": job.model_dump(mode="json", by_alias=True, exclude_none=True),
        "preset": release.assessment.preset,
        "preset_digest": release.assessment.preset_digest,
        "method": release.method,
        "repaired": release.repaired or None,
        "solver": release.provenance.get("solver"),
        "audit": _verdict(release.audit),
        "bound": release.bound,
        "certificate": _certificate(release),
        "outputs": [_digest(folder, path) for path in sorted(folder.rglob("*.*"))],
        "versions": _versions(),
    }


def _verdict(report: AuditReport | None) -> dict[str, Any]:
    """What the audit found, without the time it took: that differs every time."""
    if report is None:
        return {"run": False, "safe": False}
    summary = report.summary()
    del summary["seconds"]
    return {"run": True, **summary}


def _certificate(release: Release) -> str | None:
    if release.certificate is None or release.audit is None:
        return None
    return f"internal/{CERTIFICATE}"


def _inputs(job: Job) -> Iterable[str]:
    named = [job.data.source, job.preset]
    if job.protect is not None:
        named += job.protect.sources
    for spec in job.dimensions.values():
        named += [tree for tree in spec.hierarchy if isinstance(tree, str)]
        named.append(spec.labels)
    return dict.fromkeys(path for path in named if path is not None)


def _input(folder: Path, named: str) -> dict[str, Any]:
    """Hash a file or all files of a glob, in the order of their names."""
    if not any(sign in named for sign in "*?["):
        return {"path": named, **_hashes([folder / named])}
    path = Path(named)
    base, pattern = (
        (Path(path.anchor), str(path.relative_to(path.anchor)))
        if path.is_absolute()
        else (folder, named)
    )
    files = sorted(base.glob(pattern))
    return {"path": named, "files": len(files), **_hashes(files)}


def _hashes(files: list[Path]) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    for file in files:
        with file.open("rb") as data:
            while block := data.read(1 << 20):
                digest.update(block)
                size += len(block)
    return {"sha256": digest.hexdigest(), "bytes": size}


def _digest(folder: Path, path: Path) -> dict[str, Any]:
    return {"path": path.relative_to(folder).as_posix(), **_hashes([path])}


def _versions() -> dict[str, str]:
    versions = {"tacit": tacit.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions
