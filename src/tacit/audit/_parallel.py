# SPDX-License-Identifier: Apache-2.0
"""The same work on many items, here or in other processes."""

from __future__ import annotations

import os
from concurrent.futures import Executor, ProcessPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Shared = TypeVar("Shared")
    Result = TypeVar("Result")

__all__ = ["spread_out"]

_BATCHES = 4  # per process, so that a slow batch does not hold up the rest


def spread_out(
    work: Callable[[Shared, NDArray[np.int64]], Result],
    shared: Shared,
    items: NDArray[np.int64],
    *,
    executor: Executor | None = None,
) -> list[Result]:
    """Cut the items into runs and give each to a process; one run without executor.

    The answer does not depend on how many processes there are in anything but which
    of several valid witnesses is found.
    """
    if not len(items):
        return []
    if executor is None:
        return [work(shared, items)]
    runs = min(len(items), _BATCHES * _width(executor))
    edges = [len(items) * k // runs for k in range(runs + 1)]
    futures = [executor.submit(work, shared, items[a:b]) for a, b in pairwise(edges)]
    return [future.result() for future in futures]


def _width(executor: Executor) -> int:
    known = getattr(executor, "_max_workers", None)
    if isinstance(executor, ProcessPoolExecutor) and known is None:
        known = os.cpu_count()
    return int(known or os.cpu_count() or 1)
