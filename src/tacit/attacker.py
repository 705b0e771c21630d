# SPDX-License-Identifier: Apache-2.0
"""What somebody knows who tries to work out what a table withholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tacit.errors import InputError, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["Attacker", "default_attackers", "outsider_among"]

Factors = tuple[float, float]


class Attacker(BaseModel):
    """What is known before the table is read; protection and audit share this model.

    Everybody knows the published cells and what adds up to what. An attacker may know
    more: bounds of each cell, that amounts are whole or not negative, which cells are
    empty, and, as an insider, its own contributions. The default is an outsider;
    :func:`default_attackers` adds every insider.

    >>> Attacker(bounds=(0.5, 1.5))
    Attacker(bounds=(0.5, 1.5))
    >>> Attacker(insiders="singletons", coalition=2).knows_own
    True
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    bounds: Literal["table", "none"] | Factors = Field(
        default="table",
        description="what is known of each cell beforehand: the bounds that come with "
        "the table, nothing, or factors of the true value such as (0.5, 1.5)",
    )
    non_negative: bool | None = Field(
        default=None,
        description="whether no cell is below zero; None: as the table is",
    )
    integral: bool | None = Field(
        default=None,
        description="whether every cell is a whole number of the last decimal; None: "
        "counts are",
    )
    knows_empty: bool = Field(
        default=True,
        description="whether cells that are not listed are known to be empty",
    )
    others_at_least_one: bool | None = Field(
        default=None,
        description="whether a withheld count is known to be at least 1; None: where "
        "no withheld cell is 0 (of somebody else's table: where zeros are printed)",
    )
    insiders: Literal["none", "singletons"] = Field(
        default="none",
        description="whose own contributions are known: of nobody, or of everyone who "
        "fills a withheld cell alone",
    )
    coalition: int = Field(
        default=1, ge=1, description="how many insiders pool what they know"
    )

    def __init__(self, **known: Any) -> None:  # noqa: ANN401 - pydantic checks them
        try:
            super().__init__(**known)
        except ValidationError as error:
            raise InputError(_explained(error, type(self).model_fields)) from None

    # Within a job pydantic then validates the fields itself, and keeps their places.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @field_validator("bounds")
    @classmethod
    def _around_the_truth(cls, bounds: str | Factors) -> str | Factors:
        if isinstance(bounds, str):
            return bounds
        low, high = bounds
        # The negation also catches what is not a number.
        if not low <= 1 <= high:
            message = (
                f"the factors ({low:g}, {high:g}) exclude the true value. The first "
                "is at most 1, the second at least 1, as in (0.5, 1.5)"
            )
            raise ValueError(message)
        return bounds

    def __repr__(self) -> str:
        changed = ", ".join(
            f"{name}={getattr(self, name)!r}"
            for name, field in type(self).model_fields.items()
            if getattr(self, name) != field.default
        )
        return f"Attacker({changed})"

    __str__ = __repr__

    @property
    def knows_own(self) -> bool:
        """Whether this is an insider."""
        return self.insiders != "none"

    def whole(self, *, is_count: bool) -> bool:
        """Whether amounts are known to be whole numbers of the last decimal."""
        return is_count if self.integral is None else self.integral

    def natural_lower(
        self, value: NDArray[np.int64], hidden: NDArray[np.bool_], *, one: int = 0
    ) -> NDArray[np.float64]:
        """Lower bounds from the kind of number alone: nobody can be led below them.

        ``one`` is what a single unit of a count is in scaled amounts, 0 for
        magnitudes. Amounts below zero anywhere mean that there is no lower bound.

        >>> import numpy as np
        >>> every = np.array([True, True])
        >>> Attacker().natural_lower(np.array([3, 1]), every, one=1).tolist()
        [1.0, 1.0]
        >>> Attacker().natural_lower(np.array([3, -1]), every).tolist()
        [-inf, -inf]
        """
        known = self.non_negative
        if known is None:
            known = not (value < 0).any()
        if not known:
            return np.full(len(value), -np.inf)
        least = one
        if self.others_at_least_one is None:
            least = one if bool((value[hidden] >= one).all()) else 0
        elif not self.others_at_least_one:
            least = 0
        return np.where(hidden, float(least), 0.0)

    def bounds_on(
        self,
        value: NDArray[np.int64],
        hidden: NDArray[np.bool_],
        *,
        one: int = 0,
        given: tuple[NDArray[np.int64] | None, NDArray[np.int64] | None] = (None, None),
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Bounds of every cell as this attacker knows them, in scaled amounts.

        ``given`` are the bounds that came with the table. Both protection and audit
        take their bounds from here.

        >>> import numpy as np
        >>> low, high = Attacker(bounds=(0.5, 1.5)).bounds_on(
        ...     np.array([10, 20]), np.array([True, True]))
        >>> low.tolist(), high.tolist()
        ([5.0, 10.0], [15.0, 30.0])
        """
        below, above = given if self.bounds == "table" else (None, None)
        if below is not None and self.non_negative is None:
            lower = below.astype(np.float64)
        else:
            lower = self.natural_lower(value, hidden, one=one)
            if below is not None:
                lower = np.maximum(lower, below)
        upper = np.full(len(value), np.inf) if above is None else above.astype(float)
        if not isinstance(self.bounds, str):
            ends = np.stack([value * self.bounds[0], value * self.bounds[1]])
            lower = np.maximum(lower, ends.min(axis=0))
            upper = np.minimum(upper, ends.max(axis=0))
        return lower, upper


def _explained(error: ValidationError, fields: Iterable[str]) -> str:
    """Say what is wrong with each field, once."""
    said: dict[str, str] = {}
    for item in error.errors(include_url=False):
        name = str(item["loc"][0])
        if item["type"] == "extra_forbidden":
            words = f"there is no field '{name}'. {suggest(name, fields)}"
        elif item["type"] == "value_error":
            words = f"{item['ctx']['error']}."
        elif name == "bounds":
            words = "bounds= is 'table', 'none', or two factors such as (0.5, 1.5)."
        else:
            words = f"{name}= is wrong: {item['msg'].lower()}."
        said.setdefault(name, words)
    return f"Attacker: {' '.join(said.values())}"


def default_attackers() -> tuple[Attacker, ...]:
    """Give the attackers that count where nothing else is said.

    The outsider, and everyone who fills a withheld cell alone.

    >>> default_attackers()
    (Attacker(), Attacker(insiders='singletons'))
    """
    return (Attacker(), Attacker(insiders="singletons"))


def outsider_among(attackers: Iterable[Attacker]) -> tuple[Attacker, ...]:
    """Keep what is known without one's own contributions, each once.

    >>> outsider_among(default_attackers())
    (Attacker(),)
    """
    plain = (
        one.model_copy(update={"insiders": "none", "coalition": 1}) for one in attackers
    )
    return tuple(dict.fromkeys(plain))
