# SPDX-License-Identifier: Apache-2.0
"""What every rule of primary sensitivity is, and how rules are joined."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from tacit.errors import RuleError
from tacit.rules._messages import teach
from tacit.rules._registry import AnyRule, register

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tacit.rules._numbers import Number
    from tacit.table import Table

__all__ = ["AllOf", "AnyOf", "Judgement", "Rule", "RuleSet", "Verdict"]


@dataclass(frozen=True, eq=False, repr=False)
class Verdict:
    """Per cell, whether it is unsafe, and how far an attacker must be kept off.

    The levels are distances from the cell value in the scale of ``Cells.value``
    (published units times ``10**decimals``), 0 where the cell is safe. An unsafe cell
    with levels 0 must only not be known exactly.
    """

    unsafe: NDArray[np.bool_]
    upper: NDArray[np.float64]
    lower: NDArray[np.float64]
    sliding: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        unsafe: NDArray[np.bool_],
        upper: NDArray[np.float64] | float = 0.0,
        lower: NDArray[np.float64] | float | None = None,
        sliding: NDArray[np.float64] | float = 0.0,
    ) -> Verdict:
        """Cut the levels to the unsafe cells; without a lower one, it is the upper.

        >>> Verdict.of(np.array([True, False]), np.array([2.5, 3.0])).lower.tolist()
        [2.5, 0.0]
        """
        levels = (upper, upper if lower is None else lower, sliding)
        return cls(unsafe, *(np.where(unsafe, np.maximum(x, 0.0), 0.0) for x in levels))

    def __repr__(self) -> str:
        return f"<Verdict: {len(self.unsafe):,} cells, confidential>"


@dataclass(frozen=True, eq=False, repr=False)
class Judgement:
    """A verdict, and which of the rules fired where (by their labels)."""

    verdict: Verdict
    fired: Mapping[str, NDArray[np.bool_]]

    def __repr__(self) -> str:
        return f"<Judgement: {', '.join(self.fired)}; confidential>"


class Rule(BaseModel, ABC):
    """A rule that calls a cell unsafe, and says how much protection it then needs.

    ``sensitivity`` and ``unsafe`` judge one cell by hand; ``evaluate`` judges all
    cells of a table. ``|`` joins rules of which any, ``&`` of which all must fire.
    With ``closed=True`` equality is unsafe; the default is that it is safe.

    A new rule is a subclass with a ``kind``, these three methods, and the decorator
    ``register``, which lets job files use it.

    >>> from tacit.rules import MinFrequency, PPercent
    >>> isinstance(PPercent(p=10), Rule)
    True
    >>> PPercent(p=10) | MinFrequency(n=3)
    <AnyOf, parameters confidential>
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, hide_input_in_errors=True
    )
    kind: str
    closed: bool = False

    def __init__(self, *unnamed: object, **parameters: Any) -> None:  # noqa: ANN401
        if unnamed:
            name, fields = type(self).__name__, type(self).model_fields
            required = [
                f"{field}=..." for field in fields if fields[field].is_required()
            ]
            message = (
                f"{name} takes its parameters by name, so that nobody mistakes one for "
                f"another: {name}({', '.join(required)})."
            )
            raise RuleError(message)
        try:
            super().__init__(**parameters)
        except ValidationError as error:
            kind = type(self)
            message = teach(kind.__name__, kind.model_fields, error)
            raise RuleError(message) from None

    @property
    def label(self) -> str:
        """Name shown as a reason; it holds no parameter."""
        return self.kind

    @property
    def leaves(self) -> tuple[Rule, ...]:
        """The basic rules in this one."""
        return (self,)

    @property
    def largest_needed(self) -> int:
        """How many of the largest contributions the rule asks for."""
        return 0

    @abstractmethod
    def sensitivity(self, contributions: Sequence[Number]) -> float:
        """Required upper protection level of one cell, before it is cut at zero."""

    @abstractmethod
    def unsafe(self, contributions: Sequence[Number]) -> bool:
        """Whether one cell with these contributions is unsafe."""

    @abstractmethod
    def evaluate(self, table: Table) -> Verdict:
        """Judge every cell of a table."""

    def judge(self, table: Table) -> Judgement:
        """Judge every cell and remember which of the rules fired."""
        verdict = self.evaluate(table)
        return Judgement(verdict, {self.label: verdict.unsafe})

    def __or__(self, other: Rule) -> AnyOf:
        return AnyOf(rules=(*_parts(self, AnyOf), *_parts(other, AnyOf)))

    def __and__(self, other: Rule) -> AllOf:
        return AllOf(rules=(*_parts(self, AllOf), *_parts(other, AllOf)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, parameters confidential>"

    def __str__(self) -> str:
        return self.label


def _parts(rule: Rule, kind: type[RuleSet]) -> tuple[Rule, ...]:
    return rule.rules if isinstance(rule, kind) else (rule,)


class RuleSet(Rule):
    """Several rules that are asked together: ``AnyOf`` or ``AllOf`` them.

    >>> from tacit.rules import MinFrequency, PPercent
    >>> rules = PPercent(p=10) & MinFrequency(n=3)
    >>> isinstance(rules, RuleSet), rules.largest_needed
    (True, 2)
    """

    rules: tuple[AnyRule, ...]

    @field_validator("rules", mode="before")
    @classmethod
    def _listed(cls, rules: object) -> object:
        return tuple(rules) if isinstance(rules, list) else rules

    @field_validator("rules")
    @classmethod
    def _not_empty(cls, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        if not rules:
            message = "'rules' is empty; nothing would ever be unsafe. Name a rule."
            raise ValueError(message)
        return rules

    @field_validator("closed")
    @classmethod
    def _closed_within(cls, closed: bool) -> bool:  # noqa: FBT001 - pydantic's call
        if closed:
            message = "'closed' belongs to each of the rules, not to their set."
            raise ValueError(message)
        return closed

    @property
    def leaves(self) -> tuple[Rule, ...]:
        """The basic rules in this one."""
        return tuple(leaf for rule in self.rules for leaf in rule.leaves)

    @property
    def largest_needed(self) -> int:
        """How many of the largest contributions the rules ask for."""
        return max(rule.largest_needed for rule in self.rules)

    def evaluate(self, table: Table) -> Verdict:
        """Judge every cell of a table."""
        return self.judge(table).verdict

    def judge(self, table: Table) -> Judgement:
        """Judge every cell and remember which of the rules fired."""
        judgements = [rule.judge(table) for rule in self.rules]
        fired: dict[str, NDArray[np.bool_]] = {}
        for judgement in judgements:
            for label, where in judgement.fired.items():
                fired[_free(label, fired)] = where
        return Judgement(self._join([j.verdict for j in judgements]), fired)

    def _join(self, verdicts: Sequence[Verdict]) -> Verdict:
        join = self._joiner()
        unsafe = join.reduce([v.unsafe for v in verdicts])
        upper, lower, sliding = (
            np.maximum.reduce([getattr(v, name) for v in verdicts])
            for name in ("upper", "lower", "sliding")
        )
        return Verdict.of(unsafe, upper, lower, sliding)

    @abstractmethod
    def _joiner(self) -> np.ufunc:
        """How the verdicts of the rules become one."""


@register
class AnyOf(RuleSet):
    """Unsafe where at least one of the rules fires; levels are the largest of theirs.

    >>> from tacit.rules import MinFrequency, PPercent
    >>> rule = PPercent(p=10) | MinFrequency(n=6)
    >>> [leaf.label for leaf in rule.leaves]
    ['p_percent', 'min_frequency']
    >>> rule.unsafe([40, 30, 20, 10, 5]), rule.unsafe([9, 8, 7, 6, 5, 4])
    (True, False)
    """

    kind: Literal["any_of"] = "any_of"

    def sensitivity(self, contributions: Sequence[Number]) -> float:
        """Largest sensitivity of the rules."""
        return max(rule.sensitivity(contributions) for rule in self.rules)

    def unsafe(self, contributions: Sequence[Number]) -> bool:
        """Whether any of the rules fires."""
        return any(rule.unsafe(contributions) for rule in self.rules)

    def _joiner(self) -> np.ufunc:
        return np.logical_or


@register
class AllOf(RuleSet):
    """Unsafe where every rule fires; the levels still are the largest of theirs.

    >>> from tacit.rules import Dominance, PPercent
    >>> rule = PPercent(p=10) & Dominance(n=1, k=90)
    >>> rule.unsafe([81, 5, 2, 2, 2]), rule.unsafe([91, 5, 2, 1, 1])
    (False, True)
    """

    kind: Literal["all_of"] = "all_of"

    def sensitivity(self, contributions: Sequence[Number]) -> float:
        """Smallest sensitivity of the rules."""
        return min(rule.sensitivity(contributions) for rule in self.rules)

    def unsafe(self, contributions: Sequence[Number]) -> bool:
        """Whether all of the rules fire."""
        return all(rule.unsafe(contributions) for rule in self.rules)

    def _joiner(self) -> np.ufunc:
        return np.logical_and


def _free(label: str, taken: Mapping[str, object]) -> str:
    """Give a label that is not taken: p_percent, p_percent_2, p_percent_3 ..."""
    name, count = label, 1
    while name in taken:
        count += 1
        name = f"{label}_{count}"
    return name
