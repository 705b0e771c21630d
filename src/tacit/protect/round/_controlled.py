# SPDX-License-Identifier: Apache-2.0
"""Each number to a multiple beside it, so that all still adds up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from pydantic import Field

from tacit.errors import LimitError
from tacit.protect._perturbing import Changed
from tacit.protect.round._base import Rounds, base_of
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect._program import Program
    from tacit.protect._search import Found
    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment

__all__ = ["Controlled", "Options", "change"]

_PLANE = 2


class Controlled(Rounds):
    """Round each number to one of the multiples beside it, so that all adds up.

    Multiples stay as they are. With ``steps`` a number may go that many multiples
    further, which some tables of three and more dimensions need. The sum of all
    changes is the least there is, or is reported with a bound.
    """

    steps: Annotated[int, Field(ge=0, le=100)] = Field(
        default=0, description="multiples that a number may be away beyond one"
    )


Options = Controlled


def change(assessment: Assessment, options: Controlled, clock: Clock) -> Changed:
    """Find the nearest table in multiples of the base that adds up."""
    from tacit.protect._search import solve  # noqa: PLC0415 - heavy

    base = base_of(assessment, options)
    whole = _Multiples.of(assessment, base, options.steps)
    clock.tell("rounding")
    program, plane = whole.program(), _plane(assessment)
    start = None
    if options.steps and not plane:
        start = whole.summed(program, clock)
    found = solve(program, clock, easy=plane, first=start)
    if found.values is None:
        raise LimitError(_why(options, found, clock))
    published = whole.published(found.values)
    value = assessment.table.cells.value
    distance = float(np.abs(published - value).sum())
    notes = {
        "base": base,
        "steps": options.steps,
        "nearest": False,
        "ties": None,
        "search": found.state,
    }
    bound = min(found.bound + whole.always, distance)
    return Changed(published, "rounding", cost=distance, bound=bound, notes=notes)


class _Multiples(NamedTuple):
    """Where each number stands: ``low`` multiples of the base below it, and the rest.

    The unknowns are, for each cell, whether it goes up to the next multiple; and with
    steps how many multiples it goes further up, and further down.
    """

    assessment: Assessment
    base: int
    low: NDArray[np.int64]
    rest: NDArray[np.int64]
    further: NDArray[np.float64]
    below: NDArray[np.float64]

    @classmethod
    def of(cls, assessment: Assessment, base: int, steps: int) -> _Multiples:
        """Divide every value by the base."""
        value = assessment.table.cells.value
        low, rest = np.divmod(value, base)
        further = np.full(len(value), float(steps))
        further[assessment.state == State.EMPTY] = 0
        below = further.copy()
        if not (value < 0).any():
            below = np.minimum(below, low)
        return cls(assessment, base, low, rest, further, below)

    @property
    def always(self) -> float:
        """What it costs if all go down: prices say how much more others cost."""
        return float(self.rest.sum())

    def program(self) -> Program:
        """Ask for the cheapest unknowns with which every relation holds."""
        from scipy.sparse import csr_array, hstack  # noqa: PLC0415 - beside its use

        from tacit.protect._program import Program  # noqa: PLC0415

        matrix = self.assessment.table.relations.matrix.astype(np.int64)
        right = -(matrix @ self.low).astype(np.float64)
        up = (self.rest > 0).astype(np.float64)
        price = np.where(up > 0, self.base - 2.0 * self.rest, 0.0)
        blocks, upper, prices = [matrix], [up], [price]
        if self.further.any():
            blocks += [matrix, -matrix]
            upper += [self.further, self.below]
            prices += [np.full(len(price), float(self.base))] * 2
        high = np.concatenate(upper)
        return Program(
            csr_array(hstack(blocks)),
            right,
            right,
            np.zeros(len(high)),
            high,
            np.concatenate(prices),
        )

    def summed(self, program: Program, clock: Clock) -> NDArray[np.int64] | None:
        """Round the inner cells and sum the totals anew, if these then stay near."""
        from tacit.protect._leaves import leaves_of  # noqa: PLC0415 - heavy
        from tacit.protect.round._leaves_up import choices  # noqa: PLC0415

        leaves = leaves_of(self.assessment.table.relations.matrix)
        if not leaves.alone or clock.over:
            return None
        inner = np.flatnonzero(self.rest[leaves.cells] > 0)
        parts = leaves.sums[:, inner].tocsc()
        start = -(leaves.sums @ self.rest[leaves.cells]).astype(np.float64)
        weight = np.ones(len(self.low))
        for difference in choices(parts, start, weight, self.base, clock):
            moved = (np.rint(difference).astype(np.int64) + self.rest) // self.base
            values = self._unknowns(moved)
            if program.holds(values):
                return values
            far = (moved > (self.rest > 0) + self.further) | (moved < -self.below)
            weight[far] *= 2.0
        return None

    def _unknowns(self, moved: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the unknowns that stand for so many multiples up."""
        up = ((self.rest > 0) & (moved > 0)).astype(np.int64)
        parts = [up, np.maximum(moved - up, 0), np.maximum(-moved, 0)]
        return np.concatenate(parts)

    def published(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the multiples that the unknowns stand for."""
        parts = values.reshape(-1, len(self.low))
        moved = parts[0] if len(parts) == 1 else parts[0] + parts[1] - parts[2]
        multiples: NDArray[np.int64] = (self.low + moved) * self.base
        return multiples


def _plane(assessment: Assessment) -> bool:
    """Whether each cell is a part of two totals at most, as in two dimensions."""
    matrix = assessment.table.relations.matrix
    parts = np.bincount(matrix.indices[matrix.data > 0], minlength=1)
    return bool(parts.max(initial=0) <= _PLANE)


def _why(options: Controlled, found: Found, clock: Clock) -> str:
    more = options.steps + 1
    if found.state == "impossible":
        return (
            "No table in multiples of the base adds up in which every number is "
            f"{_away(options.steps)}. Let numbers go further with steps={more}, or "
            "choose another base."
        )
    return (
        f"The time limit of {clock.limit:g} s ended before a rounded table was found "
        f"in which every number is {_away(options.steps)}. Allow more time with "
        f"time_limit=, or let numbers go further with steps={more}."
    )


def _away(steps: int) -> str:
    if steps == 0:
        return "one of the multiples beside it"
    return f"at most {steps} multiple{'s' if steps > 1 else ''} beyond those beside it"
