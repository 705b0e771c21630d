# SPDX-License-Identifier: Apache-2.0
"""Say what is wrong, where, why it matters and what to do.

::

    TacitError
    ├── InputError          the data or an option cannot be used (exit code 1)
    │   ├── HierarchyError  a code list that is not a tree
    │   ├── SourceError     a column, a row or a value of the source
    │   ├── AdditivityError a table whose parts do not sum to their totals
    │   ├── RuleError       a rule that does not fit itself or the table
    │   └── JobError        a job file; carries all its problems at once
    ├── UnsafeError         something would be published unprotected (exit code 3)
    ├── LimitError          infeasible, or not proven within the limits (exit code 4)
    └── MissingExtraError   an optional part that is not installed (exit code 1)

No message may hold a contributor's id, a contribution or a protected value.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "AdditivityError",
    "HierarchyError",
    "InputError",
    "JobError",
    "LimitError",
    "MissingExtraError",
    "RuleError",
    "SourceError",
    "TacitError",
    "UnsafeError",
]


class TacitError(Exception):
    """Base of every error that tacit raises on purpose."""

    exit_code = 1


class InputError(TacitError, ValueError):
    """The data or an option cannot be used as it stands."""


class HierarchyError(InputError):
    """A code list that is not a tree."""


class SourceError(InputError):
    """A column, a row or a value of the source that cannot be used."""


class AdditivityError(InputError):
    """A table whose parts do not sum to their totals."""


class RuleError(InputError):
    """A rule whose parameters do not make sense, or that the table cannot serve."""


class JobError(InputError):
    """A job file with problems; ``problems`` lists every one of them."""

    def __init__(self, message: str, problems: Iterable[str] = ()) -> None:
        self.problems = tuple(problems)
        super().__init__(
            "\n".join([message, *(f"  - {problem}" for problem in self.problems)])
        )


class UnsafeError(TacitError):
    """Something would be published that the protocol does not call safe."""

    exit_code = 3


class LimitError(TacitError):
    """No answer within the limits, or none exists."""

    exit_code = 4


class MissingExtraError(TacitError, ImportError):
    """An optional part of tacit that is not installed."""

    @classmethod
    def for_extra(cls, package: str, extra: str) -> MissingExtraError:
        """Name the package that is missing and the extra that brings it."""
        return cls(
            f"This needs the package '{package}', which is not installed. "
            f"Install it with: pip install 'tacit[{extra}]'."
        )


def suggest(name: str, valid: Iterable[str], *, limit: int = 12) -> str:
    """Name the nearest valid name, or list the valid ones.

    >>> suggest("pecent", ["percent", "count"])
    "Did you mean 'percent'?"
    >>> suggest("xyz", ["percent", "count"])
    "Valid names: 'count', 'percent'."
    """
    names = sorted({str(item) for item in valid})
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.6)
    if close:
        return f"Did you mean '{close[0]}'?"
    if not names:
        return "There are no valid names here."
    shown = ", ".join(f"'{item}'" for item in names[:limit])
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return f"Valid names: {shown}{more}."
