# SPDX-License-Identifier: Apache-2.0
"""What methods need of a table, and record keys for tables that have none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit import Assessment
from tacit.table import State

__all__ = [
    "all_are_known",
    "by_records",
    "free_counts",
    "free_counts_of_one_table",
    "has_evidence",
    "keyed",
]

_UNIT = 10**16


def has_evidence(assessment: Assessment) -> bool:
    """Whether the table knows its largest contributions."""
    evidence = assessment.table.evidence
    return evidence is not None and evidence.largest.shape[1] > 0


def all_are_known(assessment: Assessment) -> bool:
    """Whether everything is known that M3A asks for."""
    table = assessment.table
    if table.contributions is not None:
        return True
    evidence = table.evidence
    if evidence is None or evidence.complete is not None:
        return False
    return bool((evidence.total == table.cells.value).all())


def _free(assessment: Assessment) -> bool:
    return not (assessment.state == State.FROZEN).any()


def by_records(assessment: Assessment) -> bool:
    """Whether contributions are known, and no cell must stay."""
    return assessment.table.contributions is not None and _free(assessment)


def free_counts(assessment: Assessment) -> bool:
    """Whether this is a table of counts of which none must stay."""
    return assessment.table.is_count and _free(assessment)


def free_counts_of_one_table(assessment: Assessment) -> bool:
    """Whether this is such a table, and not linked from several."""
    return free_counts(assessment) and assessment.table.compiled is None


def keyed(assessment: Assessment) -> Assessment:
    """Give the records of a table keys, the same for the same unit."""
    if not isinstance(assessment, Assessment):
        return assessment
    table = assessment.table
    evidence, given = table.evidence, table.contributions
    if evidence is not None:
        keys = np.random.default_rng(1).integers(_UNIT, size=len(table))
        counts = evidence.contributors
        evidence = replace(evidence, keys=keys, keys_nonzero=keys, records=counts)
    if given is not None:
        of_unit = np.random.default_rng(2).integers(
            _UNIT, size=int(given.unit.max(initial=0)) + 1
        )
        given = replace(given, key=of_unit[given.unit])
    return replace(
        assessment, table=table.updated(evidence=evidence, contributions=given)
    )
