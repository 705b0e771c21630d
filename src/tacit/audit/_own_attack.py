# SPDX-License-Identifier: Apache-2.0
"""Attacks made for one method: what its numbers say to somebody who knows how.

A release that changes values instead of withholding them is attacked with the
knowledge of its method: a rounded number with its base, an adjusted one with the rule
that moved it. A module of an attack has a function ``attack(release, attackers, means)
-> AuditReport``. It reads the release and nothing of the room that protects.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from tacit.attacker import Attacker
    from tacit.audit._clock import Means
    from tacit.audit._report import AuditReport
    from tacit.protect import Release

__all__ = ["OwnAttack", "own_attack"]

# What a release calls its attack in ``provenance["attack"]``, and the module.
_MODULES: dict[str, str] = {
    "adjustment": "tacit.audit._adjusted",
    "budget": "tacit.audit._budget",
    "cell_key": "tacit.audit._cell_key",
    "estimates": "tacit.audit._estimates",
    "m3a": "tacit.audit._m3a",
    "rounding": "tacit.audit._rounded",
    "small_counts": "tacit.audit._small_counts",
}


class OwnAttack(Protocol):
    """An attack on the releases of one method."""

    def __call__(
        self, release: Release, attackers: tuple[Attacker, ...], *, means: Means
    ) -> AuditReport:
        """Attack, and say what was found."""


def own_attack(release: Release) -> OwnAttack | None:
    """Give the attack that the method of a release calls for, if it names one."""
    name = release.provenance.get("attack")
    if name is None:
        return None
    return cast("OwnAttack", importlib.import_module(_MODULES[name]).attack)
