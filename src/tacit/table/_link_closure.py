# SPDX-License-Identifier: Apache-2.0
"""Sums whose total and parts are published in different ones of the linked tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.table._build import parent_cells
from tacit.table._keys import KeyIndex
from tacit.table._link_relations import Carried

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.table._link_axes import Axis

__all__ = ["closure"]

_WORD = 64


def closure(
    codes: NDArray[np.int32], axes: Sequence[Axis], implying: NDArray[np.bool_]
) -> list[Carried]:
    """State every sum of the joined trees whose parts are all published.

    A part is published where it is held, or where a table is about it and does not
    hold it. ``implying`` says of which tables the cells that they do not hold are
    known to be empty. One table may publish the total and others its parts.
    """
    index = KeyIndex.of(codes, [len(axis.dimension) for axis in axes])
    about = [_tables_about(axis, implying) for axis in axes]
    rows = []
    for d, axis in enumerate(axes):
        for t, parents in enumerate(axis.dimension.parents):
            rows.append(_sums(codes, index, about, (d, t), parents))
    return rows


def _tables_about(axis: Axis, implying: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Which tables are about each code, as bits of one or more words."""
    words = -(-len(implying) // _WORD)
    bits = np.zeros((len(axis.dimension), words), dtype=np.uint64)
    for i, known in enumerate(axis.known):
        if implying[i]:
            bits[known, i // _WORD] |= np.uint64(1) << np.uint64(i % _WORD)
    return bits


def _sums(
    codes: NDArray[np.int32],
    index: KeyIndex,
    about: Sequence[NDArray[np.uint64]],
    where: tuple[int, int],
    parents: NDArray[np.int32],
) -> Carried:
    d, t = where
    part, above = parent_cells(index, codes, d, parents)
    part, above = part[above >= 0], above[above >= 0]
    held = np.bincount(above, minlength=codes.shape[1])
    total = np.flatnonzero(held)
    parts_of = np.bincount(parents[parents >= 0], minlength=len(parents))
    stated = held[total] == parts_of[codes[d, total]]
    open_ = np.flatnonzero(~stated)
    if len(open_):
        stated[open_] = _all_published(codes[:, total[open_]], about, d, parents)
    keep = np.zeros(codes.shape[1], dtype=bool)
    keep[total[stated]] = True
    total = total[stated]
    part, above = part[keep[above]], above[keep[above]]
    # Each total comes before its parts.
    owner = np.concatenate([total, above])
    order = np.argsort(owner, kind="stable")
    data = np.ones(len(owner), dtype=np.int8)
    data[: len(total)] = -1
    return Carried(
        data=data[order],
        indices=np.concatenate([total, part])[order],
        lengths=held[total] + 1,
        dimension=np.full(len(total), d, dtype=np.int16),
        tree=np.full(len(total), t, dtype=np.int32),
        total=total.astype(np.int32),
    )


def _all_published(
    codes: NDArray[np.int32],
    about: Sequence[NDArray[np.uint64]],
    d: int,
    parents: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """Whether some table is about each part of each of these totals.

    There are few pairs of a code and the tables that are about the other codes of
    its cell, so that the answer is found once for each pair.
    """
    masks = np.full((codes.shape[1], about[d].shape[1]), ~np.uint64(0))
    for e, bits in enumerate(about):
        if e != d:
            masks &= bits[codes[e]]
    pairs = np.column_stack([codes[d].astype(np.uint64), masks])
    distinct, which = np.unique(pairs, axis=0, return_inverse=True)
    order = np.argsort(parents, kind="stable")
    above = parents[order]
    answers = np.zeros(len(distinct), dtype=bool)
    for row, pair in enumerate(distinct):
        low, high = np.searchsorted(above, [int(pair[0]), int(pair[0]) + 1])
        known = about[d][order[low:high]] & pair[1:]
        answers[row] = bool(known.any(axis=1).all())
    published: NDArray[np.bool_] = answers[which.ravel()]
    return published
