# SPDX-License-Identifier: Apache-2.0
"""What the rules of concentration share: amounts in, one linear form, levels out."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import model_validator

from tacit.errors import RuleError
from tacit.rules._amounts import Amounts, Policy, amounts_of, apply_policy, mixed_cells
from tacit.rules._base import Rule, Verdict
from tacit.rules._exact import linear_form
from tacit.rules._numbers import Number, exact_all, tolerance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.rules._engine import Form
    from tacit.rules._exact import Column
    from tacit.table import Table

__all__ = ["Concentration", "Convention", "Scale"]

Convention: TypeAlias = Literal["partial", "sample", "expanded"]
Scale: TypeAlias = Literal["upl", "cox", "kim"]

_FACTORS = {"relaxed": 2.0, "proxy": 1.0}


@dataclass(frozen=True, repr=False)
class _Cell:
    """One cell by hand: amounts, largest first, and what is asked beside them."""

    largest: list[Fraction]
    total: Fraction
    target: Fraction
    slack: Fraction
    waived: bool = False


class Concentration(Rule):
    """A rule that is a linear form over the largest contributions and the total.

    ``negatives`` is the policy for negative contributions; without one they are
    refused. ``factor`` is the f of ``relaxed`` (default 2) and the share of the size
    that ``proxy`` puts beside the value (default 1).
    """

    negatives: Policy | None = None
    factor: float | None = None
    _waivable: ClassVar[bool] = True

    @model_validator(mode="after")
    def _factor_fits(self) -> Concentration:
        if self.factor is None:
            return self
        if self.negatives not in _FACTORS:
            message = "'factor' belongs to negatives='relaxed' or 'proxy' only."
            raise ValueError(message)
        if self.factor <= (1 if self.negatives == "relaxed" else 0):
            message = "'factor' must be above 1 for 'relaxed', above 0 for 'proxy'."
            raise ValueError(message)
        return self

    @abstractmethod
    def _form(self) -> Form:
        """Linear form of this rule on the scale of the upper protection level."""

    @abstractmethod
    def _scales(self) -> dict[str, Fraction]:
        """Factors from the protection level to the scales of the literature."""

    @property
    def _factor(self) -> float:
        default = _FACTORS.get(self.negatives or "", 1.0)
        return default if self.factor is None else self.factor

    @property
    def _relaxation(self) -> Fraction:
        relaxed = self.negatives == "relaxed"
        return Fraction(repr(float(self._factor))) if relaxed else Fraction(1)

    @property
    def largest_needed(self) -> int:
        """How many of the largest contributions the rule asks for."""
        return self._form().depth

    def sensitivity(
        self,
        contributions: Sequence[Number],
        *,
        waived: Sequence[bool] | None = None,
        weights: Sequence[Number] | None = None,
        convention: Convention = "partial",
        sizes: Sequence[Number] | None = None,
        scale: Scale = "upl",
    ) -> float:
        """Required upper protection level of one cell, before it is cut at zero.

        ``waived`` marks who agreed to be known; ``weights`` are sampling weights under
        a convention: ``partial`` (weight 5 is five units), ``sample`` (the largest as
        observed) or ``expanded`` (the largest after weighting). ``scale`` gives the
        sensitivity of Cox ("cox") or Kim ("kim") instead. Under the policies
        ``frequency_only`` and ``dispersion`` only the sign has a meaning.
        """
        other = self._other_judge(contributions)
        if other is not None:
            return other.sensitivity(contributions)
        cell = self._cell(contributions, waived, weights, convention, sizes)
        if self.negatives == "frequency_only":
            return 1.0 if self._too_few(cell) else -1.0
        if scale not in self._scales():
            message = f"'scale' must be one of {', '.join(self._scales())}."
            raise RuleError(message)
        return float(self._value(cell) * self._scales()[scale])

    def unsafe(
        self,
        contributions: Sequence[Number],
        *,
        waived: Sequence[bool] | None = None,
        weights: Sequence[Number] | None = None,
        convention: Convention = "partial",
        sizes: Sequence[Number] | None = None,
    ) -> bool:
        """Whether one cell is unsafe; see ``sensitivity`` for what can be said."""
        other = self._other_judge(contributions)
        if other is not None:
            return other.unsafe(contributions)
        cell = self._cell(contributions, waived, weights, convention, sizes)
        if self.negatives == "frequency_only":
            return self._too_few(cell)
        if not cell.total > 0 or not cell.target > 0:
            return False
        value = self._value(cell)
        return value >= -cell.slack if self.closed else value > cell.slack

    def _too_few(self, cell: _Cell) -> bool:
        """Whether nothing remains behind the largest: the limit of relaxing."""
        rest = cell.total - sum(cell.largest[: self._form().depth], Fraction(0))
        return cell.total > 0 and rest <= cell.slack

    def _value(self, cell: _Cell) -> Fraction:
        form = self._form()
        padding = [Fraction(0)] * form.depth
        largest = [*cell.largest, *padding][: form.depth]
        if cell.waived:
            largest[-1] = min(largest[-1], cell.target)
        return form.value(largest, cell.total, cell.target)

    def _other_judge(self, contributions: Sequence[Number]) -> Rule | None:
        if self.negatives != "dispersion":
            return None
        from tacit.rules._dispersion import Dispersion, t_ratio  # noqa: PLC0415

        judge = Dispersion()
        return judge if t_ratio(contributions) > judge.k0 else None

    def _cell(
        self,
        contributions: Sequence[Number],
        waived: Sequence[bool] | None,
        weights: Sequence[Number] | None,
        convention: Convention,
        sizes: Sequence[Number] | None,
    ) -> _Cell:
        values = apply_policy(
            exact_all(contributions),
            self.negatives,
            factor=self._factor,
            sizes=None if sizes is None else exact_all(sizes),
        )
        _check_lengths(len(values), waived=waived, weights=weights)
        numbers = [*contributions, *(weights or ())]
        target = max(values, default=Fraction(0))
        if waived is not None and self._waivable:
            open_ones = (x for x, w in zip(values, waived, strict=True) if not w)
            target = max(open_ones, default=Fraction(0))
        ones = [Fraction(1)] * len(values) if weights is None else exact_all(weights)
        total = sum((x * w for x, w in zip(values, ones, strict=True)), Fraction(0))
        return _Cell(
            largest=_ranked(values, ones, convention, self._form().depth),
            total=total,
            target=target,
            slack=tolerance(numbers, total),
            waived=waived is not None and self._waivable,
        )

    def evaluate(self, table: Table) -> Verdict:
        """Judge every cell of a table."""
        amounts = amounts_of(
            table, self.kind, policy=self.negatives, factor=self._factor
        )
        if self.negatives == "frequency_only":
            columns = amounts.columns(self._form().depth)
            terms = [amounts.total, *columns]
            factors = [Fraction(1), *[Fraction(-1)] * len(columns)]
            rest = linear_form(terms, factors, amounts.total)[1]
            return Verdict.of((amounts.total > 0) & (rest <= 0))
        verdict = self._judge_amounts(amounts)
        return self._with_dispersion(table, verdict)

    def _judge_amounts(self, amounts: Amounts) -> Verdict:
        form = self._form()
        largest = amounts.columns(form.depth)
        target: Column = largest[0]
        if amounts.unwaived is not None and self._waivable:
            target = amounts.unwaived
            largest[-1] = np.minimum(largest[-1], target)
        elif amounts.observed is not None:
            target = amounts.observed
        terms = form.terms(largest, amounts.total, target)
        value, sign = linear_form(terms, form.coefficients, amounts.total)
        unsafe = (sign >= 0) if self.closed else (sign > 0)
        return Verdict.of(unsafe & (amounts.total > 0) & (target > 0), value)

    def _with_dispersion(self, table: Table, verdict: Verdict) -> Verdict:
        """Judge cells of mixed signs by their dispersion, where that was chosen."""
        if self.negatives != "dispersion":
            return verdict
        from tacit.rules._dispersion import Dispersion  # noqa: PLC0415 - it uses rules

        judge = Dispersion()
        mixed = mixed_cells(table, self.kind, limit=judge.k0)
        other = judge.judge_cells(table, np.flatnonzero(mixed))
        unsafe = np.where(mixed, other.unsafe, verdict.unsafe)
        upper = np.where(mixed, other.upper, verdict.upper)
        return Verdict.of(unsafe, upper)


def _check_lengths(
    count: int,
    *,
    waived: Sequence[bool] | None,
    weights: Sequence[Number] | None,
) -> None:
    for name, given in (("waived", waived), ("weights", weights)):
        if given is not None and len(given) != count:
            message = f"'{name}' must have one entry for each contribution."
            raise RuleError(message)


def _ranked(
    values: Sequence[Fraction],
    weights: Sequence[Fraction],
    convention: Convention,
    depth: int,
) -> list[Fraction]:
    """Largest amounts first; under ``partial`` a weight is a number of units."""
    if convention == "sample":
        return sorted(values, reverse=True)
    if convention == "expanded":
        return sorted(
            (x * w for x, w in zip(values, weights, strict=True)), reverse=True
        )
    if convention != "partial":
        message = "'convention' must be 'partial', 'sample' or 'expanded'."
        raise RuleError(message)
    ranked = [Fraction(0)] * depth
    place = Fraction(0)
    for x, w in sorted(zip(values, weights, strict=True), reverse=True):
        for unit in range(int(place), depth):
            # The part of this weight that falls on the unit: the last may be shared.
            part = min(place + w, Fraction(unit + 1)) - max(place, Fraction(unit))
            ranked[unit] += x * max(part, Fraction(0))
        place += w
    return ranked
