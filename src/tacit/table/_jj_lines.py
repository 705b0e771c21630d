# SPDX-License-Identifier: Apache-2.0
"""The lines of files of the suppression problem, and what is wrong with them."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tacit.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Faults", "read_lines"]

_SHOWN = 20
_GZIP = b"\x1f\x8b"


@dataclass(repr=False)
class Faults:
    """Everything that is wrong with a file, by line; no amounts."""

    path: Path
    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, line: int, text: str) -> None:
        """Note what is wrong in one line, counted from 1."""
        self.found.append((line, text))

    def mark(self, lines: NDArray[np.int64], bad: NDArray[np.bool_], text: str) -> None:
        """Note the same of every line where ``bad`` is true."""
        self.found += [(line, text) for line in lines[bad].tolist()]

    def refuse(self) -> None:
        """Raise all of it, if there is anything."""
        if not self.found:
            return
        listed = sorted(set(self.found))
        count = f"{len(listed):,} problem{'s' if len(listed) > 1 else ''}"
        lines = [f"'{self.path.name}' has {count}."]
        lines += [f"  - line {line}: {text}" for line, text in listed[:_SHOWN]]
        if len(listed) > _SHOWN:
            lines.append(f"  and {len(listed) - _SHOWN:,} more")
        raise SourceError("\n".join(lines))


def read_lines(path: Path) -> list[str]:
    """Give the lines of a text file, packed with gzip or not; none empty at the end."""
    try:
        raw = path.read_bytes()
        if raw[:2] == _GZIP:
            raw = gzip.decompress(raw)
    except OSError as error:
        why = error.strerror or "it begins like a packed file and is none"
        message = f"The file '{path}' cannot be read: {why}."
        raise SourceError(message) from error
    except (EOFError, zlib.error) as error:
        message = (
            f"The file '{path}' cannot be unpacked: it is cut off or damaged. Copy it "
            "again."
        )
        raise SourceError(message) from error
    try:
        lines = raw.decode("ascii").splitlines()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = (
            f"'{path.name}', line {line}: this is no plain text. A file of the "
            "suppression problem holds numbers and single letters only."
        )
        raise SourceError(message) from error
    while lines and not lines[-1].strip():
        lines.pop()
    return lines
