# SPDX-License-Identifier: Apache-2.0
"""Attacks written out in full: fractions and plain programs, nothing of the package.

Slow and obvious on purpose. A pattern is a boolean per cell (withheld or not), the
matrix that of ``table.relations``; everything else is worked out here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tacit import Assessment, Release, Table

__all__ = [
    "Shortfall",
    "derivable",
    "insider_shortfalls",
    "interval",
    "outsider_bounds",
    "shortfalls",
]

# Slack of a plain solver on numbers of this size; what is missed by less is noise.
_NOISE = 1e-6


@dataclass(frozen=True)
class Shortfall:
    """A sensitive cell that can be worked out too closely, and by whom."""

    cell: int
    lowest: float
    highest: float
    value: float
    insider: int | None = None


def derivable(matrix: object, hidden: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark withheld cells that follow from the published ones by equations alone.

    Gauss-Jordan elimination in fractions: a cell is known where the reduced form has
    a row with that cell and no other withheld one.
    """
    rows = [row for row in _rows(matrix, hidden) if row]
    reduced: dict[int, dict[int, Fraction]] = {}
    for row in rows:
        rest = dict(row)
        for pivot in [c for c in rest if c in reduced]:
            _take(rest, reduced[pivot], rest[pivot])
        if not rest:
            continue
        pivot = min(rest)
        first = rest[pivot]
        rest = {c: v / first for c, v in rest.items()}
        for other in reduced.values():
            if pivot in other:
                _take(other, rest, other[pivot])
        reduced[pivot] = rest
    known = np.zeros(len(hidden), dtype=bool)
    known[[pivot for pivot, row in reduced.items() if len(row) == 1]] = True
    return known


def _rows(matrix: object, hidden: NDArray[np.bool_]) -> Iterator[dict[int, Fraction]]:
    by_row = matrix.tocsr()  # type: ignore[attr-defined]
    for start, end in zip(by_row.indptr[:-1], by_row.indptr[1:], strict=True):
        cells = by_row.indices[start:end].tolist()
        values = by_row.data[start:end].tolist()
        yield {
            c: Fraction(int(v)) for c, v in zip(cells, values, strict=True) if hidden[c]
        }


def _take(
    row: dict[int, Fraction], other: dict[int, Fraction], times: Fraction
) -> None:
    for cell, value in other.items():
        left = row.get(cell, Fraction(0)) - times * value
        if left:
            row[cell] = left
        else:
            row.pop(cell, None)


