# SPDX-License-Identifier: Apache-2.0
"""The verb: a table goes in, the same table in multiples of a base comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.protect.round._methods import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.protect._perturbing import Options
    from tacit.protect._release import Release
    from tacit.rules import Assessment
    from tacit.table import Table

__all__ = ["round"]


def round(  # noqa: A001 - the name of the house
    subject: Assessment | Table,
    method: str | Options = "controlled",
    *,
    progress: Callable[..., None] | None = None,
    **options: Any,  # noqa: ANN401 - those of the method
) -> Release:
    """Publish every number as a multiple of a base.

    Args:
        subject: An assessment, or a table of which nothing is known to be sensitive.
        method: ``conventional``, or the options of a method as an object.
        progress: Called with (step, done, total).
        options: Those of the method.

    >>> import tacit
    >>> cells = {"sex": ["f", "m"], "n": [2, 31]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
    >>> round(table, "conventional", base=5).cells.to_pydict()["n"]
    [35, 0, 30]
    """
    return FAMILY.release(subject, method, options, progress)
