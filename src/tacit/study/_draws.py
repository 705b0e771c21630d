# SPDX-License-Identifier: Apache-2.0
"""Cells drawn at random, and the parameter from which each is sensitive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError, suggest

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DISTRIBUTIONS", "FAMILIES", "Family", "draw"]

Draw = Callable[[np.random.Generator, tuple[int, int]], "NDArray[np.float64]"]

DISTRIBUTIONS: dict[str, Draw] = {
    "exponential": lambda rng, size: rng.exponential(1.0, size),
    # Draws below zero are no contributions: they are drawn again, by their size.
    "normal": lambda rng, size: np.abs(rng.normal(100.0, 50.0, size)),
    "uniform": lambda rng, size: rng.uniform(0.0, 1.0, size),
    "lognormal": lambda rng, size: rng.lognormal(0.0, 1.5, size),
}


def draw(
    distribution: str | Draw, cells: int, contributors: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw cells, one a row, each with its contributions from the largest down.

    >>> x = draw("exponential", 2, 3, np.random.default_rng(0))
    >>> bool((x[:, 0] >= x[:, 1]).all())
    True
    """
    if isinstance(distribution, str):
        if distribution not in DISTRIBUTIONS:
            message = (
                f"There is no distribution '{distribution}'. "
                f"{suggest(distribution, DISTRIBUTIONS)}"
            )
            raise InputError(message)
        distribution = DISTRIBUTIONS[distribution]
    drawn = distribution(rng, (cells, contributors))
    if (drawn < 0).any():
        message = (
            "The distribution gave contributions below zero, and these rules need "
            "amounts of at least 0. Take absolute values, or another distribution."
        )
        raise InputError(message)
    return -np.sort(-drawn, axis=1)


@dataclass(frozen=True)
class Family:
    """A rule with one parameter: cells are sensitive from a limit of their own on.

    ``limit(x)`` gives for each cell (contributions from the largest down) where that
    limit lies, in percent. With ``rising`` a cell is sensitive to all parameters
    above it, otherwise to all below. ``weights(m, n)`` are those of the ordered
    contributions where the rule is linear.
    """

    name: str
    letter: str
    rising: bool
    limit: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    weights: Callable[[float, int], list[float]] | None = None

    def sensitive(
        self, x: NDArray[np.float64], parameters: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Tell for each cell (rows) and parameter (columns) whether it is sensitive.

        >>> cells = np.array([[59.0, 40.0, 1.0]])
        >>> FAMILIES["p_percent"].sensitive(cells, np.array([1.0, 2.0])).tolist()
        [[False, True]]
        """
        limit = self.limit(x)[:, None]
        found: NDArray[np.bool_] = (
            parameters[None, :] > limit if self.rising else parameters[None, :] < limit
        )
        return found

    def counts(
        self, x: NDArray[np.float64], parameters: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """How many cells each parameter makes sensitive."""
        limits = np.sort(self.limit(x))
        if self.rising:
            return np.searchsorted(limits, parameters, side="left").astype(np.int64)
        above = len(limits) - np.searchsorted(limits, parameters, side="right")
        return above.astype(np.int64)

    def for_share(self, x: NDArray[np.float64], share: float) -> float:
        """The parameter that makes this share of the cells sensitive."""
        limits = self.limit(x)
        return float(np.quantile(limits, share if self.rising else 1 - share))


def _p_limit(x: NDArray[np.float64]) -> NDArray[np.float64]:
    limit: NDArray[np.float64] = 100 * x[:, 2:].sum(axis=1) / x[:, 0]
    return limit


def _k_limit(x: NDArray[np.float64]) -> NDArray[np.float64]:
    limit: NDArray[np.float64] = 100 * x[:, 0] / x.sum(axis=1)
    return limit


def _two_k_limit(x: NDArray[np.float64]) -> NDArray[np.float64]:
    limit: NDArray[np.float64] = 100 * x[:, :2].sum(axis=1) / x.sum(axis=1)
    return limit


def _s_limit(x: NDArray[np.float64]) -> NDArray[np.float64]:
    total, others = x.sum(axis=1), x.shape[1] - 2
    width = np.minimum(others * x[:, 1], total - 2 * x[:, 1])
    limit: NDArray[np.float64] = 100 * np.maximum(width, 0.0) / total
    return limit


def _p_weights(p: float, n: int) -> list[float]:
    return [p / 100, 0.0, *[-1.0] * (n - 2)]


def _k_weights(k: float, n: int) -> list[float]:
    return [1 - k / 100, *[-k / 100] * (n - 1)]


def _two_k_weights(k: float, n: int) -> list[float]:
    return [1 - k / 100] * 2 + [-k / 100] * (n - 2)


# A new rule to study is one line: how it is called, and where a cell becomes sensitive.
FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("p_percent", "p", rising=True, limit=_p_limit, weights=_p_weights),
        Family("statisticon", "s", rising=True, limit=_s_limit),
        Family("dominance_1", "k", rising=False, limit=_k_limit, weights=_k_weights),
        Family(
            "dominance_2",
            "k",
            rising=False,
            limit=_two_k_limit,
            weights=_two_k_weights,
        ),
    )
}
