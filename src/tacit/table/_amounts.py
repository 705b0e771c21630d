# SPDX-License-Identifier: Apache-2.0
"""Amounts as exact integers: every column of numbers of a finished table.

Rows are counted from 1 in messages, without the header. No message shows an amount.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = [
    "MAX_DECIMALS",
    "amounts",
    "decimals_of",
    "first_row",
    "missing_rows",
    "reals",
]

MAX_DECIMALS = 6
_LARGEST = 2**62
_EXACT_FLOAT = 2.0**53
_LONGEST_TEXT = 30
_NUMBER = r"^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)$"


def decimals_of(array: pa.Array, name: str, mark: str = ".") -> int:
    """Count the fewest decimals that hold every amount of a column.

    >>> import pyarrow as pa
    >>> decimals_of(pa.array([0.25, 3.0]), "x"), decimals_of(pa.array(["1.50"]), "x")
    (2, 1)
    """
    array = _readable(array, name, mark)
    for decimals in range(MAX_DECIMALS + 1):
        if not _too_fine(array, name, decimals).any():
            return decimals
    raise SourceError(_too_many(name, first_row(_too_fine(array, name, MAX_DECIMALS))))


def amounts(
    array: pa.Array, name: str, decimals: int, mark: str = "."
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Scale a column by ``10**decimals``, exactly; say which rows are missing.

    >>> import pyarrow as pa
    >>> scaled, missing = amounts(pa.array(["1.5", None]), "x", 2)
    >>> scaled.tolist(), missing.tolist()
    ([150, 0], [False, True])
    """
    array = _readable(array, name, mark)
    fine = _too_fine(array, name, decimals)
    if fine.any():
        message = (
            f"{at_row(name, fine)}: the amount has more than {decimals} "
            "decimals. Declare as many decimals as the data have, or round them first."
        )
        raise SourceError(message)
    return _scaled(array, name, decimals), missing_rows(array)


def reals(array: pa.Array, name: str) -> NDArray[np.float64]:
    """Take a column of levels or costs as floats, 0 or more; NaN where missing."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    array = _readable(array, name, ".")
    if pa.types.is_decimal(array.type):
        array = pc.cast(array, pa.float64())
    values: NDArray[np.float64] = _floats(array)
    bad = (values < 0) | np.isinf(values)
    if bad.any():
        message = f"{at_row(name, bad)}: this must be a finite number, 0 or more."
        raise SourceError(message)
    return values


def _readable(array: pa.Array, name: str, mark: str) -> Any:  # noqa: ANN401
    """Turn text into decimals; refuse what is not a number at all."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    kind = array.type
    if pa.types.is_dictionary(kind):
        array = array.cast(kind.value_type)
        kind = array.type
    if pa.types.is_null(kind):
        return array.cast(pa.int64())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _parse(array, name, mark)
    if pa.types.is_floating(kind):
        values = _floats(array)
        if np.isinf(values).any():
            message = (
                f"{at_row(name, np.isinf(values))}: the amount is "
                "infinite. Amounts must be finite; look for a division by zero."
            )
            raise SourceError(message)
        return array
    if pa.types.is_integer(kind):
        return array
    if pa.types.is_decimal(kind):
        return pc.cast(array, pa.decimal256(76, kind.scale))
    message = f"Column '{name}' holds {kind}, not amounts. Give numbers."
    raise SourceError(message)


def _parse(array: pa.Array, name: str, mark: str) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    text = pc.utf8_trim_whitespace(array)
    text = pc.if_else(pc.equal(text, ""), pa.scalar(None, text.type), text)
    if mark == ",":
        # A point beside a decimal comma is a thousands mark: do not guess.
        text = pc.replace_substring(
            pc.replace_substring(text, ".", "#"), pattern=",", replacement="."
        )
    fits = pc.match_substring_regex(text, _NUMBER).fill_null(fill_value=True)
    bad = ~np.asarray(fits.to_numpy(zero_copy_only=False), dtype=bool)
    if bad.any():
        row = first_row(bad)
        raise SourceError(_not_a_number(name, row, str(array[row - 1]), mark))
    return _to_decimal(text, name)


