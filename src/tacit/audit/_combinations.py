# SPDX-License-Identifier: Apache-2.0
"""Which sums of hidden cells the published ones give away: lines, blocks, chains.

Every such sum is a combination of relations, cut down to hidden cells. Relations alone
are the line sums. Where a hidden total stands in a line it can be replaced by its parts
(a block). Two relations that share a hidden cell can be taken from each other or added
so that it cancels (a chain).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.table import Relations

__all__ = [
    "Combinations",
    "SumKind",
    "columns_of",
    "combinations_of",
    "row_marks",
    "unsigned",
]

_SEED = 20_25


class SumKind(IntEnum):
    """How a sum of hidden cells comes to be known."""

    LINE = 0
    BLOCK = 1
    CHAIN = 2

    @property
    def label(self) -> str:
        """The name that frames show."""
        return self.name.lower()


@dataclass(frozen=True, eq=False, repr=False)
class Combinations:
    """Sums of hidden cells whose value is known, one a row.

    ``origin`` says how often each relation is taken, ``hidden`` what that leaves of
    hidden cells; published cells are left out of it. ``complete`` is False where more
    chains were found than were asked for.
    """

    origin: csr_array
    hidden: csr_array
    kind: NDArray[np.uint8]
    complete: bool = True

    def __len__(self) -> int:
        return len(self.kind)

    def __repr__(self) -> str:
        return f"<Combinations: {len(self):,} sums of hidden cells>"


class _Sums(NamedTuple):
    origin: csr_array
    hidden: csr_array

    def take(self, rows: NDArray[np.int64]) -> _Sums:
        return _Sums(self.origin[rows], self.hidden[rows])


def combinations_of(
    relations: Relations,
    hidden: NDArray[np.bool_],
    *,
    cells: int = 6,
    rounds: int = 2,
    most: int = 200_000,
    longest: int | None = None,
) -> Combinations:
    """Find sums of hidden cells that the published cells fix.

    All lines and blocks; chains of up to ``rounds`` eliminations that hold at most
    ``cells`` hidden cells, and at most ``most`` of them, from lines of at most
    ``longest`` (``cells`` by default). Sums that are the same up to sign come once,
    lines always.

    >>> import numpy as np
    >>> from tacit import Table
    >>> cells = {"sex": ["all", "f", "m", "x"], "n": [9, 2, 3, 4]}
    >>> table = Table.from_cells(cells, by={"sex": "all"}, count="n")
    >>> hidden = np.array([False, True, True, False])
    >>> combinations_of(table.relations, hidden).hidden.toarray().tolist()
    [[0, 1, 1, 0]]
    """
    from scipy.sparse import eye_array, vstack  # noqa: PLC0415 - heavy

    local = columns_of(relations.matrix, hidden)
    taken = np.flatnonzero(np.diff(local.indptr))
    origin = eye_array(len(relations), dtype=np.int64, format="csr")
    lines = _Sums(origin, local).take(taken)
    marks = row_marks(local.shape[1])
    found, seen = [lines], _Seen(lines.hidden @ marks)
    numbers = [len(taken)]
    blocks = [seen.new(step, marks) for step in _blocks(relations, hidden, lines)]
    found += blocks
    numbers.append(sum(block.hidden.shape[0] for block in blocks))
    length = cells if longest is None else longest
    short = lines.take(np.flatnonzero(_sizes(lines.hidden) <= length))
    chains, complete = _chains(short, (cells, rounds, most), seen=seen, marks=marks)
    found += chains
    numbers.append(sum(chain.hidden.shape[0] for chain in chains))
    return Combinations(
        vstack([part.origin for part in found], format="csr"),
        vstack([part.hidden for part in found], format="csr"),
        np.repeat(np.arange(3, dtype=np.uint8), numbers),
        complete,
    )


def columns_of(matrix: csr_array, kept: NDArray[np.bool_]) -> csr_array:
    """Leave only some columns of a matrix, in their place, as int64."""
    matrix = matrix.astype(np.int64)
    matrix.data *= kept[matrix.indices]
    return _clean(matrix)


def row_marks(columns: int, seed: int = _SEED) -> NDArray[np.int64]:
    """Random numbers, one per column: equal rows get equal sums (modulo 2**64).

    Different rows get the same sum with a chance of about one in 2**62.
    """
    rng = np.random.default_rng(seed)
    return rng.integers(-(2**62), 2**62, columns) * 2 + 1


class _Seen:
    """What was found already, up to sign."""

    def __init__(self, marks: NDArray[np.int64]) -> None:
        self.marks = np.unique(np.append(unsigned(marks), 0))

    def new(self, sums: _Sums, marks: NDArray[np.int64]) -> _Sums:
        """Keep what was not there yet, each once."""
        mark, first = np.unique(unsigned(sums.hidden @ marks), return_index=True)
        fresh = ~np.isin(mark, self.marks, assume_unique=True)
        self.marks = np.union1d(self.marks, mark[fresh])
        return sums.take(np.sort(first[fresh]))


def unsigned(marks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give a row and the same row with the other sign the same mark."""
    return np.minimum(marks, -marks)


