# SPDX-License-Identifier: Apache-2.0
"""The cheapest pattern of a small table, by one plain program in whole numbers.

For each need there is one more table of its own, in which only withheld cells may
differ. Nothing of the package is used but the table and the levels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import block_array, csr_array, diags_array, eye_array

import tacit
from tacit import Hierarchy, Table
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit import Assessment

__all__ = ["cheapest_cost", "deep", "flat", "small_assessments"]


def cheapest_cost(found: Assessment, cost: NDArray[np.float64]) -> float:
    """Least cost of cells withheld beside the sensitive ones; outsiders only.

    Values are whole and not below 0, levels are on both sides; empty cells are known.
    """
    table = found.table
    value = table.cells.value.astype(float)
    n, matrix = len(value), csr_array(table.relations.matrix, dtype=float)
    most = 2 * float(value.max() + found.upl.max())
    needs = [
        (cell, sign, np.ceil(level[cell]))
        for cell in np.flatnonzero(found.sensitive).tolist()
        for sign, level in ((1, found.upl), (-1, found.lpl))
        if level[cell] > 0
    ]
    rows: list[Any] = []
    low, high = np.zeros(n), np.ones(n)
    low[found.sensitive] = 1.0
    high[found.state == State.EMPTY] = 0.0
    lower, upper = [low], [high]
    for k, (cell, sign, need) in enumerate(needs):
        here = [None] * k, [None] * (len(needs) - k - 1)
        rows += [
            [csr_array(matrix.shape), *here[0], matrix, *here[1]],
            [diags_array(np.full(n, most)), *here[0], -eye_array(n), *here[1]],
            [diags_array(value), *here[0], eye_array(n), *here[1]],
        ]
        down, up = -value, np.full(n, most)
        if sign > 0:
            down[cell] = need
        else:
            up[cell] = -min(need, value[cell])
        lower.append(down)
        upper.append(up)
    if not needs:
        return 0.0
    system = block_array(rows)
    ends = np.tile(np.repeat([0.0, np.inf], [matrix.shape[0], 2 * n]), len(needs))
    price = np.where(found.sensitive, 0.0, cost)
    answer = milp(
        np.concatenate([price, np.zeros(n * len(needs))]),
        integrality=np.concatenate([np.ones(n), np.zeros(n * len(needs))]),
        bounds=Bounds(np.concatenate(lower), np.concatenate(upper)),
        constraints=LinearConstraint(system.tocsc(), np.zeros(len(ends)), ends),
        # Its presolve has called 8 the optimum where 7 was feasible.
        options={"mip_rel_gap": 1e-9, "presolve": False},
    )
    assert answer.status == 0, answer.message
    return float(answer.fun)


def flat(letter: str, many: int) -> Hierarchy:
    """Some codes under a total."""
    return Hierarchy.flat([f"{letter}{i}" for i in range(many)], total=f"{letter}T")


def deep(letter: str) -> Hierarchy:
    """Two groups, of two and of three."""
    home = {f"{letter}{i}": f"{letter}{'xxyyy'[i]}" for i in range(5)}
    return Hierarchy.from_parents(
        {**home, **dict.fromkeys(home.values(), f"{letter}T")}, total=f"{letter}T"
    )


@st.composite
def small_assessments(
    draw: st.DrawFn, *shapes: Sequence[Hierarchy], most: int = 4
) -> Assessment:
    """Finished tables over some trees, with a few sensitive cells."""
    trees = draw(st.sampled_from(shapes))
    leaves = [[c for c in tree.codes if c in tree.leaf_codes] for tree in trees]
    size = int(np.prod([len(codes) for codes in leaves]))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    value = random.integers(1, 60, size) * (random.random(size) > 0.1)
    filled = np.flatnonzero(value)
    count = min(draw(st.integers(1, most)), len(filled))
    chosen = random.choice(filled, count, replace=False) if len(filled) else []
    need = np.zeros(size, dtype=np.int64)
    need[chosen] = random.integers(1, 12, count)
    places = np.unravel_index(np.arange(size), [len(codes) for codes in leaves])
    frame: dict[str, Any] = {
        f"d{d}": [codes[i] for i in place]
        for d, (codes, place) in enumerate(zip(leaves, places, strict=True))
    }
    frame |= {
        "v": value.tolist(),
        "s": np.where(need > 0, "sensitive", "safe").tolist(),
        "up": need.tolist(),
        "low": np.minimum(need, value).tolist(),
    }
    by = {f"d{d}": tree for d, tree in enumerate(trees)}
    table = Table.from_cells(
        frame, by=by, value="v", state="s", upper="up", lower="low", decimals=0
    )
    return tacit.assess(table)
