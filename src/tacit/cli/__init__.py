# SPDX-License-Identifier: Apache-2.0
"""The command ``tacit``.

The result goes to stdout, progress and log to stderr. Exit codes: 0 safe and complete,
1 an error of the user, 2 a wrong call, 3 something is not protected, 4 no answer within
the limits, 130 stopped by the user.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_FAILED, _STOPPED = 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and give its exit code.

    >>> main(["--version"])
    tacit 0.1.0
    0
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn  # type: ignore[assignment]
            return _call(given)
    except KeyboardInterrupt:
        return _stopped()
    except BrokenPipeError:
        # Whoever read us has gone; keep Python from complaining when it closes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _FAILED
    except Exception as error:
        if debug:
            raise
        return _told(error)


def _call(given: list[str]) -> int:
    from tacit.cli._app import app  # noqa: PLC0415 - typer is late, like all else

    try:
        app(given, prog_name="tacit")
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        if code == _STOPPED:
            return _stopped()
        sys.stdout.flush()
        return code
    return 0


def _warn(message: Warning | str, category: type[Warning], *_place: object) -> None:
    """Show what tacit warns of; what others warn of may hold data and does not show."""
    if category.__module__.partition(".")[0] == "tacit":
        print(f"tacit: warning: {message}", file=sys.stderr)  # noqa: T201


def _stopped() -> int:
    print("Stopped. Nothing was written.", file=sys.stderr)  # noqa: T201
    return _STOPPED


def _told(error: Exception) -> int:
    """Say what is wrong; of an error that is not ours only its kind and place.

    The message of a foreign error may hold values of the data, so it stays away from
    screen and log unless ``--debug`` asks for it.
    """
    from tacit.errors import TacitError  # noqa: PLC0415

    if isinstance(error, TacitError):
        print(f"tacit: {error}", file=sys.stderr)  # noqa: T201
        return error.exit_code
    if isinstance(error, OSError) and error.strerror and error.filename:
        # Not allowed, no space left: for the user to mend, and there are no data in it.
        print(f"tacit: {error.strerror}: '{error.filename}'", file=sys.stderr)  # noqa: T201
        return _FAILED
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f" in {trace.tb_frame.f_code.co_qualname}"
    print(  # noqa: T201
        f"tacit: this should not have happened ({type(error).__name__}{place}). "
        "'tacit --debug ...' shows all of it, which may include confidential values.",
        file=sys.stderr,
    )
    return _FAILED
