# SPDX-License-Identifier: Apache-2.0
"""What a finished table tells about its contributors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.table._cells import Evidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.table._reader import Reader

__all__ = ["evidence_of"]


def evidence_of(
    reader: Reader, value: NDArray[np.int64], count: NDArray[np.int64] | None
) -> Evidence | None:
    """Gather counts and largest contributions; None where no count was given."""
    if count is None:
        return None
    holdings = reader.request.holdings
    entities = reader.summed(holdings) if holdings else count
    if holdings:
        reader.refuse(
            entities > count, holdings, "there are more holdings than contributors."
        )
        reader.refuse(
            (entities == 0) != (count == 0),
            holdings,
            "only one of the two counts, of holdings and of contributors, is 0.",
        )
    largest, complete = _largest(reader, entities)
    if largest.shape[1]:
        _check_largest(reader, largest, value, complete)
    return Evidence(
        contributors=entities,
        total=np.abs(value),
        largest=largest,
        units=count if holdings else None,
        complete=None if complete.all() else complete,
    )


def _largest(
    reader: Reader, entities: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Listed contributions per cell, and where the list can be relied on.

    The largest contributions of a total that was summed from parts are unknown: one
    contributor may stand in several of them.
    """
    names = reader.request.contributions
    complete = np.ones(len(entities), dtype=bool)
    largest = np.zeros((len(entities), len(names)), dtype=np.int64)
    for position, name in enumerate(names):
        amount, missing = reader.given(name)
        needed = missing & (entities > position)
        reader.refuse(
            needed & ~reader.is_total,
            name,
            f"the contribution is missing, although there are more than {position} "
            "contributors.",
        )
        reader.refuse(
            (amount != 0) & (entities <= position),
            name,
            "there are more contributions than contributors.",
        )
        complete &= ~needed
        largest[:, position] = amount
    largest[~complete] = 0
    return largest, complete


def _check_largest(
    reader: Reader,
    largest: NDArray[np.int64],
    value: NDArray[np.int64],
    complete: NDArray[np.bool_],
) -> None:
    names = reader.request.contributions
    for position, name in enumerate(names):
        reader.refuse(
            largest[:, position] < 0,
            name,
            "a contribution is negative. Give the largest absolute amounts.",
        )
        if position:
            reader.refuse(
                largest[:, position] > largest[:, position - 1],
                name,
                f"it is larger than '{names[position - 1]}'. Name the columns with the "
                "largest contribution first.",
            )
    slack = 0 if reader.request.tolerance is None else len(names) + 1
    reader.refuse(
        complete & (largest.sum(axis=1) > np.abs(value) + slack),
        names[-1],
        "the contributions sum to more than the value. If some are negative, tabulate "
        "from microdata: only there is the sum of absolute contributions known.",
    )
