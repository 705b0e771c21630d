# SPDX-License-Identifier: Apache-2.0
"""The sections of a job file."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    field_validator,
    model_validator,
)

from tacit.errors import suggest
from tacit.publish import FORMATS, Layout

__all__ = [
    "Assessing",
    "ColumnsHierarchy",
    "Data",
    "DigitsHierarchy",
    "DimensionSpec",
    "Measure",
    "Output",
    "Section",
    "Text",
    "Texts",
]

Text = Annotated[str, Field(min_length=1)]
# TOML knows lists, frozen models need tuples: this one conversion is allowed.
Texts = Annotated[tuple[Text, ...], Field(strict=False, min_length=1)]
Widths = Annotated[
    tuple[Annotated[int, Field(ge=1)], ...], Field(strict=False, min_length=1)
]


class Section(BaseModel):
    """A part of the job file: nothing unknown, nothing guessed, nothing changed."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, hide_input_in_errors=True
    )


class Data(Section):
    """Where the data are, and how they are written."""

    source: Text = Field(
        description="the file with the data: csv, parquet or arrow, or a glob of them, "
        "relative to the job file"
    )
    kind: Literal["microdata", "cells"] = Field(
        default="microdata", description="records of contributors, or a finished table"
    )
    decimal: Literal[".", ","] = Field(
        default=".", description="the decimal mark in text"
    )
    strip_codes: bool = Field(
        default=False, description="ignore blanks around the codes"
    )
    missing: dict[str, Text] = Field(
        default_factory=dict,
        description="the code that records without one get, by dimension; for others "
        "a missing code is an error",
    )

    possible: Literal["all"] | dict[str, Texts] | None = Field(
        default=None,
        description="empty cells that readers take for possible: all, or codes by "
        "dimension; the others are known to be empty",
    )
    missing_totals: Literal["recompute", "error"] = Field(
        default="recompute",
        description="cells: what becomes of totals that are not there",
    )
    tolerance: Literal["rounding"] | Annotated[int, Field(ge=0)] | None = Field(
        default=None,
        description="cells: units of the last decimal by which parts may miss their "
        "total, or rounding",
    )


class DigitsHierarchy(Section):
    """Levels by the leading characters of the codes."""

    digits: Widths = Field(description="how many characters each level adds")


class ColumnsHierarchy(Section):
    """Levels in columns of the data, the widest first."""

    columns: Texts = Field(description="the columns of the levels, widest first")


def _hierarchy_kind(given: Any) -> str:  # noqa: ANN401 - whatever the file says
    if isinstance(given, (dict, DigitsHierarchy, ColumnsHierarchy)):
        keys = given if isinstance(given, dict) else given.model_fields_set
        return "by columns" if "columns" in keys else "by digits"
    return "a path"


HierarchySpec = Annotated[
    Annotated[Text, Tag("a path")]
    | Annotated[DigitsHierarchy, Tag("by digits")]
    | Annotated[ColumnsHierarchy, Tag("by columns")],
    Discriminator(_hierarchy_kind),
]


def _as_list(given: object) -> object:
    return given if isinstance(given, (list, tuple)) else (given,)


class DimensionSpec(Section):
    """A classification of the table."""

    column: Text | None = Field(
        default=None,
        description="the column of the data; the name of the dimension if absent",
    )
    hierarchy: Annotated[
        tuple[HierarchySpec, ...],
        Field(strict=False),
        BeforeValidator(
            _as_list, json_schema_input_type=HierarchySpec | list[HierarchySpec]
        ),
    ] = Field(
        default=(),
        description="a file (.hrc or .csv with code,parent[,label]), levels by digits "
        "or by columns, or a list of these for several trees; absent: one level",
    )
    lead: Annotated[str, Field(min_length=1, max_length=1)] = Field(
        default="@", description="the character that marks levels in .hrc files"
    )
    total: Text = Field(default="Total", description="the code of the total")
    labels: Text | None = Field(default=None, description="a csv file with code,label")
    sensitive: bool = Field(
        default=False, description="whether the categories say something sensitive"
    )


