# SPDX-License-Identifier: Apache-2.0
"""Who knows that counts are whole is led only by moves in whole numbers."""

from __future__ import annotations

import itertools

import highspy
import numpy as np
from hypothesis import HealthCheck, given, settings

import tacit
from strategies import tables
from tacit.attacker import Attacker
from tacit.protect.suppress._auto import auto
from tacit.protect.suppress._build import build_problem
from tacit.protect.suppress._integral import Draft, whole_amounts

KNOWN = Attacker(others_at_least_one=True)


def counts(n: list[int]) -> tacit.Table:
    codes = [f"c{k}" for k in range(len(n))]
    return tacit.Table.from_cells({"age": codes, "n": n}, by={"age": "all"}, count="n")


def test_two_ones_need_a_third_cell() -> None:
    """15 = 10 + 3 + x + x': with both at least 1 their sum 2 gives them away."""
    asked = tacit.assess(counts([10, 3, 1, 1]), tacit.MinFrequency(n=2))
    release = tacit.suppress(asked, attackers=[KNOWN])
    assert release.provenance["open"] == 0
    assert release.withheld[1:].sum() >= 3


def test_three_ones_give_themselves_away() -> None:
    asked = tacit.assess(counts([1, 1, 1]), tacit.MinFrequency(n=2))
    release = tacit.suppress(asked, attackers=[KNOWN])
    assert release.withheld[0] or release.provenance["open"]


def ways(release: tacit.Release, *, least: int) -> np.ndarray:
    """Every table of counts that agrees with what is published, one a row."""
    table, hidden = release.table, release.withheld
    rows = table.relations.matrix.toarray()
    cells = np.flatnonzero(hidden)
    value = table.cells.value
    found = []
    top = int(value.max()) + 3
    for guess in itertools.product(range(least, top), repeat=len(cells)):
        other = value.copy()
        other[cells] = guess
        if not (rows @ other).any():
            found.append(other)
    return np.array(found)


def test_all_tables_of_counts_leave_each_small_cell_a_choice() -> None:
    for n in ([4, 3, 1, 1], [5, 1, 1], [3, 2, 1, 4], [2, 1, 1, 1, 6]):
        asked = tacit.assess(counts(n), tacit.MinFrequency(n=2))
        release = tacit.suppress(asked, attackers=[KNOWN])
        if release.provenance["open"] or release.withheld.sum() > 5:
            continue
        found = ways(release, least=1)
        for cell in np.flatnonzero(asked.sensitive).tolist():
            assert len(set(found[:, cell].tolist())) > 1


def halves() -> Draft:
    """z1 + z2 = 2 z0 cannot be solved in whole numbers with z0 = 1, z1 = z2 / 3 ..."""
    starts, rows = np.array([0, 1, 2], dtype=np.int32), np.array([0, 0], dtype=np.int32)
    values = np.array([1.0, -2.0])
    room = np.array([5.0, 5.0]), np.array([5.0, 5.0])
    weights, price = np.array([1.0, 0.0]), np.ones(2)
    return Draft((starts, rows, values, 1), room, weights, 1.0, price)


def solver() -> object:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)  # noqa: FBT003 - its interface
    return highs


def test_a_fractional_move_is_solved_again_in_whole_numbers() -> None:
    """z0 = 2 z1: the program answers (1, 1/2), whole numbers need (2, 1)."""
    draft = halves()
    assert not draft.holds(np.array([1.0, 0.5]))
    found = whole_amounts(solver(), draft, np.array([1.0, 0.5]))
    assert found is not None
    assert found.tolist() == [2.0, 1.0]


def test_no_whole_move_means_no_proof() -> None:
    draft = halves()._replace(room=(np.array([1.0, 5.0]), np.array([1.0, 5.0])))
    assert whole_amounts(solver(), draft, np.array([1.0, 0.5])) is None


def test_magnitudes_are_whole_only_if_the_attacker_knows() -> None:
    table = tacit.Table.from_cells(
        {"age": ["a", "b"], "v": [5, 70], "n": [1, 9]},
        by={"age": "all"}, value="v", count="n",
    )  # fmt: skip
    asked = tacit.assess(table, tacit.MinFrequency(n=2))
    for attacker, whole in ((Attacker(), False), (Attacker(integral=True), True)):
        problem, _ = build_problem(asked, np.ones(3), attackers=[attacker])
        assert problem.whole is whole


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(max_dimensions=3, is_count=True))
def test_all_moves_of_random_counts_are_whole(table: tacit.Table) -> None:
    asked = tacit.assess(table, tacit.MinFrequency(n=3))
    cost = np.maximum(table.cells.value.astype(float), 1.0)
    problem, _ = build_problem(asked, cost, attackers=[Attacker()])
    ledger = auto(problem, time_limit=20).ledger
    assert ledger is not None
    rows = problem.relations.astype(np.int64)
    for move in ledger.moves:
        z = np.zeros(len(problem), dtype=np.int64)
        z[move.cells] = move.amounts.astype(np.int64)
        assert (z[move.cells] == move.amounts).all()
        assert not (rows @ z).any()
