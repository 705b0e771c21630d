# SPDX-License-Identifier: Apache-2.0
"""What a study gives: sentences, tables of numbers, and figures."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Rows", "Study"]


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """The outcome of a study, made by :func:`tacit.study.study`.

    ``findings`` are sentences, ``tables`` columns of numbers by the name of the table,
    ``figures`` drawings as SVG. ``seed`` gives the same again.
    """

    name: str
    title: str
    findings: tuple[str, ...]
    tables: Mapping[str, Mapping[str, Sequence[Any]]]
    figures: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None

    def write(self, folder: str | Path, *, force: bool = False) -> tuple[Path, ...]:
        """Write each table as csv, each figure as svg, and the findings as text.

        >>> import tempfile
        >>> found = Study("demo", "A demo", ("It holds.",), {"numbers": {"n": [1, 2]}})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     [path.name for path in found.write(folder + "/demo")]
        ['findings.txt', 'numbers.csv']
        """
        target = Path(folder)
        if target.exists() and any(target.iterdir()) and not force:
            message = (
                f"The folder '{target}' is not empty, and nothing is overwritten "
                "unasked. Name another one, or use --force (force=True)."
            )
            raise InputError(message)
        target.mkdir(parents=True, exist_ok=True)
        written = [target / "findings.txt"]
        text = "\n".join([self.title, "", *self.findings, ""])
        written[0].write_text(text, encoding="utf-8", newline="\n")
        for name, columns in self.tables.items():
            written.append(target / f"{name}.csv")
            _write_csv(columns, written[-1])
        for name, drawing in self.figures.items():
            written.append(target / f"{name}.svg")
            written[-1].write_text(drawing + "\n", encoding="utf-8", newline="\n")
        return tuple(written)

    def __repr__(self) -> str:
        return (
            f"<Study '{self.name}': {len(self.tables)} tables, "
            f"{len(self.figures)} figures>"
        )

    def _repr_html_(self) -> str:
        listed = "".join(f"<li>{escape(said)}</li>" for said in self.findings)
        drawn = "".join(self.figures.values())
        return f"<h3>{escape(self.title)}</h3><ul>{listed}</ul>{drawn}"


class Rows:
    """A table in the making, by columns.

    >>> rows = Rows("rule", "cells")
    >>> rows.add("p_percent", 3)
    >>> rows.columns
    {'rule': ['p_percent'], 'cells': [3]}
    """

    def __init__(self, *names: str) -> None:
        self.columns: dict[str, list[Any]] = {name: [] for name in names}

    def more(self, *names: str) -> None:
        """Append columns."""
        self.columns |= {name: [] for name in names}

    def add(self, *values: Any) -> None:  # noqa: ANN401 - whatever a column holds
        """Append a row."""
        for column, value in zip(self.columns.values(), values, strict=True):
            column.append(value)


def _write_csv(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            rows.writerow([_plain(value) for value in row])


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a column holds
    value = value.item() if hasattr(value, "item") else value
    return f"{value:.10g}" if isinstance(value, float) else value
