# SPDX-License-Identifier: Apache-2.0
"""What was published of a table, in words: enough for the next one to be compared."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError
from tacit.protect._release import Release

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.table import Table

__all__ = ["Pattern"]

_VALUE, _STATUS, _WITHHELD = "value", "OBS_STATUS", "Q"
_LAST = "CONF_STATUS"


@dataclass(frozen=True, eq=False, repr=False)
class Pattern:
    """Codes, published values, and which cells were withheld.

    ``value`` is scaled by ``10**decimals`` and 0 where withheld: a pattern holds
    nothing that was not published.
    """

    names: tuple[str, ...]
    codes: tuple[NDArray[np.object_], ...]
    withheld: NDArray[np.bool_]
    value: NDArray[np.int64]
    decimals: int

    def __len__(self) -> int:
        return len(self.withheld)

    def __repr__(self) -> str:
        return f"<Pattern: {len(self):,} cells, {int(self.withheld.sum()):,} withheld>"

    @classmethod
    def of(cls, given: object) -> Pattern:
        """Take a pattern from a release, or from the public csv file of one.

        >>> import tacit
        >>> cells = {"sex": ["f", "m", "x"], "n": [20, 30, 2]}
        >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
        >>> Pattern.of(tacit.suppress(tacit.assess(table, tacit.MinFrequency(n=3))))
        <Pattern: 4 cells, 2 withheld>
        """
        if isinstance(given, Pattern):
            return given
        if isinstance(given, str | Path):
            return _read(Path(given))
        if not isinstance(given, Release):
            message = (
                f"History is made of releases, not of a {type(given).__name__}. Give "
                "the release of the earlier table, or the path of its public csv file."
            )
            raise InputError(message)
        table, withheld = given.table, given.withheld
        return cls(
            names=table.names,
            codes=tuple(table.codes_of(name) for name in table.names),
            withheld=withheld,
            value=np.where(withheld, 0, given.published),
            decimals=table.cells.decimals,
        )

    def place_in(self, table: Table) -> NDArray[np.int64]:
        """Cell of the table for each cell of the pattern, -1 where there is none."""
        if set(self.names) != set(table.names):
            message = (
                f"The earlier release is by {', '.join(self.names)}, and this table by "
                f"{', '.join(table.names)}: cells of the two cannot be compared."
            )
            raise InputError(message)
        rows = np.empty((len(table.names), len(self)), dtype=np.int32)
        for d, dimension in enumerate(table.dimensions):
            positions = dimension.positions
            texts, inverse = np.unique(
                self.codes[self.names.index(dimension.name)].astype(str),
                return_inverse=True,
            )
            known = np.array([positions.get(text, -1) for text in texts.tolist()])
            rows[d] = known.astype(np.int32)[inverse]
        place = np.full(len(self), -1, dtype=np.int64)
        held = (rows >= 0).all(axis=0)
        place[held] = table.key_index.lookup(np.ascontiguousarray(rows[:, held]))
        return place

    def scaled(self, decimals: int) -> NDArray[np.int64]:
        """Values with that many decimals, rounded where there are fewer."""
        if decimals >= self.decimals:
            more: NDArray[np.int64] = self.value * 10 ** (decimals - self.decimals)
            return more
        fewer: NDArray[np.int64] = np.rint(
            self.value / 10 ** (self.decimals - decimals)
        ).astype(np.int64)
        return fewer


def _read(path: Path) -> Pattern:
    from pyarrow import ArrowInvalid, csv, string  # noqa: PLC0415 - heavy

    if not path.is_file():
        message = f"The earlier release '{path.name}' does not exist or is no file."
        raise InputError(message)
    try:
        names = csv.read_csv(path).column_names
        as_text = csv.ConvertOptions(column_types=dict.fromkeys(names, string()))
        rows = csv.read_csv(path, convert_options=as_text)
    except ArrowInvalid:
        names, rows = [], None
    if rows is None or not {_VALUE, _STATUS, _LAST} <= set(names):
        message = (
            f"'{path.name}' is not the public csv file of an earlier release: it needs "
            f"the columns of one, among them {_VALUE}, {_STATUS} and {_LAST}."
        )
        raise InputError(message)
    axes = names[: names.index(_VALUE) : 2]
    withheld = np.array(rows.column(_STATUS).to_pylist()) == _WITHHELD
    texts: list[Any] = rows.column(_VALUE).to_pylist()
    numbers = [
        Decimal(0) if hidden or not text else Decimal(text)
        for hidden, text in zip(withheld.tolist(), texts, strict=True)
    ]
    places = [-int(number.as_tuple().exponent) for number in numbers]
    decimals = max([0, *places])
    return Pattern(
        names=tuple(axes),
        codes=tuple(_column(rows, name) for name in axes),
        withheld=withheld,
        value=np.array([int(number.scaleb(decimals)) for number in numbers]),
        decimals=decimals,
    )


def _column(rows: Any, name: str) -> NDArray[np.object_]:  # noqa: ANN401 - pyarrow
    out: NDArray[np.object_] = np.array(rows.column(name).to_pylist(), dtype=object)
    return out
