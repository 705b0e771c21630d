# SPDX-License-Identifier: Apache-2.0
"""What other tools do differently at the boundary, as data."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from tacit.errors import RuleError, suggest
from tacit.rules._base import RuleSet
from tacit.rules._messages import teach
from tacit.rules._registry import kinds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tacit.rules._base import Rule

__all__ = ["Profile", "find_profile", "profiles"]

_CONCENTRATION = ("dominance", "p_percent", "pq", "linear")


class Profile(BaseModel):
    """Conventions of a tool, to reproduce its verdicts and levels.

    ``closed`` names the kinds of rules for which equality is unsafe. ``order`` lists
    kinds in groups: the first group that fires gives a cell its status and its level
    (kinds not listed are asked with the first); without it the level is the largest of
    all rules that fired. ``floor`` is the least that a sensitive cell must get:
    ``sliding`` asks for an interval of one unit of the last decimal, ``both_sides``
    for that distance on each side. ``cap_lower`` cuts the lower level at what the
    bounds of the cell allow. ``zero_value`` is what a sensitive cell of value 0 gets:
    the level of its rules, or the level of the zero rule above and nothing below.
    ``manual_margin`` is the level, in percent of the value, of cells that came as
    sensitive without one. ``signs`` overrides what rules do with negative
    contributions. ``dominance`` can repeat the formula printed by Kim.

    >>> Profile(name="ours", closed=("dominance",)).closed
    ('dominance',)
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str
    closed: tuple[str, ...] = ()
    order: tuple[tuple[str, ...], ...] = ()
    floor: Literal["sliding", "both_sides"] = "sliding"
    cap_lower: bool = True
    zero_value: Literal["rules", "range_above"] = "rules"
    manual_margin: float | None = None
    signs: Literal["as_given", "refuse", "absolute"] = "as_given"
    dominance: Literal["exact", "kim"] = "exact"

    def __init__(self, **fields: Any) -> None:  # noqa: ANN401 - pydantic checks
        try:
            super().__init__(**fields)
        except ValidationError as error:
            kind = type(self)
            message = teach(kind.__name__, kind.model_fields, error)
            raise RuleError(message) from None

    @field_validator("closed")
    @classmethod
    def _kinds_exist(cls, closed: tuple[str, ...]) -> tuple[str, ...]:
        for kind in closed:
            if kind not in kinds():
                message = f"There is no rule of kind '{kind}'. {suggest(kind, kinds())}"
                raise ValueError(message)
        return closed

    def adapt(self, rule: Rule) -> Rule:
        """Give the rule the conventions of this profile.

        >>> from tacit.rules import Dominance
        >>> half = [50, 30, 20]
        >>> Dominance(n=1, k=50).unsafe(half)
        False
        >>> find_profile("gauss").adapt(Dominance(n=1, k=50)).unsafe(half)
        True
        """
        if isinstance(rule, RuleSet):
            parts = tuple(self.adapt(part) for part in rule.rules)
            return rule.model_copy(update={"rules": parts})
        changes: dict[str, object] = {}
        if rule.kind in self.closed:
            changes["closed"] = True
        if self.signs != "as_given" and "negatives" in type(rule).model_fields:
            changes["negatives"] = _SIGNS[self.signs]
        if self.dominance == "kim" and rule.kind == "dominance":
            changes["first_sum"] = "all"
        return rule.model_copy(update=changes) if changes else rule

    def rank(self, kind: str) -> int:
        """Place of a kind in the order of the checks."""
        places = {k: place for place, group in enumerate(self.order) for k in group}
        return places.get(kind, 0)


_SIGNS = {"refuse": None, "absolute": "absolute"}


@cache
def profiles() -> Mapping[str, Profile]:
    """Give every profile by its name.

    >>> sorted(profiles())
    ['gauss', 'kim_table3', 'sdctable', 'tacit', 'tauargus']
    """
    threshold, order = "min_frequency", (_CONCENTRATION, ("request",))
    found = (
        Profile(name="tacit"),
        Profile(
            name="tauargus",
            order=(*order, (threshold,), ("zero",)),
            floor="both_sides",
            cap_lower=False,
            zero_value="range_above",
            manual_margin=20,
        ),
        Profile(name="sdctable", closed=(threshold,), signs="refuse"),
        Profile(name="gauss", closed=("dominance", threshold), signs="absolute"),
        Profile(name="kim_table3", dominance="kim"),
    )
    return MappingProxyType({profile.name: profile for profile in found})


def find_profile(given: str | Profile | None) -> Profile:
    """Find a profile by its name; one that is given stays what it is.

    >>> find_profile("tau_argus")
    Traceback (most recent call last):
    tacit.errors.RuleError: There is no profile 'tau_argus'. Did you mean 'tauargus'?
    """
    if given is None:
        return profiles()["tacit"]
    if isinstance(given, Profile):
        return given
    if not isinstance(given, str):
        message = (
            f"profile= takes the name of a profile or a Profile, not a "
            f"{type(given).__name__}. {suggest('', profiles())}"
        )
        raise RuleError(message)
    if given not in profiles():
        message = f"There is no profile '{given}'. {suggest(given, profiles())}"
        raise RuleError(message)
    return profiles()[given]
