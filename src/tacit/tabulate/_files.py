# SPDX-License-Identifier: Apache-2.0
"""Files of microdata: found, told apart, and described to DuckDB."""

from __future__ import annotations

import csv
import glob
import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import SourceError, suggest
from tacit.tabulate._engine import identifier, literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Files", "arrow_dataset", "find_files", "is_path"]

_KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_DELIMITERS = ",;\t|"
_HEADER_BYTES = 1 << 20


@dataclass(frozen=True)
class Files:
    """Files of one kind, by absolute path."""

    paths: tuple[str, ...]
    kind: str

    def sql(self) -> str:
        """Name the files as a relation (csv and parquet)."""
        listed = ", ".join(literal(path) for path in self.paths)
        if self.kind == "parquet":
            return f"read_parquet([{listed}])"
        names, delimiter = _header(self.paths)
        columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
        # Nothing is guessed: a guess that fails skips rows without a word.
        return (
            f"read_csv([{listed}], auto_detect=false, header=true, quote='\"', "
            f"escape='\"', delim={literal(delimiter)}, columns={{{columns}}}, "
            "null_padding=false, ignore_errors=false)"
        )


def is_path(source: object) -> bool:
    """Tell whether a source is a path, a glob, or a list of them."""
    if isinstance(source, (list, tuple)):
        return bool(source) and all(isinstance(item, (str, Path)) for item in source)
    return isinstance(source, (str, Path))


def find_files(source: str | Path | Sequence[str | Path]) -> Files:
    """Find the files that a path, a glob or a list of them names."""
    given = [source] if isinstance(source, (str, Path)) else list(source)
    found = [path for item in given for path in _expand(str(item))]
    kinds = {_kind(path) for path in found}
    if len(kinds) > 1:
        message = (
            f"The source mixes {' and '.join(sorted(kinds))} files. Tabulate files of "
            "one kind, or convert them."
        )
        raise SourceError(message)
    return Files(tuple(dict.fromkeys(found)), kinds.pop())


def _expand(pattern: str) -> list[str]:
    path = Path(pattern).expanduser()
    if path.is_file():
        return [str(path.absolute())]
    if path.is_dir():
        message = (
            f"'{pattern}' is a folder. Name the files in it, with a glob such as "
            f"'{Path(pattern) / '*.parquet'}'."
        )
        raise SourceError(message)
    found = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - absolute globs
    files = [str(Path(item).absolute()) for item in found if Path(item).is_file()]
    if files:
        return files
    if any(sign in pattern for sign in "*?["):
        message = f"No file matches '{pattern}'."
        raise SourceError(message)
    raise SourceError(_not_found(path))


def _not_found(path: Path) -> str:
    if not path.parent.is_dir():
        return f"There is no file '{path}': its folder '{path.parent}' does not exist."
    near = [item.name for item in path.parent.iterdir() if item.suffix in _KINDS]
    return f"There is no file '{path}'. {suggest(path.name, near)}"


def _kind(path: str) -> str:
    suffixes = Path(path).suffixes
    last = suffixes[-1].lower() if suffixes else ""
    if last == ".gz" and len(suffixes) > 1 and _KINDS.get(suffixes[-2]) == "csv":
        return "csv"
    if last not in _KINDS:
        message = (
            f"'{Path(path).name}' is of no kind that can be read. Use "
            f"{', '.join(_KINDS)} or .csv.gz; read other formats (.sas7bdat, .sav, "
            ".xlsx) into a frame first."
        )
        raise SourceError(message)
    return _KINDS[last]


def _header(paths: Iterable[str]) -> tuple[list[str], str]:
    """Read the column names and the delimiter, which all files must share."""
    first: tuple[list[str], str] | None = None
    name = ""
    for path in paths:
        here = _header_of(path)
        if first is None:
            first, name = here, Path(path).name
        elif here != first:
            message = (
                f"'{Path(path).name}' has other columns, or another delimiter, than "
                f"'{name}'. Files that are read together need the same first line."
            )
            raise SourceError(message)
    if first is None:
        message = "There is no file to read."
        raise SourceError(message)
    return first


def _header_of(path: str) -> tuple[list[str], str]:
    open_file: Any = gzip.open if path.lower().endswith(".gz") else Path.open
    with open_file(Path(path), "rb") as file:
        line = file.readline(_HEADER_BYTES)
    try:
        text = line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        raise SourceError(not_utf8(Path(path).name)) from None
    if not text.strip():
        message = f"'{Path(path).name}' is empty: its first line names no columns."
        raise SourceError(message)
    delimiter = max(_DELIMITERS, key=text.count)
    names = next(csv.reader([text], delimiter=delimiter))
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        message = (
            f"'{Path(path).name}' names the column {identifier(min(twice))} twice. "
            "Give each column a name of its own."
        )
        raise SourceError(message)
    return names, delimiter


def not_utf8(name: str) -> str:
    """Say that a file is in another encoding."""
    return (
        f"'{name}' is not text in UTF-8. Save it as UTF-8, or read it into a frame "
        "with its own encoding (such as latin-1 or cp1252) and give the frame."
    )


def arrow_dataset(files: Files) -> Any:  # noqa: ANN401 - a pyarrow dataset
    """Open Arrow files for DuckDB to scan."""
    import pyarrow as pa  # noqa: PLC0415 - heavy, only where needed
    from pyarrow import dataset  # noqa: PLC0415

    try:
        return dataset.dataset(list(files.paths), format="ipc")
    except (pa.ArrowInvalid, OSError):
        message = (
            f"'{Path(files.paths[0]).name}' is not an Arrow file (the IPC file format, "
            "also known as Feather 2)."
        )
        raise SourceError(message) from None
