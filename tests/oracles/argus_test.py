# SPDX-License-Identifier: Apache-2.0
"""The primary statuses and levels of τ-ARGUS, cell for cell."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tacit
from tacit import Hierarchy
from tacit.rules import (
    PQ,
    AnyOf,
    Dominance,
    MinFrequency,
    PPercent,
    RequestRule,
    ZeroRule,
)
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tacit.rules import Assessment, Rule
    from tacit.table import Table

ARGUS = Path(__file__).resolve().parents[3] / "shared" / "data" / "argus"
CASES_FILE = ARGUS / "generated" / "prim_cases.json"
LETTERS = {"S": "safe", "U": "sensitive", "E": "empty"}


@dataclass(frozen=True)
class Expected:
    """One line of an intermediate file."""

    codes: tuple[str, str]
    value: float
    count: int
    cost: float | None
    largest: tuple[float, ...]
    status: str
    lower: float
    upper: float


def read_expected(path: Path, *, counts: bool, cost: bool = True) -> list[Expected]:
    """Read code, code, value, [freq, shadow, cost, tops...], status, lower, upper."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            _expected(row, counts=counts, cost=cost)
            for row in csv.reader(lines, delimiter=";")
            if row
        ]


def _expected(row: list[str], *, counts: bool, cost: bool) -> Expected:
    first, second, value, count = row[:4]
    status, lower, upper = row[-3:]
    middle = [float(item) for item in row[4:-3]]
    return Expected(
        codes=(first.strip(), second.strip()),
        value=float(value),
        count=int(count),
        cost=middle[1] if cost and not counts else None,
        largest=() if counts else tuple(middle[2:]),
        status=status,
        lower=float(lower),
        upper=float(upper),
    )


# Fixed columns of the record: name, start (from 1), width.
FIELDS = {
    "size": (9, 2),
    "region": (12, 2),
    "weight": (15, 4),
    "var2": (28, 10),
    "var4": (48, 10),
    "request": (99, 1),
}


@cache
def records() -> dict[str, list[str]]:
    text = (ARGUS / "simple2d" / "tau_testW.asc").read_text(encoding="ascii")
    lines = text.splitlines()
    return {
        name: [line[start - 1 : start - 1 + width].strip() for line in lines]
        for name, (start, width) in FIELDS.items()
    }


def read_tree(path: Path) -> Hierarchy:
    """Read a τ-ARGUS code list with its padding taken off."""
    parents: dict[str, str] = {}
    chain = ["Total"]
    for line in path.read_text(encoding="utf-8").splitlines():
        depth = len(line) - len(line.lstrip("@"))
        code = line[depth:].strip()
        if code:
            parents[code] = chain[depth]
            chain[depth + 1 :] = [code]
    return Hierarchy.from_parents(parents, total="Total")


def columns(*names: str) -> dict[str, Any]:
    data: dict[str, Any] = {name: records()[name] for name in ("size", "region")}
    for name in names:
        data[name] = [float(item) for item in records()[name]]
    return data


@cache
def simple2d(kind: str) -> Table:
    """Tabulate the 42 723 records of Size x Region."""
    data = columns("var2", "var4", "weight")
    data["request"] = [int(flag) for flag in records()["request"]]
    options: dict[str, Any] = {"value": "var2", "decimals": 2, "top": 4}
    if kind == "counts":
        options = {}
    elif kind in {"weight", "request"}:
        options[kind] = kind
    elif kind == "cost":
        options["cost"] = "var4"
    tree = read_tree(ARGUS / "simple2d" / "region2.hrc")
    return tacit.tabulate(data, by={"size": "Total", "region": tree}, **options)


def parse(text: str) -> tuple[Rule, dict[str, Any]]:
    """Translate a SAFETYRULE line into rules and options of assess."""
    parts = [part.partition("(") for part in text.split("|") if part]
    calls = [
        (name, [float(x) for x in rest[:-1].split(",")]) for name, _, rest in parts
    ]
    weighted = ("WGT", [1.0]) in calls
    rules: list[Rule] = []
    options: dict[str, Any] = {"profile": "tauargus"}
    for name, numbers in calls:
        if name == "MAN":
            options["margin"] = numbers[0]
        elif name == "MIS" and numbers[0]:
            options["exempt"] = {"size": "99"}
        elif name in BUILDERS:
            rules.append(BUILDERS[name](numbers, weighted))
    return AnyOf(rules=tuple(rules)), options


def p_rule(numbers: list[float], _: object) -> Rule:
    """Read P(p), P(p,n) or P(p,q,n)."""
    p, *rest = numbers
    coalition = int(rest[-1]) if rest else 1
    if len(rest) == 2:
        return PQ(p=p, q=rest[0], coalition=coalition)
    return PPercent(p=p, coalition=coalition)


BUILDERS: dict[str, Callable[[list[float], bool], Rule]] = {
    "P": p_rule,
    "NK": lambda x, _: Dominance(n=int(x[0]), k=x[1]),
    "FREQ": lambda x, weighted: MinFrequency(
        n=int(x[0]), margin=x[1], count="weights" if weighted else "entities"
    ),
    "ZERO": lambda x, _: ZeroRule(range=x[0]),
    "REQ": lambda x, _: RequestRule(
        percent_1=x[0], percent_2=x[1], min_frequency=int(x[2]), margin=x[3]
    ),
}


def cases() -> list[dict[str, str]]:
    """Give the cases whose expected file is there."""
    if not CASES_FILE.is_file():
        return []
    listed: list[dict[str, str]] = json.loads(CASES_FILE.read_text(encoding="utf-8"))
    return [case for case in listed if expected_file(case).is_file()]


def expected_file(case: dict[str, str]) -> Path:
    return ARGUS / "generated" / f"prim_{case['name']}.tab"


