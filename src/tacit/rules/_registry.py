# SPDX-License-Identifier: Apache-2.0
"""The rules that a job file can name by their kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

from pydantic_core import core_schema

from tacit.errors import RuleError, suggest

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue

    from tacit.rules._base import Rule

__all__ = ["AnyRule", "kinds", "parse_rule", "register"]

_KINDS: dict[str, type[Rule]] = {}
R = TypeVar("R", bound="Rule")


def register(rule: type[R]) -> type[R]:
    """Let job files name this rule by its ``kind``.

    >>> from tacit.rules import PPercent
    >>> register(PPercent) is PPercent
    True
    """
    kind = str(rule.model_fields["kind"].default)
    holder = _KINDS.setdefault(kind, rule)
    if (holder.__module__, holder.__qualname__) != (rule.__module__, rule.__qualname__):
        message = (
            f"The kind '{kind}' already belongs to the rule {holder.__name__}. "
            f"Give {rule.__name__} a kind of its own; one name cannot mean two rules."
        )
        raise RuleError(message)
    _KINDS[kind] = rule
    return rule


def kinds() -> tuple[str, ...]:
    """Name every kind that is registered.

    >>> "p_percent" in kinds()
    True
    """
    return tuple(sorted(_KINDS))


def parse_rule(given: object) -> Rule:
    """Turn one entry of a job file into its rule; a rule stays what it is.

    >>> parse_rule({"kind": "p_percent", "p": 10}).unsafe([81, 5, 2, 2, 2])
    True
    >>> parse_rule({"kind": "zer0", "range": 10})
    Traceback (most recent call last):
    tacit.errors.RuleError: There is no rule of kind 'zer0'. Did you mean 'zero'?
    """
    from tacit.rules._base import Rule  # noqa: PLC0415 - rules build on this module

    if isinstance(given, Rule):
        return given
    if not isinstance(given, Mapping):
        message = "A rule is a table with a 'kind' and that rule's parameters."
        raise RuleError(message)
    parameters = dict(given)
    kind = parameters.get("kind")
    if kind is None:
        message = f"A rule has no 'kind'. {suggest('', kinds(), limit=20)}"
        raise RuleError(message)
    if not isinstance(kind, str) or kind not in _KINDS:
        message = f"There is no rule of kind '{kind}'. {suggest(str(kind), kinds())}"
        raise RuleError(message)
    return _KINDS[kind](**parameters)


class _RuleField:
    """Tell pydantic how a field holds any registered rule."""

    nested = False

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        del source, handler
        return core_schema.no_info_plain_validator_function(
            parse_rule,
            serialization=core_schema.plain_serializer_function_ser_schema(_dump),
        )

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        del schema
        # Some rules hold rules again; inside one, further ones of these are only named.
        outer, _RuleField.nested = _RuleField.nested, True
        try:
            choices = [
                {"type": "object", "properties": {"kind": {"const": kind}}}
                if outer and _holds_rules(rule)
                else handler(rule.__pydantic_core_schema__)
                for kind, rule in sorted(_KINDS.items())
            ]
        finally:
            _RuleField.nested = outer
        for choice in choices:  # in a file, only its kind says which rule it is
            choice["required"] = ["kind", *choice.get("required", [])]
        return {"oneOf": choices}


def _holds_rules(rule: type[Rule]) -> bool:
    annotations = (field.annotation for field in rule.model_fields.values())
    return any(_RuleField.__name__ in str(annotation) for annotation in annotations)


def _dump(rule: Rule) -> dict[str, Any]:
    return rule.model_dump(exclude_none=True)


if TYPE_CHECKING:
    AnyRule: TypeAlias = Rule
else:
    AnyRule = Annotated[Any, _RuleField()]
