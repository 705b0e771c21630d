# SPDX-License-Identifier: Apache-2.0
"""JJ files are read as they stand, and refused with all that is wrong with them."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.errors import AdditivityError, InputError, SourceError
from tacit.table import State, Table

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL = """\
0
6
0 17.50 20 s 0.000 30.000 0.00000 0.00000 0.00
1 10.00 3 s 0.000 30.000 0.00000 0.00000 0.00
2 4.50 7 u 0.125 30.000 1.50000 2.25000 0.75
3 3.00 2.5 m 0.000 30.000 0.00000 0.00000 0.00
4 10.00 1 z 0.000 30.000 0.00000 0.00000 0.00
5 0.00 1 z 0.00 30.00 0.00000 0.00000 0.00
2
0 4 : 0 (-1) 1 (1) 2 (1) 3 (1)
0 3 : 1 (-1) 4 (1) 5 (1)
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def to_file(text: str) -> Path:
        path = tmp_path / "small.jj"
        path.write_text(text)
        return path

    return to_file


def lines_of(text: str) -> list[str]:
    return text.splitlines()


def changed(line: int, new: str) -> str:
    lines = lines_of(SMALL)
    lines[line - 1] = new
    return "\n".join(lines)


def test_every_field_arrives(write: Callable[[str], Path]) -> None:
    table = Table.from_jj(write(SMALL))
    cells, levels = table.cells, table.levels
    # One bound has three decimals, so everything is held with three.
    assert cells.decimals == 3
    assert cells.value.tolist() == [17500, 10000, 4500, 3000, 10000, 0]
    assert cells.lower is not None
    assert cells.upper is not None
    assert cells.cost is not None
    assert cells.lower.tolist() == [0, 0, 125, 0, 0, 0]
    assert cells.upper.tolist() == [30000] * 6
    assert cells.cost.tolist() == [20, 3, 7, 2.5, 1, 1]
    assert [State(s).label for s in cells.state.tolist()] == [
        *("safe", "safe", "sensitive", "suppressed", "frozen", "empty")
    ]
    assert levels is not None
    assert [levels.lower[2], levels.upper[2], levels.sliding[2]] == [1.5, 2.25, 0.75]
    assert table.names == ("cell",)
    assert table.find({"cell": "4"}) == 4
    assert table.relations.matrix.toarray().tolist() == [
        [-1, 1, 1, 1, 0, 0],
        [0, -1, 0, 0, 1, 1],
    ]


def test_decimals_are_those_that_values_are_written_with(
    write: Callable[[str], Path],
) -> None:
    text = (
        SMALL.replace("0.125", "0.120").replace("4.50", "4.5").replace("17.50", "17.5")
    )
    table = Table.from_jj(write(text))
    assert table.cells.decimals == 2
    assert table.cells.value.tolist() == [1750, 1000, 450, 300, 1000, 0]


def test_decimals_may_be_declared(write: Callable[[str], Path]) -> None:
    assert Table.from_jj(write(SMALL), decimals=4).cells.value[0] == 175_000
    with pytest.raises(InputError, match="decimals=7 must be between 0 and 6"):
        Table.from_jj(write(SMALL), decimals=7)


def test_packed_files_and_other_line_ends_are_read(tmp_path: Path) -> None:
    packed = tmp_path / "small.jj.gz"
    packed.write_bytes(gzip.compress(SMALL.replace("\n", " \r\n").encode() + b"\r\n"))
    assert len(Table.from_jj(packed)) == 6


def test_a_file_without_relations_is_a_table_without_any(
    write: Callable[[str], Path],
) -> None:
    text = "0\n1\n0 5 1 s 0 9 0 0 0\n0\n"
    assert len(Table.from_jj(write(text)).relations) == 0


def test_a_frozen_cell_stays_and_a_suppressed_one_goes(
    write: Callable[[str], Path],
) -> None:
    # Without the cells 4 and 5 of relation 2 the sensitive cell can hide behind 3.
    release = tacit.suppress(
        tacit.assess(Table.from_jj(write(SMALL))),
        cost="column",
        attackers=tacit.Attacker(),
    )
    assert np.flatnonzero(release.withheld).tolist() == [2, 3]
    assert release.audited(attackers=tacit.Attacker()).safe


