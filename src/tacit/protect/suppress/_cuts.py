# SPDX-License-Identifier: Apache-2.0
"""What a pattern must satisfy, as inequalities over the cells that are hidden.

To move a sensitive cell by the distance it needs, the cells of its relations must be
able to take up that much. For any combination of relations that makes a *capacity cut*:
hidden cells, weighted by what each can take up, must reach the need. A pattern in which
some need cannot be met breaks one of them, and the program that looks for a way to meet
the need gives it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tacit.protect.suppress._problem import Problem

__all__ = ["Cut", "Meter", "broken_cuts", "cover_of", "first_cuts", "new_solver"]

_TINY = 1e-7
_FARTHEST = 1e6
_LESS = 1.0 - 1e-6


@dataclass(frozen=True, eq=False)
class Cut:
    """Coefficients over cells whose shares must together reach ``reach``."""

    cells: NDArray[np.int64]
    weight: NDArray[np.float64]
    reach: float


class Need(NamedTuple):
    """How far a cell must be able to go: up or down, or in both directions together."""

    cell: int
    signs: tuple[int, ...]
    distance: float


class Meter:
    """Effort spent on programs: simplex steps times the size of the program.

    The same problem ends at the same point on any machine; ``deadline`` is for those
    who cannot wait, and makes the end depend on the machine.
    """

    def __init__(self, effort: float = np.inf, deadline: float = np.inf) -> None:
        self.left, self.deadline = effort, deadline

    def note(self, solver: Any, size: int) -> None:  # noqa: ANN401 - no stubs
        """Count what the last run of a solver took."""
        steps = solver.getInfo().simplex_iteration_count
        self.left -= float(steps + 1) * size

    @property
    def empty(self) -> bool:
        """Whether nothing is left, or the time is up."""
        return self.left <= 0 or time.monotonic() > self.deadline


def new_solver(*, primal: bool) -> Any:  # noqa: ANN401 - the solver has no stubs
    """Give a simplex solver that keeps its basis from one run to the next."""
    import highspy  # noqa: PLC0415 - the solver loads when first needed

    solver = highspy.Highs()
    for option, setting in (
        ("output_flag", False),
        ("threads", 1),
        ("presolve", "off"),
        ("solver", "simplex"),
        ("simplex_strategy", 4 if primal else 1),
    ):
        solver.setOptionValue(option, setting)
    return solver


def needs_of(problem: Problem, cell: int) -> list[Need]:
    """List what one cell needs."""
    both = ((1, problem.need_up[cell]), (-1, problem.need_down[cell]))
    found = [Need(cell, (sign,), float(need)) for sign, need in both if need > 0]
    width = float(problem.need_width[cell])
    return found if width <= 0 else [*found, Need(cell, (1, -1), width)]


def first_cuts(problem: Problem) -> list[Cut]:
    """One cut for each need and each relation of its cell."""
    rows, columns = problem.relations, problem.columns
    cuts = []
    for cell in np.flatnonzero(problem.sensitive).tolist():
        for at in range(columns.indptr[cell], columns.indptr[cell + 1]):
            row = columns.indices[at]
            part = slice(rows.indptr[row], rows.indptr[row + 1])
            cells = rows.indices[part]
            ratio = rows.data[part].astype(np.float64) / columns.data[at]
            other = cells != cell
            cells, ratio = cells[other].astype(np.int64), ratio[other]
            for need in needs_of(problem, cell):
                weight = sum(
                    _taken_up(problem, cells, -sign * ratio) for sign in need.signs
                )
                cuts.append(Cut(cells, np.minimum(weight, need.distance), need[2]))
    return cuts


def cover_of(cut: Cut, hidden: NDArray[np.bool_]) -> Cut:
    """Say that one more cell is needed than a pattern has that breaks a cut.

    Cells with the least weights count as hidden too, as long as the cut stays broken:
    one of the others must be hidden.
    """
    weight = np.where(hidden[cut.cells], 0.0, cut.weight)
    missing = cut.reach * _LESS - cut.weight[hidden[cut.cells]].sum()
    order = np.argsort(weight, kind="stable")
    ample = np.cumsum(weight[order]) >= missing
    needed = order[ample]
    return Cut(cut.cells[needed], np.ones(len(needed)), 1.0)


def _taken_up(
    problem: Problem, cells: NDArray[np.int64], factor: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Most that factor · z can become for each cell."""
    upwards = factor > 0
    room = np.where(upwards, problem.room_up[cells], problem.room_down[cells])
    return np.where(factor == 0, 0.0, np.abs(factor) * np.minimum(room, 1e15))


