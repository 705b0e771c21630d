# SPDX-License-Identifier: Apache-2.0
"""How far the search is: steps with the figures that somebody who waits wants."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.protect.suppress._ledger import Ledger

__all__ = ["Clock", "Step"]


class Step(str):
    """The name of a step; ``figures`` holds cells, open, cost, bound and seconds.

    It is a plain text to anybody who does not ask for more.
    """

    __slots__ = ("figures",)

    figures: dict[str, Any]

    def __new__(cls, name: str, **figures: Any) -> Self:  # noqa: ANN401 - numbers
        """Name a step."""
        step = super().__new__(cls, name)
        step.figures = figures
        return step


@dataclass
class Clock:
    """When the search must end, and whom to tell how far it is."""

    limit: float = 60.0
    progress: Callable[..., None] | None = None
    started: float = field(default_factory=time.monotonic)
    bound: float | None = None

    @property
    def deadline(self) -> float:
        """Moment at which to stop, as ``time.monotonic`` counts."""
        return self.started + self.limit

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self.deadline

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def tell(self, name: str, ledger: Ledger | None = None) -> None:
        """Report a step: how many sensitive cells are done, of how many."""
        if self.progress is None:
            return
        if ledger is None:
            self.progress(Step(name, seconds=self.seconds, bound=self.bound), 0, None)
            return
        total = int(ledger.problem.sensitive.sum())
        left = len(ledger.open())
        step = Step(
            name,
            cells=len(ledger.problem),
            open=left,
            cost=ledger.cost,
            bound=self.bound,
            seconds=self.seconds,
        )
        self.progress(step, total - left, total)
