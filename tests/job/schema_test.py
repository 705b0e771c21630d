# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema takes what a job takes, and refuses what it refuses."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tacit.job import Job

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
SAID = {"title", "description", "default", "$schema", "$defs"}
SCHEMA = Job.schema()


def holds(value: Any, schema: Any) -> bool:
    """Check a value against the part of JSON Schema that is used, word for word."""
    if isinstance(schema, bool):
        return schema
    return all(holds_word(value, word, schema) for word in schema if word not in SAID)


def holds_word(value: Any, word: str, schema: dict[str, Any]) -> bool:  # noqa: C901, PLR0911, PLR0912
    asked = schema[word]
    if word == "$ref":
        return holds(value, SCHEMA["$defs"][asked.removeprefix("#/$defs/")])
    if word == "anyOf":
        return any(holds(value, one) for one in asked)
    if word == "oneOf":
        return sum(holds(value, one) for one in asked) == 1
    if word == "const":
        return bool(value == asked)
    if word == "enum":
        return value in asked
    if word == "type":
        right = isinstance(value, TYPES[asked])
        return right and (asked == "boolean" or not isinstance(value, bool))
    if word == "required":
        return not isinstance(value, dict) or set(asked) <= set(value)
    if isinstance(value, dict):
        if word == "properties":
            return all(holds(value[k], asked[k]) for k in set(asked) & set(value))
        if word == "additionalProperties":
            rest = set(value) - set(schema.get("properties", {}))
            return all(holds(value[key], asked) for key in rest)
        if word == "minProperties":
            return len(value) >= asked
    if isinstance(value, list):
        if word == "items":
            return all(holds(one, asked) for one in value)
        if word == "prefixItems":
            return all(map(holds, value, asked))
        if word in ("minItems", "maxItems"):
            return len(value) >= asked if word == "minItems" else len(value) <= asked
    if isinstance(value, str):
        if word == "pattern":
            return re.search(asked, value) is not None
        if word in ("minLength", "maxLength"):
            return len(value) >= asked if word == "minLength" else len(value) <= asked
    if isinstance(value, int | float):
        limits = {
            "minimum": value.__ge__, "maximum": value.__le__,
            "exclusiveMinimum": value.__gt__,
        }  # fmt: skip
        if word in limits:
            return limits[word](asked) is True
    known = "items prefixItems properties additionalProperties minimum maximum pattern"
    known += " minItems maxItems minProperties minLength maxLength exclusiveMinimum"
    assert word in known.split(), f"nobody checks '{word}'"
    return True  # about another type of value


JOB = """
version = 1
[data]
source = "firms.csv"
[dimensions.region]
hierarchy = {digits = [1, 1]}
[measure]
value = "turnover"
decimals = 2
[[rule]]
kind = "p_percent"
p = 12.5
[[rule]]
kind = "all_of"
rules = [{kind = "dominance", n = 2, k = 80}, {kind = "min_frequency", n = 3}]
[protect]
method = "suppress"
attackers = [{bounds = [0.5, 1.5]}, {insiders = "singletons"}]
[output]
public = ["csv"]
"""


@pytest.mark.parametrize(
    "path", sorted(EXAMPLES.glob("*/*.toml")), ids=lambda path: path.stem
)
def test_the_examples_fit(path: Path) -> None:
    assert holds(tomllib.loads(path.read_text(encoding="utf-8")), SCHEMA)


def test_a_job_with_a_bit_of_everything_fits() -> None:
    assert holds(tomllib.loads(JOB), SCHEMA)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("version = 1", "version = 2"),
        ("version = 1", ""),
        ("version = 1", "version = 1\nrules = 3"),
        ('source = "firms.csv"', ""),
        ('source = "firms.csv"', "source = 3"),
        ("{digits = [1, 1]}", "{digit = [1, 1]}"),
        ("decimals = 2", 'decimals = "2"'),
        ("decimals = 2", "decimals = -1"),
        ('"p_percent"', '"p_procent"'),
        ("p = 12.5", "pp = 12.5"),
        ("p = 12.5", 'p = "ten"'),
        ('kind = "p_percent"\n', ""),
        ('kind = "dominance", n = 2', "n = 2"),
        ('kind = "p_percent"\np = 12.5', "s = 25"),
        ('{kind = "min_frequency", n = 3}', "{}"),
        ('"suppress"', '"supress"'),
        ("bounds = [0.5, 1.5]", "bound = [0.5, 1.5]"),
        ("bounds = [0.5, 1.5]", "bounds = [0.5]"),
        ('insiders = "singletons"', 'insiders = "all"'),
        ('["csv"]', '"csv"'),
    ],
)
def test_what_a_job_refuses_does_not_fit(right: str, wrong: str) -> None:
    assert JOB.count(right) == 1
    document = tomllib.loads(JOB.replace(right, wrong))
    assert not holds(document, SCHEMA)
