# SPDX-License-Identifier: Apache-2.0
"""Numbers and signs in one column: what is printed where nothing is published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.errors import InputError, SourceError
from tacit.table._amounts import MAX_DECIMALS, amounts, decimals_of

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from tacit.audit._published import PublishedColumns

__all__ = ["SYMBOLS", "ZEROS", "Reading", "Signs", "read_column"]

SYMBOLS = ("x", ":", "..", "c", "")
"""Signs that withhold a number; the empty one is an empty field."""
ZEROS = ("-",)
"""Signs that stand for nothing at all: a known zero."""
_NUMBER = r"^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)$"


@dataclass(frozen=True)
class Signs:
    """Signs of a published table, and its decimal mark.

    >>> Signs(("x",)).symbols
    ('x',)
    """

    symbols: tuple[str, ...] = SYMBOLS
    zeros: tuple[str, ...] = ZEROS
    mark: str = "."

    def __post_init__(self) -> None:
        both = {_fold(sign) for sign in self.symbols} & set(map(_fold, self.zeros))
        if both:
            message = (
                f"The sign '{min(both)}' cannot stand both for a withheld number "
                "(symbols=) and for nothing at all (zeros=). Take it out of one."
            )
            raise InputError(message)
        numbers = [s for s in (*self.symbols, *self.zeros) if s.strip().isdigit()]
        if numbers:
            message = (
                f"The sign '{numbers[0]}' is a number, so nobody could tell it from "
                "an amount. Name the sign that stands where nothing is published."
            )
            raise InputError(message)


class Reading(NamedTuple):
    """One column by rows: scaled amounts, which are shown, and printed intervals."""

    amount: NDArray[np.int64]
    shown: NDArray[np.bool_]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    decimals: int


def read_column(rows: pa.Table, name: str, columns: PublishedColumns) -> Reading:
    """Read amounts, signs and intervals of every row."""
    signs = columns.signs
    array, withheld = _split(rows.column(name).combine_chunks(), name, signs)
    ends = {
        end: _split(rows.column(end).combine_chunks(), end, signs)[0]
        for end in (columns.lower, columns.upper)
        if end
    }
    decimals = _decimals({name: array, **ends}, columns)
    amount, _ = amounts(array, name, decimals, signs.mark)
    shape = len(withheld)
    lower, upper = np.full(shape, -np.inf), np.full(shape, np.inf)
    for end, bound in ((columns.lower, lower), (columns.upper, upper)):
        if end:
            found, missing = amounts(ends[end], end, decimals, signs.mark)
            bound[~missing] = found[~missing]
    _check_intervals(lower, upper, columns)
    # A printed interval says what is known, whatever stands beside it.
    shown = ~withheld & np.isinf(lower) & np.isinf(upper)
    return Reading(amount, shown, lower, upper, decimals)


def _decimals(arrays: dict[str, pa.Array], columns: PublishedColumns) -> int:
    if columns.decimals is not None:
        if not 0 <= columns.decimals <= MAX_DECIMALS:
            message = (
                f"decimals={columns.decimals} must be between 0 and {MAX_DECIMALS}."
            )
            raise InputError(message)
        return columns.decimals
    return max(decimals_of(a, name, columns.signs.mark) for name, a in arrays.items())


def _check_intervals(
    lower: NDArray[np.float64], upper: NDArray[np.float64], columns: PublishedColumns
) -> None:
    wrong = np.flatnonzero(lower > upper)
    if len(wrong):
        message = (
            f"Column '{columns.lower}', row {int(wrong[0]) + 1}: the lower end of the "
            f"interval is above the upper one in '{columns.upper}'. Were they swapped?"
        )
        raise SourceError(message)


def _split(
    array: pa.Array, name: str, signs: Signs
) -> tuple[pa.Array, NDArray[np.bool_]]:
    """Numbers as they stand, nothing where a sign is; and where one withholds."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        withheld = _mask(pc.is_null(array, nan_is_null=True))
        if withheld.any():
            _require_empty_sign(name, withheld, signs)
        return array, withheld
    text = pc.utf8_trim_whitespace(array).fill_null("")
    folded = pc.utf8_lower(text)
    withheld, zero = (
        _mask(pc.is_in(folded, pa.array([_fold(s) for s in some], folded.type)))
        for some in (signs.symbols, signs.zeros)
    )
    plain = pc.replace_substring(text, ",", ".") if signs.mark == "," else text
    number = _mask(pc.match_substring_regex(plain, _NUMBER))
    strange = ~(withheld | zero | number)
    if strange.any():
        row = int(np.argmax(strange))
        raise SourceError(_undeclared(name, row, text[row].as_py(), signs))
    text = pc.if_else(pa.array(zero), "0", text)
    kept: pa.Array = pc.if_else(pa.array(withheld), pa.scalar(None, text.type), text)
    return kept, withheld


def _mask(array: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(array.to_numpy(zero_copy_only=False), dtype=bool)


def _fold(sign: str) -> str:
    return sign.strip().lower()


def _require_empty_sign(name: str, missing: NDArray[np.bool_], signs: Signs) -> None:
    if "" not in [_fold(sign) for sign in signs.symbols]:
        row = int(np.argmax(missing)) + 1
        message = (
            f"Column '{name}', row {row}: the field is empty, and symbols= does not "
            "declare that to mean withheld. Add '' to symbols=, or fill the field."
        )
        raise SourceError(message)


def _undeclared(name: str, row: int, text: str, signs: Signs) -> str:
    where = f"Column '{name}', row {row + 1}: "
    declared = ", ".join(f"'{sign}'" for sign in signs.symbols)
    zeros = ", ".join(f"'{sign}'" for sign in signs.zeros) or "none"
    if not text:
        return (
            f"{where}the field is empty, and symbols= does not declare that to mean "
            "withheld. Add '' to symbols=, or fill the field."
        )
    if any(character.isdigit() for character in text):
        hint = (
            "If it is a number, it is written in a way that cannot be read without "
            f"guessing: the decimal mark is '{signs.mark}', thousands are not marked."
        )
    else:
        hint = (
            "If it marks withheld numbers, add it to symbols= (--symbol); if it "
            "stands for nothing at all, to zeros= (--zero)."
        )
    return (
        f"{where}nobody declared what '{text}' means. Withheld: {declared}; zero: "
        f"{zeros}. {hint}"
    )
