# SPDX-License-Identifier: Apache-2.0
"""What is measured: a release, and its values beside the original ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.measure._pair import Pair
    from tacit.protect import Release

__all__ = ["Subject"]


@dataclass(frozen=True, eq=False, repr=False)
class Subject:
    """A release with its :class:`Pair`; measures share what they all need."""

    release: Release
    pair: Pair

    def __repr__(self) -> str:
        return f"<Subject: {self.pair!r}>"

    @cached_property
    def filled(self) -> NDArray[np.bool_]:
        """Interior cells of the whole table that somebody stands behind."""
        from tacit.measure._pair import interior_of  # noqa: PLC0415 - beside its use

        inner = np.zeros(len(self.release), dtype=bool)
        inner[interior_of(self.release.table)] = True
        filled: NDArray[np.bool_] = inner & (self.release.state != State.EMPTY)
        return filled

    @cached_property
    def modified(self) -> NDArray[np.bool_]:
        """Cells that are published with another value than the true one."""
        true = self.release.table.cells.value
        changed: NDArray[np.bool_] = self.release.published != true
        return changed & ~self.release.withheld

    @property
    def report(self) -> Any:  # noqa: ANN401 - an audit report or none
        """What the audit found, if one was run."""
        return self.release.audit
