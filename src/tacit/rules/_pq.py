# SPDX-License-Identifier: Apache-2.0
"""The p/q rule: as p%, but the others are already known within q percent."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from pydantic import model_validator

from tacit.rules._concentration import Concentration
from tacit.rules._engine import Form
from tacit.rules._exact import percent
from tacit.rules._messages import check_percentage
from tacit.rules._registry import register

__all__ = ["PQ"]


@register
class PQ(Concentration):
    """Unsafe if knowing others within q percent gives the largest within p percent.

    It is the p% rule with p = 100 p/q.

    >>> PQ(p=20, q=50).sensitivity([300, 20, 10])
    110.0
    """

    kind: Literal["pq"] = "pq"
    p: float
    q: float

    @model_validator(mode="after")
    def _check(self) -> PQ:
        check_percentage("q", self.q, top=100, inclusive=True)
        check_percentage("p", self.p, top=100)
        if self.p >= self.q:
            message = (
                "'p' must be below 'q': what is not to be known within p percent "
                "cannot already be known within less."
            )
            raise ValueError(message)
        return self

    def _form(self) -> Form:
        return Form(self._share, (Fraction(1), Fraction(1)), Fraction(-1))

    @property
    def _share(self) -> Fraction:
        return percent(self.p) / percent(self.q) / self._relaxation

    def _scales(self) -> dict[str, Fraction]:
        return {"upl": Fraction(1), "cox": Fraction(1), "kim": 1 / self._share}
