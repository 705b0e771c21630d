# SPDX-License-Identifier: Apache-2.0
"""Demands that cannot be met together: a set from which none can be left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect._program import exact
from tacit.protect.adjust._moves import Moves

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.protect.adjust._cta import Cta
    from tacit.protect.adjust._demands import Demands
    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment
    from tacit.table import Table

__all__ = ["clash_of", "explain_clash"]

_SHOWN = 8
_TRIED = 40
_SECONDS = 5.0


def explain_clash(
    assessment: Assessment, options: Cta, demands: Demands, clock: Clock
) -> str:
    """Say in words which demands clash: by codes, never by values."""
    table = assessment.table
    clash = clash_of(table.relations.matrix, demands)
    moving = [cell for cell in clash if demands.sensitive[cell]]
    fixed = [cell for cell in clash if not demands.sensitive[cell]]
    words = []
    if moving:
        words.append(f"{_listed(table, moving)} must move to a protection level")
    if fixed:
        words.append(f"{_listed(table, fixed)} must keep its value")
    if options.slack is not None:
        words.append(f"no other cell may change by more than {options.slack:g} %")
    clock.tell("demands that clash were found")
    return (
        "No table meets all demands. These clash, and none of them can be left out: "
        f"{'; '.join(words)}. Let a total change with preserve=, or give others more "
        "room with slack=."
    )


def _listed(table: Table, cells: Sequence[int]) -> str:
    named = ", ".join(f"({table.describe_cell(cell)})" for cell in cells[:_SHOWN])
    more = len(cells) - _SHOWN
    return f"{named} and {more:,} more" if more > 0 else named


def clash_of(matrix: csr_array, demands: Demands) -> list[int]:
    """Give cells whose demands cannot be met together, and would be without any one.

    First one or two cells that share a relation are tried, then demands are dropped by
    halves, as long as what is left still cannot be met.
    """
    cells = np.flatnonzero(demands.sensitive | demands.kept)
    if _possible(matrix, demands, cells):
        return []
    for few in _few(matrix, demands):
        if not _possible(matrix, demands, few):
            return sorted(few.tolist())
    return sorted(_smallest(matrix, demands, np.zeros(0, dtype=np.int64), cells))


def _few(matrix: csr_array, demands: Demands) -> Iterator[NDArray[np.int64]]:
    """Give each sensitive cell by itself, then with each demand in its relations."""
    marked = np.flatnonzero(demands.sensitive)[:_TRIED]
    for cell in marked:
        yield np.array([cell])
    columns = matrix.tocsc()
    for cell in marked:
        rows = columns.indices[columns.indptr[cell] : columns.indptr[cell + 1]]
        beside = np.unique(matrix[rows].indices)
        asking = demands.kept[beside] | demands.sensitive[beside]
        for other in beside[asking & (beside != cell)]:
            yield np.array([cell, other])


def _smallest(
    matrix: csr_array,
    demands: Demands,
    held: NDArray[np.int64],
    asked: NDArray[np.int64],
) -> list[int]:
    """Find what must be kept of ``asked`` for it to clash, together with ``held``."""
    if len(held) and not _possible(matrix, demands, held):
        return []
    if len(asked) <= 1:
        return [int(cell) for cell in asked]
    first, second = asked[: len(asked) // 2], asked[len(asked) // 2 :]
    # Whatever clashes already without a half needs nothing of it.
    if not _possible(matrix, demands, np.concatenate([held, first])):
        return _smallest(matrix, demands, held, first)
    late = _smallest(matrix, demands, np.concatenate([held, first]), second)
    with_late = np.concatenate([held, np.array(late, dtype=np.int64)])
    return [*_smallest(matrix, demands, with_late, first), *late]


def _possible(matrix: csr_array, demands: Demands, cells: NDArray[np.int64]) -> bool:
    """Whether these demands can be met if no other cell asks for anything."""
    asked = np.zeros(len(demands.up), dtype=np.bool_)
    asked[cells] = True
    dropped_move = demands.sensitive & ~asked
    dropped_kept = demands.kept & ~asked
    far = int(max(demands.most.max(initial=1), -demands.least.min(initial=-1)))
    fewer = replace(
        demands,
        sensitive=demands.sensitive & asked,
        up=np.where(dropped_move, 0, demands.up),
        down=np.where(dropped_move, 0, demands.down),
        least=np.where(dropped_kept, -far, demands.least),
        most=np.where(dropped_kept, far, demands.most),
        kept=demands.kept & asked,
    )
    program = Moves.of(matrix, fewer, square=False).program()
    if (program.lower > program.upper).any():
        return False
    return not exact(program, seconds=_SECONDS, nodes=200).impossible
