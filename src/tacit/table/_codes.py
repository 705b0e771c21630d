# SPDX-License-Identifier: Apache-2.0
"""Say why codes do not fit a dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import HierarchyError, suggest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tacit.hierarchy import Hierarchy
    from tacit.table._dimension import Dimension

__all__ = ["check_trees", "explain_strangers", "leaves_below"]

_SHOWN = 5


def check_trees(name: str, trees: Sequence[Hierarchy]) -> None:
    """Check that a code means the same leaves in every tree that holds it."""
    for j, other in enumerate(trees):
        for first in trees[:j]:
            if first.same_tree(other):
                message = (
                    f"Dimension '{name}': the same hierarchy is given twice. "
                    "Leave one of the two out."
                )
                raise HierarchyError(message)
            _check_pair(name, first, other)


def _check_pair(name: str, first: Hierarchy, other: Hierarchy) -> None:
    difference = first.leaf_codes ^ other.leaf_codes
    if difference and first.total == other.total:
        code = min(difference)
        holder, lacking = (
            ("first", "other") if code in first.leaf_codes else ("other", "first")
        )
        message = (
            f"Dimension '{name}': the hierarchies share the total '{first.total}' but "
            f"not the leaves: '{code}' is in the {holder} one and not in the "
            f"{lacking}. One total cannot be two sums. Add the code, or name the "
            "totals apart."
        )
        raise HierarchyError(message)
    shared = (code for code in other.codes if code in first)
    for code in shared:
        if code in first.leaf_codes and code in other.leaf_codes:
            continue
        here, there = leaves_below(first, code), leaves_below(other, code)
        if here != there:
            raise HierarchyError(_two_meanings(name, code, here, there))


def leaves_below(tree: Hierarchy, code: str) -> frozenset[str]:
    """Leaves of a code; of a leaf itself."""
    start = tree.position(code)
    leaves = tree.leaves
    low, high = np.searchsorted(leaves, [start, tree.ends[start]]).tolist()
    return frozenset(tree.codes[i] for i in leaves[low:high].tolist())


def _two_meanings(
    name: str, code: str, here: frozenset[str], there: frozenset[str]
) -> str:
    if code in here | there:
        return (
            f"Dimension '{name}': '{code}' has parts in one hierarchy and none in "
            "another. Hierarchies of one dimension share their leaves: give it the "
            "same parts in both."
        )
    part = min(here ^ there)
    return (
        f"Dimension '{name}': '{code}' holds '{part}' in one hierarchy and not in "
        "another. One code cannot be two sums: rename it in one of them."
    )


def explain_strangers(dimension: Dimension, codes: Sequence[object]) -> str:
    """Explain codes of the data that are not leaves, at most five of them."""
    number = len(codes)
    lines = [_explain(dimension, code) for code in codes[:_SHOWN]]
    more = f"\n  and {number - _SHOWN:,} more." if number > _SHOWN else ""
    count = "1 code" if number == 1 else f"{number:,} codes"
    return (
        f"Dimension '{dimension.name}': {count} of the data cannot be placed, so the "
        "records with them would be lost from every total.\n  "
        + "\n  ".join(lines)
        + more
    )


def _explain(dimension: Dimension, code: object) -> str:
    if not isinstance(code, str):
        if code is None or code != code:  # noqa: PLR0124 - true of NaN only
            return "A code is missing. Give it a code, or name a policy for it."
        return (
            f"{code!r} is of type '{type(code).__name__}', but codes are text. "
            "Read the column as text (dtype=str)."
        )
    if code in dimension.positions:
        return (
            f"Records sit at the inner code '{code}', which has parts of its own. Give "
            f"them one of its parts, or add a part such as '{code}, not specified'."
        )
    if not code.strip():
        return f"A code is empty ('{code}'). Give it a code, or name a policy for it."
    return f"Unknown code '{code}'. {_near(dimension, code)}"


def _near(dimension: Dimension, code: str) -> str:
    """Name the code that was meant, as far as one can tell."""
    stripped = _by_form(dimension, str.strip).get(code.strip())
    if stripped is not None:
        return (
            f"It differs from '{stripped}' only by blanks: strip the column, or use "
            "the same blanks in the hierarchy."
        )
    padded = _by_form(dimension, _unpadded).get(_unpadded(code))
    if padded is not None:
        if len(code.strip()) > len(padded) and not code.endswith(".0"):
            return (
                f"It differs from '{padded}' only by leading zeros: read the codes of "
                "the hierarchy as text (dtype=str)."
            )
        return (
            f"It may be '{padded}' read as a number: read the column as text "
            "(dtype=str)."
        )
    folded = code.casefold()
    same = next((c for c in dimension.codes if c.casefold() == folded), None)
    if same is not None:
        return f"Did you mean '{same}'? Upper and lower case are told apart."
    return suggest(code, (dimension.codes[i] for i in dimension.leaves.tolist()))


def _unpadded(code: str) -> str:
    """Take off what reading as a number takes off or adds: '01' and '1.0' are '1'."""
    text = code.strip().removesuffix(".0")
    return (text.lstrip("0") or "0") if text.isdigit() else text


def _by_form(dimension: Dimension, form: Callable[[str], str]) -> dict[str, str]:
    return {form(code): code for code in reversed(dimension.codes)}
