# SPDX-License-Identifier: Apache-2.0
"""What an attacker faces: relations, published cells, hidden cells and their bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

__all__ = ["Problem", "insider_problem"]


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """Relations over all cells, and what the attacker knows of each cell.

    A cell that is not ``hidden`` has exactly its ``published`` value. A hidden cell
    lies within ``lower`` and ``upper`` (infinite where nothing is known; both are
    ignored for other cells). ``value`` holds the true values where the auditor has
    them, and is None for somebody else's table. A rounded cell is a hidden one with
    narrow bounds.
    """

    matrix: csr_array
    hidden: NDArray[np.bool_]
    published: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    value: NDArray[np.int64] | None = None
    integral: bool = False

    def __post_init__(self) -> None:
        cells = self.matrix.shape[1]
        for name in ("hidden", "published", "lower", "upper"):
            if getattr(self, name).shape != (cells,):
                message = (
                    f"The relations are over {cells} cells, but '{name}' has the "
                    f"shape {getattr(self, name).shape}. Give one entry per cell."
                )
                raise InputError(message)
        self._check_truth()

    def _check_truth(self) -> None:
        if self.value is None:
            return
        outside = (self.lower > self.value) | (self.upper < self.value)
        outside &= self.hidden
        if outside.any():
            message = (
                "The attacker's bounds exclude the true value of "
                f"{int(outside.sum())} hidden cell(s), first cell "
                f"{int(np.flatnonzero(outside)[0])}. Nothing could be proved with "
                "them: widen the bounds, or correct the cells."
            )
            raise InputError(message)

    @classmethod
    def of(
        cls,
        matrix: csr_array,
        hidden: NDArray[np.bool_],
        *,
        value: NDArray[np.int64],
        lower: NDArray[np.float64] | float = 0.0,
        upper: NDArray[np.float64] | float = np.inf,
        integral: bool = False,
    ) -> Problem:
        """Build the problem of a table whose true values are at hand.

        >>> import numpy as np
        >>> from scipy.sparse import csr_array
        >>> rows = csr_array(np.array([[-1, 1, 1]]))
        >>> hidden = np.array([False, True, True])
        >>> p = Problem.of(rows, hidden, value=np.array([9, 4, 5]))
        >>> p.published.tolist()
        [9, 0, 0]
        """
        cells = len(hidden)
        return cls(
            matrix=matrix,
            hidden=hidden,
            published=np.where(hidden, 0, value),
            lower=np.broadcast_to(np.asarray(lower, dtype=np.float64), cells),
            upper=np.broadcast_to(np.asarray(upper, dtype=np.float64), cells),
            value=value,
            integral=integral,
        )

    def __len__(self) -> int:
        return len(self.hidden)

    def __repr__(self) -> str:
        hidden = int(self.hidden.sum())
        return f"<Problem: {len(self):,} cells, {hidden:,} hidden, confidential>"

    def right_hand_side(self) -> NDArray[np.int64]:
        """Per relation, what its hidden cells must add up to."""
        shown: NDArray[np.int64] = self.matrix.astype(np.int64) @ self.published
        return -shown


def insider_problem(
    problem: Problem,
    known: NDArray[np.integer],
    *,
    amount: NDArray[np.int64] | None = None,
    part: tuple[NDArray[np.integer], NDArray[np.int64]] | None = None,
) -> Problem:
    """The same problem for somebody who knows some of the hidden cells.

    ``known`` are the cells that the insider fills alone; ``amount`` what they hold
    (the true values, where the problem has them). ``part`` gives other cells and the
    insider's own amount in each, which raises a non-negative lower bound.

    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> rows = csr_array(np.array([[-1, 1, 1]]))
    >>> p = Problem.of(rows, np.array([False, True, True]), value=np.array([9, 4, 5]))
    >>> insider_problem(p, np.array([1])).hidden.tolist()
    [False, False, True]
    """
    known = np.asarray(known, dtype=np.int64)
    if amount is None:
        if problem.value is None:
            message = (
                "The insider's own amounts are needed: this problem holds no true "
                "values to take them from. Give 'amount', one per known cell."
            )
            raise InputError(message)
        amount = problem.value[known]
    hidden, published = problem.hidden.copy(), problem.published.copy()
    hidden[known] = False
    published[known] = amount
    lower = problem.lower
    if part is not None:
        cells, own = part
        if problem.value is not None:
            own = np.minimum(own, problem.value[cells])  # others may be below zero
        lower = lower.copy()
        raised = np.where(lower[cells] >= 0, own.astype(np.float64), -np.inf)
        lower[cells] = np.maximum(lower[cells], raised)
    return replace(problem, hidden=hidden, published=published, lower=lower)
