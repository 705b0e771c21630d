# SPDX-License-Identifier: Apache-2.0
"""What has to be added up in every cell, so that nothing else is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.tabulate._reduce import WHOLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.table import Dimension
    from tacit.tabulate._members import Members
    from tacit.tabulate._spec import Spec

__all__ = ["Keys", "Plan", "magnitude"]

_BIGINT_BITS = 63


@dataclass(frozen=True)
class Plan:
    """Columns of the cube. The rules' amount is |x|, or |w·x| where ``expanded``."""

    sums: tuple[str, ...]
    most: tuple[str, ...]
    """Columns of which a cell holds the largest."""
    depth: int
    """Largest contributions kept of each cell."""
    entities: int
    wide: bool
    """Whether an amount and its entity need more than 63 bits together."""
    weighted: bool
    expanded: bool
    holdings: bool
    named_units: bool

    @classmethod
    def of(cls, members: Members, spec: Spec) -> Plan:
        """Find out what this table needs."""
        rows = members.rows
        negative = bool((rows.value < 0).any())
        zeros = negative or bool((rows.value == 0).any())
        weighted, expanded = rows.weight is not None, spec.weights == "expanded"
        sums = {
            "v": True,
            "n": True,
            "records": spec.entity != "record",
            "units": spec.holding is not None,
            "nonzero": zeros,
            "absolute": negative and not weighted,
            "whole": weighted,
            "rest": weighted,
            "weight": weighted,
            "cost": rows.cost is not None,
            "keys": rows.keys is not None,
            "keys_nonzero": rows.keys_nonzero is not None,
        }
        most = {
            "unwaived": rows.waived is not None,
            "request1": rows.request is not None,
            "request2": rows.request is not None,
            "observed": weighted and expanded,
        }
        bits = int(_bound(members)).bit_length() + (members.entities - 1).bit_length()
        return cls(
            sums=tuple(name for name, needed in sums.items() if needed),
            most=tuple(name for name, needed in most.items() if needed),
            depth=spec.top,
            entities=members.entities,
            wide=(weighted and expanded) or bits > _BIGINT_BITS,
            weighted=weighted,
            expanded=weighted and expanded,
            holdings=spec.holding is not None,
            named_units=spec.unit is not None,
        )


def _bound(members: Members) -> float:
    """Bound what one entity can contribute to a cell."""
    sums = np.bincount(members.entity, np.abs(members.rows.value.astype(np.float64)))
    return float(sums.max()) * (1 + 1e-9) + 1


def magnitude(
    whole: NDArray[np.int64], rest: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Absolute value of ``whole`` units and ``rest`` millionths, both then >= 0.

    >>> [part.tolist() for part in magnitude(np.array([-2, 1]), np.array([500_000, 2]))]
    [[1, 1], [500000, 2]]
    """
    carry, rest = np.divmod(rest, WHOLE)
    whole = whole + carry
    negative = whole < 0
    borrow = negative & (rest > 0)
    rest = np.where(borrow, WHOLE - rest, rest)
    return np.where(negative, -whole - borrow, whole), rest


@dataclass(frozen=True)
class Keys:
    """Mixed-radix numbers of cells in SQL: one, or several for very many dimensions."""

    sizes: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, dimensions: Sequence[Dimension], limit: int = 2**62) -> Keys:
        """Put neighbouring dimensions into one number as long as it stays below 2**62.

        >>> from tacit import Hierarchy
        >>> from tacit.table import Dimension
        >>> sex = Dimension.of("sex", Hierarchy.flat(["f", "m"], total="all"))
        >>> Keys.of((sex, sex)).sql((0, 1))
        ['l0_0::INTEGER * 3 + l1_1::INTEGER * 1']
        """
        sizes = tuple(len(dimension) for dimension in dimensions)
        parts: list[tuple[int, ...]] = []
        span = limit
        for d, size in enumerate(sizes):
            if span * size >= limit:
                parts.append(())
                span = 1
            parts[-1] = (*parts[-1], d)
            span *= size
        return cls(sizes, tuple(parts))

    def sql(self, combination: Sequence[int]) -> list[str]:
        """Write the numbers of the cells at one level of every dimension."""
        found = []
        for part in self.parts:
            span = int(np.prod([self.sizes[d] for d in part], dtype=object))
            kind = "INTEGER" if span < 2**31 else "BIGINT"
            terms = []
            for d in part:
                span //= self.sizes[d]
                terms.append(f"l{d}_{combination[d]}::{kind} * {span}")
            found.append(" + ".join(terms))
        return found

    def codes(self, numbers: Sequence[NDArray[np.int64]]) -> NDArray[np.int32]:
        """Take the numbers apart into codes."""
        codes = np.empty((len(self.sizes), len(numbers[0])), dtype=np.int32)
        for part, number in zip(self.parts, numbers, strict=True):
            rest = number
            for d in reversed(part):
                rest, code = np.divmod(rest, self.sizes[d])
                codes[d] = code
        return codes
