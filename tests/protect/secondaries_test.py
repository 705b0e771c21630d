# SPDX-License-Identifier: Apache-2.0
"""A pattern that another program found is taken in, and audited like our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import tacit
from tacit.errors import SourceError
from tacit.protect import release_with_secondaries
from tacit.table import State

if TYPE_CHECKING:
    from pathlib import Path

    from tacit import Assessment

# Row sums first: T is cell 0, then a, b, c with their columns 1, 2, 3.
AMOUNTS = [20, 50, 10, 8, 19, 22, 17, 32, 12]


def assessed(*, cost: bool = True, states: str = "ssssussfs") -> Assessment:
    names = {"u": "sensitive", "s": "safe", "f": "frozen"}
    level = [3.0 if letter == "u" else 0.0 for letter in states]
    rows = {
        "row": [r for r in "abc" for _ in "123"],
        "column": list("123") * 3,
        "x": AMOUNTS,
        "s": [names[letter] for letter in states],
        "level": level,
        "w": [2.0] * 9,
    }
    table = tacit.Table.from_cells(
        rows,
        by={"row": "T", "column": "T"},
        value="x",
        state="s",
        lower="level",
        upper="level",
        cost="w" if cost else None,
    )
    return tacit.assess(table)


def index(row: str, column: str) -> int:
    return assessed().table.index(row=row, column=column)


def file_of(tmp_path: Path, *cells: object) -> Path:
    path = tmp_path / "solution.txt"
    path.write_text("".join(f"{cell!s:>6}\n" for cell in cells) + "\n")
    return path


GOOD = (index("b", "3"), index("a", "2"), index("a", "3"))


def test_the_cells_of_the_file_are_withheld(tmp_path: Path) -> None:
    release = release_with_secondaries(assessed(), file_of(tmp_path, *GOOD))
    withheld = set(np.flatnonzero(release.withheld).tolist())
    assert withheld == {*GOOD, index("b", "2")}
    assert release.cost == 6.0
    assert not release.safe
    assert release.audited(attackers=tacit.Attacker()).safe


def test_a_pattern_with_a_hole_fails_its_audit(tmp_path: Path) -> None:
    release = release_with_secondaries(assessed(), file_of(tmp_path, *GOOD[:2]))
    assert not release.audited(attackers=tacit.Attacker()).safe


def test_without_costs_the_cost_is_unknown(tmp_path: Path) -> None:
    path = file_of(tmp_path, *GOOD)
    assert release_with_secondaries(assessed(cost=False), path).cost == 0.0


def test_sensitive_cells_may_be_listed_too(tmp_path: Path) -> None:
    path = file_of(tmp_path, *GOOD, index("b", "2"))
    release = release_with_secondaries(assessed(), path)
    assert release.summary()["secondary"] == 3
    assert release.state[index("b", "2")] == State.SENSITIVE


def test_an_empty_file_adds_nothing(tmp_path: Path) -> None:
    release = release_with_secondaries(assessed(), file_of(tmp_path))
    assert int(release.withheld.sum()) == 1


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    release = tacit.suppress(assessed(), cost="column", attackers=tacit.Attacker())
    path = release.internal.write_secondaries(tmp_path / "internal.txt")
    again = release_with_secondaries(assessed(), path)
    assert (again.state == release.state).all()
    assert again.cost == release.cost


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    frozen = index("c", "2")
    path = file_of(tmp_path, 5, "one", -3, 5, 16, frozen, 10**12)
    with pytest.raises(SourceError) as caught:
        release_with_secondaries(assessed(), path)
    ask = "Is this the solution of another problem?"
    assert str(caught.value).splitlines() == [
        "'solution.txt' has 6 problems.",
        "  - line 2: this is not the index of one cell.",
        "  - line 3: this is not the index of one cell.",
        "  - line 4: cell 5 stands in line 1 already.",
        f"  - line 5: there is no cell 16: cells are counted from 0 to 15. {ask}",
        f"  - line 6: cell {frozen} is frozen: it stays as it is. {ask}",
        "  - line 7: this is not the index of one cell.",
    ]
