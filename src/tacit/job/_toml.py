# SPDX-License-Identifier: Apache-2.0
"""Read TOML and remember on which line each key stands."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from tacit.errors import JobError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Lines", "key_lines", "read_toml"]

Lines = dict[tuple[str | int, ...], int]

_BARE = r"[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*'"
_DOTTED = rf"\s*(?:{_BARE})(?:\s*\.\s*(?:{_BARE}))*\s*"
_TABLE = re.compile(rf"^\s*(\[\[?)({_DOTTED})\]\]?\s*(?:#.*)?$")
_KEY = re.compile(rf"^({_DOTTED})=")
_PART = re.compile(_BARE)
_TRIPLE = re.compile(r'"""|' + "'''")
_TOML_PLACE = re.compile(r" \(at (line \d+), column \d+\)$")


def read_toml(path: Path) -> tuple[dict[str, Any], Lines]:
    """Read a TOML file; an error of syntax names its line."""
    text = _read_text(path)
    try:
        return tomllib.loads(text), key_lines(text)
    except tomllib.TOMLDecodeError as error:
        what = str(error)
        place = _TOML_PLACE.search(what)
        where = f"{place[1]}: " if place else ""
        what = _TOML_PLACE.sub("", what).rstrip(".")
        message = f"'{path.name}' is not valid TOML."
        raise JobError(message, [f"{where}{what}"]) from None


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        message = f"There is no job file '{path}'."
        raise JobError(message) from None
    except IsADirectoryError:
        message = f"'{path}' is a folder, not a job file."
        raise JobError(message) from None
    except OSError as error:
        message = f"The job file '{path}' cannot be read: {error.strerror}."
        raise JobError(message) from None
    except UnicodeDecodeError:
        message = f"The job file '{path}' is not UTF-8 text. Save it as UTF-8."
        raise JobError(message) from None


def key_lines(text: str) -> Lines:
    """Find the line of each key; what stands inside a value is not looked into.

    >>> key_lines("a = 1" + chr(10) + "[b.c]" + chr(10) + "d = 2")
    {('a',): 1, ('b', 'c'): 2, ('b', 'c', 'd'): 3}
    """
    lines: Lines = {}
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    quoted = False
    for number, line in enumerate(text.splitlines(), start=1):
        inside = quoted
        quoted ^= len(_TRIPLE.findall(line)) % 2 == 1
        if inside:
            continue
        if header := _TABLE.match(line):
            table = _into_last(_parts(header[2]), counts)
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_parts(key[1])), number)
    return lines


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))


def _into_last(
    parts: tuple[str, ...], counts: dict[tuple[str | int, ...], int]
) -> tuple[str | int, ...]:
    """Name the last element of each array of tables on the way."""
    path: tuple[str | int, ...] = ()
    for number, part in enumerate(parts):
        path = (*path, part)
        if number < len(parts) - 1 and path in counts:
            path = (*path, counts[path])
    return path
