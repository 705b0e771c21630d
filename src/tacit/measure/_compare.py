# SPDX-License-Identifier: Apache-2.0
"""Several releases of one table side by side: ranked, mapped, and one recommended."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError, suggest
from tacit.measure._map import Point, draw_map
from tacit.measure._measure import Measures, measure
from tacit.measure._order import layers, preferred
from tacit.measure._registry import measure_named, measures
from tacit.measure._svg import number_text
from tacit.protect import Release
from tacit.rules import Assessment

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.measure._impute import Imputation

__all__ = ["Comparison", "check_axes", "compare"]

_TOLERANCE = 0.001
_RISK, _LOSS = "risk_variance", "absolute_loss_percent"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Releases of one table, made by :func:`tacit.compare`.

    ``frame`` holds one row a release with every measure; ``front`` names those to which
    none is preferred; ``recommended`` is one of them, or None where none is safe, and
    ``recommendation`` says why. ``map`` is the R-U map as SVG. All of it is internal.

    >>> import tacit
    >>> cells = {"sex": ["f", "f", "m", "m"], "age": ["o", "y"] * 2, "n": [2, 9, 8, 7]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "T", "age": "T"}, count="n")
    >>> assessment = tacit.assess(table, tacit.MinFrequency(n=3))
    >>> release = tacit.suppress(assessment).audited()
    >>> tacit.compare(assessment, {"suppressed": release}).recommendation
    "'suppressed' is safe by its audit (absolute loss percent 30.77)."
    """

    releases: Mapping[str, Release]
    measured: Mapping[str, Measures]
    risk: str
    loss: str
    tolerance: float

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the releases, as they were given."""
        return tuple(self.releases)

    @cached_property
    def _badness(self) -> tuple[list[float], list[float]]:
        risk, loss = measure_named(self.risk), measure_named(self.loss)
        found = self.measured.values()
        return (
            [risk.badness(one[self.risk]) for one in found],
            [loss.badness(one[self.loss]) for one in found],
        )

    @cached_property
    def _safe(self) -> NDArray[np.bool_]:
        return np.array([release.safe for release in self.releases.values()])

    @cached_property
    def _ranks(self) -> NDArray[np.int64]:
        """Layers: of the safe releases first, then of the others."""
        order = preferred(*self._badness, tolerance=self.tolerance)
        ranks = np.zeros(len(order), dtype=np.int64)
        for group in (self._safe, ~self._safe):
            if group.any():
                among = layers(order[np.ix_(group, group)])
                ranks[group] = among + ranks.max()
        return ranks

    @property
    def ranks(self) -> dict[str, int]:
        """Rank of each release; 1 where none is preferred to it.

        A release that is not safe ranks behind every safe one.
        """
        return dict(zip(self.names, self._ranks.tolist(), strict=True))

    @property
    def front(self) -> tuple[str, ...]:
        """Releases to which none is preferred; safe ones only, where there are any."""
        comparable = [
            not math.isnan(a + b) for a, b in zip(*self._badness, strict=True)
        ]
        ranked = zip(self.names, self._ranks.tolist(), comparable, strict=True)
        return tuple(name for name, rank, there in ranked if rank == 1 and there)

    @cached_property
    def recommended(self) -> str | None:
        """The release of the front that loses least; None if none is safe."""
        loss = dict(zip(self.names, self._badness[1], strict=True))
        safe = [name for name in self.front if self.releases[name].safe]
        return min(safe, key=lambda name: loss[name], default=None)

    @property
    def recommendation(self) -> str:
        """Say in a sentence which release to take, and why."""
        chosen, safe = self.recommended, int(self._safe.sum())
        if chosen is None:
            return self._none_to_recommend()
        lost = self._told(chosen, self.loss)
        if len(self.names) == 1:
            return f"'{chosen}' is safe by its audit ({lost})."
        if safe == 1:
            return (
                f"Take '{chosen}': of {len(self.names)} releases it is the only one "
                f"that is safe by its audit ({lost})."
            )
        rest = [n for n in self.names if n != chosen and self.releases[n].safe]
        badness = dict(zip(self.names, self._badness[1], strict=True))
        after = min(rest, key=lambda name: (math.isnan(badness[name]), badness[name]))
        return (
            f"Take '{chosen}': of {safe} releases that are safe by their audit it "
            f"loses least ({lost}); next is '{after}' "
            f"({self._told(after, self.loss)}).{self._less_risky(chosen)}"
        )

    def _none_to_recommend(self) -> str:
        if not self._safe.any():
            return (
                f"None of these {len(self.names)} releases can be published: none has "
                "an audit that found it safe."
            )
        return (
            f"None can be recommended: '{self.loss}' or '{self.risk}' is not defined "
            "for any safe release. Choose other measures."
        )

    def _less_risky(self, chosen: str) -> str:
        """Name what the front offers with less risk, at what loss."""
        risk = dict(zip(self.names, self._badness[0], strict=True))
        lower = [n for n in self.front if risk[n] < risk[chosen]]
        if not lower:
            return ""
        least = min(lower, key=lambda name: risk[name])
        return (
            f" If less risk is worth more loss, '{least}' has the least risk "
            f"({self._told(least, self.risk)}; '{chosen}' has "
            f"{number_text(self.measured[chosen][self.risk])})."
        )

    def _told(self, name: str, what: str) -> str:
        label = measure_named(what).label
        return f"{label} {number_text(self.measured[name][what])}"

    @property
    def frame(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """One row a release: method, verdict, rank, and every measure."""
        from tacit.table._frames import to_frame  # noqa: PLC0415 - loads a library

        first = next(iter(self.releases.values()))
        columns: dict[str, Any] = {
            "release": list(self.names),
            "method": [release.method for release in self.releases.values()],
            "safe": self._safe,
            "rank": self._ranks,
            "front": np.isin(self.names, self.front),
            "seconds": [release.seconds for release in self.releases.values()],
        }
        for one in measures():
            columns[one.name] = np.array([m[one.name] for m in self.measured.values()])
        return to_frame(columns, first.table.frame_kind)

    @property
    def map(self) -> str:
        """The R-U map as SVG: for files, notebooks, the report and the app alike."""
        front, chosen = self.front, self.recommended
        points = [
            Point(
                name=name,
                risk=self.measured[name][self.risk],
                loss=self.measured[name][self.loss],
                safe=self.releases[name].safe,
                front=name in front,
                recommended=name == chosen,
            )
            for name in self.names
        ]
        loss, risk = measure_named(self.loss).label, measure_named(self.risk).label
        axes = (f"more loss \N{RIGHTWARDS ARROW} {loss}", f"{risk}, more upwards")
        return draw_map(points, names=axes, title="Risk and loss of each release")

    def summary(self) -> dict[str, Any]:
        """Give the ranks, the front and the recommendation."""
        return {
            "risk": self.risk,
            "loss": self.loss,
            "tolerance": self.tolerance,
            "ranks": self.ranks,
            "front": list(self.front),
            "recommended": self.recommended,
            "recommendation": self.recommendation,
        }

    def __len__(self) -> int:
        return len(self.releases)

    def __repr__(self) -> str:
        chosen = self.recommended
        told = "none to recommend" if chosen is None else f"'{chosen}' recommended"
        return f"<Comparison of {len(self)} releases: {told}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.recommendation)}</p>{self.map}"


def compare(
    assessment: Assessment,
    releases: Mapping[str, Release],
    *,
    risk: str = _RISK,
    loss: str = _LOSS,
    tolerance: float = _TOLERANCE,
    imputation: Imputation = "spread",
) -> Comparison:
    """Lay releases of one table side by side: measure, rank, map, recommend.

    A release is preferred to another if its risk and its loss are both no larger and
    one is smaller. Those that their audit did not find safe rank behind all others.

    Args:
        assessment: What the releases protect.
        releases: The releases by the names that are to be shown.
        risk: The measure on the axis of risk.
        loss: The measure on the axis of loss.
        tolerance: Values within this share of each other count as equal.
        imputation: What stands for withheld values: see :func:`tacit.measure`.

    >>> import tacit
    >>> cells = {"sex": ["f", "f", "m", "m"], "age": ["o", "y"] * 2, "n": [2, 9, 8, 7]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "T", "age": "T"}, count="n")
    >>> assessment = tacit.assess(table, tacit.MinFrequency(n=3))
    >>> one = tacit.suppress(assessment).audited()
    >>> other = tacit.suppress(assessment, "gauss").audited()
    >>> tacit.compare(assessment, {"auto": one, "gauss": other})
    <Comparison of 2 releases: 'auto' recommended>
    """
    _check(assessment, releases)
    check_axes(risk, loss)
    if not 0 <= tolerance < 1:
        message = (
            f"tolerance= is a share of the value, from 0 to below 1, and {tolerance:g} "
            "is not. 0.001 takes values within 0.1 % of each other for equal."
        )
        raise InputError(message)
    measured = {
        name: measure(release, imputation=imputation)
        for name, release in releases.items()
    }
    return Comparison(dict(releases), measured, risk, loss, tolerance)


def _check(assessment: Assessment, releases: Mapping[str, Release]) -> None:
    if not isinstance(assessment, Assessment):
        message = (
            f"compare takes an assessment first, not a {type(assessment).__name__}: "
            "compare(assessment, {'a name': a release, ...})."
        )
        raise InputError(message)
    if not isinstance(releases, Mapping) or not releases:
        message = (
            "compare takes a dict of names and releases, and at least one of them: "
            "{'suppressed': tacit.suppress(assessment), ...}."
        )
        raise InputError(message)
    for name, release in releases.items():
        if not isinstance(release, Release):
            message = (
                f"'{name}' is a {type(release).__name__} and not a release. Protect "
                "the table first; compare takes what came of it."
            )
            raise InputError(message)
        if not _same_table(assessment, release):
            message = (
                f"'{name}' is a release of another table than the assessment. Only "
                "releases of one table can be compared."
            )
            raise InputError(message)


def _same_table(assessment: Assessment, release: Release) -> bool:
    one, other = assessment.table, release.table
    return one is other or (
        [d.codes for d in one.dimensions] == [d.codes for d in other.dimensions]
        and np.array_equal(one.cells.codes, other.cells.codes)
        and np.array_equal(one.cells.value, other.cells.value)
    )


def check_axes(risk: str | None, loss: str | None) -> None:
    """Refuse a measure that is none, or of the other kind."""
    for option, name, kind in (("risk", risk, "risk"), ("loss", loss, "loss")):
        if name is None:
            continue
        one = measure_named(name)
        if one.kind != kind:
            names = [m.name for m in measures() if m.kind == kind]
            message = (
                f"{option}= takes a measure of {kind}, and '{name}' is one of "
                f"{one.kind}. {suggest(name, names, limit=40)}"
            )
            raise InputError(message)
