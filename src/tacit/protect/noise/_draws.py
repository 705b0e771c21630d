# SPDX-License-Identifier: Apache-2.0
"""What is drawn for a cell or a unit: by its records where these carry keys."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect._keyed import mixed, uniform, uniform_of_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.table import Table

__all__ = ["of_cells", "of_keys"]


def of_cells(table: Table, key: bytes, purpose: bytes) -> NDArray[np.float64]:
    """Draw a number in [0, 1) for each cell.

    Where records carry keys, cells of the same records draw the same number in every
    table; else cells of the same codes do.
    """
    evidence = table.evidence
    if evidence is not None and evidence.keys is not None:
        return of_keys(evidence.keys, key, purpose)
    return uniform_of_cells(table, np.arange(len(table)), key, purpose)


def of_keys(keys: NDArray[np.int64], key: bytes, purpose: bytes) -> NDArray[np.float64]:
    """Draw a number in [0, 1) for each record key or cell key.

    >>> first = of_keys(np.array([5, 5, 6]), b"secret", b"sign")
    >>> bool(first[0] == first[1]), bool(first[1] == first[2])
    (True, False)
    """
    salt = hashlib.blake2b(key + purpose, digest_size=8).digest()
    return uniform(mixed(keys.astype(np.uint64), int.from_bytes(salt, "little")))
