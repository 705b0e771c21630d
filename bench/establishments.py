# SPDX-License-Identifier: Apache-2.0
"""Seeded microdata of establishments and their enterprises, over hierarchies.

Skewed amounts: an enterprise effect (lognormal, 3 % of them with a heavy tail) times a
share of each establishment. An enterprise has a home; its further establishments stay
there, stay in the same branch, or go anywhere. The same name gives the same records.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import tacit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

SEED = 20260101

# branching of each dimension, and the number of establishments
SIZES: dict[str, tuple[dict[str, tuple[int, ...]], int]] = {
    "tiny2d": ({"region": (2, 3), "industry": (3, 2)}, 90),
    "flat50": ({"region": (50,), "industry": (50,)}, 8_000),
    "flat50d": ({"region": (50,), "industry": (50,)}, 60_000),
    "hier2d_s": ({"region": (4, 5, 5), "industry": (5, 4, 4)}, 20_000),
    "h3_20k": ({"region": (5, 5), "industry": (6, 4, 4), "size": (4,)}, 25_000),
    "h3_100k": ({"region": (5, 5, 4), "industry": (6, 4, 4), "size": (5,)}, 80_000),
    "hier2d": ({"region": (5, 5, 10), "industry": (6, 4, 4, 3)}, 100_000),
    "h3_600k": (
        {"region": (5, 5, 10), "industry": (6, 4, 4, 3), "size": (4,)},
        250_000,
    ),
}


@dataclass(frozen=True)
class Establishments:
    """Records in columns, and the parent of each code by dimension."""

    columns: dict[str, NDArray[np.generic]]
    parents: dict[str, dict[str, str]]

    @property
    def dimensions(self) -> list[str]:
        """Names of the dimensions."""
        return list(self.parents)

    def table(self, **options: object) -> tacit.Table:
        """Tabulate the amounts, enterprises being the holdings."""
        by = {d: tacit.Hierarchy.from_parents(p) for d, p in self.parents.items()}
        return tacit.tabulate(
            self.columns, by=by, value="value", unit="unit", holding="ent", **options
        )


def make(name: str) -> Establishments:
    """Draw the records of one instance."""
    branching, number = SIZES[name]
    tag = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little")
    rng = np.random.Generator(np.random.PCG64([SEED, tag]))
    parents = {d: codes_of(d[0].upper(), b) for d, b in branching.items()}
    sizes = np.array(list(enterprises(rng, number)))
    ent = np.repeat(np.arange(sizes.size), sizes)
    place = {d: places(rng, d, b, ent) for d, b in branching.items()}
    value = amounts(rng, ent, sizes.size)
    order = np.lexsort(tuple(place[d] for d in reversed(place)))
    columns: dict[str, NDArray[np.generic]] = {}
    for d, at in place.items():
        inner = set(parents[d].values())
        leaves = np.array([code for code in parents[d] if code not in inner])
        columns[d] = leaves[at[order]]
    columns |= {"unit": np.arange(number), "ent": ent[order], "value": value[order]}
    return Establishments(columns, parents)


def codes_of(prefix: str, branching: tuple[int, ...]) -> dict[str, str]:
    """Codes of fixed width per level, depth first, with their parents."""
    widths = [len(str(b - 1)) if b > 10 else 1 for b in branching]
    found: dict[str, str] = {}

    def grow(parent: str, digits: str, depth: int) -> None:
        if depth == len(branching):
            return
        for i in range(branching[depth]):
            child = digits + str(i).zfill(widths[depth])
            found[prefix + child] = parent
            grow(prefix + child, child, depth + 1)

    grow(prefix + "TOT", "", 0)
    return found


def enterprises(rng: np.random.Generator, number: int) -> Iterator[int]:
    """Draw how many establishments each enterprise has: mostly one."""
    total = 0
    while total < number:
        k = 1
        if rng.random() >= 0.82:
            tail = 2 + np.floor(rng.pareto(1.3) * 2)
            k = int(min(tail, 400, max(2, number // 50)))
        k = min(k, number - total)
        yield k
        total += k


def places(
    rng: np.random.Generator, name: str, branching: tuple[int, ...], ent: NDArray
) -> NDArray[np.int64]:
    """Draw the leaf of each establishment in one dimension."""
    leaves = int(np.prod(branching))
    popular = popularity(rng, branching, 0.7 if len(branching) > 1 else 0.8)
    home = rng.choice(leaves, size=ent[-1] + 1, p=popular)
    leaf = home[ent].copy()
    first = np.r_[True, ent[1:] != ent[:-1]]
    u = rng.random(ent.size)
    stay, near = (0.25, 0.65) if name == "region" else (0.6, 0.9)
    anywhere = rng.choice(leaves, size=ent.size, p=popular)
    block = leaves // branching[0]
    nearby = (leaf // block) * block + rng.integers(0, block, size=ent.size)
    if len(branching) == 1:
        nearby = leaf
    return np.where(
        first | (u < stay), leaf, np.where(u < near, nearby, anywhere)
    ).astype(np.int64)


def popularity(
    rng: np.random.Generator, branching: tuple[int, ...], skew: float
) -> NDArray[np.float64]:
    """Leaf probabilities: products of gamma weights down the tree."""
    p = np.ones(1)
    for b in branching:
        w = rng.gamma(skew, size=(p.size, b)) + 1e-3
        p = (p[:, None] * (w / w.sum(axis=1, keepdims=True))).ravel()
    return p / p.sum()


def amounts(rng: np.random.Generator, ent: NDArray, number: int) -> NDArray[np.int64]:
    """Draw whole amounts of at least 1."""
    effect = np.exp(rng.normal(4.0, 1.3, size=number))
    tail = rng.random(number) < 0.03
    effect = np.where(tail, effect * (1 + rng.pareto(1.1, size=number)), effect)
    value = effect[ent] * np.exp(rng.normal(0, 0.8, size=ent.size))
    return np.maximum(1, np.minimum(np.rint(value), 1e9)).astype(np.int64)