def _clean(matrix: csr_array) -> csr_array:
    matrix = matrix.tocsr()
    matrix.eliminate_zeros()
    return matrix


def _sizes(matrix: csr_array) -> NDArray[np.int64]:
    return np.diff(matrix.indptr).astype(np.int64)


def _blocks(
    relations: Relations, hidden: NDArray[np.bool_], lines: _Sums
) -> Iterator[_Sums]:
    """Replace hidden totals by their parts, along one classification, then another."""
    total = relations.total[lines.origin.indices]
    start = lines.take(np.flatnonzero((total >= 0) & ~hidden[total]))
    axes = [_Expansion(relations, hidden, lines, axis) for axis in _axes(relations)]
    for first in axes:
        for step in first.steps(start):
            yield step
            for second in axes:
                if second is not first:
                    yield from second.steps(step)


def _axes(relations: Relations) -> list[tuple[int, int]]:
    pairs = np.stack([relations.dimension, relations.tree])
    pairs = np.unique(pairs[:, relations.total >= 0], axis=1)
    return [(int(dimension), int(tree)) for dimension, tree in pairs.T]


def _whole(relations: Relations) -> NDArray[np.bool_]:
    """Relations that hold their total once, as a total."""
    entries = relations.matrix.tocoo()
    row, cell = entries.coords
    at_total = relations.total[row] == cell
    once = np.zeros(len(relations), dtype=np.int64)
    np.add.at(once, row[at_total], entries.data[at_total].astype(np.int64))
    return np.asarray(once == -1)


class _Expansion:
    """Hidden totals along one tree, each with the relation that gives its parts."""

    def __init__(
        self,
        relations: Relations,
        hidden: NDArray[np.bool_],
        lines: _Sums,
        axis: tuple[int, int],
    ) -> None:
        from scipy.sparse import csr_array  # noqa: PLC0415 - heavy

        mine = (relations.dimension == axis[0]) & (relations.tree == axis[1])
        rows = np.flatnonzero(mine & (relations.total >= 0))
        rows = rows[hidden[relations.total[rows]]]
        # a total that is also its own part, or has a second such row, would never end
        rows = rows[_whole(relations)[rows]]
        rows = rows[np.unique(relations.total[rows], return_index=True)[1]]
        shape = (len(hidden), len(relations))
        ones = np.ones(len(rows), dtype=np.int64)
        self.relation = csr_array((ones, (relations.total[rows], rows)), shape=shape)
        self.parts = (lines.origin.T @ lines.hidden).tocsr()

    def steps(self, sums: _Sums) -> Iterator[_Sums]:
        """Expand until nothing changes; a sum without such totals drops out."""
        while True:
            added = _clean(sums.hidden @ self.relation)
            moved = np.flatnonzero(_sizes(added))
            if not len(moved):
                return
            added, sums = added[moved], sums.take(moved)
            sums = _Sums(
                _clean(sums.origin + added), _clean(sums.hidden + added @ self.parts)
            )
            yield sums


def _chains(
    short: _Sums,
    limits: tuple[int, int, int],
    *,
    seen: _Seen,
    marks: NDArray[np.int64],
) -> tuple[list[_Sums], bool]:
    """Take short lines from each other, or add them, so that hidden cells cancel."""
    cells, rounds, most = limits
    found: list[_Sums] = []
    current, left = short, most
    for _ in range(rounds):
        candidates = _paired(current, short, cells)
        current = seen.new(candidates, marks)
        if current.hidden.shape[0] > left:
            order = np.argsort(_sizes(current.hidden), kind="stable")[:left]
            return [*found, current.take(np.sort(order))], False
        left -= current.hidden.shape[0]
        found.append(current)
    return found, True


def _paired(one: _Sums, other: _Sums, cells: int) -> _Sums:
    """Sums and differences that lose a common cell and stay within ``cells``."""
    from scipy.sparse import vstack  # noqa: PLC0415 - heavy

    signed = one.hidden.sign() @ other.hidden.sign().T
    shared = (abs(one.hidden.sign()) @ abs(other.hidden.sign()).T).tocoo()
    left, right = (c.astype(np.int64) for c in shared.coords)
    both = shared.data
    dot = np.asarray(signed.tocsr()[left, right]).ravel()
    union = _sizes(one.hidden)[left] + _sizes(other.hidden)[right] - both
    parts = []
    for sign, lost in ((-1, (both + dot) // 2), (1, (both - dot) // 2)):
        kept = np.flatnonzero((lost > 0) & (union - lost <= cells))
        a, b = one.take(left[kept]), other.take(right[kept])
        parts.append(
            _Sums(
                _clean(a.origin + sign * b.origin), _clean(a.hidden + sign * b.hidden)
            )
        )
    return _Sums(
        vstack([part.origin for part in parts], format="csr"),
        vstack([part.hidden for part in parts], format="csr"),
    )
