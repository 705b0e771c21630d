# SPDX-License-Identifier: Apache-2.0
"""Check what a run has left behind: its files, its certificate, what it published."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.audit import verify
from tacit.errors import InputError
from tacit.job._folder import MANIFEST
from tacit.job._names import CERTIFICATE, RELEASE
from tacit.job._source import column_names, read_columns
from tacit.protect import Certificate
from tacit.protect._stored import load_release

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tacit.protect import Release, Verification

__all__ = ["FolderCheck", "verify_folder"]


@dataclass(frozen=True)
class FolderCheck:
    """What was checked of a folder, and what is wrong with it; true if all holds."""

    proof: Verification
    files: int
    compared: tuple[str, ...]
    problems: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.proof) and not self.problems


def verify_folder(folder: Path) -> FolderCheck:
    """Check the digests of all files, the proof, and the published numbers.

    Nothing is computed anew but sums; no solver is used.
    """
    manifest = _manifest(folder)
    if not manifest.get("certificate"):
        message = (
            f"There is no certificate in '{folder}'. A run writes one where cells are "
            "withheld and the audit found that they are safe; its manifest.json says "
            "what came of this one."
        )
        raise InputError(message)
    outputs = manifest.get("outputs", [])
    problems = [text for entry in outputs for text in _changed(folder, entry)]
    release = load_release(folder / "internal" / RELEASE)
    certificate = Certificate.load(folder / "internal" / CERTIFICATE)
    proof = verify(certificate, release)
    public = sorted((folder / "public").glob("*.csv"))
    for path in public:
        problems += _differences(release, path)
    return FolderCheck(
        proof, len(outputs), tuple(path.name for path in public), tuple(problems)
    )


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(
            (folder / MANIFEST).read_text(encoding="utf-8")
        )
    except FileNotFoundError:
        message = (
            f"'{folder}' holds no {MANIFEST}, so no run has written it. Name the "
            "folder that 'tacit run' wrote."
        )
        raise InputError(message) from None
    except (ValueError, NotADirectoryError):
        message = f"The {MANIFEST} in '{folder}' cannot be read: it was damaged."
        raise InputError(message) from None
    return content


def _changed(folder: Path, entry: dict[str, Any]) -> Iterator[str]:
    path = folder / entry["path"]
    if not path.is_file():
        yield f"The file {entry['path']} is gone."
    elif hashlib.sha256(path.read_bytes()).hexdigest() != entry["sha256"]:
        yield f"The file {entry['path']} was changed after the run."


def _differences(release: Release, path: Path) -> Iterator[str]:
    """Whether a published file withholds what was proved, and no less."""
    table = release.table
    names = [*table.names, "value"]
    lacking = set(names) - set(column_names(path))
    if lacking:
        yield f"The file {path.name} has no column '{min(lacking)}'."
        return
    rows = read_columns(path, names)
    codes = np.empty((len(table.names), len(rows)), dtype=np.int32)
    for d, dimension in enumerate(table.dimensions):
        found = rows.column(dimension.name).to_pylist()
        codes[d] = [dimension.positions.get(code, -1) for code in found]
    cell = np.full(len(rows), -1, dtype=np.int64)
    known = (codes >= 0).all(axis=0)
    cell[known] = table.key_index.lookup(codes[:, known])
    if (cell < 0).any() or len(np.unique(cell)) != len(table):
        yield f"The file {path.name} does not hold the cells that were proved."
        return
    shown, amount = _amounts(rows.column("value"), table.cells.decimals)
    if (shown & release.withheld[cell]).any():
        yield f"The file {path.name} publishes cells that must be withheld."
    wrong = shown & (amount != release.published[cell])
    if wrong.any():
        yield f"The file {path.name} publishes {int(wrong.sum()):,} other values."


def _amounts(column: Any, decimals: int) -> tuple[Any, Any]:  # noqa: ANN401 - arrow
    """Which rows have a number, and the numbers, exact."""
    from tacit.table._amounts import amounts  # noqa: PLC0415 - loads pyarrow

    found, missing = amounts(column.combine_chunks(), "value", decimals)
    return ~missing, found