@pytest.mark.parametrize(
    ("line", "new", "message"),
    [
        (1, "3", "line 1: a JJ file begins with a line that is 0"),
        (2, "six", "line 2: here the number of cells should stand"),
        (2, "0", "line 2: here the number of cells should stand"),
        (
            2,
            "5",
            "line 8: here the number of relations should stand, after the 5 cells",
        ),
        (
            2,
            "7",
            "line 10: here the number of relations should stand, after the 7 cells",
        ),
        (4, "1 10.00 3 s 0.000 30.000 0.00000 0.00000", "and here are 8."),
        (5, "3 4.50 7 u 0 30 1 1 0", "line 5: the index is 3, and the next cell is 2"),
        (5, "x 4.50 7 u 0 30 1 1 0", "line 5: the index is not a whole number"),
        (5, "2 4,50 7 u 0 30 1 1 0", "line 5: value is not a plain decimal number"),
        (5, "2 4.5e0 7 u 0 30 1 1 0", "line 5: value is not a plain decimal number"),
        (5, "2 4.1234567 7 u 1 30 1 1 0", "line 5: value has more than 6 decimals."),
        (
            5,
            "2 9999999999999999999 7 u 1 30 1 1 0",
            "line 5: value with 2 decimals does not fit in 64 bits",
        ),
        (5, "2 4.50 -7 u 0 30 1 1 0", "line 5: weight is not a number, 0 or more."),
        (5, "2 4.50 nan u 0 30 1 1 0", "line 5: weight is not a number, 0 or more."),
        (5, "2 4.50 7 u 0 30 1 -1 0", "line 5: upl is not a number, 0 or more."),
        (
            5,
            "2 4.50 7 w 0 30 1 1 0",
            "line 5: the status 'w' is not known. Valid names: 'm', 's', 'u', 'z'.",
        ),
        (5, "2 4.50 7 u 5 30 1 1 0", "line 5: lb, the lower bound, is above"),
        (5, "2 4.50 7 u 0 4 1 1 0", "line 5: ub, the upper bound, is below"),
        (9, "two", "line 9: here the number of relations should stand"),
        (9, "1", "line 11: the file goes on after the 1 relations that line 9"),
        (9, "3", "line 11: the file ends here. It declares 3 relations, and 2 lines"),
        (10, "5 2 : 0 (-1) 1 (1)", "line 10: rhs, the right side, must be 0"),
        (10, "0 2 0 (-1) 1 (1)", "line 10: a relation is written"),
        (10, "0 2 : 0 (-1) 1", "line 10: a relation is written"),
        (10, "0 3 : 0 (-1) 1 (1)", "line 10: the relation says 3 cells, and 2 follow."),
        (10, "0 0 :", "line 10: the relation has no cells."),
        (
            10,
            "0 2 : 0 (-1) 6 (1)",
            "line 10: there is no cell 6: cells are counted from 0 to 5.",
        ),
        (10, "0 2 : 0 (-2) 1 (1)", "line 10: the coefficient of cell 0 is -2."),
        (10, "0 3 : 0 (-1) 1 (1) 1 (1)", "line 10: cell 1 stands in it twice."),
    ],
)
def test_what_is_wrong_is_said_by_line(
    write: Callable[[str], Path], line: int, new: str, message: str
) -> None:
    with pytest.raises(SourceError) as caught:
        Table.from_jj(write(changed(line, new)))
    assert message in str(caught.value)
    assert "'small.jj' has 1 problem." in str(caught.value)


def test_everything_that_is_wrong_is_said_at_once(
    write: Callable[[str], Path],
) -> None:
    text = SMALL.replace("2 4.50 7 u", "2 four 7 x").replace("5 (1)", "9 (1)")
    with pytest.raises(SourceError) as caught:
        Table.from_jj(write(text))
    assert str(caught.value).splitlines() == [
        "'small.jj' has 3 problems.",
        "  - line 5: the status 'x' is not known. Valid names: 'm', 's', 'u', 'z'.",
        "  - line 5: value is not a plain decimal number, such as 12.50.",
        "  - line 11: there is no cell 9: cells are counted from 0 to 5.",
    ]


def test_more_decimals_than_declared_are_refused(write: Callable[[str], Path]) -> None:
    with pytest.raises(SourceError) as caught:
        Table.from_jj(write(SMALL), decimals=1)
    assert str(caught.value).splitlines() == [
        "'small.jj' has 1 problem.",
        "  - line 5: lb has more than 1 decimal. Read it with decimals=2 or more.",
    ]


