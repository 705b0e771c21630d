# SPDX-License-Identifier: Apache-2.0
"""Noise with a stated privacy budget: what is common to its distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from tacit.errors import InputError
from tacit.protect._perturbing import Changed, Key, secret
from tacit.protect._perturbing import Options as Common
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tacit.rules import Assessment
    from tacit.table import Table

__all__ = ["Formal", "noisy", "tables_a_record_is_in"]


class Formal(Common):
    """What noise with a budget is told."""

    epsilon: Annotated[float, Field(gt=0, allow_inf_nan=False)] = Field(
        description="the budget of the whole table: how much one record may change the "
        "probability of any result"
    )
    where: Literal["every", "inner"] = Field(
        default="every",
        description="noise in every cell, with a share of the budget for each "
        "combination of levels; or in inner cells, of which totals are sums",
    )
    negative: bool = Field(
        default=False, description="whether noisy counts below 0 stay as they are"
    )
    key: Key


def noisy(
    assessment: Assessment,
    options: Formal,
    noise: Callable[[NDArray[np.float64], int], NDArray[np.int64]],
    notes: dict[str, Any],
) -> Changed:
    """Add noise that is drawn by the codes of each cell, never by its records."""
    from tacit.protect._keyed import uniform_of_cells  # noqa: PLC0415 - with its hash
    from tacit.protect._totals import (  # noqa: PLC0415
        inner_cells,
        require_one_table,
        summed_up,
    )

    table = assessment.table
    _check(assessment)
    if options.where == "inner":
        require_one_table(table, "where='inner'")
    shares = 1 if options.where == "inner" else tables_a_record_is_in(table)
    draw = uniform_of_cells(
        table, np.arange(len(table)), secret(options.key), b"budget"
    )
    unit = 10**table.cells.decimals
    published = table.cells.value + noise(draw, shares) * unit
    if not options.negative:
        published = np.maximum(published, 0)
    published[assessment.state == State.EMPTY] = 0
    if options.where == "inner":
        matrix = table.relations.matrix
        published[~inner_cells(matrix)] = 0
        published = summed_up(matrix, published)
    cost = float(np.abs(published - table.cells.value).sum()) / unit
    budget = {"epsilon": options.epsilon, "combinations": shares}
    return Changed(published, "budget", cost=cost, notes=budget | notes)


def _check(assessment: Assessment) -> None:
    if not assessment.table.is_count:
        message = (
            "A privacy budget needs to know how much one record can change a number: "
            "1 for counts, without a limit for amounts. Use it on a table of counts."
        )
        raise InputError(message)
    evidence = assessment.table.evidence
    if evidence is not None and evidence.sum_of_weights is not None:
        message = (
            "With sampling weights one record changes a count by its weight, which no "
            "budget was stated for. Tabulate without weights."
        )
        raise InputError(message)
    if (assessment.state == State.FROZEN).any():
        message = (
            "Some cells must keep their true value, which no privacy budget allows. "
            "Let them change, or use noise by cell key."
        )
        raise InputError(message)


def tables_a_record_is_in(table: Table) -> int:
    """How many cells one record is part of: one for each combination of levels.

    >>> import tacit
    >>> table = tacit.Table.from_cells(
    ...     {"a": ["x", "y"], "b": ["p", "p"], "n": [2, 3]},
    ...     by={"a": "T", "b": "T"}, count="n")
    >>> tables_a_record_is_in(table)
    4
    """
    return int(np.prod([len(axis.rollups) for axis in table.dimensions]))
