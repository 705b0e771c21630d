# SPDX-License-Identifier: Apache-2.0
"""Discrete Gaussian noise: counts with a privacy budget (ε, δ)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from tacit.protect.noise._formal import Formal, noisy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect._perturbing import Changed
    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment

__all__ = ["Gaussian", "Options", "change", "discrete_gaussian", "rho_of"]

_FAR = 40


class Gaussian(Formal):
    """Add discrete Gaussian noise: the table spends (``epsilon``, ``delta``)."""

    delta: Annotated[float, Field(gt=0, lt=1)] = Field(
        description="the probability that the budget does not hold"
    )


Options = Gaussian


def change(assessment: Assessment, options: Gaussian, clock: Clock) -> Changed:
    """Add the noise."""
    clock.tell("perturb: discrete Gaussian noise")
    rho = rho_of(options.epsilon, options.delta)

    def noise(draw: NDArray[np.float64], shares: int) -> NDArray[np.int64]:
        return discrete_gaussian(draw, float(np.sqrt(shares / (2 * rho))))

    notes = {"distribution": "gaussian", "delta": options.delta, "rho": rho}
    return noisy(assessment, options, noise, notes)


def rho_of(epsilon: float, delta: float) -> float:
    """Concentrated budget r that implies (ε, δ), by ε = r + 2 sqrt(r log(1/δ)).

    >>> rho = rho_of(1.0, 1e-6)
    >>> round(rho + 2 * (rho * 13.815510557964274) ** 0.5, 9)
    1.0
    """
    far = np.log(1 / delta)
    return float((np.sqrt(far + epsilon) - np.sqrt(far)) ** 2)


def discrete_gaussian(draw: NDArray[np.float64], sigma: float) -> NDArray[np.int64]:
    """Turn uniform numbers in [0, 1) into noise k with probability ~ exp(-k²/2s²).

    >>> discrete_gaussian(np.array([0.1, 0.5, 0.9]), 2.0).tolist()
    [-3, 0, 3]
    """
    reach = int(np.ceil(_FAR * sigma)) + 1
    k = np.arange(reach + 1)
    weight = np.exp(-(k**2) / (2 * sigma**2))
    # From the tail inwards, so that small probabilities keep their digits.
    tail = np.cumsum(weight[::-1])[::-1] / (2 * weight.sum() - weight[0])
    near = np.minimum(draw, 1 - draw)
    near = np.maximum(near, 2.0**-54)
    size = len(tail) - 1 - np.searchsorted(tail[::-1], near)
    size = np.maximum(size, 0)
    return np.where(draw < 0.5, -size, size)  # noqa: PLR2004 - the middle
