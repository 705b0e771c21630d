# SPDX-License-Identifier: Apache-2.0
"""Small tables with margins, and slow plain ways to attack them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array, kron

from tacit.audit import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "enumerated",
    "margins",
    "plain_interval",
    "problems",
    "rational_rank_test",
    "with_totals",
]


def margins(*sizes: int) -> csr_array:
    """Relations of a table whose every dimension is a total, then its parts."""
    blocks = []
    for d, size in enumerate(sizes):
        block = csr_array(np.array([[-1] + [1] * size]))
        for before in sizes[:d][::-1]:
            block = csr_array(kron(np.eye(before + 1, dtype=int), block.toarray()))
        for after in sizes[d + 1 :]:
            block = csr_array(kron(block.toarray(), np.eye(after + 1, dtype=int)))
        blocks.append(block.toarray())
    return csr_array(np.vstack(blocks))


def with_totals(inner: NDArray[np.int64]) -> NDArray[np.int64]:
    """Put each total before its parts, along every axis; as one row of cells."""
    inner = np.asarray(inner)
    for axis in range(inner.ndim):
        total = inner.sum(axis=axis, keepdims=True)
        inner = np.concatenate([total, inner], axis=axis)
    return inner.ravel().astype(np.int64)


def plain_interval(problem: Problem, cell: int) -> tuple[float, float]:
    """Lowest and highest value of one cell by two plain scipy programs."""
    hidden = np.flatnonzero(problem.hidden)
    matrix = problem.matrix[:, hidden].toarray()
    cost = (hidden == cell).astype(float)
    ends = []
    for sign in (1, -1):
        found = linprog(
            sign * cost,
            A_eq=matrix,
            b_eq=problem.right_hand_side(),
            bounds=list(zip(problem.lower[hidden], problem.upper[hidden], strict=True)),
        )
        ends.append(sign * found.fun if found.status == 0 else -sign * np.inf)
    return ends[0], ends[1]


def rational_rank_test(problem: Problem) -> NDArray[np.bool_]:
    """Mark determined cells by elimination in fractions: unit rows of the echelon."""
    hidden = np.flatnonzero(problem.hidden)
    rows = [
        [Fraction(int(v)) for v in row] for row in problem.matrix[:, hidden].toarray()
    ]
    rank = 0
    for column in range(len(hidden)):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        rows[rank] = [v / rows[rank][column] for v in rows[rank]]
        for r, row in enumerate(rows):
            if r != rank and row[column]:
                f = row[column]
                rows[r] = [a - f * b for a, b in zip(row, rows[rank], strict=True)]
        rank += 1
    known = np.zeros(len(problem), dtype=bool)
    for row in rows[:rank]:
        support = [k for k, v in enumerate(row) if v]
        if len(support) == 1:
            known[hidden[support[0]]] = True
    return known


def enumerated(problem: Problem, cell: int) -> tuple[int, int]:
    """Lowest and highest value of one cell over all whole-number tables."""
    hidden = np.flatnonzero(problem.hidden)
    matrix, right = problem.matrix[:, hidden].toarray(), problem.right_hand_side()
    spans = [
        range(int(problem.lower[c]), int(problem.upper[c]) + 1) for c in hidden.tolist()
    ]
    at = int(np.flatnonzero(hidden == cell)[0])
    values = [x[at] for x in product(*spans) if (matrix @ np.array(x) == right).all()]
    return min(values), max(values)


@st.composite
def problems(draw: st.DrawFn, *, most: int = 6, integral: bool = False) -> Problem:
    """Small tables of two or three dimensions with random hidden cells."""
    sizes = draw(st.sampled_from([(2, 2), (3, 2), (3, 3), (2, 2, 2), (3, 2, 2)]))
    inner = draw(
        st.lists(
            st.integers(0, most),
            min_size=int(np.prod(sizes)),
            max_size=int(np.prod(sizes)),
        )
    )
    value = with_totals(np.array(inner).reshape(sizes))
    hidden = np.array(
        draw(st.lists(st.booleans(), min_size=len(value), max_size=len(value)))
    )
    return Problem.of(margins(*sizes), hidden, value=value, integral=integral)
