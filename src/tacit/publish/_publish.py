# SPDX-License-Identifier: Apache-2.0
"""The two doors out: the public one checks, the internal one is marked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.errors import InputError, UnsafeError
from tacit.publish._formats import Layout, writer
from tacit.publish._view import internal_view, public_view

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.measure import Comparison
    from tacit.protect import Release
    from tacit.publish._view import View

__all__ = ["deliver", "publish", "publish_internal", "require_internal_name"]


def publish(
    release: Release,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    layout: Layout | None = None,
    force: bool = False,
) -> Path:
    """Write the public view of a safe release, and refuse any other.

    Suppressed cells show ``layout.symbol`` (an empty value in csv) whatever the
    reason for their suppression. The format follows from the ending of ``path``.

    >>> import tempfile, tacit
    >>> from tacit.protect import release_as_is
    >>> from tacit.publish import publish
    >>> table = tacit.Table.from_cells(
    ...     {"sex": ["f", "m"], "n": [12, 30]}, by={"sex": "all"}, value="n")
    >>> release = release_as_is(tacit.assess(table))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(publish(release, folder + "/table.csv").read_text(), end="")
    "sex","sex_label","value","OBS_STATUS","CONF_STATUS"
    "all","all",42,"A","F"
    "f","f",12,"A","F"
    "m","m",30,"A","F"
    """
    if not release.safe:
        raise UnsafeError(release.why_unsafe())
    target = Path(path)
    if "internal" in target.name.lower():
        message = (
            f"The name '{target.name}' says internal, and this is the public view. "
            "Choose another name, or use release.internal.write(...)."
        )
        raise InputError(message)
    return _write(public_view(release), target, format, (layout, force))


def publish_internal(
    release: Release,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    layout: Layout | None = None,
    comparison: Comparison | None = None,
    force: bool = False,
) -> Path:
    """Write everything: true values, states, levels, reasons. Confidential.

    The name of the file must hold the word ``internal``. A ``comparison`` with other
    releases is told in the report, which is the format html.
    """
    target = Path(path)
    require_internal_name(target, "the true values")
    return _write(internal_view(release, comparison), target, format, (layout, force))


def require_internal_name(target: Path, what: str) -> None:
    """Refuse a file whose name hides that it is confidential."""
    if "internal" not in target.name.lower():
        message = (
            f"'{target.name}' would hold {what}, and its name does not say "
            "so. The name of such a file must hold the word 'internal': "
            f"'{target.stem}.internal{target.suffix}'."
        )
        raise InputError(message)


def _write(
    view: View, target: Path, name: str | None, options: tuple[Layout | None, bool]
) -> Path:
    layout, force = options
    module = writer(name if name is not None else target.suffix.lstrip(".").lower())
    return deliver(
        target, lambda path: module.write(view, path, layout or Layout()), force=force
    )


def deliver(target: Path, write: Callable[[Path], None], *, force: bool) -> Path:
    """Write beside the target and move: nobody ever finds half a file."""
    _check_target(target, force=force)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        write(partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def _check_target(target: Path, *, force: bool) -> None:
    if not target.parent.is_dir():
        message = f"The folder '{target.parent}' does not exist. Make it first."
        raise InputError(message)
    if target.is_dir():
        message = f"'{target}' is a folder. Name the file to write."
        raise InputError(message)
    if target.exists() and not force:
        message = (
            f"'{target}' exists, and nothing is overwritten unasked. "
            "Choose another name, or say force=True."
        )
        raise InputError(message)
