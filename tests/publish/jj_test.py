# SPDX-License-Identifier: Apache-2.0
"""A written problem is the one that methods solve, and stays inside."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tacit
from conformance.cases import assessments, frozen
from tacit import Attacker, Table
from tacit.errors import InputError
from tacit.protect import release_as_is, release_as_stated
from tacit.protect.suppress._build import ENDLESS, build_problem
from tacit.protect.suppress._costs import costs_of
from tacit.publish import publish
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit import Assessment

OUTSIDER = (Attacker(),)


def grid(counts: list[int], states: str = "usssssssz", **more: object) -> Assessment:
    """Three by three cells; the rows are a, b, c and the columns 1, 2, 3."""
    amounts = [20, 50, 10, 8, 19, 22, 17, 32, 12]
    names = {"u": "sensitive", "s": "safe", "z": "frozen", "m": "suppressed"}
    rows: dict[str, object] = {
        "row": [r for r in "abc" for _ in "123"],
        "column": list("123") * 3,
        "x": amounts,
        "n": counts,
        "s": [names[letter] for letter in states],
        "low": [x / 10 for x in amounts],
        "high": [x / 5 for x in amounts],
        "w": [float(x) for x in amounts],
    }
    table = Table.from_cells(
        rows,
        by={"row": "T", "column": "T"},
        value="x",
        count="n",
        state="s",
        lower="low",
        upper="high",
        cost="w",
        decimals=1,
    )
    return tacit.assess(table, **more)  # type: ignore[arg-type]


COUNTS = [9] * 9


def lines_of(assessment: Assessment, tmp_path: Path, **options: object) -> list[str]:
    path = assessment.internal.write_problem(tmp_path / "p.internal.jj", **options)
    return path.read_text().splitlines()


def test_each_cell_is_one_line(tmp_path: Path) -> None:
    lines = lines_of(grid(COUNTS), tmp_path, cost="column")
    assert lines[:2] == ["0", "16"]
    # Nobody bounds the cells, so bounds lie ten times the largest amount away.
    reach = 10 * (1900 + 40 + 1)
    assert lines[2] == f"0 190.0 190 s 0.00 {(1900 + reach) / 10:.2f} 0.0000 0.0000 0.0"
    assert lines[7] == f"5 20.0 20 u 0.00 {(200 + reach) / 10:.2f} 2.0000 4.0000 0.0"
    assert lines[17].split()[3] == "z"
    assert lines[18:21] == [
        "8",
        "0 4 : 0 (-1) 4 (1) 8 (1) 12 (1)",
        "0 4 : 1 (-1) 5 (1) 9 (1) 13 (1)",
    ]
    assert len(lines) == 19 + 8


def test_levels_are_rounded_up_as_methods_do(tmp_path: Path) -> None:
    assessment = grid(COUNTS)
    upl = assessment.upl.copy()
    upl[5] = 4.01
    lines = lines_of(replace(assessment, upl=upl), tmp_path)
    assert lines[7].split()[6:] == ["2.0000", "4.1000", "0.0"]


def test_bounds_are_those_of_the_attacker(tmp_path: Path) -> None:
    attacker = Attacker(bounds=(0.555, 1.555))
    lines = lines_of(grid(COUNTS), tmp_path, attacker=attacker)
    # 20 times 0.555 and 1.555 with two decimals, rounded towards the value.
    assert lines[7].split()[4:6] == ["11.10", "31.10"]
    # 17 times the same: 9.435 and 26.435.
    assert lines[15].split()[1:6] == ["17.0", "17", "s", "9.44", "26.43"]


def test_what_no_pattern_protects_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        lines_of(grid(COUNTS), tmp_path, attacker=Attacker(bounds=(0.95, 1.05)))
    assert "leave 1 sensitive cell less room than the levels ask for" in str(
        caught.value
    )
    assert "the first at row = a, column = 1" in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_release_hands_on_its_pattern(tmp_path: Path) -> None:
    release = release_as_stated(grid(COUNTS, "umsmmssss"))
    path = release.internal.write_problem(tmp_path / "r.internal.jj")
    status = [line.split()[3] for line in path.read_text().splitlines()[2:18]]
    assert "".join(status) == "ssss" + "sums" + "smms" + "ssss"
    again = release_as_stated(tacit.assess(Table.from_jj(path)))
    assert (again.withheld == release.withheld).all()


def test_secondaries_are_listed_by_index(tmp_path: Path) -> None:
    release = release_as_stated(grid(COUNTS, "umsmmssss"))
    path = release.internal.write_secondaries(tmp_path / "s.internal.txt")
    assert path.read_bytes() == b"6\n9\n10\n"
    with pytest.raises(InputError, match=r"must hold the word 'internal'"):
        release.internal.write_secondaries(tmp_path / "s.txt")
    with pytest.raises(InputError, match="exists, and nothing is overwritten unasked"):
        release.internal.write_secondaries(path)


def test_the_doors_stay_shut(tmp_path: Path) -> None:
    assessment = grid(COUNTS)
    with pytest.raises(InputError, match=r"'p\.internal\.jj'"):
        assessment.internal.write_problem(tmp_path / "p.jj")
    with pytest.raises(InputError, match="no format 'jjj' of the suppression problem"):
        assessment.internal.write_problem(tmp_path / "p.internal.jjj")
    path = assessment.internal.write_problem(tmp_path / "p.internal.jj")
    with pytest.raises(InputError, match="exists, and nothing is overwritten unasked"):
        assessment.internal.write_problem(path)
    assert assessment.internal.write_problem(path, force=True) == path
    safe = release_as_is(grid(COUNTS, "sssssssss"))
    with pytest.raises(InputError, match="holds the problem of suppression"):
        publish(safe, tmp_path / "t.jj")
    with pytest.raises(InputError, match="holds the problem of suppression"):
        safe.internal.write(tmp_path / "t.internal.jj")
    assert [p.name for p in tmp_path.iterdir()] == ["p.internal.jj"]


def test_other_values_are_no_pattern(tmp_path: Path) -> None:
    release = replace(release_as_is(grid(COUNTS, "sssssssss")), perturbed=True)
    with pytest.raises(InputError, match="it is no pattern of suppression"):
        release.internal.write_problem(tmp_path / "p.internal.jj")


def test_singletons_are_appended_when_asked(tmp_path: Path) -> None:
    # Row a: two sensitive parts, one of a single contributor. Row b: two sensitive
    # parts of many. Column 1: sensitive in a and b, and a is the single one.
    assessment = grid([1, 9, 9, 9, 9, 9, 9, 9, 9], "uusuussss")
    plain = lines_of(assessment, tmp_path)
    path = tmp_path / "s.internal.jj"
    assessment.internal.write_problem(path, singletons=True)
    lines = path.read_text().splitlines()
    assert lines[1] == "18"
    assert lines[2:18] == plain[2:18]
    ends = [int(plain[7 + k].replace(".", "").split()[5]) for k in range(6)]
    for line, values, k in ((lines[18], (20, 50), 1), (lines[19], (20, 8), 4)):
        fields = line.split()
        assert fields[1] == f"{sum(values)}.0"
        assert fields[2:5] == ["1", "u", "0.00"]
        assert int(fields[5].replace(".", "")) == ends[0] + ends[k]
        assert fields[6:] == ["0.0000", "0.1000", "0.0"]
    assert lines[20] == "10"
    assert lines[-2:] == ["0 3 : 5 (1) 6 (1) 16 (-1)", "0 3 : 5 (1) 9 (1) 17 (-1)"]
    again = tacit.assess(Table.from_jj(path))
    assert again.sensitive.sum() == assessment.sensitive.sum() + 2


def test_singletons_need_counts(tmp_path: Path) -> None:
    assessment = grid(COUNTS)
    bare = replace(assessment, table=assessment.table.updated(evidence=None))
    with pytest.raises(InputError, match="asks for the number of contributors"):
        lines_of(bare, tmp_path, singletons=True)


@given(st.one_of(assessments(), frozen()))
def test_a_file_read_back_is_the_same_problem(assessment: Assessment) -> None:
    table = assessment.table
    cost = costs_of(table, "value")
    problem, origin = build_problem(assessment, cost, attackers=OUTSIDER)
    assume((problem.need_up <= problem.room_up).all())
    assume((problem.need_down <= problem.room_down).all())
    again = read_back(assessment)
    new_cost = costs_of(again.table, "column")
    other, there = build_problem(again, new_cost, attackers=OUTSIDER)
    n = len(table)
    assert len(again) == n
    assert again.table.cells.value.tolist() == table.cells.value.tolist()
    # A frozen cell of value 0 comes back as an empty one: both stay as they are.
    held = spread(~problem.frozen | (problem.value != 0), origin, n)
    assert (spread(np.ones(len(there), bool), there, n) == held).all()
    assert (cost[there] == new_cost[there]).all()
    for name in ("sensitive", "need_down", "need_up", "need_width", "frozen", "forced"):
        mine, theirs = (
            spread(getattr(one, name), at, n)
            for one, at in ((problem, origin), (other, there))
        )
        assert (mine[there] == theirs[there]).all(), name
    for name in ("room_down", "room_up"):
        mine = spread(getattr(problem, name), origin, n)[there]
        theirs = getattr(other, name)
        endless = mine >= ENDLESS
        assert (mine[~endless] == theirs[~endless]).all(), name
        assert (theirs[endless] > 9 * np.abs(table.cells.value).max(initial=0)).all()
    assert (again.table.relations.matrix != table.relations.matrix).nnz == 0


@given(st.one_of(assessments(), frozen()))
def test_other_programs_read_levels_within_bounds(assessment: Assessment) -> None:
    """The repairs that the format asks for: room for every level, on both sides."""
    cost = costs_of(assessment.table, "unit")
    problem, _ = build_problem(assessment, cost, attackers=OUTSIDER)
    assume((problem.need_up <= problem.room_up).all())
    assume((problem.need_down <= problem.room_down).all())
    again = read_back(assessment)
    cells, levels = again.table.cells, again.table.levels
    assert cells.lower is not None
    assert cells.upper is not None
    assert levels is not None
    unit = 10.0**cells.decimals
    slack = 1e-6 * np.maximum(1.0, np.abs(cells.value))
    assert (cells.value - cells.lower + slack >= levels.lower * unit).all()
    assert (cells.upper - cells.value + slack >= levels.upper * unit).all()
    quiet = cells.state != State.SENSITIVE
    assert not (levels.lower + levels.upper + levels.sliding)[quiet].any()


def read_back(assessment: Assessment) -> Assessment:
    with tempfile.TemporaryDirectory() as folder:
        path = assessment.internal.write_problem(Path(folder) / "p.internal.jj")
        decimals = assessment.table.cells.decimals
        return tacit.assess(Table.from_jj(path, decimals=decimals))


def spread(
    column: NDArray[np.generic], origin: NDArray[np.int64], cells: int
) -> NDArray[np.generic]:
    full = np.zeros(cells, dtype=column.dtype)
    full[origin] = column
    return full


def test_the_same_assessment_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "1.internal.jj", tmp_path / "2.internal.jj"
    for path in (first, second):
        grid(COUNTS).internal.write_problem(path)
    assert first.read_bytes() == second.read_bytes()


def solved(assessment: Assessment, cost: str) -> float:
    release = tacit.suppress(assessment, "optimal", cost=cost, attackers=Attacker())
    assert not release.open_claims
    return release.cost


def test_the_optimum_stays_the_same(tmp_path: Path) -> None:
    assessment = grid(COUNTS, "ussssusss")
    path = assessment.internal.write_problem(tmp_path / "p.internal.jj")
    again = tacit.assess(Table.from_jj(path))
    assert solved(again, "column") == pytest.approx(solved(assessment, "value"))
