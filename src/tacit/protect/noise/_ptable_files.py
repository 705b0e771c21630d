# SPDX-License-Identifier: Apache-2.0
"""Tables of transition probabilities as other programs write and read them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pydantic import ValidationError

from tacit.errors import InputError, suggest
from tacit.protect.noise._ptable import PTable

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["read_ptable", "write_ptable"]

# What τ-ARGUS, its manual and the R package call the columns.
_NAMES = {
    "i": ("i",),
    "j": ("j",),
    "p": ("p", "p_ij"),
    "upper": ("p_int_ub", "p_ij_ub", "p_ub", "ub"),
}
_PLACES = 12


def read_ptable(path: str | Path) -> PTable:
    """Read a file with a header line, separated by semicolons or commas."""
    name, chosen = _split(path)
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except OSError as error:
        message = f"The p-table '{name}' cannot be read: {error.strerror}."
        raise InputError(message) from None
    mark = ";" if ";" in text.split("\n", 1)[0] else ","
    rows = list(csv.DictReader(text.splitlines(), delimiter=mark))
    columns = _columns(rows[0] if rows else {}, Path(name).name)
    rows = _of_type(rows, chosen, Path(name).name)
    found: dict[str, tuple[float, ...]] = {}
    for role, column in columns.items():
        found[role] = tuple(
            _number(row[column], column, line, Path(name).name)
            for line, row in enumerate(rows, start=2)
        )
    try:
        return PTable(**found)
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]["msg"]
        said = detail.removeprefix("Value error, ")
        message = f"The p-table '{Path(name).name}' cannot be used: {said}."
        raise InputError(message) from None


def _split(path: str | Path) -> tuple[str, str | None]:
    """Take a type after a colon off the path."""
    text = str(path)
    before, colon, after = text.rpartition(":")
    if colon and after in {"all", "even", "odd"}:
        return before, after
    return text, None


def _columns(first: dict[str, str], name: str) -> dict[str, str]:
    found = {}
    for role, names in _NAMES.items():
        held = next((one for one in names if one in first), None)
        if held is not None:
            found[role] = held
        elif role != "upper":
            message = (
                f"The p-table '{name}' has no column '{names[0]}'. It needs a first "
                f"line such as i;j;p;v;p_int_ub. {suggest(names[0], first)}"
            )
            raise InputError(message)
    return found


def _of_type(
    rows: list[dict[str, str]], chosen: str | None, name: str
) -> list[dict[str, str]]:
    types = list(dict.fromkeys(row["type"] for row in rows if "type" in row))
    if len(types) > 1 and chosen is None:
        message = (
            f"The p-table '{name}' holds several types: {', '.join(types)}. Say which "
            f"after a colon: '{name}:{types[0]}'."
        )
        raise InputError(message)
    if chosen is not None and chosen not in types:
        message = f"The p-table '{name}' holds no type '{chosen}'."
        raise InputError(message)
    return [row for row in rows if chosen is None or row["type"] == chosen]


def _number(text: str | None, column: str, line: int, name: str) -> float:
    try:
        return float(text or "")
    except ValueError:
        message = (
            f"The p-table '{name}' has no number in column '{column}' of line {line}. "
            "Numbers are written with a decimal point."
        )
        raise InputError(message) from None


def write_ptable(
    table: PTable, path: str | Path, form: Literal["tau_argus", "ptable"]
) -> Path:
    """Write one line for each entry: numbers, noise, and the ends of its keys."""
    path = Path(path)
    if path.exists():
        message = f"'{path.name}' exists already, and is not overwritten."
        raise InputError(message)
    p = np.array(table.p)
    first = np.repeat(table.start[:-1], np.diff(table.start))
    upper = np.cumsum(p) - (np.cumsum(p) - p)[first]
    if table.upper is not None:
        upper = np.array(table.upper)
    upper[table.start[1:] - 1] = 1.0
    lower = np.where(np.arange(len(p)) == first, 0.0, np.roll(upper, 1))
    if form == "tau_argus":
        header, mark = ["i", "j", "p", "v", "p_int_ub"], ";"
        columns = [table.i, table.j, p, table.noise, upper]
    else:
        header, mark = ["i", "j", "p", "v", "p_int_lb", "p_int_ub", "type"], ","
        columns = [table.i, table.j, p, table.noise, lower, upper]
    lines = [mark.join(header)]
    for row in zip(*columns, strict=True):
        fields = [f"{round(float(one), _PLACES):.12g}" for one in row]
        lines.append(mark.join([*fields, *(["all"] if form == "ptable" else [])]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path
