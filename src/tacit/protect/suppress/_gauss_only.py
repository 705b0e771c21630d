# SPDX-License-Identifier: Apache-2.0
"""Hide cells until nothing sensitive can be derived exactly; nothing more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.suppress._gauss import exact_pattern, fill_reducing_order
from tacit.protect.suppress._outcome import Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.protect.suppress._parallel import Crew
    from tacit.protect.suppress._problem import Problem
    from tacit.protect.suppress._progress import Clock

__all__ = ["gauss", "order_of", "pattern"]


def order_of(problem: Problem, price: NDArray[np.float64]) -> NDArray[np.int64]:
    """Candidates in the order in which to publish: frozen ones, then the dearest."""
    candidates = np.flatnonzero(~(problem.sensitive | problem.forced))
    keys = (candidates, -price[candidates], ~problem.frozen[candidates])
    return candidates[np.lexsort(keys)]


def gauss(
    problem: Problem,
    price: NDArray[np.float64] | None = None,
    *,
    combinations: csr_array | None = None,
) -> NDArray[np.bool_]:
    """Hide cells until no sensitive one, and no combination, can be derived exactly."""
    place = problem.geometry
    basis = (
        fill_reducing_order(place.codes_of_cells, place.depths)
        if place is not None
        else np.argsort(-problem.cost, kind="stable")
    )
    return exact_pattern(
        problem.relations,
        order_of(problem, problem.cost if price is None else price),
        protected=problem.sensitive,
        frozen=problem.frozen,
        basis_order=basis,
        combinations=combinations,
    ).hidden


def pattern(problem: Problem, *, clock: Clock, crew: Crew) -> Outcome:  # noqa: ARG001
    """Hide cells until no sensitive one can be derived exactly."""
    none = np.zeros(0, dtype=np.int64)
    return Outcome(gauss(problem), None, none, None)
