# SPDX-License-Identifier: Apache-2.0
"""The attack on noise by cell key, by somebody who has the p-table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ConfigDict

from tacit.audit._on_release import ReleaseAudit
from tacit.audit._rounding import Rounding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.attacker import Attacker
    from tacit.audit._clock import Means
    from tacit.audit._report import AuditReport
    from tacit.protect import Release

__all__ = ["attack"]


class _Known(Rounding):
    """The ends of each true number, as the noise leaves them."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    low: Any
    high: Any

    def ends(
        self,
        published: NDArray[np.int64],  # noqa: ARG002 - known already
        *,
        whole: bool,  # noqa: ARG002 - noise of counts is whole
        unit: float = 1.0,  # noqa: ARG002 - scaled already
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The ends, scaled."""
        return self.low, self.high


def attack(
    release: Release, attackers: tuple[Attacker, ...], *, means: Means
) -> AuditReport:
    """Find how closely the true numbers are known: noise is limited, and they add up.

    Of counts it is known which number becomes which; of amounts how far noise can move
    each of them. Records that are the same everywhere leave nothing to average.
    """
    notes = release.provenance
    at = release.published.astype(np.float64)
    if "entries" in notes:
        low, high = _possible(at, notes["entries"], 10**release.table.cells.decimals)
    else:
        low, high = at - notes["room"], at + notes["room"]
    kept = np.asarray(notes["kept"])
    low[kept] = high[kept] = at[kept]
    known = _Known(base=1.0, low=low, high=high)
    return ReleaseAudit(release, attackers, means=means, rounding=known).report()


def _possible(
    at: NDArray[np.float64], entries: tuple[list[int], list[int]], unit: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The smallest and the largest number that can have become each published one.

    ``entries`` are pairs of a number and a possible result; from the last number on
    the changes are the same.
    """
    before, after = (np.asarray(column) for column in entries)
    last = int(before.max())
    change = after[before == last] - last
    count = np.rint(at / unit).astype(np.int64)
    low = np.maximum(count - change.max(), last)
    high = count - change.min()
    high = np.where(high >= last, high, -1)
    low = np.where(high >= last, low, np.iinfo(np.int64).max)
    small = before < last
    for number, result in zip(before[small], after[small], strict=True):
        here = count == result
        low[here] = np.minimum(low[here], number)
        high[here] = np.maximum(high[here], number)
    return low * float(unit), high * float(unit)
