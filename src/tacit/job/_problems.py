# SPDX-License-Identifier: Apache-2.0
"""Say every problem of a job: where it stands, what is wrong, what would be right."""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, Annotated, TypeGuard, Union, get_args, get_origin

from pydantic import BaseModel

from tacit.errors import suggest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from tacit.job._toml import Lines

__all__ = ["Place", "said", "translate"]

Place = tuple[str | int, ...]

_KINDS = {
    "bool_type": "true or false",
    "dict_type": "a table of keys",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "list_type": "a list",
    "model_type": "a table of keys",
    "model_attributes_type": "a table of keys",
    "string_type": "text",
    "tuple_type": "a list",
}
_GIVEN = {
    "bool": "true or false",
    "dict": "a table of keys",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "str": "text",
}


def translate(
    error: ValidationError, document: object, model: type[BaseModel]
) -> list[tuple[Place, str]]:
    """Turn what pydantic found into places and words."""
    return [
        (_place(detail, document), _words(detail, model))
        for detail in error.errors(include_url=False)
    ]


def said(place: Place, words: str, lines: Lines) -> str:
    """Put line, dotted path and words together.

    >>> said(("rule", 0, "pp"), "unknown key.", {("rule", 0): 7})
    'line 7: rule[0].pp: unknown key.'
    """
    path = "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in place
    ).lstrip(".")
    near = [lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in lines]
    where = f"line {near[0]}: " if near else ""
    return f"{where}{path}: {words}" if path else f"{where}{words}"


def _place(detail: ErrorDetails, document: object) -> Place:
    """Follow the document; drop what only the model's unions added on the way."""
    place: list[str | int] = []
    here = document
    last = len(detail["loc"]) - 1
    for number, part in enumerate(detail["loc"]):
        if isinstance(here, dict) and part in here:
            here = here[part]
        elif isinstance(here, (list, tuple)) and isinstance(part, int):
            here = here[part] if part < len(here) else None
        elif not (number == last and detail["type"] == "missing"):
            continue
        place.append(part)
    return tuple(place)


def _words(detail: ErrorDetails, model: type[BaseModel]) -> str:
    kind = detail["type"]
    if kind == "extra_forbidden":
        key = str(detail["loc"][-1])
        return f"unknown key. {suggest(key, _valid_keys(detail['loc'][:-1], model))}"
    if kind == "missing":
        return _missing(detail["loc"], model)
    if kind in _KINDS:
        given = _GIVEN.get(type(detail["input"]).__name__, "something else")
        return f"must be {_KINDS[kind]}, not {given}."
    if kind in ("literal_error", "union_tag_invalid", "enum"):
        return _choice(detail)
    if kind == "too_short":
        return "must not be empty."
    return _ended(detail["msg"].removeprefix("Value error, "))


def _ended(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


def _choice(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    listed = context.get("expected") or context.get("expected_tags") or ""
    valid = [word.strip("' ") for word in listed.replace(" or ", ", ").split(",")]
    given = detail["input"]
    if detail["type"] == "union_tag_invalid":
        given = context.get("tag", "")
    hint = suggest(str(given), valid)
    if "Did you mean" in hint and len(valid) > 1:
        hint += " " + suggest("", valid)
    if isinstance(given, str):
        return f"'{given}' is not known. {hint}"
    return f"not one of the known ones. {hint}"


def _missing(loc: Sequence[str | int], model: type[BaseModel]) -> str:
    for section in _models_at(loc[:-1], model):
        field = section.model_fields.get(str(loc[-1]))
        if field is not None and field.description:
            return _ended(f"is missing: {field.description}")
    return "is missing."


def _valid_keys(loc: Sequence[str | int], model: type[BaseModel]) -> list[str]:
    return [
        field.alias or name
        for section in _models_at(loc, model)
        for name, field in section.model_fields.items()
    ]


def _models_at(
    loc: Sequence[str | int], model: type[BaseModel]
) -> list[type[BaseModel]]:
    """Find the models that may stand at a place of the job."""
    here: list[object] = [model]
    for part in loc:
        below = [step for kind in here for step in _step(kind, part)]
        # A tag that a union put into the path: the models are already the right ones.
        here = below or here
    return [kind for item in here for kind in _models_in(item)]


def _step(kind: object, part: str | int) -> Iterator[object]:
    for item in _unwrap(kind):
        if isinstance(part, str) and _is_model(item):
            for name, field in item.model_fields.items():
                if part == (field.alias or name):
                    yield field.annotation
        elif get_origin(item) is dict and isinstance(part, str):
            yield get_args(item)[1]
        elif get_origin(item) in (tuple, list) and isinstance(part, int):
            yield get_args(item)[0]


def _models_in(kind: object) -> Iterator[type[BaseModel]]:
    return (item for item in _unwrap(kind) if _is_model(item))


def _unwrap(kind: object) -> Iterator[object]:
    if get_origin(kind) is Annotated:
        yield from _unwrap(get_args(kind)[0])
    elif get_origin(kind) in (Union, UnionType):
        for item in get_args(kind):
            yield from _unwrap(item)
    else:
        yield kind


def _is_model(kind: object) -> TypeGuard[type[BaseModel]]:
    return (
        isinstance(kind, type)
        and get_origin(kind) is None
        and issubclass(kind, BaseModel)
    )
