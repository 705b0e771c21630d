# SPDX-License-Identifier: Apache-2.0
"""A table: cells, the relations between them, and what stands behind them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tacit.errors import InputError, suggest
from tacit.table._keys import KeyIndex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tacit.hierarchy import Hierarchy
    from tacit.table._additivity import Tolerance
    from tacit.table._cells import Cells, Contributions, Evidence, Levels, State
    from tacit.table._dimension import Dimension
    from tacit.table._possible import Possible
    from tacit.table._relations import Equations, Relations
    from tacit.table._views import Internal

__all__ = ["Table"]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Cells over dimensions, with every relation between them.

    ``measure`` names what is counted or summed; ``is_count`` tells counts from
    magnitudes; ``frame_kind`` is the kind of frame that goes back to the user.
    ``equations`` are relations beyond those of the hierarchies; ``compiled`` takes
    the place of all of them where a table was linked from others.
    ``residuals_accepted`` is the number of relations that hold only within the
    tolerance that the user declared; the values stay as they were given.
    """

    dimensions: tuple[Dimension, ...]
    cells: Cells
    measure: str = "value"
    is_count: bool = False
    evidence: Evidence | None = None
    contributions: Contributions | None = None
    levels: Levels | None = None
    frame_kind: str = "pyarrow"
    equations: Equations | None = None
    compiled: Relations | None = None
    residuals_accepted: int = 0

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def relations(self) -> Relations:
        """Every relation that the hierarchies and equations imply."""
        if self.compiled is not None:
            return self.compiled
        from tacit.table._build import build_relations  # noqa: PLC0415

        return build_relations(self)

    @cached_property
    def key_index(self) -> KeyIndex:
        """The way from tuples of codes to cells."""
        sizes = [len(dimension) for dimension in self.dimensions]
        return KeyIndex.of(self.cells.codes, sizes)

    @property
    def keys(self) -> NDArray[np.int64]:
        """One number per cell, ascending in the order of the codes."""
        return self.key_index.keys

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the dimensions."""
        return tuple(dimension.name for dimension in self.dimensions)

    def axis(self, name: str) -> int:
        """Position of the dimension called ``name``."""
        if name not in self.names:
            message = f"No dimension '{name}' here. {suggest(name, self.names)}"
            raise InputError(message)
        return self.names.index(name)

    def find(self, codes: Mapping[str, str]) -> int:
        """Index of the cell with these codes; a dimension not named is at its total.

        >>> from tacit import Table
        >>> cells = {"sex": ["all", "f", "m"], "n": [5, 2, 3]}
        >>> table = Table.from_cells(cells, by={"sex": "all"}, count="n")
        >>> table.find({"sex": "m"}), table.find({})
        (2, 0)
        """
        for name in codes:
            self.axis(name)
        wanted = [self._code_position(d, codes.get(d.name)) for d in self.dimensions]
        cell = int(self.key_index.lookup(np.array(wanted, dtype=np.int32)[:, None])[0])
        if cell < 0:
            where = self._where(wanted)
            message = (
                f"The cell ({where}) is not held: nobody stands behind it, and that is "
                "taken as known. Declare it with possible= if it could be non-empty."
            )
            raise InputError(message)
        return cell

    def index(self, **codes: str) -> int:
        """Index of the cell with these codes, as :meth:`find` with keywords."""
        return self.find(codes)

    def labels_of(self, cell: int) -> dict[str, str]:
        """Codes of one cell by the name of their dimension.

        >>> from tacit import Table
        >>> cells = {"sex": ["all", "f", "m"], "n": [5, 2, 3]}
        >>> Table.from_cells(cells, by={"sex": "all"}, count="n").labels_of(1)
        {'sex': 'f'}
        """
        column = self.cells.codes[:, cell]
        return {
            dimension.name: dimension.codes[code]
            for dimension, code in zip(self.dimensions, column, strict=True)
        }

    def describe_cell(self, cell: int) -> str:
        """Codes of one cell in words, such as ``region = A1, size = 3``."""
        return self._where(self.cells.codes[:, cell])

    def codes_of(self, name: str) -> NDArray[np.object_]:
        """Code of every cell in one dimension, as text."""
        d = self.axis(name)
        names: NDArray[np.object_] = np.array(self.dimensions[d].codes, dtype=object)
        texts: NDArray[np.object_] = names[self.cells.codes[d]]
        return texts

    @property
    def value_in_units(self) -> NDArray[np.float64]:
        """Values in published units, as floats. Confidential."""
        return self.cells.value / float(10**self.cells.decimals)

    def updated(self, **changes: Any) -> Table:  # noqa: ANN401 - fields of Table
        """Change fields; what was computed from the codes is kept while they stay.

        >>> from tacit import Table
        >>> cells = {"sex": ["f", "m"], "n": [2, 3]}
        >>> table = Table.from_cells(cells, by={"sex": "all"}, count="n")
        >>> table.updated(measure="persons").relations is table.relations
        True
        """
        new = replace(self, **changes)
        if new.cells.codes is self.cells.codes and new.dimensions == self.dimensions:
            self._hand_over(new, "key_index")
            if new.equations is self.equations and new.compiled is self.compiled:
                self._hand_over(new, "relations")
        return new

    def _hand_over(self, new: Table, name: str) -> None:
        if name in self.__dict__:
            new.__dict__[name] = self.__dict__[name]

    @classmethod
    def from_cells(  # noqa: PLR0913 - a verb that names columns
        cls,
        frame: object,
        *,
        by: Mapping[str, Hierarchy | Sequence[Hierarchy] | Dimension | str],
        value: str | None = None,
        count: str | None = None,
        contributions: Sequence[str] | None = None,
        holdings: str | None = None,
        state: str | None = None,
        states: Mapping[str, State | str] | None = None,
        lower: str | None = None,
        upper: str | None = None,
        sliding: str | None = None,
        bounds: tuple[str, str] | None = None,
        cost: str | None = None,
        decimals: int | None = None,
        decimal: str = ".",
        tolerance: Tolerance = None,
        missing_totals: Literal["recompute", "error"] = "recompute",
        possible: Possible | None = None,
    ) -> Table:
        """Take a finished table: check its margins, or sum those that are missing.

        Args:
            frame: Any frame, or a dict of lists: one row for each cell. Cells that
                nobody stands behind may be left out.
            by: For each dimension (a column of codes, as text) its hierarchy, several
                hierarchies over the same leaves, or the code of its total if flat.
            value: Column of the published amounts; left out, the counts are published.
            count: Column of the number of contributors.
            contributions: Columns of the largest absolute contributions, largest first.
            holdings: Column of the number of holdings, which then are the entities.
            state: Column of states: names such as ``safe`` or ``suppressed``, or the
                letters S, U, M, E, P of τ-ARGUS.
            states: Meaning of other texts in that column.
            lower: Column of required lower protection levels (distances).
            upper: Column of required upper protection levels.
            sliding: Column of required sliding protection levels.
            bounds: Columns of the bounds that an attacker knows beforehand.
            cost: Column of what suppressing the cell costs.
            decimals: Decimals of the amounts; left out, as few as hold them all.
            decimal: The decimal mark of amounts given as text.
            tolerance: Units of the last decimal that a relation may miss by, or
                ``"rounding"`` for values that were rounded one by one. What is
                accepted is counted in ``residuals_accepted``; values stay as given.
            missing_totals: ``"recompute"`` sums totals that have no row or no amount,
                ``"error"`` refuses them.
            possible: Empty cells that could be filled: ``"all"``, codes by dimension,
                or tuples of codes.

        >>> from tacit import Hierarchy, Table
        >>> region = Hierarchy.from_parents({"A1": "A", "A2": "A", "A": "T", "B": "T"})
        >>> cells = {"region": ["A1", "A2", "B"], "turnover": [1.5, 2.25, 3.0]}
        >>> table = Table.from_cells(cells, by={"region": region}, value="turnover")
        >>> len(table), table.cells.decimals
        (5, 2)
        >>> table.value_in_units[table.find({"region": "A"})].item()
        3.75
        """
        from tacit.table import _reader  # noqa: PLC0415
        from tacit.table._from_cells import from_cells  # noqa: PLC0415

        columns = _reader.CellColumns(
            by=by,
            value=value,
            count=count,
            contributions=tuple(contributions or ()),
            holdings=holdings,
            state=state,
            states=states,
            levels=_reader.level_columns(lower, upper, sliding),
            bounds=bounds,
            cost=cost,
            decimals=decimals,
            mark=decimal,
            tolerance=tolerance,
            missing_totals=missing_totals,
            possible=possible,
        )
        return from_cells(frame, columns)

    @classmethod
    def from_jj(
        cls,
        path: str | Path,
        *,
        decimals: int | None = None,
        tolerance: Tolerance = None,
    ) -> Table:
        r"""Take the suppression problem from a JJ file, packed with gzip or not.

        The cells become a table of one dimension ``cell`` with the codes 0, 1, ...,
        and the relations of the file its equations. Status s is safe, u sensitive, m
        suppressed, z frozen (empty, if the value is 0). Weights become the cost of
        suppression: ``suppress(..., cost="column")``.

        Args:
            path: The file.
            decimals: Decimals of values and bounds; left out, as many as the values
                are written with, and more if the bounds need them.
            tolerance: As in :meth:`from_cells`: what a relation may miss by.

        >>> import tempfile
        >>> from tacit import Table
        >>> lines = ["0", "3", "0 5 5 s 0 9 0 0 0", "1 2 2 u 0 9 1 1 0",
        ...          "2 3 3 s 0 9 0 0 0", "1", "0 3 : 0 (-1) 1 (1) 2 (1)"]
        >>> with tempfile.NamedTemporaryFile("w", suffix=".jj") as file:
        ...     _ = file.write("\n".join(lines)), file.flush()
        ...     table = Table.from_jj(file.name)
        >>> table
        <Table of value: 3 cells over cell (3 codes); 2 safe, 1 suppressed>
        >>> table.relations.describe(0)
        'line 7: 0 (-1) 1 (1) 2 (1)'
        """
        from tacit.table._from_jj import from_jj  # noqa: PLC0415

        return from_jj(path, decimals=decimals, tolerance=tolerance)

    def frame(self) -> Any:  # noqa: ANN401 - a frame of the kind that was given
        """Show the cells without anything confidential: codes and published or not.

        No value is shown before a release has been made and audited, because even
        the values of safe cells give away those of others.

        >>> from tacit import Table
        >>> cells = {"sex": ["f", "m"], "n": [2, 3]}
        >>> Table.from_cells(cells, by={"sex": "all"}, count="n").frame().to_pydict()
        {'sex': ['all', 'f', 'm'], 'state': ['safe', 'safe', 'safe']}
        """
        from tacit.table._views import public_frame  # noqa: PLC0415

        return public_frame(self)

    @property
    def internal(self) -> Internal:
        """The one explicit door to values, counts, contributions and levels."""
        from tacit.table._views import Internal  # noqa: PLC0415

        return Internal(self)

    def __repr__(self) -> str:
        from tacit.table._views import describe_table  # noqa: PLC0415

        return describe_table(self)

    def _repr_html_(self) -> str:
        from tacit.table._views import html_of  # noqa: PLC0415

        return html_of(self)

    def _code_position(self, dimension: Dimension, code: str | None) -> int:
        if code is not None:
            return dimension.position(code)
        if dimension.total is None:
            message = (
                f"Dimension '{dimension.name}' has no total, so its code must be named."
                f" {suggest('', dimension.codes)}"
            )
            raise InputError(message)
        return dimension.position(dimension.total)

    def _where(self, codes: NDArray[np.int32] | list[int]) -> str:
        return ", ".join(
            f"{dimension.name} = {dimension.codes[code]}"
            for dimension, code in zip(self.dimensions, codes, strict=True)
        )
