# SPDX-License-Identifier: Apache-2.0
"""The cells of a JJ file: index, value, weight, status, bounds and levels by column.

All lines are split and converted at once; a line that cannot be is noted and left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import suggest
from tacit.table._amounts import MAX_DECIMALS, amounts
from tacit.table._cells import Cells, Levels, State

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from tacit.table._jj_lines import Faults

__all__ = ["CellLines", "cells_of"]

_FIELDS = ("index", "value", "weight", "status", "lb", "ub", "lpl", "upl", "spl")
_EXACT = ("value", "lb", "ub")
_SIZES = ("weight", "lpl", "upl", "spl")
_DECIMAL = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)$"
_SIZE = r"^[+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?$"
_INDEX = r"^[0-9]{1,9}$"
_MOST_DIGITS = 18
_STATES = {
    "s": State.SAFE,
    "u": State.SENSITIVE,
    "z": State.FROZEN,
    "m": State.SUPPRESSED,
}


@dataclass(frozen=True, eq=False, repr=False)
class CellLines:
    """The fields of every well-formed line, as text, and where these lines stand."""

    fields: dict[str, pa.Array]
    line: NDArray[np.int64]
    row: NDArray[np.int64]

    @classmethod
    def split(cls, lines: list[str], first: int, faults: Faults) -> CellLines:
        """Split the lines of the cells; the first of them is line ``first``."""
        import pyarrow as pa  # noqa: PLC0415 - heavy
        import pyarrow.compute as pc  # noqa: PLC0415

        text = pc.utf8_trim_whitespace(pa.array(lines, pa.string()))
        parts = pc.ascii_split_whitespace(text)
        counts = np.asarray(pc.list_value_length(parts).to_numpy(zero_copy_only=False))
        row = np.arange(len(lines), dtype=np.int64)
        whole = counts == len(_FIELDS)
        for one in np.flatnonzero(~whole).tolist():
            faults.add(
                first + one,
                f"a cell has {len(_FIELDS)} fields ({' '.join(_FIELDS)}), and here "
                f"{'is' if counts[one] == 1 else 'are'} {counts[one]}.",
            )
        flat = parts.filter(pa.array(whole)).flatten()
        here = np.arange(int(whole.sum())) * len(_FIELDS)
        fields = {name: flat.take(here + k) for k, name in enumerate(_FIELDS)}
        return cls(fields, first + row[whole], row[whole])

    def __len__(self) -> int:
        return len(self.line)

    def matching(self, name: str, pattern: str) -> NDArray[np.bool_]:
        """Lines whose field is written as it must be."""
        import pyarrow.compute as pc  # noqa: PLC0415

        fits = pc.match_substring_regex(self.fields[name], pattern)
        return np.asarray(fits.to_numpy(zero_copy_only=False), dtype=bool)

    def cleaned(self, name: str, good: NDArray[np.bool_]) -> pa.Array:
        """The field, and 0 in the lines that were noted."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        text = pc.if_else(pa.array(good), self.fields[name], "0")
        return pc.utf8_ltrim(text, "+")


def cells_of(
    found: CellLines, decimals: int | None, faults: Faults
) -> tuple[Cells, Levels]:
    """Check and convert every field; faults stay with ``faults``."""
    _check_index(found, faults)
    value, lower, upper, decimals = _amounts(found, decimals, faults)
    weight, *levels = (_sizes(found, name, faults) for name in _SIZES)
    state = _states(found, value, faults)
    cells = Cells(
        codes=np.arange(len(found), dtype=np.int32)[None, :],
        value=value,
        decimals=decimals,
        state=state,
        lower=lower,
        upper=upper,
        cost=weight,
    )
    return cells, Levels(*levels)


def _check_index(found: CellLines, faults: Faults) -> None:
    good = found.matching("index", _INDEX)
    text = "the index is not a whole number of at most 9 digits."
    faults.mark(found.line, ~good, text)
    index = found.cleaned("index", good).to_numpy(zero_copy_only=False)
    wrong = good & (index.astype(np.int64) != found.row)
    for at in np.flatnonzero(wrong).tolist():
        faults.add(
            int(found.line[at]),
            f"the index is {index[at]}, and the next cell is {found.row[at]}: cells "
            "are counted from 0 without gaps.",
        )


