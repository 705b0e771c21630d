# SPDX-License-Identifier: Apache-2.0
"""Steps that make an attacker's system smaller and leave its solutions as they are.

A step is a pair of arrays over the unknowns: the new number of each (-1 if it is
zero in every solution) and the factor that gives the old one from the new one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Step = tuple[NDArray[np.int64], NDArray[np.int64]]

__all__ = ["clean", "parallel", "pinched", "projection", "ties"]

_LARGEST_TERM = 1 << 10  # of a ratio between cells that move together


def _before(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.cumsum(counts) - counts


def projection(to: NDArray[np.int64], factor: NDArray[np.int64]) -> csr_array:
    """Write old unknowns (rows) in terms of new ones (columns)."""
    from scipy.sparse import csr_array as make  # noqa: PLC0415

    free = np.flatnonzero(to >= 0)
    size = int(to.max(initial=-1)) + 1
    return make((factor[free], (free, to[free])), shape=(len(to), size))


def clean(matrix: csr_array) -> csr_array:
    """Sort, drop zeros and empty rows, shorten rows, keep one of each repeated row."""
    matrix = matrix.tocsr()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    matrix = matrix[np.flatnonzero(np.diff(matrix.indptr))]
    matrix.sort_indices()
    if not matrix.shape[0]:
        return matrix
    starts = matrix.indptr[:-1]
    scale = np.gcd.reduceat(matrix.data, starts) * np.sign(matrix.data[starts])
    matrix.data = matrix.data // np.repeat(scale, np.diff(matrix.indptr))
    return matrix[_distinct_rows(matrix)]


def _distinct_rows(matrix: csr_array) -> NDArray[np.int64]:
    """Rows without their repetitions: grouped by a hash, compared entry by entry."""
    lengths = np.diff(matrix.indptr).astype(np.int64)
    noise = np.random.default_rng(0).integers(1, 2**62, matrix.shape[1])
    with np.errstate(over="ignore"):
        hashes = np.add.reduceat(
            noise[matrix.indices] * matrix.data, matrix.indptr[:-1]
        )
    order = np.lexsort((hashes, lengths))
    same = np.zeros(len(order), dtype=bool)
    same[1:] = (np.diff(hashes[order]) == 0) & (np.diff(lengths[order]) == 0)
    leader = order[np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))]
    row, twin = order[same], leader[same]
    counts = lengths[row]
    offset = np.arange(counts.sum()) - np.repeat(_before(counts), counts)
    one = np.repeat(matrix.indptr[row], counts) + offset
    two = np.repeat(matrix.indptr[twin], counts) + offset
    differs = (matrix.indices[one] != matrix.indices[two]) | (
        matrix.data[one] != matrix.data[two]
    )
    equal = np.ones(len(row), dtype=bool)
    equal[np.repeat(np.arange(len(row)), counts)[differs]] = False
    keep = np.ones(matrix.shape[0], dtype=bool)
    keep[row[equal]] = False
    return np.flatnonzero(keep)


def ties(matrix: csr_array) -> Step | None:
    """Fix unknowns alone in a row, merge those that a row of two entries ties.

    Two copies of each unknown, one for each sign, make "x = y" and "x = -y" plain
    edges; an unknown connected with its own negative is zero.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    n = matrix.shape[1]
    lengths = np.diff(matrix.indptr)
    fixed = matrix.indices[matrix.indptr[:-1][lengths == 1]].astype(np.int64)
    at = matrix.indptr[:-1][lengths == 2]  # noqa: PLR2004 - pairs
    at = at[abs(matrix.data[at]) == abs(matrix.data[at + 1])]
    if not len(fixed) and not len(at):
        return None
    x, y = matrix.indices[at].astype(np.int64), matrix.indices[at + 1].astype(np.int64)
    shift = np.where(matrix.data[at] == matrix.data[at + 1], n, 0)
    tail = np.concatenate([x, x + n, fixed])
    tip = np.concatenate([y + shift, y + n - shift, fixed + n])
    edges = coo_array((np.ones(len(tail)), (tail, tip)), shape=(2 * n, 2 * n))
    _, label = connected_components(edges, directed=False)
    plus, minus = label[:n], label[n:]
    to = np.full(n, -1, dtype=np.int64)
    free = plus != minus
    to[free] = np.unique(np.minimum(plus, minus)[free], return_inverse=True)[1]
    return to, np.where(plus <= minus, 1, -1).astype(np.int64)


