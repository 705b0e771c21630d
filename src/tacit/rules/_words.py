# SPDX-License-Identifier: Apache-2.0
"""Rules in words, with their parameters. Confidential."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.rules._base import Rule

__all__ = ["rule_in_words", "rules_in_words"]


def rules_in_words(rule: Rule | None) -> dict[str, str]:
    """Say each basic rule in a sentence, by the label that reasons carry.

    >>> from tacit.rules import MinFrequency, PPercent
    >>> rules_in_words(PPercent(p=10) | MinFrequency(n=3))["min_frequency"]
    'Unsafe if a cell is not empty and has fewer than n contributors (n = 3).'
    """
    leaves = () if rule is None else rule.leaves
    found: dict[str, str] = {}
    for leaf in leaves:
        said = rule_in_words(leaf)
        before = found.get(leaf.label)
        found[leaf.label] = said if before is None else f"{before} {said}"
    return found


def rule_in_words(rule: Rule) -> str:
    """Say one rule: what it calls unsafe, and the parameters it was given."""
    first = (inspect.getdoc(type(rule)) or rule.kind).splitlines()[0].rstrip(".")
    given = ", ".join(
        f"{name} = {getattr(rule, name)}"
        for name, known in type(rule).model_fields.items()
        if name != "kind" and getattr(rule, name) != known.default
    )
    return f"{first} ({given})." if given else f"{first}."
