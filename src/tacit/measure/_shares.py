# SPDX-License-Identifier: Apache-2.0
"""How many cells are changed or withheld, and what can be said of those."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tacit.measure._registry import register
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.measure._subject import Subject

__all__: list[str] = []

_PERCENT = (0.0, 100.0)


@register(range=_PERCENT, formula=r"100\,\#\{c: T'_c \ne T_c\} / C")
def share_modified(subject: Subject) -> float:
    """Interior cells published with another value, in percent of the filled ones."""
    return _share(subject.modified[subject.filled])


@register(range=_PERCENT, formula=r"100\,\#\{c \text{ withheld}\} / C")
def share_suppressed(subject: Subject) -> float:
    """Interior cells that are withheld, in percent of the filled ones."""
    return _share(subject.release.withheld[subject.filled])


@register(range=_PERCENT, formula=r"100\,\#\{t \text{ withheld}\} / \#\{t\}")
def share_totals_suppressed(subject: Subject) -> float:
    """Totals and subtotals that are withheld, in percent of the filled ones."""
    totals = ~subject.filled & (subject.release.state != State.EMPTY)
    return _share(subject.release.withheld[totals])


@register(
    range=_PERCENT, formula=r"100\,\#\{c \text{ derivable}\} / \#\{c \text{ withheld}\}"
)
def share_recalculable(subject: Subject) -> float:
    """Withheld cells that follow exactly from what is published, in percent."""
    release = subject.release
    withheld = int(release.withheld.sum())
    if not withheld or release.perturbed:
        return 0.0
    counts = getattr(subject.report, "counts", {})
    if "derivable" in counts:
        return 100 * int(counts["derivable"]) / withheld
    from tacit.attacker import Attacker  # noqa: PLC0415 - opens the audit
    from tacit.audit import exact_disclosure  # noqa: PLC0415 - as above
    from tacit.audit._required import problem_of  # noqa: PLC0415 - as above

    return 100 * int(exact_disclosure(problem_of(release, Attacker())).sum()) / withheld


@register(formula=r"\sum_{c \text{ withheld}} |T_c|")
def value_suppressed(subject: Subject) -> float:
    """Sum of the absolute true values of all withheld cells, totals among them."""
    release = subject.release
    value = np.abs(release.table.cells.value[release.withheld].astype(np.float64))
    return float(value.sum()) / float(10**release.table.cells.decimals)


@register(
    range=_PERCENT,
    formula=r"100 \sum_{c \text{ withheld}} |T_c| / \sum_c |T_c|",
)
def value_suppressed_percent(subject: Subject) -> float:
    """Absolute true value of withheld interior cells, in percent of that of all."""
    size = np.abs(subject.release.table.cells.value.astype(np.float64))
    size = np.where(subject.filled, size, 0.0)
    whole = float(size.sum())
    part = float(size[subject.release.withheld].sum())
    return 100 * part / whole if whole else 0.0


@register(range=_PERCENT, formula=r"100\,\#\{r: \sum_c M_{rc} T'_c \ne 0\} / R")
def share_not_additive(subject: Subject) -> float:
    """Published sums that do not add up, in percent of those shown in full."""
    release = subject.release
    if not subject.modified.any():
        return 0.0
    relations = release.table.relations
    if not len(relations):
        return 0.0
    whole = abs(relations.matrix).astype(np.int64) @ release.withheld.astype(np.int64)
    shown = whole == 0
    off = relations.residuals(np.where(release.withheld, 0, release.published)) != 0
    return _share(off[shown])


@register(better="higher", formula=r"\text{mean of } (h_c - l_c) / |T_c|")
def interval_width(subject: Subject) -> float:
    """Mean width of what can be told of a sensitive cell, relative to its value.

    As far as the audit looked: ``release.audited(full=True)`` finds whole intervals.
    """
    found = _intervals(subject)
    if found is None:
        return math.nan
    width, value = found
    there = value > 0
    return float((width[there] / value[there]).mean()) if there.any() else math.nan


@register(formula=r"\#\{\text{violations that the audit found}\}")
def audit_violations(subject: Subject) -> float:
    """Number of violations that the audit found."""
    findings = getattr(subject.report, "findings", None)
    return math.nan if findings is None else float(len(findings))


def _intervals(
    subject: Subject,
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Widths and absolute values of the sensitive cells that the audit looked at."""
    ranges = getattr(subject.report, "ranges", None)
    if ranges is None or not len(ranges):
        return None
    mine = subject.release.assessment.sensitive[ranges.cells]
    cells = ranges.cells[mine]
    if not len(cells):
        return None
    value = np.abs(subject.release.table.value_in_units[cells])
    return ranges.highest[mine] - ranges.lowest[mine], value


def _share(marks: NDArray[np.bool_]) -> float:
    return 100 * float(marks.mean()) if len(marks) else 0.0
