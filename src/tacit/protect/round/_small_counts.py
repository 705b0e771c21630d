# SPDX-License-Identifier: Apache-2.0
"""Small counts to nothing or to the base, and totals that stay near."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from tacit.errors import InputError, LimitError
from tacit.protect._perturbing import Changed, Codes, marked
from tacit.protect.round._base import Rounds, base_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect._leaves import Leaves
    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment

__all__ = ["Options", "SmallCounts", "change"]

# Cells that do not go out matter little.
_UNSEEN = 0.01


class SmallCounts(Rounds):
    """Round the counts from 1 to below ``base`` to 0 or to ``base``, and no others.

    Only inner cells that small published counts are made of are changed, and the
    totals are summed anew. So all adds up, no count below the base is left, and large
    inner cells keep their values. ``limit`` is how much any count may differ from the
    true one: a table in which one differs more is not handed back.
    """

    limit: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="the largest difference of any count; as small as is found if not "
        "given",
    )
    publish: Annotated[tuple[Codes, ...], Field(strict=False, min_length=1)] | None = (
        Field(
            default=None,
            description="codes of the cells that go out, such as [{sex = 'all'}]; all "
            "if not given",
        )
    )


Options = SmallCounts


def change(assessment: Assessment, options: SmallCounts, clock: Clock) -> Changed:
    """Choose which small counts go up."""
    from tacit.protect._leaves import leaves_of  # noqa: PLC0415 - heavy

    table = assessment.table
    _check_counts(assessment)
    base, value = base_of(assessment, options), table.cells.value
    leaves = leaves_of(table.relations.matrix)
    shown = np.ones(len(value), dtype=np.bool_)
    if options.publish is not None:
        shown = marked(table, "publish", options.publish)
    clock.tell("rounding small counts")
    if leaves.alone:
        published = _chosen(value, leaves, shown, base, options.limit, clock)
    else:
        from tacit.protect.round._small_linked import together  # noqa: PLC0415

        published = together(assessment, leaves, base, options.limit, clock)
    difference = np.abs(published - value)[shown]
    largest = int(difference.max(initial=0))
    if options.limit is not None and largest > options.limit:
        raise LimitError(_too_far(options.limit, largest))
    notes = {
        "base": base,
        "limit": options.limit,
        "largest": largest,
        "leaves": leaves.cells,
        "moved": 0 if leaves.alone else largest,
    }
    cost = float(difference.sum())
    return Changed(published, "small_counts", cost=cost, notes=notes, withheld=~shown)


def _check_counts(assessment: Assessment) -> None:
    table = assessment.table
    if not table.is_count:
        message = (
            f"round by 'small_counts' is for counts, and '{table.measure}' is an "
            "amount. Round amounts with method='controlled'."
        )
        raise InputError(message)


def _chosen(
    value: NDArray[np.int64],
    leaves: Leaves,
    shown: NDArray[np.bool_],
    base: int,
    limit: int | None,
    clock: Clock,
) -> NDArray[np.int64]:
    """Choose by annealing, then heed the cells that differ most."""
    from tacit.protect.round._leaves_up import choices  # noqa: PLC0415

    if clock.over:
        raise LimitError(_no_time(clock))
    asked = (shown & (value > 0) & (value < base)).astype(np.int64)
    small = (leaves.sums.T @ asked > 0) & (value[leaves.cells] > 0)
    parts = leaves.sums[:, np.flatnonzero(small)].tocsc()
    start = -(parts @ value[leaves.cells[small]]).astype(np.float64)
    weight = np.where(shown, 1.0, _UNSEEN)
    best, reached = start, np.inf
    for difference in choices(parts, start, weight, base, clock):
        far = np.abs(difference) * shown
        if far.max(initial=0.0) < reached:
            best, reached = difference, float(far.max(initial=0.0))
        if limit is not None and reached <= limit:
            break
        weight[far > (reached - 1 if limit is None else limit)] *= 2.0
    return value + np.rint(best).astype(np.int64)


def _no_time(clock: Clock) -> str:
    return (
        f"The time limit of {clock.limit:g} s ended before the counts were rounded. "
        "Allow more time with time_limit=."
    )


def _too_far(limit: int, largest: int) -> str:
    return (
        f"No rounding was found in which every count stays within {limit} of the true "
        f"one; the nearest that was found has a difference of {largest}. Allow "
        f"limit={largest}, or choose a smaller base."
    )
