# SPDX-License-Identifier: Apache-2.0
"""What a rule of concentration looks at: ordered amounts that are not negative.

Contributions may be negative only under a policy (convention C7), which says how they
become amounts. Whether a table holds negative ones is read from its evidence: the sum
of the absolute contributions then exceeds the cell value, or the cell value itself is
negative.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tacit.errors import RuleError
from tacit.rules._messages import ShiftWarning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.rules._exact import Column
    from tacit.table import Evidence, Table

__all__ = [
    "Amounts",
    "Policy",
    "amounts_of",
    "apply_policy",
    "evidence_of",
    "has_negatives",
    "refuse_negatives",
    "signed_totals",
]

Policy: TypeAlias = Literal[
    "absolute", "shift", "proxy", "relaxed", "frequency_only", "dispersion"
]

_WITHOUT_POLICY = (
    "contributions are negative, and shares of a total say nothing when they are. "
    "Choose a policy with negatives=: 'absolute' (judge the absolute values), "
    "'relaxed' (those, with relaxed parameters), 'proxy' (the larger of value and "
    "size), 'dispersion' (where signs are mixed), 'frequency_only', or 'shift'."
)
_SHIFT_HIDES = (
    "Shifting contributions by a constant hides dominance: a unit with 44 % of the "
    "absolute total can fall to 6 %. Prefer negatives='absolute' or 'dispersion'."
)


@dataclass(frozen=True, eq=False, repr=False)
class Amounts:
    """Columns of a table as the rules see them: amounts, largest first."""

    contributors: NDArray[np.int64] | NDArray[np.float64]
    total: Column
    largest: Column
    observed: Column | None = None
    """Largest amount before weighting, where weights make a difference."""
    unwaived: Column | None = None

    def columns(self, depth: int) -> list[Column]:
        """Split off the largest amounts, as many as a rule asks for."""
        held = self.largest.shape[1]
        if depth > held and bool((self.contributors > held).any()):
            message = (
                f"The rule asks for the {depth} largest contributions of each cell, "
                f"the table holds {held}. Tabulate it with top={depth}."
            )
            raise RuleError(message)
        zero = np.zeros_like(self.total)
        return [self.largest[:, j] if j < held else zero for j in range(depth)]


def evidence_of(table: Table, rule: str) -> Evidence:
    """Give what is known about the contributors, or say what is missing."""
    if table.evidence is None:
        message = (
            f"The rule '{rule}' needs the contributors of each cell, and this table "
            "does not hold them. Tabulate it from microdata, or name the columns with "
            "the counts and the largest contributions: Table.from_cells(..., count=, "
            "contributions=[...])."
        )
        raise RuleError(message)
    return table.evidence


def signed_totals(table: Table, evidence: Evidence) -> Column:
    """Sum of the contributions with their signs, of the variable that is judged."""
    return table.cells.value if evidence.signed is None else evidence.signed


def has_negatives(table: Table, rule: str) -> bool:
    """Whether any contribution to any cell is negative."""
    evidence = evidence_of(table, rule)
    signed = signed_totals(table, evidence)
    if bool((signed < 0).any()):
        return True
    excess = evidence.total - signed
    if excess.dtype.kind == "i":
        return bool((excess > 0).any())
    if table.contributions is not None and evidence.signed is None:
        return bool((table.contributions.value < 0).any())
    # A weighted total is rounded where it becomes a cell value.
    return bool((excess > 1.0 + 1e-9 * np.abs(evidence.total)).any())


def refuse_negatives(table: Table, rule: str) -> None:
    """Refuse a table with negative contributions: no policy was chosen for them."""
    if has_negatives(table, rule):
        message = f"Rule '{rule}' on '{table.measure}': some {_WITHOUT_POLICY}"
        raise RuleError(message)


def amounts_of(
    table: Table, rule: str, *, policy: Policy | None, factor: float
) -> Amounts:
    """Read the amounts of every cell under a policy for negative contributions."""
    evidence = evidence_of(table, rule)
    if policy is None:
        refuse_negatives(table, rule)
    amounts = Amounts(
        contributors=evidence.contributors,
        total=evidence.total,
        largest=evidence.largest,
        observed=evidence.largest_unweighted,
        unwaived=evidence.unwaived,
    )
    if policy == "shift":
        warnings.warn(_SHIFT_HIDES, ShiftWarning, stacklevel=2)
        return _rebuilt(table, amounts, policy, factor)
    return _rebuilt(table, amounts, policy, factor) if policy == "proxy" else amounts


def _rebuilt(table: Table, amounts: Amounts, policy: Policy, factor: float) -> Amounts:
    """Take the amounts anew from all contributions."""
    from tacit.rules._every import every_contribution  # noqa: PLC0415 - seldom needed

    every = every_contribution(table, np.arange(len(table), dtype=np.int64), policy)
    value: Column
    if policy == "proxy":
        value = np.maximum(np.abs(every.value), factor * every.sizes())
        if factor == 1.0 and every.value.dtype.kind == "i":
            value = np.maximum(np.abs(every.value), every.sizes())
    else:
        least = every.reduce(np.minimum, every.value)
        one = 10**table.cells.decimals
        shift = np.where(least < 0, one - least, 0)
        value = every.value + shift[every.cell]
    total, largest = every.ordered(value, width=amounts.largest.shape[1])
    return replace(amounts, total=total, largest=largest, observed=None, unwaived=None)


def apply_policy(
    values: Sequence[Fraction],
    policy: Policy | None,
    *,
    factor: float,
    sizes: Sequence[Fraction] | None,
) -> list[Fraction]:
    """Turn the contributions of one cell into amounts that are not negative."""
    if policy == "proxy":
        if sizes is None or len(sizes) != len(values):
            message = "negatives='proxy' needs sizes=, one for each contribution."
            raise RuleError(message)
        share = Fraction(repr(float(factor)))
        return [max(abs(y), share * z) for y, z in zip(values, sizes, strict=True)]
    least = min(values, default=Fraction(0))
    if least >= 0:
        return list(values)
    if policy is None:
        message = f"Some {_WITHOUT_POLICY}"
        raise RuleError(message)
    if policy == "shift":
        warnings.warn(_SHIFT_HIDES, ShiftWarning, stacklevel=2)
        return [y - least + 1 for y in values]
    return [abs(y) for y in values]


def mixed_cells(table: Table, rule: str, *, limit: float) -> NDArray[np.bool_]:
    """Cells whose smaller sign holds more than ``limit`` of the larger (T-ratio)."""
    evidence = evidence_of(table, rule)
    total = evidence.total
    # T+ = (total + signed) / 2 and |T-| = (total - signed) / 2.
    signed = np.abs(signed_totals(table, evidence).astype(np.float64))
    smaller = np.maximum(total - signed, 0.0)
    return np.asarray(smaller > limit * (total + signed), dtype=np.bool_)
