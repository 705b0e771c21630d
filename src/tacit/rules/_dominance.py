# SPDX-License-Identifier: Apache-2.0
"""The (n,k) rule of dominance."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from pydantic import model_validator

from tacit.rules._concentration import Concentration
from tacit.rules._engine import Form
from tacit.rules._exact import percent
from tacit.rules._messages import check_at_least, check_percentage
from tacit.rules._registry import register

__all__ = ["Dominance"]


@register
class Dominance(Concentration):
    """Unsafe if the n largest contributions exceed k percent of the cell.

    ``first_sum="all"`` repeats the formula of a published study that sums all
    contributions where the n largest are meant; it is there to reproduce that study.

    >>> rule = Dominance(n=3, k=85)
    >>> rule.unsafe([25, 19, 13, 8, 2]), rule.unsafe([25, 19, 12, 8, 2])
    (True, False)
    >>> rule.contributors_implied
    4
    """

    kind: Literal["dominance"] = "dominance"
    n: int
    k: float
    first_sum: Literal["largest", "all"] = "largest"

    @model_validator(mode="after")
    def _check(self) -> Dominance:
        check_at_least("n", self.n, 1)
        check_percentage("k", self.k, top=100)
        return self

    @property
    def contributors_implied(self) -> int:
        """Fewest contributors that a safe cell can have."""
        return math.ceil(self.n / self._share)

    @property
    def _share(self) -> Fraction:
        return 1 - (1 - percent(self.k)) / self._relaxation

    def _form(self) -> Form:
        share = self._share
        if self.first_sum == "all":
            first, rest = (1 - share) / share, (1 - 2 * share) / share
            return Form(Fraction(0), (first - rest,) * self.n, rest)
        return Form(Fraction(0), (1 / share,) * self.n, Fraction(-1))

    def _scales(self) -> dict[str, Fraction]:
        share = self._share
        return {"upl": Fraction(1), "cox": share, "kim": share / (1 - share)}
