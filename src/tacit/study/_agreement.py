# SPDX-License-Identifier: Apache-2.0
"""Where two rules agree, and what the cells look like on which they do not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Agreement", "Typical", "agreement", "kappa_label", "typical"]

# Upper ends of the classes of the scale that the literature cites, after rounding.
_LABELS = (
    (0.20, "slight"),
    (0.40, "fair"),
    (0.60, "moderate"),
    (0.80, "substantial"),
    (1.00, "almost perfect"),
)


@dataclass(frozen=True)
class Agreement:
    """How many cells both, one, the other, or neither of two rules calls sensitive.

    >>> Agreement(both=80, first=30, second=20, neither=870).label
    'substantial'
    """

    both: int
    first: int
    second: int
    neither: int

    @property
    def kappa(self) -> float:
        """Agreement beyond what chance would give; nan if there is nothing to explain.

        >>> round(Agreement(both=40, first=10, second=10, neither=40).kappa, 6)
        0.6
        """
        n = self.both + self.first + self.second + self.neither
        if not n:
            return math.nan
        one, other = self.both + self.first, self.both + self.second
        chance = (one * other + (n - one) * (n - other)) / n**2
        if chance == 1:
            return math.nan
        return ((self.both + self.neither) / n - chance) / (1 - chance)

    @property
    def label(self) -> str:
        """What the scale of Viera and Garrett calls this kappa."""
        return kappa_label(self.kappa)


def kappa_label(kappa: float) -> str:
    """Name a kappa: poor, slight, fair, moderate, substantial, almost perfect.

    >>> kappa_label(0.24), kappa_label(0.871), kappa_label(-0.1)
    ('fair', 'almost perfect', 'poor')
    """
    if math.isnan(kappa):
        return "not defined"
    if kappa < 0:
        return "poor"
    # The classes are printed with two digits, with nothing between .20 and .21.
    shown = math.floor(kappa * 100 + 0.5) / 100
    return next(label for end, label in _LABELS if shown <= end)


def agreement(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> Agreement:
    """Count the four cases over cells."""
    return Agreement(
        both=int((first & second).sum()),
        first=int((first & ~second).sum()),
        second=int((second & ~first).sum()),
        neither=int((~first & ~second).sum()),
    )


@dataclass(frozen=True)
class Typical:
    """The typical cell of a set: median shares, mean spread, mean lead of the largest.

    ``deviation`` is the mean standard deviation (n - 1) of the contributions.
    """

    cells: int
    shares: tuple[float, ...]
    deviation: float
    lead: float


def typical(x: NDArray[np.float64], which: NDArray[np.bool_]) -> Typical:
    """Describe the cells of a set, each with its contributions from the largest down.

    >>> cells = np.array([[6.0, 3.0, 1.0], [8.0, 1.0, 1.0]])
    >>> typical(cells, np.array([True, True])).shares
    (0.7, 0.2, 0.1)
    """
    chosen = x[which]
    if not len(chosen):
        none = tuple([math.nan] * x.shape[1])
        return Typical(0, none, math.nan, math.nan)
    shares = chosen / chosen.sum(axis=1, keepdims=True)
    median = np.median(shares, axis=0)
    return Typical(
        cells=len(chosen),
        shares=tuple(round(float(share), 12) for share in median),
        deviation=float(chosen.std(axis=1, ddof=1).mean()),
        lead=float((chosen[:, 0] - chosen[:, 1]).mean()),
    )
