# SPDX-License-Identifier: Apache-2.0
"""Cells are found by their codes, however many codes there are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import tables
from tacit import Table
from tacit.errors import InputError
from tacit.table._keys import KeyIndex, lexicographic_order

SIZES = st.lists(st.sampled_from([1, 2, 3, 2**20, 2**30]), min_size=1, max_size=6)


@given(st.data())
def test_keys_ascend_with_the_codes_and_find_them(data: st.DataObject) -> None:
    sizes = data.draw(SIZES)
    cell = st.tuples(*(st.integers(0, min(size, 4) - 1) for size in sizes))
    drawn = data.draw(st.lists(cell, min_size=1, max_size=30, unique=True))
    high = data.draw(st.booleans())
    rows = [
        tuple(size - 1 - c if high else c for c, size in zip(row, sizes, strict=True))
        for row in drawn
    ]
    order, index = lexicographic_order(np.array(rows, dtype=np.int32).T, sizes)
    ordered = [rows[i] for i in order]
    assert ordered == sorted(rows)
    assert (np.diff(index.keys) > 0).all()
    assert index.lookup(np.array(ordered, dtype=np.int32).T).tolist() == list(
        range(len(rows))
    )
    others = data.draw(st.lists(cell, max_size=10))
    if others:
        expected = [ordered.index(o) if o in ordered else -1 for o in others]
        assert index.lookup(np.array(others, dtype=np.int32).T).tolist() == expected


def test_more_combinations_than_64_bits_hold() -> None:
    sizes = (2**31 - 1,) * 5
    codes = np.array([[0, 0, 7], [1, 1, 0], [2, 2, 0], [3, 3, 0], [4, 2**30, 0]])
    index = KeyIndex.of(codes.astype(np.int32), sizes)
    assert index.strides is None
    assert index.lookup(codes.astype(np.int32)).tolist() == [0, 1, 2]
    near = codes[:, :1].astype(np.int32) + np.array([[0], [0], [1], [0], [0]], np.int32)
    assert index.lookup(near).tolist() == [-1]


@pytest.mark.parametrize("code", [-1, 3, 2**30])
def test_a_code_outside_the_dimension_is_not_found(code: int) -> None:
    index = KeyIndex.of(np.array([[0, 1], [1, 2]], dtype=np.int32), (2, 3))
    assert index.lookup(np.array([[0], [code]], dtype=np.int32)).tolist() == [-1]


def test_no_cells_at_all() -> None:
    index = KeyIndex.of(np.zeros((2, 0), dtype=np.int32), (2, 3))
    assert index.lookup(np.array([[0], [1]], dtype=np.int32)).tolist() == [-1]


@given(tables())
def test_every_cell_is_found_by_its_labels(table: Table) -> None:
    for cell in range(len(table)):
        assert table.find(table.labels_of(cell)) == cell


def small() -> Table:
    cells = {"sex": ["f", "m", "f"], "age": ["1", "1", "2"], "n": [2, 3, 4]}
    return Table.from_cells(cells, by={"sex": "all", "age": "any"}, count="n")


def test_a_dimension_that_is_not_named_is_at_its_total() -> None:
    table = small()
    assert table.labels_of(table.find({"sex": "f"})) == {"sex": "f", "age": "any"}
    assert table.find({}) == 0
    assert table.index(sex="m", age="1") == table.find({"sex": "m", "age": "1"})


def test_a_wrong_name_is_taught() -> None:
    table = small()
    with pytest.raises(InputError, match="No dimension 'sx' here"):
        table.find({"sx": "f"})
    with pytest.raises(InputError, match=r"no code 'x'\. Valid names: 'all'"):
        table.find({"sex": "x"})
    with pytest.raises(InputError, match=r"\(sex = m, age = 2\) is not held: nobody"):
        table.find({"sex": "m", "age": "2"})
