# SPDX-License-Identifier: Apache-2.0
"""Bad parameters are refused in words that help, and that repeat no value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from tacit.errors import RuleError
from tacit.rules import (
    PQ,
    AllOf,
    AnyOf,
    AnyRule,
    Dispersion,
    Dominance,
    FractionWarning,
    GroupDisclosure,
    LinearRule,
    MinFrequency,
    PPercent,
    RequestRule,
    Rule,
    Statisticon,
    Verdict,
    ZeroRule,
    kinds,
    parse_rule,
    register,
)

BAD: list[tuple[type[Rule], dict[str, Any], str]] = [
    (PPercent, {"p": "ten"}, "PPercent: 'p' must be a number, not text."),
    (PPercent, {"p": "10"}, "'p' must be a number, not text"),
    (PPercent, {"p": True}, "'p' must be a number, not true or false"),
    (PPercent, {"p": None}, "'p' must be a number, not nothing"),
    (PPercent, {"p": 0}, "'p' is a percentage and must lie above 0"),
    (PPercent, {"p": -3}, "'p' is a percentage and must lie above 0"),
    (PPercent, {"p": 150}, "say so with over_100=True"),
    (PPercent, {"p": float("nan")}, "above 0"),
    (PPercent, {"pecent": 10}, "no parameter 'pecent'. Did you mean 'p'?"),
    (PPercent, {"p": 10, "coaltion": 2}, "Did you mean 'coalition'?"),
    (PPercent, {}, "'p' is missing"),
    (PPercent, {"p": 10, "coalition": 0}, "'coalition' must be at least 1"),
    (PPercent, {"p": 10, "coalition": 1.5}, "'coalition' must be a whole number"),
    (PPercent, {"p": 10, "negatives": "abs"}, "'negatives' must be one of 'absolute'"),
    (PPercent, {"p": 10, "factor": 2}, "'factor' belongs to"),
    (PPercent, {"p": 10, "negatives": "relaxed", "factor": 1}, "must be above 1"),
    (PPercent, {"p": 10, "closed": "yes"}, "'closed' must be true or false, not text"),
    (PQ, {"p": 20, "q": 10}, "'p' must be below 'q'"),
    (PQ, {"p": 20, "q": 20}, "'p' must be below 'q'"),
    (PQ, {"p": 20, "q": 101}, "'q' is a percentage and must lie above 0 and at most"),
    (
        Dominance,
        {"n": 2, "k": 100},
        "'k' is a percentage and must lie above 0 and below",
    ),
    (Dominance, {"n": 2, "k": 0}, "'k' is a percentage"),
    (Dominance, {"n": 0, "k": 80}, "'n' must be at least 1"),
    (Dominance, {"n": 1}, "'k' is missing"),
    (MinFrequency, {"n": 0}, "'n' must be at least 1"),
    (MinFrequency, {"n": 2.5}, "'n' must be a whole number"),
    (MinFrequency, {"n": 3, "margin": -1}, "'margin' must be at least 0"),
    (LinearRule, {"weights": [1]}, "'weights' needs at least two numbers"),
    (LinearRule, {"weights": [0, -1]}, "one of them above 0"),
    (LinearRule, {"weights": 3}, "'weights' must be a list"),
    (Statisticon, {"s": 0}, "'s' is a percentage"),
    (Statisticon, {"s": 20, "negatives": "relaxed"}, "'absolute' or 'shift' only"),
    (Dispersion, {"c": 5}, "'c' is a ratio"),
    (Dispersion, {"h": 0}, "'h', the number"),
    (Dispersion, {"margin": -1}, "'margin' is a percentage"),
    (GroupDisclosure, {"not_all": False}, "Nothing is asked"),
    (GroupDisclosure, {"categories": ["a"]}, "'categories' needs 'dimension'"),
    (GroupDisclosure, {"p": 101}, "'p' is a percentage"),
    (RequestRule, {"percent_1": 0}, "'percent_1' is a percentage"),
    (ZeroRule, {"range": -1}, "'range' must be at least 0"),
    (AnyOf, {"rules": []}, "'rules' is empty"),
    (AnyOf, {"rules": [ZeroRule()], "closed": True}, "'closed' belongs to each"),
    (AllOf, {"rules": [3]}, "A rule is a table with a 'kind'"),
    (AnyOf, {"rules": [{"kind": "p_prcent"}]}, "Did you mean 'p_percent'?"),
]


@pytest.mark.parametrize(("rule", "given", "message"), BAD)
def test_bad_parameters(rule: type[Rule], given: dict[str, Any], message: str) -> None:
    with pytest.raises(RuleError) as caught:
        rule(**given)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "wrong", [{"p": 173}, {"p": -17.3}, {"p": 10, "coalition": -173}]
)
def test_messages_do_not_repeat_the_parameters(wrong: dict[str, Any]) -> None:
    with pytest.raises(RuleError) as caught:
        PPercent(**wrong)
    assert "17" not in str(caught.value)


def test_parameters_have_names() -> None:
    with pytest.raises(RuleError, match=r"Dominance\(n=\.\.\., k=\.\.\.\)"):
        Dominance(2, 85)  # type: ignore[call-arg,misc]


def test_a_share_where_a_percentage_is_meant_gives_a_warning() -> None:
    with pytest.warns(FractionWarning, match="multiply it by 100"):
        PPercent(p=0.1)
    with pytest.warns(FractionWarning):
        Dominance(n=1, k=0.75)


def test_p_above_100_with_consent() -> None:
    assert PPercent(p=150, over_100=True).sensitivity([10, 5]) == 15


def test_rules_do_not_show_their_parameters() -> None:
    for rule in (PPercent(p=17), PPercent(p=17) | MinFrequency(n=19)):
        assert "17" not in repr(rule) + str(rule)
        assert "19" not in repr(rule) + str(rule)


def test_rules_are_frozen_and_compare_by_content() -> None:
    rule = PPercent(p=10)
    with pytest.raises(ValidationError, match="frozen"):
        rule.p = 5  # type: ignore[misc]
    assert rule == PPercent(p=10.0)
    assert hash(rule) == hash(PPercent(p=10))


class Job(BaseModel):
    rule: tuple[AnyRule, ...]


def test_a_job_holds_any_rule_and_gives_it_back() -> None:
    given: list[Any] = [
        {"kind": "p_percent", "p": 10},
        {"kind": "any_of", "rules": [{"kind": "min_frequency", "n": 3}, PPercent(p=5)]},
        {"kind": "linear", "weights": [1, 0, -1]},
        {"kind": "dispersion", "one_signed": {"kind": "dominance", "n": 2, "k": 80}},
        {"kind": "group_disclosure", "dimension": "x", "categories": ["a"]},
    ]
    job = Job(rule=given)  # type: ignore[arg-type]
    assert job.rule[0] == PPercent(p=10)
    assert Job.model_validate_json(job.model_dump_json()) == job


def test_a_job_names_every_bad_rule_with_its_place() -> None:
    with pytest.raises(ValidationError) as caught:
        Job(rule=[{"kind": "p_percent", "p": 0}, {"kind": "pp"}, {"p": 3}])  # type: ignore[list-item]
    problems = caught.value.errors()
    assert [problem["loc"] for problem in problems] == [("rule", i) for i in range(3)]
    assert "must lie above 0" in problems[0]["msg"]
    assert "no rule of kind 'pp'" in problems[1]["msg"]
    assert "has no 'kind'" in problems[2]["msg"]


def test_the_schema_of_a_job_names_every_kind() -> None:
    schema = json.dumps(Job.model_json_schema())
    assert all(f'"const": "{kind}"' in schema for kind in kinds())
    assert '"title": "Dominance"' in schema


def test_one_kind_is_one_rule() -> None:
    with pytest.raises(RuleError, match="already belongs to the rule PPercent"):

        @register
        class Other(PPercent):
            """Another rule that takes the name."""


def test_joined_rules_are_flat_and_keep_their_labels() -> None:
    rule = PPercent(p=10) | MinFrequency(n=3) | PPercent(p=20)
    assert isinstance(rule, AnyOf)
    assert [leaf.label for leaf in rule.leaves] == [
        "p_percent",
        "min_frequency",
        "p_percent",
    ]
    assert rule.largest_needed == 2
    assert (rule & Dominance(n=3, k=80)).largest_needed == 3
    assert parse_rule(rule.model_dump()) == rule


def test_joined_rules_judge_tables(table_of: Any) -> None:
    table = table_of([[90, 5, 4, 1], [5, 5], [10, 9, 8, 7]])
    any_of = PPercent(p=10) | MinFrequency(n=3, margin=50) | PPercent(p=20)
    judgement = any_of.judge(table)
    assert judgement.verdict.unsafe.tolist() == [False, True, True, False]
    assert list(judgement.fired) == ["p_percent", "min_frequency", "p_percent_2"]
    assert judgement.fired["min_frequency"].tolist() == [False, False, True, False]
    assert judgement.verdict.upper.tolist() == [0, 13, 5, 0]
    all_of = PPercent(p=20) & MinFrequency(n=3, margin=50)
    verdict = all_of.evaluate(table)
    assert verdict.unsafe.tolist() == [False, False, True, False]
    assert verdict.upper.tolist() == [0, 0, 5, 0]
    assert isinstance(verdict, Verdict)
