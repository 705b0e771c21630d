# SPDX-License-Identifier: Apache-2.0
"""The oracle numbers of the audit, by their ids."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from small_tables import margins, with_totals
from tacit.audit import (
    Problem,
    exact_disclosure,
    insider_problem,
    intervals,
    verdict,
)


def fischetti_salazar(factors: tuple[float, float] | None = None) -> Problem:
    """Rows II, III and columns A, C of the 3 x 3 table are hidden."""
    value = with_totals(np.array([[20, 50, 10], [8, 19, 22], [17, 32, 12]]))
    hidden = np.zeros((4, 4), dtype=bool)
    hidden[2:, [1, 3]] = True
    low, high = factors or (0.0, np.inf)
    return Problem.of(
        margins(3, 3),
        hidden.ravel(),
        value=value,
        lower=low * value,
        upper=high * value if factors else np.inf,
    )


def instruments() -> Problem:
    """Harps and Pianos in regions B and D are hidden."""
    turnover = [[58, 47, 36, 89], [71, 124, 24, 31], [92, 157, 59, 28]]
    value = with_totals(np.array([*turnover, [800, 934, 651, 742]]))
    hidden = np.zeros((5, 5), dtype=bool)
    hidden[np.ix_([1, 3], [2, 4])] = True
    return Problem.of(margins(4, 4), hidden.ravel(), value=value)


HARPS_B, HARPS_D, PIANOS_B, PIANOS_D = 7, 9, 17, 19


def ends(problem: Problem, cells: list[int]) -> list[tuple[float, float]]:
    found = intervals(problem, np.array(cells))
    return [
        (pytest.approx(low), pytest.approx(high))
        for low, high in zip(found.lowest, found.highest, strict=True)
    ]


def test_oc1_intervals_of_the_fischetti_salazar_table() -> None:
    assert ends(fischetti_salazar(), [11, 9, 13, 15]) == [
        (5, 30), (0, 25), (0, 25), (4, 29),
    ]  # fmt: skip


def test_oc2_prior_knowledge_of_half_the_value_narrows_them() -> None:
    assert ends(fischetti_salazar((0.5, 1.5)), [11, 15]) == [(18, 26), (8, 16)]


def test_oc4_intervals_of_the_instruments_pattern() -> None:
    cells = [HARPS_B, PIANOS_D, HARPS_D, PIANOS_B]
    assert ends(instruments(), cells) == [(19, 136), (0, 117), (0, 117), (68, 185)]


def test_oc5_the_owner_of_pianos_in_d_sees_all_four_cells() -> None:
    insider = insider_problem(instruments(), np.array([PIANOS_D]))
    known = exact_disclosure(insider)
    assert known[[HARPS_B, HARPS_D, PIANOS_B]].all()
    assert not known[PIANOS_D]  # published to the insider, not inferred
    assert ends(insider, [HARPS_B]) == [(47, 47)]
    found = verdict(insider, np.array([HARPS_B]), lower=np.ones(1), upper=np.ones(1))
    assert found.failed.all()


def test_oe5_geurts_table() -> None:
    rows = csr_array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    totals = csr_array(-np.eye(4, dtype=int))
    matrix = csr_array(np.hstack([rows.toarray(), totals.toarray()]))
    problem = Problem(
        matrix,
        hidden=np.array([True] * 4 + [False] * 4),
        published=np.array([0, 0, 0, 0, 7, 3, 6, 4]),
        lower=np.zeros(8),
        upper=np.full(8, np.inf),
    )
    assert ends(problem, [0, 1, 2, 3]) == [(3, 6), (1, 4), (0, 3), (0, 3)]


def test_oe19_income_by_nation_and_age() -> None:
    """Nation totals, and continent by age: three parents over six inner cells."""
    names = [
        "Total", "old", "young", "Europe", "America", "Europe-old", "Europe-young",
        "America-old", "America-young", "Denmark", "France",
    ]  # fmt: skip
    europe_old, europe_young = 1220 + 28160, 160 + 1760
    true = {
        "Europe-old": europe_old,
        "Europe-young": europe_young,
        "America-old": 13010,
        "America-young": 9300,
        "Denmark": 1380,
        "France": europe_old + europe_young - 1380,
        "Europe": europe_old + europe_young,
        "America": 22310,
        "old": europe_old + 13010,
        "young": europe_young + 9300,
        "Total": europe_old + europe_young + 22310,
    }
    rows = [
        ("Total", "Europe", "America"),
        ("Total", "old", "young"),
        ("old", "Europe-old", "America-old"),
        ("young", "Europe-young", "America-young"),
        ("Europe", "Europe-old", "Europe-young"),
        ("America", "America-old", "America-young"),
        ("Europe", "Denmark", "France"),
    ]
    matrix = np.zeros((len(rows), len(names)), dtype=int)
    for r, (total, *parts) in enumerate(rows):
        matrix[r, names.index(total)] = -1
        matrix[r, [names.index(part) for part in parts]] = 1
    shown = {"Total", "old", "young", "Europe", "America"}
    problem = Problem.of(
        csr_array(matrix),
        np.array([name not in shown for name in names]),
        value=np.array([true[name] for name in names]),
    )
    at = [names.index(n) for n in ("Denmark", "America-old", "America-young")]
    at.append(names.index("Europe-young"))
    assert ends(problem, at) == [
        (0, 31300), (11090, 22310), (0, 11220), (0, 11220),
    ]  # fmt: skip


def test_o1_14_three_margins_fix_the_booksellers_table_by_non_negativity() -> None:
    inner = np.array([[[11, 10], [12, 0]], [[0, 16], [8, 11]]])
    hidden = np.zeros((3, 3, 3), dtype=bool)
    hidden[1:, 1:, 1:] = True
    problem = Problem.of(
        margins(2, 2, 2), hidden.ravel(), value=with_totals(inner), upper=np.inf
    )
    cells = np.flatnonzero(problem.hidden)
    assert np.linalg.matrix_rank(problem.matrix.toarray()[:, cells]) == 7  # of 8
    assert not exact_disclosure(problem).any()  # so not by the equations
    found = intervals(problem, cells)
    assert found.lowest.tolist() == inner.ravel().tolist()
    assert found.highest.tolist() == inner.ravel().tolist()
    ones = np.ones(8)
    assert verdict(problem, cells, lower=ones, upper=ones).failed.all()


# Provinces of the Netherlands below four parts of the country. Friesland (19) and
# Flevoland (12) are hidden; what is shown adds up to 386 of 417.
PROVINCES = {
    "North": {"Groningen": 21, "Friesland": 19, "Drenthe": 14},
    "East": {"Overijssel": 27, "Flevoland": 12, "Gelderland": 50},
    "West": {"Utrecht": 36, "Noord-Holland": 80, "Zuid-Holland": 74, "Zeeland": 9},
    "South": {"Noord-Brabant": 52, "Limburg": 23},
}


def provinces(*hidden: str) -> tuple[Problem, list[str]]:
    names, values, rows = ["Total"], [417], [["Total"]]
    for part, inside in PROVINCES.items():
        names += [part, *inside]
        values += [sum(inside.values()), *inside.values()]
        rows[0].append(part)
        rows.append([part, *inside])
    matrix = np.zeros((len(rows), len(names)), dtype=int)
    for r, (total, *parts) in enumerate(rows):
        matrix[r, names.index(total)] = -1
        matrix[r, [names.index(part) for part in parts]] = 1
    value = np.array(values)
    mask = np.array([name in hidden for name in names])
    return Problem.of(csr_array(matrix), mask, value=value), names


def test_o1_15_both_provinces_are_recovered() -> None:
    problem, names = provinces("Friesland", "Flevoland")
    leaves = [
        name in {p for part in PROVINCES.values() for p in part} for name in names
    ]
    assert problem.published[leaves].sum() == 386
    assert problem.published[0] - 386 == 31
    assert {names[i] for i in np.flatnonzero(exact_disclosure(problem))} == {
        "Friesland",
        "Flevoland",
    }
    at = [names.index("Friesland"), names.index("Flevoland")]
    assert ends(problem, at) == [(19, 19), (12, 12)]


def test_o1_16_two_more_provinces_repair_it() -> None:
    four = ["Groningen", "Friesland", "Overijssel", "Flevoland"]
    problem, names = provinces(*four)
    assert not exact_disclosure(problem).any()
    assert ends(problem, [names.index(name) for name in four]) == [
        (0, 40), (0, 40), (0, 39), (0, 39),
    ]  # fmt: skip
