# SPDX-License-Identifier: Apache-2.0
"""The job: one model that the command line, Python and the app all run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationError,
    field_validator,
)

from tacit.errors import JobError
from tacit.job._check import problems_in
from tacit.job._problems import said, translate
from tacit.job._protect import Protection  # noqa: TC001 - pydantic reads it
from tacit.job._sections import (
    Assessing,
    Data,
    DimensionSpec,
    Measure,
    Output,
    Section,
    Text,
)
from tacit.job._toml import read_toml
from tacit.rules import AnyRule  # noqa: TC001 - pydantic reads the annotations
from tacit.rules._profiles import find_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tacit.job._run import Outcome
    from tacit.job._toml import Lines
    from tacit.rules import Assessment, Rule
    from tacit.table import Table

__all__ = ["Job"]


def _known_version(given: object) -> object:
    if isinstance(given, int) and given != 1:
        message = f"this is tacit's format 1; there is no format {given}"
        raise ValueError(message)
    return given


class Job(Section):
    """Everything that makes a protected table from a source, as one frozen model.

    >>> job = Job.from_dict({
    ...     "version": 1,
    ...     "data": {"source": "firms.csv"},
    ...     "dimensions": {"region": {"total": "Total"}},
    ...     "rule": [{"kind": "min_frequency", "n": 3}],
    ... })
    >>> job
    <Job: firms.csv by region, 1 rule>
    >>> Job.from_dict({"version": 1, "data": {"source": "firms.csv"}, "rules": []})
    Traceback (most recent call last):
    tacit.errors.JobError: The job has 3 problems.
      - dimensions: is missing: the classifications of the table, by name.
      - rule: is missing, and there is no preset: without a rule nothing would be \
sensitive and everything would be published. Name one with [[rule]].
      - rules: unknown key. Did you mean 'rule'?
    """

    version: Annotated[Literal[1], BeforeValidator(_known_version)] = Field(
        description="the version of this format: 1"
    )
    data: Data = Field(description="the source of the data")
    dimensions: Annotated[dict[str, DimensionSpec], Field(min_length=1)] = Field(
        description="the classifications of the table, by name"
    )
    measure: Measure = Field(default_factory=Measure, description="what is summed")
    rule: Annotated[tuple[AnyRule, ...], Field(strict=False)] = Field(
        default=(), description="the rules of primary sensitivity"
    )
    combine: Literal["any", "all"] = Field(
        default="any", description="whether any or all of the rules must fire"
    )
    preset: Text | None = Field(
        default=None,
        description="a file with the rules of the institute, instead of [[rule]]",
    )
    profile: Text | None = Field(
        default=None, description="conventions of another tool, such as tauargus"
    )
    judging: Assessing = Field(
        default_factory=Assessing,
        alias="assess",
        description="how cells are judged, beside the rules",
    )
    protect: Protection = Field(
        default=None,
        description="the method of protection; absent: nothing is protected",
    )
    compare: dict[Text, Protection] = Field(
        default_factory=dict,
        description="methods to compare, by name; absent: every method that needs no "
        "further key",
    )
    output: Output = Field(default_factory=Output, description="the files to write")

    @field_validator("profile")
    @classmethod
    def _known_profile(cls, profile: str | None) -> str | None:
        find_profile(profile)
        return profile

    _folder: Path = PrivateAttr(default=Path())

    @property
    def folder(self) -> Path:
        """The folder to which the paths of the job are relative."""
        return self._folder

    @classmethod
    def load(cls, path: str | Path) -> Job:
        """Read a job file; an error lists every problem with its line."""
        path = Path(path)
        document, lines = read_toml(path)
        found = f"The job file '{path.name}' has"
        return cls._checked(document, folder=path.parent, lines=lines, found=found)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], *, folder: str | Path = ".") -> Job:
        """Make a job of a mapping laid out like the file; paths start at ``folder``."""
        return cls._checked(
            dict(document), folder=Path(folder), lines=None, found="The job has"
        )

    @classmethod
    def _checked(
        cls, document: dict[str, Any], *, folder: Path, lines: Lines | None, found: str
    ) -> Job:
        job, problems = None, []
        try:
            job = cls.model_validate(document)
        except ValidationError as error:
            problems = translate(error, document, cls)
        # A mapping may be checked before its files exist.
        problems += problems_in(document, folder if lines is not None else None)
        if problems or job is None:
            listed = sorted({said(*problem, lines or {}) for problem in problems})
            listed.sort(key=_line_number)
            count = f"{len(listed)} problem{'s' if len(listed) > 1 else ''}"
            message = f"{found} {count}."
            raise JobError(message, listed)
        job._folder = folder  # noqa: SLF001 - its own
        return job

    @classmethod
    def schema(cls) -> dict[str, Any]:  # type: ignore[override]
        """Give the JSON Schema of the job file, for editors and forms.

        >>> Job.schema()["required"]
        ['version', 'data', 'dimensions']
        """
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            **cls.model_json_schema(),
        }

    @property
    def rules(self) -> Rule | None:
        """The rules of the job as one; None if it names none."""
        from tacit.rules import AllOf, AnyOf  # noqa: PLC0415 - beside its use

        if len(self.rule) <= 1:
            return self.rule[0] if self.rule else None
        return (AnyOf if self.combine == "any" else AllOf)(rules=self.rule)

    def tabulate(self, progress: Callable[..., None] | None = None) -> Table:
        """Read the source and make the table."""
        from tacit.job._steps import tabulate_job  # noqa: PLC0415 - heavy

        return tabulate_job(self, progress)

    def assess(self, progress: Callable[..., None] | None = None) -> Assessment:
        """Make the table and find its sensitive cells."""
        from tacit.job._steps import assess_job  # noqa: PLC0415 - heavy

        return assess_job(self, self.tabulate(progress))

    def run(
        self,
        out: str | Path | None = None,
        *,
        force: bool = False,
        progress: Callable[..., None] | None = None,
    ) -> Outcome:
        """Run the whole protocol and write ``public/``, ``internal/`` and manifest.

        ``out`` is the folder to write, ``out`` beside the job file if not given. It
        appears only when everything in it is complete.
        """
        from tacit.job._run import run_job  # noqa: PLC0415 - heavy

        target = Path(out) if out is not None else self.folder / "out"
        return run_job(self, target, force=force, progress=progress)

    def __repr__(self) -> str:
        rules = f"{len(self.rule)} rule{'' if len(self.rule) == 1 else 's'}"
        by = " x ".join(self.dimensions)
        return f"<Job: {self.data.source} by {by}, {rules}>"

    __str__ = __repr__


def _line_number(problem: str) -> int:
    if not problem.startswith("line "):
        return 0
    return int(problem.removeprefix("line ").partition(":")[0])
