# SPDX-License-Identifier: Apache-2.0
"""The noun between a table and its protection: which cells are sensitive, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from tacit.rules._base import Rule
    from tacit.table import Table

__all__ = ["Assessment", "InternalAssessment"]

_HELD_BACK = (State.SENSITIVE, State.SUPPRESSED, State.FORCED)


@dataclass(frozen=True, eq=False, repr=False)
class Assessment:
    """A verdict on every cell of a table, made by :func:`tacit.assess`.

    ``upl``, ``lpl`` and ``spl`` are the required distances above, below and over both
    sides of the value, in published units; 0 where nothing is required. ``reasons``
    holds, per rule, the cells in which it fired. ``rule`` is the rule as it was
    applied, with the conventions of the profile. ``conflicts`` are sensitive cells
    that came with the order to be published: they stay sensitive. ``exempted`` are
    cells that a rule would have caught in a code that the user exempted.

    Levels, reasons and the rule are confidential: three published sensitivities give
    back the two largest contributors of a cell. ``cells`` and ``repr`` show none.

    >>> import tacit
    >>> cells = {"sex": ["f", "m"], "n": [2, 30]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
    >>> assessment = tacit.assess(table, tacit.MinFrequency(n=3))
    >>> assessment
    <Assessment: 3 cells, 1 not to be published as it is>
    >>> assessment.cells.to_pydict()["n"]
    [32, None, 30]
    """

    table: Table
    rule: Rule | None
    sensitive: NDArray[np.bool_]
    upl: NDArray[np.float64]
    lpl: NDArray[np.float64]
    spl: NDArray[np.float64]
    state: NDArray[np.uint8]
    reasons: Mapping[str, NDArray[np.bool_]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    conflicts: NDArray[np.bool_] | None = None
    exempted: NDArray[np.bool_] | None = None
    profile: str = "tacit"
    preset: str | None = None
    preset_digest: str | None = None

    def __len__(self) -> int:
        return len(self.state)

    @property
    def held_back(self) -> NDArray[np.bool_]:
        """Cells that cannot be published as they are, for whatever reason."""
        return self.sensitive | np.isin(self.state, _HELD_BACK)

    def reasons_of(self, cell: int | Mapping[str, str]) -> tuple[str, ...]:
        """Name the rules that fired in one cell, given by index or by its codes.

        >>> import tacit
        >>> cells = {"sex": ["f", "m"], "n": [2, 30]}
        >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
        >>> assessment = tacit.assess(table, tacit.MinFrequency(n=3))
        >>> assessment.reasons_of({"sex": "f"}), assessment.reasons_of(0)
        (('min_frequency',), ())
        """
        index = cell if isinstance(cell, int | np.integer) else self.table.find(cell)
        if not -len(self) <= index < len(self):
            message = f"No cell {index}: the table has {len(self):,} cells, from 0."
            raise InputError(message)
        return tuple(label for label, fired in self.reasons.items() if fired[index])

    def summary(self) -> dict[str, Any]:
        """Count what was found; no values, no levels, no parameters of rules.

        >>> import tacit
        >>> cells = {"sex": ["f", "m"], "n": [2, 30]}
        >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
        >>> summary = tacit.assess(table, tacit.MinFrequency(n=3)).summary()
        >>> summary["cells"], summary["sensitive"], summary["by_rule"]
        (3, 1, {'min_frequency': 1})
        """
        states = np.bincount(self.state, minlength=len(State))
        filled = len(self) - int(states[State.EMPTY])
        sensitive = int(self.sensitive.sum())
        return {
            "cells": len(self),
            "empty": int(states[State.EMPTY]),
            "sensitive": sensitive,
            "share_sensitive": sensitive / filled if filled else 0.0,
            "by_rule": {label: _count(fired) for label, fired in self.reasons.items()},
            "frozen": int(states[State.FROZEN]),
            "forced": int(states[State.FORCED]),
            "suppressed": int(states[State.SUPPRESSED]),
            "conflicts": _count(self.conflicts),
            "exempted": _count(self.exempted),
            "profile": self.profile,
            "preset": self.preset,
        }

    @property
    def cells(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """Codes, the value or nothing, published or not; never why.

        This is a view to work with, not a table to publish: the cells that remain may
        still give away those that are missing.
        """
        masked = self.held_back
        columns = _codes(self.table)
        value = np.where(masked, 0, self.table.cells.value)
        name = _free_name(self.table.measure, columns)
        columns[name] = np.ma.array(
            _in_units(value, self.table.cells.decimals), mask=masked
        )
        columns["status"] = np.where(masked, "not published", "published")
        return _to_frame(self.table, columns)

    @property
    def internal(self) -> InternalAssessment:
        """The door to values, contributors, levels and reasons. Confidential."""
        return InternalAssessment(self)

    def __repr__(self) -> str:
        held_back = int(self.held_back.sum())
        many = "it is" if held_back == 1 else "they are"
        return (
            f"<Assessment: {len(self):,} cells, {held_back:,} not to be published as "
            f"{many}>"
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p>"


@dataclass(frozen=True, eq=False, repr=False)
class InternalAssessment:
    """Everything that is known about each cell. Confidential."""

    assessment: Assessment

    @property
    def cells(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """Codes, value, contributors, state, levels, reasons, largest contributions."""
        found, table = self.assessment, self.assessment.table
        decimals = table.cells.decimals
        columns = _codes(table)
        columns[_free_name(table.measure, columns)] = table.value_in_units
        known = _evidence_columns(table)
        columns |= {name: known[name] for name in ("contributors",) if name in known}
        columns |= {
            "state": np.array([state.label for state in State])[found.state],
            "sensitive": found.sensitive,
            "lower": found.lpl,
            "upper": found.upl,
            "sliding": found.spl,
            "reasons": _reasons_text(found.reasons, len(found)),
        }
        columns |= {
            name: _in_units(column, decimals)
            for name, column in known.items()
            if name.startswith("largest_")
        }
        return _to_frame(table, columns)

    def summary(self) -> dict[str, Any]:
        """Count, with the value that stands in sensitive cells, in published units."""
        found, table = self.assessment, self.assessment.table
        value = table.cells.value[found.sensitive]
        total = np.abs(value.astype(np.float64)).sum() / 10**table.cells.decimals
        return {**found.summary(), "value_sensitive": float(total)}

    def write_problem(self, path: str | Path, **options: Any) -> Path:  # noqa: ANN401
        """Write the problem of suppression, for other programs: a JJ file.

        Takes the options of :func:`tacit.publish.publish_problem`.
        """
        from tacit.publish import publish_problem  # noqa: PLC0415 - stands above

        return publish_problem(self.assessment, path, **options)

    def __repr__(self) -> str:
        return f"<Internal view of {len(self.assessment):,} cells, confidential>"


def _evidence_columns(table: Table) -> dict[str, Any]:
    if table.evidence is None:
        return {}
    columns: dict[str, Any] = {"contributors": table.evidence.contributors}
    for rank, column in enumerate(table.evidence.largest.T, start=1):
        columns[f"largest_{rank}"] = column
    return columns


def _reasons_text(
    reasons: Mapping[str, NDArray[np.bool_]], cells: int
) -> NDArray[np.object_]:
    text = np.full(cells, "", dtype=object)
    for label, fired in reasons.items():
        here = np.flatnonzero(fired)
        glue = np.where(text[here] == "", "", "; ").astype(object)
        text[here] = text[here] + glue + label
    return text


def _codes(table: Table) -> dict[str, Any]:
    return {name: table.codes_of(name) for name in table.names}


def _free_name(name: str, taken: Mapping[str, Any]) -> str:
    """Keep a measure that is called like a dimension from replacing it."""
    return f"{name} (value)" if name in taken else name


def _in_units(value: NDArray[Any], decimals: int) -> NDArray[Any]:
    return value / float(10**decimals) if decimals else value


def _to_frame(table: Table, columns: dict[str, Any]) -> Any:  # noqa: ANN401
    from tacit.table._frames import to_frame  # noqa: PLC0415 - loads a frame library

    return to_frame(columns, table.frame_kind)


def _count(marks: NDArray[np.bool_] | None) -> int:
    return 0 if marks is None else int(marks.sum())
