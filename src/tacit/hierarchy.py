# SPDX-License-Identifier: Apache-2.0
"""Classifications as trees of codes.

Codes are text, never numbers: ``01`` stays ``01``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tacit._hierarchy_build import (
    as_codes,
    as_text,
    assemble,
    check_order,
    depth_of,
    digit_rows,
)
from tacit.errors import HierarchyError, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Hierarchy"]

_Scalar = TypeVar("_Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy:
    """A tree of codes below one total.

    ``codes`` are in depth-first order, the total first; ``parents[i]`` is the
    position of the parent of ``codes[i]``, -1 for the total. Branches may differ in
    depth, and a code may have a single child. Two hierarchies are equal if their
    codes, parents and labels are.

    >>> Hierarchy(("T", "A", "B"), [-1, 0, 0])
    <Hierarchy 'T': 3 codes, 2 leaves, 1 level>
    """

    codes: tuple[str, ...]
    parents: NDArray[np.int32]
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        codes = tuple(as_codes(self.codes))
        parents = np.array(self.parents, dtype=np.int32)
        check_order(codes, parents)
        parents.setflags(write=False)
        known = {c: self.labels[c] for c in codes if c in self.labels}
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "labels", MappingProxyType(known))

    @classmethod
    def from_parents(
        cls,
        parents: Mapping[str, str],
        *,
        total: str | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Hierarchy:
        """Build a tree from a mapping of each code to its parent.

        The total is the one code that is a parent and has none itself.

        >>> h = Hierarchy.from_parents({"A1": "A", "A2": "A", "A": "T", "B": "T"})
        >>> h.codes
        ('T', 'A', 'A1', 'A2', 'B')
        """
        codes = [as_text(code) for code in parents]
        above = [
            as_text(parent, f"parent of '{code}'") for code, parent in parents.items()
        ]
        if total is not None:
            as_text(total, "total")
        return cls(*assemble(codes, above, total=total), labels or {})

    @classmethod
    def from_columns(
        cls,
        frame: Any,  # noqa: ANN401 - whatever Narwhals takes
        columns: Sequence[str],
        *,
        total: str,
    ) -> Hierarchy:
        """Build a tree from columns of a frame, from coarse to fine.

        A missing or empty code in a finer column ends the path of its row. A code
        that repeats the one before it in its row is a level with a single part, and
        is taken once. Codes keep the order in which they first appear; those of a
        lazy source are sorted.

        >>> import pyarrow as pa
        >>> frame = pa.table({"nuts1": ["A", "A", "B"], "nuts2": ["A1", "A2", "B"]})
        >>> Hierarchy.from_columns(frame, ["nuts1", "nuts2"], total="T").codes
        ('T', 'A', 'A1', 'A2', 'B')
        """
        from tacit._hierarchy_columns import rows_of_columns  # noqa: PLC0415

        codes, parents = rows_of_columns(frame, columns, total=as_text(total, "total"))
        return cls(*assemble(codes, parents, total=total))

    @classmethod
    def from_digits(
        cls, codes: Iterable[str], widths: Sequence[int], *, total: str
    ) -> Hierarchy:
        """Build a tree from codes whose leading characters name their parents.

        ``widths`` are the characters that each level adds; every code has as many
        characters as they add up to. Codes may repeat, and are sorted.

        >>> Hierarchy.from_digits(["011", "012", "111"], (1, 1, 1), total="T").codes
        ('T', '0', '01', '011', '012', '1', '11', '111')
        """
        as_text(total, "total")
        rows = digit_rows(as_codes(codes), widths, total)
        return cls(*assemble(*rows, total=total))

    @classmethod
    def flat(
        cls,
        codes: Iterable[str],
        *,
        total: str,
        labels: Mapping[str, str] | None = None,
    ) -> Hierarchy:
        """Build a tree of one level.

        >>> Hierarchy.flat(["1", "2"], total="T").codes
        ('T', '1', '2')
        """
        as_text(total, "total")
        below = as_codes(codes)
        return cls(*assemble(below, [total] * len(below), total=total), labels or {})

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        total: str | None = None,
        lead: str = "@",
        labels: Mapping[str, str] | str | Path | None = None,
    ) -> Hierarchy:
        r"""Read a ``.hrc`` file, or ``.csv`` or ``.txt`` with code,parent[,label].

        A ``.hrc`` file does not list its total, so that ``total`` must be given; the
        depth of a code is the number of times that ``lead`` stands before it. In the
        other files the total is the row without a parent, or the code that is only a
        parent; several rows without a parent stand below ``total``. ``labels`` is a
        mapping, or a file of code,label (``.cdl``). Leading blanks belong to a code.

        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "region.hrc"
        >>> _ = path.write_text("A\n@A1\n@A2\nB\n")
        >>> Hierarchy.read(path, total="T").codes
        ('T', 'A', 'A1', 'A2', 'B')
        """
        from tacit._hierarchy_files import read_labels, read_rows  # noqa: PLC0415

        if total is not None:
            as_text(total, "total")
        rows = read_rows(path, total=total, lead=lead)
        named = rows.labels | (read_labels(labels) if labels is not None else {})
        tree = assemble(rows.codes, rows.parents, total=total, places=rows.places)
        return cls(*tree, named)

    def write(self, path: str | Path, *, lead: str = "@") -> None:
        """Write a ``.hrc`` file, or ``.csv`` or ``.txt`` with code,parent[,label].

        A ``.hrc`` file holds neither the total nor the labels.

        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "region.csv"
        >>> Hierarchy.flat(["A", "B"], total="T").write(path)
        >>> path.read_text().split()
        ['code,parent', 'T,', 'A,T', 'B,T']
        """
        from tacit._hierarchy_files import write_file  # noqa: PLC0415

        write_file(self, path, lead)

    @property
    def total(self) -> str:
        """The code of the total."""
        return self.codes[0]

    def __len__(self) -> int:
        return len(self.codes)

    def __contains__(self, code: object) -> bool:
        return code in self.positions

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self.same_tree(other) and self.labels == other.labels

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.codes, self.parents.tobytes()))

    def __repr__(self) -> str:
        levels = len(self.levels) - 1
        return (
            f"<Hierarchy '{self.total}': {len(self):,} codes, {len(self.leaves):,} "
            f"leaves, {levels:,} level{'' if levels == 1 else 's'}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled, and hierarchies travel to process pools.
        return Hierarchy, (self.codes, self.parents, dict(self.labels))

    def same_tree(self, other: Hierarchy) -> bool:
        """Tell whether codes and parents are the same, whatever the labels."""
        return self.codes == other.codes and np.array_equal(self.parents, other.parents)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Position of each code."""
        return {code: position for position, code in enumerate(self.codes)}

    def position(self, code: str) -> int:
        """Position of ``code``, or an error that names the nearest one."""
        try:
            return self.positions[code]
        except (KeyError, TypeError):
            message = f"No code '{code}' in this hierarchy. {suggest(code, self.codes)}"
            raise HierarchyError(message) from None

    @cached_property
    def depth(self) -> NDArray[np.int32]:
        """Distance of each code from the total."""
        return frozen(depth_of(self.parents))

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each code is without parts."""
        leaf = np.ones(len(self.codes), dtype=bool)
        leaf[self.parents[1:]] = False
        return frozen(leaf)

    @cached_property
    def leaves(self) -> NDArray[np.int32]:
        """Positions of the codes without parts."""
        return frozen(np.flatnonzero(self.is_leaf).astype(np.int32))

    @cached_property
    def leaf_codes(self) -> frozenset[str]:
        """Codes without parts."""
        return frozenset(self.codes[i] for i in self.leaves.tolist())

    @cached_property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Codes at each depth, the total first.

        >>> Hierarchy.from_parents({"A1": "A", "A": "T", "B": "T"}).levels
        (('T',), ('A', 'B'), ('A1',))
        """
        order = np.argsort(self.depth, kind="stable").tolist()
        sizes = np.bincount(self.depth)
        ends = np.cumsum(sizes).tolist()
        return tuple(
            tuple(self.codes[i] for i in order[end - size : end])
            for end, size in zip(ends, sizes.tolist(), strict=True)
        )

    def parent(self, code: str) -> str | None:
        """Code that ``code`` is a part of; None for the total."""
        position = int(self.parents[self.position(code)])
        return self.codes[position] if position >= 0 else None

    @cached_property
    def _by_parent(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        order = np.argsort(self.parents, kind="stable")
        return order, self.parents[order]

    def children(self, code: str) -> tuple[str, ...]:
        """Codes that add up to ``code``, in order.

        >>> Hierarchy.flat(["1", "2"], total="T").children("T")
        ('1', '2')
        """
        order, parents = self._by_parent
        start, end = np.searchsorted(parents, self.position(code) + np.array([0, 1]))
        return tuple(self.codes[i] for i in order[start:end].tolist())

    def ancestors(self, code: str) -> tuple[str, ...]:
        """Codes above ``code``, the nearest first and the total last.

        >>> Hierarchy.from_parents({"A1": "A", "A": "T"}).ancestors("A1")
        ('A', 'T')
        """
        path: list[str] = []
        position = int(self.parents[self.position(code)])
        while position >= 0:
            path.append(self.codes[position])
            position = int(self.parents[position])
        return tuple(path)

    def descendants(self, code: str) -> tuple[str, ...]:
        """Codes below ``code``, depth-first.

        >>> Hierarchy.from_parents({"A1": "A", "A": "T", "B": "T"}).descendants("T")
        ('A', 'A1', 'B')
        """
        start = self.position(code)
        return self.codes[start + 1 : int(self.ends[start])]

    @cached_property
    def ends(self) -> NDArray[np.int32]:
        """Position after the last code below each code."""
        ends = list(range(1, len(self) + 1))
        above = self.parents.tolist()
        # Children come after their parent, so each end is final when it is passed on.
        for position in range(len(self) - 1, 0, -1):
            parent = above[position]
            ends[parent] = max(ends[parent], ends[position])
        return frozen(np.array(ends, dtype=np.int32))

    def subtree(self, code: str) -> Hierarchy:
        """Tree of ``code`` and what is below it, with ``code`` as its total.

        >>> Hierarchy.from_parents({"A1": "A", "A": "T", "B": "T"}).subtree("A").codes
        ('A', 'A1')
        """
        start = self.position(code)
        end = int(self.ends[start])
        parents = self.parents[start:end] - np.int32(start)
        parents[0] = -1
        return Hierarchy(self.codes[start:end], parents, self.labels)


def frozen(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Return the array, from now on read-only."""
    array.setflags(write=False)
    return array
