# SPDX-License-Identifier: Apache-2.0
"""The keys of ``[protect]`` for the verbs that change numbers.

The options of a method are its keys: a section is made for each method that a family
lists, and nothing has to be said here of a new one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import Field, Tag, create_model

from tacit.errors import suggest
from tacit.job._protect_verb import Verb
from tacit.protect._families import VERBS, family

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.job._model import Job
    from tacit.protect import Release
    from tacit.protect._perturbing import Options
    from tacit.rules import Assessment

__all__ = ["NUMBERS", "known_algorithm", "sections", "tag_of"]

_FIRST = {"round": "controlled", "adjust": "cta", "perturb": "cell_key"}
# The verbs that have a method in this version.
NUMBERS = tuple(verb for verb in VERBS if family(verb).modules)


class Numbers(Verb):
    """Publish other numbers."""

    @property
    def sources(self) -> tuple[str, ...]:
        """Files that the options name."""
        found: tuple[str, ...] = getattr(self, "files", ())
        return found

    def release(
        self,
        job: Job,
        assessment: Assessment,
        progress: Callable[..., None] | None,
    ) -> Release:
        """Protect as the keys say."""
        verb, name = _chosen(self)
        chosen = family(verb)
        model = chosen.module(name).Options
        options = {key: getattr(self, key) for key in model.model_fields}
        made = model.model_construct(**options).located(job.folder)
        return chosen.release(assessment, made, {}, progress)


def _chosen(section: Any) -> tuple[str, str]:  # noqa: ANN401 - a section made below
    return section.method, section.algorithm


def sections() -> list[Any]:
    """Give the section of each method, with the tag that chooses it."""
    return [
        Annotated[_section(verb, name), Tag(f"{verb} by {name}")]
        for verb in NUMBERS
        for name in family(verb).modules
    ]


def _section(verb: str, name: str) -> type[Numbers]:
    options: type[Options] = family(verb).module(name).Options
    first = _FIRST[verb] == name
    said = Field(default=name if first else ..., description=f"the method: {name}")
    fields: dict[str, Any] = {
        "method": (Literal[verb], Field(description=f"the verb: {verb}")),
        "algorithm": (Literal[name], said),
    }
    made: Any = create_model(
        f"{verb.title()}{name.title().replace('_', '')}",
        __base__=cast("Any", (Numbers, options)),
        __doc__=options.__doc__,
        **fields,
    )
    return cast("type[Numbers]", made)


def tag_of(verb: str, algorithm: object) -> str:
    """Name the section for these two keys."""
    return f"{verb} by {algorithm or _FIRST[verb]}"


def known_algorithm(verb: str, algorithm: object) -> None:
    """Refuse a method that the verb does not have."""
    known = family(verb).modules
    chosen = _FIRST[verb] if algorithm is None else algorithm
    if chosen not in known:
        what = f"'{chosen}' is not known" if isinstance(chosen, str) else "unknown"
        message = f"the algorithm {what}. {suggest(str(chosen), known)}"
        raise ValueError(message)
