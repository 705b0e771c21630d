# SPDX-License-Identifier: Apache-2.0
"""Noise on each contribution before it is added up (Evans, Zayatz and Slanta)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tacit.errors import InputError
from tacit.protect._perturbing import Changed, Key, secret
from tacit.protect._perturbing import Options as Common
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment
    from tacit.table import Contributions

__all__ = ["Ezs", "Options", "change"]


class Ezs(Common):
    """Multiply every contribution by its own factor, well away from 1, and add up.

    What is published is additive, and a unit has the same factor in every table. In
    cells of many units the noise averages out; in a sensitive cell it stays. With
    ``balanced`` the smaller units of an inner cell that is not sensitive pull it back
    to where it was.
    """

    least: Annotated[float, Field(gt=0, lt=100)] = Field(
        default=8.0, description="percent by which a contribution changes at least"
    )
    most: Annotated[float, Field(gt=0, lt=100)] = Field(
        default=12.0, description="percent by which a contribution changes at most"
    )
    balanced: bool = Field(
        default=False,
        description="whether units of cells that are not sensitive change direction to "
        "bring the cell back",
    )
    key: Key

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least > self.most:
            message = f"least ({self.least:g}) is above most ({self.most:g})"
            raise ValueError(message)
        return self


Options = Ezs


def change(assessment: Assessment, options: Ezs, clock: Clock) -> Changed:
    """Change the contributions, and add them up again."""
    table = assessment.table
    given = table.contributions
    if given is None or given.key is None:
        message = (
            "This noise changes single contributions, each by the key of its unit, and "
            "the table holds none with keys. Tabulate the microdata with unit= and "
            "secret=, or with record_key=."
        )
        raise InputError(message)
    _refuse_kept(assessment)
    clock.tell("perturb: noise on contributions")
    moved = _noise(assessment, options, given)
    noise = np.bincount(given.leaf, weights=moved, minlength=len(table))
    from tacit.protect._totals import inner_cells, summed_up  # noqa: PLC0415 - heavy

    matrix = table.relations.matrix
    shift = np.rint(np.where(inner_cells(matrix), noise, 0.0)).astype(np.int64)
    published = table.cells.value + summed_up(matrix, shift)
    cost = float(np.abs(shift).sum()) / 10**table.cells.decimals
    notes = {"kind": "ezs", "least": options.least, "most": options.most}
    return Changed(published, "estimates", cost=cost, notes=notes)


def _refuse_kept(assessment: Assessment) -> None:
    if (assessment.state == State.FROZEN).any():
        message = (
            "Some cells must keep their value, and noise on contributions changes "
            "every cell. Use method='multiplicative', which leaves them alone."
        )
        raise InputError(message)


def _noise(
    assessment: Assessment, options: Ezs, given: Contributions
) -> NDArray[np.float64]:
    """How much each contribution changes."""
    from tacit.protect.noise._draws import of_keys  # noqa: PLC0415 - with its hash

    key = _key_of_owner(given)
    share = of_keys(key, secret(options.key), b"share")
    share = (options.least + share * (options.most - options.least)) / 100
    up = of_keys(key, secret(options.key), b"direction") >= 0.5  # noqa: PLR2004 - a half
    # Of a weighted contribution only the observed part changes: x (m + w - 1).
    moved = given.value * share * np.where(up, 1.0, -1.0)
    if not options.balanced:
        return moved
    from tacit.protect.noise._kernels_balance import balance  # noqa: PLC0415 - numba

    order = np.lexsort((key, -np.abs(given.value), given.leaf))
    free = ~assessment.sensitive[given.leaf]
    balanced = np.empty_like(moved)
    balanced[order] = balance(given.leaf[order], moved[order], free[order])
    return balanced


def _key_of_owner(given: Contributions) -> NDArray[np.int64]:
    """The key of each unit; all units of a holding share one, so that none cancel."""
    key = np.zeros(0, dtype=np.int64) if given.key is None else given.key
    owner = given.unit if given.holding is None else given.holding
    most = np.zeros(int(owner.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(most, owner, key)
    found: NDArray[np.int64] = most[owner]
    return found
