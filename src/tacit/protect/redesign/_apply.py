# SPDX-License-Identifier: Apache-2.0
"""The assessment of a table after a step."""

from __future__ import annotations

from dataclasses import fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tacit.protect.redesign._collapse import collapsed, recoded
from tacit.rules import assess
from tacit.table import Dimension, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tacit.protect.redesign._collapse import Collapse
    from tacit.rules import Assessment
    from tacit.table import Cells, Contributions, Evidence, Levels

    _Noun = TypeVar("_Noun", Cells, Evidence, Levels)

__all__ = ["after", "can_merge", "tabulated_again"]


def after(assessment: Assessment, step: Collapse) -> Assessment:
    """Give the assessment of the table after a step.

    What is cut leaves the other cells as they are; merged cells are judged anew, from
    the contributions to them.
    """
    if step.how == "cut":
        return _cut(assessment, step)
    table = assessment.table
    d = table.axis(step.dimension)
    dimension = collapsed(table.dimensions[d], step)
    codes = {step.dimension: (recoded(table.dimensions[d], step), dimension)}
    return assess(tabulated_again(table, codes), assessment.rule)


def can_merge(assessment: Assessment) -> bool:
    """Whether merged cells can be judged: from whom they come must be known."""
    table, given = assessment.table, assessment.table.contributions
    if given is None or assessment.rule is None or assessment.profile != "tacit":
        return False
    if given.weight is not None or table.levels is not None:
        return False
    both = given.request is not None and bool((given.request > 2).any())  # noqa: PLR2004
    return not both


def tabulated_again(
    table: Table, codes: Mapping[str, tuple[Mapping[str, str], Dimension]]
) -> Table:
    """Tabulate the contributions of a table by other codes of some dimensions."""
    from tacit.tabulate import tabulate  # noqa: PLC0415 - loads the engine

    given = table.contributions
    if given is None:  # pragma: no cover - callers have looked
        message = "The table holds no contributions."
        raise TypeError(message)
    records = np.ones(len(given), dtype=np.int64)
    if table.is_count and given.records is not None:
        records = given.records
    rows = np.repeat(np.arange(len(given)), records if table.is_count else 1)
    frame: dict[str, Any] = {}
    by: dict[str, Dimension] = {}
    for d, axis in enumerate(table.dimensions):
        renamed, dimension = codes.get(axis.name, ({}, axis))
        texts = np.array([renamed.get(c, c) for c in axis.codes], dtype=object)
        frame[axis.name] = texts[table.cells.codes[d, given.leaf]][rows]
        by[axis.name] = dimension
    return _with_scale(
        table,
        tabulate(_arrow(frame | _columns(given, rows)), by=by, **_roles(table, given)),
    )


def _columns(given: Contributions, rows: NDArray[np.int64]) -> dict[str, Any]:
    columns = {
        " unit": given.unit,
        " holding": given.holding,
        " value": given.value,
        " size": given.size,
        " waived": given.waived,
        " request": given.request,
    }
    return {
        name: column[rows] for name, column in columns.items() if column is not None
    }


def _roles(table: Table, given: Contributions) -> dict[str, Any]:
    evidence = table.evidence
    top = 3 if evidence is None else evidence.largest.shape[1]
    return {
        "value": None if table.is_count else " value",
        "unit": " unit",
        "holding": None if given.holding is None else " holding",
        "size": None if given.size is None else " size",
        "waiver": None if given.waived is None else " waived",
        "request": None if given.request is None else " request",
        "top": top,
    }


def _arrow(columns: dict[str, Any]) -> Any:  # noqa: ANN401 - an arrow table
    import pyarrow as pa  # noqa: PLC0415 - heavy, only where needed

    return pa.table({name: pa.array(column) for name, column in columns.items()})


def _with_scale(old: Table, new: Table) -> Table:
    """Give the new table the name, the decimals and the frames of the old one."""
    unit = 10**old.cells.decimals if old.is_count else 1
    cells = replace(
        new.cells, decimals=old.cells.decimals, value=new.cells.value * unit
    )
    return new.updated(cells=cells, measure=old.measure, frame_kind=old.frame_kind)


def _cut(assessment: Assessment, step: Collapse) -> Assessment:
    table = assessment.table
    d = table.axis(step.dimension)
    old = table.dimensions[d]
    new, renamed = collapsed(old, step), recoded(old, step)
    place = np.array([new.positions[renamed[code]] for code in old.codes])
    stays = np.array([renamed[code] == code for code in old.codes])
    kept = np.flatnonzero(stays[table.cells.codes[d]])
    codes = table.cells.codes.copy()
    codes[d] = place[codes[d]]
    order = np.lexsort(codes[:, kept][::-1])
    kept = kept[order]
    cells = replace(_taken(table.cells, kept, skip=("codes",)), codes=codes[:, kept])
    dimensions = (*table.dimensions[:d], new, *table.dimensions[d + 1 :])
    smaller = Table(
        dimensions=dimensions,
        cells=cells,
        measure=table.measure,
        is_count=table.is_count,
        evidence=None if table.evidence is None else _taken(table.evidence, kept),
        levels=None if table.levels is None else _taken(table.levels, kept),
        frame_kind=table.frame_kind,
    )
    given = table.contributions
    if given is not None:
        leaf = smaller.key_index.lookup(codes[:, given.leaf])
        smaller = smaller.updated(contributions=_joined(given, leaf))
    return _judged(assessment, smaller, kept)


def _judged(
    assessment: Assessment, table: Table, kept: NDArray[np.int64]
) -> Assessment:
    def of(column: NDArray[Any] | None) -> Any:  # noqa: ANN401 - an array or None
        return None if column is None else column[kept]

    reasons = {label: fired[kept] for label, fired in assessment.reasons.items()}
    return replace(
        assessment,
        table=table,
        sensitive=of(assessment.sensitive),
        upl=of(assessment.upl),
        lpl=of(assessment.lpl),
        spl=of(assessment.spl),
        state=of(assessment.state),
        reasons=MappingProxyType(reasons),
        conflicts=of(assessment.conflicts),
        exempted=of(assessment.exempted),
    )


def _taken(noun: _Noun, kept: NDArray[np.int64], skip: tuple[str, ...] = ()) -> _Noun:
    """Give only some rows of every column."""
    columns: dict[str, Any] = {
        field.name: column[kept]
        for field in fields(noun)
        if field.name not in skip
        and isinstance(column := getattr(noun, field.name), np.ndarray)
    }
    return replace(noun, **columns)


def _joined(given: Contributions, leaf: NDArray[np.int64]) -> Contributions:
    """Put contributions into wider leaf cells: one row for each unit there."""
    order = np.lexsort((given.unit, leaf))
    leaf, unit = leaf[order], given.unit[order]
    new = np.append(True, (np.diff(leaf) != 0) | (np.diff(unit) != 0))
    starts = np.flatnonzero(new[: len(leaf)])
    how: dict[str, np.ufunc] = {
        "value": np.add,
        "records": np.add,
        "weighted": np.add,
        "holding": np.maximum,
        "weight": np.maximum,
        "size": np.maximum,
        "key": np.maximum,
        "waived": np.logical_and,
        "request": np.bitwise_or,
    }
    columns: dict[str, Any] = {
        name: None if column is None else ufunc.reduceat(column[order], starts)
        for name, ufunc in how.items()
        for column in [getattr(given, name)]
    }
    if given.records is None and len(starts) < len(leaf):
        columns["records"] = np.diff(starts, append=len(leaf))
    return replace(
        given, leaf=leaf[starts].astype(np.int32), unit=unit[starts], **columns
    )
