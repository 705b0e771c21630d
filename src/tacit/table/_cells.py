# SPDX-License-Identifier: Apache-2.0
"""The columns of a table: cells, and what is known about who stands behind them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Cells", "Contributions", "Evidence", "Levels", "State"]


class State(IntEnum):
    """What a cell is, or must become."""

    SAFE = 0
    SENSITIVE = 1
    SUPPRESSED = 2
    EMPTY = 3
    FROZEN = 4
    FORCED = 5

    @property
    def label(self) -> str:
        """The name that files and frames show."""
        return self.name.lower()


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """n cells, columnar, in ascending order of their codes.

    ``codes[d, i]`` is the position of cell i's code in dimension d. ``value`` is
    scaled by ``10**decimals``. Cells that are not held are empty and known to be so,
    as are cells in state EMPTY; a cell of value 0 in state SAFE without contributors
    is possible: nobody is taken to know beforehand that it is empty.
    """

    codes: NDArray[np.int32]
    value: NDArray[np.int64]
    decimals: int
    state: NDArray[np.uint8]
    lower: NDArray[np.int64] | None = None
    upper: NDArray[np.int64] | None = None
    cost: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return f"<Cells: {len(self):,} cells, {len(self.codes)} dimensions>"


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """Per cell, what the rules of sensitivity ask about its contributors. Confidential.

    All amounts are scaled like the cell values and taken after the contributions of
    one entity (holding if given, else unit, else record) were added inside the cell.
    They are int64, or float64 where sampling weights make them fractional.
    """

    contributors: NDArray[np.int64]
    """Entities, distinct."""
    total: NDArray[np.int64] | NDArray[np.float64]
    """Sum of the absolute contributions; of weighted ones under sampling weights."""
    largest: NDArray[np.int64] | NDArray[np.float64]
    """(n, k): the k largest absolute contributions, descending, padded with 0."""
    entities: NDArray[np.int64] | None = None
    """(n, k): who they are, as internal numbers; -1 where padded."""
    units: NDArray[np.int64] | None = None
    """Distinct units, where holdings are the entities."""
    records: NDArray[np.int64] | None = None
    nonzero: NDArray[np.int64] | None = None
    """Entities whose contribution is not 0."""
    signed: NDArray[np.int64] | NDArray[np.float64] | None = None
    """Signed sum of the rule variable, where it is not the published one."""
    unwaived: NDArray[np.int64] | NDArray[np.float64] | None = None
    """Largest absolute contribution of an entity that gave no waiver."""
    requested: NDArray[np.int64] | NDArray[np.float64] | None = None
    """(n, 2): largest contribution whose entity asked for protection, by flag 1, 2."""
    sum_of_weights: NDArray[np.float64] | None = None
    largest_unweighted: NDArray[np.int64] | None = None
    """Under sampling weights: largest absolute contribution as observed."""
    keys: NDArray[np.int64] | None = None
    """Cell key for counts: fraction of the sum of the record keys, in 1e-16."""
    keys_nonzero: NDArray[np.int64] | None = None
    """Cell key for amounts: only of records whose amount is not 0."""
    complete: NDArray[np.bool_] | None = None
    """Where ``largest`` can be relied on; None means everywhere. A total that was
    summed from finished cells knows its value and count, not its contributors."""

    def __repr__(self) -> str:
        return f"<Evidence: {len(self.contributors):,} cells, confidential>"


@dataclass(frozen=True, eq=False, repr=False)
class Contributions:
    """Who gave what to which leaf cell: the reduced microdata. Confidential.

    One row per (leaf cell, unit) in ascending order of leaf cell: ``leaf[r]`` is the
    index of that cell in ``Cells``; ``unit`` and ``holding`` are internal numbers
    (holding numbers live in their own space; without holdings it is None).
    """

    leaf: NDArray[np.int32]
    unit: NDArray[np.int64]
    value: NDArray[np.int64]
    holding: NDArray[np.int64] | None = None
    records: NDArray[np.int64] | None = None
    weighted: NDArray[np.float64] | None = None
    """Sum of weight times value, scaled like ``value``."""
    weight: NDArray[np.float64] | None = None
    """Sampling weight of the unit."""
    size: NDArray[np.int64] | None = None
    """Size (proxy) variable, scaled like ``value``."""
    waived: NDArray[np.bool_] | None = None
    request: NDArray[np.uint8] | None = None
    """0 no request, 1 or 2 the flag, 3 both flags."""
    key: NDArray[np.int64] | None = None
    """Record key, the largest of the unit's, in 1e-16."""

    def __len__(self) -> int:
        return len(self.leaf)

    def __repr__(self) -> str:
        return f"<Contributions: {len(self):,} rows, confidential>"


@dataclass(frozen=True, eq=False, repr=False)
class Levels:
    """Required protection, as distances from the value in published units."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    sliding: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"<Levels: {len(self.lower):,} cells, confidential>"
