# SPDX-License-Identifier: Apache-2.0
"""How a table shows itself: nothing confidential, except through ``internal``."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError
from tacit.table._cells import State
from tacit.table._frames import to_frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.table._table import Table

__all__ = ["Internal", "describe_table", "html_of", "in_units", "public_frame"]

_SHOWN_ROWS = 10
_SHOWN_DIMENSIONS = 6
_MASK = "·"
# Which suppressed cell is sensitive and which one only guards it is confidential.
_PUBLIC_STATE = {
    State.SAFE: "safe",
    State.FROZEN: "safe",
    State.EMPTY: "empty",
    State.SENSITIVE: "suppressed",
    State.SUPPRESSED: "suppressed",
    State.FORCED: "suppressed",
}


@dataclass(frozen=True, eq=False, repr=False)
class Internal:
    """Everything about a table that must not leave the house."""

    table: Table

    def __repr__(self) -> str:
        return f"<Internal view of {len(self.table):,} cells, confidential>"

    @property
    def cells(self) -> Any:  # noqa: ANN401 - a frame of the kind that was given
        """Codes, values, states and all that the rules know, one row for each cell.

        >>> from tacit import Table
        >>> cells = {"sex": ["f", "m"], "x": [2, 3], "n": [1, 2]}
        >>> table = Table.from_cells(cells, by={"sex": "all"}, value="x", count="n")
        >>> frame = table.internal.cells
        >>> frame.column_names
        ['sex', 'x', 'state', 'contributors']
        >>> frame["x"].to_pylist()
        [5, 2, 3]
        """
        table = self.table
        cells = table.cells
        columns: dict[str, Any] = {n: table.codes_of(n) for n in table.names}
        columns[_free(table.measure, columns)] = in_units(cells.value, cells.decimals)
        columns |= {"state": _labels(cells.state)}
        columns |= _evidence_columns(table)
        if cells.lower is not None:
            columns["lower_bound"] = in_units(cells.lower, cells.decimals)
        if cells.upper is not None:
            columns["upper_bound"] = in_units(cells.upper, cells.decimals)
        if cells.cost is not None:
            columns["cost"] = cells.cost
        if table.levels is not None:
            columns["lower_level"] = table.levels.lower
            columns["upper_level"] = table.levels.upper
            columns["sliding_level"] = table.levels.sliding
        return to_frame(columns, table.frame_kind)

    @property
    def contributions(self) -> Any:  # noqa: ANN401 - a frame of the kind that was given
        """The reduced microdata: who gave what to which leaf cell."""
        table = self.table
        given = table.contributions
        if given is None:
            message = (
                "This table knows no single contributions: it was not tabulated from "
                "microdata."
            )
            raise InputError(message)
        columns: dict[str, Any] = {
            name: table.codes_of(name)[given.leaf] for name in table.names
        }
        columns["unit"] = given.unit
        if given.holding is not None:
            columns["holding"] = given.holding
        name = _free(table.measure, columns)
        columns[name] = in_units(given.value, table.cells.decimals)
        return to_frame(columns, table.frame_kind)


def in_units(
    scaled: NDArray[Any], decimals: int
) -> NDArray[np.int64] | NDArray[np.float64]:
    """Amounts as published: integers stay integers, others become floats."""
    if decimals == 0:
        return scaled
    units: NDArray[np.float64] = scaled / float(10**decimals)
    return units


def public_frame(table: Table) -> Any:  # noqa: ANN401 - a frame of the kind that was given
    """Codes, and whether the cell is published; see :meth:`Table.frame`."""
    columns = {name: table.codes_of(name) for name in table.names}
    columns[_free("state", columns)] = _public_states(table.cells.state)
    return to_frame(columns, table.frame_kind)


def describe_table(table: Table) -> str:
    """Name the dimensions, the size and the states; no values.

    >>> from tacit import Table
    >>> Table.from_cells({"sex": ["f"], "n": [2]}, by={"sex": "all"}, count="n")
    <Table of n: 2 cells over sex (2 codes); 2 safe>
    """
    shown = [f"{d.name} ({len(d):,} codes)" for d in table.dimensions]
    if len(shown) > _SHOWN_DIMENSIONS:
        more = len(shown) - _SHOWN_DIMENSIONS
        shown = [*shown[:_SHOWN_DIMENSIONS], f"{more} more"]
    text = f"<Table of {table.measure}: {len(table):,} cells over {', '.join(shown)}"
    text += f"; {_state_counts(table)}"
    if table.residuals_accepted:
        text += f"; {table.residuals_accepted:,} relations hold within the tolerance"
    return f"{text}>"


def html_of(table: Table) -> str:
    """Show the first rows with every value masked."""
    names = [*table.names, table.measure, "state"]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    labels = _public_states(table.cells.state[:_SHOWN_ROWS])
    rows = []
    for cell, label in enumerate(labels):
        texts = [*table.labels_of(cell).values(), _MASK, str(label)]
        row = "".join(f"<td>{html.escape(text)}</td>" for text in texts)
        rows.append(f"<tr>{row}</tr>")
    caption = html.escape(describe_table(table)[1:-1])
    body = "".join(rows)
    return (
        f"<table><caption>{caption}; values are masked</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _state_counts(table: Table) -> str:
    found, counts = np.unique(_public_states(table.cells.state), return_counts=True)
    pairs = zip(counts.tolist(), found.tolist(), strict=True)
    return ", ".join(f"{count:,} {label}" for count, label in pairs)


def _public_states(state: NDArray[np.uint8]) -> NDArray[np.object_]:
    texts: NDArray[np.object_] = np.array(
        [_PUBLIC_STATE[number] for number in State], dtype=object
    )[state]
    return texts


def _labels(state: NDArray[np.uint8]) -> NDArray[np.object_]:
    texts: NDArray[np.object_] = np.array([s.label for s in State], dtype=object)[state]
    return texts


def _evidence_columns(table: Table) -> dict[str, Any]:
    evidence = table.evidence
    if evidence is None:
        return {}
    columns: dict[str, Any] = {"contributors": evidence.contributors}
    if evidence.units is not None:
        columns["units"] = evidence.units
    for k in range(evidence.largest.shape[1]):
        amounts: Any = in_units(evidence.largest[:, k], table.cells.decimals)
        if evidence.complete is not None:
            amounts = np.ma.MaskedArray(amounts, mask=~evidence.complete)
        columns[f"largest_{k + 1}"] = amounts
    return columns


def _free(name: str, columns: dict[str, Any]) -> str:
    """A column name that no dimension takes."""
    while name in columns:
        name = f"{name}_"
    return name
