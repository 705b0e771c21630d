# SPDX-License-Identifier: Apache-2.0
"""Suppression problems of the exchange format whose optimum is known, by their names.

The costs of the literature count the sensitive cells as well; so do the numbers here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

import tacit
from tacit import Attacker, Table
from tacit.protect import release_as_stated, release_with_secondaries
from tacit.protect.suppress._scip import installed

if TYPE_CHECKING:
    from pathlib import Path

    from tacit import Assessment, Release

OUTSIDER = Attacker()


class Known(NamedTuple):
    """What is in a file, and the least cost with and without the sensitive cells."""

    name: str
    cells: int
    relations: int
    sensitive: int
    frozen_or_empty: int
    optimum: int
    secondary: int


FLAT = (
    Known("d2_50x50_3", 2601, 102, 98, 369, 5403, 442),
    Known("d2_50x50_5", 2601, 102, 194, 372, 11059, 431),
)
CUBE = Known("d3_6x6x6", 343, 147, 12, 27, 1775, 1441)
every_problem = pytest.mark.parametrize("known", [*FLAT, CUBE], ids=lambda k: k.name)


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    """Give the folder of the problems, or skip."""
    found = shared_data / "argus" / "jj_bench"
    if not found.is_dir():
        pytest.skip(f"the problems are not on this machine ({found.name})")
    return found


def assessed(folder: Path, known: Known) -> Assessment:
    return tacit.assess(Table.from_jj(folder / f"{known.name}.jj.gz"))


def whole_cost(release: Release) -> float:
    """The weights of everything withheld, as the literature counts."""
    cost = release.table.cells.cost
    assert cost is not None
    return float(cost[release.withheld].sum())


@every_problem
def test_the_problems_arrive_whole(folder: Path, known: Known) -> None:
    assessment = assessed(folder, known)
    summary = assessment.summary()
    assert len(assessment) == known.cells
    assert len(assessment.table.relations) == known.relations
    assert summary["sensitive"] == known.sensitive
    assert summary["frozen"] + summary["empty"] == known.frozen_or_empty
    assert assessment.table.cells.decimals == 2


@every_problem
def test_the_known_patterns_hold_and_cost_what_they_should(
    folder: Path, known: Known
) -> None:
    listed = folder / f"{known.name}.optimal_secondaries.txt"
    release = release_with_secondaries(assessed(folder, known), listed)
    assert release.cost == known.secondary
    assert whole_cost(release) == known.optimum
    assert release.audited(attackers=OUTSIDER).safe


@pytest.mark.parametrize("known", FLAT, ids=lambda k: k.name)
def test_the_optimum_is_found_and_proven(folder: Path, known: Known) -> None:
    release = tacit.suppress(
        assessed(folder, known), "optimal", cost="column", attackers=OUTSIDER
    )
    assert not release.open_claims
    assert whole_cost(release) == known.optimum
    assert release.cost == known.secondary
    assert release.bound == pytest.approx(known.secondary, rel=1e-6)
    assert release.audited(attackers=OUTSIDER).safe


def test_the_optimum_of_the_cube_is_found_and_proven(folder: Path) -> None:
    """By a tree of patterns; without the extra the loop does not get there in time."""
    if not installed():
        pytest.skip("the extra scip is not installed")
    release = tacit.suppress(
        assessed(folder, CUBE),
        "optimal",
        cost="column",
        attackers=OUTSIDER,
        time_limit=400,
    )
    assert whole_cost(release) == CUBE.optimum
    assert release.bound == pytest.approx(CUBE.secondary, rel=1e-6)
    assert release.audited(attackers=OUTSIDER).safe


@every_problem
def test_a_written_problem_is_the_same(
    folder: Path, known: Known, tmp_path: Path
) -> None:
    first = assessed(folder, known)
    path = tmp_path / "again.internal.jj"
    first.internal.write_problem(path, cost="column", attacker=OUTSIDER)
    again = tacit.assess(Table.from_jj(path))
    assert (again.state == first.state).all()
    for name in ("value", "lower", "upper"):
        mine, theirs = (getattr(one.table.cells, name) for one in (first, again))
        assert (mine == theirs).all()
    # Of empty cells the weight says nothing.
    weighed = first.state != tacit.table.State.EMPTY
    assert first.table.cells.cost is not None
    assert again.table.cells.cost is not None
    assert (first.table.cells.cost == again.table.cells.cost)[weighed].all()
    assert (first.upl == again.upl).all()
    assert (first.lpl == again.lpl).all()
    relations = [one.table.relations.matrix for one in (first, again)]
    assert (relations[0] != relations[1]).nnz == 0


def test_a_protected_table_of_tau_argus_comes_with_its_pattern(
    shared_data: Path,
) -> None:
    path = shared_data / "argus" / "generated" / "fmt6.jj"
    if not path.is_file():
        pytest.skip(f"the file is not on this machine ({path.name})")
    assessment = tacit.assess(Table.from_jj(path))
    summary = assessment.summary()
    counted = [summary[k] for k in ("cells", "sensitive", "suppressed", "empty")]
    assert counted == [162, 9, 12, 43]
    assert assessment.table.cells.decimals == 2
    release = release_as_stated(assessment)
    value = np.abs(assessment.table.value_in_units[assessment.state == 2]).sum()
    assert value == pytest.approx(2_524_351.00)
    assert release.audited(attackers=OUTSIDER).safe
