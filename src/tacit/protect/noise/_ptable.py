# SPDX-License-Identifier: Apache-2.0
"""The table of transition probabilities: by how much a number changes, how often."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["KEY_UNIT", "Design", "PTable"]

KEY_UNIT = 10**16
"""Cell keys are whole numbers of this part of 1."""
_MOST_ROWS = 900
_ADDS_UP = 2e-6
_Numbers = Annotated[tuple[float, ...], Field(strict=False, min_length=1)]


class Design(BaseModel):
    """What noise by cell key shall be like; the rest is left as uncertain as possible.

    Each number changes by at most ``D``, by 0 on average, with variance ``V``. Results
    from 1 to ``js`` do not occur, and 0 stays 0.

    >>> Design(D=2, V=1).table().row(2).round(4).tolist()
    [0.0638, 0.2447, 0.383, 0.2447, 0.0638]
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, hide_input_in_errors=True
    )

    D: Annotated[int, Field(ge=1, le=400)] = Field(description="the largest change")
    V: Annotated[float, Field(gt=0, allow_inf_nan=False)] = Field(
        description="the variance of the noise"
    )
    js: Annotated[int, Field(ge=0)] = Field(
        default=0, description="results from 1 to this do not occur"
    )
    pstay: Annotated[float, Field(gt=0, lt=1)] | None = Field(
        default=None, description="probability that a number does not change"
    )
    monotone: bool = Field(
        default=True, description="whether larger changes are never more likely"
    )
    strict: bool = Field(
        default=True,
        description="whether a row that cannot have this variance is an error; if not, "
        "it gets the most uncertain noise without that condition",
    )
    kind: Literal["count", "magnitude"] = Field(
        default="count",
        description="whole numbers, or steps between which is interpolated",
    )
    step: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.5, description="magnitudes: the smallest change"
    )

    def table(self) -> PTable:
        """Work the table out."""
        from tacit.protect.noise._design import designed  # noqa: PLC0415 - late

        return designed(self)


class PTable(BaseModel):
    """Rows of a table of transition probabilities: ``i`` becomes ``j`` with ``p``.

    Rows are sorted by ``i`` and ``j``; the last value of ``i`` stands for all larger
    numbers. ``upper`` are the cumulated probabilities within a row, if these are given.

    >>> table = PTable(i=(0, 1, 1), j=(0, 0, 2), p=(1, 0.5, 0.5))
    >>> table
    <PTable: 2 rows, changes from -1 to 1>
    >>> table.moments().to_pydict()["variance"]
    [0.0, 1.0]
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, hide_input_in_errors=True
    )

    i: _Numbers = Field(description="the number before")
    j: _Numbers = Field(description="the number after")
    p: _Numbers = Field(description="how often i becomes j")
    upper: _Numbers | None = Field(
        default=None, description="the sum of p up to here, within i"
    )

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        said = _problems(self)
        if said:
            raise ValueError(said)
        return self

    @classmethod
    def read(cls, path: str | Path) -> PTable:
        """Read a file as τ-ARGUS and the R package ptable write it.

        Of a file with several types (``all``, ``even``, ``odd``) give the type after a
        colon: ``"ptable.csv:even"``.
        """
        from tacit.protect.noise._ptable_files import read_ptable  # noqa: PLC0415

        return read_ptable(path)

    def write(
        self, path: str | Path, *, form: Literal["tau_argus", "ptable"] = "tau_argus"
    ) -> Path:
        """Write a file that τ-ARGUS or the R packages read."""
        from tacit.protect.noise._ptable_files import write_ptable  # noqa: PLC0415

        return write_ptable(self, path, form)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The values of ``i``, each once, ascending."""
        return np.unique(np.array(self.i))

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """Where each row starts, and where the last one ends."""
        start = np.searchsorted(np.array(self.i), self.numbers)
        return np.append(start, len(self.i)).astype(np.int64)

    @cached_property
    def noise(self) -> NDArray[np.float64]:
        """By how much each entry changes a number."""
        noise: NDArray[np.float64] = np.array(self.j) - np.array(self.i)
        return noise

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """Upper ends of the keys of each entry, all rows one after the other."""
        start, parts = self.start, []
        for k in range(len(self.numbers)):
            row = slice(start[k], start[k + 1])
            upper = np.cumsum(self.p[row]) if self.upper is None else self.upper[row]
            ends = np.array([round(float(end) * KEY_UNIT) for end in upper])
            ends[-1] = KEY_UNIT
            parts.append(k * KEY_UNIT + np.minimum(ends, KEY_UNIT))
        return np.concatenate(parts).astype(np.int64)

    @property
    def largest(self) -> float:
        """The largest change that occurs."""
        possible = np.array(self.p) > 0
        return float(np.abs(self.noise[possible]).max(initial=0.0))

    def row(self, i: float) -> NDArray[np.float64]:
        """Probabilities of the row of ``i``."""
        k = min(int(np.searchsorted(self.numbers, i)), len(self.numbers) - 1)
        return np.array(self.p[self.start[k] : self.start[k + 1]])

    def change(
        self, row: NDArray[np.int64], key: NDArray[np.int64], *, closed: bool = False
    ) -> NDArray[np.float64]:
        """Look up by how much each number changes, given its row and its cell key.

        The entry is the first whose upper end is above the key; with ``closed`` the
        first whose upper end is not below it.
        """
        side: Literal["left", "right"] = "left" if closed else "right"
        at = np.searchsorted(self.bounds, row * KEY_UNIT + key, side=side)
        found: NDArray[np.float64] = self.noise[at]
        return found

    def moments(self) -> Any:  # noqa: ANN401 - an arrow table
        """Give mean, variance and probability of no change of each row."""
        import pyarrow as pa  # noqa: PLC0415 - heavy, only where needed

        p, starts = np.array(self.p), self.start[:-1]
        mean = np.add.reduceat(p * self.noise, starts)
        square = np.add.reduceat(p * self.noise**2, starts)
        stay = np.add.reduceat(p * (self.noise == 0), starts)
        return pa.table(
            {
                "i": self.numbers,
                "mean": mean,
                "variance": square - mean**2,
                "stay": stay,
            }
        )

    def privacy(self) -> tuple[float, float]:
        """Read the table as (ε, δ): how well it hides whether one unit is there.

        ε is the largest ratio (its logarithm) of how likely the same result is from
        neighbouring rows, where both can give it; δ is the largest probability of a
        result that only one of them can give. This holds for one number, not for a
        table.

        >>> epsilon, delta = PTable(
        ...     i=(0, 1, 1), j=(0, 0, 2), p=(1, 0.5, 0.5)).privacy()
        >>> round(epsilon, 4), delta
        (0.6931, 1.0)
        """
        epsilon = delta = 0.0
        rows = [
            dict(zip(self.j[a:b], self.p[a:b], strict=True))
            for a, b in zip(self.start[:-1], self.start[1:], strict=True)
        ]
        last = rows[-1]
        rows.append({j + 1: p for j, p in last.items()})
        for one, other in pairwise(rows):
            for here, there in ((one, other), (other, one)):
                alone = [p for j, p in here.items() if not there.get(j)]
                delta = max(delta, float(sum(alone)))
                both = [p / there[j] for j, p in here.items() if p and there.get(j)]
                epsilon = max([epsilon, *(abs(float(np.log(r))) for r in both)])
        return epsilon, delta

    def plot(self) -> Any:  # noqa: ANN401 - a figure of matplotlib
        """Draw the probabilities of each row."""
        from tacit.protect.noise._ptable_plot import drawn  # noqa: PLC0415

        return drawn(self)

    def __repr__(self) -> str:
        possible = self.noise[np.array(self.p) > 0]
        return (
            f"<PTable: {len(self.numbers):,} rows, changes from {possible.min():g} to "
            f"{possible.max():g}>"
        )

    __str__ = __repr__


