# SPDX-License-Identifier: Apache-2.0
"""Which published relations give a cell away, as few of them as possible, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.audit._problem import Problem

__all__ = ["Explainer"]

_SIZES = (30, 300, 3000)
_SHOWN = 4
_DUST = 1e-7


class Explainer:
    """Find short reasons in the neighbourhood of a cell, growing as needed."""

    def __init__(self, problem: Problem, describe: Callable[[int], str]) -> None:
        self.problem, self.describe = problem, describe
        hidden = np.flatnonzero(problem.hidden)
        self.place = np.full(len(problem), -1, dtype=np.int64)
        self.place[hidden] = np.arange(len(hidden))
        self.hidden = hidden
        self.rows: csr_array = problem.matrix[:, hidden].astype(np.float64).tocsr()
        self.columns = self.rows.tocsc()
        self.right = problem.right_hand_side()

    def exact(self, cell: int) -> str:
        """Say which relations together hold this cell alone."""
        for near in self._neighbourhoods(cell):
            used = self._combination(cell, near)
            if len(used):
                return self._said(used, "")
        return "Follows from many relations together."

    def narrow(self, cell: int, *, above: bool, at: float) -> str:
        """Say which relations and bounds keep this cell from passing ``at``.

        ``at`` is what the cell cannot pass, in scaled amounts.
        """
        for near in self._neighbourhoods(cell):
            found = self._limit(cell, near, above=above)
            if found is None:
                continue
            limit, used = found
            slack = 1e-6 * max(1.0, abs(at))
            if (limit <= at + slack) if above else (limit >= at - slack):
                if not len(used):
                    return "Follows from what is known of the cell beforehand."
                return self._said(used, " and the bounds of its withheld cells")
        return "Follows from many relations and bounds together."

    def pinned(self, cell: int, at: float) -> str:
        """Say which relations and bounds hold this cell at one value."""
        for near in self._neighbourhoods(cell):
            ends = [self._limit(cell, near, above=above) for above in (True, False)]
            slack = 1e-6 * max(1.0, abs(at))
            if all(end is not None and abs(end[0] - at) <= slack for end in ends):
                used = np.unique(np.concatenate([end[1] for end in ends if end]))
                if len(used):
                    return self._said(used, " and the bounds of its withheld cells")
                return "Follows from what is known of the cell beforehand."
        return "Follows from many relations and bounds together."

    def _said(self, used: NDArray[np.int64], more: str) -> str:
        texts = [self.describe(int(row)) for row in used[:_SHOWN]]
        if len(used) == 1:
            return f"Follows from: {texts[0]}{more or ', where all else is known'}."
        rest = len(used) - len(texts)
        beyond = f"; and {rest:,} more" if rest else ""
        listed = "; ".join(texts)
        return f"Follows from {len(used):,} relations together{more}: {listed}{beyond}."

    def _neighbourhoods(self, cell: int) -> Iterator[NDArray[np.int64]]:
        """Relations around a cell, nearest first: few, more, many."""
        last = -1
        for size in _SIZES:
            near = self._near(int(self.place[cell]), size)
            if len(near) == last:
                return
            last = len(near)
            yield near

    def _near(self, start: int, size: int) -> NDArray[np.int64]:
        rows: list[int] = []
        seen_rows: set[int] = set()
        seen, queue = {start}, [start]
        by_column, by_row = self.columns, self.rows
        for column in queue:
            span = slice(by_column.indptr[column], by_column.indptr[column + 1])
            for row in by_column.indices[span].tolist():
                if row in seen_rows:
                    continue
                seen_rows.add(row)
                rows.append(row)
                if len(rows) >= size:
                    return np.array(rows)
                inside = slice(by_row.indptr[row], by_row.indptr[row + 1])
                fresh = [k for k in by_row.indices[inside].tolist() if k not in seen]
                seen.update(fresh)
                queue.extend(fresh)
        return np.array(rows, dtype=np.int64)

    def _part(self, near: NDArray[np.int64]) -> tuple[csr_array, NDArray[np.int64]]:
        part = self.rows[near]
        unknowns = np.unique(part.indices).astype(np.int64)
        return part[:, unknowns], unknowns

    def _combination(self, cell: int, near: NDArray[np.int64]) -> NDArray[np.int64]:
        """Few relations whose combination leaves the cell alone; empty if none."""
        from scipy.sparse import hstack  # noqa: PLC0415

        part, unknowns = self._part(near)
        alone = (unknowns == self.place[cell]).astype(np.float64)
        # Weights beyond 1 make the solution prefer near relations among equals.
        weight = 1.0 + 1e-4 * np.arange(len(near)) / max(1, len(near))
        both = hstack([part.T, -part.T], format="csr")
        found = _solved(np.concatenate([weight, weight]), A_eq=both, b_eq=alone)
        if found.status != 0:
            return np.zeros(0, dtype=np.int64)
        y = found.x[: len(near)] - found.x[len(near) :]
        used: NDArray[np.int64] = near[np.abs(y) > _DUST]
        return used

    def _limit(
        self, cell: int, near: NDArray[np.int64], *, above: bool
    ) -> tuple[float, NDArray[np.int64]] | None:
        """How far these relations alone let the cell go, and those that bind."""
        part, unknowns = self._part(near)
        cells = self.hidden[unknowns]
        sign = -1.0 if above else 1.0
        found = _solved(
            sign * (cells == cell),
            A_eq=part,
            b_eq=self.right[near],
            bounds=np.stack([self.problem.lower[cells], self.problem.upper[cells]]).T,
        )
        if found.status != 0:
            return None
        used = near[np.abs(found.eqlin.marginals) > _DUST]
        return sign * float(found.fun), used


def _solved(cost: NDArray[np.float64], **program: Any) -> Any:  # noqa: ANN401 - of scipy
    from scipy.optimize import linprog  # noqa: PLC0415

    solve: Any = linprog
    return solve(cost, method="highs", **program)
