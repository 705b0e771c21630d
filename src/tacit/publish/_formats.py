# SPDX-License-Identifier: Apache-2.0
"""The formats: a module each, opened when it is first asked for.

A module of a format has a function ``write(view, path, layout)``, and a function
``ready()`` that refuses where something is missing that the format needs.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from tacit.errors import InputError, suggest

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.publish._problem_view import ProblemView
    from tacit.publish._view import View

__all__ = ["FORMATS", "PROBLEM_FORMATS", "Layout", "problem_writer", "writer"]

# A new format is one module and one line here; the name is also the file's ending.
FORMATS = {
    "csv": "tacit.publish._csv",
    "html": "tacit.publish._html",
    "xlsx": "tacit.publish._xlsx",
}
# Formats of the suppression problem, for inside only; their modules have a function
# ``write(view, path)`` that takes a ProblemView.
PROBLEM_FORMATS = {"jj": "tacit.publish._jj"}


@dataclass(frozen=True)
class Layout:
    """What a reader sees where there is no number, and above the table.

    ``symbol`` marks a suppressed cell, ``absent`` a combination that cannot occur.
    """

    symbol: str = ":"
    absent: str = "-"
    title: str = ""

    def __post_init__(self) -> None:
        for name in ("symbol", "absent"):
            sign = getattr(self, name)
            if not sign.strip() or re.sub(r"[\s+.,-]", "", sign).isdigit():
                message = (
                    f"The {name} {sign!r} could be read as a number or as nothing. "
                    "Choose a sign such as ':', '..' or 'x'."
                )
                raise InputError(message)
        if self.symbol == self.absent:
            message = (
                f"Suppressed and absent cells would both show {self.symbol!r}. "
                "A reader must be able to tell them apart: choose two signs."
            )
            raise InputError(message)


class Writer(Protocol):
    """One format."""

    def ready(self) -> None:
        """Refuse where something is missing that the format needs."""

    def write(self, view: View, path: Path, layout: Layout) -> None:
        """Write ``view`` to ``path``; the same view gives the same bytes."""


def writer(name: str) -> Writer:
    """Give the writer of a format.

    >>> writer("cvs")
    Traceback (most recent call last):
    tacit.errors.InputError: There is no format 'cvs'. Did you mean 'csv'?
    """
    if name in PROBLEM_FORMATS:
        message = (
            f"A file '{name}' holds the problem of suppression, with true values and "
            "levels, and is no table. Inside, write it with .internal.write_problem()."
        )
        raise InputError(message)
    if name not in FORMATS:
        message = f"There is no format '{name}'. {suggest(name, FORMATS)}"
        raise InputError(message)
    return cast("Writer", importlib.import_module(FORMATS[name]))


class ProblemWriter(Protocol):
    """One format of the suppression problem."""

    def write(self, view: ProblemView, path: Path) -> None:
        """Write ``view`` to ``path``; the same view gives the same bytes."""


def problem_writer(name: str) -> ProblemWriter:
    """Give the writer of a format of the suppression problem.

    >>> problem_writer("csv")
    Traceback (most recent call last):
    tacit.errors.InputError: There is no format 'csv' of the suppression problem. \
Valid names: 'jj'.
    """
    if name not in PROBLEM_FORMATS:
        hint = suggest(name, PROBLEM_FORMATS)
        message = f"There is no format '{name}' of the suppression problem. {hint}"
        raise InputError(message)
    return cast("ProblemWriter", importlib.import_module(PROBLEM_FORMATS[name]))
