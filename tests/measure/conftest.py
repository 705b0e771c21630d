# SPDX-License-Identifier: Apache-2.0
"""Releases to measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import tacit
from tacit.protect import Release

if TYPE_CHECKING:
    from numpy.typing import NDArray

ORIGINAL = np.array([[20, 50, 10], [8, 19, 22], [17, 32, 12]])
ROUNDED = np.array([[20, 50, 10], [10, 20, 20], [15, 30, 15]])


def table_of(values: NDArray[np.int64], decimals: int = 0) -> tacit.Table:
    rows, columns = values.shape
    cells = {
        "row": np.repeat([f"r{i:04d}" for i in range(rows)], columns),
        "column": np.tile([f"c{j:04d}" for j in range(columns)], rows),
        "x": values.ravel(),
    }
    by = {"row": "T", "column": "T"}
    return tacit.Table.from_cells(cells, by=by, value="x", decimals=decimals)


def changed(before: NDArray[np.int64], after: NDArray[np.int64]) -> Release:
    """A release that prints ``after``, margins summed, for ``before``."""
    assessment = tacit.assess(table_of(before))
    printed = table_of(after).cells.value
    return Release(assessment, assessment.state, "test", printed, perturbed=True)


@pytest.fixture
def rounded() -> Release:
    """The pair of the literature: a table and the same rounded to fives."""
    return changed(ORIGINAL, ROUNDED)
