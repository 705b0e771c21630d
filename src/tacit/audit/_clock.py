# SPDX-License-Identifier: Apache-2.0
"""How an audit works: its time, its workers, whom it tells how far it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

__all__ = ["Clock", "Means"]


@dataclass(frozen=True)
class Clock:
    """A time limit in seconds, running since it was made; None runs for ever.

    >>> Clock(None).left() is None
    True
    """

    limit: float | None = None
    started: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        if self.limit is not None and not self.limit > 0:
            message = "time_limit= is a number of seconds above 0, or None."
            raise InputError(message)

    def left(self) -> float | None:
        """Seconds left, never less than 0."""
        if self.limit is None:
            return None
        return max(0.0, self.limit - self.passed)

    @property
    def passed(self) -> float:
        """Seconds since the start."""
        return monotonic() - self.started


@dataclass(frozen=True, kw_only=True)
class Means:
    """How an audit works, not what it asks."""

    clock: Clock
    executor: Executor | None
    progress: Callable[..., None]
    full: bool = False

    def step(self, name: str) -> None:
        """Tell which step begins."""
        self.progress(name, 0, 1)
