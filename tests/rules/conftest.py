# SPDX-License-Identifier: Apache-2.0
"""Tables made from lists of contributions, without any tabulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tacit.hierarchy import Hierarchy
from tacit.table import Cells, Contributions, Dimension, Evidence, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def table_of(
    parts: Sequence[Sequence[int]],
    *,
    top: int = 4,
    decimals: int = 0,
    sizes: Sequence[Sequence[int]] | None = None,
    **evidence: Any,
) -> Table:
    """Make a total (cell 0) and one cell for each list, of contributors all their own.

    >>> table_of([[5, 2], [9]]).cells.value.tolist()
    [16, 7, 9]
    """
    lists = [[x for part in parts for x in part], *map(list, parts)]
    absolute = [sorted(map(abs, part), reverse=True) for part in lists]
    codes = [f"c{i:04d}" for i in range(len(parts))]
    dimension = Dimension.of("cell", Hierarchy.flat(codes, total="all"))
    leaf = [i + 1 for i, part in enumerate(parts) for _ in part]
    flat = [x for part in sizes or () for x in part]
    return Table(
        (dimension,),
        Cells(
            codes=np.arange(len(lists), dtype=np.int32)[None, :],
            value=np.array([sum(part) for part in lists], dtype=np.int64),
            decimals=decimals,
            state=np.zeros(len(lists), dtype=np.uint8),
        ),
        evidence=Evidence(
            contributors=np.array([len(part) for part in lists], dtype=np.int64),
            total=np.array([sum(part) for part in absolute], dtype=np.int64),
            largest=np.array(
                [[*part, *[0] * top][:top] for part in absolute], dtype=np.int64
            ),
            **evidence,
        ),
        contributions=Contributions(
            leaf=np.array(leaf, dtype=np.int32),
            unit=np.arange(len(leaf), dtype=np.int64),
            value=np.array(lists[0], dtype=np.int64),
            size=np.array(flat, dtype=np.int64) if sizes else None,
        ),
    )


@pytest.fixture(scope="session", name="table_of")
def _table_of() -> Callable[..., Table]:
    return table_of
