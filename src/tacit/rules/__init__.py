# SPDX-License-Identifier: Apache-2.0
"""Rules of primary sensitivity: which cells may not be published as they are."""

from tacit.rules._assess import assess, assess_as_stated
from tacit.rules._assessment import Assessment, InternalAssessment
from tacit.rules._base import AllOf, AnyOf, Judgement, Rule, RuleSet, Verdict
from tacit.rules._compare import RuleComparison, compare_rules
from tacit.rules._dispersion import Dispersion, DispersionReport
from tacit.rules._dispersion_measures import quantile_ratio, t_ratio, variance_ratio
from tacit.rules._dominance import Dominance
from tacit.rules._engine import precision_threshold
from tacit.rules._entropy import entropy, evenness
from tacit.rules._group import GroupDisclosure, smallest_coalition
from tacit.rules._linear import LinearRule
from tacit.rules._messages import (
    FractionWarning,
    RuleWarning,
    ShiftWarning,
    SubadditivityWarning,
)
from tacit.rules._min_frequency import MinFrequency
from tacit.rules._p_percent import PPercent
from tacit.rules._pq import PQ
from tacit.rules._presets import Preset
from tacit.rules._profiles import Profile, profiles
from tacit.rules._registry import AnyRule, kinds, parse_rule, register
from tacit.rules._request import RequestRule
from tacit.rules._statisticon import Statisticon, statisticon_interval
from tacit.rules._zero import ZeroRule

__all__ = [
    "PQ",
    "AllOf",
    "AnyOf",
    "AnyRule",
    "Assessment",
    "Dispersion",
    "DispersionReport",
    "Dominance",
    "FractionWarning",
    "GroupDisclosure",
    "InternalAssessment",
    "Judgement",
    "LinearRule",
    "MinFrequency",
    "PPercent",
    "Preset",
    "Profile",
    "RequestRule",
    "Rule",
    "RuleComparison",
    "RuleSet",
    "RuleWarning",
    "ShiftWarning",
    "Statisticon",
    "SubadditivityWarning",
    "Verdict",
    "ZeroRule",
    "assess",
    "assess_as_stated",
    "compare_rules",
    "entropy",
    "evenness",
    "kinds",
    "parse_rule",
    "precision_threshold",
    "profiles",
    "quantile_ratio",
    "register",
    "smallest_coalition",
    "statisticon_interval",
    "t_ratio",
    "variance_ratio",
]
