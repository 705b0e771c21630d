# SPDX-License-Identifier: Apache-2.0
"""Rules compared by simulation, beside what is exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError, suggest
from tacit.study._agreement import agreement, typical
from tacit.study._charts import Line, line_chart, shade_map
from tacit.study._draws import FAMILIES, draw
from tacit.study._exact import calibrated, sensitive_share
from tacit.study._result import Rows, Study

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tacit.study._draws import Draw, Family

__all__ = ["rules_study"]

_NUMBERS = tuple(range(3, 21))
_PARAMETERS = np.arange(1.0, 101.0)
_LARGE = 200_000
_PLOTTED = (3, 4, 6, 10)


@dataclass(frozen=True)
class _Setting:
    """What is simulated."""

    families: tuple[Family, ...]
    distribution: str | Draw
    datasets: int
    cells: int
    contributors: int
    share: float
    seed: int

    @property
    def exponential(self) -> bool:
        """Whether the closed forms hold."""
        return self.distribution == "exponential"


def rules_study(
    rules: Sequence[str] = ("p_percent", "statisticon", "dominance_2"),
    *,
    distribution: str | Draw = "exponential",
    datasets: int = 1000,
    cells: int = 1000,
    contributors: int = 4,
    share: float = 0.2,
    seed: int = 20100,
) -> Study:
    """Compare rules of one parameter over cells drawn at random.

    How many cells each calls sensitive, by the parameter and by the number of
    contributors; the parameters at which all call the same share sensitive; at those,
    where two rules agree, and how the cells look on which they do not.

    Args:
        rules: Names of rules: see ``tacit.study.FAMILIES``.
        distribution: ``exponential``, ``normal``, ``uniform``, ``lognormal``, or a
            function of a generator and a shape.
        datasets: How often cells are drawn for the agreement of two rules.
        cells: Cells in a data set.
        contributors: Contributors of a cell, where the number is not varied.
        share: The share of sensitive cells to which the rules are calibrated.
        seed: The same seed gives the same numbers.
    """
    unknown = [name for name in rules if name not in FAMILIES]
    if unknown:
        message = f"There is no rule '{unknown[0]}'. {suggest(unknown[0], FAMILIES)}"
        raise InputError(message)
    families = tuple(FAMILIES[name] for name in rules)
    setting = _Setting(
        families, distribution, datasets, cells, contributors, share, seed
    )
    counts = _counts(setting)
    calibration, parameters = _calibration(setting)
    pairs, cases, said = _pairs(setting, parameters)
    return Study(
        name="rules",
        title="Rules of sensitivity compared on cells drawn at random",
        findings=(*_calibrated_said(setting, parameters), *said),
        tables={
            "sensitive": _long(setting, counts),
            "calibration": calibration,
            "agreement": pairs,
            "typical": cases,
        },
        figures=_figures(setting, counts),
        seed=seed,
    )


def sensitivity_counts(
    families: Sequence[Family],
    distribution: str | Draw,
    numbers: Sequence[int],
    parameters: NDArray[np.float64],
    *,
    cells: int,
    seed: int,
) -> NDArray[np.int64]:
    """Count sensitive cells: families by numbers of contributors by parameters.

    Every family judges the same cells.
    """
    found = np.zeros((len(families), len(numbers), len(parameters)), dtype=np.int64)
    for row, number in enumerate(numbers):
        rng = np.random.default_rng([seed, number])
        x = draw(distribution, cells, number, rng)
        for k, family in enumerate(families):
            found[k, row] = family.counts(x, parameters)
    return found


def _counts(setting: _Setting) -> NDArray[np.int64]:
    return sensitivity_counts(
        setting.families,
        setting.distribution,
        _NUMBERS,
        _PARAMETERS,
        cells=setting.cells,
        seed=setting.seed,
    )


def _exactly(family: Family, number: int) -> list[float]:
    if family.weights is None:
        return []
    return [sensitive_share(family.weights(float(m), number)) for m in _PARAMETERS]


def _long(setting: _Setting, counts: NDArray[np.int64]) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {
        name: []
        for name in ("rule", "contributors", "parameter", "share", "exact_share")
    }
    for k, family in enumerate(setting.families):
        for row, number in enumerate(_NUMBERS):
            exact: list[Any] = _exactly(family, number) if setting.exponential else []
            rows["rule"] += [family.name] * len(_PARAMETERS)
            rows["contributors"] += [number] * len(_PARAMETERS)
            rows["parameter"] += [int(m) for m in _PARAMETERS]
            rows["share"] += (counts[k, row] / setting.cells).tolist()
            rows["exact_share"] += exact or [""] * len(_PARAMETERS)
    return rows


def _calibration(
    setting: _Setting,
) -> tuple[dict[str, list[Any]], dict[str, float]]:
    """Parameters for the target share: exact where there is a formula."""
    rng = np.random.default_rng([setting.seed, 0])
    x = draw(setting.distribution, _LARGE, setting.contributors, rng)
    rows: dict[str, list[Any]] = {
        name: [] for name in ("rule", "parameter", "value", "how")
    }
    chosen = {}
    for family in setting.families:
        exact = setting.exponential and family.weights is not None
        value = (
            calibrated(family, setting.contributors, setting.share)
            if exact
            else family.for_share(x, setting.share)
        )
        chosen[family.name] = value
        how = "exact" if exact else f"{_LARGE:,} cells"
        rows["rule"].append(family.name)
        rows["parameter"].append(family.letter)
        rows["value"].append(value)
        rows["how"].append(how)
    return rows, chosen


def _calibrated_said(setting: _Setting, parameters: dict[str, float]) -> list[str]:
    told = ", ".join(f"{name} {value:.2f}" for name, value in parameters.items())
    said = (
        f"With {setting.contributors} contributors, {100 * setting.share:g} % of the "
        f"cells are sensitive at: {told}."
    )
    return [said]


def _pairs(
    setting: _Setting, parameters: dict[str, float]
) -> tuple[dict[str, list[Any]], dict[str, list[Any]], list[str]]:
    rng = np.random.default_rng([setting.seed, 1])
    size = setting.datasets * setting.cells
    x = draw(setting.distribution, size, setting.contributors, rng)
    marks = {
        family.name: family.sensitive(x, np.array([parameters[family.name]]))[:, 0]
        for family in setting.families
    }
    pairs = Rows("first", "second", "kappa", "kappa_sd", "label")
    pairs.more("both", "only_first", "only_second", "neither")
    cases = Rows("set", "cells", "shares", "mean_sd", "mean_lead")
    said = []
    for one, other in combinations(marks, 2):
        a, b = marks[one], marks[other]
        whole = agreement(a, b)
        mean, spread = _kappas(setting, a, b)
        counts = (whole.both, whole.first, whole.second, whole.neither)
        pairs.add(one, other, mean, spread, whole.label, *counts)
        said.append(
            f"{one} and {other} agree with kappa {mean:.3f} ({whole.label}; "
            f"{spread:.3f} from one data set to another)."
        )
        _add_case(cases, f"{one} only, against {other}", x, a & ~b)
        _add_case(cases, f"{other} only, against {one}", x, b & ~a)
    return pairs.columns, cases.columns, said


def _kappas(
    setting: _Setting, one: NDArray[np.bool_], other: NDArray[np.bool_]
) -> tuple[float, float]:
    """Mean and standard deviation of kappa over the data sets."""
    sets = setting.datasets
    both = zip(one.reshape(sets, -1), other.reshape(sets, -1), strict=True)
    each = np.array([agreement(a, b).kappa for a, b in both])
    each = each[~np.isnan(each)]
    if not len(each):
        return math.nan, math.nan
    return float(each.mean()), float(each.std(ddof=1)) if len(each) > 1 else 0.0


def _add_case(
    cases: Rows, name: str, x: NDArray[np.float64], which: NDArray[np.bool_]
) -> None:
    case = typical(x, which)
    shares = " ".join(f"{value:.3f}" for value in case.shares)
    cases.add(name, case.cells, shares, case.deviation, case.lead)


def _figures(setting: _Setting, counts: NDArray[np.int64]) -> dict[str, str]:
    figures = {}
    for number in _PLOTTED:
        row = _NUMBERS.index(number)
        lines = []
        for k, family in enumerate(setting.families):
            y = (counts[k, row] / setting.cells).tolist()
            exact = _exactly(family, number) if setting.exponential else []
            if exact:
                lines.append(Line("", _PARAMETERS.tolist(), y, points=True))
            lines.append(Line(family.name, _PARAMETERS.tolist(), exact or y))
        figures[f"sensitivity-n{number}"] = line_chart(
            lines,
            names=("parameter, %", "share of sensitive cells"),
            title=f"Sensitive cells by parameter, {number} contributors",
            description="Lines are exact where a formula is known, dots simulated.",
        )
    for k, family in enumerate(setting.families):
        figures[f"contour-{family.name}"] = shade_map(
            counts[k] / setting.cells,
            list(_NUMBERS),
            [int(m) for m in _PARAMETERS],
            names=(f"parameter {family.letter}, %", "contributors"),
            title=f"Share of sensitive cells under {family.name}",
        )
    return figures
