# SPDX-License-Identifier: Apache-2.0
"""The base of rounding: as given, or as large as the sensitive cells ask for."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from tacit.errors import InputError, suggest
from tacit.protect._perturbing import Options

if TYPE_CHECKING:
    from tacit.rules import Assessment

__all__ = ["BaseRule", "Rounds", "base_of", "minimum_base"]

BaseRule = Literal["largest_cell", "largest_contribution", "levels"]
_RULES = ("largest_cell", "largest_contribution", "levels")


class Rounds(Options):
    """What every method of rounding can be told."""

    base: Annotated[float, Field(gt=0, allow_inf_nan=False)] | BaseRule = Field(
        description="the number of which every published number is a multiple, or how "
        "to choose it: largest_cell, largest_contribution or levels"
    )
    share: Annotated[float, Field(gt=0, le=100)] = Field(
        default=10.0,
        description="with base = largest_cell or largest_contribution: percent of "
        "that amount which the base must reach",
    )


def minimum_base(
    assessment: Assessment, rule: BaseRule = "levels", *, share: float = 10.0
) -> float:
    """Give the smallest base that the sensitive cells ask for, in published units.

    ``levels`` is the largest protection level; ``largest_cell`` is ``share`` percent
    of the largest sensitive cell, ``largest_contribution`` of the largest contribution
    to a sensitive cell. Confidential: it gives away what it is made of.

    >>> import tacit
    >>> cells = {"kind": ["all", "a", "b"], "n": [45, 5, 40], "x": [992, 92, 900],
    ...     "x1": [81, 81, 50], "x2": [50, 5, 50]}
    >>> table = tacit.Table.from_cells(cells, by={"kind": "all"},
    ...     value="x", count="n", contributions=["x1", "x2"])
    >>> round(minimum_base(tacit.assess(table, tacit.Dominance(n=2, k=85))), 6)
    9.176471
    """
    cells = np.flatnonzero(assessment.sensitive)
    if not len(cells):
        message = (
            f"base = '{rule}' asks the sensitive cells for a base, and no cell is "
            "sensitive. Give a number, such as base=5."
        )
        raise InputError(message)
    if rule == "levels":
        return float(np.maximum(assessment.upl, assessment.lpl)[cells].max())
    if rule == "largest_cell":
        amounts = np.abs(assessment.table.value_in_units[cells])
        return float(amounts.max() * share / 100)
    if rule != "largest_contribution":
        message = f"There is no rule '{rule}' for a base. {suggest(rule, _RULES)}"
        raise InputError(message)
    evidence = assessment.table.evidence
    if evidence is None or not evidence.largest.shape[1]:
        message = (
            "base = 'largest_contribution' needs the largest contributions of the "
            "cells, and the table came without. Name them with contributions= when "
            "the table is made, or choose the base by 'levels'."
        )
        raise InputError(message)
    scale = 10**assessment.table.cells.decimals
    largest = float(evidence.largest[cells, 0].max())
    return largest / float(scale) * share / 100


def base_of(assessment: Assessment, options: Rounds) -> int:
    """Give the base in scaled amounts; one that decimals cannot hold is refused.

    A chosen base is the next of 1, 2, 5, 10, 20 and so on: it is published, and must
    not give away the amount that asked for it.
    """
    decimals = assessment.table.cells.decimals
    if isinstance(options.base, str):
        least = minimum_base(assessment, options.base, share=options.share)
        return _next_round_number(least * 10**decimals)
    scaled = Fraction(str(options.base)) * 10**decimals
    if scaled.denominator != 1:
        held = "whole numbers" if decimals == 0 else f"amounts of {decimals} decimals"
        message = (
            f"base = {options.base:g} is finer than the values, which are {held}: no "
            "multiple of it could be published. Choose a coarser base, or declare "
            "more decimals when the table is made."
        )
        raise InputError(message)
    return int(scaled)


def _next_round_number(least: float) -> int:
    """Give the first of 1, 2, 5, 10, 20, 50 and so on that is large enough."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= least:
                return digit * power
        power *= 10
