# SPDX-License-Identifier: Apache-2.0
"""From a table to the verdict on each of its cells."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tacit.errors import InputError, RuleError, suggest
from tacit.rules._assessment import Assessment
from tacit.rules._base import AnyOf, Judgement, Rule, Verdict
from tacit.rules._levels import Case, required_levels
from tacit.rules._presets import find_preset
from tacit.rules._profiles import find_profile
from tacit.table import State, Table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from tacit.rules._presets import Preset
    from tacit.rules._profiles import Profile
    from tacit.table import Evidence

__all__ = ["assess", "assess_as_stated"]

_GIVEN = "given"
_ZERO = "zero_cell"
_ZERO_CELLS = ("empty", "sensitive")


def assess(
    table: Table,
    rule: Rule | None = None,
    *,
    profile: str | Profile | None = None,
    preset: Preset | str | Path | None = None,
    margin: float | None = None,
    exempt: Mapping[str, str | Iterable[str]] | None = None,
    zero_cells: Literal["empty", "sensitive"] = "empty",
) -> Assessment:
    """Find the sensitive cells of a table, and the protection that each of them needs.

    With a ``rule`` (or a ``preset``) every cell is judged on the evidence about its
    contributors. Without one, the states and levels that the cells came with are
    taken. ``profile`` names the conventions of another tool (``tauargus``,
    ``sdctable``, ``gauss``, ``kim_table3``).

    What the cells came with counts beside a rule: cells given as sensitive stay
    sensitive; cells that must be published (frozen) but are sensitive stay sensitive
    too and are counted as conflicts; cells that must be suppressed (forced) remain so.
    Cells given as sensitive need levels, or ``margin``: a distance in percent of the
    value. ``exempt`` names codes whose cells the rules do not judge, such as the code
    of "unknown". ``zero_cells`` says what a cell is that is held, but that nobody
    stands behind: empty, or sensitive where zeros must not be known.

    The lower level is cut at what the bounds allow: nobody can be led to believe that
    a cell of a table without negative values lies below zero.

    >>> import tacit
    >>> cells = {"sex": ["f", "m"], "n": [2, 30]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
    >>> tacit.assess(table, tacit.MinFrequency(n=3)).sensitive.tolist()
    [False, True, False]
    """
    _require_table(table)
    chosen, origin = _choose_rule(rule, preset)
    conventions = _choose_profile(profile, origin)
    if margin is None:
        margin = conventions.manual_margin
    case = Case(table, conventions, _checked_margin(margin), _checked_zeros(zero_cells))
    exempted = _exempted(table, exempt, origin)
    if chosen is None:
        _require_states(table)
        judgement = _nothing(table)
    else:
        chosen = conventions.adapt(chosen)
        _require_evidence(table, chosen)
        judgement = _judge(table, chosen, conventions)
    return _assemble(case, judgement, exempted, (chosen, origin))


def assess_as_stated(table: Table) -> Assessment:
    """Take a table by the states of its cells alone, with or without any sensitive one.

    For methods that change every number: they may be used where nobody has asked what
    is sensitive. What withholds cells takes :func:`assess`.

    >>> import tacit
    >>> cells = {"sex": ["f", "m"], "n": [2, 30]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
    >>> assess_as_stated(table).sensitive.any()
    np.False_
    """
    _require_table(table)
    conventions = _choose_profile(None, None)
    case = Case(table, conventions, conventions.manual_margin, "empty")
    exempted = np.zeros(len(table), dtype=bool)
    return _assemble(case, _nothing(table), exempted, (None, None))


def _assemble(
    case: Case,
    judgement: Judgement,
    exempt: NDArray[np.bool_],
    chosen: tuple[Rule | None, Preset | None],
) -> Assessment:
    table, cells = case.table, case.table.cells
    given = cells.state == State.SENSITIVE
    vacant = _vacant(table)
    by_rule = judgement.verdict.unsafe & ~vacant
    zero = vacant & (case.zero_cells == "sensitive") & ~exempt
    sensitive = (by_rule & ~exempt) | given | zero
    levels = required_levels(case, judgement.verdict, sensitive)
    reasons = {
        label: fired & sensitive & ~vacant for label, fired in judgement.fired.items()
    }
    reasons |= {
        label: marks for label, marks in ((_GIVEN, given), (_ZERO, zero)) if marks.any()
    }
    rule, preset = chosen
    return Assessment(
        table=table,
        rule=rule,
        sensitive=_frozen(sensitive),
        upl=_frozen(levels.upper),
        lpl=_frozen(levels.lower),
        spl=_frozen(levels.sliding),
        state=_frozen(_states(cells.state, sensitive, vacant)),
        reasons=MappingProxyType({k: _frozen(v) for k, v in reasons.items()}),
        conflicts=_frozen(sensitive & (cells.state == State.FROZEN)),
        exempted=_frozen(by_rule & exempt & ~given),
        profile=case.profile.name,
        preset=None if preset is None else preset.name,
        preset_digest=None if preset is None else preset.digest,
    )


def _states(
    given: NDArray[np.uint8], sensitive: NDArray[np.bool_], vacant: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    state = given.copy()
    # An order to publish or to suppress a cell holds for one of nobody as well.
    state[vacant & (given == State.SAFE)] = State.EMPTY
    state[sensitive] = State.SENSITIVE
    return state


def _vacant(table: Table) -> NDArray[np.bool_]:
    """Cells of value 0 that nobody stands behind."""
    vacant: NDArray[np.bool_] = table.cells.state == State.EMPTY
    if table.evidence is not None:
        vacant = vacant | (table.evidence.contributors == 0)
    elif table.is_count:
        vacant = np.ones(len(table), dtype=bool)
    vacant &= table.cells.value == 0
    return vacant


def _judge(table: Table, rule: Rule, profile: Profile) -> Judgement:
    if not profile.order:
        return rule.judge(table)
    parts = rule.rules if isinstance(rule, AnyOf) else (rule,)
    whole = rule.judge(table)
    return Judgement(_first_hit(table, parts, profile), whole.fired)


def _first_hit(table: Table, parts: tuple[Rule, ...], profile: Profile) -> Verdict:
    """Let the first group of rules that fires in a cell give it its levels."""
    n = len(table)
    open_, upper, lower, sliding = np.ones(n, dtype=bool), *np.zeros((3, n))
    for rank in sorted({profile.rank(part.kind) for part in parts}):
        group = [
            part.evaluate(table) for part in parts if profile.rank(part.kind) == rank
        ]
        fired = np.logical_or.reduce([one.unsafe for one in group]) & open_
        for one in group:
            np.maximum(upper, one.upper, out=upper, where=fired)
            np.maximum(lower, one.lower, out=lower, where=fired)
            np.maximum(sliding, one.sliding, out=sliding, where=fired)
        open_ &= ~fired
    return Verdict(~open_, upper, lower, sliding)


def _nothing(table: Table) -> Judgement:
    n = len(table)
    verdict = Verdict(np.zeros(n, dtype=bool), *np.zeros((3, n)))
    return Judgement(verdict, {})


def _require_table(table: object) -> None:
    if isinstance(table, Table):
        return
    message = (
        f"assess takes a Table, not a {type(table).__name__}. Make one with "
        "tacit.tabulate(...) from microdata, or Table.from_cells(...) from cells."
    )
    raise InputError(message)


def _choose_rule(
    rule: Rule | None, preset: Preset | str | Path | None
) -> tuple[Rule | None, Preset | None]:
    """Find the rule that counts; a locked preset bears no other beside it."""
    if rule is not None and not isinstance(rule, Rule):
        message = (
            f"A rule must be a rule object, not a {type(rule).__name__}. For instance "
            "tacit.PPercent(p=10), or tacit.rules.parse_rule({...}) for one that was "
            "read from a file."
        )
        raise RuleError(message)
    found = find_preset(preset)
    if found is None:
        return rule, None
    if rule is None:
        return found.rule, found
    if found.locked:
        message = (
            f"The preset '{found.name}' is locked, and rules were given beside it. One "
            "of the two would be ignored. Leave out the rules, or the preset."
        )
        raise RuleError(message)
    return rule, None


def _choose_profile(given: str | Profile | None, preset: Preset | None) -> Profile:
    if preset is None:
        return find_profile(given)
    wanted = find_profile(preset.profile)
    if given is None or find_profile(given) == wanted:
        return wanted
    if preset.locked:
        message = (
            f"The preset '{preset.name}' is locked and comes with the profile "
            f"'{wanted.name}'. Leave out profile=, or the preset."
        )
        raise RuleError(message)
    return find_profile(given)


def _require_states(table: Table) -> None:
    """Records say of no cell that it is sensitive: without a rule none would be."""
    told = ~np.isin(table.cells.state, (State.SAFE, State.EMPTY))
    if table.contributions is None or told.any():
        return
    message = (
        "No rule was given, and a table made of records comes without states: nothing "
        "would be sensitive, and everything would be published. Give a rule, for "
        "instance tacit.PPercent(p=10) | tacit.MinFrequency(n=3), or a preset."
    )
    raise RuleError(message)


def _checked_margin(margin: float | None) -> float | None:
    if margin is None:
        return None
    number = isinstance(margin, int | float) and not isinstance(margin, bool)
    if number and 0 <= margin < float("inf"):
        return float(margin)
    message = (
        "margin= must be a percentage of the value, 0 or more: cells that came as "
        "sensitive without levels are kept that far off."
    )
    raise InputError(message)


def _checked_zeros(zero_cells: str) -> str:
    if zero_cells not in _ZERO_CELLS:
        message = f"zero_cells= takes 'empty' or 'sensitive', not '{zero_cells}'."
        raise InputError(message)
    return zero_cells


def _require_evidence(table: Table, rule: Rule) -> None:
    """Refuse a rule that asks for more than is known."""
    evidence = table.evidence
    if evidence is None:
        return  # Each rule knows whether it can do without, and says so if not.
    _require_depth(rule, evidence)
    if evidence.complete is not None and int(rule.largest_needed):
        _require_complete(table, ~evidence.complete)


def _require_complete(table: Table, unknown: NDArray[np.bool_]) -> None:
    count = int(unknown.sum())
    if count:
        where = table.describe_cell(int(np.argmax(unknown)))
        message = (
            f"The largest contributions of {count:,} of {len(table):,} cells are not "
            f"known, the first at {where}: totals that were recomputed have a value, "
            "but one contributor may stand in several of their parts. Give the rows "
            "of these totals with their counts and largest contributions."
        )
        raise RuleError(message)


def _require_depth(rule: Rule, evidence: Evidence) -> None:
    needed, held = int(rule.largest_needed), evidence.largest.shape[1]
    if needed <= held or bool((evidence.contributors <= held).all()):
        return
    worst = {leaf.kind for leaf in rule.leaves if int(leaf.largest_needed) > held}
    message = (
        f"The rule {' and '.join(sorted(worst))} asks for the {needed} largest "
        f"contributions of a cell, and this table holds {held}. Tabulate it with "
        f"tabulate(..., top={needed}), or give that many columns as contributions= "
        "to Table.from_cells."
    )
    raise RuleError(message)


def _exempted(
    table: Table,
    exempt: Mapping[str, str | Iterable[str]] | None,
    preset: Preset | None,
) -> NDArray[np.bool_]:
    marks = np.zeros(len(table), dtype=bool)
    if exempt is None:
        return marks
    if preset is not None and preset.locked:
        message = (
            f"The preset '{preset.name}' is locked: its rules judge every cell, so "
            "exempt= cannot take codes from them. Leave out exempt=, or the preset."
        )
        raise RuleError(message)
    if not isinstance(exempt, Mapping):
        message = "exempt= takes a dict of dimension and codes, as {'size': ['99']}."
        raise InputError(message)
    for name, codes in exempt.items():
        if name not in table.names:
            message = (
                f"exempt= names no dimension '{name}'. {suggest(name, table.names)}"
            )
            raise InputError(message)
        axis = table.axis(name)
        wanted = [codes] if isinstance(codes, str) else list(codes)
        positions = [table.dimensions[axis].position(code) for code in wanted]
        marks |= np.isin(table.cells.codes[axis], positions)
    return marks


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
