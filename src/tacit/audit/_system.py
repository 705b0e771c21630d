# SPDX-License-Identifier: Apache-2.0
"""The attacker's problem after everything easy was taken out of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._reduction import clean, parallel, pinched, projection, ties

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csc_array, csr_array

    from tacit.audit._problem import Problem

__all__ = ["System", "reduce"]


@dataclass(frozen=True, eq=False, repr=False)
class System:
    """Unknown deviations z with ``matrix @ z == 0`` and ``lower <= z <= upper``.

    Hidden cell i deviates from its base by ``factor[i] * z[group[i]]``; a cell whose
    group is -1 cannot deviate. A group is a set of hidden cells that move only
    together: tied by relations with two entries, or by several relations at once.
    """

    matrix: csr_array
    group: NDArray[np.int32]
    factor: NDArray[np.int64]
    base: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.lower)

    def __repr__(self) -> str:
        return f"<System: {self.matrix.shape[0]:,} rows, {len(self):,} unknowns>"

    @cached_property
    def columns(self) -> csc_array:
        """The same matrix by columns."""
        columns = self.matrix.tocsc()
        columns.sort_indices()
        return columns

    @cached_property
    def component(self) -> NDArray[np.int32]:
        """Number of the connected component of each unknown."""
        from scipy.sparse import block_array  # noqa: PLC0415
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

        if not len(self):
            return np.zeros(0, dtype=np.int32)
        links = abs(self.matrix)
        graph: csr_array = block_array([[None, links.T], [links, None]], format="csr")
        _, label = connected_components(graph, directed=False)
        numbers = np.unique(label[: len(self)], return_inverse=True)[1]
        return numbers.astype(np.int32)

    @cached_property
    def members(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cells by group: offsets, and the cells themselves."""
        cells = np.flatnonzero(self.group >= 0)
        order = np.argsort(self.group[cells], kind="stable")
        counts = np.bincount(self.group[cells], minlength=len(self))
        return np.concatenate([[0], np.cumsum(counts)]), cells[order]

    def spread(
        self, groups: NDArray[np.integer], z: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Cells of the given groups, and the deviation that z gives each of them."""
        offsets, cells = self.members
        counts = offsets[groups + 1] - offsets[groups]
        where = np.repeat(offsets[groups] - _before(counts), counts)
        found = cells[where + np.arange(len(where))]
        return found, np.repeat(z, counts) * self.factor[found]


def _before(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.cumsum(counts) - counts


def reduce(
    problem: Problem,
    base: NDArray[np.float64] | None = None,
    *,
    bounds: bool = True,
    tie: bool = True,
) -> System:
    """Take out what is published or fixed, merge what is tied, drop repeated rows.

    ``base`` is a table that fits everything published; the true values where the
    problem holds them. Without ``bounds`` the equations alone count; without ``tie``
    only relations with two entries merge cells, so that factors stay at 1 and -1.
    """
    if base is None:
        base = _base_of(problem)
    hidden = problem.hidden
    if bounds:
        hidden = hidden & (problem.lower < problem.upper)
    cells = np.flatnonzero(hidden)
    low, high = problem.lower[cells] - base[cells], problem.upper[cells] - base[cells]
    # the base of somebody else's table comes from a solver: keep it inside
    draft = _Draft(
        clean(problem.matrix.astype(np.int64)[:, cells]),
        np.arange(len(cells), dtype=np.int64),
        np.ones(len(cells), dtype=np.int64),
        (np.minimum(low, 0.0), np.maximum(high, 0.0)),
    )
    draft.settle(bounds=bounds, tie=tie)
    group = np.full(len(problem), -1, dtype=np.int32)
    factor = np.zeros(len(problem), dtype=np.int64)
    group[cells] = draft.link
    factor[cells] = np.where(draft.link >= 0, draft.factor, 0)
    matrix = draft.matrix.astype(np.float64)
    return System(matrix, group, factor, base, *draft.group_bounds())


@dataclass
class _Draft:
    """A system in the making: cells, their group and factor, rows over groups."""

    matrix: csr_array
    link: NDArray[np.int64]
    factor: NDArray[np.int64]
    room: tuple[NDArray[np.float64], NDArray[np.float64]]

    def settle(self, *, bounds: bool, tie: bool) -> None:
        """Reduce until nothing changes."""
        untied = tie
        while True:
            step = ties(self.matrix)
            if step is None and bounds:
                step = pinched(self.matrix, *self.group_bounds())
            if step is None and untied:
                step, untied = parallel(self.matrix), False
            elif step is not None:
                untied = tie
            if step is None:
                return
            self._apply(*step)

    def _apply(self, to: NDArray[np.int64], factor: NDArray[np.int64]) -> None:
        self.matrix = clean(self.matrix @ projection(to, factor))
        alive = self.link >= 0
        self.factor[alive] *= factor[self.link[alive]]
        self.link[alive] = to[self.link[alive]]

    def group_bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Bounds of each group: the narrowest among its cells."""
        alive = np.flatnonzero(self.link >= 0)
        factor, group = self.factor[alive], self.link[alive]
        low, high = self.room[0][alive] / factor, self.room[1][alive] / factor
        lower = np.full(self.matrix.shape[1], -np.inf)
        upper = np.full(self.matrix.shape[1], np.inf)
        np.maximum.at(lower, group, np.minimum(low, high))
        np.minimum.at(upper, group, np.maximum(low, high))
        return lower, upper


def _base_of(problem: Problem) -> NDArray[np.float64]:
    if problem.value is not None:
        return problem.value.astype(np.float64)
    return np.where(problem.hidden, 0, problem.published).astype(np.float64)
