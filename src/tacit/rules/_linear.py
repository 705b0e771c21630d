# SPDX-License-Identifier: Apache-2.0
"""Any linear measure of sensitivity, given by its weights."""

from __future__ import annotations

import warnings
from collections.abc import Sequence  # noqa: TC003 - pydantic reads it
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar, Literal

from pydantic import field_validator, model_validator

from tacit.rules._concentration import Concentration
from tacit.rules._engine import Form
from tacit.rules._messages import SubadditivityWarning
from tacit.rules._registry import register

__all__ = ["LinearRule"]


@register
class LinearRule(Concentration):
    """Unsafe if the weighted sum of the ordered contributions is positive.

    ``weights`` belong to the largest, the second largest ... contribution; the last
    one to all that remain. They should not increase: else the union of two safe cells
    can be unsafe, and a warning says so. Waivers change nothing here.

    >>> p10 = LinearRule(weights=[0.1, 0, -1])
    >>> p10.sensitivity([81, 5, 2, 2, 2])
    2.1
    """

    kind: Literal["linear"] = "linear"
    weights: Sequence[float]
    _waivable: ClassVar[bool] = False

    @field_validator("weights", mode="before")
    @classmethod
    def _listed(cls, weights: object) -> object:
        return tuple(weights) if isinstance(weights, list) else weights

    @model_validator(mode="after")
    def _check(self) -> LinearRule:
        weights = self.weights
        if len(weights) < 2 or not max(weights) > 0:  # noqa: PLR2004 - one and a rest
            message = (
                "'weights' needs at least two numbers, that of the largest "
                "contribution and that of the rest, and one of them above 0."
            )
            raise ValueError(message)
        if self.negatives == "relaxed":
            message = "negatives='relaxed' has no meaning for weights; relax them."
            raise ValueError(message)
        if any(later > earlier for earlier, later in pairwise(weights)):
            warnings.warn(
                "'weights' increase: two cells that are safe can then add up to an "
                "unsafe one, and suppression cannot rely on the levels.",
                SubadditivityWarning,
                stacklevel=2,
            )
        return self

    def _form(self) -> Form:
        return Form.of_weights([Fraction(repr(float(w))) for w in self.weights])

    def _scales(self) -> dict[str, Fraction]:
        return {"upl": Fraction(1)}
