# SPDX-License-Identifier: Apache-2.0
"""Noise by cell key: the same records get the same noise in every table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from tacit.errors import InputError
from tacit.protect._perturbing import Changed
from tacit.protect._perturbing import Options as Common
from tacit.protect.noise._ptable import Design, PTable

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment

__all__ = ["CellKey", "Flex", "Options", "change", "ptable_of"]


def _kind(given: Any) -> str:  # noqa: ANN401 - whatever was given
    if isinstance(given, str):
        return "a path"
    if isinstance(given, dict):
        return "entries" if "i" in given else "a design"
    return "entries" if isinstance(given, PTable) else "a design"


Noise = Annotated[
    Annotated[str, Tag("a path")]
    | Annotated[PTable, Tag("entries")]
    | Annotated[Design, Tag("a design")],
    Discriminator(_kind),
]


class Flex(BaseModel):
    """How large the noise of an amount is: a share that falls as the amount grows.

    Below ``start`` it is ``small`` times the amount, above it falls towards ``large``,
    the faster the larger ``q``.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, hide_input_in_errors=True
    )

    large: Annotated[float, Field(gt=0)] = Field(
        description="share of very large amounts"
    )
    small: Annotated[float, Field(gt=0)] = Field(description="share of small amounts")
    start: Annotated[float, Field(gt=0)] = Field(
        description="the amount from which on the share falls"
    )
    q: Annotated[float, Field(ge=1)] = Field(default=3.0, description="how fast")

    @model_validator(mode="after")
    def _falls(self) -> Self:
        if self.large > self.small:
            message = (
                f"the share of large amounts ({self.large:g}) is above that of small "
                f"ones ({self.small:g}): it must fall"
            )
            raise ValueError(message)
        return self


class CellKey(Common):
    """Change each number by noise that its records decide.

    Counts use ``noise`` alone. Of amounts the largest contributions are changed, by
    shares of them that ``scale`` says.
    """

    noise: Noise = Field(
        description="the table of transition probabilities: its design such as "
        "{D = 5, V = 3}, its entries, or a file"
    )
    small: Noise | None = Field(
        default=None, description="amounts: another table where all amounts are small"
    )
    odd: Noise | None = Field(
        default=None,
        description="amounts: another table for cells with an odd number of records",
    )
    scale: Flex | Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="amounts: the share of a contribution, or a Flex"
    )
    of: Literal["top", "mean", "range", "value"] = Field(
        default="top",
        description="amounts: what is changed by noise: the largest contributions, "
        "the mean, the range, or the value itself",
    )
    weights: Annotated[
        tuple[Annotated[float, Field(gt=0)], ...],
        Field(strict=False, min_length=1, max_length=6),
    ] = Field(
        default=(1.0,),
        description="amounts: how much each of the largest contributions counts",
    )
    zeros: bool = Field(
        default=False, description="amounts: whether records without an amount count"
    )
    extra: Annotated[float, Field(ge=0)] = Field(
        default=0.0, description="amounts: more noise for sensitive cells"
    )
    bounds: Literal["below", "within"] = Field(
        default="below",
        description="whether a key at the upper end of an entry belongs to the next "
        "one ('below', as in τ-ARGUS and R) or to it ('within', as in the handbook)",
    )
    key_decimals: Annotated[int, Field(ge=1, le=16)] = Field(
        default=16, description="amounts: decimals of the record keys"
    )

    @property
    def files(self) -> tuple[str, ...]:
        """The files of tables of transition probabilities."""
        return tuple(path.rpartition(":")[0] or path for path in self._paths.values())

    @property
    def _paths(self) -> dict[str, str]:
        named = {name: getattr(self, name) for name in ("noise", "small", "odd")}
        return {name: path for name, path in named.items() if isinstance(path, str)}

    def located(self, folder: Path) -> Self:
        """Look for the tables in a folder."""
        found = {name: str(folder / path) for name, path in self._paths.items()}
        return self.model_copy(update=found)

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        if len(self.weights) > 1 and self.of != "top":
            message = "weights are for the largest contributions (of = 'top') only"
            raise ValueError(message)
        if self.small is not None and self.scale is None:
            message = "small separates small amounts from others by scale, so give it"
            raise ValueError(message)
        return self


def ptable_of(given: str | PTable | Design) -> PTable:
    """Give the table itself: read it, or work it out."""
    if isinstance(given, str):
        return PTable.read(given)
    return given if isinstance(given, PTable) else given.table()


Options = CellKey


def change(assessment: Assessment, options: CellKey, clock: Clock) -> Changed:
    """Change counts, or amounts, by their cell keys."""
    table = assessment.table
    if table.evidence is None or table.evidence.keys is None:
        message = (
            "Noise by cell key needs the record keys, and this table carries none. "
            "Tabulate it with record_key= (a column of keys in [0, 1)), or with unit= "
            "and secret= (a long random text, from which keys are made)."
        )
        raise InputError(message)
    clock.tell("perturb: by cell key")
    if table.is_count:
        from tacit.protect.noise._cell_key_counts import perturbed  # noqa: PLC0415

        return perturbed(assessment, options)
    if options.scale is None:
        message = (
            "The table holds amounts: give scale=, the share of a contribution that "
            "one step of noise changes it by, such as 0.1, or {large = 0.03, small = "
            "0.3, start = 1000}."
        )
        raise InputError(message)
    from tacit.protect.noise._cell_key_amounts import (  # noqa: PLC0415
        perturbed as perturbed_amounts,
    )

    return perturbed_amounts(assessment, options)
