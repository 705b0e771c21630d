# SPDX-License-Identifier: Apache-2.0
"""How rules differ on one table, when all find the same number of sensitive cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError
from tacit.rules import Dominance, PPercent, Statisticon, assess
from tacit.study._agreement import agreement
from tacit.study._result import Rows, Study
from tacit.table import Table
from tacit.tabulate import tabulate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.rules import Rule

__all__ = ["advisor_study"]

Make = Callable[[float], "Rule"]

# Each with one parameter, and whether more of it makes more cells sensitive.
_RULES: dict[str, tuple[Make, bool]] = {
    "p_percent": (lambda m: PPercent(p=m), True),
    "dominance_1": (lambda m: Dominance(n=1, k=m), False),
    "dominance_2": (lambda m: Dominance(n=2, k=m), False),
    "statisticon": (lambda m: Statisticon(s=m), True),
}
_SAYS = {
    "p_percent": "the largest can be estimated too closely, relative to itself",
    "dominance_1": "one contributor is most of the cell",
    "dominance_2": "two contributors are most of the cell",
    "statisticon": "the second can narrow the largest down, relative to the cell",
}
_STEPS = 18
_LOW, _HIGH = 0.5, 99.5


def advisor_study(
    table: Table | None = None,
    *,
    p: float = 10.0,
    rules: Mapping[str, tuple[Make, bool]] | None = None,
    seed: int = 2020,
) -> Study:
    """Calibrate every rule to as many sensitive cells as p% finds, and compare.

    Which cells each rule adds, and how they differ, tells which danger it sees. All of
    it is internal where the table is confidential.

    Args:
        table: The table; one made up from ``seed`` if not given.
        p: The parameter of p%, which says how many cells the others must find.
        rules: Rules by name, each with a function of its parameter and whether more
            of it makes more cells sensitive.
        seed: Of the table that is made up.
    """
    if table is None:
        table = _made_up(seed)
    if not isinstance(table, Table):
        message = (
            f"The advisor looks at a Table, not at a {type(table).__name__}. Make one "
            "with tacit.tabulate(...) or Table.from_cells(...)."
        )
        raise InputError(message)
    base = assess(table, PPercent(p=p)).sensitive
    chosen = {
        name: _calibrated(table, rule, int(base.sum()))
        for name, rule in (rules or _RULES).items()
    }
    found = {name: sensitive for name, (_, sensitive) in chosen.items()}
    pairs = _pairs(found)
    return Study(
        name="advisor",
        title="How rules differ on one table",
        findings=_findings(table, base, found, chosen),
        tables={
            "calibration": {
                "rule": list(chosen),
                "parameter": [value for value, _ in chosen.values()],
                "sensitive": [int(marks.sum()) for marks in found.values()],
            },
            "agreement": pairs,
            "added": _added(table, found),
        },
        seed=seed,
    )


def _calibrated(
    table: Table, rule: tuple[Make, bool], wanted: int
) -> tuple[float, NDArray[np.bool_]]:
    """The parameter that comes nearest to a number of sensitive cells."""
    low, high = _LOW, _HIGH
    make, rising = rule
    best = (np.inf, 0.0, np.zeros(len(table), dtype=bool))
    for _ in range(_STEPS):
        middle = (low + high) / 2
        sensitive = assess(table, make(round(middle, 6))).sensitive
        count = int(sensitive.sum())
        if abs(count - wanted) < best[0]:
            best = (abs(count - wanted), middle, sensitive)
        if count == wanted:
            break
        if (count > wanted) == rising:
            high = middle
        else:
            low = middle
    return best[1], best[2]


def _pairs(found: Mapping[str, NDArray[np.bool_]]) -> dict[str, list[Any]]:
    rows = Rows("first", "second", "both", "only_first", "only_second", "kappa")
    rows.more("label")
    for one, other in combinations(found, 2):
        told = agreement(found[one], found[other])
        counts = (told.both, told.first, told.second)
        rows.add(one, other, *counts, told.kappa, told.label)
    return rows.columns


def _added(
    table: Table, found: Mapping[str, NDArray[np.bool_]]
) -> dict[str, list[Any]]:
    """Cells that one rule alone calls sensitive, with how they are made up."""
    rows = Rows("rule", *table.names, "contributors", "first_share", "second_share")
    evidence = table.evidence
    times = np.sum(list(found.values()), axis=0)
    for name, marks in found.items():
        for cell in np.flatnonzero(marks & (times == 1)).tolist():
            known: tuple[Any, ...] = ("", "", "")
            if evidence is not None:
                total = float(evidence.total[cell]) or 1.0
                first, second = (float(v) / total for v in evidence.largest[cell][:2])
                contributors = int(evidence.contributors[cell])
                known = (contributors, round(first, 4), round(second, 4))
            rows.add(name, *table.labels_of(cell).values(), *known)
    return rows.columns


def _findings(
    table: Table,
    base: NDArray[np.bool_],
    found: Mapping[str, NDArray[np.bool_]],
    chosen: Mapping[str, tuple[float, NDArray[np.bool_]]],
) -> tuple[str, ...]:
    times = np.sum(list(found.values()), axis=0)
    sensitive, every = int(base.sum()), int((times == len(found)).sum())
    calibrated = (
        f"Of {len(table):,} cells p% finds {sensitive:,} sensitive; the others are set "
        "to find as many."
    )
    agreed = (
        f"All rules agree on {every:,} cells; {int((times > 0).sum()):,} are sensitive "
        "by any."
    )
    said = [calibrated, agreed]
    for name, marks in found.items():
        alone = int((marks & (times == 1)).sum())
        why = _SAYS.get(name, "")
        danger = f" Its danger: {why}." if why else ""
        said.append(
            f"{name} at {chosen[name][0]:.3g}: {int(marks.sum()):,} cells, {alone:,} "
            f"of them by it alone.{danger}"
        )
    said.append(
        "Take p% if it is the closeness of the largest to its upper bound that is "
        "feared, Statisticon if it is the width of the interval."
    )
    return tuple(said)


def _made_up(seed: int) -> Table:
    """Firms of skewed turnover, three to eight in a cell."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    rng = np.random.default_rng(seed)
    cells = 400
    place = np.repeat(np.arange(cells), rng.integers(3, 9, cells))
    frame = {
        "region": [f"r{k // 10:02d}" for k in place.tolist()],
        "branch": [f"b{k % 10}" for k in place.tolist()],
        "firm": [f"f{k}" for k in range(len(place))],
        "turnover": np.ceil(rng.exponential(1000.0, len(place))).astype(np.int64),
    }
    by = {"region": "Total", "branch": "Total"}
    return tabulate(pa.table(frame), by=by, value="turnover", unit="firm")
