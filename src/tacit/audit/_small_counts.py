# SPDX-License-Identifier: Apache-2.0
"""The attack on a table whose small counts were rounded, by somebody who knows that.

Inner cells above the base are true. Nothing stands for fewer than the base, the base
for at least one; what totals hide follows from these, because true counts add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._on_release import ReleaseAudit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.attacker import Attacker
    from tacit.audit._clock import Means
    from tacit.audit._report import AuditReport
    from tacit.protect import Release

__all__ = ["attack"]


@dataclass(frozen=True, eq=False)
class _Room:
    """What each published count says: of inner cells much, of totals the limit."""

    base: int
    leaves: NDArray[np.int64]
    limit: int | None
    moved: int

    def ends(
        self,
        published: NDArray[np.int64],
        *,
        whole: bool,  # noqa: ARG002 - counts are whole
        unit: float = 1.0,  # noqa: ARG002 - the base is scaled
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest true count behind each published one."""
        at = published.astype(np.float64)
        far = np.inf if self.limit is None else float(self.limit)
        low, high = at - far, at + far
        inner = at[self.leaves]
        low[self.leaves] = np.where(inner == self.base, 1.0, inner - self.moved)
        high[self.leaves] = np.where(inner == 0, self.base - 1.0, inner + self.moved)
        return low, high


def attack(
    release: Release, attackers: tuple[Attacker, ...], *, means: Means
) -> AuditReport:
    """Find how closely the true counts are known."""
    notes = release.provenance
    room = _Room(notes["base"], notes["leaves"], notes["limit"], notes["moved"])
    return ReleaseAudit(release, attackers, means=means, rounding=room).report()
