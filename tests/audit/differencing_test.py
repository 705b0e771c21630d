# SPDX-License-Identifier: Apache-2.0
"""What several releases give away together, against brute force and by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import tacit
from tacit.audit._differencing import DifferenceKind, differencing
from tacit.audit._means import means_attack
from tacit.errors import InputError
from tacit.protect import Release
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tacit.table import Table

N3 = tacit.MinFrequency(n=3)
FEW = 3


def counts(by: dict[str, Any], **columns: list[Any]) -> Table:
    return tacit.Table.from_cells(columns, by=by, count="n")


def withheld(table: Table, *cells: dict[str, str]) -> Table:
    """The same table with some cells suppressed."""
    state = table.cells.state.copy()
    for codes in cells:
        state[table.find(codes)] = State.SUPPRESSED
    return table.updated(cells=replace(table.cells, state=state))


AGES = {
    "age": {"<20": ["0-19"], "20+": ["20-24", "25+"], "<25": ["0-19", "20-24"]},
}


def ages(of_20_to_24: int) -> dict[str, Table]:
    """Two releases with classes that overlap."""
    young = counts({"age": "all"}, age=["<20", "20+"], n=[40, 60])
    other = [40 + of_20_to_24, 60 - of_20_to_24]
    younger = counts({"age": "all"}, age=["<25", "25+"], n=other)
    return {"A": young, "B": younger}


def test_overlapping_classes_isolate_an_age_group() -> None:
    found = differencing(ages(2), rule=N3, classes=AGES)
    assert found.target == ("(age = 20-24)",)
    assert found.words == ("B(age = <25) - A(age = <20)",)
    assert found.lowest.tolist() == found.highest.tolist() == [2.0]
    assert found.tables.tolist() == [[True, True]]
    assert found.counts() == {"exact": 1, "interval": 0}


@pytest.mark.parametrize("size", [0, 3])
def test_nobody_or_enough_between_the_classes_is_safe(size: int) -> None:
    assert differencing(ages(size), rule=N3, classes=AGES).safe


def test_frame_and_repr_show_codes_and_no_values() -> None:
    found = differencing(ages(1), rule=N3, classes=AGES)
    assert found.frame.to_pydict() == {
        "kind": ["exact"],
        "isolated": ["(age = 20-24)"],
        "by": ["B(age = <25) - A(age = <20)"],
    }
    assert repr(found) == "<Differences of 2 releases: 1 exact, 0 by interval>"


def regions(**options: Any) -> dict[str, Table]:
    """Counties and school districts over six places; place 3 has one firm."""
    place = [1, 1, 1, 2, 2, 2, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6]
    county = {1: "N", 2: "N", 3: "S", 4: "S", 5: "S", 6: "S"}
    school = {1: "p", 2: "p", 3: "p", 4: "q", 5: "q", 6: "q"}
    firm, value = list(range(16)), [50 + i for i in range(16)]
    common = {"firm": firm, "value": value}
    made = {"value": "value", "unit": "firm", **options}
    codes = {
        "counties": ([county[p] for p in place], "T"),
        "schools": ([school[p] for p in place], "T"),
        "places": ([str(p) for p in place], "T"),
    }
    return {
        name: tacit.tabulate({"area": area, **common}, by={"area": total}, **made)
        for name, (area, total) in codes.items()
    }


PLACES = {
    "area": {
        "N": ["1", "2"],
        "S": ["3", "4", "5", "6"],
        "p": ["1", "2", "3"],
        "q": ["4", "5", "6"],
    }
}


def test_r1_30_regional_splits_that_are_not_nested_isolate_one_unit() -> None:
    tables = regions()
    data = tables.pop("places")
    found = differencing(
        tables, rule=tacit.PPercent(p=10) | N3, classes=PLACES, data=data
    )
    assert found.target == ("(area = 3)",)
    assert found.words[0] in {
        "schools(area = p) - counties(area = N)",
        "counties(area = S) - schools(area = q)",
    }


def test_r1_30_in_counts_without_the_microdata() -> None:
    tables = regions(value=None)
    del tables["places"]
    plain = {k: t.updated(contributions=None) for k, t in tables.items()}
    found = differencing(plain, rule=N3, classes=PLACES)
    assert found.target == ("(area = 3)",)


def test_a_release_as_fine_as_all_is_judged_on_its_contributions() -> None:
    table = regions()["places"]
    one, two = ({"area": a} for a in "13")
    found = differencing(
        {"first": withheld(table, one, two), "second": withheld(table, two, {})},
        rule=N3,
    )
    # the first withholds places 1 and 3, the second shows place 1
    assert found.target == ("first(area = 3)",)
    assert found.lowest.tolist() == [56.0]


def test_o4_21_a_later_total_reveals_a_suppressed_cell() -> None:
    table = counts({"row": "T"}, row=["a", "b", "c"], n=[12, 24, 1])
    before = withheld(table, {"row": "c"}, {"row": "T"})
    after = withheld(table, *[{"row": r} for r in "abc"])
    found = differencing({"before": before, "after": after}, rule=N3)
    assert found.lowest.tolist() == [1.0]
    assert found.describe(0) == (
        "after(total) - before(row = a) - before(row = b) = before(row = c)"
    )


def test_a_part_of_the_population_leaves_few_others() -> None:
    everyone = counts({"region": "T"}, region=["N", "S"], n=[30, 20])
    employed = counts({"region": "T"}, region=["N", "S"], n=[29, 10])
    found = differencing(
        {"all": everyone, "employed": employed},
        rule=N3,
        within={"employed": {"status": ["employed"]}},
    )
    assert found.words == ("all(region = N) - employed(region = N)",)
    assert found.target == ("(region = N, status = (others))",)


def test_waves_of_a_growing_file_show_who_came() -> None:
    first = counts({"region": "T"}, region=["N", "S"], n=[30, 20])
    second = counts({"region": "T"}, region=["N", "S"], n=[35, 21])
    found = differencing(
        {"2024": first, "2025": second},
        rule=N3,
        within={"2024": {"since": ["old"]}, "2025": {"since": ["old", "new"]}},
    )
    assert found.target == ("(region = S, since = new)",)


def test_codes_that_another_release_splits_need_no_classes() -> None:
    tree = tacit.Hierarchy.from_parents(
        {"N1": "N", "N2": "N", "S1": "S", "S2": "S", "N": "T", "S": "T"}
    )
    fine = counts({"region": tree}, region=["N1", "N2", "S1", "S2"], n=[9, 2, 8, 7])
    fine = withheld(fine, {"region": "N1"}, {"region": "N2"}, {"region": "N"})
    coarse = counts(
        {"region": "T", "sex": "all"},
        region=["N", "N", "S", "S"],
        sex=["f", "m", "f", "m"],
        n=[9, 2, 8, 7],
    )
    found = differencing({"fine": fine, "coarse": coarse}, rule=N3)
    assert len(found) == 0
    finer = withheld(fine)
    shown = finer.cells.state.copy()
    shown[finer.find({"region": "N1"})] = State.SAFE
    finer = finer.updated(cells=replace(finer.cells, state=shown))
    found = differencing({"fine": finer, "coarse": coarse}, rule=N3)
    assert "fine(region = N2)" in found.target


def four(total: int) -> dict[str, Table]:
    """Two crossing pairs over a, b, c, d: one unknown remains."""
    one = counts({"v": "T"}, v=["ab", "cd"], n=[5, total - 5])
    two = counts({"v": "T"}, v=["ac", "bd"], n=[4, total - 4])
    return {"one": one, "two": two}


CROSSING = {"v": {x: list(x) for x in ("ab", "cd", "ac", "bd")}}


def test_a_count_that_must_be_small_is_found_by_its_bounds() -> None:
    # a = 5 - b, c = b - 1, d = 2 - b: b is 1 or 2
    found = differencing(four(6), rule=N3, classes=CROSSING)
    intervals = found.kind == DifferenceKind.INTERVAL
    assert [t for t, i in zip(found.target, intervals, strict=True) if i] == ["(v = b)"]
    assert found.lowest[intervals].tolist() == [1.0]
    assert found.highest[intervals].tolist() == [2.0]


def test_bounds_of_counts_are_asked_beside_the_microdata_too() -> None:
    held = {"a": 4, "b": 1, "d": 1}
    records = {"v": [p for p, n in held.items() for _ in range(n)]}
    data = tacit.tabulate(records, by={"v": "T"})
    found = differencing(four(6), rule=N3, classes=CROSSING, data=data)
    narrow = found.kind == DifferenceKind.INTERVAL
    assert [t for t, i in zip(found.target, narrow, strict=True) if i] == ["(v = b)"]


def test_wide_bounds_are_not_reported() -> None:
    found = differencing(four(30), rule=N3, classes=CROSSING)
    assert found.counts()["interval"] == 0


def test_without_a_floor_the_bounds_say_nothing() -> None:
    anything = [tacit.Attacker(non_negative=False)]
    found = differencing(four(6), rule=N3, classes=CROSSING, attackers=anything)
    assert found.counts()["interval"] == 0


def test_sensitive_amounts_are_judged_by_their_level() -> None:
    """Cell b holds 1000 of one firm and lies between 995 and 1005."""
    place = ["a", "b", "c", "d"]
    records = {"v": place, "firm": [1, 2, 3, 4], "x": [5, 1000, 5, 5]}
    data = tacit.tabulate(records, by={"v": "T"}, value="x", unit="firm")
    tables = {}
    for name, codes in {"one": ("ab", "cd"), "two": ("ac", "bd")}.items():
        held = [next(c for c in codes if p in c) for p in place]
        tables[name] = tacit.tabulate(
            {**records, "v": held}, by={"v": "T"}, value="x", unit="firm"
        )
    rule = tacit.PPercent(p=10)
    found = differencing(tables, rule=rule, classes=CROSSING, data=data)
    narrow = {
        t: (low, high)
        for t, k, low, high in zip(
            found.target, found.kind, found.lowest, found.highest, strict=True
        )
        if k == DifferenceKind.INTERVAL
    }
    assert narrow["(v = b)"] == pytest.approx((995.0, 1005.0))


# Brute force over a few finest classes


@st.composite
def splits(draw: st.DrawFn) -> tuple[dict[str, Table], dict[str, list[str]], list[int]]:
    """Two or three releases over the same finest classes, some cells withheld."""
    size = draw(st.integers(2, 5))
    atoms = [f"x{i}" for i in range(size)]
    true = draw(st.lists(st.integers(1, 9), min_size=size, max_size=size))
    tables: dict[str, Table] = {}
    classes: dict[str, list[str]] = {}
    for name in "AB" if draw(st.booleans()) else "ABC":
        label = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
        codes = [f"{name}{k}" for k in sorted(set(label))]
        for code in codes:
            classes[code] = [
                a for a, k in zip(atoms, label, strict=True) if f"{name}{k}" == code
            ]
        n = [sum(true[atoms.index(a)] for a in classes[code]) for code in codes]
        table = counts({"v": "T"}, v=codes, n=n)
        hide = [{"v": c} for c in [*codes, "T"] if draw(st.integers(0, 3)) == 0]
        tables[name] = withheld(table, *hide)
    return tables, classes, true


def rows_shown(
    tables: Mapping[str, Table], classes: Mapping[str, Sequence[str]], size: int
) -> list[list[int]]:
    rows = []
    for table in tables.values():
        for cell in range(len(table)):
            if table.cells.state[cell] == State.SAFE:
                code = table.labels_of(cell)["v"]
                inside = [
                    int(code == "T" or f"x{i}" in classes[code]) for i in range(size)
                ]
                rows.append(inside)
    return rows


def rank(rows: list[list[int]]) -> int:
    work = [[Fraction(v) for v in row] for row in rows]
    found = 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((r for r in range(found, len(work)) if work[r][column]), None)
        if pivot is None:
            continue
        work[found], work[pivot] = work[pivot], work[found]
        for r in range(found + 1, len(work)):
            f = work[r][column] / work[found][column]
            work[r] = [a - f * b for a, b in zip(work[r], work[found], strict=True)]
        found += 1
    return found


def value_of(
    words: str,
    tables: Mapping[str, Table],
    classes: Mapping[str, Sequence[str]],
    true: list[int],
) -> tuple[int, list[int]]:
    """Evaluate a combination in words: its value, and how often each class is in it."""
    value, inside = 0, [0] * len(true)
    for sign, times, term in re.findall(r"([+-]?) ?(?:(\d+) x )?(\w*\([^)]*\))", words):
        factor = int(times or 1) * (-1 if sign == "-" else 1)
        name, code = term.rstrip(")").split("(")
        atoms = [f"x{i}" for i in range(len(true))]
        if name and code != "total":
            atoms = list(classes[code.removeprefix("v = ")])
        elif not name and code != "all":
            atoms = code.removeprefix("v = ").split(" + ")
        for atom in atoms:
            value += factor * true[int(atom[1:])]
            inside[int(atom[1:])] += factor
        if name:
            at = {} if code == "total" else {"v": code.removeprefix("v = ")}
            assert (
                sum(true[int(a[1:])] for a in atoms)
                == (tables[name].cells.value[tables[name].find(at)])
            )
    return value, inside


@settings(max_examples=150)
@given(splits())
def test_what_is_reported_is_known_and_small(
    case: tuple[dict[str, Table], dict[str, list[str]], list[int]],
) -> None:
    tables, classes, true = case
    found = differencing(tables, rule=N3, classes={"v": classes})
    shown = rows_shown(tables, classes, len(true))
    for k in range(len(found)):
        if found.kind[k] != DifferenceKind.EXACT:
            continue
        value, inside = value_of(found.target[k], tables, classes, true)
        used, same = value_of(found.words[k], tables, classes, true)
        assert value == used == found.lowest[k]
        assert inside == same
        assert 0 < value < FEW
        assert rank([*shown, inside]) == rank(shown)


def targets(classes: Mapping[str, Sequence[str]], size: int) -> set[tuple[int, ...]]:
    """Finest common classes, cells of any release, and the total, as rows."""
    codes = list(classes.values())
    atoms = [f"x{i}" for i in range(size)]
    same_class = {
        tuple(int(all((a in c) == (b in c) for c in codes)) for b in atoms)
        for a in atoms
    }
    cells = {tuple(int(a in c) for a in atoms) for c in codes}
    return same_class | cells | {(1,) * size}


@settings(max_examples=150)
@given(splits())
def test_every_class_and_withheld_cell_that_is_known_and_small_is_reported(
    case: tuple[dict[str, Table], dict[str, list[str]], list[int]],
) -> None:
    tables, classes, true = case
    found = differencing(tables, rule=N3, classes={"v": classes})
    reported = [value_of(t, tables, classes, true)[1] for t in found.target]
    shown = rows_shown(tables, classes, len(true))
    for inside in targets(classes, len(true)):
        value = sum(t for t, i in zip(true, inside, strict=True) if i)
        row = list(inside)
        known = bool(shown) and rank([*shown, row]) == rank(shown)
        if row not in shown and known and 0 < value < FEW:
            assert row in reported


@settings(max_examples=150)
@given(splits())
def test_bounds_are_those_of_plain_programs(
    case: tuple[dict[str, Table], dict[str, list[str]], list[int]],
) -> None:
    tables, classes, true = case
    found = differencing(tables, rule=N3, classes={"v": classes})
    narrow = {
        tuple(value_of(found.target[k], tables, classes, true)[1]): (
            found.lowest[k],
            found.highest[k],
        )
        for k in np.flatnonzero(found.kind == DifferenceKind.INTERVAL).tolist()
    }
    shown = rows_shown(tables, classes, len(true))
    if not shown:
        assert not narrow
        return
    right = np.array(shown) @ np.array(true)
    for inside in targets(classes, len(true)):
        row = np.array(inside)
        if list(inside) in shown or rank([*shown, list(inside)]) == rank(shown):
            continue
        low, high = (linprog(s * row, A_eq=shown, b_eq=right) for s in (1, -1))
        bounded = low.status == high.status == 0
        if bounded and low.fun > 1e-6 and np.floor(-high.fun + 1e-6) < FEW:
            assert narrow.pop(inside) == pytest.approx((low.fun, -high.fun), abs=1e-6)
    assert not narrow


# Means


def test_oe_14_means_give_back_the_true_counts() -> None:
    found = means_attack([9, 14, 19], ["11.25", Fraction(95, 12), "9.25"], deviation=2)
    assert found.unique.tolist() == [8, 12, 20]
    assert repr(found) == "<PossibleCounts: 3 of 3 groups certain>"


@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(st.integers(1, 30), st.integers(0, 500)), min_size=1, max_size=5
    ),
    st.integers(0, 4),
    st.integers(0, 2),
    st.data(),
)
def test_possible_counts_are_those_that_some_sum_explains(
    groups: list[tuple[int, int]], deviation: int, decimals: int, data: st.DataObject
) -> None:
    moved = [n + data.draw(st.integers(-deviation, deviation)) for n, _ in groups]
    means = [round(Fraction(s, n), decimals) for n, s in groups]
    found = means_attack(moved, means, deviation=deviation, decimals=decimals)
    half = Fraction(1, 2 * 10**decimals)
    for k, (n, _) in enumerate(groups):
        assert n in found.of(k)
        expected = [
            c
            for c in range(max(1, moved[k] - deviation), moved[k] + deviation + 1)
            if any(
                abs(Fraction(s, c) - means[k]) <= half
                for s in range(int(means[k] * c) - c, int(means[k] * c) + c + 2)
            )
        ]
        assert found.of(k) == expected


def test_means_in_cents_leave_more_counts() -> None:
    assert means_attack([9], ["11.25"], deviation=2, unit="0.01").of(0) == [
        7, 8, 9, 10, 11,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([9], ["1", "2"], 1), "1 counts and 2 means"),
        (([9], ["1"], -1), "at least 0"),
        (([9], [1.5], 1), r"group 0 is a float.*decimals="),
        (([9], ["x"], 1), "not a finite number"),
        (([9], ["11.25"], 0), "No count within 0"),
    ],
)
def test_bad_means_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    given_, means, deviation = arguments
    with pytest.raises(InputError, match=message):
        means_attack(given_, means, deviation=deviation)


def test_a_unit_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="above 0"):
        means_attack([9], ["1"], deviation=1, unit=0)


# Bad input


def test_rules_that_ask_who_stands_behind_are_named() -> None:
    both = tacit.PPercent(p=10) | N3
    found = differencing(ages(2), rule=both, classes=AGES)
    assert len(found) == 1
    assert not found.safe
    assert "data=" in found.unjudged["p_percent"]
    alone = differencing(ages(2), rule=tacit.PPercent(p=10), classes=AGES)
    assert len(alone) == 0
    assert not alone.safe
    assert repr(alone).endswith("not every rule could be asked>")


def test_amounts_without_contributions_cannot_be_judged() -> None:
    cells = {"age": ["<20", "20+"], "v": [4.5, 6]}
    one = tacit.Table.from_cells(cells, by={"age": "all"}, value="v")
    found = differencing({"A": one, "B": one}, rule=N3)
    assert list(found.unjudged) == ["min_frequency"]


@pytest.mark.parametrize(
    ("releases", "options", "message"),
    [
        (lambda: {"A": ages(2)["A"]}, {}, "compares 2 to 300 releases"),
        (lambda: list(ages(2).values()), {}, "given by name"),
        (lambda: {"A": 1, "B": 2}, {}, "'A' is a int"),
        (lambda: ages(2), {}, r"no class of 'age' that holds '<20'|'<25'.*classes="),
        (lambda: ages(2), {"rule": "n3"}, "needs rule="),
        (lambda: ages(2), {"classes": {"agee": {}}}, "no variable 'agee'.*'age'"),
        (lambda: ages(2), {"within": {"C": {}}}, "no table 'C'"),
        (
            lambda: ages(2),
            {"classes": {"age": {**AGES["age"], "25+": ["20-24", "25+"]}}},
            "'25\\+' and '<25' of 'age' overlap",
        ),
        (lambda: ages(2), {"data": ages(2)["A"]}, "must hold the single contributions"),
    ],
)
def test_bad_input_is_refused(
    releases: Any,
    options: dict[str, Any],
    message: str,
) -> None:
    with pytest.raises(InputError, match=message):
        differencing(releases(), **{"rule": N3, **options})


def test_releases_that_contradict_each_other_are_refused() -> None:
    one = counts({"age": "all"}, age=["f", "m"], n=[4, 5])
    other = counts({"age": "all"}, age=["f", "m"], n=[4, 6])
    with pytest.raises(InputError, match=r"'B' \(age = .*same cell.*within="):
        differencing({"A": one, "B": other}, rule=N3)


def test_a_value_where_another_release_has_no_cell_is_refused() -> None:
    tree = tacit.Hierarchy.flat(["f", "m"], total="all")
    one = counts({"sex": tree}, sex=["f", "m"], n=[4, 5])
    other = counts({"sex": tree}, sex=["f"], n=[4])
    one = withheld(one, {"sex": "all"})
    with pytest.raises(InputError, match=r"'A' \(sex = m\).*must be empty"):
        differencing({"A": one, "B": other}, rule=N3)


def test_changed_values_are_refused() -> None:
    table = ages(2)["A"]
    assessment = tacit.assess(table, N3)
    changed = Release(
        assessment, assessment.state, "noise", table.cells.value, perturbed=True
    )
    with pytest.raises(InputError, match=r"changed by 'noise'.*means_attack"):
        differencing({"A": changed, "B": table}, rule=N3)


def test_data_that_do_not_fit_are_refused() -> None:
    tables = regions()
    data = tables.pop("places")
    with pytest.raises(InputError, match="does not show 'area'"):
        differencing(
            tables,
            rule=N3,
            classes=PLACES,
            data=tacit.tabulate({"x": ["a"], "v": [1]}, by={"x": "T"}, value="v"),
        )
    assert data.contributions is not None
    other = replace(data.contributions, value=data.contributions.value)
    more = data.updated(
        cells=replace(data.cells, value=data.cells.value + 1), contributions=other
    )
    with pytest.raises(InputError, match="not what data= adds up to"):
        differencing(tables, rule=N3, classes=PLACES, data=more)
    with pytest.raises(InputError, match="across several of them"):
        differencing(
            tables,
            rule=N3,
            classes={
                "area": {
                    **PLACES["area"],
                    "3": ["3a", "3b"],
                    "p": ["1", "2", "3a"],
                    "q": ["3b", "4", "5", "6"],
                    "S": ["3a", "3b", "4", "5", "6"],
                }
            },
            data=data,
        )
