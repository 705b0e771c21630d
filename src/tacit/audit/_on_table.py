# SPDX-License-Identifier: Apache-2.0
"""The audit of a published table by what is printed in it, and nothing else."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tacit.attacker import Attacker, outsider_among
from tacit.audit._exact import exact_disclosure
from tacit.audit._feasible import ContradictionError, feasible_table
from tacit.audit._findings import Draft, Kind
from tacit.audit._intervals import intervals
from tacit.audit._problem import Problem
from tacit.audit._report import AuditReport, Ranges
from tacit.audit._words import Explainer
from tacit.errors import InputError, RuleError
from tacit.rules import MinFrequency

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tacit.audit._clock import Means
    from tacit.audit._intervals import Intervals
    from tacit.audit._published import PublishedTable
    from tacit.audit._rounding import Rounding
    from tacit.rules import Rule
    from tacit.table import Relations

__all__ = ["audit_published"]

_EXPLAINED = 100
_SHOWN = 10
_FLAT = 1e-9
_NOISE = 1e-6


def audit_published(
    published: PublishedTable,
    attackers: Iterable[Attacker] | None,
    *,
    rule: Rule | None,
    rounding: Rounding | None,
    means: Means,
) -> AuditReport:
    """Attack a table as its readers can."""
    attacker = _the_attacker(attackers)
    fewest = _fewest(rule, published)
    _refuse_another_base(published, rounding)
    table, targets = published.table, _targets(published, rounding)
    means.step("audit: what is published agrees with itself")
    problem = _consistent(published, attacker, rounding)
    means.step("audit: exact disclosure")
    exact = exact_disclosure(problem)
    means.step("audit: intervals")
    found = intervals(
        problem, targets, time_limit=means.clock.left(), executor=means.executor
    )
    known = _known(found, exact[targets])
    ranges = _in_units(found, table.cells.decimals)
    draft = Draft()
    _tell_printed(draft, published, fewest, rounded=rounding is not None)
    explainer = Explainer(problem, table.relations.describe)
    _tell_found(
        draft, explainer, (ranges, known, exact), fewest=fewest, table=published
    )
    counts = {
        "cells": int(published.shown.sum() + published.marked.sum()),
        "withheld": int(published.marked.sum()),
        "derivable": int(known.sum()),
    }
    return AuditReport(
        table=table,
        findings=draft.sorted(),
        ranges=ranges,
        public=True,
        counts=MappingProxyType(counts),
        checked=("exact disclosure", "intervals"),
        not_checked=_NOT_CHECKED,
        open=int((~found.complete & ~known).sum()),
        seconds=means.clock.passed,
    )


_NOT_CHECKED = (
    "insiders: the table does not say who stands behind its cells",
    "derivable sums: the table does not say who stands behind its cells",
    "protection levels: they are not part of a published table",
)


def _the_attacker(attackers: Iterable[Attacker] | None) -> Attacker:
    given = outsider_among(attackers or (Attacker(),))
    if len(given) > 1:
        message = (
            "A published table is audited for one attacker at a time: insiders and "
            "levels need the release itself. Call audit once for each."
        )
        raise InputError(message)
    if not isinstance(given[0].bounds, str):
        message = (
            "Bounds as factors of the true value need the true values, which a "
            "published table does not hold. Give bounds by cell with lower= and "
            "upper=, or audit the release."
        )
        raise InputError(message)
    return given[0]


def _fewest(rule: Rule | None, published: PublishedTable) -> int:
    """Counts from 1 up to below this number are small; 0 without a rule."""
    if rule is None:
        return 0
    if not isinstance(rule, MinFrequency) or not published.table.is_count:
        message = (
            "Of a published table only counts can be judged, and only by a minimum: "
            "give count= and rule=MinFrequency(n=...). Other rules need the "
            "contributions, so audit the release for them."
        )
        raise RuleError(message)
    return rule.n + 1 if rule.closed else rule.n


def _refuse_another_base(published: PublishedTable, rounding: Rounding | None) -> None:
    """No multiple of the base: rounded to another one, or not at all."""
    if rounding is None:
        return
    table = published.table
    base = rounding.base * 10**table.cells.decimals
    value = table.cells.value
    off = np.abs(value - base * np.rint(value / base)) > _NOISE * base
    wrong = np.flatnonzero(off & published.shown)
    if len(wrong):
        first = float(value[wrong[0]]) / 10**table.cells.decimals
        message = (
            f"{len(wrong):,} of the printed numbers are no multiples of "
            f"base={rounding.base:g}, the first ({table.describe_cell(int(wrong[0]))}) "
            f"with {first:,.10g}. Give the base that was used; where only some numbers "
            "were rounded, give each row the ends that it leaves, with lower= and "
            "upper=."
        )
        raise InputError(message)


def _consistent(
    published: PublishedTable, attacker: Attacker, rounding: Rounding | None
) -> Problem:
    """What the reader faces; an error in words if no table could look like this.

    Where zeros are printed, what is withheld is taken not to be zero, unless that
    contradicts the table.
    """
    relations = published.table.relations
    zeros = published.shown & (published.table.cells.value == 0)
    if attacker.others_at_least_one is None and rounding is None and zeros.any():
        known = attacker.model_copy(update={"others_at_least_one": True})
        problem = _problem(published, known, rounding)
        try:
            feasible_table(problem)
        except ContradictionError:
            pass
        else:
            return problem
    problem = _problem(published, attacker, rounding)
    _refuse_contradiction(problem, relations)
    return problem


def _problem(
    published: PublishedTable, attacker: Attacker, rounding: Rounding | None
) -> Problem:
    table, shown = published.table, published.shown
    value = table.cells.value
    hidden = ~shown if rounding is None else np.ones(len(table), dtype=bool)
    one = 10**table.cells.decimals if table.is_count else 0
    least = one if attacker.others_at_least_one else 0
    sign = attacker.model_copy(update={"others_at_least_one": bool(least)})
    printed = np.where(np.isfinite(published.lower), published.lower, value)
    lower = sign.natural_lower(printed.astype(np.int64), published.marked, one=least)
    upper = np.full(len(table), np.inf)
    whole = attacker.whole(is_count=table.is_count)
    if rounding is not None:
        room = rounding.room(whole=whole, unit=float(10**table.cells.decimals))
        lower[shown] = np.maximum(lower, value - room)[shown]
        upper[shown] = (value + room)[shown]
    if attacker.bounds == "table":
        lower = np.maximum(lower, published.lower)
        upper = np.minimum(upper, published.upper)
    return Problem(
        matrix=table.relations.matrix,
        hidden=hidden,
        published=np.where(hidden, 0, value),
        lower=lower,
        upper=upper,
        integral=whole,
    )


def _targets(published: PublishedTable, rounding: Rounding | None) -> NDArray[np.int64]:
    """Withheld cells; rounded ones; and finest cells that no row mentions."""
    table = published.table
    printed = published.shown | published.marked
    is_leaf = np.ones(len(table), dtype=bool)
    for code, dimension in zip(table.cells.codes, table.dimensions, strict=True):
        is_leaf &= np.isin(code, dimension.leaves)
    wanted = published.marked | (is_leaf & ~printed)
    if rounding is not None:
        wanted |= published.shown
    return np.flatnonzero(wanted).astype(np.int64)


def _refuse_contradiction(problem: Problem, relations: Relations) -> None:
    try:
        feasible_table(problem)
    except ContradictionError as error:
        rows = error.relations
        listed = [f"  - {relations.describe(row)}" for row in rows[:_SHOWN].tolist()]
        if len(rows) > _SHOWN:
            listed.append(f"  and {len(rows) - _SHOWN:,} more")
        many = "this relation" if len(rows) == 1 else "these relations together"
        head = (
            f"The table contradicts itself: {many} cannot hold with what is printed, "
            "whatever stands in the withheld cells:"
        )
        message = "\n".join([head, *listed, _CURE])
        raise ContradictionError(message, rows) from None


_CURE = (
    "An attacker would see the mistake too. Correct the cells; or, if the numbers were "
    "rounded, give base= (--base); if they can be below zero, "
    "attackers=[Attacker(non_negative=False)] (--negative); if cells are left out of "
    "the table that are not empty, Attacker(knows_empty=False)."
)


def _known(ranges: Intervals, exact: NDArray[np.bool_]) -> NDArray[np.bool_]:
    size = np.maximum(1.0, np.abs(ranges.highest))
    bounded = np.isfinite(ranges.highest) & np.isfinite(ranges.lowest)
    width = np.where(bounded, ranges.highest, np.inf) - np.where(
        bounded, ranges.lowest, 0.0
    )
    flat: NDArray[np.bool_] = width <= _FLAT * np.where(bounded, size, 0.0)
    return exact | (flat & ranges.complete)


def _tell_printed(
    draft: Draft, published: PublishedTable, fewest: int, *, rounded: bool
) -> None:
    """Small counts that stand in the table as they are."""
    cells = published.table.cells
    small = (cells.value > 0) & (cells.value < fewest * 10**cells.decimals)
    if rounded:
        return
    for cell in np.flatnonzero(small & published.shown).tolist():
        value = float(cells.value[cell]) / 10**cells.decimals
        draft.add(
            Kind.EXACT, cell, why="Published as it is", lowest=value, highest=value
        )


def _tell_found(
    draft: Draft,
    explainer: Explainer,
    found: tuple[Ranges, NDArray[np.bool_], NDArray[np.bool_]],
    *,
    fewest: int,
    table: PublishedTable,
) -> None:
    ranges, known, exact = found
    scale = 10**table.table.cells.decimals
    small = (ranges.lowest > 0) & (ranges.highest < fewest) & ranges.complete
    told = known if not fewest else small
    for k in np.flatnonzero(told).tolist():
        cell = int(ranges.cells[k])
        low, high = ranges.lowest[k], ranges.highest[k]
        if len(draft.kind) >= _EXPLAINED:
            why = "Follows from the relations and bounds"
        elif exact[cell]:
            why = explainer.exact(cell)
        elif known[k]:
            why = explainer.pinned(cell, high * scale)
        else:
            why = explainer.narrow(cell, above=True, at=high * scale)
        draft.add(
            Kind.EXACT if known[k] else Kind.INTERVAL,
            cell,
            why=why if known[k] else f"Proves a small count. {why}",
            lowest=low,
            highest=low if known[k] else high,
        )


def _tidy(amount: NDArray[np.float64]) -> NDArray[np.float64]:
    """Drop the noise of the solver from what are whole numbers."""
    finite = np.isfinite(amount)
    whole = np.rint(np.where(finite, amount, 0.0))
    near = finite & (np.abs(np.where(finite, amount, 0.0) - whole) < _NOISE)
    return np.where(near, whole, amount)


def _in_units(ranges: Intervals, decimals: int) -> Ranges:
    scale = float(10**decimals)
    lowest, highest = _tidy(ranges.lowest) / scale, _tidy(ranges.highest) / scale
    return Ranges(ranges.cells, lowest, highest, ranges.complete)
