# SPDX-License-Identifier: Apache-2.0
"""Why one cell is withheld: what is against publishing it, in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from tacit.attacker import default_attackers, outsider_among
from tacit.audit._clock import Clock, Means
from tacit.audit._findings import Kind
from tacit.audit._intervals import intervals
from tacit.audit._on_release import ReleaseAudit
from tacit.audit._required import problem_of
from tacit.rules._words import rules_in_words
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tacit.attacker import Attacker
    from tacit.audit._report import AuditReport
    from tacit.protect import Release

__all__ = ["Explanation", "Need", "explain"]

_PATIENCE = 60.0
_SHOWN = 5
_ORDERED = (State.FORCED, State.SUPPRESSED)


@dataclass(frozen=True)
class Need:
    """What would be given away if a cell were published: which cell, and how.

    Of a sum that no cell holds, ``cell`` is empty and ``why`` names it.
    """

    cell: str
    kind: str
    why: str

    def __repr__(self) -> str:
        return "<Need, confidential>"


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a cell is as it is, made by ``release.explain(codes)``. Confidential.

    ``why`` gives the reasons, ``needs`` what would be given away without this cell,
    ``interval`` what an outsider can say of it (in published units), ``change`` what
    would have to be otherwise to publish it. ``text`` says all of it.
    """

    cell: str
    state: str
    why: tuple[str, ...]
    needs: tuple[Need, ...] = ()
    interval: tuple[float, float] | None = None
    change: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Everything in words, line by line."""
        lines = [f"{self.cell}: {self.state}.", *self.why]
        for need in self.needs[:_SHOWN]:
            where = f"{need.cell} would not hold: " if need.cell else ""
            lines.append(f"Without it, {where}{need.kind}.")
            lines.append(f"  {need.why}")
        if len(self.needs) > _SHOWN:
            lines.append(f"And {len(self.needs) - _SHOWN:,} more cells need it.")
        if self.interval is not None:
            lines.append(self._said_of_it())
        return "\n".join([*lines, *self.change])

    def _said_of_it(self) -> str:
        low, high = self.interval or (0.0, 0.0)
        if low == high:
            return f"An outsider can work it out: it is {low:,.10g}."
        if not np.isfinite(high):
            return f"An outsider can say that it is at least {low:,.10g}."
        return f"An outsider can say that it lies between {low:,.10g} and {high:,.10g}."

    def __repr__(self) -> str:
        return f"<Explanation of ({self.cell}): {self.state}, confidential>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p>"


def explain(
    release: Release,
    codes: Mapping[str, str] | int,
    *,
    attackers: Iterable[Attacker] | None = None,
    time_limit: float = _PATIENCE,
) -> Explanation:
    """Say why a cell is withheld, and what would have to change to publish it.

    Of a cell that guards others the release is audited as if this one cell were
    published, so that what is named is what really would be given away.

    >>> import tacit
    >>> cells = {"sex": ["f", "f", "m", "m"], "age": ["o", "y"] * 2, "n": [2, 9, 8, 7]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "T", "age": "T"}, count="n")
    >>> release = tacit.suppress(tacit.assess(table, tacit.MinFrequency(n=3)))
    >>> told = explain(release, {"sex": "m", "age": "o"})
    >>> told
    <Explanation of (sex = m, age = o): withheld to guard others, confidential>
    >>> told.needs[0].cell
    'sex = f, age = o'
    >>> told.needs[0].why
    'Follows from: sex: T = f + m, at age = o, where all else is known.'
    """
    table = release.table
    cell = table.find(codes) if not isinstance(codes, int) else int(codes)
    who = tuple(attackers or default_attackers())
    return _Case(release, cell, who, time_limit).explanation()


@dataclass(frozen=True)
class _Case:
    """One cell of one release."""

    release: Release
    cell: int
    attackers: tuple[Attacker, ...]
    time_limit: float

    def explanation(self) -> Explanation:
        release, cell = self.release, self.cell
        if release.state[cell] == State.EMPTY:
            return self._told("empty", ("Nobody stands behind it.",))
        if release.assessment.sensitive[cell]:
            return self._sensitive()
        if not release.withheld[cell]:
            return self._published()
        given = release.assessment.state[cell]
        if given in _ORDERED:
            why = "It came with the order to be withheld."
            return self._guard("withheld as told", (why,))
        return self._guard("withheld to guard others", ())

    def _told(
        self,
        state: str,
        why: tuple[str, ...],
        *,
        needs: tuple[Need, ...] = (),
        change: tuple[str, ...] = (),
    ) -> Explanation:
        where = self.release.table.describe_cell(self.cell)
        hidden = self.release.withheld[self.cell] or self.release.perturbed
        interval = self._interval() if hidden else None
        return Explanation(where, state, why, needs, interval, change)

    def _sensitive(self) -> Explanation:
        assessment, cell = self.release.assessment, self.cell
        said = rules_in_words(assessment.rule)
        reasons = assessment.reasons_of(cell)
        why = [f"{label}: {said[label]}" for label in reasons if label in said]
        if len(why) < len(reasons) or not why:
            why.append("It came marked as sensitive.")
        above, below = float(assessment.upl[cell]), float(assessment.lpl[cell])
        if above or below:
            why.append(
                f"It must not be estimated closer than {above:,.10g} above and "
                f"{below:,.10g} below."
            )
        else:
            why.append("It must not be known exactly.")
        state = "sensitive"
        if not self.release.withheld[cell]:
            changed = self.release.perturbed
            state += ", published changed" if changed else ", published as it is"
        return self._told(state, tuple(why), change=self._if_sensitive())

    def _if_sensitive(self) -> tuple[str, ...]:
        table, assessment = self.release.table, self.release.assessment
        rows = table.relations.matrix[:, [self.cell]].nonzero()[0]
        totals = [int(table.relations.total[row]) for row in rows]
        wider = [
            table.describe_cell(total)
            for total in dict.fromkeys(totals)
            if total not in (-1, self.cell) and not assessment.sensitive[total]
        ]
        said = (
            "To publish it, the rules would have to find it safe: with more or larger "
            "other contributors, or with the consent of those it is about."
        )
        if not wider:
            return (said,)
        return (said, f"The next wider cells are not sensitive: {'; '.join(wider)}.")

    def _published(self) -> Explanation:
        release, cell = self.release, self.cell
        same = release.published[cell] == release.table.cells.value[cell]
        if same:
            return self._told("published as it is", ("No rule calls it sensitive.",))
        return self._told(
            "published changed",
            (f"The method '{release.method}' changes numbers that are not sensitive.",),
        )

    def _guard(self, state: str, why: tuple[str, ...]) -> Explanation:
        report = self._audit_without()
        needs = tuple(self._needs(report))
        if needs:
            which = "that cell" if len(needs) == 1 else "these cells"
            change = f"To publish it, {which} would have to be guarded by other cells."
            return self._told(state, why, needs=needs, change=(change,))
        if report.open:
            more = (
                "Whether anything needs it could not be settled within "
                f"{self.time_limit:g} s."
            )
            return self._told(state, (*why, more))
        spare = "Nothing would be given away without it: it could be published."
        return self._told(state, why, change=(spare,))

    def _audit_without(self) -> AuditReport:
        state = self.release.state.copy()
        state[self.cell] = State.SAFE
        return self._audit(replace(self.release, state=state))

    def _audit(self, release: Release) -> AuditReport:
        without = replace(release, audit=None, certificate=None)
        means = Means(
            clock=Clock(self.time_limit), executor=None, progress=_silent, full=False
        )
        return ReleaseAudit(without, self.attackers, means=means).report()

    def _needs(self, report: AuditReport) -> list[Need]:
        """What the audit finds only because this cell is published."""
        table, found = self.release.table, report.findings
        before = self._known_before()
        needs = []
        for row in range(len(found)):
            cell, kind = int(found.cell[row]), int(found.kind[row])
            if (kind, cell) in before:
                continue
            where = "" if cell < 0 else table.describe_cell(cell)
            label = _MEANING[Kind(kind)]
            needs.append(Need(where, label, str(found.why[row])))
        return needs

    def _known_before(self) -> set[tuple[int, int]]:
        findings = getattr(self.release.audit, "findings", None)
        if findings is None:
            findings = self._audit(self.release).findings
        pairs = zip(findings.kind.tolist(), findings.cell.tolist(), strict=True)
        return set(pairs)

    def _interval(self) -> tuple[float, float] | None:
        if self.release.perturbed:
            return self._as_audited()
        outsider = next(iter(outsider_among(self.attackers)), None)
        if outsider is None:
            return None
        problem = problem_of(self.release, outsider)
        cells = np.array([self.cell])
        found = intervals(problem, cells, time_limit=self.time_limit)
        if not found.complete[0]:
            return None
        scale = float(10**self.release.table.cells.decimals)
        return float(found.lowest[0]) / scale, float(found.highest[0]) / scale

    def _as_audited(self) -> tuple[float, float] | None:
        """What the audit of a changed table found of this cell, if it looked at it."""
        ranges = getattr(self.release.audit, "ranges", None)
        if ranges is None:
            return None
        at = np.flatnonzero((ranges.cells == self.cell) & ranges.complete)
        if not len(at):
            return None
        return float(ranges.lowest[at[0]]), float(ranges.highest[at[0]])


_MEANING = {
    Kind.EXACT: "it could be worked out exactly",
    Kind.INTERVAL: "it could be estimated too closely",
    Kind.SUM: "an unsafe sum could be computed",
    Kind.INSIDER: "a contributor could estimate it too closely",
    Kind.DIFFERENCE: "it would follow from a difference",
}


def _silent(_step: str, _done: int, _total: int) -> None:
    """Report to nobody."""
