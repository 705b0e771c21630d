# SPDX-License-Identifier: Apache-2.0
"""The attack on a table adjusted by M3A: every estimate that it was to spoil, made.

Nothing is shared with the method: estimates are computed one by one, as its paper
defines them, and compared with what they estimate.
"""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.audit._findings import Draft, Kind
from tacit.audit._report import AuditReport, Ranges
from tacit.table import State, contributions_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tacit.attacker import Attacker
    from tacit.audit._clock import Means
    from tacit.protect import Release
    from tacit.table import Table

__all__ = ["attack"]

_CLEAR = 1e-9
_ELSEWHERE = (
    "what follows from true totals that somebody knows from elsewhere: with them a "
    "single changed cell can be calculated back"
)
_BY = {"I": "Whoever reads it", "I_any": "Whoever reads it", "IV": "Whoever reads it"}


class _Estimate(NamedTuple):
    """Somebody takes ``(published - known) / among`` for ``true``, scenario by name."""

    scenario: str
    known: int
    among: int
    true: int


def attack(
    release: Release,
    attackers: tuple[Attacker, ...],  # noqa: ARG001 - contributors are the attackers
    *,
    means: Means,
) -> AuditReport:
    """Let every contributor estimate every other one in each sensitive cell."""
    means.step("audit: estimates of contributors")
    draft, notes = Draft(), release.provenance
    cells = np.flatnonzero(release.assessment.sensitive & ~release.withheld)
    kept = np.isin(release.assessment.state[cells], (State.FROZEN, State.EMPTY))
    share = Fraction(str(notes["d"])) / 100
    scale = 10**release.table.cells.decimals
    least = Fraction(str(notes["least"] or 0)) * scale
    made = invertible = 0
    for cell, people in _contributions(release.table, cells):
        total, x = int(release.published[cell]), people.x
        for one in _estimates(people, total, notes["phi"], notes["scenarios"]):
            made += 1
            wanted = max(share * abs(one.true), least)
            if _misses(total, one, wanted):
                continue
            _tell(draft, cell, one, scale)
        if people.many == 1 and _follows(total, x[0], share):
            invertible += 1
            if notes["d_known"]:
                why = "Whoever knows the percentage is left with two values"
                draft.add(Kind.INTERVAL, cell, why=why)
    return AuditReport(
        table=release.table,
        findings=draft.sorted(),
        ranges=_no_ranges(),
        public=False,
        counts=MappingProxyType(
            {
                "cells": len(release),
                "withheld": int(release.withheld.sum()),
                "sensitive": int(release.assessment.sensitive.sum()),
                "estimates": made,
                "invertible": invertible,
            }
        ),
        checked=("estimates of contributors", "calculating back with the percentage"),
        not_checked=_not_checked(invertible, int(kept.sum()), known=notes["d_known"]),
        seconds=means.clock.passed,
    )


class _People(NamedTuple):
    """Contributions that are known, the largest first; how many there are; the rest."""

    x: list[int]
    many: int
    rest: int


def _contributions(
    table: Table, cells: NDArray[np.int64]
) -> Iterator[tuple[int, _People]]:
    """Give the contributions to each cell."""
    if table.contributions is not None:
        rows = contributions_of(table, cells)
        for k, cell in enumerate(cells.tolist()):
            x = rows.value[rows.indptr[k] : rows.indptr[k + 1]].tolist()
            there = [one for one in x if one != 0]
            yield cell, _People(there, len(there), 0)
        return
    evidence = table.evidence
    if evidence is not None:
        for cell in cells.tolist():
            many = int(evidence.contributors[cell])
            x = [round(float(one)) for one in evidence.largest[cell, :many]]
            yield cell, _People(x, many, round(float(evidence.total[cell])) - sum(x))


def _estimates(
    people: _People, total: int, phi: int | str, scenarios: tuple[str, ...]
) -> Iterator[_Estimate]:
    """List who estimates what, from everything that is known of the contributors."""
    x, many, rest = people
    negative = any(one < 0 for one in x)
    attackers = len(x) if phi == "all" else min(len(x), int(phi))
    if many and ("I_any" in scenarios or ("I" in scenarios and many == 1)):
        yield _Estimate("I", 0, 1, x[0])
    if many == 1:
        return
    if "IIIa" in scenarios:
        yield from _of_each_other(x[: max(attackers, 2)] if negative else x[:2])
    if "IIIb" in scenarios and many > 2 and not negative:  # noqa: PLR2004 - a third
        yield _Estimate("IIIb", 2 * x[1], 1, sum(x[2:]) + rest)
    if "IIIc" in scenarios:
        for j in range(3, attackers + 1):
            for other in x[: j - 1]:
                yield _Estimate("IIIc", x[j - 1], j - 1, other)
    if "IV" in scenarios:
        for other in (*x, *_worst_unknown(people, total)):
            yield _Estimate("IV", 0, many, other)


def _of_each_other(x: list[int]) -> Iterator[_Estimate]:
    for i, mine in enumerate(x):
        others = (other for j, other in enumerate(x) if j != i)
        yield from (_Estimate("IIIa", mine, 1, other) for other in others)


def _worst_unknown(people: _People, total: int) -> list[int]:
    """Of amounts that nobody listed, those that the mean could come closest to."""
    x, many, rest = people
    if many == len(x):
        return []
    least = max(rest - (many - len(x) - 1) * x[-1], 0)
    most = min(x[-1], rest)
    mean = Fraction(total, many)
    return [min(max(near, least), most) for near in (mean // 1, -(-mean // 1))]


def _misses(total: int, one: _Estimate, wanted: Fraction) -> bool:
    """Whether an estimate is off by as much as wanted; equality is enough."""
    error = abs(total - one.known - one.among * one.true)
    rough, needed = float(error), float(wanted) * one.among
    if abs(rough - needed) > _CLEAR * max(rough, needed):
        return rough > needed
    return Fraction(error, one.among) >= wanted


def _tell(draft: Draft, cell: int, one: _Estimate, scale: int) -> None:
    who = _BY.get(one.scenario, "A contributor")
    kind = Kind.INTERVAL if one.scenario in _BY else Kind.INSIDER
    why = f"{who} estimates a contribution too closely (scenario {one.scenario})"
    draft.add(kind, cell, why=why, lowest=one.true / scale, highest=one.true / scale)


def _follows(total: int, y: int, share: Fraction) -> bool:
    """Whether a number is what the method makes of a single contribution."""
    low, high = y - share * abs(y), y + share * abs(y)
    return total in (low // 1, -(-high // 1))


def _not_checked(invertible: int, kept: int, *, known: bool) -> tuple[str, ...]:
    told = [_ELSEWHERE]
    if invertible and not known:
        told.append(
            f"{invertible:,} cells of one contributor stand exactly at the end of "
            "their safe range: whoever learns the percentage is left with two values. "
            "Keep it secret, or draw the numbers with spread="
        )
    if kept:
        told.append(f"{kept:,} sensitive cells that had to stay as they are")
    return tuple(told)


def _no_ranges() -> Ranges:
    none = np.zeros(0)
    return Ranges(none.astype(np.int64), none, none, none.astype(bool))
