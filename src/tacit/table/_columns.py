# SPDX-License-Identifier: Apache-2.0
"""Codes and states of the rows of a finished table.

Rows are counted from 1 in messages, without the header.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import SourceError, suggest
from tacit.table._amounts import at_row, first_row, missing_rows
from tacit.table._cells import State

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["code_column", "states"]

_LETTERS = {
    "S": State.SAFE,
    "U": State.SENSITIVE,
    "M": State.SUPPRESSED,
    "E": State.EMPTY,
    "P": State.FROZEN,
}


def code_column(
    array: pa.Array, name: str, valid: Callable[[list[str]], Mapping[str, int]]
) -> NDArray[np.int32]:
    """Position of every code, from ``valid`` (distinct codes found -> positions)."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        _refuse_codes(array, name)
    missing = missing_rows(array)
    if missing.any():
        message = (
            f"{at_row(name, missing)}: the code is missing. Every row of a finished "
            "table is a cell, so it needs a code in every dimension: write "
            "the code of the total where that is meant."
        )
        raise SourceError(message)
    encoded = array.dictionary_encode()
    found: list[str] = encoded.dictionary.to_pylist()
    which = encoded.indices.to_numpy(zero_copy_only=False)
    positions = valid(found)
    for position, code in enumerate(found):
        if code not in positions:
            row = first_row(which == position)
            raise SourceError(_unknown_code(name, row, code, positions))
    lookup = np.array([positions[code] for code in found], dtype=np.int32)
    return lookup[which] if len(found) else np.zeros(0, dtype=np.int32)


def states(
    array: pa.Array, name: str, mapping: Mapping[str, State | str] | None = None
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """State of every row by its name or letter, and which rows give none.

    >>> import pyarrow as pa
    >>> states(pa.array(["S", "sensitive", None]), "state")[0].tolist()
    [0, 1, 0]
    """
    known = _state_names(mapping)

    def valid(found: list[str]) -> Mapping[str, int]:
        listed = {c: known[_fold(c)] for c in found if _fold(c) in known}
        return listed | {"": int(State.SAFE)}

    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    if pa.types.is_null(array.type):
        array = array.cast(pa.string())
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        message = (
            f"Column '{name}' holds {array.type}; states are text. {_valid(known)}"
        )
        raise SourceError(message)
    array = pc.utf8_trim_whitespace(array).fill_null("")
    unnamed = np.asarray(pc.equal(array, "").to_numpy(zero_copy_only=False), bool)
    try:
        found = code_column(array, name, valid)
    except SourceError:
        _refuse_state(array, name, known)
        raise
    return found.astype(np.uint8), unnamed


def _state_names(mapping: Mapping[str, State | str] | None) -> dict[str, int]:
    names = {state.label: int(state) for state in State}
    if mapping is None:
        return names | {_fold(k): int(v) for k, v in _LETTERS.items()}
    for text, state in mapping.items():
        if isinstance(state, str) and state not in names:
            message = f"states= maps '{text}' to '{state}'. {suggest(state, names)}"
            raise SourceError(message)
        number = names[state] if isinstance(state, str) else int(state)
        names[_fold(text)] = number
    return names


def _fold(text: str) -> str:
    return text.strip().lower()


def _valid(known: Mapping[str, int]) -> str:
    words = [state.label for state in State]
    letters = sorted(name.upper() for name in known if name not in words)
    extra = f", or {', '.join(letters)}" if letters else ""
    return f"Valid states: {', '.join(words)}{extra}."


def _refuse_state(array: pa.Array, name: str, known: Mapping[str, int]) -> None:
    for row, text in enumerate(array.to_pylist(), start=1):
        if text and _fold(text) not in known:
            near = suggest(_fold(text), [s.label for s in State], limit=0)
            hint = f" {near}" if near.startswith("Did") else ""
            message = (
                f"Column '{name}', row {row}: no state '{text}'.{hint} {_valid(known)} "
                "Name others with states={'...': 'suppressed'}."
            )
            raise SourceError(message)


def _refuse_codes(array: pa.Array, name: str) -> None:
    message = (
        f"Column '{name}' holds {array.type}, but codes are text: as a number 01 would "
        "be 1. Read the column as text (dtype=str, say), or turn it into text yourself."
    )
    raise SourceError(message)


def _unknown_code(name: str, row: int, code: str, valid: Mapping[str, int]) -> str:
    where = f"Column '{name}', row {row}: "
    if not code.strip():
        return f"{where}the code is empty. Every row needs a code in every dimension."
    if code.strip() != code:
        return f"{where}the code '{code}' has blanks around it. Strip the column."
    return f"{where}no code '{code}'. {suggest(code, valid)}"
