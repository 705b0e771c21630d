# SPDX-License-Identifier: Apache-2.0
"""The attack on noisy amounts: the second contributor to a cell estimates the first."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._findings import Draft, Kind
from tacit.audit._report import AuditReport, Ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.attacker import Attacker
    from tacit.audit._clock import Means
    from tacit.protect import Release

__all__ = ["attack"]

_NEAR = 1e-9
_TOGETHER = (
    "what several noisy numbers say together: noise has no limit, so an average over "
    "cells that share contributors comes closer than each of them"
)


def attack(
    release: Release,
    attackers: tuple[Attacker, ...],  # noqa: ARG001 - contributors are the attackers
    *,
    means: Means,
) -> AuditReport:
    """Let the second contributor subtract its own part from each sensitive cell.

    What is left may be off by the other contributors, which the levels count on, and
    must be off by as much as they ask for: noise must not make up for the others.
    """
    means.step("audit: estimates of contributors")
    table, draft = release.table, Draft()
    cells = np.flatnonzero(release.assessment.sensitive & ~release.withheld)
    scale = float(10**table.cells.decimals)
    true = table.cells.value[cells].astype(np.float64)
    others = _others(release, cells)
    level = release.assessment.upl[cells] * scale
    error = np.abs(release.published[cells] - true + others)
    wanted = np.where(level > 0, level + others, 0.0)
    close = (error < wanted * (1 - _NEAR)) | (error == 0)
    for k in np.flatnonzero(close).tolist():
        kind = Kind.EXACT if error[k] == 0 else Kind.INSIDER
        why = "The second contributor estimates the first too closely"
        if kind is Kind.EXACT:
            why = "The noise leaves the largest contribution as it is"
        draft.add(kind, int(cells[k]), why=why)
    counts = {
        "cells": len(release),
        "withheld": int(release.withheld.sum()),
        "sensitive": int(release.assessment.sensitive.sum()),
        "estimates": len(cells),
    }
    none = np.zeros(0)
    return AuditReport(
        table=table,
        findings=draft.sorted(),
        ranges=Ranges(none.astype(np.int64), none, none, none.astype(bool)),
        public=False,
        counts=MappingProxyType(counts),
        checked=("estimates of the largest contributor by the second",),
        not_checked=(_TOGETHER,),
        seconds=means.clock.passed,
    )


def _others(release: Release, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """What all but the two largest contribute to each cell."""
    evidence = release.table.evidence
    if evidence is None or not evidence.largest.shape[1]:
        return np.zeros(len(cells))
    two = evidence.largest[cells, :2].sum(axis=1)
    rest: NDArray[np.float64] = np.maximum(evidence.total[cells] - two, 0).astype(float)
    return rest