def pinched(
    matrix: csr_array, lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> Step | None:
    """Fix unknowns that cannot move: bounds of 0, or a row with room on one side only.

    A row whose terms can all only fall (or all only rise) adds up to 0 with zeros
    alone. This needs signs of bounds, no arithmetic, so nothing is rounded.
    """
    stuck = (lower == 0) & (upper == 0)
    if matrix.shape[0]:
        c, j = matrix.data, matrix.indices
        rises = np.where(c > 0, upper[j] > 0, lower[j] < 0)
        falls = np.where(c > 0, lower[j] < 0, upper[j] > 0)
        no_rise = ~np.logical_or.reduceat(rises, matrix.indptr[:-1])
        no_fall = ~np.logical_or.reduceat(falls, matrix.indptr[:-1])
        rows = np.repeat(no_rise | no_fall, np.diff(matrix.indptr))
        stuck[j[rows]] = True
    if not stuck.any():
        return None
    to = np.where(stuck, -1, np.cumsum(~stuck) - 1)
    return to, np.ones(len(to), dtype=np.int64)


def parallel(matrix: csr_array) -> Step | None:
    """Merge unknowns that keep one ratio in every solution, fix those always zero.

    Three random null vectors modulo a prime tell: unknowns whose entries have equal
    ratios move together (but for a chance of about the square of the prime). Only
    ratios of small integers are merged; the others stay apart, which loses nothing.
    """
    from tacit.audit._elimination import PRIMES, echelon, null_vectors  # noqa: PLC0415

    n, prime = matrix.shape[1], PRIMES[0]
    if not n:
        return None
    form = echelon(matrix.indptr, matrix.indices, matrix.data, columns=n, prime=prime)
    x, y, w = null_vectors(form, columns=n, number=3, prime=prime, seed=1)
    moving = np.flatnonzero((x != 0) & (y != 0) & (w != 0))
    over = _power(x[moving], prime - 2, prime)
    keys = np.stack([y[moving] * over % prime, w[moving] * over % prime])
    _, first, name = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    zero = ~((x != 0) | (y != 0) | (w != 0))
    if len(first) == len(moving) and not zero.any():
        return None
    ratio = x[moving] * _power(x[moving[first]], prime - 2, prime)[name] % prime
    return _numbered(zero, moving, name.ravel(), ratio, prime)


def _power(base: NDArray[np.int64], exponent: int, prime: int) -> NDArray[np.int64]:
    result = np.ones_like(base)
    while exponent:
        if exponent & 1:
            result = result * base % prime
        base = base * base % prime
        exponent >>= 1
    return result


def _numbered(
    zero: NDArray[np.bool_],
    moving: NDArray[np.int64],
    name: NDArray[np.int64],
    ratio: NDArray[np.int64],
    prime: int,
) -> Step | None:
    """Number the classes; an unknown whose ratio is not small keeps to itself."""
    above, below = _fractions(ratio, prime)
    small = below > 0
    common = np.ones(int(name.max(initial=-1)) + 1, dtype=np.int64)
    np.lcm.at(common, name[small], below[small])
    small &= common[name] <= _LARGEST_TERM
    key = -1 - np.arange(len(zero), dtype=np.int64)
    key[moving[small]] = name[small]
    factor = np.ones(len(zero), dtype=np.int64)
    times = common[name] // np.maximum(below, 1) * above
    factor[moving[small]] = times[small]
    to = np.full(len(zero), -1, dtype=np.int64)
    to[~zero] = np.unique(key[~zero], return_inverse=True)[1]
    if to.max(initial=-1) + 1 == len(zero):
        return None
    return to, factor


def _fractions(
    ratio: NDArray[np.int64], prime: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read residues as fractions of small terms; below is 0 where there is none."""
    residues, back = np.unique(ratio, return_inverse=True)
    above, below = np.zeros(len(residues), np.int64), np.zeros(len(residues), np.int64)
    for k, residue in enumerate(residues.tolist()):
        r0, r1, t0, t1 = prime, residue, 0, 1
        while r1 > _LARGEST_TERM:
            r0, r1, t0, t1 = r1, r0 % r1, t1, t0 - r0 // r1 * t1
        if 0 < abs(t1) <= _LARGEST_TERM:
            above[k], below[k] = (r1, t1) if t1 > 0 else (-r1, -t1)
    return above[back], below[back]
