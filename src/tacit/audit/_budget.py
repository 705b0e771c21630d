# SPDX-License-Identifier: Apache-2.0
"""What holds of a table with a privacy budget, whatever anybody knows."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._findings import Draft, Kind
from tacit.audit._report import AuditReport, Ranges

if TYPE_CHECKING:
    from tacit.attacker import Attacker
    from tacit.audit._clock import Means
    from tacit.protect import Release

__all__ = ["attack"]

_WEAK = 10.0
"""A budget above this leaves hardly any doubt about a single record."""


def attack(
    release: Release,
    attackers: tuple[Attacker, ...],  # noqa: ARG001 - it holds against everybody
    *,
    means: Means,
) -> AuditReport:
    """State the budget; one that hides nobody is a finding for each sensitive cell.

    With budget ε the odds of any statement on one record change by a factor of at most
    exp(ε). Noise is drawn by the codes of a cell: to publish it again spends nothing.
    """
    means.step("audit: privacy budget")
    draft, notes = Draft(), release.provenance
    epsilon = float(notes["epsilon"])
    if epsilon > _WEAK:
        for cell in np.flatnonzero(release.assessment.sensitive & ~release.withheld):
            why = f"The budget of {epsilon:g} hides no single record"
            draft.add(Kind.INTERVAL, int(cell), why=why)
    none = np.zeros(0)
    stated = f"privacy budget of {epsilon:g}"
    if "delta" in notes:
        stated += f" with delta {notes['delta']:g}"
    return AuditReport(
        table=release.table,
        findings=draft.sorted(),
        ranges=Ranges(none.astype(np.int64), none, none, none.astype(bool)),
        public=False,
        counts=MappingProxyType(
            {
                "cells": len(release),
                "withheld": int(release.withheld.sum()),
                "sensitive": int(release.assessment.sensitive.sum()),
            }
        ),
        checked=(f"{stated}, of one record over {notes['combinations']} cells each",),
        not_checked=(
            (
                "units with several records: their budget is that of one record times "
                "their number"
            ),
            "which empty cells are known to be empty: these are published as 0",
        ),
        seconds=means.clock.passed,
    )
