# SPDX-License-Identifier: Apache-2.0
"""Studies: rules by simulation and in closed form, methods by what they cost."""

from tacit.study._agreement import Agreement, Typical, agreement, kappa_label, typical
from tacit.study._draws import DISTRIBUTIONS, FAMILIES, Family, draw
from tacit.study._exact import calibrated, sensitive_share
from tacit.study._printed import cells_behind, changes_possible, total_behind
from tacit.study._result import Study
from tacit.study._study import STUDIES, study

__all__ = [
    "DISTRIBUTIONS",
    "FAMILIES",
    "STUDIES",
    "Agreement",
    "Family",
    "Study",
    "Typical",
    "agreement",
    "calibrated",
    "cells_behind",
    "changes_possible",
    "draw",
    "kappa_label",
    "sensitive_share",
    "study",
    "total_behind",
    "typical",
]