def test_many_problems_are_counted(write: Callable[[str], Path]) -> None:
    cells = [f"{i} 0 1 q 0 9 0 0 0" for i in range(50)]
    with pytest.raises(SourceError) as caught:
        Table.from_jj(write("\n".join(["0", "50", *cells, "0"])))
    lines = str(caught.value).splitlines()
    assert lines[0] == "'small.jj' has 50 problems."
    assert lines[-1] == "  and 30 more"


@pytest.mark.parametrize("kept", range(11))
def test_a_file_cut_off_is_never_read(write: Callable[[str], Path], kept: int) -> None:
    with pytest.raises(SourceError, match=r"ends here|should stand|begins with"):
        Table.from_jj(write("\n".join(lines_of(SMALL)[:kept])))


def test_relations_that_do_not_add_up_are_named(write: Callable[[str], Path]) -> None:
    text = changed(4, "1 11.00 3 s 0.000 30.000 0.00000 0.00000 0.00")
    with pytest.raises(AdditivityError) as caught:
        Table.from_jj(write(text))
    assert str(caught.value).splitlines()[:3] == [
        "The table does not add up: 2 of 2 relations fail.",
        "  - line 10: 0 (-1) 1 (1) 2 (1) 3 (1): parts minus total is +1.000",
        "  - line 11: 1 (-1) 4 (1) 5 (1): parts minus total is -1.000",
    ]
    table = Table.from_jj(write(text), tolerance=1000)
    assert table.residuals_accepted == 2


def test_long_relations_are_shortened_in_words(write: Callable[[str], Path]) -> None:
    cells = ["0 99 1 s 0 99 0 0 0", *(f"{i} 1 1 s 0 9 0 0 0" for i in range(1, 100))]
    terms = " ".join(["0 (-1)", *(f"{i} (1)" for i in range(1, 100))])
    text = "\n".join(["0", "100", *cells, "1", f"0 100 : {terms}"])
    words = Table.from_jj(write(text)).relations.describe(0)
    assert words.startswith("line 104: 0 (-1) 1 (1) 2 (1)")
    assert words.endswith("(1) ...")
    assert len(words) < 100


def test_no_amount_is_shown(write: Callable[[str], Path]) -> None:
    for line in ("2 4.50 7.77x q 31.415 27.182 1.618a 1 0", "2 u 7.77 4.50 0 31 a 1 0"):
        with pytest.raises(SourceError) as caught:
            Table.from_jj(write(changed(5, line)))
        told = str(caught.value)
        secrets = ("4.5", "7.77", "31.4", "27.1", "1.618")
        assert not any(secret in told for secret in secrets)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (gzip.compress(SMALL.encode())[:-20], "it is cut off or damaged"),
        (b"\x1f\x8b" + b"nonsense" * 9, "cannot be read"),
        (SMALL.replace("six", "").encode() + b"\xff\xfe", "line 12: this is no plain"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, raw: bytes, message: str) -> None:
    path = tmp_path / "broken.jj.gz"
    path.write_bytes(raw)
    with pytest.raises(SourceError, match=message):
        Table.from_jj(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none\.jj' cannot be read: No such file"):
        Table.from_jj(tmp_path / "none.jj")


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """The small file with a few words or lines changed, taken out or doubled."""
    lines = lines_of(SMALL)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        words = lines[at].split(" ")
        word = draw(st.integers(0, len(words) - 1))
        new = draw(st.sampled_from(["", "-1", "0.5", "9" * 25, "s", "(1)", ":", "1 1"]))
        how = draw(st.sampled_from(["word", "word", "word", "lost", "twice"]))
        words[word] = new
        lines[at : at + 1] = {
            "word": [" ".join(words)],
            "lost": [],
            "twice": [lines[at]] * 2,
        }[how]
        if not lines:
            break
    return "\n".join(lines)


@given(damaged())
def test_a_damaged_file_gives_an_error_or_a_table_that_adds_up(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.jj"
        path.write_text(text)
        try:
            table = Table.from_jj(path)
        except (SourceError, AdditivityError) as error:
            assert "line " in str(error)  # noqa: PT017 - both ends are right
            return
    cells = table.cells
    assert str(len(table)) == text.splitlines()[1].strip()
    assert not table.relations.residuals(cells.value).any()
    assert cells.lower is not None
    assert cells.upper is not None
    assert ((cells.lower <= cells.value) & (cells.value <= cells.upper)).all()
