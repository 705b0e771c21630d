# SPDX-License-Identifier: Apache-2.0
"""The safe set of one cell, for learning and for checking."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Literal

import numpy as np

from tacit.errors import InputError, suggest
from tacit.protect.adjust._attacks import (
    SCENARIOS,
    People,
    Scenario,
    attacks_on,
    forbidden,
    reach_of,
)
from tacit.protect.adjust._safe_set import HIGHEST, LOWEST, safe_segments

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["m3a_safe_set"]

_LARGEST = 2**53


def m3a_safe_set(
    x: Sequence[float],
    d: float = 10,
    phi: int | None = 3,
    *,
    scenarios: Sequence[Scenario] = SCENARIOS,
    mode: Literal["union", "paper"] = "union",
    least: float | None = None,
    min_gap: float = 0.0,
) -> list[tuple[float, float]]:
    """Give the segments in which the sum of these contributions may be published.

    Every number outside of them lets somebody estimate a contribution, or a sum of
    some, to less than ``d`` percent. The ends are exact, and safe themselves.

    Args:
        x: The contributions to one cell, in any order.
        d: Percent by which every estimate must be off.
        phi: How many of the largest contributors attack; None: all of them.
        scenarios: The attacks, by name.
        mode: ``"paper"`` forbids what lies between two attacks as well.
        least: Least distance of an estimate, where contributions may be negative.
        min_gap: Leave out segments that are narrower.

    >>> m3a_safe_set([100, 10])
    [(0.0, 18.0), (22.0, 100.0), (120.0, 180.0), (220.0, inf)]
    >>> m3a_safe_set([500], mode="paper")
    [(0.0, 450.0), (550.0, inf)]
    """
    if not 0 < d < 100:  # noqa: PLR2004 - percent
        message = f"d={d} is no percentage between 0 and 100."
        raise InputError(message)
    for name in scenarios:
        if name not in _MAKERS:
            message = f"There is no scenario '{name}'. {suggest(str(name), _MAKERS)}"
            raise InputError(message)
    share = Fraction(str(d)) / 100
    exact = [Fraction(str(one)) for one in x]
    signed = any(one < 0 for one in exact)
    if signed and least is None:
        message = "Some contributions are negative: give least=, a least distance."
        raise InputError(message)
    floor = Fraction(str(least or 0))
    scale = share.denominator * lcm(*(one.denominator for one in (*exact, floor)))
    ordered = sorted((one * scale for one in exact), key=lambda one: (-abs(one), one))
    if ordered and abs(ordered[0]) > _LARGEST:
        message = (
            "These contributions have too many digits to be computed with exactly."
        )
        raise InputError(message)
    value = np.array([int(one) for one in ordered], dtype=np.int64)
    people = People(np.array([0, len(value)]), value)
    attacks = attacks_on(people, phi=phi, scenarios=tuple(scenarios), signed=signed)
    lowest = np.array([LOWEST if signed else 0], dtype=np.int64)
    bad = forbidden(attacks, reach_of(attacks, share, int(floor * scale)))
    found = safe_segments(1, [bad], lower=lowest, hull=mode == "paper")
    pairs = zip(found.low.tolist(), found.high.tolist(), strict=True)
    segments = [(_end(low, scale), _end(high, scale)) for low, high in pairs]
    return [(low, high) for low, high in segments if high - low >= min_gap]


_MAKERS = (*SCENARIOS, "I_any")


def _end(number: int, scale: int) -> float:
    if number in (LOWEST, HIGHEST):
        return float(np.sign(number)) * float("inf")
    return number / scale
