# SPDX-License-Identifier: Apache-2.0
"""M3A: move each sensitive cell to where no attack of its contributors comes close."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from tacit.errors import InputError
from tacit.protect._perturbing import Changed, Codes, Key, marked, secret
from tacit.protect._perturbing import Options as Common
from tacit.protect.adjust._attacks import (
    SCENARIOS,
    Scenario,
    attacks_on,
    forbidden,
    reach_of,
    unlisted_means,
)
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.adjust._attacks import Attacks, Forbidden, People
    from tacit.protect.adjust._placing import Placed
    from tacit.protect.adjust._safe_set import Segments
    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment
    from tacit.table import Table

__all__ = ["M3a", "Options", "change"]

_STAYS = (State.FROZEN, State.FORCED, State.SUPPRESSED, State.EMPTY)


class M3a(Common):
    """Move sensitive cells to numbers from which no contributor can infer another.

    Each attack of a contributor who subtracts what it knows must miss by at least
    ``d`` percent. All other inner cells stay, and totals follow.
    """

    d: Annotated[float, Field(gt=0, lt=100)] = Field(
        default=10.0, description="percent by which every estimate must be off"
    )
    phi: Annotated[int, Field(ge=1)] | Literal["all"] = Field(
        default=3,
        description="how many of the largest contributors attack, or 'all': at least "
        "one more than the rule of dominance counts",
    )
    scenarios: Annotated[tuple[Scenario, ...], Field(min_length=1, strict=False)] = (
        Field(default=SCENARIOS, description="the attacks that are blocked")
    )
    mode: Literal["union", "paper"] = Field(
        default="union",
        description="whether numbers between two attacks are safe ('union'), or only "
        "those outside of all of them, as in the paper",
    )
    min_gap: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(
        default=0.0, description="leave out safe segments that are narrower"
    )
    search: Literal["exact", "greedy"] = Field(
        default="exact",
        description="find the cheapest table, or place one cell after the other",
    )
    preserve: (
        Literal["none", "total", "margins"]
        | Annotated[tuple[Codes, ...], Field(strict=False)]
    ) = Field(
        default="none",
        description="totals that keep their values: none, total, margins, or codes "
        "such as [{region = 'A'}]",
    )
    slack: Annotated[float, Field(ge=0)] = Field(
        default=0.0,
        description="percent by which an inner cell that is not sensitive may move; "
        "inf: as far as its bounds",
    )
    weights: Literal["unit", "root", "relative"] = Field(
        default="unit",
        description="what moving a cell by one costs: 1, or 1 over the root or the "
        "size of its value",
    )
    least: Annotated[float, Field(gt=0)] | None = Field(
        default=None,
        description="least distance of an estimate; needed where contributions may be "
        "negative, because a percentage of 0 protects nobody",
    )
    spread: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(
        default=0.0,
        description="percent of a cell over which its number is drawn beyond the "
        "nearest safe one, so that nobody can calculate back; needs key",
    )
    key: Key | None = Field(
        default=None,
        description="with spread: a secret text that draws the numbers. It is never "
        "written anywhere",
    )
    d_known: bool = Field(
        default=False,
        description="whether readers know d; the audit then finds cells of one "
        "contributor that can be calculated back",
    )


Options = M3a


def change(assessment: Assessment, options: M3a, clock: Clock) -> Changed:
    """Move the sensitive cells of a table."""
    from tacit.protect.adjust._m3a_people import people_of  # noqa: PLC0415 - heavy

    table = assessment.table
    signed = _check(table, options)
    chosen = np.flatnonzero(
        assessment.sensitive & ~np.isin(assessment.state, _STAYS)
    ).astype(np.int64)
    phi = None if options.phi == "all" else options.phi
    people = people_of(table, chosen, phi)
    attacks = attacks_on(people, phi=phi, scenarios=options.scenarios, signed=signed)
    reach = reach_of(attacks, _share(options), _least(table, options))
    bad = [forbidden(attacks, reach)]
    if "IV" in options.scenarios:
        bad.append(unlisted_means(people, _share(options)))
    segments = _segments(assessment, options, chosen, bad)
    placed = _place(assessment, options, clock, (chosen, segments, people))
    published = table.cells.value + placed.move
    scale = 10**table.cells.decimals
    notes = _notes(options, table, chosen, (attacks, reach, published))
    return Changed(
        published,
        "m3a",
        cost=placed.cost / scale,
        bound=None if placed.bound is None else placed.bound / scale,
        notes=notes | {"search": placed.state},
    )


def _check(table: Table, options: M3a) -> bool:
    """Refuse what does not go together; tell whether contributions may be negative."""
    given, evidence = table.contributions, table.evidence
    signed = bool((table.cells.value < 0).any())
    signed |= given is not None and bool((given.value < 0).any())
    if given is None and evidence is not None:
        signed |= bool((evidence.total != table.cells.value).any())
        if signed:
            message = (
                "Some contributions are negative, and of this table only their sizes "
                "are known. Tabulate it from microdata, in one table that is not "
                "linked."
            )
            raise InputError(message)
    if signed and options.least is None:
        message = (
            "Some contributions are negative, and a contribution near 0 has no "
            "percentage to be protected by. Give least=, the distance by which every "
            "estimate must miss in any case, in published units."
        )
        raise InputError(message)
    if options.spread > 0 and options.key is None:
        message = (
            "spread= draws numbers at random, and the same table must give the same "
            "numbers again: give key=, a secret text."
        )
        raise InputError(message)
    strict = options.preserve != "none" or options.slack > 0
    if options.search == "greedy" and strict:
        message = (
            "search='greedy' places cells one after the other and lets every total "
            "follow, so it can neither preserve totals nor use slack. Use "
            "search='exact', or leave preserve= and slack= out."
        )
        raise InputError(message)
    return signed


def _share(options: M3a) -> Fraction:
    return Fraction(str(options.d)) / 100


def _least(table: Table, options: M3a) -> int:
    if options.least is None:
        return 0
    scaled = Fraction(str(options.least)) * 10**table.cells.decimals
    return -int(-scaled // 1)


def _segments(
    assessment: Assessment,
    options: M3a,
    chosen: NDArray[np.int64],
    bad: list[Forbidden],
) -> Segments:
    """Where each sensitive cell may be published."""
    from tacit.protect.adjust._safe_set import HIGHEST, safe_segments  # noqa: PLC0415
    from tacit.protect.adjust._spread import shrunk  # noqa: PLC0415

    table = assessment.table
    lower = _lower(table)[chosen]
    segments = safe_segments(
        len(chosen), bad, lower=lower, hull=options.mode == "paper"
    )
    gap = Fraction(str(options.min_gap)) * 10**table.cells.decimals
    width = np.minimum(segments.high - segments.low, HIGHEST)
    segments = segments.where(width >= int(gap))
    if options.spread and options.key is not None:
        segments = shrunk(
            segments,
            table.cells.value[chosen],
            lower,
            share=options.spread / 100,
            drawn=_drawn(table, chosen, secret(options.key)),
        )
    return segments


def _lower(table: Table) -> NDArray[np.int64]:
    """The least that each number may be: what is known of it, else 0 or nothing."""
    from tacit.protect.adjust._safe_set import LOWEST  # noqa: PLC0415

    if table.cells.lower is not None:
        return table.cells.lower
    negative = bool((table.cells.value < 0).any())
    if table.contributions is not None:
        negative |= bool((table.contributions.value < 0).any())
    return np.full(len(table), LOWEST if negative else 0, dtype=np.int64)


def _drawn(
    table: Table, cells: NDArray[np.int64], key: bytes
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two numbers between 0 and 1 of each cell, the same in every table."""
    from tacit.protect._keyed import uniform_of_cells  # noqa: PLC0415 - late

    return (
        uniform_of_cells(table, cells, key, b"m3a below"),
        uniform_of_cells(table, cells, key, b"m3a above"),
    )


