# SPDX-License-Identifier: Apache-2.0
"""The engine of precision thresholds and noise, under all rules of concentration.

Each respondent r of a cell has a threshold PT(r), how closely it must not be known;
noise N(r), what the others do not know about it; and self-noise SN(r), 0 if it knows
its own value. Respondent s, who looks for t, is held off by the noise of the rest:

    S = max over t != s of  PT(t) - SN(s) - sum of N(r) over r other than t and s

The cell is unsafe if S > 0. S is the sum of the best target's PT + N and the best
observer's N - SN, less all noise, so the best two of each are all that is needed. An
outsider is an observer without noise.

Where thresholds and noise are proportional to the contributions the best two are the
two largest, and S is a linear form over the largest contributions and the total: this
is what tables are judged by (:class:`Form`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tacit.errors import RuleError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Form", "precision_threshold", "precision_threshold_cells"]

T = TypeVar("T")


@dataclass(frozen=True)
class Form:
    """S = target * t + largest[0] * x1 + ... + total * X, with exact coefficients.

    t is the largest contribution that is protected: the largest of all, unless
    entities gave waivers or sampling weights tell it from the largest weighted one.
    """

    target: Fraction
    largest: tuple[Fraction, ...]
    total: Fraction

    @property
    def depth(self) -> int:
        """How many of the largest contributions the form looks at."""
        return len(self.largest)

    @classmethod
    def of_weights(cls, weights: Sequence[Fraction]) -> Form:
        """Read weights of the ordered contributions; the last is that of the rest.

        >>> Form.of_weights([Fraction(1, 4), Fraction(-1)])
        Form(target=Fraction(0, 1), largest=(Fraction(5, 4),), total=Fraction(-1, 1))
        """
        rest = weights[-1]
        return cls(Fraction(0), tuple(w - rest for w in weights[:-1]), rest)

    def terms(self, largest: Sequence[T], total: T, target: T) -> list[T]:
        """Order what the coefficients belong to."""
        return [target, *largest[: self.depth], total]

    @property
    def coefficients(self) -> tuple[Fraction, ...]:
        """The factors of the terms, in their order."""
        return (self.target, *self.largest, self.total)

    def value(
        self, largest: Sequence[Fraction], total: Fraction, target: Fraction
    ) -> Fraction:
        """Take the form of one cell.

        >>> p10 = Form(Fraction(1, 10), (Fraction(1), Fraction(1)), Fraction(-1))
        >>> p10.value([Fraction(81), Fraction(5)], Fraction(92), Fraction(81))
        Fraction(21, 10)
        """
        terms = self.terms(largest, total, target)
        products = (c * x for c, x in zip(self.coefficients, terms, strict=True))
        return sum(products, start=Fraction(0))


def precision_threshold(
    threshold: Sequence[float],
    noise: Sequence[float],
    self_noise: Sequence[float] | None = None,
) -> float:
    """Give the sensitivity of one cell from its thresholds and noise.

    The p% rule has thresholds p/100 of the contributions, which are the noise:

    >>> x = [81, 5, 2, 2, 2]
    >>> round(precision_threshold([0.10 * value for value in x], x), 6)
    2.1
    """
    arrays = (
        threshold,
        noise,
        [0.0] * len(noise) if self_noise is None else self_noise,
    )
    if len({len(array) for array in arrays}) > 1:
        message = "Thresholds, noise and self-noise must have one value per respondent."
        raise RuleError(message)
    if not len(noise):
        return 0.0
    columns = [np.asarray(array, dtype=np.float64) for array in arrays]
    indptr = np.array([0, len(noise)])
    return float(
        precision_threshold_cells(columns[0], columns[1], columns[2], indptr=indptr)[0]
    )


def precision_threshold_cells(
    threshold: NDArray[np.float64],
    noise: NDArray[np.float64],
    self_noise: NDArray[np.float64],
    *,
    indptr: NDArray[np.integer[Any]],
) -> NDArray[np.float64]:
    """Give the sensitivity of many cells; those of cell i lie from indptr[i] on.

    >>> x = np.array([300.0, 20, 10, 50, 50, 50])
    >>> two = np.array([0, 3, 6])
    >>> precision_threshold_cells(x / 10, x, 0 * x, indptr=two).tolist()
    [20.0, -45.0]
    """
    cells = len(indptr) - 1
    sizes = np.diff(indptr)
    cell = np.repeat(np.arange(cells), sizes)
    targets, first, second = _best_two(threshold + noise, cell, cells)
    observers, best, runner_up = _best_two(noise - self_noise, cell, cells)
    # The best target and the best observer may be one and the same respondent; then
    # one of them makes room for its runner-up. An outsider observes with 0.
    same = (targets == observers) & (sizes > 0)
    apart = first + np.maximum(best, 0.0)
    swapped = np.maximum(
        first + np.maximum(runner_up, 0.0), second + np.maximum(best, 0.0)
    )
    most = np.where(same, swapped, apart)
    everything = np.bincount(cell, weights=noise, minlength=cells)
    return np.where(sizes > 0, most - everything, 0.0)


def _best_two(
    values: NDArray[np.float64], cell: NDArray[np.int64], cells: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Per cell, where its largest value lies, that value and the next (or -inf)."""
    order = np.lexsort((-values, cell))
    starts = np.searchsorted(cell[order], np.arange(cells))
    counts = np.bincount(cell, minlength=cells)
    padded = np.append(values[order], [-np.inf, -np.inf])
    who = np.append(order, -1)[np.minimum(starts, len(order))]
    first = np.where(counts > 0, padded[starts], -np.inf)
    second = np.where(counts > 1, padded[starts + 1], -np.inf)
    return np.where(counts > 0, who, -1), first, second
