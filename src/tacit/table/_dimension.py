# SPDX-License-Identifier: Apache-2.0
"""One classification of a table: its codes, and the trees over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.errors import HierarchyError, InputError, SourceError, suggest
from tacit.hierarchy import frozen
from tacit.table._codes import check_trees, explain_strangers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.hierarchy import Hierarchy

__all__ = ["Dimension", "Rollup"]


class Rollup(NamedTuple):
    """Where each leaf is counted at one level of one tree.

    ``ancestor[p]`` is the position of the code that the leaf at position p adds up
    to, -1 where there is none at this level. ``tree`` is -1 without hierarchies.
    """

    tree: int
    depth: int
    ancestor: NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class Dimension:
    """A named classification.

    ``hierarchies`` are trees over the same leaves (none for a dimension without
    totals, such as waves). ``codes`` is the union of their codes: first the codes
    of the first tree in its order, then what the others add. Cells refer to codes
    by their position in ``codes``.
    """

    name: str
    codes: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...] = ()
    sensitive: bool = False

    @classmethod
    def of(
        cls, name: str, *hierarchies: Hierarchy, sensitive: bool = False
    ) -> Dimension:
        """Join trees over the same leaves into one dimension.

        >>> from tacit import Hierarchy
        >>> Dimension.of("sex", Hierarchy.flat(["f", "m"], total="all")).codes
        ('all', 'f', 'm')
        """
        if not hierarchies:
            message = (
                f"Dimension '{name}' has no hierarchy. Give one, for instance "
                "Hierarchy.flat(codes, total='Total')."
            )
            raise HierarchyError(message)
        check_trees(name, hierarchies)
        codes = dict.fromkeys(code for tree in hierarchies for code in tree.codes)
        return cls(name, tuple(codes), hierarchies, sensitive)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        trees = len(self.hierarchies)
        many = "hierarchy" if trees == 1 else "hierarchies"
        return f"<Dimension '{self.name}': {len(self):,} codes, {trees} {many}>"

    @cached_property
    def positions(self) -> dict[str, int]:
        """Position of each code."""
        return {code: position for position, code in enumerate(self.codes)}

    def position(self, code: str) -> int:
        """Position of ``code``, or an error that names the nearest one."""
        try:
            return self.positions[code]
        except KeyError:
            message = (
                f"Dimension '{self.name}' has no code '{code}'. "
                f"{suggest(code, self.codes)}"
            )
            raise InputError(message) from None

    @cached_property
    def parents(self) -> tuple[NDArray[np.int32], ...]:
        """Per tree, the position of each code's parent; -1 for roots and strangers."""
        return tuple(self._parents_in(tree) for tree in self.hierarchies)

    def _to_union(self, tree: Hierarchy) -> NDArray[np.int32]:
        return np.array([self.positions[c] for c in tree.codes], dtype=np.int32)

    def _parents_in(self, tree: Hierarchy) -> NDArray[np.int32]:
        to_union = self._to_union(tree)
        inner = np.where(tree.parents >= 0, to_union[tree.parents], np.int32(-1))
        parents = np.full(len(self.codes), -1, dtype=np.int32)
        parents[to_union] = inner
        return parents

    @cached_property
    def total(self) -> str | None:
        """The code of the grand total, if there is one."""
        return self.hierarchies[0].total if self.hierarchies else None

    @cached_property
    def leaves(self) -> NDArray[np.int32]:
        """Positions of the codes that have no parts."""
        is_parent = np.zeros(len(self.codes), dtype=bool)
        for parents in self.parents:
            is_parent[parents[parents >= 0]] = True
        return np.flatnonzero(~is_parent).astype(np.int32)

    @cached_property
    def depths(self) -> NDArray[np.int32]:
        """Depth of each code in the first tree that holds it; 0 at a total.

        >>> from tacit import Hierarchy
        >>> tree = Hierarchy.from_parents({"A1": "A", "A": "T"})
        >>> Dimension.of("region", tree).depths.tolist()
        [0, 1, 2]
        """
        depths = np.zeros(len(self.codes), dtype=np.int32)
        for tree in reversed(self.hierarchies):
            depths[self._to_union(tree)] = tree.depth
        return depths

    def label(self, code: str) -> str:
        """Label of a code; the code itself where none is known."""
        for tree in self.hierarchies:
            if code in tree.labels:
                return tree.labels[code]
        return code

    @cached_property
    def rollups(self) -> tuple[Rollup, ...]:
        """Maps from leaves to what they add up to, one for each tree and level.

        Every code belongs to one rollup: that of its first tree, at its depth there.
        A rollup covers all leaves of each of its codes, so that grouping the leaf
        cells by each rollup once gives every code once.

        >>> from tacit import Hierarchy
        >>> sex = Dimension.of("sex", Hierarchy.flat(["f", "m"], total="all"))
        >>> [(r.tree, r.depth, r.ancestor.tolist()) for r in sex.rollups]
        [(0, 0, [-1, 0, 0]), (0, 1, [-1, 1, 2])]
        """
        if not self.hierarchies:
            return (Rollup(-1, 0, frozen(self.leaves.copy())),)
        owner = np.full(len(self.codes), -1, dtype=np.int32)
        found: list[Rollup] = []
        for t, tree in enumerate(self.hierarchies):
            to_union = self._to_union(tree)
            owner[to_union[owner[to_union] < 0]] = t
            found.extend(self._rollups_in(t, to_union, owner))
        return tuple(found)

    def _rollups_in(
        self, t: int, to_union: NDArray[np.int32], owner: NDArray[np.int32]
    ) -> list[Rollup]:
        tree = self.hierarchies[t]
        here = tree.leaves.astype(np.int64)
        leaf = to_union[here]
        found: list[Rollup] = []
        for level in range(int(tree.depth.max()), -1, -1):
            at_level = tree.depth[here] == level
            target = to_union[here]
            mine = at_level & (owner[target] == t)
            if mine.any():
                ancestor = np.full(len(self.codes), -1, dtype=np.int32)
                ancestor[leaf[mine]] = target[mine]
                found.append(Rollup(t, level, frozen(ancestor)))
            here = np.where(at_level & (here > 0), tree.parents[here], here)
        return found[::-1]

    def leaf_positions(self, codes: Sequence[object]) -> NDArray[np.int32]:
        """Positions of codes of the data, which must be leaves of every tree.

        All codes that are not leaves are explained in one error.

        >>> from tacit import Hierarchy
        >>> sex = Dimension.of("sex", Hierarchy.flat(["f", "m"], total="all"))
        >>> sex.leaf_positions(["m", "f"]).tolist()
        [2, 1]
        """
        found = [self.positions.get(c, -1) if isinstance(c, str) else -1 for c in codes]
        positions = np.array(found, dtype=np.int32)
        usable = np.zeros(len(self.codes) + 1, dtype=bool)
        usable[self.leaves] = True
        if not usable[positions].all():
            wrong = [codes[i] for i in np.flatnonzero(~usable[positions]).tolist()]
            raise SourceError(explain_strangers(self, wrong))
        return positions
