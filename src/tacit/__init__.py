# SPDX-License-Identifier: Apache-2.0
"""Statistical disclosure control for tables: protect, prove, publish."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.attacker import Attacker
    from tacit.audit import AuditReport, audit, certify, verify
    from tacit.hierarchy import Hierarchy
    from tacit.job import Job
    from tacit.measure import Comparison, Measures, compare, measure
    from tacit.protect import Certificate, Release
    from tacit.protect.adjust import adjust, m3a_safe_set
    from tacit.protect.noise import perturb
    from tacit.protect.redesign import redesign
    from tacit.protect.round import round  # noqa: A004 - the name of the house
    from tacit.protect.suppress import Cost, History, suppress
    from tacit.rules import (
        PQ,
        AllOf,
        AnyOf,
        Assessment,
        Dispersion,
        Dominance,
        GroupDisclosure,
        LinearRule,
        MinFrequency,
        PPercent,
        Preset,
        Profile,
        RequestRule,
        Rule,
        RuleSet,
        Statisticon,
        ZeroRule,
        assess,
        compare_rules,
    )
    from tacit.table import Table, link
    from tacit.tabulate import tabulate

# Each public name and the room that holds it; a room is opened when it is first asked.
_ROOMS = {
    "AllOf": "tacit.rules",
    "AnyOf": "tacit.rules",
    "Assessment": "tacit.rules",
    "Attacker": "tacit.attacker",
    "AuditReport": "tacit.audit",
    "Certificate": "tacit.protect",
    "Comparison": "tacit.measure",
    "Cost": "tacit.protect.suppress",
    "Dispersion": "tacit.rules",
    "Dominance": "tacit.rules",
    "GroupDisclosure": "tacit.rules",
    "Hierarchy": "tacit.hierarchy",
    "History": "tacit.protect.suppress",
    "Job": "tacit.job",
    "LinearRule": "tacit.rules",
    "Measures": "tacit.measure",
    "MinFrequency": "tacit.rules",
    "PPercent": "tacit.rules",
    "PQ": "tacit.rules",
    "Preset": "tacit.rules",
    "Profile": "tacit.rules",
    "Release": "tacit.protect",
    "RequestRule": "tacit.rules",
    "Rule": "tacit.rules",
    "RuleSet": "tacit.rules",
    "Statisticon": "tacit.rules",
    "Table": "tacit.table",
    "ZeroRule": "tacit.rules",
    "adjust": "tacit.protect.adjust",
    "assess": "tacit.rules",
    "audit": "tacit.audit",
    "certify": "tacit.audit",
    "compare": "tacit.measure",
    "compare_rules": "tacit.rules",
    "link": "tacit.table",
    "measure": "tacit.measure",
    "m3a_safe_set": "tacit.protect.adjust",
    "perturb": "tacit.protect.noise",
    "redesign": "tacit.protect.redesign",
    "round": "tacit.protect.round",
    "suppress": "tacit.protect.suppress",
    "tabulate": "tacit.tabulate",
    "verify": "tacit.audit",
}

__all__ = [
    "PQ",
    "AllOf",
    "AnyOf",
    "Assessment",
    "Attacker",
    "AuditReport",
    "Certificate",
    "Comparison",
    "Cost",
    "Dispersion",
    "Dominance",
    "GroupDisclosure",
    "Hierarchy",
    "History",
    "Job",
    "LinearRule",
    "Measures",
    "MinFrequency",
    "PPercent",
    "Preset",
    "Profile",
    "Release",
    "RequestRule",
    "Rule",
    "RuleSet",
    "Statisticon",
    "Table",
    "ZeroRule",
    "adjust",
    "assess",
    "audit",
    "certify",
    "compare",
    "compare_rules",
    "link",
    "m3a_safe_set",
    "measure",
    "perturb",
    "redesign",
    "round",
    "suppress",
    "tabulate",
    "verify",
]
__version__ = "0.1.0"


_OPEN = ("errors", "job", "protect", "publish", "rules", "table")
"""Rooms that can be named as ``tacit.rules``; ``audit`` and ``tabulate`` are verbs."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the room holds
    if name in _OPEN:
        return importlib.import_module(f"tacit.{name}")
    if name not in _ROOMS:
        message = f"module 'tacit' has no attribute '{name}'"
        raise AttributeError(message)
    return getattr(importlib.import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _House(ModuleType):
    """A package whose verbs keep their names when a room of the same name opens."""

    def __setattr__(self, name: str, value: object) -> None:
        # Opening the room `tacit.audit` would otherwise put it before the verb.
        if not (name in _ROOMS and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _House
