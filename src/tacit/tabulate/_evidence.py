# SPDX-License-Identifier: Apache-2.0
"""From the columns of the cube to what the rules ask about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.table import Cells, Contributions, Evidence, State
from tacit.tabulate._cube import Cube, build_cube
from tacit.tabulate._reduce import WHOLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from tacit.table import Dimension
    from tacit.tabulate._members import Members
    from tacit.tabulate._plan import Plan
    from tacit.tabulate._spec import Spec

__all__ = ["cells_of", "contributions_of", "evidence_of", "virtual_units"]


def cells_of(cube: Cube, decimals: int) -> Cells:
    """Give the cells, all safe until rules say otherwise."""
    cost = cube.columns.get("cost")
    return Cells(
        codes=cube.codes,
        value=cube.columns["v"],
        decimals=decimals,
        state=np.full(len(cube), State.SAFE, dtype=np.uint8),
        cost=None if cost is None else cost / WHOLE,
    )


def contributions_of(members: Members, cube: Cube) -> Contributions:
    """Give who contributed what to which leaf cell."""
    rows = members.rows
    weighted = None
    if rows.weighted is not None and rows.rest is not None:
        weighted = rows.weighted + rows.rest / WHOLE
    return Contributions(
        leaf=cube.leaf[members.leaf],
        unit=members.unit,
        value=rows.value,
        holding=rows.holding,
        records=rows.records,
        weighted=weighted,
        weight=None if rows.weight is None else rows.weight / WHOLE,
        size=rows.size,
        waived=rows.waived,
        request=rows.request,
        key=rows.key,
    )


def evidence_of(cube: Cube, plan: Plan, spec: Spec) -> Evidence:
    """Give the evidence; columns that need no counting of their own are shared."""
    columns = cube.columns
    contributors = columns["n"]
    units = columns.get("units")
    requested = None
    if "request1" in plan.most:
        requested = np.stack([columns["request1"], columns["request2"]], axis=1)
    evidence = Evidence(
        contributors=contributors,
        total=columns.get("absolute", columns["v"]),
        largest=cube.amounts[:, : spec.top],
        entities=cube.entities[:, : spec.top],
        units=units,
        records=columns.get("records", contributors),
        nonzero=columns.get("nonzero", contributors),
        unwaived=columns.get("unwaived"),
        requested=requested,
        keys=columns.get("keys"),
        keys_nonzero=columns.get("keys_nonzero", columns.get("keys")),
    )
    if not plan.weighted:
        return evidence
    return replace(
        evidence,
        total=columns["whole"] + columns["rest"] / WHOLE,
        sum_of_weights=columns["weight"] / WHOLE,
        largest_unweighted=columns.get("observed", cube.amounts[:, 0]).astype(np.int64),
    )


def virtual_units(
    evidence: Evidence, cube: Cube, weight: NDArray[np.int64], top: int
) -> Evidence | None:
    """Let each contribution occur as often as its weight says, the last one in part.

    None if the contributions in the cube do not fill the ``top`` virtual units of some
    cell, as happens with weights below 1.
    """
    held = cube.entities >= 0
    shares = np.where(held, weight[cube.entities], 0)
    upto = np.cumsum(shares, axis=1)
    short = (upto[:, -1] < top * WHOLE) & (evidence.contributors > held.sum(axis=1))
    if short.any():
        return None
    largest = np.empty((len(cube), top))
    entities = np.empty((len(cube), top), dtype=np.int64)
    rows = np.arange(len(cube))
    for j in range(top):
        inside = np.minimum(upto, (j + 1) * WHOLE) - np.maximum(
            upto - shares, j * WHOLE
        )
        inside = np.maximum(inside, 0)
        largest[:, j] = (inside * (cube.amounts / WHOLE)).sum(axis=1)
        most = inside.argmax(axis=1)
        entities[:, j] = np.where(inside[rows, most] > 0, cube.entities[rows, most], -1)
    return replace(evidence, largest=largest, entities=entities)


def cube_with_evidence(
    members: Members,
    plan: Plan,
    *,
    spec: Spec,
    dimensions: Sequence[Dimension],
    progress: Callable[[str, int, int], None],
) -> tuple[Cube, Evidence]:
    """Build the cube, deeper where small weights ask for it."""
    while True:
        cube = build_cube(members, plan, dimensions=dimensions, progress=progress)
        evidence = evidence_of(cube, plan, spec)
        if not plan.weighted or spec.weights != "partial":
            return cube, evidence
        virtual = virtual_units(evidence, cube, _weights_of(members), spec.top)
        if virtual is not None:
            return cube, virtual
        plan = replace(plan, depth=4 * plan.depth)


def _weights_of(members: Members) -> NDArray[np.int64]:
    """Weight of each entity, in millionths."""
    weight = np.zeros(members.entities, dtype=np.int64)
    if members.rows.weight is not None:
        weight[members.entity] = members.rows.weight
    return weight
