# SPDX-License-Identifier: Apache-2.0
"""Progress on stderr: on a terminal only, and only for work that takes a while."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["progress_on_stderr"]

_PATIENCE = 1.0


@contextmanager
def progress_on_stderr() -> Iterator[Callable[..., None] | None]:
    """Give a callback that shows how far the work is, or None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.stop()


class _Bar:
    """Show steps as they are reported, once the work has taken a second."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.display: Any = None
        self.tasks: dict[str, Any] = {}

    def __call__(self, step: str, done: float = 0, total: float | None = None) -> None:
        if self.display is None:
            if time.monotonic() - self.started < _PATIENCE:
                return
            self.display = _display()
            self.display.start()
        if step not in self.tasks:
            self.tasks[step] = self.display.add_task(step, total=total)
        self.display.update(self.tasks[step], completed=done, total=total)

    def stop(self) -> None:
        if self.display is not None:
            self.display.stop()


def _display() -> Any:  # noqa: ANN401 - rich is loaded here only
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress  # noqa: PLC0415

    return Progress(console=Console(stderr=True), transient=True)
