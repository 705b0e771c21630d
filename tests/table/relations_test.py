# SPDX-License-Identifier: Apache-2.0
"""Relations say what the hierarchies imply, row by row."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csr_array

from strategies import tables
from tacit import Hierarchy, Table
from tacit.errors import InputError
from tacit.table import Cells, Dimension
from tacit.table._relations import Equations

Row = tuple[int, frozenset[int]]


def slow_relations(table: Table) -> set[Row]:
    """Parts of every total, found cell by cell and tree by tree."""
    codes = list(map(tuple, table.cells.codes.T.tolist()))
    place = {key: cell for cell, key in enumerate(codes)}
    found: dict[tuple[int, int, int], set[int]] = defaultdict(set)
    for cell, key in enumerate(codes):
        for d, axis in enumerate(table.dimensions):
            for t, tree in enumerate(axis.hierarchies):
                code = axis.codes[key[d]]
                if code not in tree or code == tree.total:
                    continue
                parent = tree.codes[tree.parents[tree.codes.index(code)]]
                above = (*key[:d], axis.codes.index(parent), *key[d + 1 :])
                found[d, t, place[above]].add(cell)
    return {(total, frozenset(parts)) for (_, _, total), parts in found.items()}


def fast_relations(table: Table) -> set[Row]:
    relations = table.relations
    return {
        (int(relations.total[row]), frozenset(relations.parts(row).tolist()))
        for row in range(len(relations))
    }


@given(tables(negatives=True))
def test_rows_are_those_found_cell_by_cell(table: Table) -> None:
    assert fast_relations(table) == slow_relations(table)


@given(tables(negatives=True))
def test_a_tabulated_table_has_no_residuals(table: Table) -> None:
    assert not table.relations.residuals(table.cells.value).any()
    matrix = table.relations.matrix
    assert matrix.has_sorted_indices
    assert matrix.data.dtype == np.int8
    assert np.array_equal(
        matrix.toarray()[np.arange(len(table.relations)), table.relations.total],
        np.full(len(table.relations), -1),
    )


def region_by_size() -> Table:
    region = Hierarchy.from_parents({"A1": "A", "A2": "A", "A": "T", "B": "T"})
    cells = {
        "region": ["A1", "A2", "B", "A1"],
        "size": ["small", "small", "small", "big"],
        "n": [1, 2, 3, 4],
    }
    return Table.from_cells(cells, by={"region": region, "size": "all"}, count="n")


def test_a_row_says_in_words_what_adds_up() -> None:
    relations = region_by_size().relations
    said = [relations.describe(row) for row in range(len(relations))]
    assert "region: A = A1 + A2, at size = small" in said
    assert "region: A = A1, at size = big" in said
    assert "size: all = big + small, at region = A1" in said
    assert "size: all = small, at region = B" in said


def test_a_long_row_is_cut() -> None:
    leaves = [f"{i:02}" for i in range(20)]
    cells = {"month": leaves, "n": list(range(1, 21))}
    table = Table.from_cells(cells, by={"month": "year"}, count="n")
    assert table.relations.describe(0) == (
        "month: year = 00 + 01 + 02 + 03 + 04 + 05 + 06 + 07 and 12 more"
    )


def test_a_residual_is_parts_minus_total() -> None:
    table = region_by_size()
    values = table.cells.value.copy()
    values[table.find({"region": "A", "size": "small"})] += 5
    residuals = table.relations.residuals(values)
    wrong = {
        table.relations.describe(r): int(residuals[r]) for r in residuals.nonzero()[0]
    }
    assert wrong == {
        "region: A = A1 + A2, at size = small": -5,
        "region: T = A + B, at size = small": 5,
        "size: all = big + small, at region = A": 5,
    }


def test_residuals_are_exact_near_the_end_of_64_bits() -> None:
    table = region_by_size()
    big = 2**61
    values = np.full(len(table), big, dtype=np.int64)
    residuals = table.relations.residuals(values)
    exact = [
        (len(table.relations.parts(r)) - 1) * big for r in range(len(table.relations))
    ]
    assert residuals.tolist() == exact


def test_a_sum_beyond_64_bits_is_an_error() -> None:
    table = region_by_size()
    values = np.full(len(table), 2**62, dtype=np.int64)
    values[table.find({"region": "A", "size": "small"})] = -(2**62)
    with pytest.raises(InputError, match=r"does not fit in 64 bits\. Sums are exact"):
        table.relations.residuals(values)


def test_a_part_without_its_total_is_an_error() -> None:
    table = region_by_size()
    keep = np.ones(len(table), dtype=bool)
    keep[table.find({"region": "A", "size": "big"})] = False
    cells = table.cells
    broken = Table(
        table.dimensions,
        Cells(cells.codes[:, keep], cells.value[keep], 0, cells.state[keep]),
    )
    expected = r"\(region = A1, size = big\) is held, but not the one above .* 'A'"
    with pytest.raises(InputError, match=expected):
        _ = broken.relations


def test_codes_of_another_tree_take_no_part() -> None:
    first = Hierarchy.from_parents({"1": "N", "2": "N", "3": "T", "N": "T"})
    second = Hierarchy.from_parents({"1": "E", "3": "E", "2": "T", "E": "T"})
    cells = {"region": ["1", "2", "3"], "n": [1, 2, 4]}
    table = Table.from_cells(cells, by={"region": [first, second]}, count="n")
    said = {table.relations.describe(r) for r in range(len(table.relations))}
    assert said == {
        "region: T = 3 + N",
        "region: N = 1 + 2",
        "region: T = 2 + E",
        "region: E = 3 + 1",
    }


def test_a_sum_that_two_trees_say_is_said_once() -> None:
    first = Hierarchy.from_parents({"1": "N", "2": "N", "3": "T", "4": "T", "N": "T"})
    second = Hierarchy.from_parents(
        {"1": "N", "2": "N", "3": "S", "4": "S", "N": "T", "S": "T"}
    )
    cells = {"region": ["1", "2", "3", "4"], "n": [1, 2, 4, 8]}
    table = Table.from_cells(cells, by={"region": [first, second]}, count="n")
    said = [table.relations.describe(r) for r in range(len(table.relations))]
    assert said.count("region: N = 1 + 2") == 1
    assert len(said) == 4


def test_equations_come_after_the_hierarchies() -> None:
    table = region_by_size()
    row = csr_array(np.array([[-1, 1] + [0] * (len(table) - 2)], dtype=np.int8))
    more = replace(table, equations=Equations(row, ("first = second",)))
    assert len(more.relations) == len(table.relations) + 1
    assert more.relations.describe(len(table.relations)).startswith("first = second")
    assert more.relations.dimension[-1] == -1


def test_a_dimension_without_totals_gives_no_rows() -> None:
    wave = Dimension("wave", ("2023", "2024"))
    cells = {"wave": ["2023", "2024"], "n": [1, 2]}
    table = Table.from_cells(cells, by={"wave": wave}, count="n")
    assert len(table.relations) == 0
    assert table.relations.residuals(table.cells.value).tolist() == []
