# SPDX-License-Identifier: Apache-2.0
"""The verbs that change numbers, by name: a room each, opened when first asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.protect._perturbing import Family

__all__ = ["VERBS", "family"]

# Of each verb the module that lists its methods as ``FAMILY``.
_MODULES = {
    "round": "tacit.protect.round._methods",
    "adjust": "tacit.protect.adjust._methods",
    "perturb": "tacit.protect.noise._methods",
}
VERBS = tuple(_MODULES)


def family(verb: str) -> Family:
    """Give the family of methods that a verb stands for."""
    found: Family = importlib.import_module(_MODULES[verb]).FAMILY
    return found
