# SPDX-License-Identifier: Apache-2.0
"""The audit of a release, against the levels that its assessment asks for."""

from __future__ import annotations

from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tacit.attacker import default_attackers, outsider_among
from tacit.audit._certify import certificate_of
from tacit.audit._exact import exact_disclosure
from tacit.audit._findings import Draft, Kind
from tacit.audit._insider_verdict import insider_verdict
from tacit.audit._intervals import intervals
from tacit.audit._outsider import attack
from tacit.audit._report import AuditReport, Ranges
from tacit.audit._required import problem_of, required_of
from tacit.audit._sums import derivable_sums
from tacit.audit._who import insiders_of
from tacit.audit._words import Explainer
from tacit.errors import LimitError
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tacit.attacker import Attacker
    from tacit.audit._clock import Means
    from tacit.audit._insider_verdict import InsiderVerdict
    from tacit.audit._insiders import Insiders
    from tacit.audit._outsider import Outcome
    from tacit.audit._problem import Problem
    from tacit.audit._rounding import Room
    from tacit.protect import Certificate, Release

__all__ = ["ReleaseAudit"]

_EXPLAINED = 100
_FLAT = 1e-9


class ReleaseAudit:
    """One audit in the making: step by step, findings added up."""

    def __init__(
        self,
        release: Release,
        attackers: Iterable[Attacker] | None,
        *,
        means: Means,
        rounding: Room | None = None,
    ) -> None:
        self.release, self.means, self.rounding = release, means, rounding
        self.attackers = tuple(attackers or default_attackers())
        self.draft = Draft()
        self.told: set[tuple[int, int]] = set()
        self.checked: list[str] = []
        self.skipped: list[str] = []
        self.counts: dict[str, int] = {}
        self.open = 0
        self.certificate: Certificate | None = None
        self.scale = float(10**release.table.cells.decimals)

    def report(self) -> AuditReport:
        """Run every check and freeze what was found."""
        release, progress = self.release, self.means.step
        self.counts["cells"] = len(release)
        self.counts["withheld"] = int(release.withheld.sum())
        self.counts["sensitive"] = int(release.assessment.sensitive.sum())
        self._exposed()
        ranges: Ranges | None = None
        for outsider in outsider_among(self.attackers):
            progress("audit: exact disclosure")
            problem = problem_of(release, outsider, self.rounding)
            explainer = Explainer(problem, release.table.relations.describe)
            progress("audit: intervals")
            outcome = self._outside(problem, outsider, explainer)
            progress("audit: insiders")
            self._inside(problem, outsider, outcome)
            if ranges is None:
                ranges = self._ranges(problem, outcome)
                self._certify(problem, outsider, outcome)
        progress("audit: derivable sums")
        self._sums()
        return AuditReport(
            table=release.table,
            findings=self.draft.sorted(),
            ranges=ranges or _no_ranges(),
            public=False,
            counts=MappingProxyType(self.counts),
            checked=tuple(dict.fromkeys(self.checked)),
            not_checked=tuple(dict.fromkeys(self.skipped)),
            open=self.open,
            seconds=self.means.clock.passed,
            certificate=self.certificate,
        )

    def _tell(
        self, kind: Kind, cell: int, why: str, ends: tuple[float, float] | None = None
    ) -> None:
        """Note a violation, unless the cell has one of that kind or a worse one."""
        if any((worse, cell) in self.told for worse in range(kind + 1)):
            return
        self.told.add((int(kind), cell))
        low, high = ends or (np.nan, np.nan)
        low, high = float(low) / self.scale, float(high) / self.scale
        self.draft.add(kind, cell, why=why, lowest=low, highest=high)

    def _exposed(self) -> None:
        value = self.release.table.cells.value
        for cell in np.flatnonzero(self.release.exposed).tolist():
            ends = (value[cell], value[cell])
            self._tell(Kind.EXACT, cell, "Published as it is", ends)

    def _outside(
        self, problem: Problem, attacker: Attacker, explainer: Explainer
    ) -> Outcome:
        required = required_of(self.release, attacker)
        exact = exact_disclosure(problem)
        self.counts["derivable"] = int(exact.sum())
        told = exact & (self.release.table.cells.state == State.FORCED)
        told[required.cells] = False
        if told.any():
            self.skipped.append(
                f"cells that must be suppressed as told, without levels: "
                f"{int(told.sum()):,} of them follow exactly from what is published"
            )
        outcome = attack(
            problem, required, clock=self.means.clock, executor=self.means.executor
        )
        self.open += int(outcome.open.sum())
        self.counts["claims"] = self.counts.get("claims", 0) + 2 * len(required)
        worst = np.argsort(~exact[required.cells], kind="stable")
        for k in worst[(outcome.failed | exact[required.cells])[worst]].tolist():
            self._one(
                outcome, k, explainer, by_relations=bool(exact[required.cells[k]])
            )
        self.checked += ["exact disclosure", "intervals"]
        return outcome

    def _one(
        self, outcome: Outcome, k: int, explainer: Explainer, *, by_relations: bool
    ) -> None:
        cell = int(outcome.required.cells[k])
        value = float(self.release.table.cells.value[cell])
        low, high = outcome.lowest[k], outcome.highest[k]
        brief = len(self.draft.kind) >= _EXPLAINED
        if by_relations:
            why = "Follows from the relations" if brief else explainer.exact(cell)
            self._tell(Kind.EXACT, cell, why, (value, value))
            return
        flat = high - low <= _FLAT * max(1.0, abs(value))
        kind = Kind.EXACT if flat and outcome.complete[k] else Kind.INTERVAL
        above = high - value < outcome.required.above[k] or kind is Kind.EXACT
        why = "Follows from relations and bounds"
        if not brief and kind is Kind.EXACT:
            why = explainer.pinned(cell, value)
        elif not brief:
            why = explainer.narrow(cell, above=above, at=high if above else low)
        side = "Too narrow above" if above else "Too narrow below"
        words = why if kind is Kind.EXACT else f"{side}. {why}"
        self._tell(kind, cell, words, (low, high))

    def _inside(self, problem: Problem, outsider: Attacker, outcome: Outcome) -> None:
        mine = [
            one
            for one in self.attackers
            if one.knows_own and outsider_among([one]) == (outsider,)
        ]
        if not mine:
            self.skipped.append("insiders: no attacker knows contributions of its own")
            return
        if self.release.perturbed:
            self.skipped.append("insiders of a table whose values were changed")
            return
        found, how = insiders_of(self.release)
        if found is None:
            self.skipped.append(how)
            return
        coalition = max(one.coalition for one in mine)
        if coalition > 1:
            found = found.coalitions(problem.matrix, coalition)
            how = f"{how}, coalitions of up to {coalition} that meet in a relation"
        self.counts["insiders"] = len(found)
        self.checked.append(how)
        if problem.integral and len(found):
            self.skipped.append("insiders: what follows from whole numbers alone")
        for seen in outcome.verdicts:
            verdict = insider_verdict(
                problem,
                found,
                seen,
                required=outcome.required,
                time_limit=self.means.clock.left(),
            )
            self.open += verdict.open
            self._tell_insiders(found, verdict)

    def _tell_insiders(self, found: Insiders, verdict: InsiderVerdict) -> None:
        for row in range(len(verdict)):
            cell, who = int(verdict.cell[row]), int(verdict.insider[row])
            if cell in found.shared(who)[0]:
                continue  # its own amount bounds a cell that it is part of
            words = "Known exactly" if verdict.exact[row] else "Estimated too closely"
            whose = self._whose(found.known(who))
            self._tell(Kind.INSIDER, cell, f"{words} by whoever stands behind {whose}")

    def _whose(self, cells: NDArray[np.int64]) -> str:
        table = self.release.table
        where = f"({table.describe_cell(int(cells[0]))})"
        more = len(cells) - 1
        return f"{where} and {more:,} more cells" if more else where

    def _sums(self) -> None:
        release = self.release
        if release.perturbed:
            self.skipped.append("derivable sums of a table whose values were changed")
            return
        found = derivable_sums(release.table, release.withheld, release.assessment.rule)
        if not found.checked:
            self.skipped.append(f"derivable sums: {found.reason}")
            return
        self.checked.append("derivable sums")
        self.counts["sums"] = sum(found.judged.values())
        if not found.complete:
            self.skipped.append("derivable sums: chains beyond the number that is kept")
        relations = release.table.relations
        for k in range(len(found)):
            row = int(found.relation[k])
            cell = int(relations.total[row]) if row >= 0 else -1
            why = f"The sum {found.describe(k)} can be computed, and is itself unsafe"
            self.draft.add(Kind.SUM, cell, why=why)

    def _certify(self, problem: Problem, outsider: Attacker, outcome: Outcome) -> None:
        """Keep the witnesses as a proof, where all claims hold."""
        lost = outcome.failed.any() or outcome.open.any()
        if lost or self.release.perturbed or self.release.exposed.any():
            return
        with suppress(LimitError):
            self.certificate = certificate_of(
                self.release, outsider, problem, outcome=outcome
            )

    def _ranges(self, problem: Problem, outcome: Outcome) -> Ranges:
        if self.means.full:
            cells = np.flatnonzero(problem.hidden)
            found = intervals(
                problem,
                cells,
                time_limit=self.means.clock.left(),
                executor=self.means.executor,
            )
            return Ranges(
                found.cells,
                found.lowest / self.scale,
                found.highest / self.scale,
                found.complete,
            )
        return Ranges(
            outcome.required.cells,
            outcome.lowest / self.scale,
            outcome.highest / self.scale,
            outcome.complete,
        )


def _no_ranges() -> Ranges:
    none = np.zeros(0)
    return Ranges(none.astype(np.int64), none, none, none.astype(bool))
