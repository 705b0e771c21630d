# SPDX-License-Identifier: Apache-2.0
"""The job file: one model that the command line, Python and the app all run."""

from typing import TYPE_CHECKING, Any

from tacit.job._model import Job

if TYPE_CHECKING:
    from tacit.job._run import Outcome

__all__ = ["Job", "Outcome"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the one class below
    if name != "Outcome":
        message = f"module 'tacit.job' has no attribute '{name}'"
        raise AttributeError(message)
    from tacit.job._run import Outcome  # noqa: PLC0415 - loads what runs a job

    return Outcome
