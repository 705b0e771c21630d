# SPDX-License-Identifier: Apache-2.0
"""Several methods on the table of one job, side by side."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import tacit
from tacit.errors import JobError, LimitError, TacitError
from tacit.job._folder import MANIFEST, check_target, complete_folder, write_json
from tacit.job._names import REPORT
from tacit.job._protect_numbers import NUMBERS
from tacit.measure import compare, measures
from tacit.measure._compare import check_axes
from tacit.protect._families import family
from tacit.protect.suppress._methods import Method

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tacit.job._model import Job
    from tacit.job._protect_verb import Verb
    from tacit.measure import Comparison
    from tacit.protect import Release
    from tacit.rules import Assessment

__all__ = ["Compared", "compare_job", "contenders", "write_comparison"]

# Whole intervals are looked for as long as so many cells are withheld.
_MOST_INTERVALS = 2000
_MAP, _TABLE = "map.internal.svg", "measures.internal.csv"


@dataclass(frozen=True)
class Compared:
    """What came of it: the comparison, and the methods that gave no release."""

    comparison: Comparison
    skipped: Mapping[str, str]


def contenders(job: Job) -> tuple[dict[str, Verb], dict[str, str]]:
    """Name what is compared, and what cannot be, with the reason.

    These are the sections ``[compare.NAME]`` of the job; without one, every method of
    every verb that needs no further key. The keys of ``[protect]`` hold for all methods
    of its verb.
    """
    if job.compare:
        return {name: verb for name, verb in job.compare.items() if verb}, {}
    ready: dict[str, Verb] = {}
    skipped: dict[str, str] = {}
    for verb, algorithm in _registered():
        found, problem = _section(job, verb, algorithm)
        name = f"{verb} {algorithm}".replace("_", " ")
        if found is None:
            skipped[name] = problem
        else:
            ready[name] = found
    return ready, skipped


def _registered() -> Iterator[tuple[str, str]]:
    yield from (("suppress", name) for name in get_args(Method))
    yield from ((verb, name) for verb in NUMBERS for name in family(verb).modules)


def _section(job: Job, verb: str, algorithm: str) -> tuple[Verb | None, str]:
    from tacit.job._model import Job as Model  # noqa: PLC0415 - it opens this module

    own: Any = job.protect
    given: dict[str, Any] = {}
    if own is not None and own.method == verb:
        given = {name: getattr(own, name) for name in own.model_fields_set}
        if own.algorithm != algorithm and verb != "suppress":
            given = {k: v for k, v in given.items() if k in {"attackers", "time_limit"}}
    elif own is not None:
        given = {"attackers": own.attackers}
    given = {k: v for k, v in given.items() if v is not None}
    keys = {**given, "method": verb, "algorithm": algorithm}
    try:
        made = Model.from_dict({**_FRAME, "protect": keys})
    except JobError as error:
        return None, _needed(error)
    return made.protect, ""


def _needed(error: JobError) -> str:
    """Say which keys a method has to be told, where that is all that is missing."""
    missing = [re.match(r"protect\.(\w+): is missing", p) for p in error.problems]
    keys = [found[1] for found in missing if found]
    if keys and len(keys) == len(missing):
        listed = " and ".join(filter(None, [", ".join(keys[:-1]), keys[-1]]))
        return f"needs {listed}, in a section [compare.NAME] of the job."
    return " ".join(error.problems or (str(error),))


# The least that a job needs, to check one section of it by itself.
_FRAME: dict[str, Any] = {
    "version": 1,
    "data": {"source": "none.csv"},
    "dimensions": {"none": {}},
    "rule": [{"kind": "min_frequency", "n": 3}],
}


def compare_job(
    job: Job,
    *,
    progress: Callable[..., None] | None = None,
    **options: Any,  # noqa: ANN401 - those of compare
) -> Compared:
    """Run every contender on the table of a job, audit it, and compare."""
    check_axes(options.get("risk"), options.get("loss"))
    ready, skipped = contenders(job)
    assessment = job.assess(progress)
    releases: dict[str, Release] = {}
    for done, (name, verb) in enumerate(ready.items()):
        if progress is not None:
            progress(f"compare: {name}", done, len(ready))
        try:
            releases[name] = _audited(job, verb, assessment, progress)
        except (TacitError, LimitError) as error:
            skipped[name] = str(error)
    if not releases:
        listed = [f"{name}: {why}" for name, why in skipped.items()]
        message = "No method gave a release of this table."
        raise JobError(message, listed)
    return Compared(compare(assessment, releases, **options), skipped)


def _audited(
    job: Job,
    verb: Verb,
    assessment: Assessment,
    progress: Callable[..., None] | None,
) -> Release:
    release = verb.release(job, assessment, progress)
    few = int(release.withheld.sum()) <= _MOST_INTERVALS
    return release.audited(attackers=verb.attackers, full=few, progress=progress)


def write_comparison(
    job: Job, found: Compared, target: Path, *, force: bool
) -> tuple[Path, ...]:
    """Write the map, the measures and the report into a folder; all of it internal."""
    check_target(target, force=force)
    comparison = found.comparison
    with complete_folder(target, force=force) as folder:
        (folder / _MAP).write_text(comparison.map + "\n", "utf-8", newline="\n")
        _write_measures(comparison, folder / _TABLE)
        chosen = comparison.recommended or comparison.names[0]
        release = comparison.releases[chosen]
        release.internal.write(
            folder / REPORT, layout=job.output.layout, comparison=comparison
        )
        write_json(
            folder / MANIFEST,
            {
                "internal": True,
                "tacit": tacit.__version__,
                **json.loads(json.dumps(comparison.summary())),
                "skipped": dict(found.skipped),
            },
        )
        written = sorted(path.name for path in folder.iterdir())
    return tuple(target / name for name in written)


def _write_measures(comparison: Comparison, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["measure", "kind", "better", *comparison.names])
        for one in measures():
            values = [repr(found[one.name]) for found in comparison.measured.values()]
            rows.writerow([one.name, one.kind, one.better, *values])
