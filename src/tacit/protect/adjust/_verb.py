# SPDX-License-Identifier: Apache-2.0
"""The verb: a table goes in, one comes out in which sensitive cells have moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.protect.adjust._methods import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.protect._perturbing import Options
    from tacit.protect._release import Release
    from tacit.rules import Assessment

__all__ = ["adjust"]


def adjust(
    assessment: Assessment,
    method: str | Options = "cta",
    *,
    progress: Callable[..., None] | None = None,
    **options: Any,  # noqa: ANN401 - those of the method
) -> Release:
    """Move every sensitive cell far enough from its value, and keep the table additive.

    Args:
        assessment: What is sensitive, and how much protection it needs.
        method: The name of a method, or its options as an object.
        progress: Called with (step, done, total).
        options: Those of the method.

    >>> import tacit
    >>> cells = {"sex": ["f", "f", "m", "m"], "age": ["o", "y"] * 2, "v": [20, 9, 8, 7],
    ...     "s": ["u", "s", "s", "s"]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "T", "age": "T"}, value="v",
    ...     state="s")
    >>> assessment = tacit.assess(table, margin=10)
    >>> adjust(assessment, weights="unit").cells.to_pydict()["v"]
    [44, 30, 14, 29, 22, 7, 15, 8, 7]
    """
    return FAMILY.release(assessment, method, options, progress)
