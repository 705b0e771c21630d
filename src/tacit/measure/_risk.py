# SPDX-License-Identifier: Apache-2.0
"""How much risk is left, in three ways."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tacit.measure._registry import register
from tacit.measure._shares import _intervals

if TYPE_CHECKING:
    from tacit.measure._subject import Subject

__all__: list[str] = []

_DUST = 1e-9


@register(kind="risk", formula=r"100 / \mathrm{Var}(T' - T)")
def risk_variance(subject: Subject) -> float:
    """Reciprocal of the variance of the changes: infinite where nothing changed."""
    pair = subject.pair
    if len(pair) < 2:  # noqa: PLR2004 - a variance needs two
        return math.inf if not pair.change.any() else math.nan
    spread = float(pair.change.var(ddof=1))
    return 100 / spread if spread else math.inf


@register(
    kind="risk",
    formula=r"1 / \min_s \log_2 K_s,\ K_s = \lfloor (h_s - l_s) / u \rfloor + 1",
)
def risk_posterior(subject: Subject) -> float:
    """Reciprocal of the least entropy that the release leaves of a sensitive cell.

    As far as the audit looked: ``release.audited(full=True)`` finds whole intervals.
    """
    if not subject.release.assessment.sensitive.any():
        return 0.0
    if subject.release.exposed.any():
        return math.inf
    found = _intervals(subject)
    if found is None:
        return math.nan
    scale = 10**subject.release.table.cells.decimals
    # One value in the last digit for each that the attacker cannot rule out.
    narrowest = float(found[0].min()) * scale
    if math.isinf(narrowest):
        return 0.0
    entropy = math.log2(math.floor(narrowest + _DUST) + 1)
    return 1 / entropy if entropy else math.inf


@register(
    kind="risk",
    range=(0.0, 100.0),
    formula=r"100\,\#\{s \text{ under-protected}\} / \#\{s\}",
)
def risk_audit(subject: Subject) -> float:
    """Sensitive cells that the audit found under-protected, in percent."""
    sensitive = subject.release.assessment.sensitive
    if not sensitive.any():
        return 0.0
    findings = getattr(subject.report, "findings", None)
    if findings is None:
        if not subject.release.exposed.any():
            return math.nan
        return 100 * float(subject.release.exposed.sum() / sensitive.sum())
    told = np.unique(findings.cell[findings.cell >= 0])
    return 100 * float(sensitive[told].sum() / sensitive.sum())
