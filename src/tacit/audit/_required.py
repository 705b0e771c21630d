# SPDX-License-Identifier: Apache-2.0
"""What a release owes to its sensitive cells, and what an attacker faces in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._problem import Problem
from tacit.errors import InputError
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.attacker import Attacker
    from tacit.audit._rounding import Room
    from tacit.protect import Release

__all__ = ["Required", "problem_of", "required_of"]

_NOISE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Required:
    """Distances that must stay possible for each sensitive cell, in scaled amounts.

    ``above`` and ``below`` are distances from the true value, ``width`` is that from
    the lowest to the highest value that cannot be ruled out.
    """

    cells: NDArray[np.int64]
    above: NDArray[np.float64]
    below: NDArray[np.float64]
    width: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        return f"<Required: {len(self):,} cells, confidential>"

    @property
    def stretched(self) -> NDArray[np.float64]:
        """Above, but far enough to meet the width as well."""
        return np.maximum(self.above, self.width - self.below)

    def take(self, which: NDArray[np.bool_]) -> Required:
        """Only some of the cells."""
        above, below = self.above[which], self.below[which]
        return Required(self.cells[which], above, below, self.width[which])

    def met(
        self, above: NDArray[np.float64], below: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Whether what is reached on both sides is enough, but for noise."""
        less = 1 - 1e-7
        enough = (above >= self.above * less) & (below >= self.below * less)
        enough &= above + below >= self.width * less
        return enough


def required_of(release: Release, attacker: Attacker) -> Required:
    """Levels of the assessment, within what the kind of number allows at all.

    Nobody can be led to believe that a count of people is below 0 (or below 1 where
    no withheld cell is empty), so no level asks for that. Bounds that an attacker has
    beforehand excuse nothing. Where a pattern came along that names no sensitive cell,
    all of its cells count, and must not be known exactly.
    """
    assessment, table = release.assessment, release.table
    wanted, told = assessment.sensitive, _told_apart(release)
    if not told:
        wanted = np.isin(table.cells.state, (State.SUPPRESSED, State.FORCED))
    if not release.perturbed:
        wanted = wanted & release.withheld
    cells = np.flatnonzero(wanted).astype(np.int64)
    scale, value = float(10**table.cells.decimals), table.cells.value
    hidden = _unknown(release, attacker)
    floor = attacker.natural_lower(value, hidden, one=_one(release))
    room = (value - floor)[cells]
    above, below, width = (
        level[cells] * scale
        for level in (assessment.upl, assessment.lpl, assessment.spl)
    )
    if attacker.whole(is_count=table.is_count):
        above, below, width = map(_up, (above, below, width))
    if not told:
        width = np.maximum(width, 1.0)
    return Required(cells, above, np.minimum(below, room), width)


def _told_apart(release: Release) -> bool:
    """Whether the table says which of its withheld cells are sensitive.

    One that came with withheld cells and no sensitive one does not: then none of
    them may be known exactly.
    """
    return bool(release.assessment.sensitive.any())


def _up(level: NDArray[np.float64]) -> NDArray[np.float64]:
    """The next whole number, but for noise."""
    whole: NDArray[np.float64] = np.ceil(level * (1 - _NOISE))
    return whole


def _one(release: Release) -> int:
    """A single unit of a count, where the withheld cells are those that have some."""
    table = release.table
    counted = table.is_count and not release.perturbed
    return int(10**table.cells.decimals) if counted else 0


def _unknown(release: Release, attacker: Attacker) -> NDArray[np.bool_]:
    """Cells whose value is not printed exactly, nor known to be empty."""
    if not release.perturbed:
        return release.withheld
    empty = (release.table.cells.state == State.EMPTY) & ~release.assessment.sensitive
    unknown: NDArray[np.bool_] = ~(empty & attacker.knows_empty)
    return unknown


def problem_of(
    release: Release, attacker: Attacker, rounding: Room | None = None
) -> Problem:
    """What this attacker faces when the release is published."""
    table, value = release.table, release.table.cells.value
    if table.residuals_accepted:
        message = (
            f"{table.residuals_accepted:,} relations of this table hold only within "
            "the tolerance that was declared, so no table agrees with all of them and "
            "nothing can be proved. Let the totals be summed from their parts (leave "
            "their rows out of Table.from_cells), then protect and audit that table."
        )
        raise InputError(message)
    hidden = _unknown(release, attacker)
    lower, upper = attacker.bounds_on(
        value,
        hidden,
        one=_one(release),
        given=(table.cells.lower, table.cells.upper),
    )
    whole = attacker.whole(is_count=table.is_count)
    if release.perturbed:
        low, high = _ends(release, rounding, whole=whole)
        printed = ~release.withheld
        lower[printed] = np.maximum(lower, low)[printed]
        upper[printed] = np.minimum(upper, high)[printed]
    return Problem(
        matrix=table.relations.matrix,
        hidden=hidden,
        published=np.where(hidden, 0, value),
        lower=lower,
        upper=upper,
        value=value,
        integral=whole,
    )


def _ends(
    release: Release, rounding: Room | None, *, whole: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if rounding is None:
        message = (
            f"The release by '{release.method}' changes values. How far a published "
            "number may be from the true one must be known to audit it: for a rounded "
            "table give base=."
        )
        raise InputError(message)
    unit = float(10**release.table.cells.decimals)
    return rounding.ends(release.published, whole=whole, unit=unit)