def _amounts(
    found: CellLines, declared: int | None, faults: Faults
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]:
    """Values and bounds as whole numbers, with as many decimals as hold them all."""
    texts, sound = [], np.ones(len(found), dtype=bool)
    for name in _EXACT:
        good = found.matching(name, _DECIMAL)
        text = f"{name} is not a plain decimal number, such as 12.50."
        faults.mark(found.line, ~good, text)
        texts.append(found.cleaned(name, good))
        sound &= good
    decimals = _decimals(texts) if declared is None else declared
    scaled = []
    for name, text in zip(_EXACT, texts, strict=True):
        too_long = _too_long(found, (name, text), decimals, faults)
        scaled.append(_scaled(text, too_long, decimals))
        sound &= ~too_long
    value, lower, upper = scaled
    above, below = sound & (lower > value), sound & (upper < value)
    faults.mark(found.line, above, "lb, the lower bound, is above the value.")
    faults.mark(found.line, below, "ub, the upper bound, is below the value.")
    return value, lower, upper, decimals


def _decimals(texts: list[pa.Array]) -> int:
    """As many as the values are written with, more where bounds need them."""
    written = min(int(_places(texts[0]).max(initial=0)), MAX_DECIMALS)
    needed = max(int(_needed(text).max(initial=0)) for text in texts)
    return min(max(written, needed), MAX_DECIMALS)


def _too_long(
    found: CellLines, column: tuple[str, pa.Array], decimals: int, faults: Faults
) -> NDArray[np.bool_]:
    """Numbers with too many digits after the point, or before it."""
    import pyarrow.compute as pc  # noqa: PLC0415

    name, text = column
    many = "decimal" if decimals == 1 else "decimals"
    advice = (
        "Sums are exact here: round the problem first."
        if decimals == MAX_DECIMALS
        else f"Read it with decimals={decimals + 1} or more."
    )
    fine = _needed(text) > decimals
    faults.mark(found.line, fine, f"{name} has more than {decimals} {many}. {advice}")
    whole = pc.utf8_length(pc.replace_substring_regex(text, r"[.].*$|^-?0*", ""))
    large = ~fine & (np.asarray(whole) + decimals > _MOST_DIGITS)
    why = f"{name} with {decimals} {many} does not fit in 64 bits. Use larger units."
    faults.mark(found.line, large, why)
    return fine | large


def _scaled(
    text: pa.Array, too_long: NDArray[np.bool_], decimals: int
) -> NDArray[np.int64]:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    usable = pc.if_else(pa.array(~too_long), text, "0")
    return amounts(usable, "value", decimals)[0]


def _places(text: pa.Array) -> NDArray[np.int64]:
    """Digits written after the point."""
    import pyarrow.compute as pc  # noqa: PLC0415

    after = pc.replace_substring_regex(text, r"^[^.]*[.]?", "")
    return np.asarray(pc.utf8_length(after), dtype=np.int64)


def _needed(text: pa.Array) -> NDArray[np.int64]:
    """Digits after the point, without zeros at the end."""
    import pyarrow.compute as pc  # noqa: PLC0415

    return _places(pc.replace_substring_regex(text, r"[.]([0-9]*?)0*$", r".\1"))


def _sizes(found: CellLines, name: str, faults: Faults) -> NDArray[np.float64]:
    good = found.matching(name, _SIZE)
    faults.mark(found.line, ~good, f"{name} is not a number, 0 or more.")
    texts: Any = found.cleaned(name, good).to_numpy(zero_copy_only=False)
    sizes: NDArray[np.float64] = texts.astype(np.float64)
    return sizes


def _states(
    found: CellLines, value: NDArray[np.int64], faults: Faults
) -> NDArray[np.uint8]:
    letters = found.fields["status"].to_numpy(zero_copy_only=False)
    state = np.full(len(found), State.SAFE, dtype=np.uint8)
    known = np.zeros(len(found), dtype=bool)
    for letter, meaning in _STATES.items():
        here = letters == letter
        state[here] = meaning
        known |= here
    for at in np.flatnonzero(~known).tolist():
        # In a line that is out of step an amount may stand here: show letters only.
        named = f" '{letters[at]}'" if letters[at].isalpha() else ""
        why = f"the status{named} is not known. {suggest(letters[at], _STATES)}"
        faults.add(int(found.line[at]), why)
    # What must stay published and is 0 is an empty cell that everybody knows.
    state[(state == State.FROZEN) & (value == 0)] = State.EMPTY
    return state
