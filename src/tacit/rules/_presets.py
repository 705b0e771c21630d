# SPDX-License-Identifier: Apache-2.0
"""The rules of an institute, named, kept in a file, and locked if it wants."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from tacit.errors import JobError, RuleError, suggest
from tacit.rules._base import AnyOf, Rule
from tacit.rules._messages import teach
from tacit.rules._profiles import find_profile
from tacit.rules._registry import AnyRule, parse_rule

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Preset", "find_preset"]

_KEYS = ("name", "locked", "profile", "rule")


class Preset(BaseModel):
    """Rules under one name, so that everybody in a house applies the same ones.

    A locked preset (the default) cannot be joined by or exchanged for other rules,
    nor judged under another profile: whoever tries gets an error. ``digest`` names
    the exact content, for the manifest of a job.

    >>> from tacit.rules import MinFrequency, PPercent
    >>> preset = Preset(name="business", rule=PPercent(p=10) | MinFrequency(n=3))
    >>> preset
    <Preset 'business', locked, parameters confidential>
    >>> len(preset.digest)
    64
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str
    rule: AnyRule
    locked: bool = True
    profile: str | None = None

    def __init__(self, **fields: Any) -> None:  # noqa: ANN401 - pydantic checks
        try:
            super().__init__(**fields)
        except ValidationError as error:
            kind = type(self)
            message = teach(kind.__name__, kind.model_fields, error)
            raise RuleError(message) from None

    @field_validator("name")
    @classmethod
    def _named(cls, name: str) -> str:
        if not name.strip():
            message = "'name' is empty; nobody could refer to the preset."
            raise ValueError(message)
        return name

    @field_validator("profile")
    @classmethod
    def _known(cls, profile: str | None) -> str | None:
        find_profile(profile)
        return profile

    @classmethod
    def read(cls, path: str | Path) -> Preset:
        """Read a preset from a TOML file.

        The file holds ``name``, and if wanted ``locked`` and ``profile``, and one
        ``[[rule]]`` for each rule; a cell is sensitive if any of them fires::

            name = "business"
            [[rule]]
            kind = "p_percent"
            p = 10
            [[rule]]
            kind = "min_frequency"
            n = 3

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "business.toml"
        >>> rule = ["[[rule]]", 'kind = "min_frequency"', "n = 3"]
        >>> text = ['name = "business"', *rule]
        >>> _ = file.write_text(chr(10).join(text), encoding="utf-8")
        >>> Preset.read(file).name
        'business'
        """
        file = Path(path)
        try:
            content = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            message = f"There is no preset file '{file.name}' in '{file.parent}'."
            raise JobError(message) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            message = f"The preset file '{file.name}' is not TOML in UTF-8: {error}."
            raise JobError(message) from None
        return cls.parse(content, origin=file.name)

    @classmethod
    def parse(cls, content: Mapping[str, Any], *, origin: str = "preset") -> Preset:
        """Take a preset from a mapping, and report every problem of it at once.

        >>> Preset.parse({"name": "x", "rule": [{"kind": "min_freq", "n": 3}]})
        Traceback (most recent call last):
        tacit.errors.JobError: The preset 'preset' cannot be used:
          - rule 1: There is no rule of kind 'min_freq'. Did you mean 'min_frequency'?
        """
        problems = [
            f"there is no key '{key}'. {suggest(key, _KEYS)}"
            for key in content
            if key not in _KEYS
        ]
        problems += _wrong_types(content)
        rules = _rules(content.get("rule"), problems)
        try:
            find_profile(content.get("profile"))
        except RuleError as error:
            problems.append(str(error))
        if problems or not rules:
            message = f"The preset '{origin}' cannot be used:"
            raise JobError(message, problems)
        rule = rules[0] if len(rules) == 1 else AnyOf(rules=tuple(rules))
        return cls(
            name=content["name"],
            rule=rule,
            locked=content.get("locked", True),
            profile=content.get("profile"),
        )

    @property
    def digest(self) -> str:
        """SHA-256 of what the preset says, however its file is laid out.

        It stands for the parameters, of which there are few: treat it as internal.
        """
        content = {
            "name": self.name,
            "locked": self.locked,
            "profile": self.profile,
            "rule": self.rule.model_dump(mode="json"),
        }
        text = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def __repr__(self) -> str:
        lock = "locked" if self.locked else "not locked"
        return f"<Preset '{self.name}', {lock}, parameters confidential>"

    def __str__(self) -> str:
        return self.name


def find_preset(given: Preset | str | Path | None) -> Preset | None:
    """Take a preset as it is, or read it from the file that is named."""
    if given is None or isinstance(given, Preset):
        return given
    if isinstance(given, str | Path):
        return Preset.read(given)
    message = (
        f"preset= takes a Preset or the path of its file, not a {type(given).__name__}."
    )
    raise RuleError(message)


def _wrong_types(content: Mapping[str, Any]) -> list[str]:
    problems = []
    name = content.get("name")
    if not isinstance(name, str) or not name.strip():
        problems.append("'name' is missing or no text; nobody could refer to it.")
    if not isinstance(content.get("locked", True), bool):
        problems.append("'locked' must be true or false.")
    return problems


def _rules(given: object, problems: list[str]) -> list[Rule]:
    entries = given if isinstance(given, list) else [given]
    if given is None or not entries:
        problems.append("there is no [[rule]], so nothing would ever be sensitive.")
        return []
    rules = []
    for number, entry in enumerate(entries, start=1):
        try:
            rules.append(parse_rule(entry))
        except RuleError as error:
            problems.append(f"rule {number}: {error}")
    return rules