def _to_decimal(text: pa.Array, name: str) -> pa.Array:
    """Cast plain numbers, with as many decimals as the longest one has."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    pointed = pc.match_substring(text, ".").fill_null(fill_value=False)
    bare = pc.utf8_rtrim(pc.utf8_rtrim(text, "0"), ".")
    text = pc.if_else(pointed, pc.if_else(pc.equal(bare, ""), "0", bare), text)
    after = pc.subtract(pc.utf8_length(text), pc.find_substring(text, "."))
    after = pc.if_else(pc.match_substring(text, "."), pc.subtract(after, 1), 0)
    places = np.asarray(after.fill_null(0).to_numpy(zero_copy_only=False))
    most = int(places.max(initial=0))
    if most > MAX_DECIMALS:
        raise SourceError(_too_many(name, first_row(places > MAX_DECIMALS)))
    _refuse_large(np.asarray(pc.utf8_length(text).fill_null(0)) > _LONGEST_TEXT, name)
    return pc.cast(text, pa.decimal256(76, most))


def _not_a_number(name: str, row: int, text: str, mark: str) -> str:
    where = f"Column '{name}', row {row}: the text is not a number"
    digits = any(character.isdigit() for character in text)
    if digits and mark == "." and "," in text:
        return (
            f"{where}, it holds a comma. If that is a decimal comma, say decimal=','; "
            "if it parts thousands, remove it."
        )
    if digits and mark == "," and "." in text:
        return (
            f"{where}, it holds a point although the decimal mark is a comma. If the "
            "point parts thousands, remove it."
        )
    if digits and any(character.isspace() for character in text):
        return f"{where}, it holds a blank. Remove marks between thousands."
    return (
        f"{where}. Leave the amount empty where it is not known, and say with state= "
        "which cells are suppressed."
    )


def _too_many(name: str, row: int) -> str:
    return (
        f"Column '{name}', row {row}: the amount has more than {MAX_DECIMALS} decimals."
        " Sums are exact here, so round the column first; digits that come from "
        "floating-point arithmetic are not part of the amount."
    )


def _floats(array: pa.Array) -> NDArray[np.float64]:
    values = array.to_numpy(zero_copy_only=False)
    return np.asarray(values, dtype=np.float64)


def _too_fine(array: pa.Array, name: str, decimals: int) -> NDArray[np.bool_]:
    """Rows whose amount needs more decimals."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_integer(array.type):
        return np.zeros(len(array), dtype=bool)
    if pa.types.is_decimal(array.type):
        return _cut(array, decimals)
    # A float stands for the decimal d/10**k exactly when dividing gives it back:
    # division is correctly rounded, so this is the test on its shortest text.
    values = np.nan_to_num(_floats(array), nan=0.0)
    with np.errstate(over="ignore"):
        scaled = np.rint(values * 10.0**decimals)
    back = scaled / 10.0**decimals
    if pa.types.is_float32(array.type):
        back = back.astype(np.float32).astype(np.float64)
    whole = values == np.rint(values)
    unsure = ~whole & (np.abs(scaled) > _EXACT_FLOAT)
    if unsure.any():
        raise SourceError(_too_long(name, first_row(unsure)))
    fine: NDArray[np.bool_] = (back != values) & ~whole
    return fine


def _cut(array: pa.Array, decimals: int) -> NDArray[np.bool_]:
    """Rows of a decimal column that lose digits beyond ``decimals``."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    if array.type.scale <= decimals:
        return np.zeros(len(array), dtype=bool)
    cut = pc.cast(array, pa.decimal256(76, decimals), safe=False)
    same = pc.equal(pc.cast(cut, array.type), array).fill_null(fill_value=True)
    return ~np.asarray(same.to_numpy(zero_copy_only=False), dtype=bool)


def _too_long(name: str, row: int) -> str:
    return (
        f"Column '{name}', row {row}: a float cannot hold so many digits exactly. Give "
        "the amounts as integers, decimals or text, or use larger units."
    )


def _scaled(array: pa.Array, name: str, decimals: int) -> NDArray[np.int64]:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    factor = 10**decimals
    if pa.types.is_decimal(array.type):
        return _unscaled(pc.cast(array, pa.decimal256(76, decimals)), name)
    if pa.types.is_integer(array.type):
        filled = array.fill_null(0)
        if pa.types.is_uint64(array.type):
            large = filled.to_numpy() > np.uint64(_LARGEST)
            _refuse_large(large, name)
        return _times(pc.cast(filled, pa.int64()).to_numpy(), factor, name)
    values = np.nan_to_num(_floats(array), nan=0.0)
    _refuse_large(np.abs(values) * factor >= _LARGEST, name)
    whole_float = values == np.rint(values)
    unsure = whole_float & (np.abs(values) > _EXACT_FLOAT)
    if unsure.any():
        raise SourceError(_too_long(name, first_row(unsure)))
    whole = np.where(whole_float, values, 0.0).astype(np.int64) * factor
    part = np.where(whole_float, 0.0, np.rint(values * factor)).astype(np.int64)
    scaled: NDArray[np.int64] = whole + part
    return scaled


def _times(whole: NDArray[np.int64], factor: int, name: str) -> NDArray[np.int64]:
    limit = _LARGEST // factor
    _refuse_large((whole > limit) | (whole < -limit), name)
    return whole * factor


def _unscaled(array: pa.Array, name: str) -> NDArray[np.int64]:
    """Integers behind a decimal column: the low quarter of each 256-bit number."""
    array = array.fill_null(0)
    raw = np.frombuffer(array.buffers()[1], dtype="<i8")
    quarters = raw.reshape(-1, 4)[array.offset : array.offset + len(array)]
    low = quarters[:, 0].astype(np.int64)
    over = (quarters[:, 1:] != (low >> 63)[:, None]).any(axis=1)
    over |= (low > _LARGEST) | (low < -_LARGEST)
    _refuse_large(over, name)
    return low


def _refuse_large(over: NDArray[np.bool_], name: str) -> None:
    if over.any():
        message = (
            f"{at_row(name, over)}: the amount does not fit in 64 bits "
            "with these decimals. Use fewer decimals or larger units (thousands)."
        )
        raise SourceError(message)


def missing_rows(array: pa.Array) -> NDArray[np.bool_]:
    """Say which entries are null or NaN."""
    import pyarrow.compute as pc  # noqa: PLC0415

    gone = pc.is_null(array, nan_is_null=True).to_numpy(zero_copy_only=False)
    return np.asarray(gone, dtype=bool)


def first_row(bad: NDArray[np.bool_]) -> int:
    """Number of the first row that is bad, counted from 1."""
    return int(np.argmax(bad)) + 1


def at_row(name: str, bad: NDArray[np.bool_]) -> str:
    """Name the column and the first bad row, to begin a message."""
    return f"Column '{name}', row {first_row(bad)}"
