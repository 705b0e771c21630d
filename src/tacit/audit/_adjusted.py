# SPDX-License-Identifier: Apache-2.0
"""The attack on an adjusted table, by somebody who knows what may have changed.

Taken at its word, a published number must be as far from the true one as the levels
ask. And whoever knows which cells are sensitive, which totals kept their values and how
far others may have changed can solve for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._findings import Kind
from tacit.audit._on_release import ReleaseAudit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.attacker import Attacker
    from tacit.audit._clock import Means
    from tacit.audit._report import AuditReport
    from tacit.protect import Release

__all__ = ["attack"]

_NOISE = 1e-9


@dataclass(frozen=True, eq=False)
class _Room:
    """What each published number says: kept ones all, others within the slack."""

    sensitive: NDArray[np.bool_]
    kept: NDArray[np.bool_]
    slack: float | None

    def ends(
        self,
        published: NDArray[np.int64],
        *,
        whole: bool,  # noqa: ARG002 - changes are in whole units of the last decimal
        unit: float = 1.0,  # noqa: ARG002 - as above
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest true value behind each published one."""
        at = published.astype(np.float64)
        low, high = np.full(len(at), -np.inf), np.full(len(at), np.inf)
        if self.slack is not None:
            share, size = self.slack / 100, np.abs(at)
            near = size * share / (1 + share)
            far = size * share / (1 - share) if share < 1 else np.full(len(at), np.inf)
            low = np.where(at >= 0, at - near, at - far)
            high = np.where(at >= 0, at + far, at + near)
        low[self.sensitive], high[self.sensitive] = -np.inf, np.inf
        low[self.kept], high[self.kept] = at[self.kept], at[self.kept]
        return low, high


class _AdjustedAudit(ReleaseAudit):
    """An audit that also takes the published numbers at their word."""

    def _exposed(self) -> None:
        super()._exposed()
        release, scale = self.release, self.scale
        asked, value = release.assessment, release.table.cells.value
        moved = (release.published - value).astype(np.float64)
        up, down = asked.upl * scale, asked.lpl * scale
        enough = (moved > 0) & (moved >= up * (1 - _NOISE))
        enough |= (moved < 0) & (-moved >= down * (1 - _NOISE))
        told = asked.sensitive & ~enough & ~release.withheld
        for cell in np.flatnonzero(told).tolist():
            kind = Kind.INTERVAL if moved[cell] else Kind.EXACT
            shown = release.published[cell]
            self._tell(kind, cell, "Published nearer than its levels", (shown, shown))
        self.checked.append("published numbers taken at their word")
        self.skipped.append(
            "what follows from the changes being the least that were found"
        )


def attack(
    release: Release, attackers: tuple[Attacker, ...], *, means: Means
) -> AuditReport:
    """Find sensitive cells that are published too near, or can be worked out."""
    notes = release.provenance
    room = _Room(release.assessment.sensitive, notes["kept"], notes["slack"])
    return _AdjustedAudit(release, attackers, means=means, rounding=room).report()
