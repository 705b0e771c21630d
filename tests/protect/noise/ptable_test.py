# SPDX-License-Identifier: Apache-2.0
"""Tables of transition probabilities: their design, their files, what they refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.optimize import minimize

from tacit.errors import InputError
from tacit.protect.noise import Design, PTable

if TYPE_CHECKING:
    from pathlib import Path


def test_the_symmetric_row_of_two_steps_and_variance_one() -> None:
    row = Design(D=2, V=1).table().row(2)
    assert row == pytest.approx(
        [0.063827, 0.244691, 0.382963, 0.244691, 0.063827], abs=1e-6
    )


@pytest.mark.parametrize(
    ("file", "design"),
    [
        ("r_peers/exp_ptable_cnt_D5_V3_js2.csv", {"D": 5, "V": 3.0, "js": 2}),
        (
            "r_peers/exp_ptable_cnt_D2_V108_js1.csv",
            {"D": 2, "V": 1.08, "js": 1, "strict": False},
        ),
        (
            "argus/cellkey_magnitude/ptab_freq.txt",
            {"D": 5, "V": 3.0, "js": 2, "pstay": 0.5},
        ),
        (
            "argus/cellkey_magnitude/ptab_savings_all.txt",
            {"D": 5, "V": 1.0, "kind": "magnitude"},
        ),
        ("argus/cellkey_frequency/tau_testW_ptable.txt", {"D": 7, "V": 4.0, "js": 2}),
    ],
)
def test_tables_of_other_programs_are_found_again(
    file: str, design: dict[str, Any], shared_data: Path
) -> None:
    given_table = PTable.read(shared_data / file)
    mine = Design(**design).table()
    theirs = dict(
        zip(zip(given_table.i, given_table.j, strict=True), given_table.p, strict=True)
    )
    found = dict(zip(zip(mine.i, mine.j, strict=True), mine.p, strict=True))
    for pair in theirs.keys() | found.keys():
        assert found.get(pair, 0.0) == pytest.approx(theirs.get(pair, 0.0), abs=1e-7)


def test_a_table_with_tiny_probabilities_is_read(shared_data: Path) -> None:
    path = shared_data / "argus/cellkey_frequency/20160511_szenario_5a.txt"
    table = PTable.read(path)
    assert table.largest == 5
    assert len(table.numbers) == 9


designs = st.builds(
    dict,
    D=st.integers(1, 8),
    js=st.integers(0, 3),
    share=st.floats(0.2, 0.8),
    monotone=st.booleans(),
)


@settings(deadline=None, max_examples=40)
@given(designs)
def test_rows_are_unbiased_of_the_variance_asked_for_and_bounded(
    asked: dict[str, Any],
) -> None:
    share = asked.pop("share")
    try:
        table = Design(V=share * asked["D"], **asked).table()
    except InputError as error:
        assert "out of reach" in str(error) or "no unbiased noise" in str(error)  # noqa: PT017
        return
    moments = table.moments().to_pydict()
    assert moments["mean"] == pytest.approx([0.0] * len(table.numbers), abs=1e-8)
    assert moments["variance"][1:] == pytest.approx(
        [share * asked["D"]] * (len(table.numbers) - 1), abs=1e-7
    )
    assert table.largest <= asked["D"]
    assert not any(1 <= j <= asked["js"] for j in table.j)


@pytest.mark.parametrize(("D", "V", "js"), [(2, 1.0, 0), (5, 3.0, 2), (4, 2.0, 1)])
def test_no_distribution_is_more_uncertain(D: int, V: float, js: int) -> None:  # noqa: N803
    table = Design(D=D, V=V, js=js).table()
    row = table.row(D + js + 1)
    noise = np.arange(-D, D + 1.0)

    def entropy(p: Any) -> float:
        return float((p * np.log(np.maximum(p, 1e-300))).sum())

    found = minimize(
        entropy,
        np.full(len(noise), 1 / len(noise)),
        method="SLSQP",
        bounds=[(0, 1)] * len(noise),
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ noise},
            {"type": "eq", "fun": lambda p: p @ noise**2 - V},
        ],
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert entropy(row) <= found.fun + 1e-6
    assert row == pytest.approx(found.x, abs=1e-3)


def test_a_variance_out_of_reach_names_what_can_be_had() -> None:
    with pytest.raises(InputError, match=r"row i = 3: .* lies between 0 and 1\."):
        Design(D=2, V=1.08, js=1).table()


def test_the_reading_as_a_privacy_budget() -> None:
    epsilon, delta = Design(D=2, V=1).table().privacy()
    p = Design(D=2, V=1).table()
    here, there = p.row(2), p.row(3)
    shifted = [abs(np.log(here[k + 1] / there[k])) for k in range(4)]
    assert epsilon >= max(shifted) - 1e-12
    assert delta >= here[0]


@pytest.mark.parametrize("form", ["tau_argus", "ptable"])
def test_a_table_that_is_written_is_read_again(form: Any, tmp_path: Path) -> None:
    table = Design(D=3, V=1.5, js=1).table()
    path = table.write(tmp_path / "p.csv", form=form)
    again = PTable.read(path)
    assert again.i == table.i
    assert again.j == table.j
    assert again.p == pytest.approx(table.p, abs=1e-11)
    header = path.read_text().split("\n")[0]
    assert (
        header
        == {
            "tau_argus": "i;j;p;v;p_int_ub",
            "ptable": "i,j,p,v,p_int_lb,p_int_ub,type",
        }[form]
    )
    with pytest.raises(InputError, match="is not overwritten"):
        table.write(path)


def test_of_several_types_one_must_be_named(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(
        "i,j,p,v,p_int_lb,p_int_ub,type\n0,0,1,0,0,1,even\n1,0,0.5,-1,0,0.5,even\n"
        "1,2,0.5,1,0.5,1,even\n0,0,1,0,0,1,odd\n"
    )
    assert len(PTable.read(f"{path}:even").i) == 3
    with pytest.raises(InputError, match="several types: even, odd"):
        PTable.read(path)
    with pytest.raises(InputError, match="no type 'all'"):
        PTable.read(f"{path}:all")


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (((0, 1, 1), (0, 0, 2), (1, 0.5, 0.4)), "row i = 1 add up to 0.9, not to 1"),
        (((0, 1, 1), (0, 2, 0), (1, 0.5, 0.5)), "sorted by i, then by j"),
        (((0, 1, 1), (0, 0, 2), (1, 1.5, -0.5)), "no probability between 0 and 1"),
        (((0, 0), (0, 1), (0.5, 0.5)), "an empty cell stays empty"),
        (((0, 1, 1), (0, -1, 2), (1, 0.5, 0.5)), "cannot be negative"),
        (((0, 1), (0,), (1, 1)), "differ in length"),
    ],
)
def test_tables_that_make_no_sense_are_refused(entries: Any, words: str) -> None:
    i, j, p = entries
    with pytest.raises(ValidationError, match=words):
        PTable(i=i, j=j, p=p)


def test_a_file_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text("i;j;p;v;p_int_ub\n0;0;1;0;1\n1;0;0.5;-1;0.5\n1;2;0.4;1;0.9\n")
    with pytest.raises(InputError, match=r"'p\.txt' cannot be used: .* add up to 0\.9"):
        PTable.read(path)
    path.write_text("i;p\n0;1\n")
    with pytest.raises(InputError, match="has no column 'j'"):
        PTable.read(path)
    path.write_text("i;j;p\n0;0;one\n")
    with pytest.raises(InputError, match="no number in column 'p' of line 2"):
        PTable.read(path)
    with pytest.raises(InputError, match="cannot be read"):
        PTable.read(tmp_path / "absent.txt")


@pytest.mark.parametrize("D", [0, -1, 0.5])
def test_the_largest_change_is_at_least_one(D: Any) -> None:  # noqa: N803
    with pytest.raises(ValidationError, match="D"):
        Design(D=D, V=1)


def test_rows_are_drawn() -> None:
    pytest.importorskip("matplotlib")
    figure = Design(D=2, V=1).table().plot()
    assert len(figure.axes) == 2
