# SPDX-License-Identifier: Apache-2.0
"""The log on stderr; the library itself only speaks to its loggers."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, TextIO

__all__ = ["start_log"]

_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


if TYPE_CHECKING:
    _Handler = logging.StreamHandler[TextIO]
else:
    _Handler = logging.StreamHandler


class _OnStderr(_Handler):
    """Write to what stderr is at the time, not to what it was at the start."""

    @property
    def stream(self) -> TextIO:
        return sys.stderr

    @stream.setter
    def stream(self, stream: TextIO) -> None:
        """Take nothing else."""


def start_log(verbose: int) -> None:
    """Send what tacit logs to stderr: warnings, more with each ``-v``."""
    handler = _OnStderr()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("tacit")
    logger.handlers[:] = [handler]
    logger.setLevel(_LEVELS[min(verbose, len(_LEVELS) - 1)])
    logger.propagate = False
