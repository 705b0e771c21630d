# SPDX-License-Identifier: Apache-2.0
"""What assess, presets and profiles refuse, and what they say then."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tacit
from tacit import Hierarchy, Preset, Profile, assess
from tacit.errors import InputError, JobError, RuleError, TacitError
from tacit.rules import Dominance, MinFrequency, PPercent
from tacit.table import Cells, Dimension, Evidence, Levels, State, Table

if TYPE_CHECKING:
    from pathlib import Path


def made(values: tuple[int, ...] = (10, 7, 3), *, top: int = 2) -> Table:
    """Make a table of a total and two parts, each of two contributors."""
    value = np.array(values, dtype=np.int64)
    codes = np.arange(3, dtype=np.int32)[None, :]
    cells = Cells(codes, value, 0, np.zeros(3, dtype=np.uint8))
    largest = np.array([[6, 2, 1], [6, 1, 0], [2, 1, 0]])[:, :top]
    evidence = Evidence(np.array([4, 2, 2]), np.array([10, 7, 3]), largest)
    region = Dimension.of("region", Hierarchy.flat(["a", "b"], total="all"))
    return Table((region,), cells, evidence=evidence)


def given_sensitive(**more: Any) -> Table:
    table = made()
    state = np.array([0, State.SENSITIVE, 0], dtype=np.uint8)
    return replace(table, cells=replace(table.cells, state=state), **more)


P10 = PPercent(p=10)
LOCKED = Preset(name="business", rule=P10 | MinFrequency(n=3), profile="tauargus")

CASES: dict[str, tuple[Any, type[TacitError], str]] = {
    "a frame instead of a table": (
        lambda: assess({"region": ["a"]}, P10),  # type: ignore[arg-type]
        InputError,
        "assess takes a Table, not a dict. Make one with tacit.tabulate",
    ),
    "a dict instead of a rule": (
        lambda: assess(made(), {"kind": "p_percent", "p": 10}),  # type: ignore[arg-type]
        RuleError,
        "A rule must be a rule object, not a dict. For instance tacit.PPercent(p=10)",
    ),
    "a string instead of a rule": (
        lambda: assess(made(), "p_percent"),  # type: ignore[arg-type]
        RuleError,
        "A rule must be a rule object, not a str.",
    ),
    "a class instead of a rule": (
        lambda: assess(made(), PPercent),  # type: ignore[arg-type]
        RuleError,
        "A rule must be a rule object, not a",
    ),
    "a list of rules": (
        lambda: assess(made(), [P10]),  # type: ignore[arg-type]
        RuleError,
        "A rule must be a rule object, not a list.",
    ),
    "a typo in the profile": (
        lambda: assess(made(), P10, profile="tau_argus"),
        RuleError,
        "There is no profile 'tau_argus'. Did you mean 'tauargus'?",
    ),
    "a profile that is a dict": (
        lambda: assess(made(), P10, profile={"name": "gauss"}),  # type: ignore[arg-type]
        RuleError,
        "profile= takes the name of a profile or a Profile, not a dict.",
    ),
    "no evidence": (
        lambda: assess(replace(made(), evidence=None), P10),
        RuleError,
        (
            "The rule 'p_percent' needs the contributors of each cell, and this table "
            "does not hold them. Tabulate it from microdata"
        ),
    ),
    "records without a rule": (
        lambda: assess(
            tacit.tabulate({"r": ["a"], "v": [1]}, by={"r": "all"}, value="v")
        ),
        RuleError,
        (
            "No rule was given, and a table made of records comes without states: "
            "nothing would be sensitive, and everything would be published."
        ),
    ),
    "more contributions than are held": (
        lambda: assess(made(), Dominance(n=3, k=80)),
        RuleError,
        (
            "The rule dominance asks for the 3 largest contributions of a cell, and "
            "this table holds 2. Tabulate it with tabulate(..., top=3)"
        ),
    ),
    "more contributions than are held, in one of several rules": (
        lambda: assess(made(top=1), P10 | Dominance(n=3, k=80) | MinFrequency(n=3)),
        RuleError,
        "The rule dominance and p_percent asks for the 3 largest contributions",
    ),
    "negative values without a policy": (
        lambda: assess(made((-10, -7, -3)), P10),
        RuleError,
        (
            "contributions are negative, and shares of a total say nothing when they "
            "are. Choose a policy with negatives="
        ),
    ),
    "negative values in a profile that refuses them": (
        lambda: assess(
            made((-10, -7, -3)),
            PPercent(p=10, negatives="absolute"),
            profile="sdctable",
        ),
        RuleError,
        "contributions are negative",
    ),
    "sensitive without levels": (
        lambda: assess(given_sensitive()),
        InputError,
        (
            "1 cell came as sensitive without protection levels, the first at "
            "region = a. How closely they may be estimated is then unknown."
        ),
    ),
    "sensitive with one level only": (
        lambda: assess(
            given_sensitive(
                levels=Levels(np.full(3, np.nan), np.full(3, 1.0), np.zeros(3))
            )
        ),
        InputError,
        (
            "or give margin= as a percentage of the value, for instance assess(table, "
            "margin=15)."
        ),
    ),
    "a negative margin": (
        lambda: assess(given_sensitive(), margin=-1),
        InputError,
        "margin= must be a percentage of the value, 0 or more",
    ),
    "a margin that is text": (
        lambda: assess(given_sensitive(), margin="15"),  # type: ignore[arg-type]
        InputError,
        "margin= must be a percentage of the value, 0 or more",
    ),
    "a margin that is no number": (
        lambda: assess(given_sensitive(), margin=float("nan")),
        InputError,
        "margin= must be a percentage of the value, 0 or more",
    ),
    "an exempted dimension that does not exist": (
        lambda: assess(made(), P10, exempt={"regio": ["a"]}),
        InputError,
        "exempt= names no dimension 'regio'. Did you mean 'region'?",
    ),
    "an exempted code that does not exist": (
        lambda: assess(made(), P10, exempt={"region": ["A"]}),
        InputError,
        "Dimension 'region' has no code 'A'.",
    ),
    "exempted codes without a dimension": (
        lambda: assess(made(), P10, exempt=["a"]),  # type: ignore[arg-type]
        InputError,
        "exempt= takes a dict of dimension and codes",
    ),
    "an unknown word for zero cells": (
        lambda: assess(made(), P10, zero_cells="unsafe"),  # type: ignore[arg-type]
        InputError,
        "zero_cells= takes 'empty' or 'sensitive', not 'unsafe'.",
    ),
    "rules beside a locked preset": (
        lambda: assess(made(), P10, preset=LOCKED),
        RuleError,
        (
            "The preset 'business' is locked, and rules were given beside it. One of "
            "the two would be ignored. Leave out the rules, or the preset."
        ),
    ),
    "another profile beside a locked preset": (
        lambda: assess(made(), preset=LOCKED, profile="gauss"),
        RuleError,
        "The preset 'business' is locked and comes with the profile 'tauargus'.",
    ),
    "codes exempted from a locked preset": (
        lambda: assess(made(), preset=LOCKED, exempt={"region": "a"}),
        RuleError,
        "The preset 'business' is locked: its rules judge every cell, so exempt=",
    ),
    "a preset without a name": (
        lambda: Preset(name=" ", rule=P10),
        RuleError,
        "'name' is empty; nobody could refer to the preset.",
    ),
    "a preset with a typo": (
        lambda: Preset(name="x", rule=P10, lock=True),  # type: ignore[call-arg]
        RuleError,
        "Preset: There is no parameter 'lock'. Did you mean 'locked'?",
    ),
    "a preset of no rule": (
        lambda: Preset(name="x", rule="p_percent"),  # type: ignore[arg-type]
        RuleError,
        "A rule is a table with a 'kind' and that rule's parameters.",
    ),
    "a preset that is a dict": (
        lambda: assess(made(), preset={"name": "x"}),  # type: ignore[arg-type]
        RuleError,
        "preset= takes a Preset or the path of its file, not a dict.",
    ),
    "no rules to compare": (
        lambda: tacit.compare_rules(made(), {}),
        RuleError,
        "compare_rules got no rules. Name at least one",
    ),
    "rules to compare without names": (
        lambda: tacit.compare_rules(made(), [P10]),  # type: ignore[arg-type]
        RuleError,
        "compare_rules takes a dict of name and rule, not a list",
    ),
    "nothing under a name": (
        lambda: tacit.compare_rules(made(), {"none": None}),  # type: ignore[dict-item]
        RuleError,
        "there is no rule under the name 'none'",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused_and_says_why(case: str) -> None:
    call, kind, message = CASES[case]
    with pytest.raises(kind, match=re.escape(message)):
        call()


@pytest.mark.parametrize("case", CASES)
def test_no_message_holds_a_value_or_a_parameter(case: str) -> None:
    call, kind, _ = CASES[case]
    with pytest.raises(kind) as caught:
        call()
    text = str(caught.value).replace("PPercent(p=10)", "")
    assert not re.search(r"\b(10|7|6|80)\b", text)


PRESETS = {
    "no name": (
        '[[rule]]\nkind = "min_frequency"\nn = 3',
        "'name' is missing or no text; nobody could refer to it.",
    ),
    "no rule": (
        'name = "x"',
        "there is no [[rule]], so nothing would ever be sensitive",
    ),
    "a typo in a key": (
        'name = "x"\nlokced = false\n[[rule]]\nkind = "min_frequency"\nn = 3',
        "there is no key 'lokced'. Did you mean 'locked'?",
    ),
    "a typo in a kind": (
        'name = "x"\n[[rule]]\nkind = "min_frequenzy"\nn = 3',
        (
            "rule 1: There is no rule of kind 'min_frequenzy'. "
            "Did you mean 'min_frequency'?"
        ),
    ),
    "a typo in the profile": (
        'name = "x"\nprofile = "argus"\n[[rule]]\nkind = "min_frequency"\nn = 3',
        "There is no profile 'argus'. Did you mean 'tauargus'?",
    ),
    "a lock that is text": (
        'name = "x"\nlocked = "yes"\n[[rule]]\nkind = "min_frequency"\nn = 3',
        "'locked' must be true or false.",
    ),
    "not TOML": ("name = x", "The preset file 'preset.toml' is not TOML in UTF-8"),
}


@pytest.mark.parametrize("case", PRESETS)
def test_a_preset_file_is_refused_and_says_why(case: str, tmp_path: Path) -> None:
    text, message = PRESETS[case]
    file = tmp_path / "preset.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(JobError, match=re.escape(message)):
        Preset.read(file)


def test_all_problems_of_a_preset_come_at_once(tmp_path: Path) -> None:
    file = tmp_path / "preset.toml"
    file.write_text('locked = 1\nprofile = "x"\n[[rule]]\nkind = "y"', encoding="utf-8")
    with pytest.raises(JobError) as caught:
        Preset.read(file)
    assert len(caught.value.problems) == 4


def test_a_preset_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(JobError, match=r"There is no preset file 'none\.toml'"):
        assess(made(), preset=tmp_path / "none.toml")


def test_a_profile_with_a_typo_is_refused() -> None:
    with pytest.raises(RuleError, match=r"There is no parameter 'close'\."):
        Profile(name="ours", close=("dominance",))  # type: ignore[call-arg]


def test_a_profile_that_names_no_rule_is_refused() -> None:
    with pytest.raises(RuleError, match=r"no rule of kind 'dominnance'\."):
        Profile(name="ours", closed=("dominnance",))
