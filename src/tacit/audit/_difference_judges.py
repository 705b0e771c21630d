# SPDX-License-Identifier: Apache-2.0
"""Whether a difference of releases is unsafe: as a count, or by its contributors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError
from tacit.rules import AnyOf, MinFrequency, Rule
from tacit.table import Cells, State, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.audit._common import Common
    from tacit.audit._judge import Judged
    from tacit.table._combinations import Leaves

__all__ = ["ContributionJudge", "CountJudge", "count_judge", "judge_for"]


class CountJudge:
    """Judges counts by what they are, without knowing who is counted."""

    def __init__(self, system: Common, rule: MinFrequency | AnyOf) -> None:
        self.rule, self.decimals = rule, system.decimals
        self.class_values: NDArray[np.int64] | None = None

    def of(self, weights: csr_array, value: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Unsafe are small counts; a difference of classes is not a count."""
        row = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
        high = np.full(weights.shape[0], -(2**62))
        low = np.full(weights.shape[0], 2**62)
        np.maximum.at(high, row, weights.data)
        np.minimum.at(low, row, weights.data)
        one_signed = ((low == 1) & (high == 1)) | ((low == -1) & (high == -1))
        small: NDArray[np.bool_] = one_signed & self.small(np.abs(value))
        return small

    def small(self, value: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Ask the rule about counts, as cells of a table of counts."""
        n = len(value)
        cells = Cells(
            np.zeros((0, n), dtype=np.int32),
            value,
            self.decimals,
            np.full(n, State.SAFE, dtype=np.uint8),
        )
        return self.rule.evaluate(Table((), cells, is_count=True)).unsafe


class ContributionJudge:
    """Judges sums by who stands behind them in the finest table."""

    def __init__(self, system: Common, rule: Rule, data: Table, k: int) -> None:
        from tacit.table._combinations import Leaves  # noqa: PLC0415 - heavy

        self.rule, self.leaves = rule, Leaves(data)
        self.place = _leaves_in_classes(system, k, self.leaves)
        scale = 10 ** (system.decimals - data.cells.decimals)
        self.class_values = self.place @ (data.cells.value[self.leaves.cell] * scale)

    def of(self, weights: csr_array, value: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Ask the rule about sums of classes."""
        del value  # the contributions say it
        return self.judged(weights).unsafe

    def judged(self, weights: csr_array) -> Judged:
        """Give all that the rule says."""
        from tacit.audit._judge import judge_sums  # noqa: PLC0415 - heavy

        return judge_sums(self.leaves, (weights @ self.place).tocsr(), self.rule)


def judge_for(
    system: Common, rule: Rule, data: Table | None, unjudged: dict[str, str]
) -> CountJudge | ContributionJudge | None:
    from tacit.audit._judge import rule_for_sums, why_not  # noqa: PLC0415 - heavy

    k = len(system.sources)
    if data is None:
        k = _finest_of(system)
        data = None if k < 0 else system.sources[k].table
    if data is not None:
        asked = rule_for_sums(rule)
        reason = why_not(data, rule)
        if not reason and asked is not None:
            for leaf in rule.leaves:
                if rule_for_sums(leaf) is None:
                    unjudged[leaf.label] = "it is about groups of cells"
            return ContributionJudge(system, asked, data, k)
        unjudged.update(dict.fromkeys((r.label for r in rule.leaves), reason))
        return None
    usable = _of_counts(system, rule)
    for part in _parts(rule):
        if part not in usable:
            unjudged[part.label] = (
                "it asks who stands behind a difference, and the releases do not say; "
                "give the finest table with its contributions as data="
            )
    return count_judge(system, rule)


def count_judge(system: Common, rule: Rule) -> CountJudge | None:
    """The part of the rule that a count alone can break; None if there is none."""
    usable = _of_counts(system, rule)
    if not usable:
        return None
    plain = tuple(part.model_copy(update={"holding": False}) for part in usable)
    return CountJudge(system, plain[0] if len(plain) == 1 else AnyOf(rules=plain))


def _parts(rule: Rule) -> tuple[Rule, ...]:
    return rule.rules if isinstance(rule, AnyOf) else (rule,)


def _of_counts(system: Common, rule: Rule) -> list[MinFrequency]:
    if not all(source.table.is_count for source in system.sources):
        return []
    return [
        part
        for part in _parts(rule)
        if isinstance(part, MinFrequency) and part.count == "entities"
    ]


def _finest_of(system: Common) -> int:
    """Which release knows its contributions and splits as finely as all; -1 if none."""
    classes = system.contains.shape[1]
    for k, source in enumerate(system.sources):
        finest = len(np.unique(system.leaves[k])) == classes
        covers = bool((system.leaves[k] >= 0).all())
        if source.table.contributions is not None and finest and covers:
            return k
    return -1


def _leaves_in_classes(system: Common, k: int, leaves: Leaves) -> csr_array:
    """Mark the filled leaf cells of the finest table, the k-th, in each class."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - heavy

    data = leaves.table
    place = {
        axis.name: axis.place[k][codes]
        for axis, codes in zip(system.axes, system.atoms, strict=True)
    }
    codes = np.stack([place[name] for name in data.names])
    held = (codes >= 0).all(axis=0)
    codes[:, ~held] = 0
    cell = np.where(held, data.key_index.lookup(codes.astype(np.int32)), -1)
    at = np.minimum(np.searchsorted(leaves.cell, cell), max(len(leaves) - 1, 0))
    hit = np.flatnonzero((cell >= 0) & (leaves.cell[at] == cell))
    shape = (system.contains.shape[1], len(leaves))
    ones = np.ones(len(hit), dtype=np.int64)
    found = csr_array((ones, (system.group[hit], at[hit])), shape=shape)
    found.sum_duplicates()
    found.data[:] = 1
    if (np.bincount(found.indices, minlength=len(leaves)) != 1).any():
        message = (
            "data= has filled cells that lie outside the classes of the releases, or "
            "across several of them. Tabulate it from the same records, by codes that "
            "every class of a release is made of (see classes=)."
        )
        raise InputError(message)
    return found
