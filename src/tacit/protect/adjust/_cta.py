# SPDX-License-Identifier: Apache-2.0
"""Controlled tabular adjustment: sensitive cells move away, and all still adds up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from tacit.errors import LimitError
from tacit.protect._perturbing import Changed, Codes
from tacit.protect._perturbing import Options as CommonOptions

if TYPE_CHECKING:
    from tacit.protect.adjust._demands import Demands
    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment

__all__ = ["Cta", "Options", "change"]


class Cta(CommonOptions):
    """Move each sensitive cell to one of its levels or beyond, others little.

    The published table adds up. What is least is the sum of all changes, each by its
    weight. Cells that must stay published (frozen) keep their values.
    """

    weights: Literal["relative", "root", "unit", "column"] = Field(
        default="relative",
        description="what changing a cell by one costs: 1/value, 1/root of the value, "
        "1, or the cost that came with the table",
    )
    norm: Literal["l1", "l2"] = Field(
        default="l1",
        description="whether the sum of changes or of squared changes is least",
    )
    slack: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        default=None,
        description="percent by which a cell that is not sensitive may change; any "
        "if not given",
    )
    preserve: (
        Literal["none", "total", "margins"]
        | Annotated[tuple[Codes, ...], Field(strict=False)]
    ) = Field(
        default="none",
        description="totals that keep their values: none, total, margins, or codes "
        "such as [{region = 'A'}]",
    )


Options = Cta


def change(assessment: Assessment, options: Cta, clock: Clock) -> Changed:
    """Move what must move, and balance every relation."""
    from tacit.protect._search import solve  # noqa: PLC0415 - heavy
    from tacit.protect.adjust._clash import explain_clash  # noqa: PLC0415
    from tacit.protect.adjust._demands import demands_of  # noqa: PLC0415
    from tacit.protect.adjust._first import first_table  # noqa: PLC0415
    from tacit.protect.adjust._moves import Moves  # noqa: PLC0415

    table = assessment.table
    demands = demands_of(assessment, options)
    moves = Moves.of(table.relations.matrix, demands, square=options.norm == "l2")
    clock.tell("adjusting")
    program = moves.program()
    start = None
    if len(program) > _SMALL:
        clock.tell("choosing directions")
        start = first_table(moves, program, clock)
    found = solve(program, clock, first=start)
    if found.values is None:
        if found.state == "impossible":
            raise LimitError(explain_clash(assessment, options, demands, clock))
        raise LimitError(_no_time(demands, clock))
    moved = moves.moved(found.values)
    cost = moves.cost_of(moved)
    notes = {
        "search": found.state,
        "slack": options.slack,
        "kept": demands.kept,
        "norm": options.norm,
    }
    bound = None if options.norm == "l2" else min(found.bound + moves.always, cost)
    published = table.cells.value + moved
    return Changed(published, "adjustment", cost=cost, bound=bound, notes=notes)


_SMALL = 3_000


def _no_time(demands: Demands, clock: Clock) -> str:
    return (
        f"The time limit of {clock.limit:g} s ended before a table was found in which "
        f"all {int(np.count_nonzero(demands.sensitive)):,} sensitive cells have moved "
        "far enough. Allow more time with time_limit=, or more room with slack=."
    )
