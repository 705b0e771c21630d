# SPDX-License-Identifier: Apache-2.0
"""Code lists in files."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.errors import HierarchyError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tacit.hierarchy import Hierarchy

__all__ = ["read_labels", "read_rows", "write_file"]

_SEPARATORS = (",", ";", "\t")
_HEADERS = {
    "code": {"code", "codes", "child", "id"},
    "parent": {"parent", "parents", "parent_code", "parentcode"},
    "label": {"label", "labels", "name", "description", "text"},
}


@dataclass
class Rows:
    """Rows of a code list: an empty parent marks a code that has none."""

    codes: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)

    def add(self, code: str, parent: str, place: str) -> None:
        """Add one row."""
        self.codes.append(code)
        self.parents.append(parent)
        self.places.append(place)


def _text_of(path: str | Path) -> str:
    """Text of a file: UTF-8 with or without a mark, UTF-16 with one, else cp1252."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        message = f"The code list '{path}' cannot be read: {error.strerror}."
        raise HierarchyError(message) from error
    utf16 = raw[:2] in (b"\xff\xfe", b"\xfe\xff")
    for encoding in ("utf-16",) if utf16 else ("utf-8-sig", "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    message = f"The code list '{path}' is neither UTF-8 nor cp1252. Save it as UTF-8."
    raise HierarchyError(message)


def _kind_of(path: str | Path) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in {".hrc", ".csv", ".txt", ".tsv"}:
        message = (
            f"'{path}' has no known suffix: .hrc holds codes indented by a lead "
            "string; .csv, .tsv and .txt hold code,parent[,label]. Rename the file."
        )
        raise HierarchyError(message)
    return "indented" if suffix == ".hrc" else "separated"


def read_rows(path: str | Path, *, total: str | None, lead: str) -> Rows:
    """Read the rows of a code list, whatever its format."""
    if _kind_of(path) == "indented":
        if total is None:
            message = (
                f"'{path}' does not list its total, as no .hrc file does. Give it: "
                "Hierarchy.read(path, total='Total')."
            )
            raise HierarchyError(message)
        return _rows_of_hrc(path, total, _checked_lead(lead))
    return _rows_of_csv(path, total)


def _checked_lead(lead: str) -> str:
    if not isinstance(lead, str) or not lead:
        message = f"lead={lead!r} must be the text that stands for one level: '@'."
        raise HierarchyError(message)
    return lead


def _rows_of_hrc(path: str | Path, total: str, lead: str) -> Rows:
    rows = Rows()
    indent = re.compile(f"(?:{re.escape(lead)})*")
    above: list[str] = [total]
    for number, line in enumerate(_text_of(path).split("\n"), start=1):
        text = line.rstrip()
        if not text:
            continue
        start = len(indent.match(text)[0])  # type: ignore[index]
        depth = start // len(lead)
        place = f"line {number}"
        if depth >= len(above):
            before = f"'{above[-1]}'" if rows.codes else "no code"
            message = (
                f"'{path}', {place}: '{text[start:]}' is at depth {depth + 1}, but "
                f"{before} stands before it at depth {len(above) - 1}. Each level adds "
                f"one '{lead}', and the first level below the total has none."
            )
            raise HierarchyError(message)
        if not text[start:].strip():
            message = f"'{path}', {place}: no code follows the lead string '{lead}'."
            raise HierarchyError(message)
        rows.add(text[start:], above[depth], place)
        del above[depth + 1 :]
        above.append(text[start:])
    return rows


def _rows_of_csv(path: str | Path, total: str | None) -> Rows:
    records = _records(path)
    order = _header_order(records[0][1]) if records else None
    if order is not None:
        records = records[1:]
    else:
        order = {"code": 0, "parent": 1, "label": 2}
    rows = Rows()
    for number, record in records:
        place = f"line {number}"
        code = _field(record, order["code"])
        if not code.strip():
            message = f"'{path}', {place}: the code is empty. Give it a name."
            raise HierarchyError(message)
        parent = _field(record, order["parent"])
        rows.add(code, parent if parent.strip() else "", place)
        label = _field(record, order.get("label", 2))
        if label.strip():
            rows.labels[code] = label
    return _below_total(rows, total)


def _field(record: Sequence[str], position: int) -> str:
    return record[position] if position < len(record) else ""


def _below_total(rows: Rows, total: str | None) -> Rows:
    """Put several rows without a parent below a total that the file does not list."""
    tops = [row for row, parent in enumerate(rows.parents) if not parent]
    if total is not None and total not in rows.codes and len(tops) > 1:
        for row in tops:
            rows.parents[row] = total
    return rows


def _records(path: str | Path) -> list[tuple[int, list[str]]]:
    text = _text_of(path)
    best: list[tuple[int, list[str]]] = []
    wrong: tuple[int, int] | None = None
    for separator in _SEPARATORS:
        records = _split(text, separator)
        if not records:
            return []
        bad = next(((n, len(r)) for n, r in records if len(r) not in (2, 3)), None)
        if bad is None:
            if not best or len(records[0][1]) > len(best[0][1]):
                best = records
        elif wrong is None or len(records[0][1]) in (2, 3):
            wrong = bad
    if not best:
        number, fields = wrong or (1, 1)
        message = (
            f"'{path}', line {number}: {fields} field{'' if fields == 1 else 's'} "
            "where code,parent[,label] is needed, separated by a comma, a semicolon or "
            "a tab. Put double quotes around a label that holds the separator."
        )
        raise HierarchyError(message)
    return best


def _split(text: str, separator: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    records = []
    start = 1
    for record in reader:
        if any(item.strip() for item in record):
            records.append((start, record))
        start = reader.line_num + 1
    return records


def _header_order(first: Sequence[str]) -> dict[str, int] | None:
    """Position of each known column, if the first row is a header."""
    names = [item.strip().lower() for item in first]
    order = {
        role: position
        for position, name in enumerate(names)
        for role, known in _HEADERS.items()
        if name in known
    }
    complete = "code" in order and "parent" in order and len(order) == len(names)
    return order if complete else None


def read_labels(labels: Mapping[str, str] | str | Path) -> dict[str, str]:
    """Return labels by code, from a mapping or a file of code,label."""
    if not isinstance(labels, str | Path):
        return dict(labels)
    named: dict[str, str] = {}
    for line in _text_of(labels).splitlines():
        if not line.strip():
            continue
        # A label may hold the separator, unquoted: only the first one counts.
        found = [line.find(mark) for mark in _SEPARATORS if mark in line]
        separator = line[min(found)] if found else _SEPARATORS[0]
        code, *label = next(csv.reader([line], delimiter=separator))
        named[code] = separator.join(label).strip()
    return named


def write_file(tree: Hierarchy, path: str | Path, lead: str) -> None:
    """Write a code list in the format that the suffix names."""
    if _kind_of(path) == "indented":
        text = _hrc_of(tree, _checked_lead(lead))
    else:
        text = _csv_of(tree, "\t" if Path(path).suffix.lower() == ".tsv" else ",")
    Path(path).write_bytes(text.encode("utf-8"))


def _hrc_of(tree: Hierarchy, lead: str) -> str:
    lines = []
    for code, depth in zip(tree.codes[1:], tree.depth[1:].tolist(), strict=True):
        if code.startswith(lead) or code != code.rstrip() or "\n" in code:
            message = (
                f"Code '{code}' cannot stand in a .hrc file: it begins with the lead "
                f"string '{lead}', ends with a blank or holds a line break. Choose "
                "another lead, or write a .csv file."
            )
            raise HierarchyError(message)
        lines.append(lead * (depth - 1) + code + "\n")
    return "".join(lines)


def _csv_of(tree: Hierarchy, separator: str) -> str:
    labelled = bool(tree.labels)
    header = ["code", "parent", "label"] if labelled else ["code", "parent"]
    lines = [separator.join(header)]
    for code, above in zip(tree.codes, tree.parents.tolist(), strict=True):
        row = [code, tree.codes[above] if above >= 0 else ""]
        if labelled:
            row.append(tree.labels.get(code, ""))
        lines.append(separator.join(_quoted(item, separator) for item in row))
    return "\n".join(lines) + "\n"


def _quoted(item: str, separator: str) -> str:
    # csv.writer leaves a lone carriage return bare, which no reader gives back.
    if not any(mark in item for mark in (separator, '"', "\n", "\r")):
        return item
    return '"' + item.replace('"', '""') + '"'
