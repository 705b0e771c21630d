# SPDX-License-Identifier: Apache-2.0
"""Turn rows of code and parent into a tree, or say which code prevents it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import HierarchyError, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = [
    "as_codes",
    "as_text",
    "assemble",
    "check_order",
    "depth_of",
    "digit_rows",
    "quoted",
]

_SHOWN = 5


def quoted(codes: Iterable[str]) -> str:
    """List codes for a message, at most five of them.

    >>> quoted(["A", "B"])
    "'A', 'B'"
    """
    items = list(codes)
    shown = ", ".join(f"'{code}'" for code in items[:_SHOWN])
    return shown + (f" and {len(items) - _SHOWN:,} more" if len(items) > _SHOWN else "")


def as_text(code: object, role: str = "code") -> str:
    """Return ``code`` if it is text that can name something."""
    if not isinstance(code, str):
        if code is None or code != code:  # noqa: PLR0124 - true of NaN only
            message = (
                f"A {role} is missing ({code}). Every code needs a name of its own: "
                "drop the row or give it a code."
            )
        else:
            message = (
                f"Codes are text, but the {role} {code!r} is of type "
                f"'{type(code).__name__}': as numbers '01' would become 1, and two "
                "codes could become one. Read the column as text (dtype=str) and give "
                "the codes as strings."
            )
        raise HierarchyError(message)
    if not code.strip():
        message = (
            f"A {role} is empty. An empty code cannot be told from a missing one: "
            "give it a name."
        )
        raise HierarchyError(message)
    return str(code)


def as_codes(codes: Iterable[Any]) -> list[str]:
    """Return the codes of any iterable or column as text."""
    if isinstance(codes, str):
        message = (
            f"'{codes}' is one text where a list of codes is needed. "
            f"Write ['{codes}'] for a list of one code."
        )
        raise HierarchyError(message)
    to_list = getattr(codes, "to_pylist", None) or getattr(codes, "tolist", None)
    return [as_text(code) for code in (to_list() if to_list else codes)]


def depth_of(parents: NDArray[np.int32]) -> NDArray[np.int32]:
    """Distance of each code from the total; parents come before their children.

    Each round doubles the distance that is looked up, so that a chain of thousands
    of codes takes a dozen rounds.
    """
    depth = (parents >= 0).astype(np.int32)
    above = parents.copy()
    open_ = np.flatnonzero(above >= 0)
    while len(open_):
        depth[open_] += depth[above[open_]]
        above[open_] = above[above[open_]]
        open_ = open_[above[open_] >= 0]
    return depth


def assemble(
    codes: Sequence[str],
    parents: Sequence[str],
    *,
    total: str | None = None,
    places: Sequence[str] | None = None,
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Order codes depth-first below their total.

    An empty parent marks a code that has none; ``places`` say where each row stands.
    """
    if not codes:
        message = (
            "The hierarchy is empty: it needs at least one code below its total. "
            "Check the file or the column that it was read from."
        )
        raise HierarchyError(message)
    above = _parent_of(codes, parents, total=total, places=places)
    root = _find_root(above, total)
    return _depth_first(above, root)


def _parent_of(
    codes: Sequence[str],
    parents: Sequence[str],
    *,
    total: str | None,
    places: Sequence[str] | None,
) -> dict[str, str]:
    above: dict[str, str] = {}
    for row, (code, parent) in enumerate(zip(codes, parents, strict=True)):
        if code in above:
            first = codes.index(code)
            where = f" ({places[first]} and {places[row]})" if places else ""
            raise HierarchyError(_twice(code, (above[code], parent), where))
        if code == total and parent:
            where = f" ({places[row]})" if places else ""
            message = (
                f"The total '{total}' is also listed as a code below '{parent}'{where}."
                " A total cannot be a part of itself: leave it out of the codes, or "
                "give the total another name."
            )
            raise HierarchyError(message)
        above[code] = parent
    return above


def _twice(code: str, parents: tuple[str, str], where: str) -> str:
    first, second = (f"'{parent}'" if parent else "the total" for parent in parents)
    if first == second:
        return (
            f"Code '{code}' occurs twice below {first}{where}. A code stands once in a "
            "hierarchy: drop one of the two, or rename it."
        )
    return (
        f"Code '{code}' has two parents, {first} and {second}{where}. It would be "
        "counted in both: keep one, or build two hierarchies over the same leaves."
    )


def _find_root(above: Mapping[str, str], total: str | None) -> str:
    roots = dict.fromkeys(
        parent or code
        for code, parent in above.items()
        if not parent or parent not in above
    )
    if not roots:
        raise HierarchyError(_cycle(above, next(iter(above))))
    if total is None:
        if len(roots) > 1:
            raise HierarchyError(_several_roots(roots, above))
        return next(iter(roots))
    if total not in roots:
        message = (
            f"No code has the total '{total}' as its parent; the code without a parent "
            f"here is {quoted(roots)}. Name that one as the total, or give it "
            f"'{total}' as its parent."
        )
        raise HierarchyError(message)
    strays = [code for code in roots if code != total]
    if strays:
        raise HierarchyError(_strays(strays, above, total))
    return total


