# SPDX-License-Identifier: Apache-2.0
"""The section ``[protect]``: which verb makes the table safe, with that verb's keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import BeforeValidator, Discriminator, Tag

from tacit.errors import suggest
from tacit.job._protect_numbers import NUMBERS, known_algorithm, sections, tag_of
from tacit.job._protect_suppress import Suppress
from tacit.job._sections import Section
from tacit.protect import Release

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.job._model import Job
    from tacit.job._protect_verb import Verb
    from tacit.rules import Assessment

__all__ = ["Protection", "protect_job"]

# The verbs of protection that a job can name; one that this version does not hold is
# an error and never ignored.
_VERBS = ("suppress", "round", "adjust", "perturb")
_BUILT = ("suppress", *NUMBERS)


def _known_verb(given: object) -> object:
    """Say what is wrong with the verb before anything is said of its keys."""
    if given is None or isinstance(given, Section):
        return given
    method = given.get("method") if isinstance(given, dict) else None
    if isinstance(given, dict) and method in NUMBERS:
        known_algorithm(method, given.get("algorithm"))
    if method in _BUILT:
        return given
    if method in _VERBS:
        message = (
            f"the method '{method}' is not available in this version, and a method is "
            "never ignored. Remove [protect] to see what is sensitive"
        )
    elif method is None:
        message = f"the key 'method' is missing. {suggest('', _VERBS)}"
    else:
        message = f"there is no method '{method}'. {suggest(str(method), _VERBS)}"
    raise ValueError(message)


def _tag(given: object) -> str | None:
    """Name the section that a table of keys is meant for."""
    if isinstance(given, Section):
        given = {key: getattr(given, key, None) for key in ("method", "algorithm")}
    if not isinstance(given, dict) or given["method"] == "suppress":
        return "suppress"
    return tag_of(given["method"], given.get("algorithm"))


if TYPE_CHECKING:
    Protection = Verb | None
else:
    _SECTIONS = Annotated[
        Union[(Annotated[Suppress, Tag("suppress")], *sections())],
        Discriminator(_tag),
    ]
    Protection = Annotated[_SECTIONS | None, BeforeValidator(_known_verb)]


def protect_job(
    job: Job, assessment: Assessment, progress: Callable[..., None] | None
) -> Release:
    """Protect as the job says; without a word of it the table stands as it is."""
    chosen = job.protect
    if chosen is None:
        values = assessment.table.cells.value
        return Release(assessment, assessment.state, "none", values)
    return chosen.release(job, assessment, progress)
