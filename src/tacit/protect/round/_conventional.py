# SPDX-License-Identifier: Apache-2.0
"""Each number to the nearest multiple, by itself: what is published does not add up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from tacit.protect._perturbing import Changed
from tacit.protect.round._base import Rounds, base_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment

__all__ = ["Conventional", "Options", "change", "nearest"]


class Conventional(Rounds):
    """Round each number to the nearest multiple of ``base``, by itself.

    What is published does not add up any more.
    """

    ties: Literal["up", "even"] = Field(
        default="up",
        description="where a number half-way between two multiples goes: up, away from "
        "zero, or to the even multiple",
    )


Options = Conventional


def change(assessment: Assessment, options: Conventional, clock: Clock) -> Changed:  # noqa: ARG001 - as every method
    """Round every value to the nearest multiple."""
    base = base_of(assessment, options)
    value = assessment.table.cells.value
    published = nearest(value, base, even=options.ties == "even")
    notes = {"base": base, "steps": 0, "nearest": True, "ties": options.ties}
    distance = float(np.abs(published - value).sum())
    return Changed(published, "rounding", cost=distance, bound=distance, notes=notes)


def nearest(
    value: NDArray[np.int64], base: int, *, even: bool = False
) -> NDArray[np.int64]:
    """Give the nearest multiple of each number, exactly.

    >>> nearest(np.array([2, 5, 15, -5]), 10).tolist()
    [0, 10, 20, -10]
    >>> nearest(np.array([2, 5, 15, -5]), 10, even=True).tolist()
    [0, 0, 20, 0]
    """
    size = np.abs(value)
    multiple, rest = np.divmod(size, base)
    up = rest > base - rest
    half = rest == base - rest
    up |= half & ((multiple % 2 == 1) if even else True)
    rounded: NDArray[np.int64] = np.sign(value) * (multiple + up) * base
    return rounded