def _several_roots(roots: Iterable[str], above: Mapping[str, str]) -> str:
    names = list(roots)
    hints = [
        f" '{name}': {hint}"
        for name in names[:_SHOWN]
        if (hint := suggest(name, (c for c in above if c != name))).startswith("Did")
    ]
    return (
        f"Several codes have no parent: {quoted(names)}. A hierarchy has one total, "
        "and what stands beside it would be lost from it. Give each of them a parent; "
        "only the total has none." + "".join(hints)
    )


def _strays(strays: Sequence[str], above: Mapping[str, str], total: str) -> str:
    child = next((c for c, parent in above.items() if parent == strays[0]), None)
    because = f" (the parent of '{child}')" if child is not None else ""
    hint = suggest(strays[0], [code for code in (*above, total) if code != strays[0]])
    also = f" The same holds for {quoted(strays[1:])}." if len(strays) > 1 else ""
    return (
        f"Missing parent: '{strays[0]}'{because} has no parent and is not the total "
        f"'{total}', so what is below it would be lost from the total.{also} Give it a "
        f"parent. {hint if hint.startswith('Did') else ''}".rstrip()
    )


def _cycle(above: Mapping[str, str], start: str) -> str:
    seen: dict[str, None] = {}
    code = start
    while code not in seen:
        seen[code] = None
        code = above[code]
    path = list(seen)
    loop = [*path[path.index(code) :], code]
    if len(loop) > 2 * _SHOWN:
        loop = [*loop[:_SHOWN], "...", *loop[-_SHOWN:]]
    return (
        f"The codes form a cycle: {' -> '.join(loop)}. A code cannot be a part of "
        f"itself: correct the parent of one of them, for instance of '{code}'."
    )


def _depth_first(
    above: Mapping[str, str], root: str
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    children: dict[str, list[str]] = {}
    for code, parent in above.items():
        if parent:
            children.setdefault(parent, []).append(code)
    codes: list[str] = []
    positions: list[int] = []
    stack: list[tuple[str, int]] = [(root, -1)]
    while stack:
        code, parent_position = stack.pop()
        here = len(codes)
        codes.append(code)
        positions.append(parent_position)
        stack.extend((child, here) for child in reversed(children.get(code, ())))
    if len(codes) < len(above) + (root not in above):
        reached = set(codes)
        lost = next(code for code in above if code not in reached)
        raise HierarchyError(_cycle(above, lost))
    return tuple(codes), np.array(positions, dtype=np.int32)


def check_order(codes: tuple[str, ...], parents: NDArray[np.int32]) -> None:
    """Check that the arrays are one tree in depth-first order."""
    n = len(codes)
    if not n or parents.shape != (n,):
        message = f"A hierarchy of {n} codes needs as many parents, and at least one."
        raise HierarchyError(message)
    if len(set(codes)) < n:
        seen: set[str] = set()
        code = next(c for c in codes if c in seen or seen.add(c))  # type: ignore[func-returns-value]
        message = f"Code '{code}' occurs twice. A code stands once in a hierarchy."
        raise HierarchyError(message)
    here = np.arange(n, dtype=np.int64)
    wrong = (parents < 0) | (parents >= here)
    wrong[0] = parents[0] != -1
    if not wrong.any():
        depth = depth_of(parents).astype(np.int64)
        keys = np.sort(depth * n + here)
        # In depth-first order the parent is the last code before that is one step up.
        last = keys[np.searchsorted(keys, (depth - 1) * n + here) - 1] % n
        wrong[1:] = (last != parents)[1:] | (depth[1:] > depth[:-1] + 1)
    if wrong.any():
        message = (
            f"The codes are not in depth-first order: '{codes[int(wrong.argmax())]}' "
            "does not follow its parent. Use Hierarchy.from_parents, which orders them."
        )
        raise HierarchyError(message)


def digit_rows(
    codes: Iterable[str], widths: Sequence[int], total: str
) -> tuple[list[str], list[str]]:
    """Return each prefix of the codes and the prefix above it."""
    ends = _ends_of(widths)
    distinct = sorted(set(codes))
    _check_lengths(distinct, widths, ends[-1])
    above: dict[str, str] = {}
    for code in distinct:
        parent = total
        for end in ends:
            above[code[:end]] = parent
            parent = code[:end]
    return list(above), list(above.values())


def _ends_of(widths: Sequence[int]) -> list[int]:
    ends = np.cumsum([width for width in widths if width != 0]).tolist()
    if not ends or any(not isinstance(w, int) or w < 0 for w in widths):
        message = (
            f"widths={tuple(widths)} must be the number of characters that each level "
            "adds, such as (1, 1, 2)."
        )
        raise HierarchyError(message)
    return [int(end) for end in ends]


def _check_lengths(codes: Sequence[str], widths: Sequence[int], length: int) -> None:
    for code in codes:
        if len(code) != length:
            hint = (
                " A leading zero is lost when codes are read as numbers."
                if len(code) < length
                else ""
            )
            message = (
                f"Code '{code}' has {len(code)} characters, but widths="
                f"{tuple(widths)} add up to {length}.{hint} Correct the code or the "
                "widths; for branches of unequal depth use Hierarchy.from_parents."
            )
            raise HierarchyError(message)