def kind_of(case: dict[str, str]) -> str:
    if case["spec"].startswith("<freq>"):
        return "counts"
    if "WGT(1)" in case["rule"]:
        return "weight"
    if "REQ" in case["rule"]:
        return "request"
    return "cost" if case["spec"].endswith("Var4") else "value"


every_case = pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])


def assessed(case: dict[str, str]) -> Assessment:
    rule, options = parse(case["rule"])
    return tacit.assess(simple2d(kind_of(case)), rule, **options)


def expected(case: dict[str, str]) -> list[Expected]:
    return read_expected(expected_file(case), counts=kind_of(case) == "counts")


def pairs(case: dict[str, str]) -> Iterator[tuple[Assessment, int, Expected]]:
    """Pair each line that is not empty with its cell."""
    found = assessed(case)
    for line in expected(case):
        if line.status != "E":
            cell = found.table.index(size=line.codes[0], region=line.codes[1])
            yield found, cell, line


def test_twelve_cases_are_compared(shared_data: Path) -> None:
    assert shared_data.is_dir()
    assert len(cases()) == 12


@every_case
def test_states_are_the_same(case: dict[str, str]) -> None:
    wrong = [
        (line.codes, State(found.state[cell]).label, line.status)
        for found, cell, line in pairs(case)
        if State(found.state[cell]).label != LETTERS[line.status]
    ]
    assert not wrong


@every_case
def test_what_is_empty_there_is_not_held_here(case: dict[str, str]) -> None:
    filled = {line.codes for line in expected(case) if line.status != "E"}
    found = assessed(case)
    held = {
        tuple(found.table.labels_of(cell).values())
        for cell in np.flatnonzero(found.state != State.EMPTY)
    }
    assert held == filled


@every_case
def test_values_and_counts_are_the_same(case: dict[str, str]) -> None:
    for found, cell, line in pairs(case):
        table = found.table
        assert table.evidence is not None
        scale = 10**table.cells.decimals
        assert int(table.cells.value[cell]) == round(line.value * scale)
        assert int(table.evidence.contributors[cell]) == line.count


@every_case
def test_levels_are_the_same(case: dict[str, str]) -> None:
    """To half a unit of the last decimal.

    Safe cells ask for nothing here; the files show one unit for them.
    """
    counts = kind_of(case) == "counts"
    half = 0.5 if counts else 0.005
    for found, cell, line in pairs(case):
        if line.status == "U":
            assert found.lpl[cell] == pytest.approx(line.lower, abs=half * 1.0001)
            assert found.upl[cell] == pytest.approx(line.upper, abs=half * 1.0001)
        else:
            assert (found.lpl[cell], found.upl[cell]) == (0, 0)
            nominal = 2 * half if line.value else 0
            assert line.lower == line.upper == nominal


@every_case
def test_largest_contributions_are_the_same(case: dict[str, str]) -> None:
    for found, cell, line in pairs(case):
        evidence = found.table.evidence
        assert evidence is not None
        if kind_of(case) == "weight":
            # The file shows them as observed, not as they count under the weights.
            assert evidence.largest_unweighted is not None
            assert evidence.largest_unweighted[cell] == round(line.largest[0] * 100)
            continue
        ours = evidence.largest[cell, : len(line.largest)].tolist()
        assert ours == [round(amount * 100) for amount in line.largest]


def test_the_cost_variable_is_summed() -> None:
    case = next((one for one in cases() if one["name"] == "cost_var4"), None)
    if case is None:
        pytest.skip("the reference data are not on this machine")
    for found, cell, line in pairs(case):
        assert found.table.cells.cost is not None
        assert found.table.cells.cost[cell] == line.cost


@every_case
def test_cells_written_by_the_tool_are_taken_back(case: dict[str, str]) -> None:
    """States and levels of the file, without any rule, as they are."""
    lines = expected(case)
    data = {
        "size": [line.codes[0] for line in lines],
        "region": [line.codes[1] for line in lines],
        "value": [line.value for line in lines],
        "count": [line.count for line in lines],
        "state": [line.status for line in lines],
        "lower": [line.lower for line in lines],
        "upper": [line.upper for line in lines],
    }
    names = {"state": "state", "lower": "lower", "upper": "upper", "count": "count"}
    table = tacit.Table.from_cells(
        data,
        by={"size": "Total", "region": region_with_missing()},
        value="value",
        decimals=0 if kind_of(case) == "counts" else 2,
        **names,
    )
    found = tacit.assess(table)
    for line in lines:
        cell = table.index(size=line.codes[0], region=line.codes[1])
        assert State(found.state[cell]).label == LETTERS[line.status]
        if line.status == "U":
            assert (found.lpl[cell], found.upl[cell]) == (line.lower, line.upper)


def region_with_missing() -> Hierarchy:
    """Add the code of missing regions to the tree: it is a cell of the files."""
    tree = read_tree(ARGUS / "simple2d" / "region2.hrc")
    upper = {code: tree.parent(code) for code in tree.codes[1:]}
    return Hierarchy.from_parents({**upper, "99": "Total"}, total="Total")


def test_simple2d_has_nine_primaries(shared_data: Path) -> None:
    path = shared_data / "argus" / "simple2d" / "expected_Simple2D.txt"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = [[item.strip() for item in row] for row in csv.reader(lines) if row]
    found = tacit.assess(simple2d("value"), PPercent(p=15), profile="tauargus")
    for size, region, value, status in rows:
        if status == "14":
            continue
        cell = found.table.index(size=size, region=region)
        assert int(found.table.cells.value[cell]) == round(float(value) * 100)
        assert bool(found.sensitive[cell]) == (status == "3")
    assert found.summary()["sensitive"] == 9
