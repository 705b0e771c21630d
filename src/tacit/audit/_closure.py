# SPDX-License-Identifier: Apache-2.0
# Compiled kernels: numba infers the types of their many plain arguments.
# ruff: noqa: ANN001, ANN202, C901
# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type"
"""What follows exactly from knowing some unknowns more; modulo a prime."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from tacit.audit._elimination import PRIMES
from tacit.audit._exact import null_space_sample

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tacit.audit._system import System

__all__ = ["closures"]

_SPARE = 2  # null vectors left over: 2 for a chance of prime ** -2


@njit(cache=True)
def _inverse(a, prime):
    result, power, base = 1, prime - 2, a % prime
    while power > 0:
        if power & 1:
            result = result * base % prime
        base = base * base % prime
        power >>= 1
    return result


@njit(cache=True)
def _silenced(vectors, columns, prime):
    """Combine rows so that they are 0 at some columns; what else becomes 0."""
    rows, width = vectors.shape
    free = np.ones(rows, np.bool_)
    for c in columns:
        pivot = -1
        for r in range(rows):
            if free[r] and vectors[r, c] != 0:
                pivot = r
                break
        if pivot < 0:
            continue
        free[pivot] = False
        scale = _inverse(vectors[pivot, c], prime)
        for r in range(rows):
            if free[r] and vectors[r, c] != 0:
                factor = prime - vectors[r, c] * scale % prime
                for j in range(width):
                    vectors[r, j] = (vectors[r, j] + factor * vectors[pivot, j]) % prime
    silent = np.ones(width, np.bool_)
    for r in range(rows):
        if free[r]:
            for j in range(width):
                if vectors[r, j] != 0:
                    silent[j] = False
    return silent


def closures(
    system: System, known: Iterable[NDArray[np.int64]]
) -> list[NDArray[np.int64]]:
    """Unknowns that follow exactly from each set of known ones, these included.

    Random null vectors are combined until they vanish on what is known; whatever
    vanishes with them is determined. As many vectors as known unknowns, and two more.
    """
    known = list(known)
    most = max((len(groups) for groups in known), default=0)
    if not most:
        return [np.zeros(0, dtype=np.int64) for _ in known]
    prime = PRIMES[0]
    sample, _ = null_space_sample(system, most + _SPARE, prime=prime, seed=2)
    order = np.argsort(system.component, kind="stable")
    edges = np.searchsorted(
        system.component[order], np.arange(system.component.max() + 2)
    )
    found = []
    for groups in known:
        parts = np.unique(system.component[groups])
        near = np.concatenate(
            [np.zeros(0, np.int64), *(order[edges[p] : edges[p + 1]] for p in parts)]
        )
        near.sort()
        vectors = np.ascontiguousarray(sample[: len(groups) + _SPARE, near])
        silent = _silenced(vectors, np.searchsorted(near, groups), prime)
        found.append(near[silent])
    return found
