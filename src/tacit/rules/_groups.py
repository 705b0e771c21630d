# SPDX-License-Identifier: Apache-2.0
"""Groups of cells that differ in one dimension only, and sets of its codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import RuleError, suggest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.table import Dimension, Table

__all__ = ["code_sets", "group_of_cells", "sensitive_dimensions"]


def sensitive_dimensions(table: Table, name: str | None) -> list[int]:
    """Places of the dimensions that say something sensitive."""
    names = [dimension.name for dimension in table.dimensions]
    if name is not None:
        if name not in names:
            message = f"The table has no dimension '{name}'. {suggest(name, names)}"
            raise RuleError(message)
        return [names.index(name)]
    places = [i for i, dimension in enumerate(table.dimensions) if dimension.sensitive]
    if not places:
        message = (
            "Group disclosure asks which dimension is sensitive. Name it in the rule "
            f"(dimension=), or declare it so in the table. {suggest('', names)}"
        )
        raise RuleError(message)
    return places


def group_of_cells(table: Table, place: int) -> tuple[NDArray[np.int64], int]:
    """Number the combinations of the codes of all other dimensions."""
    group = np.zeros(len(table), dtype=np.int64)
    for other in range(len(table.dimensions)):
        if other != place:
            width = len(table.dimensions[other])
            # Numbers without gaps, so that the product stays within 64 bits.
            mixed = group * width + table.cells.codes[other]
            group = np.unique(mixed, return_inverse=True)[1].astype(np.int64)
    return group, int(group.max(initial=-1)) + 1


def code_sets(
    dimension: Dimension, categories: Sequence[str] | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Per code: is it a leaf, a leaf in a category, made of such leaves only."""
    is_leaf = np.zeros(len(dimension), dtype=bool)
    is_leaf[dimension.leaves] = True
    named = np.zeros(len(dimension), dtype=bool)
    for category in categories or ():
        named[dimension.position(category)] = True
    leaves, chosen = is_leaf.astype(np.int64), np.zeros(len(dimension), dtype=np.int64)
    for parents in dimension.parents:
        inside = _with_parts(parents, named)
        chosen |= (inside & is_leaf).astype(np.int64)
    chosen |= (named & is_leaf).astype(np.int64)
    part = chosen.astype(bool)
    for parents in dimension.parents:
        all_leaves = _summed_up(parents, leaves)
        part |= (_summed_up(parents, chosen) == all_leaves) & (all_leaves > 0)
    if categories is not None and bool(chosen[is_leaf].all()):
        message = (
            f"Dimension '{dimension.name}': every category is named as sensitive. "
            "Then nobody can be in another one; name those that are sensitive."
        )
        raise RuleError(message)
    return is_leaf, chosen.astype(bool), part


def _with_parts(
    parents: NDArray[np.int32], named: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Add all descendants, one level a round."""
    inside = named.copy()
    while True:
        more = inside | ((parents >= 0) & inside[parents])
        if bool((more == inside).all()):
            return inside
        inside = more


def _summed_up(
    parents: NDArray[np.int32], leaves: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the marked leaves below each code of one tree."""
    sums = leaves.copy()
    # A leaf hands its mark to every ancestor, one level a round.
    above = parents.copy()
    while bool((above >= 0).any()):
        held = above >= 0
        np.add.at(sums, above[held], leaves[held])
        above = np.where(held, parents[above], -1).astype(np.int32)
    return sums
