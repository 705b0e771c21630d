# SPDX-License-Identifier: Apache-2.0
"""The verdict of an audit, and everything behind it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.audit._findings import Kind
from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from tacit.audit._findings import Findings
    from tacit.protect import Certificate
    from tacit.table import Table

__all__ = ["AuditReport", "InternalReport", "Ranges"]


@dataclass(frozen=True, eq=False, repr=False)
class Ranges:
    """Lowest and highest value of cells, in published units.

    Where ``complete`` is false an end is what is certainly reached: the true interval
    may be wider.
    """

    cells: NDArray[np.int64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    complete: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        return f"<Ranges: {len(self):,} cells, confidential>"


@dataclass(frozen=True, eq=False, repr=False)
class AuditReport:
    """What can be worked out of a published table, made by :func:`tacit.audit`.

    ``safe`` is true where everything that was ``checked`` holds; ``not_checked`` says
    what was not, and why. ``open`` counts claims that the time did not suffice for:
    with any of them open a table is not safe. ``certificate`` proves what holds against
    the first outsider, where all of it holds. Of a release (``public`` is false)
    the numbers stand behind ``internal``; of somebody else's table they are public.

    >>> import tacit
    >>> printed = {"sex": ["all", "f", "m"], "n": ["15", "x", "x"]}
    >>> report = tacit.audit(printed, by={"sex": "all"}, count="n")
    >>> report.headline
    'Safe: 2 withheld cells hold against the audit.'
    >>> report.intervals.to_pydict()["highest"]
    [15.0, 15.0]
    """

    table: Table
    findings: Findings
    ranges: Ranges
    public: bool
    counts: Mapping[str, int]
    checked: tuple[str, ...] = ()
    not_checked: tuple[str, ...] = ()
    open: int = 0
    seconds: float = 0.0
    certificate: Certificate | None = None

    @property
    def safe(self) -> bool:
        """Whether nothing was found, and nothing was left open."""
        return not len(self.findings) and not self.open

    @property
    def violations(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """What is wrong, the worst first: codes, kind, and why in words."""
        return _to_frame(self.table, _violations(self, numbers=self.public))

    @property
    def intervals(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """How closely each withheld cell can be worked out.

        Of a release the numbers show in ``internal.intervals`` only.
        """
        return _to_frame(self.table, _intervals(self, numbers=self.public))

    @property
    def internal(self) -> InternalReport:
        """The door to the numbers. Confidential."""
        return InternalReport(self)

    def summary(self) -> dict[str, Any]:
        """Count what was found, by kind; no codes and no values."""
        return {
            "safe": self.safe,
            **{kind.label: self.findings.count(kind) for kind in Kind},
            "open": self.open,
            **self.counts,
            "checked": list(self.checked),
            "not_checked": list(self.not_checked),
            "seconds": self.seconds,
        }

    def explain(self, most: int = 10) -> str:
        """Say in words what is wrong, the worst first; no values.

        Of somebody else's table the words come with the numbers.
        """
        lines = [self._timed]
        found = self.findings
        for row in range(min(most, len(found))):
            label = Kind(int(found.kind[row])).label
            lines.append(f"  {label}: {self._where(row)}. {found.why[row]}")
        if len(found) > most:
            lines.append(f"  and {len(found) - most:,} more")
        lines += [f"  not checked: {what}" for what in self.not_checked]
        return "\n".join(lines)

    def _where(self, row: int) -> str:
        found = self.findings
        cell = int(found.cell[row])
        where = "a sum" if cell < 0 else self.table.describe_cell(cell)
        low, high = found.lowest[row], found.highest[row]
        if not self.public or np.isnan(low) or np.isnan(high):
            return where
        if low == high:
            return f"{where} is {_number(low)}"
        return f"{where} lies between {_number(low)} and {_number(high)}"

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        hidden = self.counts.get("withheld", 0)
        noun, verb = ("cell", "holds") if hidden == 1 else ("cells", "hold")
        if self.safe:
            return f"Safe: {hidden:,} withheld {noun} {verb} against the audit."
        parts = [
            f"{count:,} {kind.label}"
            for kind in Kind
            if (count := self.findings.count(kind))
        ]
        if self.open:
            parts.append(f"{self.open:,} not settled in time")
        return f"Not safe: {', '.join(parts)}; {hidden:,} withheld {noun}."

    @property
    def _timed(self) -> str:
        return f"{self.headline.removesuffix('.')} ({self.seconds:.1f} s)."

    def write(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the report as a page of HTML.

        Only for somebody else's table: the report of a release names its sensitive
        cells, so it goes through ``internal.write``.
        """
        if not self.public:
            message = (
                "The report on a release shows which cells are sensitive and how "
                "closely they can be estimated. It is internal: write it with "
                "report.internal.write('audit.internal.html')."
            )
            raise InputError(message)
        from tacit.publish._report import write_report  # noqa: PLC0415 - stands above

        return write_report(self, path, force=force)

    def __repr__(self) -> str:
        return f"<AuditReport: {self._timed}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{kind.label}</td><td>{count:,}</td></tr>"
            for kind in Kind
            if (count := self.findings.count(kind))
        )
        skipped = "".join(f"<li>{escape(what)}</li>" for what in self.not_checked)
        listed = f"<p>Not checked:</p><ul>{skipped}</ul>" if skipped else ""
        return f"<p>{escape(self.headline)}</p><table>{rows}</table>{listed}"


