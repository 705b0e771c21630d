# SPDX-License-Identifier: Apache-2.0
"""The verb: an assessment goes in, a release with the withheld cells comes out."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from tacit.errors import LimitError
from tacit.protect._release import Release
from tacit.protect.suppress._ask import Asked, asked
from tacit.protect.suppress._build import build_problem
from tacit.protect.suppress._costs import Cost, costs_of
from tacit.protect.suppress._everybody import ForEverybody, everybody_of
from tacit.protect.suppress._history import effect_of
from tacit.protect.suppress._methods import Method, check_shape, exact_only
from tacit.protect.suppress._open import explain_open
from tacit.protect.suppress._parallel import Crew
from tacit.protect.suppress._progress import Clock
from tacit.protect.suppress._solve import Solution, solve
from tacit.protect.suppress._wishes import wishes_of
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from tacit.attacker import Attacker
    from tacit.protect.suppress._history import Effect, History
    from tacit.protect.suppress._problem import Problem
    from tacit.rules import Assessment

    Cell = int | Mapping[str, str]

__all__ = ["suppress"]


def suppress(  # noqa: PLR0913 - a verb with all its options
    assessment: Assessment,
    method: Method = "auto",
    *,
    cost: str | Cost | NDArray[np.float64] = "value",
    attackers: Attacker | Iterable[Attacker] | None = None,
    time_limit: float = 60.0,
    history: History | Release | Sequence[Release] | None = None,
    groups: Sequence[Sequence[Cell]] = (),
    combinations: Sequence[Sequence[Cell]] = (),
    executor: Executor | int | None = None,
    progress: Callable[..., None] | None = None,
) -> Release:
    """Withhold further cells until every sensitive one is protected.

    ``auto`` proves for each sensitive cell that an attacker cannot exclude values as
    far away as its protection levels ask. ``gauss`` only prevents that a value can be
    derived exactly, and says so. ``optimal`` goes on until it has proved that nothing
    is cheaper, or the time is up. The classical ``modular``, ``hypercube`` and
    ``network`` (for two dimensions, one of them flat) are repaired to the same proofs
    as ``auto``.

    Args:
        assessment: What is sensitive, and how much protection it needs.
        method: ``auto``, ``gauss``, ``hypercube``, ``modular``, ``network`` or
            ``optimal``.
        cost: What withholding a cell costs: ``value``, ``count``, ``unit``,
            ``column``, a :class:`Cost`, or one number a cell.
        attackers: Who must not find out; the outsider and every insider if not given.
        time_limit: Seconds. A pattern that is safe by then is made as cheap as the
            time allows; if none is, that is a ``LimitError``.
        history: Earlier releases of this table: see :class:`History`.
        groups: Cells that are withheld together or not at all, by index or codes.
        combinations: Cells whose sum must not be derivable either.
        executor: Any ``concurrent.futures`` executor, or a number of processes; the
            result does not depend on it.
        progress: Called with (step, done, total); ``step.figures`` holds more.

    >>> import tacit
    >>> cells = {"sex": ["f", "f", "m", "m"], "age": ["o", "y"] * 2, "n": [2, 9, 8, 7]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "T", "age": "T"}, count="n")
    >>> release = suppress(tacit.assess(table, tacit.MinFrequency(n=3)))
    >>> int(release.withheld.sum())
    4
    """
    ask = asked(assessment, method, get_args(Method), attackers, time_limit)
    check_shape(method, assessment.table)
    clock = Clock(ask.time_limit, progress)
    effect = effect_of(history, assessment)
    assessment = effect.assessment
    cost_of_cell = costs_of(assessment.table, cost)
    try:
        with Crew(executor) as crew:
            problem, origin = _problem(assessment, cost_of_cell, ask, effect)
            wishes = wishes_of(assessment.table, origin, groups, combinations)
            everybody = ForEverybody(everybody_of(assessment, origin, ask.attackers))
            if not exact_only(method):
                wishes = replace(wishes, finish=(*wishes.finish, everybody))
            solution = solve(problem, method, clock=clock, crew=crew, wishes=wishes)
    except KeyboardInterrupt:
        message = (
            f"Stopped after {clock.seconds:.0f} s, before a safe pattern was found. "
            "Nothing was protected; allow more time."
        )
        raise LimitError(message) from None
    if not solution.tried:
        message = (
            f"The time limit of {ask.time_limit:g} s ended before a safe pattern was "
            f"found: {len(solution.open):,} sensitive cells are still open. Allow more "
            "time with time_limit=."
        )
        raise LimitError(message)
    solution = replace(solution, open=np.union1d(solution.open, everybody.open))
    return _release(
        assessment,
        method,
        (problem, origin),
        solution,
        (cost_of_cell, clock, everybody.notes),
    )


def _problem(
    assessment: Assessment, cost: NDArray[np.float64], ask: Asked, effect: Effect
) -> tuple[Problem, NDArray[np.int64]]:
    price = cost if effect.price is None else cost * effect.price
    return build_problem(
        assessment,
        price,
        attackers=ask.attackers,
        frozen=effect.frozen,
        forced=effect.forced,
    )


def _release(
    assessment: Assessment,
    method: Method,
    made: tuple[Problem, NDArray[np.int64]],
    solution: Solution,
    spent: tuple[NDArray[np.float64], Clock, Mapping[str, Any]],
) -> Release:
    (problem, origin), (cost, clock, notes) = made, spent
    state = assessment.state.copy()
    extra = solution.hidden & ~problem.sensitive & ~problem.forced
    state[origin[problem.sensitive]] = State.SENSITIVE
    state[origin[extra]] = State.SUPPRESSED
    given = assessment.state[origin]
    asked_for = problem.forced & ~np.isin(given, (State.FORCED, State.SUPPRESSED))
    state[origin[asked_for]] = State.SUPPRESSED
    secondary = solution.hidden & ~problem.sensitive
    total = float(cost[origin[secondary]].sum())
    table = assessment.table
    claims = explain_open(problem, solution.open, origin, table.describe_cell)
    # A bound above the cost is above it by the noise of the solver.
    bound = None if solution.bound is None else min(solution.bound, total)
    provenance: dict[str, Any] = {
        "claims": _claims(problem),
        "open": len(solution.open),
        "open_claims": claims,
        "exact_only": exact_only(method),
        "programs": solution.programs,
        **_alone(problem, solution, cost[origin]),
        **notes,
    }
    return Release(
        assessment=assessment,
        state=state,
        method=method,
        published=table.cells.value,
        cost=total,
        bound=bound,
        gap=_gap(total, bound),
        seconds=clock.seconds,
        provenance=MappingProxyType(provenance),
    )


def _claims(problem: Problem) -> int:
    """How many needs there are, one for each side that asks for something."""
    sides = (problem.need_up, problem.need_down, problem.need_width)
    return int(sum(np.count_nonzero(side[problem.sensitive] > 0) for side in sides))


def _alone(
    problem: Problem, solution: Solution, cost: NDArray[np.float64]
) -> dict[str, Any]:
    """What a classical method hid alone, and what repair added to it."""
    alone = solution.alone
    if alone is None:
        return {}
    own = alone.hidden & ~problem.sensitive
    added = alone.repaired & ~alone.hidden
    counts = {
        "secondary": int(own.sum()),
        "cost": float(cost[own].sum()),
        "short": alone.short,
        "added": int(added.sum()),
        "added_cost": float(cost[added].sum()),
    }
    return {"alone": MappingProxyType(counts)}


def _gap(cost: float, bound: float | None) -> float | None:
    if bound is None:
        return None
    return 0.0 if cost <= bound or cost == 0 else (cost - bound) / cost
