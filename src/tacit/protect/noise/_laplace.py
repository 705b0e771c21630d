# SPDX-License-Identifier: Apache-2.0
"""Discrete Laplace noise: counts with a privacy budget ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.protect.noise._formal import Formal, noisy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect._perturbing import Changed
    from tacit.protect.suppress._progress import Clock
    from tacit.rules import Assessment

__all__ = ["Laplace", "Options", "change", "discrete_laplace"]


class Laplace(Formal):
    """Add discrete Laplace noise to counts: the whole table spends ``epsilon``."""


Options = Laplace


def change(assessment: Assessment, options: Laplace, clock: Clock) -> Changed:
    """Add the noise."""
    clock.tell("perturb: discrete Laplace noise")

    def noise(draw: NDArray[np.float64], shares: int) -> NDArray[np.int64]:
        return discrete_laplace(draw, options.epsilon / shares)

    return noisy(assessment, options, noise, {"distribution": "laplace"})


def discrete_laplace(draw: NDArray[np.float64], epsilon: float) -> NDArray[np.int64]:
    """Turn uniform numbers in [0, 1) into noise k with probability ~ exp(-ε |k|).

    >>> discrete_laplace(np.array([0.1, 0.5, 0.9]), 1.5).tolist()
    [-1, 0, 1]
    """
    ratio = np.exp(-epsilon)
    # P(K <= k) is ratio**(-k) / (1 + ratio) below 0, and mirrored above.
    near = np.minimum(draw, 1 - draw)
    near = np.maximum(near, 2.0**-54)
    far = np.ceil(np.log(near * (1 + ratio)) / epsilon)
    size = np.maximum(-far, 0).astype(np.int64)
    noise: NDArray[np.int64] = np.where(draw < 0.5, -size, size)  # noqa: PLR2004
    return noise
