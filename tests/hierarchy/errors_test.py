# SPDX-License-Identifier: Apache-2.0
"""A code list that is not a tree is refused, and the code is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tacit import Hierarchy
from tacit.errors import HierarchyError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

build = Hierarchy.from_parents
flat = Hierarchy.flat
digits = Hierarchy.from_digits

CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "cycle": (
        lambda: build({"A": "B", "B": "C", "C": "A"}),
        r"cycle: A -> B -> C -> A\b",
    ),
    "cycle beside a tree": (
        lambda: build({"A": "B", "B": "A", "C": "T"}),
        r"cycle: A -> B -> A\b",
    ),
    "cycle of one": (lambda: build({"A": "A", "B": "T"}), r"cycle: A -> A\b"),
    "a long cycle is cut": (
        lambda: build({f"c{i}": f"c{(i + 1) % 50}" for i in range(50)}),
        r"c4 -> \.\.\. -> c46",
    ),
    "several totals": (
        lambda: build({"A1": "A", "B1": "B"}),
        r"Several codes have no parent: 'A', 'B'",
    ),
    "typo of a parent": (
        lambda: build({"A": "North", "B": "Nroth", "North": "T"}),
        r"'Nroth': Did you mean 'North'\?",
    ),
    "parent not reached": (
        lambda: build({"A": "T", "B": "X", "C": "Y"}, total="T"),
        r"Missing parent: 'X' \(the parent of 'B'\).*also|same holds for 'Y'",
    ),
    "another total": (
        lambda: build({"A": "Total"}, total="Totl"),
        r"total 'Totl'.*without a parent here is 'Total'",
    ),
    "total among the codes": (
        lambda: flat(["1", "T"], total="T"),
        r"total 'T' is also listed as a code below 'T'",
    ),
    "total with a parent": (
        lambda: build({"A": "T", "T": "World"}, total="T"),
        r"total 'T' is also listed as a code below 'World'",
    ),
    "code twice": (lambda: flat(["1", "2", "1"], total="T"), r"'1' occurs twice"),
    "empty code": (lambda: flat(["1", ""], total="T"), r"A code is empty"),
    "blank code": (lambda: flat(["1", "  "], total="T"), r"A code is empty"),
    "empty total": (lambda: flat(["1"], total=""), r"A total is empty"),
    "empty parent": (lambda: build({"A": ""}), r"parent of 'A' is empty"),
    "nothing": (lambda: build({}), r"hierarchy is empty"),
    "no codes": (lambda: flat([], total="T"), r"hierarchy is empty"),
    "int codes": (lambda: flat([1, 2], total="T"), r"01' would become 1"),  # type: ignore[list-item]
    "float codes": (lambda: flat([1.0], total="T"), r"'float'"),  # type: ignore[list-item]
    "numpy codes": (lambda: flat(np.arange(3), total="T"), r"Codes are text"),
    "NaN": (lambda: flat([float("nan")], total="T"), r"code is missing \(nan\)"),  # type: ignore[list-item]
    "None": (lambda: flat([None], total="T"), r"code is missing \(None\)"),  # type: ignore[list-item]
    "int total": (lambda: flat(["1"], total=0), r"the total 0 is of type 'int'"),  # type: ignore[arg-type]
    "int parent": (lambda: build({"A": 1}), r"the parent of 'A' 1 is of type"),  # type: ignore[dict-item]
    "one text": (lambda: flat("abc", total="T"), r"one text where a list"),
    "code too short": (
        lambda: digits(["011", "12"], (1, 2), total="T"),
        r"'12' has 2 characters.*add up to 3.*leading zero",
    ),
    "code too long": (
        lambda: digits(["011", "0123"], (1, 2), total="T"),
        r"'0123' has 4 characters",
    ),
    "no widths": (lambda: digits(["0"], (), total="T"), r"widths=\(\) must be"),
    "negative width": (lambda: digits(["0"], (2, -1), total="T"), r"widths=\(2, -1\)"),
    "digits equal to the total": (
        lambda: digits(["11"], (1, 1), total="1"),
        r"total '1' is also listed",
    ),
    "direct, out of order": (
        lambda: Hierarchy(("T", "A", "B", "A1"), np.array([-1, 0, 0, 1])),
        r"depth-first order: 'A1'",
    ),
    "direct, two roots": (
        lambda: Hierarchy(("T", "A"), np.array([-1, -1])),
        r"depth-first order: 'A'",
    ),
    "direct, lengths": (
        lambda: Hierarchy(("T", "A"), np.array([-1])),
        r"as many parents",
    ),
    "direct, twice": (
        lambda: Hierarchy(("T", "A", "A"), np.array([-1, 0, 0])),
        r"'A' occurs twice",
    ),
    "unknown code": (
        lambda: flat(["north", "south"], total="T").position("nort"),
        r"No code 'nort'.*Did you mean 'north'\?",
    ),
    "unknown child": (lambda: flat(["1"], total="T").children("2"), r"No code '2'"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_message_names_what_is_wrong(case: str) -> None:
    action, message = CASES[case]
    with pytest.raises(HierarchyError, match=message):
        action()


def test_a_wrong_hierarchy_is_an_input_error() -> None:
    assert issubclass(HierarchyError, InputError)
