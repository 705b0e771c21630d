# SPDX-License-Identifier: Apache-2.0
"""Every step that could be taken, and what each would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.redesign._apply import can_merge, tabulated_again
from tacit.protect.redesign._collapse import Collapse, collapsed
from tacit.rules import assess
from tacit.table import Dimension, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tacit.hierarchy import Hierarchy
    from tacit.rules import Assessment

__all__ = ["Candidate", "candidates", "detail_of"]


@dataclass(frozen=True)
class Candidate:
    """A step, how many sensitive cells fewer there are then, and how many cells."""

    step: Collapse
    removed: int
    lost: int

    @property
    def worth(self) -> float:
        """Sensitive cells that go for each cell that goes."""
        return self.removed / max(self.lost, 1)


def detail_of(assessment: Assessment) -> NDArray[np.bool_]:
    """Cells that say something: that are not empty."""
    table = assessment.table
    filled: NDArray[np.bool_] = assessment.state != State.EMPTY
    if table.evidence is not None:
        filled &= table.evidence.contributors > 0
    return filled


def candidates(assessment: Assessment) -> list[Candidate]:
    """List the steps that leave fewer sensitive cells, the most worthwhile first."""
    found: list[Candidate] = []
    for d, axis in enumerate(assessment.table.dimensions):
        if len(axis.hierarchies) != 1:
            continue
        here = _by_code(assessment, d)
        found += _cuts(axis, *here)
        if can_merge(assessment):
            found += _merges(assessment, axis, *here)
    found = [one for one in found if one.removed > 0]
    return sorted(found, key=lambda one: (-one.worth, one.lost, one.step.words))


def _by_code(
    assessment: Assessment, d: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sensitive and filled cells of each code of a dimension."""
    codes = assessment.table.cells.codes[d]
    size = len(assessment.table.dimensions[d])
    sensitive = np.bincount(codes[assessment.sensitive], minlength=size)
    filled = np.bincount(codes[detail_of(assessment)], minlength=size)
    return sensitive, filled


def _cuts(
    axis: Dimension, sensitive: NDArray[np.int64], filled: NDArray[np.int64]
) -> Iterator[Candidate]:
    tree = axis.hierarchies[0]
    for code in tree.codes:
        below = [axis.positions[c] for c in tree.descendants(code)]
        if code == tree.total or not below:
            continue
        yield Candidate(
            Collapse(axis.name, "cut", (code,)),
            int(sensitive[below].sum()),
            int(filled[below].sum()),
        )


def _merges(
    assessment: Assessment,
    axis: Dimension,
    sensitive: NDArray[np.int64],
    filled: NDArray[np.int64],
) -> Iterator[Candidate]:
    """Judge pairs of siblings, as many at once as have no code in common."""
    told: set[tuple[str, str]] = set()
    taken = set(axis.codes)
    for pairs in _pairings(axis.hierarchies[0], axis, sensitive):
        new = [p for p in pairs if p not in told and "+".join(p) not in taken]
        told.update(new)
        if new:
            yield from _judged(assessment, axis, new, (sensitive, filled))


def _judged(
    assessment: Assessment,
    axis: Dimension,
    pairs: list[tuple[str, str]],
    before: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> Iterator[Candidate]:
    sensitive, filled = before
    dimension, renamed = axis, {code: code for code in axis.codes}
    steps = [Collapse(axis.name, "merge", pair) for pair in pairs]
    for step in steps:
        dimension = collapsed(dimension, step)
        renamed |= dict.fromkeys(step.codes, step.merged)
    table = tabulated_again(assessment.table, {axis.name: (renamed, dimension)})
    merged = assess(table, assessment.rule)
    now = _by_code(merged, table.axis(axis.name))
    for step in steps:
        old = [axis.positions[code] for code in step.codes]
        at = dimension.positions[step.merged]
        yield Candidate(
            step,
            int(sensitive[old].sum() - now[0][at]),
            int(filled[old].sum() - now[1][at]),
        )


def _pairings(
    tree: Hierarchy, axis: Dimension, sensitive: NDArray[np.int64]
) -> list[list[tuple[str, str]]]:
    """Pairs of leaves with one parent: neighbours, and those with most sensitive cells.

    The pairs of one list have no code in common.
    """
    lists: list[list[tuple[str, str]]] = [[], [], []]
    for parent in tree.codes:
        leaves = [c for c in tree.children(parent) if c in tree.leaf_codes]
        if len(leaves) < 3:  # noqa: PLR2004 - two merged are their parent: that is a cut
            if len(leaves) == len(tree.children(parent)):
                continue
            lists[0] += list(zip(leaves[::2], leaves[1::2], strict=False))
            continue
        lists[0] += list(zip(leaves[::2], leaves[1::2], strict=False))
        lists[1] += list(zip(leaves[1::2], leaves[2::2], strict=False))
        worst = sorted(leaves, key=lambda c: -int(sensitive[axis.positions[c]]))
        ranked = [tuple(sorted(pair, key=leaves.index)) for pair in _twos(worst)]
        lists[2] += [(pair[0], pair[1]) for pair in ranked]
    return lists


def _twos(codes: list[str]) -> Iterator[tuple[str, str]]:
    yield from zip(codes[::2], codes[1::2], strict=False)
