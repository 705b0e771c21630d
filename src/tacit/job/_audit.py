# SPDX-License-Identifier: Apache-2.0
"""Attack a published file, read by the dimensions of a job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacit.audit import audit
from tacit.errors import JobError, suggest
from tacit.job._source import column_names, read_columns
from tacit.job._steps import trees_of
from tacit.rules import AnyOf, MinFrequency

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tacit.attacker import Attacker
    from tacit.audit import AuditReport, Rounding
    from tacit.job._model import Job

__all__ = ["FileAudit"]

_OWN = {"OBS_STATUS", "CONF_STATUS"}
_SYMBOLS = ("x", ":", "..", "c", "")


@dataclass(frozen=True, kw_only=True)
class FileAudit:
    """How to read a published file, beside what the job says."""

    value: str | None = None
    lower: str | None = None
    upper: str | None = None
    symbols: tuple[str, ...] = ()
    zeros: tuple[str, ...] = ("-",)
    decimal: str | None = None
    base: float | Rounding | None = None
    attackers: Iterable[Attacker] | None = None
    time_limit: float | None = None

    def run(
        self, job: Job, path: Path, *, progress: Callable[..., None] | None = None
    ) -> AuditReport:
        """Read the file and attack it."""
        held = column_names(path)
        columns = {name: _column(job, name, held, path) for name in job.dimensions}
        number = self._number(job, held, columns.values(), path)
        ends = [name for name in (self.lower, self.upper) if name is not None]
        rows = read_columns(path, [*columns.values(), *ends, number])
        frame = {name: rows.column(name) for name in ends}
        frame |= {name: rows.column(column) for name, column in columns.items()}
        frame[number if number not in frame else f"{number}_"] = rows.column(number)
        measure = list(frame)[-1]
        counts = job.measure.value is None
        own = set(held) >= _OWN
        return audit(
            frame,
            by={n: trees_of(job, n, spec) for n, spec in job.dimensions.items()},
            value=None if counts else measure,
            count=measure if counts else None,
            lower=self.lower,
            upper=self.upper,
            symbols=_once(*_SYMBOLS, job.output.symbol, *self.symbols),
            zeros=_once(*self.zeros, job.output.absent),
            decimal=self.decimal or ("." if own else job.data.decimal),
            base=self.base,
            rule=_minimum(job) if counts else None,
            attackers=self.attackers,
            time_limit=self.time_limit,
            progress=progress,
        )

    def _number(
        self, job: Job, held: list[str], taken: Iterable[str], path: Path
    ) -> str:
        """The column of the printed numbers: as told, as in the job, or ``value``."""
        wanted = [self.value] if self.value else []
        if not wanted:
            named = (job.measure.value, job.measure.count, "value")
            wanted = [name for name in named if name is not None]
        for name in wanted:
            if name in held:
                return name
        left = [name for name in held if name not in taken]
        looked = ", ".join(f"'{name}'" for name in wanted)
        message = (
            f"'{path.name}' has no column of numbers (looked for {looked}). Name it "
            f"with --value. {suggest(wanted[0], left)}"
        )
        raise JobError(message)


def _once(*signs: str) -> list[str]:
    return list(dict.fromkeys(signs))


def _column(job: Job, name: str, held: list[str], path: Path) -> str:
    """The column of a dimension: named like it, or like its column in the source."""
    wanted = [name, job.dimensions[name].column or name]
    for column in wanted:
        if column in held:
            return column
    looked = ", ".join(f"'{column}'" for column in dict.fromkeys(wanted))
    message = (
        f"'{path.name}' does not fit the job: it has no column for the dimension "
        f"'{name}' (looked for {looked}). {suggest(name, held)}"
    )
    raise JobError(message)


def _minimum(job: Job) -> Any:  # noqa: ANN401 - a rule or none
    """The minimum frequency among the rules of the job: all that counts can show."""
    rule = job.rules
    parts = rule.rules if isinstance(rule, AnyOf) else (rule,)
    return next((part for part in parts if isinstance(part, MinFrequency)), None)
