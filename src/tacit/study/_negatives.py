# SPDX-License-Identifier: Apache-2.0
"""Contributions of both signs: what ratios of dispersion see, and rules do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.rules._dispersion_measures import Spread
from tacit.rules._every import Every
from tacit.study._charts import Line, line_chart
from tacit.study._result import Study

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["negatives_study"]

_ASIDE = 6
_LIMIT, _SMALL = 0.05, 0.05
_P, _K1, _K2 = 10.0, 50.0, 90.0
# Contributions of the example of the literature: 21 of them, of both signs.
_BELOW = (-19302, -18599, -1409, -582, -485, -463, -11, -3, -3)
_EXAMPLE = (*_BELOW, 0, 0, 0, 1, 6, 11, 11, 32, 236, 391, 715, 1356)

_BASES: dict[str, Callable[[np.random.Generator, tuple[int, int]], Any]] = {
    "U": lambda rng, size: rng.uniform(0.0, 10.0, size),
    # The spread is the standard deviation: as a variance no value would be negative.
    "N": lambda rng, size: rng.normal(1000.0, 1000.0, size),
}


def negatives_study(
    *, repetitions: int = 400, contributions: int = 1000, seed: int = 2000
) -> Study:
    """Repeat the six cases of the literature, and try rules on any mix of signs.

    Cases 1 to 3 have no extreme contribution, one that is half of the total, and two
    that are nine tenths of it; U from uniform, N from normal contributions.
    """
    rng = np.random.default_rng(seed)
    rows: dict[str, list[Any]] = {"case": []}
    rows |= {f"S_h{h}": [] for h in range(_ASIDE)}
    rows |= {f"Q_h{h}": [] for h in range(_ASIDE)}
    for base in _BASES:
        for extremes in range(3):
            y = _case(rng, base, extremes, (repetitions, contributions))
            variance, quantile = _mean_ratios(y)
            rows["case"].append(f"{base}{extremes + 1}")
            for h in range(_ASIDE):
                rows[f"S_h{h}"].append(variance[h])
                rows[f"Q_h{h}"].append(quantile[h])
    harness = _harness(np.random.default_rng([seed, 1]), repetitions)
    return Study(
        name="negatives",
        title="Contributions of both signs",
        findings=(*_said(rows), *_said_of_example()),
        tables={"cases": rows, "example": _example(), "harness": harness},
        figures={"variance-ratio": _figure(rows)},
        seed=seed,
    )


def _case(
    rng: np.random.Generator, base: str, extremes: int, size: tuple[int, int]
) -> NDArray[np.float64]:
    """Draw cells; the extremes are solved from what the others add up to."""
    repetitions, n = size
    y = np.asarray(_BASES[base](rng, (repetitions, n)), dtype=np.float64)
    rest = y[:, extremes:].sum(axis=1)
    if extremes == 1:
        y[:, 0] = rest
    elif extremes == 2:  # noqa: PLR2004 - five and four tenths of the total
        y[:, 0], y[:, 1] = 5 * rest, 4 * rest
    return y


def _every(y: NDArray[np.float64]) -> Every:
    repetitions, n = y.shape
    ranked = np.take_along_axis(y, np.argsort(-np.abs(y), axis=1), axis=1)
    return Every(np.arange(repetitions + 1) * n, ranked.ravel())


def _mean_ratios(y: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    spread = Spread.of(_every(y))
    variance, quantile = [1.0], [1.0]
    for h in range(1, _ASIDE):
        ratios = spread.ratios(h)
        variance.append(float(ratios.variance.mean()))
        quantile.append(float(ratios.quantile.mean()))
    return variance, quantile


def _said(rows: dict[str, list[Any]]) -> list[str]:
    found = []
    for k, case in enumerate(rows["case"]):
        first = next(
            (h for h in range(1, _ASIDE) if rows[f"S_h{h}"][k] <= _LIMIT), None
        )
        told = f"from h = {first} on" if first else "for no h up to 5"
        found.append(f"{case}: the variance ratio is at most {_LIMIT:g} {told}.")
    return found


def _example() -> dict[str, list[Any]]:
    y = np.array([_EXAMPLE], dtype=np.float64)
    variance, quantile = _mean_ratios(y)
    return {
        "h": list(range(_ASIDE)),
        "S": variance,
        "Q": quantile,
        "safe": [min(pair) > _LIMIT for pair in zip(variance, quantile, strict=True)],
    }


def _said_of_example() -> list[str]:
    y = np.array(_EXAMPLE, dtype=np.float64)
    size, shifted = np.sort(np.abs(y))[::-1], np.sort(y - y.min() + 1)[::-1]
    up, down = y[y > 0].sum(), -y[y < 0].sum()
    ratio = min(up, down) / max(up, down)
    plain, moved = (100 * z[:2].sum() / z.sum() for z in (size, shifted))
    hidden = (
        f"The example of 21 contributions: the T-ratio is {ratio:.4f}; of absolute "
        f"values the two largest are {plain:.1f} % of the cell, after a shift "
        f"{moved:.1f} %: a shift hides dominance."
    )
    seen = (
        "With two set aside both ratios fall below 0.05: the cell is unsafe, while no "
        "rule on shifted values sees anything."
    )
    return [hidden, seen]


def _harness(rng: np.random.Generator, repetitions: int) -> dict[str, list[Any]]:
    """Share of unsafe cells by rule, distribution, number and share of negatives."""
    rows: dict[str, list[Any]] = {
        name: []
        for name in (
            "distribution",
            "contributors",
            "negative_share",
            "p_percent_10",
            "dominance_1_50",
            "dominance_2_90",
            "dispersion",
            "net_near_zero",
        )
    }
    for name in ("exponential", "lognormal"):
        for n in (5, 10, 50):
            for share in (0.0, 0.1, 0.25, 0.5):
                size = _sizes(rng, name, (repetitions, n))
                sign = np.where(rng.random(size.shape) < share, -1.0, 1.0)
                judged = _judged(size * sign)
                values = (name, n, share, *judged)
                for column, value in zip(rows.values(), values, strict=True):
                    column.append(value)
    return rows


def _sizes(
    rng: np.random.Generator, name: str, shape: tuple[int, int]
) -> NDArray[np.float64]:
    if name == "exponential":
        return rng.exponential(1.0, shape)
    return rng.lognormal(0.0, 1.5, shape)


def _judged(y: NDArray[np.float64]) -> tuple[float, ...]:
    """Share of cells that each rule calls unsafe; the first three on sizes alone."""
    x = -np.sort(-np.abs(y), axis=1)
    total = x.sum(axis=1)
    spread = Spread.of(_every(y))
    low = np.ones(len(y), dtype=bool)
    for h in (1, 2):
        ratios = spread.ratios(h)
        low &= (ratios.variance > _LIMIT) & (ratios.quantile > _LIMIT)
    up = np.where(y > 0, y, 0).sum(axis=1)
    down = -np.where(y < 0, y, 0).sum(axis=1)
    mixed = np.minimum(up, down) > _SMALL * np.maximum(up, down)
    marks = (
        x[:, 2:].sum(axis=1) < _P / 100 * x[:, 0],
        x[:, 0] > _K1 / 100 * total,
        x[:, :2].sum(axis=1) > _K2 / 100 * total,
        mixed & ~low,
        np.abs(y.sum(axis=1)) < _SMALL * total,
    )
    return tuple(float(mark.mean()) for mark in marks)


def _figure(rows: dict[str, list[Any]]) -> str:
    steps = list(range(_ASIDE))
    lines = [
        Line(case, steps, [rows[f"S_h{h}"][k] for h in steps])
        for k, case in enumerate(rows["case"])
    ]
    return line_chart(
        lines,
        names=("contributions set aside", "variance ratio"),
        title="Variance that is left when extremes are set aside",
        description="Mean variance ratio by the number of contributions set aside.",
    )