def _problems(table: PTable) -> str:
    """Say the first thing that is wrong with a table; empty if nothing is."""
    if not len(table.i) == len(table.j) == len(table.p):
        return "i, j and p must have one value for each entry, and differ in length"
    i, j, p = np.array(table.i), np.array(table.j), np.array(table.p)
    same = np.diff(i) == 0
    said = {
        "entries must be sorted by i, then by j, each pair once": (
            (np.diff(i) < 0).any() or (np.diff(j)[same] <= 0).any()
        ),
        "a p is no probability between 0 and 1": not ((p >= 0) & (p <= 1)).all(),
        "i and j cannot be negative: noise never changes the sign of a number": (
            (j < 0).any() or (i < 0).any()
        ),
        f"more than {_MOST_ROWS} rows; numbers beyond the last share its row": (
            len(np.unique(i)) > _MOST_ROWS
        ),
    }
    first = next((words for words, wrong in said.items() if wrong), "")
    return first or _bad_sums(i, j, p) or _bad_bounds(table, i)


def _bad_sums(
    i: NDArray[np.float64], j: NDArray[np.float64], p: NDArray[np.float64]
) -> str:
    starts = np.searchsorted(i, np.unique(i))
    sums = np.add.reduceat(p, starts)
    off = np.flatnonzero(np.abs(sums - 1) > _ADDS_UP)
    if len(off):
        return (
            f"the probabilities of the row i = {i[starts[off[0]]]:g} add up to "
            f"{sums[off[0]]:.8g}, not to 1"
        )
    if i[0] != 0 or j[0] != 0 or np.count_nonzero(i == 0) > 1:
        return "the first row must be i = 0 and keep it: an empty cell stays empty"
    return ""


def _bad_bounds(table: PTable, i: NDArray[np.float64]) -> str:
    if table.upper is None:
        return ""
    upper = np.array(table.upper)
    if len(upper) != len(i):
        return "upper must have one value for each entry"
    if (np.diff(upper)[np.diff(i) == 0] < 0).any():
        return "upper must not fall within a row: it is a sum of probabilities"
    return ""
