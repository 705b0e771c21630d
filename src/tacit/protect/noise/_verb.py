# SPDX-License-Identifier: Apache-2.0
"""The verb: a table goes in, one with noise comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.protect.noise._methods import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.protect._perturbing import Options
    from tacit.protect._release import Release
    from tacit.rules import Assessment
    from tacit.table import Table

__all__ = ["perturb"]


def perturb(
    subject: Assessment | Table,
    method: str | Options = "cell_key",
    *,
    progress: Callable[..., None] | None = None,
    **options: Any,  # noqa: ANN401 - those of the method
) -> Release:
    """Add noise to the numbers of a table.

    Args:
        subject: An assessment, or a table of which nothing is known to be sensitive.
        method: The name of a method, or its options as an object.
        progress: Called with (step, done, total).
        options: Those of the method.

    >>> import tacit
    >>> people = {"sex": ["f", "f", "m"], "key": [0.31, 0.55, 0.92]}
    >>> table = tacit.tabulate(people, by={"sex": "all"}, record_key="key")
    >>> perturb(table, noise={"D": 2, "V": 1.0}).cells.to_pydict()["count"]
    [4, 3, 3]
    """
    return FAMILY.release(subject, method, options, progress)
