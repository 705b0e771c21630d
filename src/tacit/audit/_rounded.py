# SPDX-License-Identifier: Apache-2.0
"""The attack on a rounded table, by somebody who knows its base and method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.audit._on_release import ReleaseAudit
from tacit.audit._rounding import Rounding

if TYPE_CHECKING:
    from tacit.attacker import Attacker
    from tacit.audit._clock import Means
    from tacit.audit._report import AuditReport
    from tacit.protect import Release

__all__ = ["attack"]


def attack(
    release: Release, attackers: tuple[Attacker, ...], *, means: Means
) -> AuditReport:
    """Find how closely the true numbers are known: their intervals, and what adds up.

    The true numbers add up even where the published ones do not.
    """
    notes = release.provenance
    unit = 10**release.table.cells.decimals
    rounding = Rounding(
        base=notes["base"] / unit,
        steps=notes["steps"],
        nearest=notes["nearest"],
        ties=notes["ties"],
    )
    return ReleaseAudit(release, attackers, means=means, rounding=rounding).report()
