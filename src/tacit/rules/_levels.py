# SPDX-License-Identifier: Apache-2.0
"""Required protection: from the rules, from the cells, within what bounds allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError
from tacit.rules._base import Verdict
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.rules._profiles import Profile
    from tacit.table import Table

__all__ = ["Case", "required_levels"]


@dataclass(frozen=True)
class Case:
    """What is to be assessed, and how."""

    table: Table
    profile: Profile
    margin: float | None
    zero_cells: str


def required_levels(
    case: Case, verdict: Verdict, sensitive: NDArray[np.bool_]
) -> Verdict:
    """Put rules, given levels, floor and bounds together; in published units."""
    table, profile = case.table, case.profile
    scale = float(10**table.cells.decimals)
    levels = np.stack([verdict.upper, verdict.lower, verdict.sliding]) / scale
    levels[:, ~sensitive] = 0.0
    given = table.cells.state == State.SENSITIVE
    if given.any():
        levels[:, given] = np.maximum(levels[:, given], _given_levels(case, given))
    upper, lower, sliding = levels
    if profile.zero_value == "range_above":
        lower[table.cells.value == 0] = 0.0
    unit = 1 / scale
    if profile.floor == "both_sides":
        upper[sensitive] = np.maximum(upper[sensitive], unit)
        raised = sensitive & (table.cells.value != 0)
        lower[raised] = np.maximum(lower[raised], unit)
    if profile.cap_lower:
        np.minimum(lower, _room_below(table) / scale, out=lower)
    bare = sensitive & (upper == 0) & (lower == 0) & (sliding == 0)
    sliding[bare] = unit
    return Verdict(sensitive, upper, lower, sliding)


def _room_below(table: Table) -> NDArray[np.float64]:
    """How far below its value a cell can be believed to lie."""
    cells = table.cells
    if cells.lower is not None:
        room: NDArray[np.float64] = cells.value.astype(np.float64) - cells.lower
    elif len(cells) and cells.value.min() < 0:
        return np.full(len(cells), np.inf)
    else:
        room = cells.value.astype(np.float64)
    room[room < 0] = 0.0
    return room


def _given_levels(case: Case, given: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Levels of the cells that came as sensitive."""
    table = case.table
    levels: NDArray[np.float64] = np.full((3, int(given.sum())), np.nan)
    if table.levels is not None:
        held = table.levels
        levels[:] = [held.upper[given], held.lower[given], held.sliding[given]]
    # No level on either side says nothing: those who mean it say so with margin=0.
    missing = np.isnan(levels[:2]).any(axis=0) | ~np.nan_to_num(levels).any(axis=0)
    if not missing.any():
        return _no_gaps(levels)
    if case.margin is None:
        where = table.describe_cell(int(np.flatnonzero(given)[missing][0]))
        count = int(missing.sum())
        many = "cell" if count == 1 else "cells"
        message = (
            f"{count:,} {many} came as sensitive without protection "
            f"levels, the first at {where}. How closely they may be estimated is then "
            "unknown. Give the table upper= and lower= levels, or give margin= as a "
            "percentage of the value, for instance assess(table, margin=15)."
        )
        raise InputError(message)
    value = np.abs(table.value_in_units[given])
    manual = np.minimum(value * case.margin / 100, value)
    absent = missing & (np.isnan(levels[:2]) | (levels[:2] == 0))
    levels[:2] = np.where(absent, manual, levels[:2])
    return _no_gaps(levels)


def _no_gaps(levels: NDArray[np.float64]) -> NDArray[np.float64]:
    levels[np.isnan(levels)] = 0.0
    return levels
