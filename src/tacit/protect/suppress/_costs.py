# SPDX-License-Identifier: Apache-2.0
"""What it costs to withhold a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from tacit.errors import InputError, suggest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.table import Table

__all__ = ["Cost", "costs_of"]

_BASES = ("value", "count", "unit", "column")


class Cost(BaseModel):
    """A base and how it is bent: ``base ** power``, or its logarithm.

    ``value`` is the absolute value, ``count`` the number of contributors (records where
    nobody is identified), ``unit`` 1 for every cell, ``column`` the cost that came with
    the table. ``margins`` multiplies the cost of every cell that is a total, once for
    each dimension in which it is one: above 1 it pushes suppression to the interior.

    >>> Cost(base="value", power=0.5)
    Cost(base='value', power=0.5, log=False, margins=1.0)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base: Literal["value", "count", "unit", "column"] = "value"
    power: float = Field(default=1.0, gt=0, le=10)
    log: bool = False
    margins: float = Field(default=1.0, ge=1)


def costs_of(
    table: Table, cost: str | Cost | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give the cost of every cell, in published units; never 0.

    >>> import tacit
    >>> table = tacit.Table.from_cells(
    ...     {"sex": ["f", "m"], "n": [4, 9]}, by={"sex": "all"}, count="n")
    >>> costs_of(table, Cost(power=0.5)).round(2).tolist()
    [3.61, 2.0, 3.0]
    """
    if isinstance(cost, str):
        if cost not in _BASES:
            message = (
                f"There is no cost named '{cost}'. {suggest(cost, _BASES)} Or give a "
                "Cost, or an array with one number per cell."
            )
            raise InputError(message)
        cost = Cost(base=cost)  # type: ignore[arg-type]
    if not isinstance(cost, Cost):
        return _given(table, np.asarray(cost, dtype=np.float64))
    amount = _base(table, cost.base)
    amount = np.log1p(amount) if cost.log else amount**cost.power
    return _positive(amount * _margins(table, cost.margins))


def _base(table: Table, base: str) -> NDArray[np.float64]:
    cells, evidence = table.cells, table.evidence
    if base == "unit":
        return np.ones(len(table))
    if base == "value":
        return np.abs(table.value_in_units).astype(np.float64)
    if base == "column":
        if cells.cost is None:
            message = (
                "The cost is to come from a column, and the table has none. Name it "
                "when the table is made: tabulate(..., cost=...) or "
                "Table.from_cells(..., cost=...)."
            )
            raise InputError(message)
        return np.abs(cells.cost)
    if evidence is None:
        message = (
            "The cost is to be the number of contributors, and the table does not "
            "know it. Give Table.from_cells(..., count=...), or another cost."
        )
        raise InputError(message)
    known = evidence.contributors if evidence.records is None else evidence.records
    return np.maximum(known, 0).astype(np.float64)


def _given(table: Table, cost: NDArray[np.float64]) -> NDArray[np.float64]:
    if cost.shape != (len(table),):
        message = (
            f"The cost has the shape {cost.shape}, the table {len(table):,} cells. "
            "Give one number per cell, in the order of the table."
        )
        raise InputError(message)
    if not np.isfinite(cost).all() or (cost < 0).any():
        message = (
            "A cost is negative or not a number. Costs say how much is lost by "
            "withholding a cell: give numbers from 0 up."
        )
        raise InputError(message)
    return _positive(cost)


def _positive(cost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lift zeros: a cell that costs nothing would be withheld for no reason."""
    least = cost[cost > 0].min() if (cost > 0).any() else 1.0
    return np.where(cost > 0, cost, least * 1e-3)


def _margins(table: Table, factor: float) -> NDArray[np.float64]:
    weight = np.ones(len(table))
    if factor == 1:
        return weight
    for code, dimension in zip(table.cells.codes, table.dimensions, strict=True):
        inner = np.ones(len(dimension), dtype=bool)
        inner[dimension.leaves] = False
        weight[inner[code]] *= factor
    return weight
