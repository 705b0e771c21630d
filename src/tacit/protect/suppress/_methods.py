# SPDX-License-Identifier: Apache-2.0
"""The methods of suppression: a module each, opened when it is first asked for.

A module of a method has a function ``pattern(problem, *, clock, crew) -> Outcome``
that hides cells of one connected part of a table. It gets the part without what cannot
move; what it leaves open is repaired or told, never published. A method for tables of
one shape has a function ``check(table)`` beside it, which refuses all others.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Literal, Protocol, cast

if TYPE_CHECKING:
    from tacit.protect.suppress._outcome import Outcome
    from tacit.protect.suppress._parallel import Crew
    from tacit.protect.suppress._problem import Problem
    from tacit.protect.suppress._progress import Clock
    from tacit.table import Table

__all__ = ["Method", "Pattern", "check_shape", "exact_only", "method_named"]

# A new method is one module, one line here, and its name in ``Method``.
_MODULES = {
    "auto": "tacit.protect.suppress._auto",
    "gauss": "tacit.protect.suppress._gauss_only",
    "hypercube": "tacit.protect.suppress._hypercube",
    "modular": "tacit.protect.suppress._modular",
    "network": "tacit.protect.suppress._network",
    "optimal": "tacit.protect.suppress._optimal",
}
Method = Literal["auto", "gauss", "hypercube", "modular", "network", "optimal"]

_EXACT_ONLY = ("gauss",)


class Pattern(Protocol):
    """A method: it finds which cells of a problem to hide."""

    def __call__(self, problem: Problem, *, clock: Clock, crew: Crew) -> Outcome:
        """Hide cells until every need has its proof, or the time is up."""


def method_named(name: str) -> Pattern:
    """Give the function of a method that exists."""
    return cast("Pattern", importlib.import_module(_MODULES[name]).pattern)


def check_shape(name: str, table: Table) -> None:
    """Refuse a table that a method is not made for."""
    check = getattr(importlib.import_module(_MODULES[name]), "check", None)
    if check is not None:
        check(table)


def exact_only(name: str) -> bool:
    """Tell whether a method prevents exact disclosure only.

    >>> exact_only("gauss"), exact_only("auto")
    (True, False)
    """
    return name in _EXACT_ONLY
