# SPDX-License-Identifier: Apache-2.0
"""Say what is in the way of a need that no pattern meets.

The smallest set of cells is looked for that would have to give: frozen cells that
would have to be withheld, and cells whose known bounds leave too little room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from tacit.protect._open_claim import OpenClaim

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.protect.suppress._problem import Problem

__all__ = ["OpenClaim", "explain_open"]

# In needs: how far a cell in the way may move, and how far any cell.
_FAR = 1e3
_SECONDS = 5.0
# The smallest set is proved up to this many cells in the way; beyond, the relaxation.
_EXACT_CELLS = 3000
_EXPLAINED = 20
_USED = 1e-7


def explain_open(
    problem: Problem,
    cells: NDArray[np.int64],
    origin: NDArray[np.int64],
    describe: Callable[[int], str],
) -> tuple[OpenClaim, ...]:
    """Explain open needs, the first ones in detail."""
    claims = []
    for number, cell in enumerate(cells.tolist()):
        table_cell = int(origin[cell])
        if number >= _EXPLAINED:
            claims.append(OpenClaim(table_cell, "not looked into"))
            continue
        way = in_the_way(problem, cell)
        words = tuple(describe(int(origin[other])) for other in way if other != cell)
        claims.append(OpenClaim(table_cell, _reason(problem, cell, way), words))
    return tuple(claims)


def _reason(
    problem: Problem, cell: int, way: NDArray[np.int64] | list[int]
) -> Literal["frozen", "bounds", "limits", "empty"]:
    if len(way) == 0:
        return "limits"
    if -1 in way:
        return "empty"
    if any(problem.frozen[other] for other in way if other != cell):
        return "frozen"
    return "bounds"


def in_the_way(problem: Problem, cell: int) -> list[int]:
    """Give the fewest cells that would have to give for the needs of one cell.

    Nothing if the needs can be met as it is, ``[-1]`` if they cannot in any case.
    """
    needs = [
        (1, max(problem.need_up[cell], problem.need_width[cell])),
        (-1, problem.need_down[cell]),
    ]
    found: set[int] = set()
    for sign, need in needs:
        if need > 0:
            way = _one_side(problem, cell, sign, float(need))
            if way is None:
                return [-1]
            found.update(way)
    return sorted(found)


def _one_side(problem: Problem, cell: int, sign: int, need: float) -> list[int] | None:
    """Solve min number of cells that give, M z = 0, z at the cell as needed."""
    from scipy.sparse import block_array, csr_array, eye_array, vstack  # noqa: PLC0415

    n = len(problem)
    frozen = problem.frozen & ~problem.sensitive
    up = np.where(frozen, 0.0, np.minimum(problem.room_up / need, _FAR))
    down = np.where(frozen, 0.0, np.minimum(problem.room_down / need, _FAR))
    giving = np.flatnonzero(frozen | (up < 1) | (down < 1))
    k = len(giving)
    rows = problem.relations.astype(np.float64)
    extra = rows[:, giving]
    pick = eye_array(n, format="csr")[giving]
    # z = within bounds (n) + beyond them (k); y says which cells give.
    balance = block_array([[rows, extra, None if not k else extra * 0]], format="csr")
    one = eye_array(k, format="csr")
    above = block_array([[pick * 0, one, -_FAR * one]], format="csr")
    below = block_array([[pick * 0, one, _FAR * one]], format="csr")
    low = np.concatenate([-down, np.full(k, -_FAR), np.zeros(k)])
    high = np.concatenate([up, np.full(k, _FAR), np.ones(k)])
    target = np.zeros((1, n + 2 * k))
    target[0, cell] = sign
    target[0, n + np.flatnonzero(giving == cell)] = sign
    blocks = [csr_array(target), balance, *([above, below] if k else [])]
    sizes = [block.shape[0] for block in blocks]
    least = np.repeat([1.0, 0.0, -np.inf, 0.0][: len(sizes)], sizes)
    most = np.repeat([np.inf, 0.0, 0.0, np.inf][: len(sizes)], sizes)
    # Ties go to the first cells, whatever the solver does.
    price = np.concatenate([np.zeros(n + k), 1.0 + 1e-6 * np.arange(k) / max(k, 1)])
    answer = _cheapest(
        price, vstack(blocks, format="csr"), (least, most), (low, high), n + k
    )
    if answer is None or not len(answer):
        return None if answer is None else []
    return giving[answer[n + k :] > _USED].tolist()  # type: ignore[no-any-return]


def _cheapest(
    price: NDArray[np.float64],
    rows: csr_array,
    ends: tuple[NDArray[np.float64], NDArray[np.float64]],
    bounds: tuple[NDArray[np.float64], NDArray[np.float64]],
    whole_from: int,
) -> NDArray[np.float64] | None:
    """Solve a small mixed program; nothing found in time is empty, None infeasible."""
    import highspy  # noqa: PLC0415 - the solver loads when first needed

    solver = highspy.Highs()
    for option, setting in (
        ("output_flag", False),
        ("threads", 1),
        ("time_limit", _SECONDS),
    ):
        solver.setOptionValue(option, setting)
    choices = len(price) - whole_from
    whole = np.zeros(len(price), dtype=np.int32)
    whole[whole_from:] = int(choices <= _EXACT_CELLS)
    solver.passModel(
        len(price),
        rows.shape[0],
        rows.nnz,
        2,
        1,
        0.0,
        price,
        *bounds,
        *ends,
        rows.indptr.astype(np.int32),
        rows.indices.astype(np.int32),
        rows.data.astype(np.float64),
        whole,
    )
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    found = solver.getSolution()
    valid = found.value_valid and status != highspy.HighsModelStatus.kUnknown
    return np.asarray(found.col_value) if valid else np.zeros(0)
