# SPDX-License-Identifier: Apache-2.0
"""What the internal report tells beside the table. All of it is confidential."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

import tacit
from tacit.audit import Kind
from tacit.measure import measure, measure_named, number_text
from tacit.publish._page import listing
from tacit.rules._words import rules_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.audit import AuditReport
    from tacit.measure import Comparison
    from tacit.protect import Release

__all__ = ["audit", "compared", "measures", "origin", "rules", "verdict"]

_MOST = 100
_NARROW = 20
# Keys of the provenance that are worth a line, and what they say.
_TOLD = {
    "options": "options",
    "claims": "claims to be proved",
    "programs": "linear programs solved",
    "solver": "solver",
    "changed": "numbers changed",
    "base": "base of rounding",
}


def verdict(release: Release) -> str:
    """Say whether it may go out, first of all."""
    if release.safe:
        return (
            '<p class="verdict"><b>Safe to publish.</b> Everything that was checked '
            "holds.</p>"
        )
    why = escape(release.why_unsafe())
    return f'<p class="verdict no"><b>Not safe to publish.</b> {why}</p>'


def compared(comparison: Comparison) -> Iterator[str]:
    """The R-U map, the recommendation, and one line a release."""
    yield f"<p><strong>{escape(comparison.recommendation)}</strong></p>"
    yield f'<div class="scroll">{comparison.map}</div>'
    shown = (comparison.loss, "share_suppressed", "share_modified", comparison.risk)
    wanted = list(dict.fromkeys(shown))
    heads = ["release", "safe", "rank", *(measure_named(n).label for n in wanted)]
    rows = [
        [
            name,
            "yes" if comparison.releases[name].safe else "no",
            f"{comparison.ranks[name]}{', front' if name in comparison.front else ''}",
            *(number_text(found[what]) for what in wanted),
        ]
        for name, found in comparison.measured.items()
    ]
    yield from listing(heads, rows, numbers=range(3, len(heads)))
    yield (
        "<p class='dim'>A release is preferred to another if its risk and its loss are "
        "both no larger and one is smaller; those on the front are beaten by none. "
        f"Values within {100 * comparison.tolerance:g} % count as equal.</p>"
    )


def rules(release: Release) -> Iterator[str]:
    """The rules in words, and how many cells each of them caught."""
    assessment = release.assessment
    said = rules_in_words(assessment.rule)
    reasons = assessment.reasons
    if not said and not reasons:
        yield "<p>No rule was applied: the cells came with their states.</p>"
        return
    fired = np.zeros(len(assessment), dtype=np.int64)
    for marks in reasons.values():
        fired += marks
    rows = []
    for label in dict.fromkeys([*said, *reasons]):
        marks = np.asarray(reasons.get(label, np.zeros(len(assessment), dtype=bool)))
        alone = int((marks & (fired == 1)).sum())
        words = said.get(label, "The cell came marked as sensitive.")
        rows.append([label, words, f"{int(marks.sum()):,}", f"{alone:,}"])
    yield from listing(
        ["rule", "in words", "cells", "by it alone"], rows, numbers=(2, 3)
    )
    if assessment.preset is not None:
        yield f"<p>Rules of the preset {escape(assessment.preset)}.</p>"
    yield f"<p class='dim'>Conventions: {escape(assessment.profile)}.</p>"


def measures(release: Release) -> Iterator[str]:
    """Every measure with its meaning, losses first."""
    found = measure(release)
    yield (
        "<p>Over the interior cells. For a withheld value stands an equal share of "
        "what its column withholds.</p>"
    )
    for kind, head in (("loss", "Loss"), ("risk", "Risk that is left")):
        rows = []
        for name, value in found.items():
            one = measure_named(name)
            if one.kind == kind:
                said = "not defined" if np.isnan(value) else number_text(value)
                rows.append([one.label, said, _BETTER[one.better], one.meaning])
        yield f"<h3>{head}</h3>"
        yield from listing(["measure", "value", "best", "meaning"], rows, numbers=(1,))


_BETTER = {"lower": "low", "higher": "high", "zero": "near 0"}


def audit(release: Release) -> Iterator[str]:
    """The verdict of the audit, what it means, and what was found."""
    report: AuditReport | None = release.audit
    if report is None or not hasattr(report, "findings"):
        yield "<p>No audit was run on this release.</p>"
        return
    yield f"<p><strong>{escape(report.headline)}</strong> {_MEANING[report.safe]}</p>"
    for head, listed in (
        ("Checked", report.checked),
        ("Not checked", report.not_checked),
    ):
        if listed:
            items = "".join(f"<li>{escape(what)}</li>" for what in listed)
            yield f"<h3>{head}</h3><ul>{items}</ul>"
    if len(report.findings):
        yield f"<h3>Violations: {len(report.findings):,}</h3>"
        yield from _violations(report)
    if len(report.ranges):
        yield "<h3>The cells that can be told most closely</h3>"
        yield from _narrowest(report)


_MEANING = {
    True: (
        "For every sensitive cell there are other tables that agree with all that is "
        "published and with all that the attacker knows, and that lie as far from the "
        "true value as its level asks."
    ),
    False: (
        "Some cells can be told too closely, or it was not settled in time whether "
        "they can. The table must not go out like this."
    ),
}


def _violations(report: AuditReport) -> Iterator[str]:
    found, rows = report.findings, []
    for row in range(min(_MOST, len(found))):
        cell = int(found.cell[row])
        where = "a sum" if cell < 0 else report.table.describe_cell(cell)
        label = Kind(int(found.kind[row])).label
        low, high = _end(found.lowest[row]), _end(found.highest[row])
        rows.append([where, label, low, high, str(found.why[row])])
    yield from listing(
        ["cell", "violation", "lowest", "highest", "why"], rows, numbers=(2, 3)
    )
    if len(found) > _MOST:
        yield f"<p class='dim'>The first {_MOST:,} of {len(found):,}.</p>"


def _narrowest(report: AuditReport) -> Iterator[str]:
    ranges = report.ranges
    value = report.table.value_in_units[ranges.cells]
    width = (ranges.highest - ranges.lowest) / np.maximum(np.abs(value), 1e-300)
    order = np.argsort(width, kind="stable")[:_NARROW]
    rows = [
        [
            report.table.describe_cell(int(ranges.cells[k])),
            _end(value[k]),
            _end(ranges.lowest[k]),
            _end(ranges.highest[k]),
            "" if ranges.complete[k] else "or wider",
        ]
        for k in order.tolist()
    ]
    yield from listing(
        ["cell", "true value", "lowest", "highest", ""], rows, numbers=(1, 2, 3)
    )


def _end(value: float) -> str:
    if np.isnan(value):
        return ""
    return "no limit" if np.isinf(value) else f"{value:,.10g}"


def origin(release: Release) -> Iterator[str]:
    """Method, options and version; the time it took differs, and is not told."""
    rows = [
        ["program", f"tacit {tacit.__version__}"],
        ["measure", release.table.measure],
        ["dimensions", ", ".join(release.table.names)],
        ["method", release.method],
    ]
    if release.cost:
        rows.append(["cost", number_text(release.cost)])
    if release.bound is not None:
        rows.append(["no pattern costs less than", number_text(release.bound)])
    if release.certificate is not None:
        rows.append(["certificate", f"{len(release.certificate):,} witnesses"])
    for key, words in _TOLD.items():
        told = release.provenance.get(key)
        if told is not None:
            rows.append([words, _flat(told)])
    yield from listing(["", ""], rows)
    yield (
        "<p class='dim'>The manifest of the run holds the inputs with their hashes, "
        "the job, and the versions of all packages.</p>"
    )


def _flat(told: Any) -> str:  # noqa: ANN401 - whatever a method notes
    if isinstance(told, dict):
        return ", ".join(f"{key} = {value}" for key, value in told.items())
    return f"{told:,}" if isinstance(told, int) else str(told)
