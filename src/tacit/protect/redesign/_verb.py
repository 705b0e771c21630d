# SPDX-License-Identifier: Apache-2.0
"""The verb: propose coarser tables, the best for each loss of detail."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError
from tacit.protect.redesign._apply import after
from tacit.protect.redesign._candidates import candidates, detail_of
from tacit.rules import Assessment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tacit.protect.redesign._collapse import Collapse
    from tacit.table import Dimension

__all__ = ["Proposal", "Redesign", "redesign"]

_SINGLE = 25
"""How many single steps are looked at beside the best sequence."""


@dataclass(frozen=True)
class Proposal:
    """Steps that make a table coarser, and what is left then."""

    steps: tuple[Collapse, ...]
    sensitive: int
    cells: int
    lost: int

    @property
    def words(self) -> str:
        """The steps in words."""
        return "; ".join(step.words for step in self.steps)


@dataclass(frozen=True, eq=False, repr=False)
class Redesign:
    """Proposals, none of which is worse than another in both respects.

    They are sorted by how much detail they lose: the first loses least.
    """

    assessment: Assessment
    proposals: tuple[Proposal, ...]
    finished: bool = True

    def __len__(self) -> int:
        return len(self.proposals)

    def apply(self, number: int) -> Assessment:
        """Give the assessment of the coarser table of one proposal, from 0.

        The steps work on the table as it was tabulated; to publish, tabulate again
        with the dimensions of ``by``, and protect that.
        """
        if not -len(self) <= number < len(self):
            message = f"There is no proposal {number}: there are {len(self):,}, from 0."
            raise InputError(message)
        found = self.assessment
        for step in self.proposals[number].steps:
            found = after(found, step)
        return found

    def by(self, number: int) -> Mapping[str, Dimension]:
        """Give the dimensions of a proposal, as ``tabulate`` and others take them."""
        return {axis.name: axis for axis in self.apply(number).table.dimensions}

    @property
    def before(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """The table as it is: codes, values of what may be published, status."""
        return self.assessment.cells

    def after(self, number: int) -> Any:  # noqa: ANN401 - as above
        """The table of a proposal, in the same form."""
        return self.apply(number).cells

    @property
    def frame(self) -> Any:  # noqa: ANN401 - as above
        """One row for each proposal. Internal: it counts sensitive cells."""
        from tacit.table._frames import to_frame  # noqa: PLC0415 - loads pyarrow

        rows = self.proposals
        columns: dict[str, Any] = {
            "steps": [row.words for row in rows],
            "sensitive": [row.sensitive for row in rows],
            "cells": [row.cells for row in rows],
            "lost": [row.lost for row in rows],
        }
        return to_frame(columns, self.assessment.table.frame_kind)

    def __repr__(self) -> str:
        cut = "" if self.finished else ", stopped by the time limit"
        return f"<Redesign: {len(self):,} proposals{cut}>"


def redesign(
    assessment: Assessment,
    *,
    steps: int = 10,
    time_limit: float = 60.0,
    progress: Callable[..., None] | None = None,
) -> Redesign:
    """Propose coarser tables in which fewer cells are sensitive.

    A step cuts what lies below a code, or merges two codes of the same parent. The
    step that removes most sensitive cells for each cell that is lost is taken, again
    and again; what comes of it, and of single steps, is listed where no other proposal
    has both fewer sensitive cells and less loss. Merging needs microdata, because
    merged cells are judged anew.

    Args:
        assessment: What is sensitive now.
        steps: How many steps a proposal has at most.
        time_limit: Seconds; what was found by then is proposed.
        progress: Called with (step, done, total).

    >>> import tacit
    >>> firms = {
    ...     "region": ["A1", "A1", "A1", "A2", "B1", "B1", "B1", "B2", "B2", "B2"],
    ...     "id": list(range(10)),
    ... }
    >>> parents = {"A1": "A", "A2": "A", "A": "T", "B1": "B", "B2": "B", "B": "T"}
    >>> region = tacit.Hierarchy.from_parents(parents)
    >>> table = tacit.tabulate(firms, by={"region": region}, unit="id")
    >>> found = redesign(tacit.assess(table, tacit.MinFrequency(n=3)))
    >>> [(p.words, p.sensitive, p.lost) for p in found.proposals]
    [('region: publish A without its parts', 0, 2)]
    >>> found.apply(0).table.codes_of("region").tolist()
    ['T', 'A', 'B', 'B1', 'B2']
    """
    _check(assessment, steps, time_limit)
    deadline = monotonic() + time_limit
    start = int(detail_of(assessment).sum())
    found: list[Proposal] = []
    taken: list[Collapse] = []
    now, finished = assessment, True
    for number in range(steps):
        if progress is not None:
            progress("redesign", number, steps)
        if monotonic() > deadline:
            finished = False
            break
        ranked = candidates(now)
        if number == 0:
            sensitive = int(now.sensitive.sum())
            found += [
                Proposal((c.step,), sensitive - c.removed, start - c.lost, c.lost)
                for c in ranked[:_SINGLE]
            ]
        if not ranked:
            break
        taken.append(ranked[0].step)
        now = after(now, ranked[0].step)
        cells = int(detail_of(now).sum())
        left = int(now.sensitive.sum())
        found.append(Proposal(tuple(taken), left, cells, start - cells))
    return Redesign(assessment, _best(found), finished)


def _best(found: list[Proposal]) -> tuple[Proposal, ...]:
    """Keep what no other proposal beats in both respects."""
    kept: list[Proposal] = []
    for one in sorted(found, key=lambda p: (p.lost, p.sensitive, len(p.steps))):
        if not kept or one.sensitive < kept[-1].sensitive:
            kept.append(one)
    return tuple(kept)


def _check(assessment: object, steps: object, time_limit: object) -> None:
    if not isinstance(assessment, Assessment):
        message = (
            f"redesign takes an assessment, not a {type(assessment).__name__}: only "
            "that says what is sensitive. Make one with tacit.assess(table, rule)."
        )
        raise InputError(message)
    table = assessment.table
    if table.compiled is not None or table.equations is not None:
        message = (
            "This table is linked from others, which share codes that a step would "
            "change in one of them only. Redesign each table first, then link them."
        )
        raise InputError(message)
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        message = f"steps is {steps!r}: give how many steps to take, from 1."
        raise InputError(message)
    if isinstance(time_limit, bool) or not isinstance(time_limit, int | float):
        message = f"time_limit is {time_limit!r}: give a number of seconds."
        raise InputError(message)
    if not assessment.sensitive.any():
        message = (
            "No cell of this table is sensitive, so there is nothing that a coarser "
            "table would spare."
        )
        raise InputError(message)
