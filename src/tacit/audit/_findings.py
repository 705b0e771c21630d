# SPDX-License-Identifier: Apache-2.0
"""What an audit found, in columns: the worst kind first."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Draft", "Findings", "Kind"]


class Kind(IntEnum):
    """What is wrong, the worst first."""

    EXACT = 0
    INTERVAL = 1
    SUM = 2
    INSIDER = 3
    DIFFERENCE = 4

    @property
    def label(self) -> str:
        """The name that frames and files show."""
        return _LABELS[self]


_LABELS = {
    Kind.EXACT: "exact",
    Kind.INTERVAL: "interval",
    Kind.SUM: "derivable sum",
    Kind.INSIDER: "insider",
    Kind.DIFFERENCE: "differencing",
}


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """Violations, one a row, sorted by severity.

    ``cell`` is the cell that is given away; of a sum it is the total of the relation
    that fixes it, or -1. ``lowest`` and ``highest`` are in published units and
    missing (NaN) where they were not computed. ``why`` says it in words, by codes.
    """

    kind: NDArray[np.uint8]
    cell: NDArray[np.int64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    why: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.kind)

    def __repr__(self) -> str:
        return f"<Findings: {len(self):,}, confidential>"

    def count(self, kind: Kind) -> int:
        """How many violations of this kind there are."""
        return int(np.count_nonzero(self.kind == kind))


@dataclass
class Draft:
    """Findings in the making."""

    kind: list[int] = field(default_factory=list)
    cell: list[int] = field(default_factory=list)
    lowest: list[float] = field(default_factory=list)
    highest: list[float] = field(default_factory=list)
    why: list[str] = field(default_factory=list)

    def add(
        self,
        kind: Kind,
        cell: int,
        *,
        why: str,
        lowest: float = np.nan,
        highest: float = np.nan,
    ) -> None:
        """Note one violation."""
        self.kind.append(int(kind))
        self.cell.append(cell)
        self.lowest.append(lowest)
        self.highest.append(highest)
        self.why.append(why)

    def sorted(self) -> Findings:
        """Sort: by kind, then the narrowest interval, then the cell."""
        kind = np.array(self.kind, dtype=np.uint8)
        cell = np.array(self.cell, dtype=np.int64)
        lowest, highest = np.array(self.lowest, float), np.array(self.highest, float)
        why: NDArray[np.object_] = np.array([*self.why, None], dtype=object)[:-1]
        width = np.nan_to_num(highest - lowest, nan=np.inf, posinf=np.inf)
        order = np.lexsort((cell, width, kind))
        columns = (kind[order], cell[order], lowest[order], highest[order])
        return Findings(*columns, why[order])
