# SPDX-License-Identifier: Apache-2.0
"""What every verb of ``[protect]`` has: who must not find out, and how it is done."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from tacit.attacker import Attacker  # noqa: TC001 - pydantic reads it
from tacit.job._sections import Section

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.job._model import Job
    from tacit.protect import Release
    from tacit.rules import Assessment

__all__ = ["Verb"]


class Verb(Section):
    """A way to make the table safe, with its keys."""

    attackers: (
        Annotated[tuple[Attacker, ...], Field(strict=False, min_length=1)] | None
    ) = Field(
        default=None,
        description="who must not find out; the outsider and every insider if absent",
    )

    @property
    def sources(self) -> tuple[str, ...]:
        """Further files that the verb reads, relative to the job file."""
        return ()

    @abstractmethod
    def release(
        self,
        job: Job,
        assessment: Assessment,
        progress: Callable[..., None] | None,
    ) -> Release:
        """Protect as the keys say."""
