# SPDX-License-Identifier: Apache-2.0
"""Turn an assessment into the arrays that methods work on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.attacker import outsider_among
from tacit.protect.suppress._problem import Families, Geometry, Problem
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.attacker import Attacker
    from tacit.rules import Assessment
    from tacit.table import Dimension, Table

__all__ = ["ENDLESS", "build_problem"]

# Rooms beyond this are as good as infinite, and stay exact in a float.
ENDLESS = 1e15


def build_problem(
    assessment: Assessment,
    cost: NDArray[np.float64],
    *,
    attackers: Sequence[Attacker],
    frozen: NDArray[np.bool_] | None = None,
    forced: NDArray[np.bool_] | None = None,
) -> tuple[Problem, NDArray[np.int64]]:
    """Give the problem over the cells that are not empty, and which cells these are."""
    table = assessment.table
    state = assessment.state
    origin = np.flatnonzero(state != State.EMPTY).astype(np.int64)
    held = _chosen(state == State.FORCED, forced) | (state == State.SUPPRESSED)
    fixed = _chosen(state == State.FROZEN, frozen) & ~assessment.sensitive & ~held
    up, down, width = _needs(assessment, origin, attackers)
    room_down, room_up = _rooms(table, attackers)
    problem = Problem(
        relations=_relations(table, origin),
        value=table.cells.value[origin],
        cost=cost[origin],
        sensitive=assessment.sensitive[origin],
        need_down=down,
        need_up=up,
        need_width=width,
        room_down=room_down[origin],
        room_up=room_up[origin],
        frozen=fixed[origin],
        forced=(held & ~assessment.sensitive)[origin],
        owner=_owners(table, attackers)[origin],
        geometry=_geometry(table, origin),
        whole=any(one.whole(is_count=table.is_count) for one in attackers),
    )
    return problem, origin


def _chosen(
    given: NDArray[np.bool_], more: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    return given if more is None else given | more


def _needs(
    assessment: Assessment, origin: NDArray[np.int64], attackers: Sequence[Attacker]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Whole distances up, down and in width; a width beyond both sides goes upwards.

    Nobody can be led to believe what no such number can be, a count below 0 for
    instance, so no level asks for that. A cell without levels needs a width of at
    least one unit: otherwise an exact value would count as protected.
    """
    scale = 10.0**assessment.table.cells.decimals
    levels = (assessment.upl, assessment.lpl, assessment.spl)
    up, down, width = (
        np.ceil(level[origin] * scale * (1 - 1e-12) - 1e-9) for level in levels
    )
    sensitive = assessment.sensitive[origin]
    down = np.minimum(down, _depths(assessment.table, attackers)[origin])
    neither = (up <= 0) & (down <= 0)
    up = np.where(neither, up, np.maximum(up, width - down))
    width = np.where(neither, np.maximum(width, 1.0), 0.0)
    return tuple(
        np.where(sensitive, np.maximum(n, 0.0), 0.0) for n in (up, down, width)
    )  # type: ignore[return-value]


def _depths(table: Table, attackers: Sequence[Attacker]) -> NDArray[np.float64]:
    """How far each value is above the least that such a number can be."""
    value = table.cells.value
    one = 10**table.cells.decimals if table.is_count else 0
    least = [
        attacker.natural_lower(value, value >= one, one=one)
        for attacker in outsider_among(attackers)
    ]
    depth: NDArray[np.float64] = np.maximum(value - np.minimum.reduce(least), 0.0)
    return depth


def _rooms(
    table: Table, attackers: Sequence[Attacker]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the bounds of all these attackers together leave around each value."""
    cells = table.cells
    one = 10**cells.decimals if table.is_count else 0
    value = cells.value
    lower, upper = np.full(len(value), -np.inf), np.full(len(value), np.inf)
    for attacker in outsider_among(attackers):
        low, high = attacker.bounds_on(
            value, value >= one, one=one, given=(cells.lower, cells.upper)
        )
        lower, upper = np.maximum(lower, low), np.minimum(upper, high)
    down, up = value - np.minimum(lower, value), np.maximum(upper, value) - value
    return np.minimum(down, ENDLESS), np.minimum(up, ENDLESS)


def _relations(table: Table, origin: NDArray[np.int64]) -> csr_array:
    """Keep the relations between cells that are not empty."""
    matrix = table.relations.matrix
    part = matrix if len(origin) == matrix.shape[1] else matrix[:, origin]
    return part[np.flatnonzero(np.diff(part.indptr) > 0)]


def _owners(table: Table, attackers: Sequence[Attacker]) -> NDArray[np.int64]:
    """Number the only contributor of each cell, -1 where there are several.

    Nobody's are numbered where no attacker knows contributions of its own.
    """
    from tacit.table import sole_owners  # noqa: PLC0415 - with the relations

    if table.evidence is None or not any(one.knows_own for one in attackers):
        return np.full(len(table), -1, dtype=np.int64)
    return sole_owners(table, table.evidence.contributors)


def _geometry(table: Table, origin: NDArray[np.int64]) -> Geometry | None:
    """Where the cells lie; None where keys had to be ranked or codes have no order."""
    index = table.key_index
    strides = index.strides
    if strides is None or not any(d.hierarchies for d in table.dimensions):
        return None
    offsets = np.concatenate([[0], np.cumsum([len(d) for d in table.dimensions])])
    parents, pointers, children, depths = [], [np.zeros(1, np.int64)], [], []
    for dimension in table.dimensions:
        parent, depth = _first_parents(dimension.parents, len(dimension))
        order = np.argsort(parent, kind="stable").astype(np.int32)
        count = np.bincount(parent[parent >= 0], minlength=len(dimension))
        pointers.append(pointers[-1][-1] + np.cumsum(count))
        children.append(order[np.count_nonzero(parent < 0) :])
        parents.append(parent)
        depths.append(depth)
    trees = (
        offsets.astype(np.int64),
        np.concatenate(parents).astype(np.int32),
        np.concatenate(pointers).astype(np.int64),
        np.concatenate(children).astype(np.int32),
    )
    return Geometry(
        codes=np.ascontiguousarray(table.cells.codes[:, origin]),
        keys=table.keys[origin],
        strides=np.array(strides, dtype=np.int64),
        trees=trees,
        depths=tuple(depths),
        families=_families(table.dimensions),
        complete=table.compiled is None and table.equations is None,
    )


def _families(dimensions: Sequence[Dimension]) -> Families:
    """List every total with its parts once, also where several hierarchies have it."""
    found = dict.fromkeys(
        (d, (int(total), *np.flatnonzero(tree == total).tolist()))
        for d, dimension in enumerate(dimensions)
        for tree in dimension.parents
        for total in np.unique(tree[tree >= 0])
    )
    sizes = [len(codes) for _, codes in found]
    return Families(
        dimension=np.array([d for d, _ in found], dtype=np.int32),
        pointers=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        codes=np.array([c for _, codes in found for c in codes], dtype=np.int32),
    )


def _first_parents(
    trees: tuple[NDArray[np.int32], ...], codes: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Parent of each code in the first tree that has one, and the depth below roots."""
    parent = np.full(codes, -1, dtype=np.int32)
    for tree in trees:
        parent = np.where(parent < 0, tree, parent).astype(np.int32)
    depth = np.zeros(codes, dtype=np.int32)
    above = parent.copy()
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parent[above], -1).astype(np.int32)
    return parent, depth
