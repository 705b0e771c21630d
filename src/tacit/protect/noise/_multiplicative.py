# SPDX-License-Identifier: Apache-2.0
"""Noise on the largest contribution to each cell, more of it in sensitive cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from tacit.errors import InputError
from tacit.protect._perturbing import Changed, Key, secret
from tacit.protect._perturbing import Options as Common
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment

__all__ = ["Multiplicative", "Options", "change"]


class Multiplicative(Common):
    """Multiply the largest contribution to each cell by 1 plus or minus noise.

    In a sensitive cell the noise is at least twice ``p`` percent, so the second
    contributor cannot estimate the first one to ``p`` percent. With record keys the
    same records get the same noise in every table.
    """

    p: Annotated[float, Field(gt=0, lt=50)] = Field(
        description="percent to which nobody shall be able to estimate another"
    )
    sigma: Annotated[float, Field(ge=0, lt=50)] = Field(
        default=2.0, description="percent: standard deviation of the noise everywhere"
    )
    key: Key
    restore: Literal["nothing", "additive"] = Field(
        default="nothing",
        description="whether cells that are not sensitive give way until totals add up",
    )


Options = Multiplicative


def change(assessment: Assessment, options: Multiplicative, clock: Clock) -> Changed:
    """Add noise to each cell in proportion to its largest contribution."""
    table = assessment.table
    evidence = table.evidence
    if evidence is None or not evidence.largest.shape[1]:
        message = (
            "This noise is a share of the largest contribution to each cell, and the "
            "table knows none. Tabulate the microdata, or name a column with "
            "contributions=."
        )
        raise InputError(message)
    clock.tell("perturb: noise on the largest contribution")
    largest = evidence.largest[:, 0].astype(np.float64)
    share = _shares(assessment, options)
    # Outwards, so that whole numbers are no closer than was asked for.
    size = np.ceil(largest * share)
    value = table.cells.value.astype(np.float64)
    noisy = value + _signs(assessment, options, size) * size
    stays = np.isin(assessment.state, (State.FROZEN, State.EMPTY))
    noisy[stays] = value[stays]
    published = noisy.astype(np.int64)
    if options.restore == "additive":
        from tacit.protect._totals import require_one_table  # noqa: PLC0415
        from tacit.protect.noise._restore import additive  # noqa: PLC0415 - heavy

        require_one_table(table, "restore='additive'")
        _refuse_frozen_totals(assessment)
        held = assessment.sensitive | stays
        published = additive(table, noisy, np.where(held, 0.0, np.maximum(size, 1.0)))
    cost = float(np.abs(published - table.cells.value).sum()) / 10**table.cells.decimals
    notes = {"kind": "multiplicative", "p": options.p}
    return Changed(published, "estimates", cost=cost, notes=notes)


def _refuse_frozen_totals(assessment: Assessment) -> None:
    from tacit.protect._totals import inner_cells  # noqa: PLC0415 - heavy

    total = ~inner_cells(assessment.table.relations.matrix)
    if (total & (assessment.state == State.FROZEN)).any():
        message = (
            "Some totals must keep their value, and restore='additive' sums every "
            "total from its parts. Use restore='nothing', which leaves them alone."
        )
        raise InputError(message)


def _shares(assessment: Assessment, options: Multiplicative) -> NDArray[np.float64]:
    """Share of the largest contribution that is added or taken away."""
    from scipy.special import ndtri  # noqa: PLC0415 - heavy, only where needed

    from tacit.protect.noise._draws import of_cells  # noqa: PLC0415 - with its hash

    draw = of_cells(assessment.table, secret(options.key), b"size")
    normal = np.abs(ndtri((draw + 2.0**-54) / (1 + 2.0**-53)))
    least = np.where(assessment.sensitive, 2 * options.p / 100, 0.0)
    shares: NDArray[np.float64] = least + normal * options.sigma / 100
    return shares


def _signs(
    assessment: Assessment, options: Multiplicative, size: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Up or down at random; up where down would pass zero."""
    from tacit.protect.noise._draws import of_cells  # noqa: PLC0415 - with its hash

    table = assessment.table
    sign = np.where(
        of_cells(table, secret(options.key), b"sign") < 0.5,  # noqa: PLR2004 - a half
        -1.0,
        1.0,
    )
    value = table.cells.value
    crosses = (value >= 0) & (value + sign * size < 0)
    crosses |= (value < 0) & (value + sign * size > 0)
    return np.where(crosses, -sign, sign)