@dataclass(frozen=True, eq=False, repr=False)
class InternalReport:
    """The numbers of a report. Confidential for a release."""

    report: AuditReport

    @property
    def violations(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """Violations with what can be worked out of them."""
        return _to_frame(self.report.table, _violations(self.report, numbers=True))

    @property
    def intervals(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """Every interval that was computed."""
        return _to_frame(self.report.table, _intervals(self.report, numbers=True))

    def write(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the report with its numbers; the name must hold ``internal``."""
        from tacit.publish._report import write_report  # noqa: PLC0415 - stands above

        return write_report(self.report, path, force=force)

    def __repr__(self) -> str:
        return "<Internal view of an audit, confidential>"


def _violations(report: AuditReport, *, numbers: bool) -> dict[str, Any]:
    found, table = report.findings, report.table
    held = found.cell >= 0
    columns: dict[str, Any] = {
        name: np.ma.array(_codes(table, name, found.cell), mask=~held)
        for name in table.names
    }
    labels = np.array([kind.label for kind in Kind], dtype=object)
    columns["violation"] = labels[found.kind]
    if numbers:
        columns["lowest"] = _masked(found.lowest)
        columns["highest"] = _masked(found.highest)
    columns["why"] = found.why
    return columns


def _intervals(report: AuditReport, *, numbers: bool) -> dict[str, Any]:
    ranges, table = report.ranges, report.table
    columns: dict[str, Any] = {
        name: _codes(table, name, ranges.cells) for name in table.names
    }
    if numbers:
        columns["lowest"] = _masked(ranges.lowest)
        columns["highest"] = _masked(ranges.highest)
        columns["complete"] = ranges.complete
    return columns


def _codes(table: Table, name: str, cells: NDArray[np.int64]) -> NDArray[np.object_]:
    axis = table.axis(name)
    codes: NDArray[np.object_] = np.array(table.dimensions[axis].codes, dtype=object)
    texts: NDArray[np.object_] = codes[table.cells.codes[axis, cells]]
    return texts


def _masked(values: NDArray[np.float64]) -> np.ma.MaskedArray[Any, Any]:
    bad = ~np.isfinite(values)
    return np.ma.array(np.where(bad, 0.0, values), mask=bad)


def _number(value: float) -> str:
    return f"{value:,.10g}"


def _to_frame(table: Table, columns: dict[str, Any]) -> Any:  # noqa: ANN401
    from tacit.table._frames import to_frame  # noqa: PLC0415 - loads pyarrow

    return to_frame(columns, table.frame_kind)
