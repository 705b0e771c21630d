# SPDX-License-Identifier: Apache-2.0
"""The steps of a job: read, tabulate, assess."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tacit.errors import JobError
from tacit.hierarchy import Hierarchy
from tacit.job._sections import ColumnsHierarchy, DigitsHierarchy
from tacit.job._source import distinct_rows, read_columns
from tacit.rules import Preset, assess
from tacit.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.job._model import Job
    from tacit.job._sections import DimensionSpec
    from tacit.rules import Assessment
    from tacit.table import Dimension

__all__ = ["assess_job", "tabulate_job", "trees_of"]

_log = logging.getLogger(__name__)


def tabulate_job(job: Job, progress: Callable[..., None] | None) -> Table:
    """Make the table that the job describes."""
    _log.info("reading %s", job.data.source)
    by = {name: trees_of(job, name, spec) for name, spec in job.dimensions.items()}
    table = (
        _from_cells(job, by)
        if job.data.kind == "cells"
        else _tabulate(job, by, progress)
    )
    dimensions = tuple(
        _dressed(job, name, spec, dimension)
        for (name, spec), dimension in zip(
            job.dimensions.items(), table.dimensions, strict=True
        )
    )
    _log.info("tabulated %d cells", len(table))
    return replace(table, dimensions=dimensions)


def assess_job(job: Job, table: Table) -> Assessment:
    """Judge the table by the rules of the job."""
    assessment = assess(
        table,
        job.rules,
        profile=job.profile,
        preset=None if job.preset is None else job.folder / job.preset,
        margin=job.judging.margin,
        exempt=job.judging.exempt or None,
        zero_cells=job.judging.zero_cells,
    )
    _log.info("assessed %d cells", len(assessment))
    return assessment


def _tabulate(
    job: Job, by: dict[str, Any], progress: Callable[..., None] | None
) -> Table:
    from tacit.tabulate import tabulate  # noqa: PLC0415 - heavy

    data, measure = job.data, job.measure
    return tabulate(
        str(job.folder / data.source),
        by=by,
        columns=_columns(job),
        value=measure.value,
        unit=measure.unit,
        holding=measure.holding,
        weight=measure.weight,
        waiver=measure.waiver,
        request=measure.request,
        size=measure.size,
        cost=measure.cost,
        record_key=measure.record_key,
        secret=_secret(measure.secret_from),
        decimals=measure.decimals,
        round_input=measure.round_input,
        top=_needed(job),
        weights=measure.weights or "partial",
        missing=data.missing or "error",
        possible=data.possible,
        strip_codes=data.strip_codes,
        decimal=data.decimal,
        progress=progress,
    )


def _needed(job: Job) -> int:
    """How many of the largest contributions the rules ask for."""
    rule = job.rules
    if job.preset is not None:
        rule = Preset.read(job.folder / job.preset).rule
    weights = getattr(job.protect, "weights", ())
    noisy = len(weights) if isinstance(weights, tuple) else 0
    numbers = getattr(job.protect, "method", "suppress") != "suppress"
    least = max(noisy, _FOR_ESTIMATES if numbers else 1)
    return max(least, 0 if rule is None else int(rule.largest_needed))


# What the two largest contributors know of each other is part of these attacks.
_FOR_ESTIMATES = 3


def _secret(name: str | None) -> str | None:
    """Read the secret from the environment: a job file must not hold it."""
    if name is None:
        return None
    secret = os.environ.get(name)
    if not secret:
        message = (
            f"measure.secret_from: the environment variable '{name}' is not set. Put a "
            "long random text there, the same for every table of these units."
        )
        raise JobError(message)
    return secret


def _from_cells(job: Job, by: dict[str, Any]) -> Table:
    data, measure, columns = job.data, job.measure, _columns(job)
    plain = (
        *(measure.value, measure.count, measure.holdings, measure.state),
        *(measure.lower, measure.upper, measure.sliding, measure.cost),
        *(measure.contributions or ()),
    )
    wanted = [*columns.values(), *(name for name in plain if name is not None)]
    return Table.from_cells(
        read_columns(job.folder / data.source, wanted),
        by={columns[name]: trees for name, trees in by.items()},
        value=measure.value,
        count=measure.count,
        contributions=measure.contributions,
        holdings=measure.holdings,
        state=measure.state,
        lower=measure.lower,
        upper=measure.upper,
        sliding=measure.sliding,
        cost=measure.cost,
        decimals=measure.decimals if "decimals" in measure.model_fields_set else None,
        decimal=data.decimal,
        tolerance=data.tolerance,
        missing_totals=data.missing_totals,
        possible=_possible_by_column(job, columns),
    )


def _possible_by_column(job: Job, columns: dict[str, str]) -> Any:  # noqa: ANN401
    possible = job.data.possible
    if not isinstance(possible, dict):
        return possible
    return {columns.get(name, name): codes for name, codes in possible.items()}


def _columns(job: Job) -> dict[str, str]:
    return {name: spec.column or name for name, spec in job.dimensions.items()}


def trees_of(job: Job, name: str, spec: DimensionSpec) -> str | tuple[Hierarchy, ...]:
    """The trees of a dimension, or the code of its total if it is flat."""
    if not spec.hierarchy:
        return spec.total
    return tuple(_tree(job, name, spec, given) for given in spec.hierarchy)


def _tree(
    job: Job,
    name: str,
    spec: DimensionSpec,
    given: str | DigitsHierarchy | ColumnsHierarchy,
) -> Hierarchy:
    if isinstance(given, str):
        return Hierarchy.read(job.folder / given, total=spec.total, lead=spec.lead)
    source = job.folder / job.data.source
    if isinstance(given, ColumnsHierarchy):
        rows = distinct_rows(source, given.columns, strip=job.data.strip_codes)
        return Hierarchy.from_columns(rows, given.columns, total=spec.total)
    column = spec.column or name
    rows = distinct_rows(source, (column,), strip=job.data.strip_codes)
    codes = [code for code in rows.column(column).to_pylist() if code]
    codes += [job.data.missing[name]] if name in job.data.missing else []
    return Hierarchy.from_digits(codes, given.digits, total=spec.total)


def _dressed(
    job: Job, name: str, spec: DimensionSpec, dimension: Dimension
) -> Dimension:
    """Give a dimension the name, labels and role that the job says."""
    labels = {} if spec.labels is None else _labels(job, name, spec.labels)
    trees = tuple(
        replace(tree, labels={**tree.labels, **_labels_in(tree, labels)})
        for tree in dimension.hierarchies
    )
    return replace(dimension, name=name, hierarchies=trees, sensitive=spec.sensitive)


def _labels_in(tree: Hierarchy, labels: dict[str, str]) -> dict[str, str]:
    return {code: label for code, label in labels.items() if code in tree}


def _labels(job: Job, name: str, named: str) -> dict[str, str]:
    path = job.folder / named
    rows = read_columns(path, ("code", "label")).to_pydict()
    labels = dict(zip(rows["code"], rows["label"], strict=True))
    if len(labels) < len(rows["code"]):
        message = f"dimensions.{name}.labels: '{named}' names a code twice."
        raise JobError(message)
    return labels
