# SPDX-License-Identifier: Apache-2.0
"""One ascending number per cell, so that cells are found by sorting and searching.

The number is the mixed-radix number of the codes, first dimension first: ascending
keys are cells in lexicographic order of their codes. Where the product of the code
counts leaves int64, the leading codes are replaced by their rank among the cells
held, which keeps the order and fits again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["KeyIndex", "lexicographic_order"]

_LIMIT = 2**62


@dataclass(frozen=True, eq=False, repr=False)
class KeyIndex:
    """Keys of cells, and the way from any tuple of codes to its cell.

    ``prefixes[d]``, where it is not None, holds the distinct keys of the codes
    before dimension d; a key goes on from its rank among them.
    """

    sizes: tuple[int, ...]
    prefixes: tuple[NDArray[np.int64] | None, ...]
    keys: NDArray[np.int64]

    @classmethod
    def of(cls, codes: NDArray[np.int32], sizes: Sequence[int]) -> KeyIndex:
        """Number the cells whose codes are the columns of ``codes``.

        >>> import numpy as np
        >>> index = KeyIndex.of(np.array([[0, 0, 1], [0, 2, 1]]), (2, 3))
        >>> index.keys.tolist()
        [0, 2, 4]
        >>> index.lookup(np.array([[0, 1], [2, 0]])).tolist()
        [1, -1]
        """
        prefixes: list[NDArray[np.int64] | None] = []
        key = np.zeros(codes.shape[1], dtype=np.int64)
        span = 1
        for code, size in zip(codes, sizes, strict=True):
            ranked = span * max(size, 1) > _LIMIT
            if ranked:
                distinct, key = np.unique(key, return_inverse=True)
                key = key.astype(np.int64, copy=False)
                span = len(distinct)
            prefixes.append(distinct if ranked else None)
            key *= size
            key += code
            span *= max(size, 1)
        return cls(tuple(sizes), tuple(prefixes), key)

    def __len__(self) -> int:
        return len(self.keys)

    def __repr__(self) -> str:
        return f"<KeyIndex: {len(self):,} cells, {len(self.sizes)} dimensions>"

    @property
    def is_dense(self) -> bool:
        """Whether every combination of codes is held, so that key and index agree."""
        return len(self.keys) > 0 and int(self.keys[-1]) == len(self.keys) - 1

    @property
    def strides(self) -> tuple[int, ...] | None:
        """What one code more in each dimension adds to a key; None where ranked."""
        if any(prefix is not None for prefix in self.prefixes):
            return None
        strides = [1]
        for size in reversed(self.sizes[1:]):
            strides.append(strides[-1] * max(size, 1))
        return tuple(reversed(strides))

    def key_of(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """Key of any tuples of codes; -1 where no cell held can match."""
        absent = np.zeros(codes.shape[1], dtype=bool)
        key = np.zeros(codes.shape[1], dtype=np.int64)
        for code, size, prefix in zip(codes, self.sizes, self.prefixes, strict=True):
            if prefix is not None:
                key, missing = _rank(key, prefix)
                absent |= missing
            absent |= (code < 0) | (code >= size)
            key *= size
            key += code
        key[absent] = -1
        return key

    def find(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Index of the cell with each key, -1 where none is held."""
        if self.is_dense:
            inside = (keys >= 0) & (keys < len(self.keys))
            return np.where(inside, keys, np.int64(-1))
        rank, missing = _rank(keys, self.keys)
        rank[missing] = -1
        return rank

    def lookup(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """Index of the cell with each tuple of codes, -1 where none is held."""
        return self.find(self.key_of(codes))


def lexicographic_order(
    codes: NDArray[np.int32], sizes: Sequence[int]
) -> tuple[NDArray[np.int64], KeyIndex]:
    """Order that puts cells in ascending order of codes, and the keys in that order.

    >>> import numpy as np
    >>> order, index = lexicographic_order(np.array([[1, 0], [0, 2]]), (2, 3))
    >>> order.tolist(), index.keys.tolist()
    ([1, 0], [2, 3])
    """
    index = KeyIndex.of(codes, sizes)
    keys = index.keys
    if len(keys) < 2 or bool((keys[1:] >= keys[:-1]).all()):  # noqa: PLR2004 - a pair
        return np.arange(len(keys), dtype=np.int64), index
    order = np.argsort(keys, kind="stable")
    return order, KeyIndex(index.sizes, index.prefixes, keys[order])


def _rank(
    wanted: NDArray[np.int64], held: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Position of each wanted number in an ascending array, and which are not there."""
    rank = np.searchsorted(held, wanted).astype(np.int64, copy=False)
    if not len(held):
        return rank, np.ones(len(wanted), dtype=bool)
    np.minimum(rank, len(held) - 1, out=rank)
    return rank, held[rank] != wanted