def outsider_bounds(
    table: Table, hidden: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What everybody knows beforehand: nothing below 0 unless the table has it.

    A withheld count is at least 1 where that is true of every withheld cell.
    """
    cells = table.cells
    value = cells.value
    low = np.full(len(value), -np.inf if (value < 0).any() else 0.0)
    if table.is_count and (value[hidden] >= 1).all() and not (value < 0).any():
        low[hidden] = 1.0
    high = np.full(len(value), np.inf)
    if cells.lower is not None:
        low = cells.lower.astype(float)
    if cells.upper is not None:
        high = cells.upper.astype(float)
    return low, high


def interval(
    matrix: object,
    hidden: NDArray[np.bool_],
    value: NDArray[np.int64],
    bounds: tuple[NDArray[np.float64], NDArray[np.float64]],
    cell: int,
) -> tuple[float, float]:
    """Lowest and highest distance of one cell from its value, by two programs.

    Distances instead of values: numbers of any size keep their last digits.
    """
    at = np.flatnonzero(hidden)
    rows = matrix.tocsr()[:, at]  # type: ignore[attr-defined]
    rows = rows[np.flatnonzero(np.diff(rows.indptr) > 0)]
    low, high = (end[at] - value[at] for end in bounds)
    scale = max(1.0, float(np.abs(value[cell])))
    cost = (at == cell).astype(float)
    ends = []
    for sign in (1.0, -1.0):
        found = linprog(
            sign * cost,
            A_eq=rows if rows.shape[0] else None,
            b_eq=np.zeros(rows.shape[0]) if rows.shape[0] else None,
            bounds=np.column_stack([np.minimum(low, 0), np.maximum(high, 0)]) / scale,
            method="highs",
        )
        assert found.status in (0, 3), found.message
        ends.append(sign * found.fun * scale if found.status == 0 else -sign * np.inf)
    return ends[0], ends[1]


def _required(
    assessment: Assessment, hidden: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Distances up, down and in width, no lower than the kind of number allows."""
    table = assessment.table
    scale = 10.0**table.cells.decimals
    up, down, width = (
        level * scale for level in (assessment.upl, assessment.lpl, assessment.spl)
    )
    if table.is_count:
        up, down, width = (np.ceil(one - 1e-9) for one in (up, down, width))
    bare = table.cells
    natural = np.full(len(table), -np.inf if (bare.value < 0).any() else 0.0)
    if table.is_count and (bare.value[hidden] >= 1).all():
        natural[hidden] = 1.0
    return up, np.minimum(down, bare.value - natural), width


def shortfalls(release: Release) -> list[Shortfall]:
    """Sensitive cells whose interval does not cover what their levels ask for."""
    return list(_short(release, outsider_bounds(release.table, release.withheld)))


def insider_shortfalls(release: Release) -> list[Shortfall]:
    """Sensitive cells that someone who fills a withheld cell alone knows too closely.

    Such an insider knows all cells that it fills alone, and that a cell it shares
    holds no less than its own part. Cells that it has a part in are left out: its own
    part is no secret to it, and bounds the cell.
    """
    table, hidden = release.table, release.withheld
    low, high = outsider_bounds(table, hidden)
    found = []
    for insider, (alone, shared) in sorted(_insiders(table, hidden).items()):
        known = low.copy(), high.copy()
        for cell, own in shared.items():
            if low[cell] >= 0:
                known[0][cell] = max(low[cell], min(own, table.cells.value[cell]))
        still = hidden.copy()
        still[list(alone)] = False
        out = [*alone, *shared]
        found += _short(release, known, still=still, but=out, insider=insider)
    return found


def _insiders(
    table: Table, hidden: NDArray[np.bool_]
) -> dict[int, tuple[set[int], dict[int, int]]]:
    """For each entity alone in a withheld cell: those cells, and its shared ones."""
    if table.contributions is None:
        evidence = table.evidence
        if evidence is None:
            return {}
        alone = np.flatnonzero(hidden & (evidence.contributors == 1))
        names = evidence.entities
        owners: dict[int, tuple[set[int], dict[int, int]]] = {}
        same = _same_owner(table, evidence.contributors)
        for cell in alone.tolist():
            owner = same[cell] if names is None else int(names[cell, 0])
            owners.setdefault(owner, (set(), {}))[0].add(cell)
        return owners
    amounts = _amounts(table)
    insiders: dict[int, tuple[set[int], dict[int, int]]] = {}
    for cell in np.flatnonzero(hidden).tolist():
        if len(amounts[cell]) == 1:
            (owner,) = amounts[cell]
            insiders.setdefault(owner, (set(), {}))[0].add(cell)
    for cell in np.flatnonzero(hidden).tolist():
        for owner, amount in amounts[cell].items():
            if owner in insiders and len(amounts[cell]) > 1:
                insiders[owner][1][cell] = amount
    return insiders


def _same_owner(table: Table, contributors: NDArray[np.int64]) -> list[int]:
    """Give cells one number where a total with one contributor meets such a part."""
    number = list(range(len(table)))
    by_row = table.relations.matrix.tolil()
    for cells, signs in zip(by_row.rows, by_row.data, strict=True):
        totals = [c for c, sign in zip(cells, signs, strict=True) if sign < 0]
        if len(totals) != 1 or contributors[totals[0]] != 1:
            continue
        both = {number[c] for c in cells if contributors[c] == 1}
        number = [min(both) if one in both else one for one in number]
    return number


def _amounts(table: Table) -> list[dict[int, int]]:
    """Per cell, who contributes how much: every total is walked to, tree by tree."""
    given = table.contributions
    assert given is not None
    who = given.unit if given.holding is None else given.holding
    above = [_above(table, d) for d in range(len(table.dimensions))]
    place = {tuple(codes): i for i, codes in enumerate(table.cells.codes.T.tolist())}
    cells: list[dict[int, int]] = [{} for _ in range(len(table))]
    for leaf, entity, amount in zip(
        given.leaf.tolist(), who.tolist(), given.value.tolist(), strict=True
    ):
        codes = table.cells.codes[:, leaf].tolist()
        keys: list[tuple[int, ...]] = [()]
        for reach, code in zip(above, codes, strict=True):
            keys = [(*key, one) for key in keys for one in reach[code]]
        for key in keys:
            if key in place:
                held = cells[place[key]]
                held[entity] = held.get(entity, 0) + amount
    return cells


def _above(table: Table, dimension: int) -> list[set[int]]:
    axis = table.dimensions[dimension]
    reach = []
    for code in range(len(axis)):
        found, front = {code}, {code}
        while front:
            front = {int(p[c]) for p in axis.parents for c in front if p[c] >= 0}
            front -= found
            found |= front
        reach.append(found)
    return reach


def _short(
    release: Release,
    bounds: tuple[NDArray[np.float64], NDArray[np.float64]],
    *,
    still: NDArray[np.bool_] | None = None,
    but: list[int] | None = None,
    insider: int | None = None,
) -> Iterator[Shortfall]:
    assessment, table = release.assessment, release.table
    hidden, value = release.withheld, table.cells.value
    up, down, width = _required(assessment, hidden)
    still = hidden if still is None else still
    for cell in np.flatnonzero(assessment.sensitive).tolist():
        if but and cell in but:
            continue
        lowest, highest = 0.0, 0.0
        if still[cell]:
            lowest, highest = interval(
                table.relations.matrix, still, value, bounds, cell
            )
        slack = _NOISE * max(1.0, abs(up[cell]), abs(down[cell]))
        slack = max(slack, 1e-12 * abs(float(value[cell])))
        enough = highest >= up[cell] - slack and lowest <= -down[cell] + slack
        enough &= highest - lowest >= width[cell] - slack
        enough &= highest - lowest > slack
        if not enough:
            yield Shortfall(cell, lowest, highest, float(value[cell]), insider)
