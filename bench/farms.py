# SPDX-License-Identifier: Apache-2.0
"""Generated farm tables in the shape of a European survey: sparse, over hierarchies.

287 regions in three levels (the whole, 27 countries, 259 regions), 23 types of farm in
two levels, 10 classes of size and 12 of age, totals included. Farms gather in regions
that specialise, so most combinations are empty and many are filled by a few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import tacit

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 20261119
COUNTRIES, REGIONS, GROUPS, TYPES, CLASSES, AGES = 27, 259, 8, 14, 9, 11
# Farms, and the dimensions beside the region.
SHAPES = {
    "farm3": (60_000, ("size", "age")),
    "farm4": (250_000, ("type", "size", "age")),
}


def table(name: str) -> tacit.Table:
    """Tabulate the generated farms of one shape."""
    farms, more = SHAPES[name]
    rng = np.random.default_rng(SEED)
    region = rng.choice(REGIONS, size=farms, p=shares(rng, REGIONS, 0.6))
    by, columns = {"region": regions()}, {"region": names("R", 3)[region]}
    scale = np.exp(rng.normal(2.0, 1.4, size=farms))
    for dimension in more:
        leaves, tree = TREES[dimension]()
        # Every region prefers a few codes of its own.
        liking = rng.gamma(0.25, size=(REGIONS, leaves)) + 1e-4
        liking *= shares(rng, leaves, 1.5)
        edges = np.cumsum(liking / liking.sum(axis=1, keepdims=True), axis=1)
        drawn = (rng.random(farms)[:, None] > edges[region]).sum(axis=1)
        columns[dimension] = names(dimension[0].upper(), 2)[drawn.clip(0, leaves - 1)]
        by[dimension] = tree
    columns |= {
        "farm": np.arange(farms),
        "area": np.maximum(1, np.rint(scale * 10)).astype(np.int64),
    }
    return tacit.tabulate(columns, by=by, value="area", unit="farm")


def shares(rng: np.random.Generator, many: int, skew: float) -> NDArray[np.float64]:
    """Draw shares that add up to 1."""
    drawn = rng.gamma(skew, size=many) + 1e-3
    return drawn / drawn.sum()


def names(letter: str, width: int) -> NDArray[np.object_]:
    """Codes of leaves: a letter and a number."""
    found: NDArray[np.object_] = np.array(
        [f"{letter}{i:0{width}}" for i in range(10**width)], dtype=object
    )
    return found


def regions() -> tacit.Hierarchy:
    """The whole, countries, regions: 287 codes."""
    home = {f"R{i:03}": f"C{i * COUNTRIES // REGIONS:02}" for i in range(REGIONS)}
    return tacit.Hierarchy.from_parents(
        {**home, **dict.fromkeys(home.values(), "EU")}, total="EU"
    )


def types() -> tuple[int, tacit.Hierarchy]:
    """Types of farm in groups: 23 codes."""
    home = {f"T{i:02}": f"G{i * GROUPS // TYPES}" for i in range(TYPES)}
    tree = tacit.Hierarchy.from_parents(
        {**home, **dict.fromkeys(home.values(), "all")}, total="all"
    )
    return TYPES, tree


def classes(letter: str, many: int) -> tuple[int, tacit.Hierarchy]:
    """Code of a flat dimension."""
    leaves = [f"{letter}{i:02}" for i in range(many)]
    return many, tacit.Hierarchy.flat(leaves, total="all")


TREES = {
    "type": types,
    "size": lambda: classes("S", CLASSES),
    "age": lambda: classes("A", AGES),
}
