# SPDX-License-Identifier: Apache-2.0
"""What a rounded number says about the true one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from tacit.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Room", "Rounding", "rounding_of"]


class Room(Protocol):
    """What published numbers say about true ones."""

    def ends(
        self, published: NDArray[np.int64], *, whole: bool, unit: float = 1.0
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest true value behind each published one, scaled."""


class Rounding(BaseModel):
    """How published numbers were rounded: to multiples of ``base``.

    Random and controlled rounding take a neighbouring multiple, so the true value is
    less than one base away; with ``steps`` the multiple may lie that many further.
    ``nearest`` rounding keeps it within half a base.

    >>> Rounding(base=5).room(whole=True), Rounding(base=5, steps=1).room(whole=True)
    (4.0, 9.0)
    >>> Rounding(base=10, nearest=True).room(whole=False)
    5.0
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    base: float = Field(gt=0, description="the multiple that numbers were rounded to")
    steps: int = Field(
        default=0, ge=0, description="multiples that a number may be away beyond one"
    )
    nearest: bool = Field(default=False, description="whether always to the nearest")
    ties: Literal["up", "even"] | None = Field(
        default=None,
        description="where the nearest is not unique: away from zero, to the even "
        "multiple, or not known",
    )

    def room(self, *, whole: bool, unit: float = 1.0) -> float:
        """How far the true value may be, in scaled amounts of ``unit`` each.

        Whole numbers stay strictly within the base; other amounts may come as close
        to it as they like.
        """
        base = self.base * unit
        if self.nearest:
            half = base / 2 + self.steps * base
            return float(np.floor(half)) if whole else half
        far = base * (self.steps + 1)
        return far - 1.0 if whole else far

    def ends(
        self, published: NDArray[np.int64], *, whole: bool, unit: float = 1.0
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest true value behind each published one, scaled.

        >>> low, high = Rounding(base=10, nearest=True, ties="up").ends(
        ...     np.array([0, 10]), whole=True)
        >>> low.tolist(), high.tolist()
        ([-4.0, 5.0], [4.0, 14.0])
        """
        room = self.room(whole=whole, unit=unit)
        at = published.astype(np.float64)
        low, high = at - room, at + room
        base = self.base * unit
        if not (self.nearest and self.ties and whole and base % 2 == 0):
            return low, high
        # Half a base is a whole number here, and ties do not go both ways.
        if self.ties == "up":
            less, more = at >= 0, at <= 0
        else:
            less = more = (at / base) % 2 == 1
        low[more] += 1
        high[less] -= 1
        return low, high


def rounding_of(base: float | Rounding | None) -> Rounding | None:
    """Take a number as the base of random or controlled rounding.

    >>> rounding_of(3)
    Rounding(base=3.0, steps=0, nearest=False, ties=None)
    """
    if base is None or isinstance(base, Rounding):
        return base
    number = isinstance(base, int | float) and not isinstance(base, bool)
    if not number or not 0 < base < np.inf:
        message = (
            "base= is the number that the table was rounded to, such as 5, or "
            "tacit.audit.Rounding(base=5, steps=1, nearest=False)."
        )
        raise InputError(message)
    return Rounding(base=base)
