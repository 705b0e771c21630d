# SPDX-License-Identifier: Apache-2.0
"""The verb of the room: from records to a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.table import Table
from tacit.tabulate._evidence import cells_of, contributions_of, cube_with_evidence
from tacit.tabulate._members import arrange
from tacit.tabulate._plan import Plan
from tacit.tabulate._reduce import as_arrays, find_dimensions, reduce
from tacit.tabulate._source import open_source
from tacit.tabulate._spec import Spec, silent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tacit.hierarchy import Hierarchy
    from tacit.table import Dimension

__all__ = ["tabulate"]


def tabulate(  # noqa: PLR0913 - a verb that names columns
    source: Any,  # noqa: ANN401 - a frame of any library, a path, a glob
    *,
    by: Mapping[str, Hierarchy | Sequence[Hierarchy] | Dimension | str],
    columns: Mapping[str, str] | None = None,
    value: str | None = None,
    unit: str | None = None,
    holding: str | None = None,
    weight: str | None = None,
    waiver: str | None = None,
    request: str | None = None,
    size: str | None = None,
    cost: str | None = None,
    record_key: str | None = None,
    secret: str | None = None,
    decimals: int = 0,
    top: int = 3,
    weights: str = "partial",
    missing: str | Mapping[str, str] = "error",
    round_input: bool = False,
    strip_codes: bool = False,
    decimal: str = ".",
    possible: Any = None,  # noqa: ANN401 - see Table
    progress: Callable[[str, int, int], None] | None = None,
) -> Table:
    """Add records up to a table, with the evidence that rules of sensitivity need.

    One query reduces the source to what each contributor gave to each leaf cell; all
    cells above are computed from that. A contributor is a holding if ``holding`` is
    given, else a unit, else a record; what it gives to a cell, margins included, is
    added before anything is compared. The result does not depend on the order of the
    records, on how a contribution is split over them, or on the kind of the source.

    Args:
        source: A frame (pandas, polars, pyarrow, or whatever Narwhals takes), a DuckDB
            relation, a dict of lists, or the path of csv, parquet or arrow files, as
            a glob or a list where there are several. In csv files everything is read
            as text, so that the code ``01`` stays ``01``.
        by: For each dimension its hierarchy, several hierarchies over the same leaves,
            or the code of its total if it is flat.
        columns: Column of a dimension, where it is not called as the dimension is.
        value: Column of the amounts; left out, records are counted (a record counts
            once in every cell, so counts add up; evidence counts the contributors).
        unit: Column of the id of the unit that contributes.
        holding: Column of the id of the group that the unit belongs to.
        weight: Column of the sampling weight, at most 6 decimals. A leaf cell's
            weighted sum is exact, and rounded once, half to even; other cells add up
            leaf cells.
        waiver: Column that says whether the contributor gave a waiver. Who gave it in
            some records of a cell only, gave none.
        request: Column of the flag of a request for protection: 0, 1 or 2.
        size: Column of a size (proxy) variable; a unit has the largest of its records.
        cost: Column of what suppressing a record's contribution costs.
        record_key: Column of the record keys in [0, 1) for noise by cell key.
        secret: Instead of a column: a long random text, from which and from the id of
            its unit the key of each record is made. It is kept nowhere.
        decimals: Decimals of the amounts.
        top: How many of the largest contributions are kept of each cell.
        weights: What the largest contributions are under sampling weights:
            ``"partial"``, virtual units, the last one in part; ``"sample"``, as
            observed; ``"expanded"``, weight times contribution.
        missing: ``"error"``, or by dimension the code that stands for a missing one.
        round_input: Round amounts with more decimals, half to even.
        strip_codes: Take blanks off codes.
        decimal: The decimal mark of amounts given as text.
        possible: Empty cells that could be filled: ``"all"``, codes by dimension, or
            tuples of codes.
        progress: Called with the stage, what is done of it, and of how much.

    >>> from tacit import Hierarchy, tabulate
    >>> region = Hierarchy.from_parents({"A1": "A", "A2": "A", "A": "T", "B": "T"})
    >>> records = {
    ...     "region": ["A1", "A1", "A2", "B"],
    ...     "firm": ["x", "y", "x", "z"],
    ...     "turnover": [10, 5, 20, 7],
    ... }
    >>> table = tabulate(
    ...     records, by={"region": region}, value="turnover", unit="firm"
    ... )
    >>> a = table.find({"region": "A"})
    >>> int(table.cells.value[a]), int(table.evidence.contributors[a])
    (35, 2)
    >>> table.evidence.largest[a].tolist()
    [30, 5, 0]
    """
    spec = Spec(
        by=dict(by),
        columns={name: name for name in by} | dict(columns or {}),
        value=value,
        unit=unit,
        holding=holding,
        weight=weight,
        waiver=waiver,
        request=request,
        size=size,
        cost=cost,
        record_key=record_key,
        secret=None if secret is None else secret.encode(),
        decimals=decimals,
        top=top,
        weights=weights,
        missing=missing,
        round_input=round_input,
        strip_codes=strip_codes,
        decimal=decimal,
    )
    spec.check()
    table = _tabulate(source, spec, progress or silent)
    if possible is None:
        return table
    from tacit.table._possible import hold_possible  # noqa: PLC0415 - seldom needed

    return hold_possible(table, possible)


def _tabulate(
    given: Any,  # noqa: ANN401 - as above
    spec: Spec,
    progress: Callable[[str, int, int], None],
) -> Table:
    progress("records", 0, 1)
    with open_source(given, spec) as source:
        dimensions = find_dimensions(source, spec)
        rows = reduce(source, spec, dimensions)
        kind = source.kind
    # The engine is closed here, and its memory given back.
    members = arrange(as_arrays(rows, spec), spec, dimensions)
    del rows
    progress("records", 1, 1)
    plan = Plan.of(members, spec)
    cube, evidence = cube_with_evidence(
        members, plan, spec=spec, dimensions=dimensions, progress=progress
    )
    return Table(
        dimensions=dimensions,
        cells=cells_of(cube, spec.decimals),
        measure=spec.value or "count",
        is_count=spec.is_count,
        evidence=evidence,
        contributions=contributions_of(members, cube),
        frame_kind=kind,
    )
