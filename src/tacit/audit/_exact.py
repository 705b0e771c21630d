# SPDX-License-Identifier: Apache-2.0
"""Which hidden cells the published ones give away to the last unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._system import reduce

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.audit._problem import Problem
    from tacit.audit._system import System

__all__ = ["exact_disclosure", "null_space_sample"]


def exact_disclosure(problem: Problem) -> NDArray[np.bool_]:
    """Mark the hidden cells that the relations alone determine.

    A cell is determined if and only if it is zero in every vector of the null space
    of the relations over hidden cells. Two random ones, modulo a prime, tell; a
    second prime stands behind the first. Bounds play no part here: what they give
    away shows in the intervals.

    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from tacit.audit import Problem
    >>> rows = csr_array(np.array([[-1, 1, 1]]))
    >>> hidden = np.array([False, True, False])
    >>> exact_disclosure(Problem.of(rows, hidden, value=np.array([9, 4, 5]))).tolist()
    [False, True, False]
    """
    system = reduce(problem, bounds=False, tie=False)
    determined = np.zeros(len(problem), dtype=bool)
    determined[problem.hidden & (system.group < 0)] = True
    free = np.flatnonzero(system.group >= 0)
    determined[free] = _fixed(system)[system.group[free]]
    return determined


def _fixed(system: System) -> NDArray[np.bool_]:
    """Unknowns that are zero throughout the null space, by two primes."""
    from tacit.audit._elimination import PRIMES  # noqa: PLC0415

    ranks, zeros = [], []
    for prime in PRIMES[:2]:
        sample, rank = null_space_sample(system, 2, prime=prime)
        ranks.append(rank)
        zeros.append(~sample.any(axis=0))
    # a prime can only lose rank: the higher one is that of the rationals
    told = [zero for zero, rank in zip(zeros, ranks, strict=True) if rank == max(ranks)]
    agreed: NDArray[np.bool_] = np.logical_and(told[0], told[-1])
    return agreed


def null_space_sample(
    system: System, number: int, *, prime: int, seed: int = 0
) -> tuple[NDArray[np.int64], int]:
    """Random null vectors modulo ``prime``, one per row, and the rank of the system."""
    from tacit.audit._elimination import echelon, null_vectors  # noqa: PLC0415

    matrix = system.matrix
    form = echelon(
        matrix.indptr,
        matrix.indices,
        matrix.data.astype(np.int64),
        columns=len(system),
        prime=prime,
    )
    sample = null_vectors(
        form, columns=len(system), number=number, prime=prime, seed=seed
    )
    return sample, len(form.order)
