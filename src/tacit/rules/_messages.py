# SPDX-License-Identifier: Apache-2.0
"""Words for rules that do not make sense, and the warnings rules can give.

The parameters of a rule are confidential, so no text here repeats a value.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from tacit.errors import suggest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import ValidationError

__all__ = [
    "FractionWarning",
    "RuleWarning",
    "ShiftWarning",
    "SubadditivityWarning",
    "check_at_least",
    "check_percentage",
    "teach",
]


class RuleWarning(UserWarning):
    """A rule that can be used, but perhaps should not be."""


class FractionWarning(RuleWarning):
    """A percentage below 1: probably a share was meant."""


class ShiftWarning(RuleWarning):
    """Adding a constant to all contributions hides dominance."""


class SubadditivityWarning(RuleWarning):
    """Weights that increase: two safe cells may add up to an unsafe one."""


_TYPES = {
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be text",
    "tuple_type": "must be a list",
    "is_instance_of": "must be a list",
    "sequence_str": "must be a list",
}


def check_percentage(
    name: str, value: float, *, top: float | None, inclusive: bool = False
) -> float:
    """Accept a percentage above 0 and below ``top``; warn where a share is likely.

    >>> check_percentage("k", 85, top=100)
    85
    >>> check_percentage("k", 100, top=100)
    Traceback (most recent call last):
    ValueError: 'k' is a percentage and must lie above 0 and below 100.
    """
    too_high = top is not None and (value > top if inclusive else value >= top)
    if not value > 0 or too_high:
        limit = "" if top is None else f" and {'at most' if inclusive else 'below'} "
        end = "" if top is None else f"{top:g}"
        message = f"'{name}' is a percentage and must lie above 0{limit}{end}."
        raise ValueError(message)
    if value < 1:
        warnings.warn(
            f"'{name}' is a percentage and lies below 1. If a share was meant, "
            "multiply it by 100.",
            FractionWarning,
            stacklevel=2,
        )
    return value


def check_at_least(name: str, value: float, least: float) -> float:
    """Accept a number that is not below ``least``.

    >>> check_at_least("n", 3, 1)
    3
    """
    if value < least:
        message = f"'{name}' must be at least {least:g}."
        raise ValueError(message)
    return value


def teach(rule: str, fields: Iterable[str], error: ValidationError) -> str:
    """Put every problem of a rule's parameters in one message, without their values."""
    items = error.errors()
    lacking = [str(item["loc"][0]) for item in items if item["type"] == "missing"]
    unknown = [item for item in items if item["type"] == "extra_forbidden"]
    if len(lacking) == len(unknown) == 1:
        # One name too many and one too few: the user meant that one.
        items = [item for item in items if item["type"] != "missing"]
        names = lacking
    else:
        names = [name for name in fields if name != "kind"]
    problems = [_problem(names, item) for item in items]
    return f"{rule}: {' '.join(problems)}"


def _problem(names: list[str], item: Any) -> str:  # noqa: ANN401 - pydantic's record
    place = ".".join(str(part) for part in item["loc"])
    kind = item["type"]
    if kind == "missing":
        return f"'{place}' is missing; this rule cannot decide without it."
    if kind == "extra_forbidden":
        near = (
            f"Did you mean '{names[0]}'?" if len(names) == 1 else suggest(place, names)
        )
        return f"There is no parameter '{place}'. {near}"
    if kind == "value_error":
        return str(item["ctx"]["error"])
    if kind == "literal_error":
        return f"'{place}' must be one of {item['ctx']['expected']}."
    if kind in _TYPES:
        return f"'{place}' {_TYPES[kind]}, not {_kind_of(item['input'])}."
    return f"'{place}': {item['msg']}."


def _kind_of(value: object) -> str:
    words = {str: "text", bool: "true or false", type(None): "nothing", float: "this"}
    return words.get(type(value), f"a {type(value).__name__}")