def broken_cuts(
    problem: Problem,
    share: NDArray[np.float64],
    meter: Meter,
    targets: NDArray[np.int64] | None = None,
) -> Iterator[Cut]:
    """Give the cuts that shares of cells break, by components of their support.

    No cut means that every need can be met with rooms scaled by the shares; where the
    shares are 0 and 1 they are a pattern, and it is safe. The meter may end it early.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    asked = problem.sensitive
    if targets is not None:
        asked = np.zeros(len(problem), dtype=np.bool_)
        asked[targets] = True
    support = np.flatnonzero(share > _TINY)
    part = problem.columns[:, support].tocsr()
    part = part[np.flatnonzero(np.diff(part.indptr) > 1)]
    links = csr_array(
        (np.ones(part.nnz, dtype=np.int32), part.indices, part.indptr), shape=part.shape
    )
    _, label = connected_components(links.T @ links, directed=False)
    order = np.argsort(label, kind="stable")
    ends = np.flatnonzero(np.diff(label[order])) + 1
    for group in np.split(support[order], ends):
        if meter.empty:
            return
        inside = group[asked[group]]
        if len(inside):
            yield from _Component(problem, share, group, meter).cuts(inside)


class _Component:
    """One warm model that is asked how far each need can go."""

    def __init__(
        self,
        problem: Problem,
        share: NDArray[np.float64],
        cells: NDArray[np.int64],
        meter: Meter,
    ) -> None:
        self.problem, self.cells, self.meter = problem, cells, meter
        matrix = problem.columns[:, cells].tocsc()
        self.rows, local = np.unique(matrix.indices, return_inverse=True)
        needed = problem.need[cells]
        self.scale = float(np.median(needed[needed > 0])) or 1.0
        down = np.minimum(problem.room_down[cells] * share[cells], _FARTHEST * 1e15)
        up = np.minimum(problem.room_up[cells] * share[cells], _FARTHEST * 1e15)
        self.solver = new_solver(primal=True)
        n, zero = len(cells), np.zeros(len(self.rows))
        self.solver.passModel(
            n,
            len(self.rows),
            matrix.nnz,
            1,
            -1,
            0.0,
            np.zeros(n),
            -np.minimum(down / self.scale, _FARTHEST),
            np.minimum(up / self.scale, _FARTHEST),
            zero,
            zero,
            matrix.indptr.astype(np.int32),
            local.astype(np.int32),
            matrix.data.astype(np.float64),
            np.zeros(n, dtype=np.int32),
        )
        self.reach = {1: np.zeros(n), -1: np.zeros(n)}
        self.asked_last = 0

    def cuts(self, targets: NDArray[np.int64]) -> Iterator[Cut]:
        """Give a cut for each need that cannot be met."""
        for at in _places(self.cells, targets).tolist():
            for need in needs_of(self.problem, int(self.cells[at])):
                if self.meter.empty:
                    return
                cut = self._cut(at, need)
                if cut is not None:
                    yield cut

    def _cut(self, at: int, need: Need) -> Cut | None:
        """Ask for one need, unless an earlier answer shows that it is met."""
        enough = need.distance * _LESS
        if sum(self.reach[sign][at] for sign in need.signs) >= enough:
            return None
        duals = [self._farthest(at, sign) for sign in need.signs]
        if sum(self.reach[sign][at] for sign in need.signs) >= enough:
            return None
        return _lifted(self.problem, self.rows, duals, need)

    def _farthest(self, at: int, sign: int) -> NDArray[np.float64]:
        """Move one cell as far as it goes; remember how far all others went."""
        solver = self.solver
        solver.changeColCost(self.asked_last, 0.0)
        solver.changeColCost(at, float(sign))
        self.asked_last = at
        solver.run()
        self.meter.note(solver, len(self.cells))
        answer = solver.getSolution()
        moved = np.asarray(answer.col_value) * self.scale
        np.maximum(self.reach[1], moved, out=self.reach[1])
        np.maximum(self.reach[-1], -moved, out=self.reach[-1])
        return np.asarray(answer.row_dual)


def _places(cells: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[np.int64]:
    order = np.argsort(cells)
    return order[np.searchsorted(cells[order], targets)]


def _lifted(
    problem: Problem,
    rows: NDArray[np.int64],
    duals: list[NDArray[np.float64]],
    need: Need,
) -> Cut:
    """Write the cut over every cell of the relations used, not only the support."""
    noise = 1e-9
    used = np.any([np.abs(dual) > noise for dual in duals], axis=0)
    matrix = problem.relations[rows[used]].astype(np.float64)
    cells = np.unique(np.append(matrix.indices, need.cell)).astype(np.int64)
    weight = np.zeros(len(cells))
    for sign, dual in zip(need.signs, duals, strict=True):
        factor = -(matrix.T @ dual[used])[cells]
        factor[np.searchsorted(cells, need.cell)] += sign
        factor[np.abs(factor) <= noise] = 0.0
        weight += _taken_up(problem, cells, factor)
    keep = weight > 0
    return Cut(cells[keep], np.minimum(weight[keep], need.distance), need.distance)
