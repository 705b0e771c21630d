# SPDX-License-Identifier: Apache-2.0
"""Everything that must add up, as one sparse integer matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.table._dimension import Dimension

__all__ = ["Equations", "Relations"]

_EQUATION = -1
_SHOWN_PARTS = 8
_SAFE_SUM = 2**62


@dataclass(frozen=True, eq=False, repr=False)
class Equations:
    """Relations that no hierarchy implies: rows over the cells, and what each says."""

    matrix: csr_array
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<Equations: {len(self):,} over {self.matrix.shape[1]:,} cells>"


@dataclass(frozen=True, eq=False, repr=False)
class Relations:
    """Rows of a matrix M with M · value = 0: -1 at a total, +1 at each of its parts.

    ``dimension[r]`` and ``tree[r]`` say along which classification row r adds up,
    ``total[r]`` is the cell that holds the total. For an equation the dimension is
    -1, the total is -1 and ``tree[r]`` is the position of its text in ``words``.
    ``dimensions`` and ``codes`` are those of the table: they name the cells.
    """

    matrix: csr_array
    dimension: NDArray[np.int16]
    tree: NDArray[np.int32]
    total: NDArray[np.int32]
    dimensions: tuple[Dimension, ...] = ()
    codes: NDArray[np.int32] | None = None
    words: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.total)

    def __repr__(self) -> str:
        return f"<Relations: {len(self):,} over {self.matrix.shape[1]:,} cells>"

    def parts(self, row: int) -> NDArray[np.int32]:
        """Cells that row ``row`` adds up, without the total."""
        start, end = self.matrix.indptr[row : row + 2]
        cells = np.asarray(self.matrix.indices[start:end], dtype=np.int32)
        parts: NDArray[np.int32] = cells[cells != self.total[row]]
        return parts

    def describe(self, row: int) -> str:
        """Say row ``row`` in words: codes only, never a value.

        >>> from tacit import Table
        >>> cells = {"sex": ["all", "f", "m"], "n": [5, 2, 3]}
        >>> table = Table.from_cells(cells, by={"sex": "all"}, count="n")
        >>> table.relations.describe(0)
        'sex: all = f + m'
        """
        axis = int(self.dimension[row])
        if axis == _EQUATION:
            return self._describe_equation(row)
        if self.codes is None:
            return f"relation {row}"
        cells = self.parts(row)
        dimension = self.dimensions[axis]
        at = self.codes[:, self.total[row]]
        shown = [dimension.codes[c] for c in self.codes[axis, cells[:_SHOWN_PARTS]]]
        more = len(cells) - len(shown)
        text = f"{dimension.name}: {dimension.codes[at[axis]]} = {' + '.join(shown)}"
        if more:
            text += f" and {more} more"
        others = [
            f"{other.name} = {other.codes[at[d]]}"
            for d, other in enumerate(self.dimensions)
            if d != axis
        ]
        return f"{text}, at {', '.join(others)}" if others else text

    def _describe_equation(self, row: int) -> str:
        """Words of an equation, and the codes that all of its cells share."""
        text = self.words[int(self.tree[row])]
        if self.codes is None:
            return text
        start, end = self.matrix.indptr[row : row + 2]
        codes = self.codes[:, self.matrix.indices[start:end]]
        shared = [
            f"{dimension.name} = {dimension.codes[code[0]]}"
            for dimension, code in zip(self.dimensions, codes, strict=True)
            if (code == code[0]).all()
        ]
        return f"{text}, at {', '.join(shared)}" if shared else text

    def residuals(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Parts minus total of every relation, exact.

        >>> from tacit import Table
        >>> cells = {"sex": ["all", "f", "m"], "n": [5, 2, 3]}
        >>> table = Table.from_cells(cells, by={"sex": "all"}, count="n")
        >>> table.relations.residuals(table.cells.value).tolist()
        [0]
        """
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        # Sums modulo 2**64 are exact whenever the true result fits, so only the
        # result has to be looked at, and only where it could be too large.
        exact: NDArray[np.int64] = self.matrix @ np.asarray(values, dtype=np.int64)
        terms = int(np.diff(self.matrix.indptr).max(initial=0))
        largest = max(abs(int(values.max(initial=0))), abs(int(values.min(initial=0))))
        if largest * terms * _largest_coefficient(self.matrix.data) >= _SAFE_SUM:
            rough = self.matrix @ values.astype(np.float64)
            over = np.flatnonzero(np.abs(rough) >= _SAFE_SUM)
            if len(over):
                message = (
                    f"The sum of the relation '{self.describe(int(over[0]))}' does not "
                    "fit in 64 bits. Sums are exact here, so use fewer decimals or "
                    "larger units (thousands instead of ones)."
                )
                raise InputError(message)
        return exact


def _largest_coefficient(data: NDArray[np.int8]) -> int:
    return int(np.abs(data.astype(np.int64, copy=False)).max(initial=1))
