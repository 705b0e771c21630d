# SPDX-License-Identifier: Apache-2.0
"""Problems of a job that no single key shows: keys that clash, files that lack.

The checks read the document and not the model, so that they also speak when the
model already has complaints of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.errors import JobError, SourceError
from tacit.rules._presets import Preset
from tacit.tabulate._files import find_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tacit.job._problems import Place

__all__ = ["problems_in"]

_CELLS_ONLY = {
    "data": ("missing_totals", "tolerance"),
    "measure": (
        "count",
        "holdings",
        "contributions",
        "state",
        "lower",
        "upper",
        "sliding",
    ),
}
_MICRODATA_ONLY = {
    "data": ("strip_codes", "missing"),
    "measure": (
        "unit",
        "holding",
        "weight",
        "weights",
        "waiver",
        "request",
        "size",
        "round_input",
    ),
}
_NEEDS = {
    "holding": ("unit", "units are merged into holdings"),
    "weights": ("weight", "it says how weights are used"),
    "decimals": ("value", "counts have no decimals"),
    "round_input": ("value", "counts are not rounded"),
}


def problems_in(
    document: dict[str, Any], folder: Path | None
) -> list[tuple[Place, str]]:
    """Find what does not fit together; with a folder, also the files that lack."""
    problems = [
        *_measure_problems(document),
        *_rule_problems(document),
        *_column_problems(document),
    ]
    if folder is not None:
        problems += _file_problems(document, folder)
        problems += _preset_problems(document, folder)
    return problems


def _section(document: dict[str, Any], name: str) -> dict[str, Any]:
    section = document.get(name)
    return section if isinstance(section, dict) else {}


def _measure_problems(document: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    finished = _section(document, "data").get("kind") == "cells"
    have, want = ("cells", "microdata") if finished else ("microdata", "cells")
    for section, keys in (_MICRODATA_ONLY if finished else _CELLS_ONLY).items():
        for key in keys:
            if key in _section(document, section):
                words = f"belongs to data.kind = '{want}', and the data are {have}."
                yield (section, key), words
    measure = _section(document, "measure")
    for key, (needed, why) in _NEEDS.items():
        if measure.get(key) and needed not in measure and not finished:
            yield ("measure", key), f"needs measure.{needed}: {why}."
    if finished and "value" not in measure and "count" not in measure:
        yield ("measure",), "needs value or count: the column of the finished table."


def _rule_problems(document: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    if "preset" in document and "rule" in document:
        words = (
            "stands beside [[rule]]. The preset of an institute is not overridden by a "
            "job: remove one of the two."
        )
        yield ("preset",), words
    judged = any(document.get(key) for key in ("rule", "preset"))
    if not judged and "state" not in _section(document, "measure"):
        words = (
            "is missing, and there is no preset: without a rule nothing would be "
            "sensitive and everything would be published. Name one with [[rule]]."
        )
        yield ("rule",), words


def _column_problems(document: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    seen: dict[str, str] = {}
    for name, spec in _section(document, "dimensions").items():
        column = spec.get("column", name) if isinstance(spec, dict) else name
        if isinstance(column, str) and column in seen:
            words = f"column '{column}' is already dimension '{seen[column]}'."
            yield ("dimensions", name, "column"), words
        seen.setdefault(str(column), name)


def _file_problems(
    document: dict[str, Any], folder: Path
) -> Iterator[tuple[Place, str]]:
    source = _section(document, "data").get("source")
    if isinstance(source, str):
        try:
            find_files(folder / source)
        except SourceError as error:
            yield ("data", "source"), str(error)
    for place, named in _files(document):
        path = folder / named
        if not path.is_file():
            kind = "is a folder, not a file" if path.is_dir() else "does not exist"
            yield place, f"the file '{named}' {kind} (looked in '{folder}')."


def _preset_problems(
    document: dict[str, Any], folder: Path
) -> Iterator[tuple[Place, str]]:
    named = document.get("preset")
    if isinstance(named, str) and (folder / named).is_file():
        try:
            Preset.read(folder / named)
        except JobError as error:
            for problem in error.problems or (str(error),):
                yield ("preset",), problem


def _files(document: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    if isinstance(document.get("preset"), str):
        yield ("preset",), document["preset"]
    yield from _earlier(document)
    protect = _section(document, "protect")
    for key in ("noise", "small", "odd"):
        if isinstance(protect.get(key), str):
            named = protect[key]
            yield ("protect", key), named.rpartition(":")[0] or named
    for name, spec in _section(document, "dimensions").items():
        if not isinstance(spec, dict):
            continue
        given = spec.get("hierarchy")
        several = given if isinstance(given, list) else [given]
        for number, tree in enumerate(several):
            if isinstance(tree, str):
                place: Place = ("dimensions", name, "hierarchy")
                yield (*place, number) if isinstance(given, list) else place, tree
        if isinstance(spec.get("labels"), str):
            yield ("dimensions", name, "labels"), spec["labels"]


def _earlier(document: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    """Files of earlier releases: one, a list, or under ``source``."""
    history = _section(document, "protect").get("history")
    place: Place = ("protect", "history")
    if isinstance(history, dict):
        history, place = history.get("source"), (*place, "source")
    for named in history if isinstance(history, list) else [history]:
        if isinstance(named, str):
            yield place, named
