# SPDX-License-Identifier: Apache-2.0
"""Rows and columns hold every cell once, in its place."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.protect import release_as_is
from tacit.publish._grid import lay_out
from tacit.publish._view import public_view

if TYPE_CHECKING:
    import random

CODES = ("a", "b", "c")


@given(
    dimensions=st.integers(1, 3),
    most=st.integers(1, 200),
    seed=st.randoms(use_true_random=False),
)
def test_every_cell_is_in_its_row_and_column(
    dimensions: int,
    most: int,
    seed: random.Random,
) -> None:
    every = list(itertools.product(CODES, repeat=dimensions))
    held = [codes for codes in every if seed.random() < 0.6] or every[:1]
    names = [f"d{d}" for d in range(dimensions)]
    rows = {name: [codes[d] for codes in held] for d, name in enumerate(names)}
    rows["n"] = list(range(len(held)))
    table = tacit.Table.from_cells(rows, by=dict.fromkeys(names, "T"), value="n")
    view = public_view(release_as_is(tacit.assess(table)))
    grid = lay_out(view, most)
    shown, columns = grid.cell.shape
    assert shown == min(grid.rows, max(1, most // columns))
    laid_out = grid.cell[grid.cell >= 0]
    assert sorted(laid_out.tolist()) == list(range(len(laid_out)))
    for row, column in zip(*np.nonzero(grid.cell >= 0), strict=True):
        cell = grid.cell[row, column]
        codes = view.codes[:, cell].tolist()
        if grid.column_dimension is not None:
            assert codes.pop() == grid.column_codes[column]
        assert codes == grid.row_codes[:, row].tolist()
    if shown == grid.rows:
        assert len(laid_out) == len(table)
