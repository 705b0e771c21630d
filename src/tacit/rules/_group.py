# SPDX-License-Identifier: Apache-2.0
"""Group disclosure: what a table of counts says about everybody in a group."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - pydantic reads it
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import field_validator, model_validator

from tacit.errors import RuleError
from tacit.rules._amounts import evidence_of
from tacit.rules._base import Rule, Verdict
from tacit.rules._exact import linear_form, percent
from tacit.rules._groups import code_sets, group_of_cells, sensitive_dimensions
from tacit.rules._messages import check_at_least, check_percentage
from tacit.rules._numbers import exact_all
from tacit.rules._registry import register

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.rules._numbers import Number
    from tacit.table import Dimension, Table

__all__ = ["GroupDisclosure", "smallest_coalition"]

_PAIR = 2


def smallest_coalition(sensitive: int, other: int) -> int | None:
    """How many of a group must talk to learn that all the rest are in the category.

    None where nobody is in it.

    >>> smallest_coalition(10, 1), smallest_coalition(1, 0), smallest_coalition(0, 5)
    (1, 0, None)
    """
    return other if sensitive > 0 else None


@register
class GroupDisclosure(Rule):
    """Unsafe if it becomes known, of all in a group, that they are in a category.

    ``dimension`` holds the sensitive ``categories`` (default: the dimensions declared
    as sensitive, each category on its own); a group is a combination of codes of the
    others. A group is unsafe if anybody in it is in a sensitive category and

    * ``not_all``: nobody is in another one (on by default);
    * ``p``: at least p percent are in it (here equality is unsafe);
    * ``n``: fewer than n are in another one;
    * ``k``: a coalition of k of its members can rule out all others.

    Groups of more than ``max_group`` are exempt. Small counts alone are not unsafe.
    The lower level is what must at least be thought to be elsewhere.

    >>> rule = GroupDisclosure(p=40, n=3)
    >>> [rule.unsafe_counts(*pair) for pair in [(9, 0), (1, 9), (4, 6), (1, 2), (0, 5)]]
    [True, False, True, True, False]
    """

    kind: Literal["group_disclosure"] = "group_disclosure"
    dimension: str | None = None
    categories: Sequence[str] | None = None
    not_all: bool = True
    p: float | None = None
    n: int | None = None
    k: int | None = None
    max_group: int | None = None

    @field_validator("categories", mode="before")
    @classmethod
    def _listed(cls, categories: object) -> object:
        return tuple(categories) if isinstance(categories, list) else categories

    @model_validator(mode="after")
    def _check(self) -> GroupDisclosure:
        if self.p is not None:
            check_percentage("p", self.p, top=100, inclusive=True)
        for name, least in (("n", 1), ("k", 0), ("max_group", 1)):
            if getattr(self, name) is not None:
                check_at_least(name, getattr(self, name), least)
        if not self.not_all and self.p is None and self._others_needed == 0:
            message = "Nothing is asked: set 'not_all', 'p', 'n' or 'k'."
            raise ValueError(message)
        if self.categories is not None and self.dimension is None:
            message = "'categories' needs 'dimension', the classification they are of."
            raise ValueError(message)
        return self

    @property
    def _others_needed(self) -> int:
        coalition = 0 if self.k is None else self.k + 1
        return max(int(self.not_all), self.n or 0, coalition)

    def sensitivity(self, contributions: Sequence[Number]) -> float:
        """Fewest of the sensitive count that must be thought to be elsewhere.

        The two numbers are the count in the sensitive category and that of the others.
        """
        sensitive, other = _pair(contributions)
        return float(self._distance(np.array([sensitive]), np.array([other]))[0])

    def unsafe(self, contributions: Sequence[Number]) -> bool:
        """Whether a group with these two counts (sensitive, other) is unsafe."""
        return self.sensitivity(contributions) > 0

    def unsafe_counts(self, sensitive: int, other: int) -> bool:
        """Whether a group is unsafe, by its counts in the category and outside."""
        return self.unsafe([sensitive, other])

    def _distance(
        self, sensitive: NDArray[np.int64], other: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        group = sensitive + other
        distance = self._others_needed - other
        if self.p is not None:
            share = [Fraction(1), -percent(self.p)]
            excess, sign = linear_form([sensitive, group], share, group)
            moved = np.floor(excess + 1e-9).astype(np.int64) + 1
            distance = np.maximum(distance, np.where(sign >= 0, moved, 0))
        judged = sensitive > 0
        if self.max_group is not None:
            judged &= group <= self.max_group
        result: NDArray[np.int64] = np.where(
            judged, np.clip(distance, 0, np.maximum(sensitive, 0)), 0
        )
        return result

    def evaluate(self, table: Table) -> Verdict:
        """Judge every cell of a table."""
        counts = _counts_of(table, self.kind)
        distance = np.zeros(len(table), dtype=np.int64)
        for place in sensitive_dimensions(table, self.dimension):
            found = self._along(table, place, counts)
            distance = np.maximum(distance, found)
        scale = float(10**table.cells.decimals) if table.is_count else 0.0
        return Verdict.of(distance > 0, 0.0, distance.astype(np.float64) * scale)

    def _along(
        self, table: Table, place: int, counts: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        dimension: Dimension = table.dimensions[place]
        codes = table.cells.codes[place]
        group, groups = group_of_cells(table, place)
        is_leaf, in_category, is_part = code_sets(dimension, self.categories)
        leaf = is_leaf[codes]
        everybody = _sums(group[leaf], counts[leaf], groups)[group]
        if self.categories is None:
            judged, sensitive = leaf, counts
        else:
            chosen = leaf & in_category[codes]
            judged = is_part[codes]
            sensitive = _sums(group[chosen], counts[chosen], groups)[group]
        distance = self._distance(sensitive, everybody - sensitive)
        # What one of several sensitive categories can give up is what it holds.
        held = np.where(judged & (counts > 0), counts, 0)
        result: NDArray[np.int64] = np.minimum(distance, held)
        return result


def _pair(contributions: Sequence[Number]) -> tuple[int, int]:
    numbers = exact_all(contributions)
    whole = all(x >= 0 and x.denominator == 1 for x in numbers)
    if len(numbers) != _PAIR or not whole:
        message = (
            "This rule judges two counts: how many of a group are in the sensitive "
            "category, and how many are not."
        )
        raise RuleError(message)
    return int(numbers[0]), int(numbers[1])


def _sums(
    group: NDArray[np.int64], counts: NDArray[np.int64], groups: int
) -> NDArray[np.int64]:
    sums = np.zeros(groups, dtype=np.int64)
    np.add.at(sums, group, counts)
    return sums


def _counts_of(table: Table, rule: str) -> NDArray[np.int64]:
    if not table.is_count:
        return evidence_of(table, rule).contributors
    counts: NDArray[Any] = table.cells.value // 10**table.cells.decimals
    if bool((counts < 0).any()):
        message = (
            f"Rule '{rule}': the table counts, and some of its cells are negative."
        )
        raise RuleError(message)
    return counts
