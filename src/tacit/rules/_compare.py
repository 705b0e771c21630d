# SPDX-License-Identifier: Apache-2.0
"""Several rules on one table: what each finds, and where they agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import RuleError
from tacit.rules._assess import assess
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.rules._assessment import Assessment
    from tacit.rules._base import Rule
    from tacit.rules._profiles import Profile
    from tacit.table import Dimension, Table

__all__ = ["RuleComparison", "compare_rules"]


@dataclass(frozen=True, eq=False, repr=False)
class RuleComparison:
    """Assessments of one table under several rules, made by ``compare_rules``.

    It says how many cells each rule calls sensitive, never which: ``frame`` holds one
    row a rule, ``overlaps`` one row a pair, ``by_level`` one row for each level of
    each dimension and each rule. All of it is internal.
    """

    table: Table
    assessments: Mapping[str, Assessment]

    @property
    def frame(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """Sensitive cells per rule, their share, and those that no other rule finds."""
        found = self._matrix
        alone = found & (found.sum(axis=0) == 1)
        filled = max(self._filled, 1)
        columns = {
            "rule": list(self.assessments),
            "cells": np.full(len(found), self._filled),
            "sensitive": found.sum(axis=1),
            "share": found.sum(axis=1) / filled,
            "only_here": alone.sum(axis=1),
        }
        return self._to_frame(columns)

    @property
    def overlaps(self) -> Any:  # noqa: ANN401 - as above
        """Per pair of rules: cells that both, only the first, only the second finds."""
        found, names = self._matrix, list(self.assessments)
        first, second = np.triu_indices(len(names), k=1)
        both = (found.astype(np.int64) @ found.T.astype(np.int64))[first, second]
        count = found.sum(axis=1)
        columns = {
            "first": [names[i] for i in first],
            "second": [names[i] for i in second],
            "both": both,
            "only_first": count[first] - both,
            "only_second": count[second] - both,
        }
        return self._to_frame(columns)

    @property
    def by_level(self) -> Any:  # noqa: ANN401 - as above
        """Sensitive cells per rule at each level of each dimension; 0 is the total."""
        rows: dict[str, list[Any]] = {
            name: [] for name in ("dimension", "level", "rule", "cells", "sensitive")
        }
        filled = self._is_filled
        for axis, dimension in enumerate(self.table.dimensions):
            depth = _levels(dimension)[self.table.cells.codes[axis]]
            cells = np.bincount(depth[filled])
            for name, assessment in self.assessments.items():
                here = depth[assessment.sensitive]
                sensitive = np.bincount(here, minlength=len(cells))
                rows["dimension"] += [dimension.name] * len(cells)
                rows["level"] += range(len(cells))
                rows["rule"] += [name] * len(cells)
                rows["cells"] += cells.tolist()
                rows["sensitive"] += sensitive.tolist()
        return self._to_frame(rows)

    def summary(self) -> dict[str, Any]:
        """Count per rule, and per pair of rules what both find.

        >>> import tacit
        >>> cells = {"sex": ["f", "m"], "n": [2, 4]}
        >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
        >>> rules = {n: tacit.MinFrequency(n=n) for n in (3, 5)}
        >>> by_name = {f"below {n}": rule for n, rule in rules.items()}
        >>> tacit.compare_rules(table, by_name).summary()["sensitive"]
        {'below 3': 1, 'below 5': 2}
        """
        names, found = list(self.assessments), self._matrix
        sensitive = {n: int(c) for n, c in zip(names, found.sum(axis=1), strict=True)}
        both = {
            (names[i], names[j]): int((found[i] & found[j]).sum())
            for i in range(len(names))
            for j in range(i + 1, len(names))
        }
        return {
            "cells": len(self.table),
            "empty": len(self.table) - self._filled,
            "sensitive": sensitive,
            "both": both,
            "any": int(found.any(axis=0).sum()),
            "all": int(found.all(axis=0).sum()),
        }

    @property
    def _matrix(self) -> NDArray[np.bool_]:
        return np.stack([found.sensitive for found in self.assessments.values()])

    @property
    def _is_filled(self) -> NDArray[np.bool_]:
        first = next(iter(self.assessments.values()))
        filled: NDArray[np.bool_] = first.state != State.EMPTY
        return filled

    @property
    def _filled(self) -> int:
        return int(self._is_filled.sum())

    def _to_frame(self, columns: dict[str, Any]) -> Any:  # noqa: ANN401
        from tacit.table._frames import to_frame  # noqa: PLC0415 - loads a library

        return to_frame(columns, self.table.frame_kind)

    def __len__(self) -> int:
        return len(self.assessments)

    def __repr__(self) -> str:
        return f"<RuleComparison: {len(self)} rules, {len(self.table):,} cells>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p>"


def compare_rules(
    table: Table,
    rules: Mapping[str, Rule],
    *,
    profile: str | Profile | None = None,
) -> RuleComparison:
    """Assess one table under several named rules, and compare what they find.

    >>> import tacit
    >>> cells = {"sex": ["f", "m"], "n": [2, 4]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
    >>> rules = {"3": tacit.MinFrequency(n=3), "5": tacit.MinFrequency(n=5)}
    >>> comparison = tacit.compare_rules(table, rules)
    >>> comparison
    <RuleComparison: 2 rules, 3 cells>
    >>> comparison.overlaps.to_pylist()[0]["only_second"]
    1
    """
    if not isinstance(rules, Mapping):
        message = (
            f"compare_rules takes a dict of name and rule, not a "
            f"{type(rules).__name__}: the names are what the comparison shows."
        )
        raise RuleError(message)
    if not rules:
        message = "compare_rules got no rules. Name at least one, as {'name': rule}."
        raise RuleError(message)
    found = {}
    for name, rule in rules.items():
        if rule is None:
            message = f"compare_rules: there is no rule under the name '{name}'."
            raise RuleError(message)
        found[str(name)] = assess(table, rule, profile=profile)
    return RuleComparison(table, found)


def _levels(dimension: Dimension) -> NDArray[np.int64]:
    """Depth of every code in the first tree that holds it."""
    depth = np.zeros(len(dimension), dtype=np.int64)
    for tree in reversed(dimension.hierarchies):
        positions = np.array([dimension.position(code) for code in tree.codes])
        depth[positions] = tree.depth
    return depth
