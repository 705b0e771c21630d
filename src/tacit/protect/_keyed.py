# SPDX-License-Identifier: Apache-2.0
"""Numbers that look random, but belong to a secret key and to what they are for."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.table import Table

__all__ = ["mixed", "uniform", "uniform_of_cells"]

_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_STEP = np.uint64(0x9E3779B97F4A7C15)
_BITS = 53


def uniform_of_cells(
    table: Table, cells: NDArray[np.int64], key: bytes, purpose: bytes
) -> NDArray[np.float64]:
    """Draw a number in [0, 1) for each cell: the same in every table that holds it.

    A cell is known by its codes below the total, so a table with fewer dimensions
    holds the same cells at the totals of those that it lacks.

    >>> import tacit
    >>> table = tacit.Table.from_cells(
    ...     {"sex": ["f", "m"], "n": [2, 3]}, by={"sex": "all"}, count="n")
    >>> first = uniform_of_cells(table, np.arange(3), b"secret", b"test")
    >>> again = uniform_of_cells(table, np.array([2]), b"secret", b"test")
    >>> bool(first[2] == again[0]), bool(first[1] == first[2])
    (True, False)
    """
    name = hashlib.blake2b(table.measure.encode(), key=_fitting(key), person=b"name")
    found = np.full(len(cells), _number(name.digest()), dtype=np.uint64)
    for axis, codes in zip(table.dimensions, table.cells.codes, strict=True):
        of_code = np.array(
            [_of_code(axis.name, code, axis.total, key) for code in axis.codes],
            dtype=np.uint64,
        )
        found += of_code[codes[cells]]
    last = hashlib.blake2b(purpose, key=_fitting(key), person=b"purpose")
    return uniform(mixed(found, _number(last.digest())))


def _of_code(dimension: str, code: str, total: str | None, key: bytes) -> int:
    if code == total:
        return 0
    text = f"{len(dimension)}:{dimension}{code}".encode()
    return _number(hashlib.blake2b(text, key=_fitting(key), person=b"code").digest())


def _fitting(key: bytes) -> bytes:
    """A key of any length, as the hash takes it."""
    return hashlib.blake2b(key, digest_size=32).digest()


def _number(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "little")


def mixed(numbers: NDArray[np.uint64], salt: int) -> NDArray[np.uint64]:
    """Mix 64-bit numbers with a salt, so that none tells of its neighbours.

    >>> mixed(np.array([0, 1], dtype=np.uint64), 0).tolist()
    [16294208416658607535, 10451216379200822465]
    """
    with np.errstate(over="ignore"):
        z = (numbers ^ np.uint64(salt)) + _STEP
        z = (z ^ (z >> np.uint64(30))) * _FIRST
        z = (z ^ (z >> np.uint64(27))) * _SECOND
        found: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return found


def uniform(numbers: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Take 64-bit numbers as fractions in [0, 1).

    >>> uniform(np.array([0, 2**63], dtype=np.uint64)).tolist()
    [0.0, 0.5]
    """
    whole = (numbers >> np.uint64(64 - _BITS)).astype(np.float64)
    fractions: NDArray[np.float64] = whole * 2.0**-_BITS
    return fractions