def _place(
    assessment: Assessment,
    options: M3a,
    clock: Clock,
    found: tuple[NDArray[np.int64], Segments, People],
) -> Placed:
    """Move the cells."""
    from tacit.errors import LimitError  # noqa: PLC0415 - only if it comes to that
    from tacit.protect.adjust._greedy import place_in_turn  # noqa: PLC0415
    from tacit.protect.adjust._placing import Placed, place  # noqa: PLC0415
    from tacit.protect.adjust._safe_set import nearest  # noqa: PLC0415

    chosen, segments, people = found
    problem = _problem(assessment, options, chosen, segments)
    start = None
    if options.preserve == "none" and not options.slack:
        value = problem.value[chosen]
        below, above = nearest(segments, value)
        alone = people.counts == 1
        start = place_in_turn(problem, below - value, above - value, late=alone)
    if options.search == "exact":
        return place(problem, assessment.table, clock, start=start)
    if start is None or not problem.holds(start):
        message = (
            "Placed one after the other, the cells leave a total that is sensitive "
            "itself, or must stay, where it is not safe. Use search='exact'."
        )
        raise LimitError(message)
    return Placed(start, problem.cost(start), None, "greedy")


def _problem(
    assessment: Assessment,
    options: M3a,
    chosen: NDArray[np.int64],
    segments: Segments,
) -> Any:  # noqa: ANN401 - a SegmentProblem, imported late
    from tacit.protect.adjust._segment_problem import SegmentProblem  # noqa: PLC0415

    table = assessment.table
    value = table.cells.value
    size = np.maximum(np.abs(value.astype(np.float64)), 1.0)
    problem = SegmentProblem(
        relations=table.relations.matrix,
        value=value,
        weight={"unit": np.ones_like(size), "root": size**-0.5, "relative": 1 / size}[
            options.weights
        ],
        least=np.zeros(len(value)),
        most=np.zeros(len(value)),
        chosen=chosen,
        segments=segments,
    )
    least, most = _freedom(assessment, options, problem.inner)
    lower = _lower(table).astype(np.float64) - value
    least[chosen], most[chosen] = -np.inf, np.inf
    least = np.maximum(least, np.minimum(lower, 0.0))
    if table.cells.upper is not None:
        most = np.minimum(most, np.maximum(table.cells.upper - value, 0))
    fixed = _fixed(assessment, options, problem.inner)
    least[fixed], most[fixed] = 0.0, 0.0
    from dataclasses import replace  # noqa: PLC0415

    return replace(problem, least=least, most=most)


