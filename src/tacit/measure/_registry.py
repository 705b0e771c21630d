# SPDX-License-Identifier: Apache-2.0
"""The measures by name: a function each, with what it says, its formula and range."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tacit.errors import InputError, suggest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.measure._subject import Subject

__all__ = ["Measure", "measure_named", "measures", "register"]

# A new measure is one function in one of these modules.
_MODULES = ("_distance", "_lines", "_ranks", "_shares", "_risk")
_KNOWN: dict[str, Measure] = {}

Better = Literal["lower", "higher", "zero"]


@dataclass(frozen=True)
class Measure:
    """One measure: what it says and which way is better.

    ``better`` is the direction in which a release is better: ``lower``, ``higher``,
    or nearer to ``zero``. ``range`` are the ends that it can reach.
    """

    name: str
    kind: Literal["loss", "risk"]
    better: Better
    range: tuple[float, float]
    formula: str
    meaning: str
    of: Callable[[Subject], float]

    @property
    def label(self) -> str:
        """The name in words, for axes and sentences."""
        return self.name.replace("_", " ")

    def badness(self, value: float) -> float:
        """Give the value on a scale on which less is better.

        >>> measure_named("spearman").badness(0.9)
        -0.9
        """
        if self.better == "zero":
            return abs(value)
        return -value if self.better == "higher" else value


def register(
    *,
    kind: Literal["loss", "risk"] = "loss",
    better: Better = "lower",
    range: tuple[float, float] = (0.0, math.inf),  # noqa: A002 - the word for it
    formula: str,
    name: str | None = None,
) -> Callable[[Callable[[Subject], float]], Callable[[Subject], float]]:
    """Take a function as the measure of its name; its docstring is the meaning."""

    def keep(of: Callable[[Subject], float]) -> Callable[[Subject], float]:
        called = name or of.__name__
        meaning = (of.__doc__ or "").strip().splitlines()[0]
        _KNOWN[called] = Measure(called, kind, better, range, formula, meaning, of)
        return of

    return keep


def measures() -> tuple[Measure, ...]:
    """List every measure, in the order in which they are told.

    >>> [one.name for one in measures() if one.kind == "risk"]
    ['risk_variance', 'risk_posterior', 'risk_audit']
    """
    rooms = [f"tacit.measure.{module}" for module in _MODULES]
    for room in rooms:
        importlib.import_module(room)
    # Which module was opened first must not show.
    return tuple(sorted(_KNOWN.values(), key=lambda m: rooms.index(m.of.__module__)))


def measure_named(name: str) -> Measure:
    """Give one measure.

    >>> measure_named("helinger")
    Traceback (most recent call last):
    tacit.errors.InputError: There is no measure 'helinger'. Did you mean 'hellinger'?
    """
    known = {one.name: one for one in measures()}
    if name not in known:
        message = f"There is no measure '{name}'. {suggest(name, known)}"
        raise InputError(message)
    return known[name]
