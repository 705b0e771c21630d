# SPDX-License-Identifier: Apache-2.0
"""The verb: what a release has lost, and what risk is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError, suggest
from tacit.measure._lines import entropies, variances
from tacit.measure._pair import pair_of
from tacit.measure._ranks import mann_whitney, signed_rank
from tacit.measure._registry import measure_named, measures
from tacit.measure._subject import Subject
from tacit.protect import Release

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tacit.measure._impute import Imputation

__all__ = ["Measures", "measure"]


@dataclass(frozen=True, eq=False, repr=False)
class Measures(Mapping[str, float]):
    """Every measure of a release by its name, made by :func:`tacit.measure`.

    A measure that is not defined (no audit, values below zero, a single cell) is nan.
    ``imputation`` names what stood for withheld values. ``frame`` is the table of
    results, the same for every method; ``lines`` tells rows and columns one by one.
    All of it is internal.

    >>> import tacit
    >>> from tacit.protect import release_as_is
    >>> cells = {"sex": ["f", "m"], "n": [2, 30]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
    >>> measures = tacit.measure(release_as_is(tacit.assess(table)))
    >>> measures["absolute_loss_per_cell"], measures["spearman"]
    (0.0, 1.0)
    """

    values_by_name: Mapping[str, float]
    imputation: str
    method: str
    subject: Subject

    def __getitem__(self, name: str) -> float:
        if name not in self.values_by_name:
            message = f"No measure '{name}' here. {suggest(name, self.values_by_name)}"
            raise KeyError(message)
        return self.values_by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    @property
    def frame(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """One row a measure: its value, whether it is a loss or a risk, its meaning."""
        known = [measure_named(name) for name in self]
        return self._to_frame(
            {
                "measure": [one.name for one in known],
                "value": np.array([self[one.name] for one in known]),
                "kind": [one.kind for one in known],
                "better": [one.better for one in known],
                "meaning": [one.meaning for one in known],
            }
        )

    def lines(self, along: str = "rows") -> Any:  # noqa: ANN401 - as above
        """Tell each row, or each column, by its codes: sums, entropies, tests.

        >>> import tacit
        >>> from tacit.protect import release_as_is
        >>> cells = {"sex": ["f", "m"], "age": ["o", "y"], "n": [2, 30]}
        >>> by = {"sex": "all", "age": "all"}
        >>> table = tacit.Table.from_cells(cells, by=by, count="n")
        >>> measures = tacit.measure(release_as_is(tacit.assess(table)))
        >>> measures.lines("columns").to_pydict()["age"]
        ['o', 'y']
        """
        choices = ("rows", "columns")
        if along not in choices:
            message = f"along= is 'rows' or 'columns'. {suggest(str(along), choices)}"
            raise InputError(message)
        pair = self.subject.pair
        lines = pair.rows if along == "rows" else pair.columns
        columns = self._codes(along)
        columns |= {
            "original": lines.sums(pair.original),
            "released": lines.sums(pair.released),
            "absolute_loss": lines.sums(np.abs(pair.change)),
            "entropy_original": entropies(pair.original, lines),
            "entropy_released": entropies(pair.released, lines),
            "variance_original": variances(pair.original, lines),
            "variance_released": variances(pair.released, lines),
            "mann_whitney_p": mann_whitney(pair, lines),
            "signed_rank_p": signed_rank(pair, lines),
        }
        return self._to_frame(columns)

    def _codes(self, along: str) -> dict[str, Any]:
        """Codes of the lines; the columns are the dimension that rows leave out."""
        table, pair = self.subject.release.table, self.subject.pair
        last = pair.column_axis
        if along == "columns":
            axes, lines = [last], pair.columns
        else:
            axes = [axis for axis in range(len(table.dimensions)) if axis != last]
            lines = pair.rows
        found: dict[str, Any] = {}
        for axis, codes in zip(axes, lines.codes, strict=False):
            names = np.array(table.dimensions[axis].codes, dtype=object)
            found[table.dimensions[axis].name] = names[codes]
        return found

    def _to_frame(self, columns: dict[str, Any]) -> Any:  # noqa: ANN401
        from tacit.table._frames import to_frame  # noqa: PLC0415 - loads a library

        return to_frame(columns, self.subject.release.table.frame_kind)

    def summary(self) -> dict[str, Any]:
        """Give the measures that are defined, with the method and the imputation."""
        defined = {name: value for name, value in self.items() if not np.isnan(value)}
        return {"method": self.method, "imputation": self.imputation, **defined}

    def __repr__(self) -> str:
        undefined = int(np.isnan(list(self.values())).sum())
        more = f", {undefined} not defined" if undefined else ""
        return (
            f"<Measures of a release by {self.method}: {len(self)}{more}; "
            f"withheld values by {self.imputation}>"
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p>"


def measure(
    release: Release,
    *,
    imputation: Imputation = "spread",
    columns: str | None = None,
    only: Iterable[str] | None = None,
) -> Measures:
    """Measure what a release has lost against its table, and what risk is left.

    Distances are taken over the interior cells, so that nothing counts twice. A table
    of many dimensions has one of them in its columns and all others in its rows.

    Args:
        release: The release, of whatever method.
        imputation: What stands for a withheld value: ``spread`` (what a column
            withholds, shared equally), ``midpoint`` (of what an attacker can narrow
            it down to), ``zero``, or ``drop`` (the cell is left out).
        columns: The dimension in the columns; the last if not given.
        only: Names of the measures to take; all if not given.

    >>> import tacit
    >>> cells = {"sex": ["f", "f", "m", "m"], "age": ["o", "y"] * 2, "n": [2, 9, 8, 7]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "T", "age": "T"}, count="n")
    >>> release = tacit.suppress(tacit.assess(table, tacit.MinFrequency(n=3)))
    >>> tacit.measure(release, imputation="zero")["absolute_loss_percent"]
    100.0
    """
    if not isinstance(release, Release):
        message = (
            f"measure takes a release, not a {type(release).__name__}: what was lost "
            "shows when a protected table is laid beside the original. Protect the "
            "table first, then measure."
        )
        raise InputError(message)
    wanted = measures() if only is None else [measure_named(name) for name in only]
    pair = pair_of(release, imputation=imputation, columns=columns)
    subject = Subject(release, pair)
    found = {one.name: float(one.of(subject)) for one in wanted}
    return Measures(found, imputation, release.method, subject)
