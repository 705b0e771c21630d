# SPDX-License-Identifier: Apache-2.0
"""The report: one page of HTML that needs nothing else, public or internal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.publish import _internal_sections as internal
from tacit.publish._page import figures, page, section
from tacit.publish._table_html import table_of
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tacit.publish._formats import Layout
    from tacit.publish._view import View


def ready() -> None:
    """Need nothing."""


def write(view: View, path: Path, layout: Layout) -> None:
    """Write the report."""
    title = layout.title or view.measure
    over = "Statistical table" if view.secrets is None else "Report, internal edition"
    body = _public(view, layout) if view.secrets is None else _internal(view, layout)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(
            f"{line}\n" for line in page(title, body, over=over, script=True)
        )


def _public(view: View, layout: Layout) -> Iterator[str]:
    withheld = int(view.withheld.sum())
    cells = len(view)
    yield figures(
        [
            ("cells", f"{cells:,}", ""),
            ("published", f"{cells - withheld:,}", _percent(cells - withheld, cells)),
            ("not published", f"{withheld:,}", _percent(withheld, cells)),
        ]
    )
    yield from section("table", "The table", table_of(view, layout))
    yield from section(
        "protection", "How single contributors are protected", _how(view)
    )


def _how(view: View) -> Iterator[str]:
    """Say what was done, and nothing of rules, levels or which cell guards which."""
    if view.withheld.any():
        yield (
            "<p>Numbers that would tell too much about single contributors are not "
            "published, and neither are others from which these could be worked out. "
            "Which cell is which is not told: that would be a step to working them "
            "out.</p>"
        )
    if view.perturbed:
        yield (
            "<p>Numbers were changed a little, so that nothing exact can be concluded "
            "about single contributors.</p>"
        )
    if not view.withheld.any() and not view.perturbed:
        yield "<p>Nothing in this table tells too much about single contributors.</p>"
    if view.audited:
        yield (
            "<p>Before it was published the table was attacked, as somebody would who "
            "knows all of it, how its numbers add up, and some of its contributions. "
            "Nothing that has to be protected could be worked out.</p>"
        )
    names = ", ".join(dimension.name for dimension in view.dimensions)
    yield f"<p class='dim'>Measure: {_text(view.measure)}. By: {_text(names)}.</p>"


def _internal(view: View, layout: Layout) -> Iterator[str]:
    secrets = view.secrets
    if secrets is None:
        return
    release, comparison = secrets.release, secrets.comparison
    yield (
        '<p class="confidential">Internal: true values, rules and levels. '
        "Confidential, not to be published.</p>"
    )
    yield internal.verdict(release)
    yield _key_figures(view)
    parts = [
        ("table", "The table", table_of(view, layout)),
        ("rules", "What is sensitive, and why", internal.rules(release)),
        ("loss", "Loss and risk", internal.measures(release)),
        ("audit", "What an attacker can work out", internal.audit(release)),
        ("origin", "Where it comes from", internal.origin(release)),
    ]
    if comparison is not None:
        chosen = internal.compared(comparison)
        parts.insert(0, ("compared", "Methods compared", chosen))
    links = "".join(f'<li><a href="#{name}">{head}</a></li>' for name, head, _ in parts)
    yield f'<nav aria-label="Parts of this report"><ul>{links}</ul></nav>'
    for name, head, body in parts:
        yield from section(name, head, body)


def _key_figures(view: View) -> str:
    secrets = view.secrets
    if secrets is None:
        return ""
    cells, withheld = len(view), view.withheld
    guards = int((withheld & ~secrets.sensitive).sum())
    changed = int((~withheld & (secrets.published != view.value)).sum())
    empty = int(np.count_nonzero(secrets.state == State.EMPTY))
    sensitive = int(secrets.sensitive.sum())
    shown = [
        ("cells", f"{cells:,}", f"{empty:,} empty" if empty else ""),
        ("sensitive", f"{sensitive:,}", _percent(sensitive, cells)),
        ("withheld to guard others", f"{guards:,}", _percent(guards, cells)),
        ("published", f"{cells - int(withheld.sum()):,}", ""),
    ]
    if changed:
        shown.append(("published changed", f"{changed:,}", _percent(changed, cells)))
    size = np.abs(view.value.astype(np.float64))
    total = size[~secrets.totals].sum()
    lost = float(size[withheld & ~secrets.totals].sum())
    if total and withheld.any():
        shown.append(
            ("value withheld", f"{100 * lost / total:.2f} %", "of the interior")
        )
    return figures(shown)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def _text(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;")
