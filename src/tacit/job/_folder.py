# SPDX-License-Identifier: Apache-2.0
"""The folder of results: there complete, or not there."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["check_target", "complete_folder", "write_json"]

MANIFEST = "manifest.json"


def check_target(target: Path, *, force: bool) -> None:
    """Refuse a folder with something in it, unless it is old output and ``force``."""
    if not target.exists():
        return
    if not target.is_dir():
        message = f"'{target}' is a file. Name a folder for the output."
        raise InputError(message)
    if not any(target.iterdir()):
        return
    if not force:
        message = (
            f"The folder '{target}' is not empty, and nothing is overwritten unasked. "
            "Name another folder, or use --force (force=True) to replace it."
        )
        raise InputError(message)
    if not (target / MANIFEST).is_file():
        message = (
            f"The folder '{target}' is not empty and holds no {MANIFEST}, so it was "
            "not written by tacit and is not replaced. Name another folder."
        )
        raise InputError(message)


@contextmanager
def complete_folder(target: Path, *, force: bool) -> Iterator[Path]:
    """Give a folder to write into; it takes its name when all went well.

    A failure on the way leaves no trace, and whatever stood at ``target`` untouched.
    """
    check_target(target, force=force)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    old = target.with_name(f".{target.name}.{os.getpid()}.old")
    partial.mkdir()
    try:
        yield partial
        if target.exists():
            target.rename(old)
        partial.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write JSON that is the same wherever and whenever it is written."""
    text = json.dumps(content, indent=2, sort_keys=False, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