class Measure(Section):
    """What is counted or summed, and what is known about who stands behind it."""

    value: Text | None = Field(
        default=None, description="the column summed; absent: counts"
    )
    decimals: int = Field(
        default=0,
        ge=0,
        le=9,
        description="decimals of the value; cells: if absent, as few as hold them all",
    )
    round_input: bool = Field(
        default=False, description="round values that have more decimals"
    )
    unit: Text | None = Field(
        default=None, description="the column that names the unit"
    )
    holding: Text | None = Field(
        default=None, description="the column that names its holding"
    )
    weight: Text | None = Field(
        default=None, description="the column of sampling weights"
    )
    weights: Literal["partial", "sample", "expanded"] | None = Field(
        default=None, description="how the rules see weighted contributions"
    )
    waiver: Text | None = Field(default=None, description="the column of waivers")
    request: Text | None = Field(
        default=None, description="the column of requests: 0, 1, 2"
    )
    size: Text | None = Field(
        default=None, description="the column of a size (proxy) variable"
    )
    cost: Text | None = Field(
        default=None, description="the column of the cost of suppression"
    )
    record_key: Text | None = Field(
        default=None, description="the column of record keys in [0, 1)"
    )
    secret_from: Text | None = Field(
        default=None,
        description="the environment variable with a secret text, from which and from "
        "the id of its unit the key of each record is made",
    )
    count: Text | None = Field(
        default=None, description="cells: the count of contributors"
    )
    holdings: Text | None = Field(
        default=None, description="cells: the count of holdings"
    )
    contributions: Texts | None = Field(
        default=None, description="cells: the columns of the largest contributions"
    )
    state: Text | None = Field(default=None, description="cells: the column of states")
    lower: Text | None = Field(
        default=None, description="cells: lower protection levels"
    )
    upper: Text | None = Field(
        default=None, description="cells: upper protection levels"
    )
    sliding: Text | None = Field(
        default=None, description="cells: sliding protection levels"
    )


_OTHER = {"symbol": "absent", "absent": "symbol"}
_NEUTRAL = "(no sign)"


class Assessing(Section):
    """How cells are judged, beside the rules."""

    margin: Annotated[float, Field(ge=0)] | None = Field(
        default=None,
        description="protection in percent of the value for cells that came as "
        "sensitive without levels",
    )
    exempt: dict[str, Texts] = Field(
        default_factory=dict,
        description="codes whose cells the rules do not judge, by dimension",
    )
    zero_cells: Literal["empty", "sensitive"] = Field(
        default="empty", description="what a cell is that nobody stands behind"
    )


class Output(Section):
    """Which files are written."""

    public: Annotated[tuple[Text, ...], Field(strict=False)] = Field(
        default=("csv",), description="formats of the published table"
    )
    internal: Annotated[tuple[Text, ...], Field(strict=False)] = Field(
        default=("csv",), description="formats of the internal listing"
    )
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")] = Field(
        default="table", description="name of the files, without ending"
    )
    title: str = Field(default="", description="title above the table")
    symbol: Text = Field(
        default=":", description="what shows where a value is suppressed"
    )
    absent: Text = Field(default="-", description="what shows where no cell can be")

    @field_validator("public", "internal")
    @classmethod
    def _known(cls, formats: tuple[str, ...]) -> tuple[str, ...]:
        for name in formats:
            if name not in FORMATS:
                message = f"There is no format '{name}'. {suggest(name, FORMATS)}"
                raise ValueError(message)
        return tuple(dict.fromkeys(formats))

    @model_validator(mode="after")
    def _distinct_signs(self) -> Self:
        _ = self.layout
        return self

    @field_validator("symbol", "absent")
    @classmethod
    def _a_sign(cls, sign: str, info: ValidationInfo) -> str:
        # One sign at a time, so that the error stands at its own key.
        name = info.field_name or "symbol"
        Layout(**{name: sign, _OTHER[name]: _NEUTRAL})
        return sign

    @property
    def layout(self) -> Layout:
        """The signs and the title, as the writers take them."""
        return Layout(symbol=self.symbol, absent=self.absent, title=self.title)
