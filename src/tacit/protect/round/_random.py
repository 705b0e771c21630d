# SPDX-License-Identifier: Apache-2.0
"""Each number up or down by chance, right on average; the chance is drawn by a key."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect._perturbing import Changed, Key, secret
from tacit.protect.round._base import Rounds, base_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment
    from tacit.table import Table

__all__ = ["Options", "Random", "change", "draws"]

# As many as a float holds exactly.
_BITS = 53


class Random(Rounds):
    """Round each number up or down by chance, so that it is right on average.

    A number that lies a third of the way from one multiple to the next goes up with
    probability 1/3. The chance of a cell depends on the key and on its codes, so the
    same cell is rounded in the same way in every table and every run. What is
    published does not add up any more.
    """

    key: Key


Options = Random


def change(assessment: Assessment, options: Random, clock: Clock) -> Changed:  # noqa: ARG001 - as every method
    """Round every value to one of the multiples beside it."""
    base = base_of(assessment, options)
    table = assessment.table
    value = table.cells.value
    low, rest = np.divmod(value, base)
    published = (low + rounds_up(rest, base, draws(table, secret(options.key)))) * base
    notes = {"base": base, "steps": 0, "nearest": False, "ties": None}
    cost = float(np.abs(published - value).sum())
    return Changed(published, "rounding", cost=cost, notes=notes)


def rounds_up(
    rest: NDArray[np.int64], base: int, draw: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Tell which go up, with probability ``rest / base``.

    >>> rounds_up(np.array([0, 1, 1, 2]), 3, np.array([0.0, 0.2, 0.5, 0.5])).tolist()
    [False, True, False, True]
    """
    up: NDArray[np.bool_] = draw * base < rest
    return up


def draws(table: Table, key: bytes) -> NDArray[np.float64]:
    """Give each cell a number from 0 to below 1 that its codes and the key decide.

    A code at the total of its dimension is left out, so that the margin of a table and
    the same table without that dimension agree.
    """
    mixed = np.full(len(table), _keyed(key, [table.measure]), dtype=np.uint64)
    for axis, at in zip(table.dimensions, table.cells.codes, strict=True):
        words = [
            0 if code == axis.total else _keyed(key, [axis.name, code])
            for code in axis.codes
        ]
        mixed += np.array(words, dtype=np.uint64)[at]
    return (_scattered(mixed) >> np.uint64(64 - _BITS)) / 2.0**_BITS


def _keyed(key: bytes, words: list[str]) -> int:
    """Give 64 bits that nobody can tell who does not know the key."""
    text = json.dumps(words, ensure_ascii=False).encode()
    short = hashlib.blake2b(key, digest_size=32).digest()
    return int.from_bytes(hashlib.blake2b(text, key=short, digest_size=8).digest())


def _scattered(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter sums, so that cells which share codes have nothing in common (splitmix).

    Multiplication wraps around, as it must.
    """
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))
