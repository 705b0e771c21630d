# SPDX-License-Identifier: Apache-2.0
"""How far the released values lie from the original ones, over the interior cells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tacit.measure._registry import register

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.measure._subject import Subject

__all__ = ["hellinger_distance", "kullback_leibler_divergence"]


@register(formula=r"\sum_c |T'_c - T_c|")
def absolute_loss_per_cell(subject: Subject) -> float:
    """Sum of the absolute changes of the interior cells."""
    return float(np.abs(subject.pair.change).sum())


@register(formula=r"100 \sum_c |T'_c - T_c| \,/\, |\sum_c T_c|")
def absolute_loss_percent(subject: Subject) -> float:
    """Sum of the absolute changes, in percent of the original sum."""
    return _percent(absolute_loss_per_cell(subject), subject.pair.original.sum())


@register(formula=r"\frac{1}{C} \sum_c |T'_c - T_c|")
def mean_absolute_loss(subject: Subject) -> float:
    """Mean absolute change of an interior cell."""
    return float(np.abs(subject.pair.change).mean())


@register(formula=r"\sum_{c:\,T_c \ne 0} |T'_c - T_c| / |T_c|")
def relative_loss(subject: Subject) -> float:
    """Sum of the changes, each relative to its own original value."""
    pair = subject.pair
    there = pair.original != 0
    return float((np.abs(pair.change[there]) / np.abs(pair.original[there])).sum())


@register(formula=r"\sum_c \bigl|\sqrt{T'_c} - \sqrt{T_c}\bigr|")
def square_root_loss(subject: Subject) -> float:
    """Sum of the absolute changes of the square roots."""
    pair = subject.pair
    if not pair.one_signed:
        return math.nan
    return float(np.abs(np.sqrt(pair.released) - np.sqrt(pair.original)).sum())


@register(formula=r"|G' - G|")
def absolute_loss_total(subject: Subject) -> float:
    """Change of the grand total, as it is published."""
    before, after = subject.pair.total
    return abs(after - before)


@register(formula=r"100\,|G' - G| \,/\, |G|")
def absolute_loss_total_percent(subject: Subject) -> float:
    """Change of the grand total in percent."""
    return _percent(absolute_loss_total(subject), subject.pair.total[0])


@register(formula=r"\sqrt{\tfrac12 \sum_c (\sqrt{T'_c} - \sqrt{T_c})^2}")
def hellinger(subject: Subject) -> float:
    """Hellinger distance of the values."""
    pair = subject.pair
    return hellinger_distance(pair.original, pair.released)


@register(
    range=(0.0, 1.0),
    formula=r"\sqrt{\tfrac12 \sum_c (\sqrt{T'_c/T'} - \sqrt{T_c/T})^2}",
)
def hellinger_shares(subject: Subject) -> float:
    """Hellinger distance of the shares of the cells in their sum."""
    pair = subject.pair
    return hellinger_distance(_shares(pair.original), _shares(pair.released))


@register(formula=r"\sum_c p_c \ln(p_c / p'_c),\ p_c = T_c / T")
def kullback_leibler(subject: Subject) -> float:
    """Divergence of the released shares from the original ones, in nats."""
    pair = subject.pair
    if not pair.one_signed:
        return math.nan
    return kullback_leibler_divergence(_shares(pair.original), _shares(pair.released))


def hellinger_distance(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Hellinger distance of two vectors; nan where one is negative somewhere.

    >>> import numpy as np
    >>> hellinger_distance(np.array([9.0, 0.0]), np.array([4.0, 1.0]))
    1.0
    """
    if not ((p >= 0).all() and (q >= 0).all()):
        return math.nan
    return math.sqrt(float(((np.sqrt(q) - np.sqrt(p)) ** 2).sum()) / 2)


def kullback_leibler_divergence(
    p: NDArray[np.float64], q: NDArray[np.float64]
) -> float:
    """Divergence of q from p in nats; infinite where q misses what p has."""
    there = p > 0
    if (q[there] == 0).any():
        return math.inf
    terms = p[there] * np.log(p[there] / q[there])
    # Between equal shares it is zero, and never below but for the last digits.
    return max(0.0, float(terms.sum()))


def _shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    total = values.sum()
    return values / total if total else values


def _percent(part: float, whole: float) -> float:
    if whole == 0:
        return 0.0 if part == 0 else math.inf
    return 100 * part / abs(float(whole))
