# SPDX-License-Identifier: Apache-2.0
"""One step towards a coarser table: a branch that is cut, or codes that are merged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tacit.hierarchy import Hierarchy
from tacit.table import Dimension

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Collapse", "collapsed", "recoded"]


@dataclass(frozen=True)
class Collapse:
    """What becomes of the codes of one dimension.

    ``cut`` publishes ``codes`` without anything below them; ``merge`` publishes the
    codes, which have the same parent and nothing below, as one.
    """

    dimension: str
    how: Literal["cut", "merge"]
    codes: tuple[str, ...]

    @property
    def words(self) -> str:
        """The step in words.

        >>> Collapse("region", "cut", ("A",)).words
        'region: publish A without its parts'
        >>> Collapse("size", "merge", ("1", "2")).words
        'size: publish 1 and 2 as one'
        """
        listed = " and ".join(self.codes)
        if self.how == "cut":
            return f"{self.dimension}: publish {listed} without its parts"
        return f"{self.dimension}: publish {listed} as one"

    @property
    def merged(self) -> str:
        """The code that merged codes become."""
        return "+".join(self.codes)


def collapsed(dimension: Dimension, step: Collapse) -> Dimension:
    """Give the dimension after a step.

    >>> region = Hierarchy.from_parents({"A1": "A", "A2": "A", "A": "T", "B": "T"})
    >>> collapsed(Dimension.of("r", region), Collapse("r", "cut", ("A",))).codes
    ('T', 'A', 'B')
    """
    tree = dimension.hierarchies[0]
    renamed = recoded(dimension, step)
    parents = {
        renamed[code]: renamed[above]
        for code in tree.codes
        if (above := tree.parent(code)) is not None and renamed[code] != renamed[above]
    }
    kept = {code: label for code, label in tree.labels.items() if renamed[code] == code}
    new = Hierarchy.from_parents(parents, total=tree.total, labels=kept)
    return Dimension.of(dimension.name, new, sensitive=dimension.sensitive)


def recoded(dimension: Dimension, step: Collapse) -> Mapping[str, str]:
    """What each code is called after a step: itself, or what it became part of."""
    tree = dimension.hierarchies[0]
    if step.how == "merge":
        joined = dict.fromkeys(step.codes, step.merged)
        return {code: joined.get(code, code) for code in tree.codes}
    new = {code: code for code in tree.codes}
    for code in step.codes:
        new |= dict.fromkeys(tree.descendants(code), code)
    return new
