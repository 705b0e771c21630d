# SPDX-License-Identifier: Apache-2.0
"""Whether the sensitive cells are protected from the contributors themselves."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._system import reduce

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.audit._insider_hunt import Breach, InsiderHunt, Knowledge, Vector
    from tacit.audit._insiders import Insiders
    from tacit.audit._problem import Problem
    from tacit.audit._required import Required
    from tacit.audit._system import System
    from tacit.audit._verdict import Verdict

    Row = tuple[int, int, int, float, float, bool]

__all__ = ["InsiderVerdict", "insider_verdict"]

PROVED = 1
_MET = 1e-7


@dataclass(frozen=True, eq=False, repr=False)
class InsiderVerdict:
    """Claims that hold against the outsider and fail against an insider.

    One row per insider, cell and side: position of the insider, the cell, side 0
    (above) or 1 (below), what is required, what is certainly reached and what cannot
    be passed. ``exact`` where the insider computes the cell to the last unit.
    ``open`` counts claims against an insider that were not settled in time.
    """

    insider: NDArray[np.int64]
    cell: NDArray[np.int64]
    side: NDArray[np.int8]
    required: NDArray[np.float64]
    reached: NDArray[np.float64]
    limit: NDArray[np.float64]
    exact: NDArray[np.bool_]
    insiders: int
    open: int
    programs: int

    @property
    def safe(self) -> bool:
        """Whether no insider learns more than it may, and all was settled."""
        return not len(self.cell) and not self.open

    def __len__(self) -> int:
        return len(self.cell)

    def __repr__(self) -> str:
        return (
            f"<InsiderVerdict: {self.insiders:,} insiders, {len(self):,} claims failed "
            f"({int(self.exact.sum()):,} by exact disclosure), {self.open:,} open>"
        )


def insider_verdict(
    problem: Problem,
    insiders: Insiders,
    outsider: Verdict,
    *,
    required: Required | None = None,
    time_limit: float | None = None,
) -> InsiderVerdict:
    """Decide every claim that holds against the outsider for each insider as well.

    An insider knows the hidden cells that it fills alone, and that a cell it shares
    holds at least its own amount. Its own cells are no secret to it; all others must
    keep their distance. The witnesses against the outsider are used again wherever
    they leave alone what the insider knows. ``required`` says which claims were made
    for a width only: an insider may shift where it lies, as long as it is wide enough.

    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from tacit.audit import Insiders, Problem, verdict
    >>> rows = csr_array(np.array([[-1, 1, 1]]))
    >>> hidden = np.array([False, True, True])
    >>> p = Problem.of(rows, hidden, value=np.array([9, 4, 5]))
    >>> own = Insiders.sole(hidden, np.array([5, 1, 4]), np.array([2, 7, 3]), p.value)
    >>> seen = verdict(p, np.array([1, 2]), lower=np.ones(2), upper=np.ones(2))
    >>> seen.safe, insider_verdict(p, own, seen).cell.tolist()
    (True, [2, 2])
    """
    from tacit.audit._insider_hunt import InsiderHunt  # noqa: PLC0415

    deadline = np.inf if time_limit is None else monotonic() + time_limit
    system = reduce(problem)
    claims = _PairClaims(problem, system, insiders, outsider)
    hunt = InsiderHunt(system, claims.need(), claims.pool(outsider), deadline)
    hunt.least = claims.need(least=True)
    hunt.run(claims.knowledge)
    rows = claims.exact() + claims.rows(hunt.breaches)
    if required is not None:
        rows = claims.too_narrow(rows, required, hunt)
    return claims.verdict(rows, hunt.open, hunt.solved)


class _PairClaims:
    """Claims on cells by insider, and what is known of them."""

    def __init__(
        self, problem: Problem, system: System, insiders: Insiders, outsider: Verdict
    ) -> None:
        self.problem, self.system, self.insiders = problem, system, insiders
        self.cells, self.required = outsider.cells, outsider.required
        self.group, factor = system.group[self.cells], system.factor[self.cells]
        self.scale = np.maximum(np.abs(factor), 1).astype(np.float64)
        self.side = np.where(factor > 0, [[0], [1]], [[1], [0]])
        self.asked = (outsider.state == PROVED) & (self.required > 0)
        self.asked &= self.group >= 0
        self.knowledge = self._knowledge()
        order = np.argsort(self.group, kind="stable")
        self._by_group = order, self.group[order]

    def _knowledge(self) -> list[Knowledge]:
        from tacit.audit._closure import closures  # noqa: PLC0415
        from tacit.audit._insider_hunt import Knowledge  # noqa: PLC0415

        known, tight = [], []
        for k in range(len(self.insiders)):
            groups = np.unique(self.system.group[self.insiders.known(k)])
            known.append(groups[groups >= 0].astype(np.int64))
            tight.append(self._narrower(*self.insiders.shared(k)))
        seen = closures(self.system, known)
        return [Knowledge(*one) for one in zip(known, seen, tight, strict=True)]

    def _narrower(
        self, cells: NDArray[np.int64], own: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Bounds of groups, narrowed by the insider's own amounts.

        Where the others' amounts are below zero its own may exceed the cell; the cell
        itself is then as far as it is taken to know.
        """
        low = self.problem.lower[cells]
        if self.problem.value is not None:
            own = np.minimum(own, self.problem.value[cells])
        use = (self.system.group[cells] >= 0) & (low >= 0) & (own > low)
        cells, own = cells[use], own[use]
        factor = self.system.factor[cells].astype(np.float64)
        edge = (own - self.system.base[cells]) / factor
        lower = np.where(factor > 0, edge, -np.inf)
        upper = np.where(factor < 0, edge, np.inf)
        return self.system.group[cells].astype(np.int64), lower, upper

    def pool(self, outsider: Verdict) -> list[Vector]:
        """The outsider's witnesses, back on groups."""
        vectors = outsider.witnesses
        found: list[Vector] = []
        for k in range(len(vectors)):
            part = slice(vectors.offset[k], vectors.offset[k + 1])
            cells = vectors.cell[part]
            groups, first = np.unique(self.system.group[cells], return_index=True)
            z = vectors.amount[part][first] / self.system.factor[cells[first]]
            found.append((groups, z))
        return found

    def exact(self) -> list[Row]:
        """Cells that follow exactly from what an insider knows, and are not its own."""
        rows = []
        for k, knows in enumerate(self.knowledge):
            at = self._members(knows.seen)
            at = at[~np.isin(self.cells[at], self.insiders.known(k))]
            rows += [
                (k, i, side, 0.0, 0.0, True)
                for i in at.tolist()
                for side in (0, 1)
                if self.asked[side, i]
            ]
        return rows

    def _members(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        order, sorted_groups = self._by_group
        first = np.searchsorted(sorted_groups, groups, side="left")
        last = np.searchsorted(sorted_groups, groups, side="right")
        spans = [order[a:b] for a, b in zip(first, last, strict=True)]
        return np.concatenate([np.zeros(0, np.int64), *spans])

    def need(self, *, least: bool = False) -> NDArray[np.float64]:
        """The largest claim on each side of each group, or the smallest."""
        need = np.full((2, len(self.system)), np.inf if least else 0.0)
        group = np.broadcast_to(self.group, self.asked.shape)[self.asked]
        ask = (self.required / self.scale)[self.asked]
        pick = np.minimum if least else np.maximum
        pick.at(need, (self.side[self.asked], group), ask)
        return need

    def rows(self, breaches: list[Breach]) -> list[Row]:
        """Breaches of groups as breaches of their cells, each by its own level."""
        rows = []
        for breach in breaches:
            at = self._members(np.array([breach.group]))
            own = np.isin(self.cells[at], self.insiders.known(breach.insider))
            for i in at[~own].tolist():
                side = int(np.flatnonzero(self.side[:, i] == breach.side)[0])
                limit = breach.limit * self.scale[i]
                if not self.asked[side, i] or limit >= self.required[side, i] * (
                    1 - _MET
                ):
                    continue
                reached = breach.reached * self.scale[i]
                rows.append((breach.insider, i, side, reached, limit, False))
        return rows

    def too_narrow(
        self, rows: list[Row], required: Required, hunt: InsiderHunt
    ) -> list[Row]:
        """Keep rows of levels, and rows of widths where the width is missed as well."""
        at = np.searchsorted(required.cells, self.cells)
        plain = np.stack([required.above[at], required.below[at]])
        width = required.width[at]
        narrow: dict[tuple[int, int], bool] = {}
        kept = []
        for row in rows:
            insider, i, side, *_, exact = row
            level = exact or self.required[side, i] <= plain[side, i]
            if not level and monotonic() > hunt.deadline:
                hunt.open += 1
                continue
            if not level and (insider, i) not in narrow:
                wide = self._wide(insider, i, (plain[:, i], float(width[i])), hunt)
                narrow[insider, i] = not wide
            if level or narrow[insider, i]:
                kept.append(row)
        return kept

    def _wide(
        self,
        insider: int,
        i: int,
        wanted: tuple[NDArray[np.float64], float],
        hunt: InsiderHunt,
    ) -> bool:
        """Whether the levels and the width of a cell hold against one insider."""
        plain, width = wanted
        need = np.zeros(2)
        need[self.side[:, i]] = plain / self.scale[i]
        knows, group = self.knowledge[insider], int(self.group[i])
        return hunt.spans(knows, group, need, width / self.scale[i])

    def verdict(self, rows: list[Row], left: int, programs: int) -> InsiderVerdict:
        """Freeze what is known now."""
        columns = [np.array(column) for column in zip(*sorted(rows), strict=True)]
        if not rows:
            columns = [
                np.zeros(0, dtype=kind) for kind in (int, int, int, float, float, bool)
            ]
        insider, at, side, reached, limit, exact = columns
        return InsiderVerdict(
            insider.astype(np.int64),
            self.cells[at],
            side.astype(np.int8),
            self.required[side, at],
            reached,
            limit,
            exact,
            len(self.insiders),
            left,
            programs,
        )
