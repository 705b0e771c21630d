# SPDX-License-Identifier: Apache-2.0
"""M3A beside suppression and rounding, on a table of the shape of the literature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from tacit.errors import InputError, TacitError
from tacit.measure import Comparison, compare, measure_named
from tacit.protect._families import VERBS, family
from tacit.protect.suppress import suppress
from tacit.protect.suppress._methods import Method
from tacit.rules import Dominance, MinFrequency, assess
from tacit.study._result import Study
from tacit.tabulate import tabulate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tacit.protect import Release
    from tacit.rules import Assessment
    from tacit.table import Table

__all__ = ["m3a_study"]

_ROWS, _COLUMNS = 22, 10
_FILLED = 109
# The measures of its Table 1, in its order.
_TOLD = (
    "share_modified",
    "share_suppressed",
    "absolute_loss_per_cell",
    "absolute_loss_percent",
    "absolute_loss_total",
    "absolute_loss_total_percent",
    "hellinger",
    "hellinger_shares",
    "entropy_loss_rows",
    "entropy_loss_columns",
    "relative_variance_rows",
    "relative_variance_columns",
    "relative_cramers_v",
    "risk_variance",
    "risk_audit",
)
_MAPPED = ("absolute_loss_percent", "hellinger_shares", "entropy_loss_rows")
# A method by its verb, its name, and what it must be told.
_METHODS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "suppression": ("suppress", "auto", {}),
    "modular": ("suppress", "modular", {}),
    "hypercube": ("suppress", "hypercube", {}),
    "m3a": ("adjust", "m3a", {"d": 10.0, "phi": 3}),
    "cta": ("adjust", "cta", {}),
    "rounding to 1,000": ("round", "controlled", {"base": 1000}),
    "rounding by levels": ("round", "controlled", {"base": "levels"}),
}


def m3a_study(
    methods: Mapping[str, tuple[str, str, Mapping[str, Any]]] | None = None,
    *,
    time_limit: float = 20.0,
    seed: int = 2011,
) -> Study:
    """Compare methods on generated turnover of 22 districts by 10 classes.

    109 of the 220 cells are filled, most by few firms and some by one. Sensitive are
    cells of fewer than three firms, and those of which two hold more than 75 %.

    Args:
        methods: By a name of your choice: verb, method, and what it is told. Those of
            the study, as far as this version has them, if not given.
        time_limit: Seconds for each method.
        seed: Of the table.
    """
    table = _turnover(seed)
    rule = Dominance(n=2, k=75) | MinFrequency(n=3)
    assessment = assess(table, rule)
    releases: dict[str, Release] = {}
    left_out: list[str] = []
    for name, (verb, method, options) in (methods or _METHODS).items():
        if methods is None and method not in _known(verb):
            left_out.append(f"{name}: this version has no such method.")
            continue
        try:
            made = _made(
                assessment, verb, method, {**options, "time_limit": time_limit}
            )
        except TacitError as error:
            left_out.append(f"{name}: {str(error).splitlines()[0]}")
            continue
        releases[name] = made
    if not releases:
        message = "No method gave a release of the table: nothing can be compared."
        raise InputError(message)
    found = compare(assessment, releases)
    return Study(
        name="m3a",
        title="M3A beside suppression and rounding, 22 districts by 10 classes",
        findings=_findings(table, assessment, found, left_out),
        tables={"table1": _table_1(found)},
        figures={f"map-{loss}": _map(assessment, releases, loss) for loss in _MAPPED},
        seed=seed,
    )


def _known(verb: str) -> tuple[str, ...]:
    if verb == "suppress":
        return get_args(Method)
    return tuple(family(verb).modules) if verb in VERBS else ()


def _made(
    assessment: Assessment, verb: str, method: str, options: Mapping[str, Any]
) -> Release:
    if verb == "suppress":
        protect: Callable[..., Release] = suppress
        release = protect(assessment, method, **options)
    elif verb in VERBS:
        release = family(verb).release(assessment, method, options)
    else:
        message = f"There is no verb '{verb}': suppress, {', '.join(VERBS)}."
        raise InputError(message)
    return release.audited(full=True)


def _turnover(seed: int) -> Table:
    """Firms of skewed turnover: most cells hold few, some a single one."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    rng = np.random.default_rng(seed)
    filled = rng.choice(_ROWS * _COLUMNS, _FILLED, replace=False)
    place = np.repeat(filled, rng.geometric(0.09, _FILLED))
    amounts = np.ceil(rng.lognormal(11.9, 1.2, len(place))).astype(np.int64)
    frame = {
        "district": [f"d{k // _COLUMNS:02d}" for k in place.tolist()],
        "class": [f"c{k % _COLUMNS}" for k in place.tolist()],
        "firm": [f"f{k}" for k in range(len(place))],
        "turnover": amounts,
    }
    by = {"district": "Total", "class": "Total"}
    return tabulate(pa.table(frame), by=by, value="turnover", unit="firm")


def _table_1(found: Comparison) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {"measure": [*_TOLD, "safe", "rank"]}
    for name, measured in found.measured.items():
        values: list[Any] = [measured[what] for what in _TOLD]
        safe = "yes" if found.releases[name].safe else "no"
        rows[name] = [*values, safe, found.ranks[name]]
    return rows


def _map(assessment: Assessment, releases: Mapping[str, Release], loss: str) -> str:
    return compare(assessment, releases, loss=loss).map


def _findings(
    table: Table,
    assessment: Assessment,
    found: Comparison,
    left_out: list[str],
) -> tuple[str, ...]:
    inner = int((table.cells.codes > 0).all(axis=0).sum())
    sensitive = int(assessment.sensitive[(table.cells.codes > 0).all(axis=0)].sum())
    share = 100 * sensitive / inner
    first = f"{sensitive} of {inner} filled cells are sensitive ({share:.1f} %)."
    said = [first, found.recommendation]
    loss = measure_named(found.loss).label
    for name, measured in found.measured.items():
        changed = measured["share_modified"] + measured["share_suppressed"]
        safe = "safe" if found.releases[name].safe else "not safe"
        said.append(
            f"{name}: {changed:.1f} % of the filled cells withheld or changed, {loss} "
            f"{measured[found.loss]:.2f}, {safe} by its audit."
        )
    return (*said, *left_out)
