# SPDX-License-Identifier: Apache-2.0
"""Check what is asked of suppression before any work is done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from tacit.attacker import Attacker, default_attackers
from tacit.errors import InputError, suggest
from tacit.rules import Assessment

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Asked", "asked"]


class Asked(NamedTuple):
    """What is asked, checked."""

    attackers: tuple[Attacker, ...]
    time_limit: float


def asked(
    assessment: object,
    method: str,
    methods: Sequence[str],
    attackers: object,
    time_limit: float,
) -> Asked:
    """Refuse what cannot be done, and say why."""
    if not isinstance(assessment, Assessment):
        message = (
            f"suppress takes an assessment, not a {type(assessment).__name__}: only an "
            "assessment says what is sensitive, and how much protection it needs. Make "
            "one with tacit.assess(table, rule)."
        )
        raise InputError(message)
    if method not in methods:
        message = (
            f"There is no method of suppression named '{method}'. "
            f"{suggest(str(method), methods)}"
        )
        raise InputError(message)
    if isinstance(time_limit, bool) or not isinstance(time_limit, int | float):
        message = f"time_limit is {time_limit!r}: give the seconds the search may take."
        raise InputError(message)
    if not time_limit >= 0:
        message = (
            f"time_limit is {time_limit}: give the seconds the search may take, from 0."
        )
        raise InputError(message)
    _check_sums(assessment)
    return Asked(_attackers(attackers), float(time_limit))


def _check_sums(assessment: Assessment) -> None:
    accepted = assessment.table.residuals_accepted
    if accepted:
        message = (
            f"{accepted:,} relations of this table hold only within the tolerance that "
            "was declared, so no table agrees with all of them and nothing can be "
            "proved. Let the totals be summed from their parts (leave their rows out "
            "of Table.from_cells), then assess and protect that table."
        )
        raise InputError(message)


def _attackers(given: object) -> tuple[Attacker, ...]:
    if given is None:
        return default_attackers()
    many = tuple(given) if isinstance(given, Iterable) else (given,)
    if isinstance(given, Attacker):
        many = (given,)
    wrong = [one for one in many if not isinstance(one, Attacker)]
    if wrong or not many:
        kind = type(wrong[0]).__name__ if wrong else "empty list"
        message = (
            f"attackers= takes tacit.Attacker objects, not a {kind}. For instance "
            "[Attacker(bounds=(0.5, 1.5))]."
        )
        raise InputError(message)
    return many
