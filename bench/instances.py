# SPDX-License-Identifier: Apache-2.0
"""Synthetic tables with seeds, for benchmarks of suppression and audit.

A table is the full product of its code trees, totals included. Leaf cells get
contributors (skewed lognormal values; margin effects that make some cells empty and
others dominated); totals, counts and the two largest contributions are exact, and the
p% rule says what is sensitive. Values are int64; empty cells are structural zeros.

    inst = make("h3-20k", seed=1)          # a named size
    inst = build([[20], [20]], seed=1)     # one branching list per dimension
    M = inst.relations()                   # -1 at the parent, +1 at its children
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

# Branching per dimension, from the root on: 1 + b1 + b1 * b2 + ... codes.
NAMED = {
    "f2-20": [[20], [20]],
    "f2-50": [[50], [50]],
    "f2-100": [[100], [100]],
    "f2-200": [[200], [200]],
    "h2-1k": [[4, 6], [5, 5]],
    "h2-5k": [[6, 9], [8, 8]],
    "h2-20k": [[5, 5, 5], [7, 16]],
    "h2-100k": [[5, 5, 10], [6, 6, 8]],  # 250 x 288 leaves -> 281 x 331 codes
    "n2-14k": [[5, 5, 5], [90]],  # one hierarchy by a flat dimension
    "n2-100k": [[6, 6, 8], [290]],
    "h3-1k": [[2, 4], [3, 3], [6]],
    "h3-5k": [[3, 5], [4, 5], [10]],
    "h3-20k": [[4, 7], [5, 6], [3, 5]],
    "h3-100k": [[5, 9], [6, 8], [4, 8]],
    "h3-500k": [[6, 3, 4], [8, 11], [5, 10]],
    "h3-1m": [[6, 4, 4], [8, 3, 4], [6, 10]],
    "f3-1k": [[9], [9], [9]],
    "f3-8k": [[19], [19], [19]],
    "h4-100k": [[4, 4], [4, 4], [3, 4], [11]],
}


def tree(branching):
    """parent array in breadth-first order; code 0 is the root (parent -1)."""
    par, level = [-1], [0]
    for b in branching:
        nxt = []
        for p in level:
            for _ in range(b):
                par.append(p)
                nxt.append(len(par) - 1)
        level = nxt
    return np.asarray(par, dtype=np.int32)


@dataclass
class Instance:
    parents: list  # one parent array per dimension
    shape: tuple
    a: np.ndarray  # cell values, flattened in C order
    n: np.ndarray  # contributors
    x1: np.ndarray
    x2: np.ndarray
    prim: np.ndarray  # bool
    lpl: np.ndarray
    upl: np.ndarray
    lb: np.ndarray  # attacker a-priori bounds
    ub: np.ndarray
    w: np.ndarray  # suppression cost
    name: str = ""
    records: tuple | None = None  # leaf cell and amount of each contribution

    @property
    def ncell(self):
        return self.a.size

    def relations(self):
        idx = np.arange(self.ncell, dtype=np.int64).reshape(self.shape)
        R, C, V, r0 = [], [], [], 0
        for d, par in enumerate(self.parents):
            mv = np.moveaxis(idx, d, 0).reshape(self.shape[d], -1)
            heads = np.unique(par[par >= 0])
            for h in heads:
                kids = np.flatnonzero(par == h)
                m = mv.shape[1]
                rows = r0 + np.arange(m)
                R += [rows, np.tile(rows, len(kids))]
                C += [mv[h], mv[kids].ravel()]
                V += [np.full(m, -1, np.int8), np.ones(m * len(kids), np.int8)]
                r0 += m
        M = sp.csr_matrix(
            (np.concatenate(V), (np.concatenate(R), np.concatenate(C))),
            shape=(r0, self.ncell),
        )
        M.sort_indices()
        return M

    def leaf_mask(self):
        out = np.ones(self.shape, bool)
        for d, par in enumerate(self.parents):
            leaf = np.ones(len(par), bool)
            leaf[par[par >= 0]] = False
            sh = [1] * len(self.shape)
            sh[d] = -1
            out &= leaf.reshape(sh)
        return out.ravel()


def build(
    branchings,
    seed=1,
    p=12.0,
    mean=16.0,
    spread=0.75,
    sigma=1.0,
    pzero=0.3,
    bounds="free",
    cost="value",
    name="",
):
    """Build one instance.

    mean: average contributors per leaf cell. pzero: share of empty leaf cells. spread:
    standard deviation of the log margin effects, which make tables sparse and skewed.
    bounds: free (0 to infinity), double (0 to 2a) or half (0.5a to 1.5a). cost: value,
    log or unit.
    """
    rng = np.random.default_rng(seed)
    parents = [tree(b) for b in branchings]
    shape = tuple(len(p_) for p_ in parents)
    leaves = []
    for par in parents:
        m = np.ones(len(par), bool)
        m[par[par >= 0]] = False
        leaves.append(np.flatnonzero(m))
    lshape = tuple(len(l) for l in leaves)
    lam = np.ones(lshape)
    for d, l in enumerate(leaves):
        e = np.exp(rng.normal(0, spread, len(l)))
        sh = [1] * len(lshape)
        sh[d] = -1
        lam = lam * (e / e.mean()).reshape(sh)
    lam *= np.exp(rng.normal(0, 0.5, lshape))
    lam *= mean / lam.mean()
    lam *= rng.random(lshape) >= pzero
    cnt = rng.poisson(np.minimum(lam, 200)).ravel()
    tot = int(cnt.sum())
    cell = np.repeat(np.arange(cnt.size), cnt)
    val = np.maximum(1, np.rint(np.exp(rng.normal(4.0, sigma, tot)))).astype(np.int64)
    o = np.lexsort((-val, cell))
    val = val[o]
    a0 = np.zeros(cnt.size, np.int64)
    np.add.at(a0, cell, val)
    start = np.concatenate([[0], np.cumsum(cnt)[:-1]])
    t1 = np.where(cnt > 0, val[np.minimum(start, tot - 1)], 0)
    t2 = np.where(cnt > 1, val[np.minimum(start + 1, tot - 1)], 0)
    ix = np.ix_(*leaves)
    A, N, X1, X2 = (np.zeros(shape, np.int64) for _ in range(4))
    for T, s in ((A, a0), (N, cnt), (X1, t1), (X2, t2)):
        T[ix] = np.asarray(s).reshape(lshape)
    for d, par in enumerate(parents):
        mA, mN, m1, m2 = (np.moveaxis(T, d, 0) for T in (A, N, X1, X2))
        for c in range(len(par) - 1, 0, -1):
            h = par[c]
            mA[h] += mA[c]
            mN[h] += mN[c]
            hi, lo = np.maximum(m1[h], m1[c]), np.minimum(m1[h], m1[c])
            m2[h] = np.maximum(lo, np.maximum(m2[h], m2[c]))
            m1[h] = hi
    a, n, x1, x2 = A.ravel(), N.ravel(), X1.ravel(), X2.ravel()
    need = p / 100.0 * x1 - (a - x1 - x2)
    prim = (a > 0) & (need > 0)
    upl = np.where(prim, np.maximum(1, np.ceil(need)), 0).astype(np.int64)
    lpl = np.minimum(upl, a)
    if bounds == "free":
        lb, ub = np.zeros(a.size), np.full(a.size, np.inf)
    elif bounds == "double":
        lb, ub = np.zeros(a.size), 2.0 * a
    else:
        lb, ub = np.floor(0.5 * a), np.ceil(1.5 * a)
    lb, ub = np.minimum(lb, a), np.maximum(ub, a)
    w = {"value": a.astype(float), "log": np.log1p(a), "unit": np.ones(a.size)}[cost]
    inner = np.arange(a.size).reshape(shape)[ix].ravel()
    return Instance(
        parents, shape, a, n, x1, x2, prim, lpl, upl, lb, ub, w, name,
        (inner[cell], val),
    )  # fmt: skip


def make(name, seed=1, **kw):
    return build(NAMED[name], seed=seed, name=name, **kw)


if __name__ == "__main__":
    import time

    for nm in NAMED:
        t = time.process_time()
        I = make(nm)
        t1 = time.process_time()
        M = I.relations()
        nz = int((I.a > 0).sum())
        assert not (M @ I.a).any()
        leaf = I.prim[I.leaf_mask()].sum() / max(1, I.prim.sum())
        print(
            f"{nm:8s} cells {I.ncell:8d} shape {I.shape} nonzero {nz:8d} "
            f"sensitive {int(I.prim.sum()):7d} ({I.prim.sum() / nz:.1%} of nonzero, "
            f"leaf share {leaf:.2f}) rows {M.shape[0]} nnz {M.nnz} max {I.a.max()} "
            f"gen {t1 - t:.1f}s rel {time.process_time() - t1:.1f}s"
        )
