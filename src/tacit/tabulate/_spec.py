# SPDX-License-Identifier: Apache-2.0
"""What was asked for, checked before any data are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError, suggest
from tacit.hierarchy import Hierarchy
from tacit.table import Dimension

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MOST_DECIMALS", "WEIGHT_PLACES", "Spec", "silent"]

WEIGHT_PLACES = 6
MOST_DECIMALS = 9
_MOST_TOP = 100
_SHORTEST_SECRET = 8
_CONVENTIONS = ("partial", "sample", "expanded")


@dataclass(frozen=True, eq=False)
class Spec:
    """The columns of the source by role, and how to read them."""

    by: Mapping[str, Any]
    columns: Mapping[str, str]
    """Column of each dimension."""
    value: str | None = None
    unit: str | None = None
    holding: str | None = None
    weight: str | None = None
    waiver: str | None = None
    request: str | None = None
    size: str | None = None
    cost: str | None = None
    record_key: str | None = None
    secret: bytes | None = field(default=None, repr=False)
    decimals: int = 0
    top: int = 3
    weights: str = "partial"
    missing: str | Mapping[str, str] = "error"
    round_input: bool = False
    strip_codes: bool = False
    decimal: str = "."

    @property
    def names(self) -> list[str]:
        """Every column that is read, each once."""
        roles = (
            *self.columns.values(),
            self.value,
            self.unit,
            self.holding,
            self.weight,
            self.waiver,
            self.request,
            self.size,
            self.cost,
            self.record_key,
        )
        return list(dict.fromkeys(name for name in roles if name is not None))

    @property
    def is_count(self) -> bool:
        """Whether records are counted rather than amounts added."""
        return self.value is None

    @property
    def keyed(self) -> bool:
        """Whether records carry keys, given or hashed."""
        return self.record_key is not None or self.secret is not None

    @property
    def entity(self) -> str:
        """What a contributor is: a holding, a unit or a record."""
        if self.holding is not None:
            return "holding"
        return "unit" if self.unit is not None else "record"

    def missing_code(self, dimension: str) -> str | None:
        """Code that stands for a missing one, if any."""
        if isinstance(self.missing, str):
            return None
        return self.missing.get(dimension)

    def fixed_dimension(self, name: str) -> Dimension | None:
        """Give the dimension, or None where its codes come from the data."""
        spec = self.by[name]
        if isinstance(spec, Dimension):
            return spec
        if isinstance(spec, str):
            return None
        trees = (spec,) if isinstance(spec, Hierarchy) else tuple(spec)
        return Dimension.of(name, *trees)

    def check(self) -> None:
        """Raise the first thing that is wrong with the options."""
        _check_dimensions(self)
        _check_numbers(self)
        _check_missing(self)
        if self.weights not in _CONVENTIONS:
            message = (
                f"No convention '{self.weights}' for sampling weights. "
                f"{suggest(self.weights, _CONVENTIONS)}"
            )
            raise InputError(message)
        if self.weight and self.holding and self.weights == "partial":
            message = (
                f"Sampling weights (weight='{self.weight}') and holdings "
                f"(holding='{self.holding}') do not go together under "
                "weights='partial': the virtual units of a holding are not defined. "
                "Use weights='sample' or weights='expanded', or leave one out."
            )
            raise InputError(message)
        _check_keys(self)


def _check_keys(spec: Spec) -> None:
    if spec.record_key is not None and spec.secret is not None:
        message = (
            f"The record keys come from the column '{spec.record_key}' or from a "
            "secret, not from both: leave out record_key= or secret=."
        )
        raise InputError(message)
    if spec.secret is not None and spec.unit is None:
        message = (
            "secret= makes the key of a record from the id of its unit, so that the "
            "same unit has the same key in every table. Name the column of the ids "
            "with unit=, or give a column of keys with record_key=."
        )
        raise InputError(message)
    if spec.secret is not None and len(spec.secret) < _SHORTEST_SECRET:
        message = (
            f"secret= is shorter than {_SHORTEST_SECRET} characters, so it could be "
            "guessed, and with it every record key. Take a long random text and keep "
            "it safe; the same secret gives the same noise again."
        )
        raise InputError(message)


def _check_dimensions(spec: Spec) -> None:
    if not spec.by:
        message = "A table needs at least one dimension: by={'region': hierarchy}."
        raise InputError(message)
    for name, given in spec.by.items():
        if isinstance(given, Dimension) and given.name != name:
            message = (
                f"by['{name}'] is a dimension called '{given.name}'. Give both the "
                "same name; columns= says what the column is called."
            )
            raise InputError(message)
        trees = given if isinstance(given, (tuple, list)) else (given,)
        if isinstance(given, (str, Dimension)) and given:
            continue
        if not trees or not all(isinstance(tree, Hierarchy) for tree in trees):
            message = (
                f"by['{name}'] is a {type(given).__name__}. Give a Hierarchy, a list "
                "of them over the same leaves, or the code of the total as text."
            )
            raise InputError(message)
    for name in spec.columns:
        if name not in spec.by:
            message = f"columns names '{name}', which is not a dimension of by. "
            raise InputError(message + suggest(name, spec.by))


def _check_numbers(spec: Spec) -> None:
    for name, number, low, high in (
        ("decimals", spec.decimals, 0, MOST_DECIMALS),
        ("top", spec.top, 1, _MOST_TOP),
    ):
        whole = isinstance(number, int) and not isinstance(number, bool)
        if not whole or not low <= number <= high:
            message = f"{name}={number!r} is not a whole number from {low} to {high}."
            raise InputError(message)
    if spec.decimal not in {".", ","}:
        message = f"decimal={spec.decimal!r} is not a decimal mark: give '.' or ','."
        raise InputError(message)


def _check_missing(spec: Spec) -> None:
    if isinstance(spec.missing, str):
        if spec.missing == "error":
            return
        message = (
            f"missing={spec.missing!r} is not known. Give 'error', or the code that "
            "stands for a missing one by dimension: missing={'region': '99'}."
        )
        raise InputError(message)
    for name, code in spec.missing.items():
        if name not in spec.by:
            message = f"missing names '{name}', which is not a dimension of by. "
            raise InputError(message + suggest(name, spec.by))
        dimension = spec.fixed_dimension(name)
        if dimension is None:
            continue
        leaves = [dimension.codes[i] for i in dimension.leaves.tolist()]
        if code not in leaves:
            message = (
                f"missing['{name}'] = '{code}' is not a leaf of the dimension, so "
                f"nothing can be counted there. {suggest(code, leaves)}"
            )
            raise InputError(message)


def silent(_stage: str, _done: int, _total: int) -> None:
    """Report progress to nobody."""
