# SPDX-License-Identifier: Apache-2.0
"""What several releases of the same data give away together."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.audit._atoms import DATA, axes_of
from tacit.audit._common import Source, common_system
from tacit.audit._isolate import Isolated, isolate
from tacit.errors import InputError
from tacit.rules import Rule
from tacit.table import State, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from tacit.attacker import Attacker
    from tacit.protect import Release

__all__ = ["DifferenceKind", "Differences", "differencing"]

_WITHHELD = (State.SENSITIVE, State.SUPPRESSED, State.FORCED)
_TWO, _MOST = 2, 300


class DifferenceKind(IntEnum):
    """How closely a combination of releases gives something away."""

    EXACT = 0
    INTERVAL = 1

    @property
    def label(self) -> str:
        """The name that frames show."""
        return self.name.lower()


@dataclass(frozen=True, eq=False, repr=False)
class Differences:
    """What the releases give away together, one finding a row.

    ``target`` names what is isolated, ``words`` the published cells that do it (for an
    interval there is no single combination), ``tables`` marks the releases that are
    needed. ``lowest`` and ``highest`` are what can be inferred, in published units:
    confidential. ``unjudged`` names rules that could not be asked, with the reason.
    """

    names: tuple[str, ...]
    kind: NDArray[np.uint8]
    target: tuple[str, ...]
    words: tuple[str, ...]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    tables: NDArray[np.bool_]
    unjudged: Mapping[str, str] = field(default_factory=dict)
    complete: bool = True
    frame_kind: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def safe(self) -> bool:
        """Whether every rule was asked and nothing was found."""
        return not len(self) and not self.unjudged

    def counts(self) -> dict[str, int]:
        """Count the findings by kind."""
        return {k.label: int((self.kind == k).sum()) for k in DifferenceKind}

    def describe(self, row: int) -> str:
        """Say one finding in words: codes only, never a value.

        See :func:`differencing` for an example.
        """
        if self.kind[row] == DifferenceKind.EXACT:
            return f"{self.words[row]} = {self.target[row]}"
        return f"{self.target[row]} is bounded closely by {self.words[row]}"

    @property
    def frame(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """Kind, what is isolated, and by what; no values."""
        from tacit.table._frames import to_frame  # noqa: PLC0415 - loads pyarrow

        labels = [DifferenceKind(k).label for k in self.kind.tolist()]
        columns = {
            "kind": np.array(labels, dtype=object),
            "isolated": np.array(self.target, dtype=object),
            "by": np.array(self.words, dtype=object),
        }
        return to_frame(columns, self.frame_kind)

    def __repr__(self) -> str:
        counts = self.counts()
        note = "; not every rule could be asked" if self.unjudged else ""
        return (
            f"<Differences of {len(self.names)} releases: {counts['exact']:,} exact, "
            f"{counts['interval']:,} by interval{note}>"
        )


def differencing(
    releases: Mapping[str, Release | Table],
    *,
    rule: Rule,
    classes: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    within: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    data: Table | None = None,
    attackers: Iterable[Attacker] | None = None,
    time_limit: float | None = None,
) -> Differences:
    """Find what several releases of the same data isolate that none of them shows.

    All published cells are stacked over the finest classes that the releases have in
    common. Reported are combinations of published cells (found as lines, blocks and
    chains of three relations; single cells also by elimination of everything) whose
    result is unsafe under the rule, and unsafe cells that the releases bound closely.

    Args:
        releases: Releases or tables by name. Of a table, all cells are published that
            are not sensitive, suppressed or forced.
        rule: The rule that a difference must keep. Without ``data`` only rules of the
            number of contributors can be asked, and only of counts.
        classes: By variable, the finest classes of each code: how ``<20`` and ``<25``
            overlap. Codes that another release splits need none.
        within: By release and variable, the codes to which that release is limited:
            a part of the population.
        data: The finest table with its contributions, never published: sums are then
            judged on those. A release that is as fine as all together serves as well.
        attackers: What is known beforehand; of these, whether cells may be negative.
        time_limit: Seconds for the bounds.

    >>> import tacit
    >>> young = tacit.Table.from_cells(
    ...     {"age": ["<20", "20+"], "n": [40, 60]}, by={"age": "all"}, count="n")
    >>> younger = tacit.Table.from_cells(
    ...     {"age": ["<25", "25+"], "n": [41, 59]}, by={"age": "all"}, count="n")
    >>> found = differencing({"A": young, "B": younger}, rule=tacit.MinFrequency(n=3),
    ...     classes={"age": {"<20": ["0-19"], "20+": ["20-24", "25+"],
    ...                      "<25": ["0-19", "20-24"]}})
    >>> found
    <Differences of 2 releases: 1 exact, 0 by interval>
    >>> found.describe(0)
    'B(age = <25) - A(age = <20) = (age = 20-24)'
    """
    if not isinstance(rule, Rule):
        message = (
            "differencing needs rule=, what a difference must keep. For instance "
            "tacit.MinFrequency(n=3)."
        )
        raise InputError(message)
    sources = _sources(releases)
    tables = {source.name: source.table for source in sources}
    if data is not None:
        _require_contributions(data)
        tables[DATA] = data
    axes = axes_of(tables, classes or {}, within or {})
    if data is not None:
        _require_variables(data, [axis.name for axis in axes])
    system = common_system(sources, axes)
    found = isolate(
        system,
        rule,
        data=data,
        non_negative=_non_negative(sources, attackers),
        time_limit=time_limit,
    )
    return _as_noun(found, sources)


def _as_noun(found: Isolated, sources: Sequence[Source]) -> Differences:
    return Differences(
        names=tuple(source.name for source in sources),
        kind=np.array(found.kind, dtype=np.uint8),
        target=tuple(found.target),
        words=tuple(found.words),
        lowest=np.array(found.lowest, dtype=np.float64),
        highest=np.array(found.highest, dtype=np.float64),
        tables=np.array(found.tables, dtype=bool).reshape(-1, len(sources)),
        unjudged=found.unjudged,
        complete=found.complete,
        frame_kind=sources[0].table.frame_kind,
    )


def _sources(releases: Mapping[str, Release | Table]) -> list[Source]:
    from tacit.protect import Release  # noqa: PLC0415 - a room below

    many = hasattr(releases, "items") and _TWO <= len(releases) <= _MOST
    if not many:
        message = (
            f"differencing compares {_TWO} to {_MOST} releases, given by name: "
            "differencing({'2021': one, '2022': other}, rule=...)."
        )
        raise InputError(message)
    found = []
    for name, given in releases.items():
        if isinstance(given, Table):
            shown = ~np.isin(given.cells.state, _WITHHELD)
            found.append(Source(str(name), given, shown))
        elif isinstance(given, Release):
            _refuse_perturbed(str(name), given)
            found.append(Source(str(name), given.table, ~given.withheld))
        else:
            message = (
                f"'{name}' is a {type(given).__name__}; differencing takes releases "
                "and tables. Take a published file with Table.from_cells."
            )
            raise InputError(message)
    return found


def _refuse_perturbed(name: str, release: Release) -> None:
    if release.perturbed:
        message = (
            f"The values of '{name}' were changed by '{release.method}', so they do "
            "not add up with those of other releases. Compare releases with true "
            "values; for means beside changed counts there is means_attack."
        )
        raise InputError(message)


def _require_contributions(data: Table) -> None:
    if data.contributions is None:
        message = (
            "data= must hold the single contributions, on which sums are judged. "
            "Tabulate it from microdata, as finely as all releases together."
        )
        raise InputError(message)


def _require_variables(data: Table, names: Sequence[str]) -> None:
    lacking = [name for name in names if name not in data.names]
    if lacking:
        message = (
            f"data= does not show '{lacking[0]}', by which the releases differ. "
            "Tabulate it by every variable of the releases."
        )
        raise InputError(message)


def _non_negative(
    sources: Sequence[Source], attackers: Iterable[Attacker] | None
) -> bool:
    said = [attacker.non_negative for attacker in attackers or ()]
    told = [one for one in said if one is not None]
    if told:
        return any(told)
    return all(bool((source.table.cells.value >= 0).all()) for source in sources)
