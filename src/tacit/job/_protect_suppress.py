# SPDX-License-Identifier: Apache-2.0
"""The keys of ``[protect]`` for ``method = "suppress"``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from tacit.job._protect_verb import Verb
from tacit.job._sections import Section, Text, Texts
from tacit.protect.suppress import Cost, History
from tacit.protect.suppress._methods import Method  # noqa: TC001 - as above

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.job._model import Job
    from tacit.protect import Release
    from tacit.rules import Assessment

__all__ = ["Suppress"]


def _as_list(given: object) -> object:
    return given if isinstance(given, list | tuple) else (given,)


class HistorySpec(Section):
    """Earlier releases, and how they bind this one."""

    source: Annotated[Texts, BeforeValidator(_as_list)] = Field(
        description="the public csv file of the earlier release, or a list of them, "
        "the latest last"
    )
    pattern: Literal["prefer", "require", "ignore"] = Field(
        default="prefer",
        description="whether cells withheld before are preferred, required, or nothing",
    )
    price: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.5, description="what a preferred cell costs, as a share of its cost"
    )
    published: Literal["free", "frozen"] = Field(
        default="free",
        description="frozen: cells that were published with the same value stay so",
    )
    change: Annotated[float, Field(ge=0)] | None = Field(
        default=None,
        description="share by which a published value has changed at most, as known "
        "to an attacker",
    )


def _as_history(given: object) -> object:
    return {"source": given} if isinstance(given, str | list) else given


class Suppress(Verb):
    """Withhold further cells."""

    method: Literal["suppress"] = Field(description="the verb: suppress")
    algorithm: Method = Field(
        default="auto",
        description="auto; optimal: with the proof that nothing is cheaper; modular, "
        "hypercube or network: classical methods, repaired; gauss: against exact "
        "disclosure only",
    )
    cost: Literal["value", "count", "unit", "column"] | Cost = Field(
        default="value",
        description="what withholding a cell costs: value, count, unit, column, or a "
        "table of base, power, log and margins",
    )
    time_limit: Annotated[float, Field(ge=0)] = Field(
        default=60.0, description="seconds that the search may take"
    )
    history: (
        Annotated[
            HistorySpec,
            BeforeValidator(
                _as_history, json_schema_input_type=Text | list[Text] | HistorySpec
            ),
        ]
        | None
    ) = Field(default=None, description="earlier releases of this table")
    processes: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="how many processes share the work; all processors if absent. "
        "The result does not depend on it",
    )

    @property
    def sources(self) -> tuple[str, ...]:
        """The earlier releases."""
        return () if self.history is None else self.history.source

    def release(
        self,
        job: Job,
        assessment: Assessment,
        progress: Callable[..., None] | None,
    ) -> Release:
        """Protect as the keys say."""
        from tacit.protect.suppress import suppress  # noqa: PLC0415 - heavy

        return suppress(
            assessment,
            self.algorithm,
            cost=self.cost,
            attackers=self.attackers,
            time_limit=self.time_limit,
            history=_history(job, self.history),
            executor=self.processes,
            progress=progress,
        )


def _history(job: Job, spec: HistorySpec | None) -> History | None:
    if spec is None:
        return None
    options: dict[str, Any] = spec.model_dump(exclude={"source"})
    return History([job.folder / named for named in spec.source], **options)
