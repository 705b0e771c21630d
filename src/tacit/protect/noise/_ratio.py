# SPDX-License-Identifier: Apache-2.0
"""Means and ratios from numbers that were changed, never from true ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError
from tacit.protect._release import Release

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ratios"]


def ratios(above: Release, below: Release, *, decimals: int = 2) -> Any:  # noqa: ANN401
    """Divide one released table by another, cell by cell.

    Both are taken as they are published. An exact mean beside a changed count would
    give the count away: only one number of people fits it. The frame holds the cells
    of ``above`` that ``below`` holds as well; where either is withheld, or the divisor
    is 0, there is no ratio.

    >>> import tacit
    >>> people = {"sex": ["f", "f", "m"], "pay": [10, 21, 30], "k": [0.1, 0.5, 0.9]}
    >>> by, noise = {"sex": "all"}, {"D": 1, "V": 0.5}
    >>> counts = tacit.tabulate(people, by=by, record_key="k")
    >>> pay = tacit.tabulate(people, by=by, value="pay", record_key="k")
    >>> steps = {"D": 1, "V": 0.5, "kind": "magnitude"}
    >>> mean = ratios(tacit.perturb(pay, noise=steps, scale=0.1),
    ...               tacit.perturb(counts, noise=noise))
    >>> mean.column_names
    ['sex', 'ratio']
    """
    for one in (above, below):
        if not isinstance(one, Release) or not one.perturbed:
            message = (
                "ratios divides two releases whose numbers were changed, such as two "
                "made with tacit.perturb: from true numbers a mean would give away "
                "what it is made of."
            )
            raise InputError(message)
    mine, other = _matched(above, below)
    top = above.published[mine] / 10.0**above.table.cells.decimals
    bottom = below.published[other] / 10.0**below.table.cells.decimals
    none = above.withheld[mine] | below.withheld[other] | (bottom == 0)
    ratio = np.divide(top, bottom, out=np.zeros(len(top)), where=~none)
    columns: dict[str, Any] = {
        name: above.table.codes_of(name)[mine] for name in above.table.names
    }
    columns["ratio"] = np.ma.array(np.round(ratio, decimals), mask=none)
    from tacit.table._frames import to_frame  # noqa: PLC0415 - loads a frame library

    return to_frame(columns, above.table.frame_kind)


def _matched(
    above: Release, below: Release
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cells that both tables hold, in the order of the first."""
    here, there = above.table, below.table
    if here.names != there.names:
        message = (
            f"The tables have other dimensions: {', '.join(here.names)} and "
            f"{', '.join(there.names)}. Tabulate both by the same."
        )
        raise InputError(message)
    codes = np.empty_like(here.cells.codes)
    for d, (one, other) in enumerate(
        zip(here.dimensions, there.dimensions, strict=True)
    ):
        place = np.array([other.positions.get(code, -1) for code in one.codes])
        codes[d] = place[here.cells.codes[d]]
    known = np.flatnonzero((codes >= 0).all(axis=0))
    at = there.key_index.lookup(codes[:, known])
    return known[at >= 0], at[at >= 0]
