# SPDX-License-Identifier: Apache-2.0
"""What becomes of the shape of rows and columns: entropy, variance, association."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tacit.measure._registry import register

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tacit.measure._pair import Lines, Pair
    from tacit.measure._subject import Subject

    Statistic = Callable[[NDArray[np.float64], Lines], NDArray[np.float64]]

__all__ = ["chi_squared_of", "cramers_v_of", "entropies", "variances"]

_ANY = (-math.inf, math.inf)
_ENTROPY = r"100\,(\sum_\ell H'_\ell - \sum_\ell H_\ell) / \sum_\ell H_\ell,\ "
_ENTROPY += r"H_\ell = -\sum_{c \in \ell} p_c \ln p_c"
_VARIANCE = r"100\,(\sum_\ell V'_\ell - \sum_\ell V_\ell) / \sum_\ell V_\ell,\ "
_VARIANCE += r"V_\ell = \sum_{c \in \ell} (T_c - \bar T_\ell)^2 / (C_\ell - 1)"


@register(better="zero", range=_ANY, formula=_ENTROPY)
def entropy_loss_rows(subject: Subject) -> float:
    """Change of the entropy within rows, in percent."""
    return _change(entropies, subject.pair, subject.pair.rows)


@register(better="zero", range=_ANY, formula=_ENTROPY)
def entropy_loss_columns(subject: Subject) -> float:
    """Change of the entropy within columns, in percent."""
    return _change(entropies, subject.pair, subject.pair.columns)


@register(better="zero", range=(-100.0, math.inf), formula=_VARIANCE)
def relative_variance_rows(subject: Subject) -> float:
    """Change of the variance within rows, in percent."""
    return _change(variances, subject.pair, subject.pair.rows)


@register(better="zero", range=(-100.0, math.inf), formula=_VARIANCE)
def relative_variance_columns(subject: Subject) -> float:
    """Change of the variance within columns, in percent."""
    return _change(variances, subject.pair, subject.pair.columns)


@register(
    better="zero",
    range=(-100.0, math.inf),
    formula=r"100\,(V' - V)/V,\ V = \sqrt{(\chi^2/T) / \min(R - 1, K - 1)}",
)
def relative_cramers_v(subject: Subject) -> float:
    """Change of the association of rows and columns, as Cramér's V, in percent."""
    pair = subject.pair
    before = cramers_v_of(pair.original, pair.rows, pair.columns)
    return _relative(before, cramers_v_of(pair.released, pair.rows, pair.columns))


@register(
    better="zero",
    range=(-100.0, math.inf),
    formula=r"100\,(\chi'^2 - \chi^2)/\chi^2,\ \chi^2 = \sum_c (T_c - e_c)^2 / e_c",
)
def relative_chi_squared(subject: Subject) -> float:
    """Change of the chi-squared statistic of rows and columns, in percent."""
    pair = subject.pair
    before = chi_squared_of(pair.original, pair.rows, pair.columns)
    return _relative(before, chi_squared_of(pair.released, pair.rows, pair.columns))


def entropies(values: NDArray[np.float64], lines: Lines) -> NDArray[np.float64]:
    """Entropy of each line in nats; 0 log 0 is 0, and so is that of an empty line.

    >>> import numpy as np
    >>> from tacit.measure._pair import Lines
    >>> two = Lines(np.array([0, 0, 1]), np.array([[0, 1]], dtype=np.int32))
    >>> entropies(np.array([1.0, 1.0, 5.0]), two).round(6).tolist()
    [0.693147, 0.0]
    """
    if (values < 0).any():
        return np.full(len(lines), math.nan)
    there = values > 0
    share = values[there] / lines.sums(values)[lines.of[there]]
    terms = np.zeros(len(values))
    terms[there] = -share * np.log(share)
    return lines.sums(terms)


def variances(values: NDArray[np.float64], lines: Lines) -> NDArray[np.float64]:
    """Variance of each line (n - 1); a line of fewer than two cells has none.

    >>> import numpy as np
    >>> from tacit.measure._pair import Lines
    >>> two = Lines(np.array([0, 0, 1]), np.array([[0, 1]], dtype=np.int32))
    >>> variances(np.array([1.0, 3.0, 5.0]), two).tolist()
    [2.0, 0.0]
    """
    mean = lines.sums(values) / np.maximum(lines.counts, 1)
    squares = lines.sums((values - mean[lines.of]) ** 2)
    found: NDArray[np.float64] = squares / np.maximum(lines.counts - 1, 1)
    return found


def chi_squared_of(values: NDArray[np.float64], rows: Lines, columns: Lines) -> float:
    """Chi-squared of a table; cells that are not held count as 0."""
    total = float(values.sum())
    if total <= 0 or (values < 0).any():
        return math.nan if (values < 0).any() else 0.0
    row, column = rows.sums(values), columns.sums(values)
    expected = row[rows.of] * column[columns.of] / total
    there = expected > 0
    held = (values[there] - expected[there]) ** 2 / expected[there]
    # What is expected where no cell is held counts in full.
    return float(held.sum()) + max(0.0, total - float(expected.sum()))


def cramers_v_of(values: NDArray[np.float64], rows: Lines, columns: Lines) -> float:
    """Cramér's V of a table: 0 without any association, 1 with a perfect one."""
    fewest = min(len(rows), len(columns)) - 1
    total = float(values.sum())
    if fewest < 1 or total <= 0:
        return math.nan
    return math.sqrt(chi_squared_of(values, rows, columns) / total / fewest)


def _change(statistic: Statistic, pair: Pair, lines: Lines) -> float:
    before = float(statistic(pair.original, lines).sum())
    return _relative(before, float(statistic(pair.released, lines).sum()))


def _relative(before: float, after: float) -> float:
    if before == after:
        return 0.0
    if before == 0:
        return math.inf
    return 100 * (after - before) / before
