# SPDX-License-Identifier: Apache-2.0
"""How likely a linear rule calls exponential cells sensitive, without drawing any."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.study._draws import Family

__all__ = ["calibrated", "sensitive_share"]

_APART = Fraction(1, 10**9)


def sensitive_share(weights: Sequence[float]) -> float:
    """Probability that the weighted sum of ordered exponentials is above zero.

    The i-th largest of n exponentials is a sum of independent ones divided by i to n,
    so the weighted sum is itself one of independent exponentials with coefficients
    c_j, and is above zero with probability sum over c_j > 0 of prod c_j / (c_j - c_i).
    Equal coefficients are set apart by a billionth: the limit, to nine digits.

    >>> round(sensitive_share([0.1, 0, -1]), 9) == round(5 / 14, 9)
    True
    """
    if not weights:
        message = "A rule needs the weight of at least one contribution."
        raise InputError(message)
    c, running = [], Fraction(0)
    for j, weight in enumerate(weights, start=1):
        running += Fraction(weight).limit_denominator(10**9)
        c.append(running / j)
    c = _set_apart(c)
    share = Fraction(0)
    for j, one in enumerate(c):
        if one > 0:
            product = Fraction(1)
            for i, other in enumerate(c):
                if i != j and other:
                    product *= one / (one - other)
            share += product
    return min(1.0, max(0.0, float(share)))


def _set_apart(c: list[Fraction]) -> list[Fraction]:
    seen: set[Fraction] = set()
    found = []
    for one in c:
        given = one
        while given in seen and given:
            given *= 1 + _APART
        seen.add(given)
        found.append(given)
    return found


def calibrated(family: Family, contributors: int, share: float) -> float:
    """The parameter at which this share of exponential cells is sensitive, exactly.

    >>> from tacit.study._draws import FAMILIES
    >>> round(calibrated(FAMILIES["p_percent"], 4, 0.2), 4)
    19.0582
    """
    weights = family.weights
    if weights is None:
        message = (
            f"The rule '{family.name}' is not linear, so that its share follows from "
            "no formula. Take the quantile of a large simulation (for_share)."
        )
        raise InputError(message)
    low, high = 1e-6, 100 - 1e-6 if not family.rising else 1e6
    for _ in range(80):
        middle = (low + high) / 2
        enough = sensitive_share(weights(middle, contributors)) >= share
        if enough == family.rising:
            high = middle
        else:
            low = middle
    return (low + high) / 2
