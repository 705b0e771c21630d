# SPDX-License-Identifier: Apache-2.0
"""What a writer may see: the public view holds nothing that is not published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.measure._pair import interior_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tacit.measure import Comparison
    from tacit.protect import Release
    from tacit.table import Dimension

__all__ = ["Secrets", "View", "decimal_text", "internal_view", "public_view"]


@dataclass(frozen=True, eq=False, repr=False)
class Secrets:
    """What only the internal view holds, one entry a cell. Confidential."""

    state: NDArray[np.uint8]
    sensitive: NDArray[np.bool_]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    sliding: NDArray[np.float64]
    contributors: NDArray[np.int64] | None
    reasons: NDArray[np.object_]
    conf_status: NDArray[np.object_]
    published: NDArray[np.int64]
    totals: NDArray[np.bool_]
    release: Release
    comparison: Comparison | None = None

    def __repr__(self) -> str:
        return f"<Secrets: {len(self.state):,} cells, confidential>"


@dataclass(frozen=True, eq=False, repr=False)
class View:
    """Cells as a writer sees them.

    In the public view ``value`` is 0 wherever ``withheld`` is true and ``secrets`` is
    None: a writer cannot give away what it does not have.
    """

    dimensions: tuple[Dimension, ...]
    codes: NDArray[np.int32]
    value: NDArray[np.int64]
    withheld: NDArray[np.bool_]
    decimals: int
    measure: str
    perturbed: bool = False
    audited: bool = False
    secrets: Secrets | None = None

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        kind = "public" if self.secrets is None else "internal, confidential"
        return f"<View: {len(self):,} cells, {kind}>"


def public_view(release: Release) -> View:
    """Keep what is published, and nothing else."""
    table = release.table
    withheld = release.withheld
    return View(
        dimensions=table.dimensions,
        codes=table.cells.codes,
        value=np.where(withheld, 0, release.published),
        withheld=withheld,
        decimals=table.cells.decimals,
        measure=table.measure,
        perturbed=release.perturbed,
        audited=release.audit is not None,
    )


def internal_view(release: Release, comparison: Comparison | None = None) -> View:
    """Take everything that is known about each cell."""
    table = release.table
    assessment = release.assessment
    evidence = table.evidence
    secrets = Secrets(
        state=release.state,
        sensitive=assessment.sensitive,
        lower=assessment.lpl,
        upper=assessment.upl,
        sliding=assessment.spl,
        contributors=None if evidence is None else evidence.contributors,
        reasons=reasons_text(assessment.reasons, len(table)),
        conf_status=_conf_status(release),
        published=release.published,
        totals=_totals(release),
        release=release,
        comparison=comparison,
    )
    return View(
        dimensions=table.dimensions,
        codes=table.cells.codes,
        value=table.cells.value,
        withheld=release.withheld,
        decimals=table.cells.decimals,
        measure=table.measure,
        perturbed=release.perturbed,
        audited=release.audit is not None,
        secrets=secrets,
    )


def _totals(release: Release) -> NDArray[np.bool_]:
    totals = np.ones(len(release), dtype=bool)
    totals[interior_of(release.table)] = False
    return totals


def reasons_text(
    reasons: Mapping[str, NDArray[np.bool_]], cells: int
) -> NDArray[np.object_]:
    """Join the names of the rules that fired in each cell.

    >>> reasons_text({"a": np.array([True, False]), "b": np.array([True, False])}, 2)
    array(['a; b', ''], dtype=object)
    """
    text = np.full(cells, "", dtype=object)
    for label, fired in reasons.items():
        here = np.flatnonzero(fired)
        glue = np.where(text[here] == "", "", "; ").astype(object)
        text[here] = text[here] + glue + label
    return text


# What a rule that fired alone is called in the SDMX code list CL_CONF_STATUS; a rule
# that is not listed, and cells for which several rules fired, are "C".
_SDMX = {"min_frequency": "A", "p_percent": "M", "pq": "M", "linear": "M"}


def _conf_status(release: Release) -> NDArray[np.object_]:
    status = np.full(len(release.state), "F", dtype=object)
    status[release.withheld] = "D"
    sensitive = release.assessment.sensitive
    status[sensitive] = "C"
    reasons = release.assessment.reasons
    fired = np.zeros(len(status), dtype=np.int64)
    for marks in reasons.values():
        fired += marks
    for label, marks in reasons.items():
        code = _sdmx_code(label)
        if code is not None:
            status[sensitive & marks & (fired == 1)] = code
    return status


def _sdmx_code(label: str) -> str | None:
    name, _, parameters = label.partition("(")
    if name == "dominance":
        first = parameters.partition(",")[0]
        return {"n=1": "O", "n=2": "T"}.get(first, "M")
    return _SDMX.get(name)


def decimal_text(value: NDArray[np.int64], decimals: int) -> NDArray[np.object_]:
    """Write scaled integers as decimal numbers, exactly.

    >>> decimal_text(np.array([1250, -5, 0]), 2)
    array(['12.50', '-0.05', '0.00'], dtype=object)
    """
    if decimals == 0 or not len(value):
        return value.astype(str).astype(object)
    # The size of the smallest int64 is no int64: go by way of unsigned numbers.
    below = (-(np.minimum(value, -1) + 1)).astype(np.uint64) + np.uint64(1)
    size = np.where(value < 0, below, np.maximum(value, 0).astype(np.uint64))
    whole, rest = np.divmod(size, np.uint64(10**decimals))
    sign = np.where(value < 0, "-", "").astype(object)
    fraction = np.char.zfill(rest.astype(str), decimals).astype(object)
    text: NDArray[np.object_] = sign + whole.astype(str).astype(object) + "." + fraction
    return text
