# SPDX-License-Identifier: Apache-2.0
"""The p% rule: the largest contributor must not be estimated within p percent."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from pydantic import model_validator

from tacit.rules._concentration import Concentration
from tacit.rules._engine import Form
from tacit.rules._exact import percent
from tacit.rules._messages import check_at_least, check_percentage
from tacit.rules._registry import register

__all__ = ["PPercent"]


@register
class PPercent(Concentration):
    """Unsafe if a coalition of the next largest comes within p percent of the largest.

    The required upper level is p/100 of the largest contribution, less all that the
    largest and its ``coalition`` next ones leave. ``p`` above 100 needs
    ``over_100=True``. Entities that gave a waiver are not protected, but can look.

    >>> rule = PPercent(p=10)
    >>> rule.sensitivity([81, 5, 2, 2, 2]), PPercent(p=7).unsafe([81, 5, 2, 2, 2])
    (2.1, False)
    >>> PPercent(p=15).unsafe([300, 200, 10], waived=[True, False, False])
    True
    """

    kind: Literal["p_percent"] = "p_percent"
    p: float
    coalition: int = 1
    over_100: bool = False

    @model_validator(mode="after")
    def _check(self) -> PPercent:
        check_at_least("coalition", self.coalition, 1)
        if self.p > 100 and not self.over_100:  # noqa: PLR2004 - percent
            message = (
                "'p' is a percentage and must lie above 0 and at most 100. If more "
                "than the whole contribution is meant, say so with over_100=True."
            )
            raise ValueError(message)
        check_percentage("p", self.p, top=None)
        return self

    def _form(self) -> Form:
        ones = (Fraction(1),) * (self.coalition + 1)
        return Form(percent(self.p) / self._relaxation, ones, Fraction(-1))

    def _scales(self) -> dict[str, Fraction]:
        return {
            "upl": Fraction(1),
            "cox": Fraction(1),
            "kim": self._relaxation / percent(self.p),
        }
