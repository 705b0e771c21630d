# SPDX-License-Identifier: Apache-2.0
"""Tables of other shapes: several dimensions, hierarchies, links."""

from __future__ import annotations

import numpy as np
import pytest

import tacit
from tacit.measure._pair import interior_of, pair_of
from tacit.protect import Release

REGIONS = tacit.Hierarchy.from_parents({"A1": "A", "A2": "A", "A": "T", "B": "T"})


def cube() -> tacit.Table:
    rng = np.random.default_rng(5)
    codes = [(r, s, y) for r in ("A1", "A2", "B") for s in "12" for y in "xyz"]
    cells = {
        "region": [c[0] for c in codes],
        "size": [c[1] for c in codes],
        "year": [c[2] for c in codes],
        "n": rng.integers(1, 90, len(codes)),
    }
    by = {"region": REGIONS, "size": "S", "year": "Y"}
    return tacit.Table.from_cells(cells, by=by, value="n")


def shifted(table: tacit.Table, amount: int) -> Release:
    assessment = tacit.assess(table)
    printed = table.cells.value + amount
    return Release(assessment, assessment.state, "test", printed, perturbed=True)


def test_interior_cells_add_up_to_the_grand_total_once() -> None:
    table = cube()
    inner = interior_of(table)
    assert len(inner) == 18
    assert table.cells.value[inner].sum() == table.cells.value[table.find({})]


def test_rows_are_all_dimensions_but_one() -> None:
    laid = pair_of(shifted(cube(), 0))
    assert (len(laid.rows), len(laid.columns)) == (6, 3)
    other = pair_of(shifted(cube(), 0), columns="region")
    assert (len(other.rows), len(other.columns)) == (6, 3)
    assert other.columns.counts.tolist() == [6, 6, 6]


def test_lines_are_told_by_their_codes() -> None:
    found = tacit.measure(shifted(cube(), 1))
    rows, columns = found.lines("rows").to_pydict(), found.lines("columns").to_pydict()
    assert set(zip(rows["region"], rows["size"], strict=True)) == {
        (r, s) for r in ("A1", "A2", "B") for s in "12"
    }
    assert columns["year"] == ["x", "y", "z"]
    assert sum(rows["absolute_loss"]) == sum(columns["absolute_loss"]) == 18
    assert sum(rows["original"]) == pytest.approx(sum(columns["original"]))


def test_totals_count_in_their_own_share_only() -> None:
    found = tacit.measure(shifted(cube(), 1))
    assert found["absolute_loss_per_cell"] == 18
    assert found["absolute_loss_total"] == 1
    assert found["share_modified"] == 100


def test_a_linked_table_is_measured_too() -> None:
    cells = {"region": ["A1", "A2", "B"], "n": [5, 7, 9]}
    one = tacit.Table.from_cells(cells, by={"region": REGIONS}, value="n")
    sizes = {"size": ["s", "l"], "n": [12, 9]}
    other = tacit.Table.from_cells(sizes, by={"size": "T"}, value="n")
    linked = tacit.link({"one": one, "two": other})
    found = tacit.measure(shifted(linked, 0))
    assert found["absolute_loss_per_cell"] == 0
    assert found["spearman"] == 1