def _freedom(
    assessment: Assessment, options: M3a, inner: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far cells that are not sensitive may move: totals as they must."""
    value = np.abs(assessment.table.cells.value.astype(np.float64))
    if np.isinf(options.slack):
        room = np.where(value > 0, np.inf, 0.0)
    else:
        room = np.floor(value * (options.slack / 100))
    free = np.where(inner, room, np.inf)
    return -free, free.copy()


def _fixed(
    assessment: Assessment, options: M3a, inner: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    fixed = np.isin(assessment.state, _STAYS)
    if options.preserve == "margins":
        fixed |= ~inner
    if not isinstance(options.preserve, str):
        fixed |= marked(assessment.table, "preserve", options.preserve) & ~inner
    if options.preserve == "total":
        fixed |= ~inner & _part_of_nothing(assessment.table)
    return fixed


def _part_of_nothing(table: Table) -> NDArray[np.bool_]:
    matrix = table.relations.matrix
    top = np.ones(len(table), dtype=bool)
    top[matrix.indices[matrix.data > 0]] = False
    return top


def _notes(
    options: M3a,
    table: Table,
    chosen: NDArray[np.int64],
    outcome: tuple[Attacks, NDArray[np.int64], NDArray[np.int64]],
) -> dict[str, Any]:
    """What the audit and the report are told: which attack binds on which cell."""
    attacks, reach, published = outcome
    off = np.abs(published[chosen][attacks.cell] - attacks.centre) - reach
    true = table.cells.value[chosen]
    bit = np.abs(true[attacks.cell] - attacks.centre) < reach
    binding = (off == 0) & (reach > 0)
    return {
        "d": options.d,
        "least": options.least,
        "phi": options.phi,
        "scenarios": options.scenarios,
        "spread": options.spread,
        "d_known": options.d_known,
        "adjusted": int((published != table.cells.value)[chosen].sum()),
        "attacks": len(attacks),
        "biting": _by_scenario(attacks, chosen, bit),
        "binding": _by_scenario(attacks, chosen, binding),
    }


def _by_scenario(
    attacks: Attacks, chosen: NDArray[np.int64], which: NDArray[np.bool_]
) -> dict[str, tuple[int, ...]]:
    """Cells by the name of the scenario."""
    from typing import get_args  # noqa: PLC0415

    found = {}
    for number, name in enumerate(get_args(Scenario)):
        cells = np.unique(chosen[attacks.cell[which & (attacks.scenario == number)]])
        if len(cells):
            found[name] = tuple(cells.tolist())
    return found
