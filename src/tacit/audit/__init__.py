# SPDX-License-Identifier: Apache-2.0
"""Attack a published table: what can still be inferred, and the proof."""

from tacit.attacker import Attacker, default_attackers
from tacit.audit._audit import audit
from tacit.audit._certify import certify
from tacit.audit._combinations import SumKind
from tacit.audit._differencing import (
    DifferenceKind,
    Differences,
    differencing,
)
from tacit.audit._exact import exact_disclosure
from tacit.audit._explain import Explanation, Need, explain
from tacit.audit._feasible import ContradictionError, feasible_table
from tacit.audit._findings import Kind
from tacit.audit._insider_verdict import InsiderVerdict, insider_verdict
from tacit.audit._insiders import Insiders
from tacit.audit._intervals import Intervals, intervals
from tacit.audit._means import PossibleCounts, means_attack
from tacit.audit._problem import Problem, insider_problem
from tacit.audit._report import AuditReport
from tacit.audit._rounding import Rounding
from tacit.audit._sums import SumViolations, derivable_sums
from tacit.audit._verdict import Verdict, Witnesses, verdict
from tacit.audit._verify import verify

__all__ = [
    "Attacker",
    "AuditReport",
    "ContradictionError",
    "DifferenceKind",
    "Differences",
    "Explanation",
    "InsiderVerdict",
    "Insiders",
    "Intervals",
    "Kind",
    "Need",
    "PossibleCounts",
    "Problem",
    "Rounding",
    "SumKind",
    "SumViolations",
    "Verdict",
    "Witnesses",
    "audit",
    "certify",
    "default_attackers",
    "derivable_sums",
    "differencing",
    "exact_disclosure",
    "explain",
    "feasible_table",
    "insider_problem",
    "insider_verdict",
    "intervals",
    "means_attack",
    "verdict",
    "verify",
]
