# SPDX-License-Identifier: Apache-2.0
"""Whether order and slope survive, and whether lines differ as samples do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tacit.measure._registry import register

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.measure._pair import Lines, Pair
    from tacit.measure._subject import Subject

__all__ = ["mann_whitney", "signed_rank"]

_LEVEL = 0.05
_DIFFERS = r"\tfrac{100}{L} \sum_\ell 1[p_\ell < 0.05]"
_PERCENT = (0.0, 100.0)


@register(
    better="higher",
    range=(-1.0, 1.0),
    formula=r"\mathrm{corr}(\mathrm{rank}\,T, \mathrm{rank}\,T')",
)
def spearman(subject: Subject) -> float:
    """Rank correlation of original and released values after Spearman."""
    pair = subject.pair
    return _correlation(_ranks(pair.original), _ranks(pair.released))


@register(
    better="higher",
    range=(-1.0, 1.0),
    formula=r"\tau_b = (P - Q)/\sqrt{(P+Q+X)(P+Q+Y)}",
)
def kendall(subject: Subject) -> float:
    """Rank correlation of original and released values after Kendall, tau-b."""
    from scipy.stats import kendalltau  # noqa: PLC0415 - heavy

    pair = subject.pair
    if np.array_equal(pair.original, pair.released):
        return 1.0
    if _flat(pair.original) or _flat(pair.released):
        return math.nan
    tau = float(kendalltau(pair.original, pair.released).statistic)
    return max(-1.0, min(1.0, tau))


@register(
    better="zero",
    range=(-math.inf, math.inf),
    formula=r"100\,(b - 1),\ b = \mathrm{cov}(T, T') / \mathrm{var}(T)",
)
def regression_slope(subject: Subject) -> float:
    """How far the slope of released on original values is from 1, in percent."""
    pair = subject.pair
    off = pair.original - pair.original.mean()
    spread = float((off**2).sum())
    if spread == 0:
        return 0.0 if not pair.change.any() else math.nan
    # The slope of T' is 1 plus the slope of the change, which loses no digits.
    return 100 * float((off * pair.change).sum()) / spread


@register(range=_PERCENT, formula=_DIFFERS)
def mann_whitney_rows(subject: Subject) -> float:
    """Rows in which the Mann-Whitney test tells released from original, in percent."""
    return _differing(mann_whitney(subject.pair, subject.pair.rows))


@register(range=_PERCENT, formula=_DIFFERS)
def mann_whitney_columns(subject: Subject) -> float:
    """Columns in which the Mann-Whitney test tells the two apart, in percent."""
    return _differing(mann_whitney(subject.pair, subject.pair.columns))


@register(range=_PERCENT, formula=_DIFFERS)
def signed_rank_rows(subject: Subject) -> float:
    """Rows in which the signed-rank test finds a shift, in percent."""
    return _differing(signed_rank(subject.pair, subject.pair.rows))


@register(range=_PERCENT, formula=_DIFFERS)
def signed_rank_columns(subject: Subject) -> float:
    """Columns in which the signed-rank test finds a shift, in percent."""
    return _differing(signed_rank(subject.pair, subject.pair.columns))


def mann_whitney(pair: Pair, lines: Lines) -> NDArray[np.float64]:
    """Two-sided p of each line, released against original; normal, ties corrected."""
    values = np.concatenate([pair.original, pair.released])
    line = np.concatenate([lines.of, lines.of])
    rank, ties = _ranks_within(values, line, len(lines))
    n = lines.counts.astype(np.float64)
    upper = np.bincount(lines.of, weights=rank[: len(pair)], minlength=len(lines))
    off = upper - n * (n + 1) / 2 - n * n / 2
    both = np.maximum(2 * n, 2)
    spread = n * n / 12 * ((both + 1) - ties / (both * (both - 1)))
    return _two_sided(off, spread)


def signed_rank(pair: Pair, lines: Lines) -> NDArray[np.float64]:
    """Two-sided p of each line after Wilcoxon; no change at all counts for nothing."""
    moved = np.flatnonzero(pair.change)
    change, line = pair.change[moved], lines.of[moved]
    rank, ties = _ranks_within(np.abs(change), line, len(lines))
    n = np.bincount(line, minlength=len(lines)).astype(np.float64)
    up = np.bincount(line, weights=rank * (change > 0), minlength=len(lines))
    spread = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    return _two_sided(up - n * (n + 1) / 4, spread)


def _ranks_within(
    values: NDArray[np.float64], line: NDArray[np.int64], lines: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean rank of each value within its line, and the sum of t³ - t of its ties."""
    order = np.argsort(values, kind="stable")
    order = order[np.argsort(_narrow(line[order], lines), kind="stable")]
    placed, within = values[order], line[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (placed[1:] != placed[:-1]) | (within[1:] != within[:-1])
    start = np.flatnonzero(new)
    size = np.diff(start, append=len(order)).astype(np.float64)
    first = np.zeros(lines + 1, dtype=np.int64)
    np.cumsum(np.bincount(line, minlength=lines), out=first[1:])
    mean = start - first[within[start]] + (size + 1) / 2
    rank = np.empty(len(order))
    rank[order] = np.repeat(mean, size.astype(np.int64))
    ties = np.bincount(within[start], weights=size**3 - size, minlength=lines)
    return rank, ties.astype(np.float64, copy=False)


def _narrow(line: NDArray[np.int64], lines: int) -> NDArray[np.integer]:
    """Small numbers sort in linear time."""
    fits = lines <= np.iinfo(np.uint16).max
    return line.astype(np.uint16) if fits else line


def _two_sided(
    off: NDArray[np.float64], spread: NDArray[np.float64]
) -> NDArray[np.float64]:
    from scipy.special import erfc  # noqa: PLC0415 - heavy

    some = spread > 0
    z = np.zeros(len(off))
    z[some] = np.abs(off[some]) / np.sqrt(spread[some])
    p: NDArray[np.float64] = erfc(z / math.sqrt(2))
    return p


def _differing(p: NDArray[np.float64]) -> float:
    return 100 * float((p < _LEVEL).mean())


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return _ranks_within(values, np.zeros(len(values), dtype=np.int64), 1)[0]


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    if np.array_equal(x, y):
        return 1.0
    x, y = x - x.mean(), y - y.mean()
    norm = math.sqrt(float((x * x).sum()) * float((y * y).sum()))
    return max(-1.0, min(1.0, float((x * y).sum()) / norm)) if norm else math.nan


def _flat(values: NDArray[np.float64]) -> bool:
    return bool((values == values[0]).all())
