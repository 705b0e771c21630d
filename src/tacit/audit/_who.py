# SPDX-License-Identifier: Apache-2.0
"""Who stands alone behind a withheld cell, as far as the table knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._insiders import Insiders
from tacit.table import sole_owners

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect import Release
    from tacit.table import Table

__all__ = ["insiders_of"]


def insiders_of(release: Release) -> tuple[Insiders | None, str]:
    """Find everyone who fills a withheld cell alone, and say how they were told apart.

    None, and why, where nothing is known about who stands behind the cells.
    """
    table, hidden = release.table, release.withheld
    if table.contributions is not None:
        from tacit.table import contributions_of  # noqa: PLC0415

        cells = np.flatnonzero(hidden).astype(np.int64)
        rows = contributions_of(table, cells)
        found = Insiders.of_contributions(cells, rows.indptr, rows.entity, rows.value)
        return found, "insiders, each with all of its contributions"
    counted = _contributors(table)
    if counted is None:
        return None, (
            "insiders: the table does not say which cells have a single contributor"
        )
    entities = None if table.evidence is None else table.evidence.entities
    owner = sole_owners(table, counted)
    found = Insiders.sole(hidden, counted, owner, table.cells.value)
    named = entities is not None
    each = "each with its own cells" if named else "each with one cell and its totals"
    return found, f"insiders, {each}"


def _contributors(table: Table) -> NDArray[np.int64] | None:
    """Number of contributors of each cell; -1 where it is not known."""
    if table.evidence is not None:
        return table.evidence.contributors
    if not table.is_count:
        return None
    one = 10**table.cells.decimals
    return np.where(table.cells.value % one == 0, table.cells.value // one, -1)
