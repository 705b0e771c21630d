# SPDX-License-Identifier: Apache-2.0
"""A need that could not be met, and what stands in its way."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OpenClaim"]

_WORDS = {
    "frozen": "cells that must stay published are in the way",
    "bounds": "what an attacker knows beforehand leaves too little room",
    "limits": "no pattern was found within the limits",
    "empty": "the cell follows from what is published or known to be empty",
    "insider": "a contributor could work it out",
    "sum": "a sum of withheld cells could be worked out",
    "not looked into": "why was not looked into",
}


@dataclass(frozen=True, repr=False)
class OpenClaim:
    """One sensitive cell that the pattern does not protect. Confidential.

    ``in_the_way`` names in words the fewest other cells that would have to give.
    """

    cell: int
    reason: str
    in_the_way: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Why, without naming the cell."""
        named = "; ".join(f"({where})" for where in self.in_the_way)
        text = _WORDS.get(self.reason, self.reason)
        return f"{text}: {named}" if named else text

    def __repr__(self) -> str:
        return f"<OpenClaim: {self.words}>"
