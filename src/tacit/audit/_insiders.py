# SPDX-License-Identifier: Apache-2.0
"""Who knows what of the hidden cells: contributors and groups of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

__all__ = ["Insiders"]


@dataclass(frozen=True, eq=False, repr=False)
class Insiders:
    """Insiders, one after the other: hidden cells, and their own amount in each.

    Insider k has the entries ``offset[k]:offset[k + 1]``. Where it ``alone`` fills
    the cell it knows the cell; elsewhere its ``amount`` is a lower bound of a cell
    that cannot be negative. ``members`` names it by internal numbers: one entity, or
    the entities of a coalition.
    """

    offset: NDArray[np.int64]
    cell: NDArray[np.int64]
    amount: NDArray[np.int64]
    alone: NDArray[np.bool_]
    members: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        return f"<Insiders: {len(self):,}, confidential>"

    @classmethod
    def sole(
        cls,
        hidden: NDArray[np.bool_],
        contributors: NDArray[np.int64],
        entity: NDArray[np.int64],
        value: NDArray[np.int64],
    ) -> Insiders:
        """Take every entity that fills some hidden cell alone, and these cells.

        ``entity`` is the largest contributor of each cell, ``contributors`` their
        number: with holdings as entities, a single holding counts as one.

        >>> import numpy as np
        >>> found = Insiders.sole(
        ...     np.array([True, True, False]),
        ...     np.array([1, 2, 1]),
        ...     np.array([7, 7, 8]),
        ...     np.array([5, 9, 1]),
        ... )
        >>> found.members, found.cell.tolist()
        (((7,),), [0])
        """
        cells = np.flatnonzero(hidden & (contributors == 1))
        every = np.ones(len(cells), dtype=bool)
        return cls._grouped(entity[cells], cells, value[cells], every)

    @classmethod
    def of_contributions(
        cls,
        cells: NDArray[np.int64],
        offset: NDArray[np.int64],
        entity: NDArray[np.int64],
        amount: NDArray[np.int64],
    ) -> Insiders:
        """Take every entity that fills one of the hidden ``cells`` alone.

        ``entity`` and ``amount`` list who gave what, merged per entity in each cell:
        cell k has the entries ``offset[k]:offset[k + 1]``. All hidden cells of such
        an entity count: those that it shares give it a lower bound.
        """
        count = np.diff(offset)
        single = np.repeat(count == 1, count)
        keep = np.isin(entity, np.unique(entity[single]))
        where = np.repeat(cells, count)
        return cls._grouped(entity[keep], where[keep], amount[keep], single[keep])

    @classmethod
    def _grouped(
        cls,
        entity: NDArray[np.int64],
        cell: NDArray[np.int64],
        amount: NDArray[np.int64],
        alone: NDArray[np.bool_],
    ) -> Insiders:
        order = np.lexsort((cell, entity))
        names, counts = np.unique(entity, return_counts=True)
        offset = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        members = tuple((name,) for name in names.tolist())
        return cls(offset, cell[order], amount[order], alone[order], members)

    def known(self, insider: int) -> NDArray[np.int64]:
        """Hidden cells that this insider knows exactly."""
        part = slice(self.offset[insider], self.offset[insider + 1])
        return self.cell[part][self.alone[part]]

    def shared(self, insider: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Hidden cells that it shares with others, and its own amount in each."""
        part = slice(self.offset[insider], self.offset[insider + 1])
        others = ~self.alone[part]
        return self.cell[part][others], self.amount[part][others]

    def join(self, groups: Iterable[tuple[int, ...]]) -> Insiders:
        """Let insiders work together: one for each tuple of positions.

        A coalition knows what each of its members knows; what they fill together
        without being alone is bounded by the sum of their amounts.

        >>> import numpy as np
        >>> two = Insiders.sole(
        ...     np.ones(3, dtype=bool), np.ones(3, int), np.arange(3), np.ones(3, int)
        ... )
        >>> two.join([(0, 2)]).members
        ((0, 2),)
        """
        groups = [tuple(group) for group in groups]
        sizes = [[self.offset[k + 1] - self.offset[k] for k in g] for g in groups]
        name = np.repeat(np.arange(len(groups)), [sum(size) for size in sizes])
        picked = [
            np.arange(self.offset[k], self.offset[k + 1]) for g in groups for k in g
        ]
        at = np.concatenate([np.zeros(0, np.int64), *picked])
        merged = _merged(name, self.cell[at], self.amount[at], self.alone[at])
        joined = self._grouped(*merged)
        members = tuple(
            tuple(sorted({m for k in g for m in self.members[k]})) for g in groups
        )
        return type(self)(
            joined.offset, joined.cell, joined.amount, joined.alone, members
        )

    def coalitions(self, matrix: csr_array, size: int) -> Insiders:
        """Every coalition of up to ``size`` that meets in one relation, and each alone.

        Insiders who meet in no relation can learn more together only along a chain
        of relations; those coalitions are not formed.
        """
        rows = _owners_by_row(matrix, self)
        groups: set[tuple[int, ...]] = {(k,) for k in range(len(self))}
        for owners in rows:
            for many in range(2, size + 1):
                groups.update(combinations(owners, many))
        return self.join(sorted(groups, key=lambda group: (len(group), group)))


def _merged(
    name: NDArray[np.int64],
    cell: NDArray[np.int64],
    amount: NDArray[np.int64],
    alone: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """One entry per coalition and cell; alone where a member is."""
    keys, back = np.unique(np.stack([name, cell]), axis=1, return_inverse=True)
    total = np.zeros(keys.shape[1], dtype=np.int64)
    np.add.at(total, back.ravel(), amount)
    single = np.zeros(keys.shape[1], dtype=bool)
    np.logical_or.at(single, back.ravel(), alone)
    return keys[0], keys[1], total, single


def _owners_by_row(matrix: csr_array, insiders: Insiders) -> list[tuple[int, ...]]:
    """Per relation, the insiders who know one of its cells; rows of two and more."""
    from scipy.sparse import csr_array as make  # noqa: PLC0415

    entries = np.repeat(np.arange(len(insiders)), np.diff(insiders.offset))
    knows = make(
        (
            np.ones(int(insiders.alone.sum()), dtype=np.int64),
            (insiders.cell[insiders.alone], entries[insiders.alone]),
        ),
        shape=(matrix.shape[1], len(insiders)),
    )
    met = make(abs(matrix).astype(np.int64) @ knows)
    met.sort_indices()
    lists = np.split(met.indices, met.indptr[1:-1])
    return sorted({tuple(owners.tolist()) for owners in lists if len(owners) > 1})
