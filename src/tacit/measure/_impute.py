# SPDX-License-Identifier: Apache-2.0
"""What stands for a value that is withheld, so that a loss can be measured."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from tacit.errors import InputError, suggest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.measure._pair import Pair
    from tacit.protect import Release

__all__ = ["Imputation", "imputed"]

Imputation = Literal["spread", "midpoint", "zero", "drop"]
"""``spread`` shares what each column withholds equally between its withheld cells;
``midpoint`` takes the middle of what an attacker can narrow the cell down to; ``zero``
takes nothing; ``drop`` leaves the cell out on both sides."""


def imputed(release: Release, pair: Pair, imputation: str) -> Pair:
    """Put a number where a value is withheld, or leave the cell out."""
    names = get_args(Imputation)
    if imputation not in names:
        message = (
            f"There is no imputation '{imputation}'. {suggest(str(imputation), names)}"
        )
        raise InputError(message)
    hidden = pair.withheld
    if not hidden.any():
        return pair
    if imputation == "drop":
        return _dropped(pair)
    released = pair.released.copy()
    if imputation == "zero":
        released[hidden] = 0.0
    elif imputation == "spread":
        released[hidden] = _spread(pair)
    else:
        released[hidden] = _middle(release, pair.cells[hidden])
    return replace(pair, released=released)


def _dropped(pair: Pair) -> Pair:
    kept = ~pair.withheld
    if not kept.any():
        message = (
            "Every interior cell is withheld, so dropping them leaves nothing to "
            "measure. Choose another imputation, such as 'spread'."
        )
        raise InputError(message)
    return replace(
        pair,
        original=pair.original[kept],
        released=pair.released[kept],
        cells=pair.cells[kept],
        withheld=pair.withheld[kept],
        rows=pair.rows.take(kept),
        columns=pair.columns.take(kept),
    )


def _spread(pair: Pair) -> NDArray[np.float64]:
    hidden, columns = pair.withheld, pair.columns
    mass = columns.sums(np.where(hidden, pair.original, 0.0))
    share = mass / np.maximum(columns.sums(hidden.astype(np.float64)), 1.0)
    spread: NDArray[np.float64] = share[columns.of[hidden]]
    return spread


def _middle(release: Release, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    low, high = _limits(release, cells)
    bad = ~(np.isfinite(low) & np.isfinite(high))
    if bad.any():
        message = (
            f"{int(bad.sum()):,} withheld cells have no limit above, so their "
            "intervals have no middle. Choose another imputation, such as 'spread'."
        )
        raise InputError(message)
    return (low + high) / 2


def _limits(
    release: Release, cells: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What an outsider can narrow each cell down to, as far as known already."""
    from tacit.attacker import Attacker  # noqa: PLC0415 - beside its use
    from tacit.audit import intervals  # noqa: PLC0415 - opens the audit
    from tacit.audit._required import problem_of  # noqa: PLC0415 - as above

    low, high = np.full(len(release), np.nan), np.full(len(release), np.nan)
    report = release.audit
    if report is not None and len(report.ranges):
        sure = report.ranges.complete
        at = report.ranges.cells[sure]
        low[at], high[at] = report.ranges.lowest[sure], report.ranges.highest[sure]
    open_ = cells[np.isnan(low[cells])]
    if len(open_):
        found = intervals(problem_of(release, Attacker()), open_)
        scale = float(10**release.table.cells.decimals)
        low[open_], high[open_] = found.lowest / scale, found.highest / scale
    return low[cells], high[cells]
