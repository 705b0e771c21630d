# SPDX-License-Identifier: Apache-2.0
"""Somebody else's table: what is printed, and what follows from it."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest

import tacit
from tacit import Attacker, Hierarchy, MinFrequency
from tacit.audit import ContradictionError, Kind, Rounding
from tacit.errors import InputError, RuleError, SourceError

if TYPE_CHECKING:
    from pathlib import Path

    from tacit import AuditReport

SEX = {"sex": "all"}


def found(report: AuditReport) -> dict[tuple[str, ...], tuple[float, float]]:
    """Exactly known cells by their codes, with their ends."""
    rows = report.violations.to_pylist()
    return {
        tuple(row[name] for name in report.table.names): (row["lowest"], row["highest"])
        for row in rows
        if row["violation"] == Kind.EXACT.label
    }


def ranges(report: AuditReport) -> dict[tuple[str, ...], tuple[float, float]]:
    rows = report.intervals.to_pylist()
    return {
        tuple(row[name] for name in report.table.names): (row["lowest"], row["highest"])
        for row in rows
    }


# --- other programs' results -------------------------------------------------------

COUNTIES = {"county-1": "Total", "county-2": "Total"}
GROUPS = {"small": "Total", "BIG": "Total"}
TREES = [
    Hierarchy.from_parents(
        COUNTIES | dict.fromkeys("ABIJ", "county-1") | dict.fromkeys("KLMN", "county-2")
    ),
    Hierarchy.from_parents(
        GROUPS | dict.fromkeys("ABIJKN", "small") | dict.fromkeys("LM", "BIG")
    ),
]


def peers(path: Path, number: str) -> dict[str, list[str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    shown = zip(columns[number], columns["suppressed"], strict=True)
    columns[number] = ["x" if hidden == "TRUE" else n for n, hidden in shown]
    return columns


@pytest.mark.parametrize("how", ["local", "consistent", "back-tracking"])
def test_linked_tables_protected_apart_give_a_small_count_away(
    shared_data: Path, how: str
) -> None:
    frame = peers(shared_data / f"r_peers/exp_issue136_linked_{how}.csv", "n")
    report = tacit.audit(frame, by={"region": TREES}, count="n")
    assert not report.safe
    assert found(report) == {("K",): (3, 3)}
    (why,) = report.violations.to_pydict()["why"]
    assert "county-2 = K + L + M + N" in why
    assert "BIG = L + M" in why
    with_rule = tacit.audit(
        frame, by={"region": TREES}, count="n", rule=MinFrequency(n=4)
    )
    assert found(with_rule) == {("K",): (3, 3)}


@pytest.mark.parametrize(
    "name", ["issue136_linked_super-consistent", "issue136_global_gauss_maxN3"]
)
def test_linked_tables_protected_together_hold(shared_data: Path, name: str) -> None:
    frame = peers(shared_data / f"r_peers/exp_{name}.csv", "n")
    report = tacit.audit(frame, by={"region": TREES}, count="n")
    assert report.safe
    assert report.summary()["withheld"] == 6


def test_intervals_are_those_of_another_solver(shared_data: Path) -> None:
    """Both ends of every primary cell of the pattern, from linear programs in R."""
    path = shared_data / "r_peers/exp_magnitude1_p10_intervals.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    frame = {name: [row[name] for row in rows] for name in ("sector4", "geo")}
    frame["value"] = ["x" if r["suppressed"] == "TRUE" else r["value"] for r in rows]
    report = tacit.audit(
        frame, by={"sector4": "Total", "geo": "Total"}, value="value", decimals=1
    )
    seen = ranges(report)
    primary = [row for row in rows if row["primary"] == "TRUE"]
    assert len(primary) == 11
    for row in primary:
        ends = float(row["lo"]), float(row["up"])
        assert seen[row["sector4"], row["geo"]] == pytest.approx(ends)
    assert report.safe


@pytest.mark.parametrize(
    ("method", "secondary", "total", "upper"),
    [
        ("SIMPLEHEURISTIC", 3, 40, 12),
        ("SIMPLEHEURISTIC_OLD", 5, 65, None),
        ("GAUSS", 3, 43, None),
        ("HYPERCUBE", 3, 40, 12),
        ("HITAS", 3, 40, 12),
        ("OPT", 3, 40, 12),
    ],
)
def test_patterns_of_sdctable_leave_an_interval(
    method: str, secondary: int, total: int, upper: int | None, shared_data: Path
) -> None:
    path = shared_data / f"r_peers/exp_sdctable_testproblem_{method}.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    added = [int(row["Freq"]) for row in rows if row["sdcStatus"] == "x"]
    assert (len(added), sum(added)) == (secondary, total)
    frame = {name: [row[name] for row in rows] for name in ("region", "gender")}
    frame["n"] = ["x" if r["sdcStatus"] in {"u", "x"} else r["Freq"] for r in rows]
    by = {"region": "total", "gender": "total"}
    report = tacit.audit(frame, by=by, value="n")
    assert report.safe
    lowest, highest = ranges(report)["A", "female"]
    assert lowest == 0
    assert highest == upper or (upper is None and highest > 2)


def test_three_withheld_ones_of_a_sum_of_three_are_seen(shared_data: Path) -> None:
    """Zeros are printed, so nothing withheld is zero, and 3 = 1 + 1 + 1."""
    frame = peers(shared_data / "r_peers/exp_singleton_toy_nosing.csv", "values")
    by = {"var1": "Total", "var2": "Total"}
    report = tacit.audit(frame, by=by, count="values")
    assert {
        codes: ends for codes, ends in found(report).items() if codes[0] == "1"
    } == {("1", letter): (1, 1) for letter in "ABC"}
    unsure = Attacker(others_at_least_one=False)
    assert tacit.audit(frame, by=by, count="values", attackers=unsure).safe


# --- numbers to reproduce ----------------------------------------------------------

BOOKS = [
    {"sex": ["M", "M", "F", "F"], "town": ["Am", "Ro"] * 2, "n": [21, 12, 16, 19]},
    {"sex": ["M", "M", "F", "F"], "reads": ["Y", "N"] * 2, "n": [23, 10, 8, 27]},
    {"town": ["Am", "Am", "Ro", "Ro"], "reads": ["Y", "N"] * 2, "n": [11, 26, 20, 11]},
]
BY_BOOKS = {"sex": "T", "town": "T", "reads": "T"}


def test_o1_14_three_margins_give_the_whole_cube_away() -> None:
    report = tacit.audit(BOOKS, by=BY_BOOKS, count="n")
    value = {
        ("M", "Am", "Y"): 11, ("M", "Am", "N"): 10,
        ("M", "Ro", "Y"): 12, ("M", "Ro", "N"): 0,
        ("F", "Am", "Y"): 0, ("F", "Am", "N"): 16,
        ("F", "Ro", "Y"): 8, ("F", "Ro", "N"): 11,
    }  # fmt: skip
    assert found(report) == {codes: (n, n) for codes, n in value.items()}


def test_tables_that_share_cells_tell_most_together() -> None:
    one = {"sex": ["all", "f", "m"], "n": ["20", "x", "x"]}
    other = {"sex": ["all", "f"], "n": ["20", "8"]}
    report = tacit.audit([one, other], by=SEX, count="n")
    assert found(report) == {("m",): (12, 12)}


def test_tables_that_disagree_are_not_joined() -> None:
    one = {"sex": ["all", "f", "m"], "n": ["20", "x", "x"]}
    other = {"sex": ["all", "f"], "n": ["21", "8"]}
    with pytest.raises(SourceError, match=r"\(sex = all\) has different numbers"):
        tacit.audit([one, other], by=SEX, count="n")
    with pytest.raises(SourceError, match="Rows 1 and 2 are both"):
        tacit.audit({"sex": ["f", "f"], "n": ["1", "1"]}, by=SEX, count="n")


def test_without_the_finest_cells_margins_give_nothing_away() -> None:
    report = tacit.audit(BOOKS, by=BY_BOOKS, count="n", finest=False)
    assert report.safe
    assert not len(report.ranges)


def test_o2_9_a_class_is_recovered_by_subtraction() -> None:
    """Workers by size class; the margin adds up, and one class is withheld."""
    size = ["10~19", "20~49", "50~99", "100~199", "200~299", "300~499"]
    frame: dict[str, list[str]] = {
        "size": ["all", *size],
        "workers": ["4213", "312", "958", "871", "1020", "605", "x"],
        "wages": ["188,420", "12,010", "40,115", "38,700", "50,800", "26,200", "x"],
    }
    workers = tacit.audit(frame, by={"size": "all"}, count="workers")
    assert found(workers) == {("300~499",): (447, 447)}
    wages = tacit.audit(frame, by={"size": "all"}, value="wages", decimal=",")
    assert found(wages) == {("300~499",): (20.595, 20.595)}


def test_o2_10_a_total_below_its_parts_is_a_contradiction() -> None:
    """Two suppressed rows: 658 workers are left for them, but -49798 of value."""
    rows = {"class": ["all", "a", "b", "c", "d"]}
    workers = {**rows, "n": ["2000", "1342", "x", "x", "0"]}
    report = tacit.audit(workers, by={"class": "all"}, value="n")
    assert report.safe
    assert ranges(report) == {("b",): (0, 658), ("c",): (0, 658)}
    added = {**rows, "n": ["1137518", "1187316", "x", "x", "0"]}
    with pytest.raises(ContradictionError, match="class: all = a") as caught:
        tacit.audit(added, by={"class": "all"}, value="n")
    assert "49" not in str(caught.value)
    below = Attacker(non_negative=False)
    assert tacit.audit(added, by={"class": "all"}, value="n", attackers=below).safe


def test_o4_21_a_total_published_later_gives_a_cell_away() -> None:
    frame = {"age": ["all", "a", "b", "c"], "n": ["37", "12", "24", "x"]}
    assert found(tacit.audit(frame, by={"age": "all"}, count="n")) == {("c",): (1, 1)}


@pytest.mark.parametrize(
    ("printed", "steps", "ends"), [(0, 0, (0, 4)), (15, 1, (6, 24))]
)
def test_oe12_rounded_values_leave_existence_intervals(
    printed: int, steps: int, ends: tuple[int, int]
) -> None:
    frame = {"sex": ["f", "m"], "n": [printed, 500]}
    base = Rounding(base=5, steps=steps)
    report = tacit.audit(frame, by=SEX, count="n", base=base)
    assert ranges(report)["f",] == ends


# --- rounding, intervals, whole numbers ---------------------------------------------


def test_rounding_can_be_undone_by_the_margin() -> None:
    """5 + 5 + 5 rounded from 4 or less, but the total says they are all 4 at most."""
    frame = {"sex": ["all", "f", "m"], "n": ["10", "15", "0"]}
    report = tacit.audit(frame, by=SEX, count="n", base=5)
    assert ranges(report) == {("all",): (11, 14), ("f",): (11, 14), ("m",): (0, 3)}
    with pytest.raises(ContradictionError, match="sex: all = f"):
        tacit.audit(frame, by=SEX, count="n")


def test_a_number_that_is_no_multiple_of_the_base_is_refused() -> None:
    printed = {"sex": ["all", "f", "m"], "n": ["10", "4", "5"]}
    with pytest.raises(
        InputError, match=r"1 of the .* no multiples of base=5, .*\(sex = f\) with 4\."
    ):
        tacit.audit(printed, by=SEX, count="n", base=5)
    cents = {"sex": ["all", "f", "m"], "v": ["1.10", "0.35", "0.75"]}
    assert tacit.audit(cents, by=SEX, value="v", base=0.05).safe


def test_printed_intervals_count() -> None:
    frame = {
        "sex": ["all", "f", "m"],
        "n": ["20", "x", "x"],
        "from": [None, 5, None],
        "to": [None, 9, None],
    }
    report = tacit.audit(frame, by=SEX, count="n", lower="from", upper="to")
    assert ranges(report) == {("f",): (5, 9), ("m",): (11, 15)}


def test_an_interval_upside_down_is_refused() -> None:
    frame = {"sex": ["all", "f"], "n": ["20", "x"], "a": [None, 9], "b": [None, 5]}
    with pytest.raises(SourceError, match=r"row 2.*above the upper"):
        tacit.audit(frame, by=SEX, count="n", lower="a", upper="b")


def test_known_to_be_at_least_one_fixes_a_count() -> None:
    """15 = 10 + 3 + x + x, and neither x is 0."""
    frame = {"class": ["all", "a", "b", "c", "d"], "n": ["15", "10", "3", "x", "x"]}
    by = {"class": "all"}
    assert tacit.audit(frame, by=by, count="n").safe
    sure = Attacker(others_at_least_one=True)
    report = tacit.audit(frame, by=by, count="n", attackers=sure)
    assert found(report) == {("c",): (1, 1), ("d",): (1, 1)}


def test_a_narrow_interval_proves_a_small_count() -> None:
    frame = {"class": ["all", "a", "b", "c"], "n": ["14", "10", "x", "x"]}
    sure = Attacker(others_at_least_one=True)
    rule = MinFrequency(n=4)
    report = tacit.audit(
        frame, by={"class": "all"}, count="n", attackers=sure, rule=rule
    )
    assert [row["violation"] for row in report.violations.to_pylist()] == [
        "interval"
    ] * 2
    assert ranges(report) == {("b",): (1, 3), ("c",): (1, 3)}
    assert tacit.audit(
        frame, by={"class": "all"}, count="n", attackers=sure, rule=MinFrequency(n=3)
    ).safe


def test_a_small_count_that_is_printed_is_found() -> None:
    frame = {"sex": ["all", "f", "m"], "n": ["12", "2", "10"]}
    report = tacit.audit(frame, by=SEX, count="n", rule=MinFrequency(n=3))
    assert found(report) == {("f",): (2, 2)}
    assert report.violations.to_pydict()["why"] == ["Published as it is"]


def test_cells_without_a_row_are_empty_unless_said_otherwise() -> None:
    frame = {
        "sex": ["all", "all", "all", "f", "f", "m"],
        "age": ["any", "old", "young", "any", "old", "any"],
        "n": ["30", "20", "10", "15", "x", "15"],
    }
    by = {"sex": "all", "age": "any"}
    with pytest.raises(ContradictionError):
        tacit.audit(frame, by=by, count="n")
    unsure = Attacker(knows_empty=False)
    report = tacit.audit(frame, by=by, count="n", attackers=unsure)
    assert ranges(report)["f", "old"] == (5, 15)


def test_totals_without_a_row_are_not_needed() -> None:
    frame = {"sex": ["f", "m"], "n": ["6", "x"]}
    report = tacit.audit(frame, by=SEX, count="n")
    assert report.safe
    assert report.intervals.to_pydict()["highest"] == [None]


# --- signs ---------------------------------------------------------------------------


@pytest.mark.parametrize("sign", ["x", "X", " : ", "..", "c", ""])
def test_the_usual_signs_withhold(sign: str) -> None:
    frame = {"sex": ["all", "f", "m"], "n": ["20", sign, sign]}
    assert ranges(tacit.audit(frame, by=SEX, count="n"))["f",] == (0, 20)


def test_a_missing_number_withholds() -> None:
    frame = pd.DataFrame({"sex": ["all", "f", "m"], "n": [20, None, None]})
    report = tacit.audit(frame, by=SEX, count="n")
    assert isinstance(report.intervals, pd.DataFrame)
    assert report.intervals["highest"].tolist() == [20, 20]


def test_frames_come_back_in_the_kind_that_was_given() -> None:
    frame = pl.DataFrame({"sex": ["all", "f", "m"], "n": ["20", "x", "4"]})
    report = tacit.audit(frame, by=SEX, count="n")
    assert isinstance(report.violations, pl.DataFrame)


def test_an_undeclared_sign_is_named_with_its_row() -> None:
    frame = {"sex": ["all", "f", "m"], "n": ["20", "(p)", "4"]}
    with pytest.raises(SourceError, match=r"'n', row 2: nobody declared.*'\(p\)'"):
        tacit.audit(frame, by=SEX, count="n")
    declared = tacit.audit(frame, by=SEX, count="n", symbols=["(p)"])
    assert found(declared) == {("f",): (16, 16)}


def test_an_empty_field_must_be_declared_if_signs_are() -> None:
    frame = {"sex": ["all", "f", "m"], "n": ["20", "", "4"]}
    with pytest.raises(SourceError, match="the field is empty"):
        tacit.audit(frame, by=SEX, count="n", symbols=["x"])
    numbers = {"sex": ["all", "f", "m"], "n": [20, None, 4]}
    with pytest.raises(SourceError, match="row 2: the field is empty"):
        tacit.audit(numbers, by=SEX, count="n", symbols=["x"])


def test_a_dash_is_zero_and_can_be_made_to_withhold() -> None:
    frame = {"sex": ["all", "f", "m", "d"], "n": ["20", "16", "4", "-"]}
    assert tacit.audit(frame, by=SEX, count="n").safe
    other = tacit.audit(frame, by=SEX, count="n", symbols=["-"], zeros=[])
    assert found(other) == {("d",): (0, 0)}
    with pytest.raises(InputError, match="cannot stand both"):
        tacit.audit(frame, by=SEX, count="n", symbols=["-"])


@pytest.mark.parametrize("number", ["1 200", "1.200.000", "1,5"])
def test_a_number_that_needs_guessing_is_refused(number: str) -> None:
    frame = {"sex": ["all", "f", "m"], "n": ["20", number, "4"]}
    with pytest.raises(SourceError, match=r"decimal mark is ..., thousands"):
        tacit.audit(frame, by=SEX, count="n")


# --- calls that make no sense -----------------------------------------------------


def table() -> tacit.Table:
    return tacit.Table.from_cells({"sex": ["f", "m"], "n": [2, 3]}, by=SEX, count="n")


def test_other_nouns_are_turned_away() -> None:
    with pytest.raises(InputError, match="Protect it first"):
        tacit.audit(tacit.assess(table(), MinFrequency(n=3)))
    with pytest.raises(InputError, match="holds true values"):
        tacit.audit(table())
    with pytest.raises(InputError, match="takes a release or a frame"):
        tacit.audit(3, by=SEX)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"by": None}, "needs by="),
        ({"by": {}}, "by= is empty"),
        ({"count": None}, "with value=, or with count="),
        ({"value": "n"}, "Name one column"),
        ({"count": "m"}, "no column 'm'"),
        ({"base": -5}, "number that the table was rounded to"),
        ({"time_limit": 0}, "seconds above 0"),
        ({"attackers": ["outsider"]}, "tacit.Attacker objects"),
        ({"attackers": [Attacker(bounds=(0.5, 1.5))]}, "need the true values"),
        ({"attackers": [Attacker(), Attacker(integral=False)]}, "one attacker at a"),
        ({"symbols": ["12"]}, "is a number"),
        ({"decimals": 9}, "between 0 and 6"),
    ],
)
def test_a_wrong_call_is_explained(options: dict[str, Any], says: str) -> None:
    frame = {"sex": ["all", "f", "m"], "n": ["20", "x", "4"], "label": ["a", "b", "c"]}
    given = {"by": SEX, "count": "n"} | options
    with pytest.raises(InputError, match=says):
        tacit.audit(frame, **given)


def test_amounts_cannot_be_judged_by_contributors() -> None:
    frame = {"sex": ["all", "f", "m"], "n": ["20", "x", "4"]}
    with pytest.raises(RuleError, match="only counts can be judged"):
        tacit.audit(frame, by=SEX, value="n", rule=MinFrequency(n=3))
    with pytest.raises(RuleError, match="only counts can be judged"):
        tacit.audit(frame, by=SEX, count="n", rule=tacit.PPercent(p=10))


def test_too_many_finest_cells_are_refused() -> None:
    wide = {f"d{k}": ["T", *(f"c{k}{i}" for i in range(60))] for k in range(3)}
    frames = [{name: codes, "n": ["5"] * 61} for name, codes in wide.items()]
    by = dict.fromkeys(wide, "T")
    with pytest.raises(InputError, match="216,000"):
        tacit.audit(
            [{**f, "n": ["300", *["5"] * 60]} for f in frames], by=by, count="n"
        )
