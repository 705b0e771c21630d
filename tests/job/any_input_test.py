# SPDX-License-Identifier: Apache-2.0
"""Whatever a job file says, it is a job or a JobError, and never anything else."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import JobError
from tacit.job import Job
from tacit.job._toml import key_lines

if TYPE_CHECKING:
    from pathlib import Path

GOOD: dict[str, Any] = {
    "version": 1,
    "data": {"source": "firms.csv", "missing": {"region": "99"}},
    "dimensions": {
        "region": {"column": "district", "hierarchy": {"digits": [1, 1]}},
        "size": {"hierarchy": ["a.hrc", {"columns": ["x", "y"]}], "labels": "l.csv"},
    },
    "measure": {"value": "turnover", "decimals": 2, "unit": "firm"},
    "rule": [{"kind": "p_percent", "p": 10}, {"kind": "min_frequency", "n": 3}],
    "assess": {"exempt": {"size": ["9"]}},
    "output": {"public": ["csv"], "symbol": "x"},
}

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["kind", "digits", "columns", "method", "p", "source", "x"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=5,
)


def places_in(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    steps = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    below = [place for key, inner in steps for place in places_in(inner, (*path, key))]
    return [path, *below] if path else below


PLACES = places_in(GOOD)


@given(
    changes=st.lists(st.tuples(st.sampled_from(PLACES), values), max_size=3),
    added=st.dictionaries(
        st.sampled_from([*Job.model_fields, "assess", "unknown"]), values, max_size=2
    ),
)
def test_it_is_a_job_or_an_error_of_jobs(
    changes: list[tuple[tuple[Any, ...], Any]], added: dict[str, Any]
) -> None:
    document = copy.deepcopy(GOOD) | added
    for place, value in changes:
        change(document, place, value)
    problems: tuple[str, ...] = ("none",)
    try:
        assert repr(Job.from_dict(document)).startswith("<Job: ")
    except JobError as error:
        problems = error.problems
    assert problems
    assert all(problem.strip() for problem in problems)


def change(document: Any, place: tuple[Any, ...], value: Any) -> None:
    """Put a value in its place, if the place is still there."""
    node = document
    try:
        for part in place[:-1]:
            node = node[part]
        node[place[-1]] = value
    except (TypeError, KeyError, IndexError):
        return


def test_what_is_good_is_good() -> None:
    assert Job.from_dict(GOOD).measure.unit == "firm"


@given(st.text())
def test_lines_are_found_in_any_text(text: str) -> None:
    assert all(line >= 1 for line in key_lines(text).values())


@given(st.binary(max_size=60))
def test_any_file_is_a_job_or_an_error(tmp_path_factory: Any, content: bytes) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(content)
    try:
        Job.load(path)
    except JobError:
        return
    raise AssertionError(content)


def test_keys_inside_values_are_not_taken_for_keys() -> None:
    text = 'a = """\nb = 1\n"""\n"c d" = 2\n[[e.f]]\ng = 3\n[[e.f]]\n[e.f.h]\ni = 4\n'
    assert key_lines(text) == {
        ("a",): 1,
        ("c d",): 4,
        ("e", "f", 0): 5,
        ("e", "f", 0, "g"): 6,
        ("e", "f", 1): 7,
        ("e", "f", 1, "h"): 8,
        ("e", "f", 1, "h", "i"): 9,
    }
