# SPDX-License-Identifier: Apache-2.0
"""Controlled rounding: all adds up, each number beside itself, least distance."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit
from conformance.cases import linked, sown
from strategies import tables
from tacit.errors import LimitError

if TYPE_CHECKING:
    from numpy.typing import NDArray

some = settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def square(inner: NDArray[np.int64]) -> tacit.Table:
    """A table with one total in each dimension."""
    frame: dict[str, list[object]] = {f"d{d}": [] for d in range(inner.ndim)}
    frame["n"] = []
    for place in np.ndindex(*inner.shape):
        for d, at in enumerate(place):
            frame[f"d{d}"].append(f"c{at}")
        frame["n"].append(int(inner[place]))
    by = {f"d{d}": "T" for d in range(inner.ndim)}
    return tacit.Table.from_cells(frame, by=by, value="n")


def with_margins(inner: NDArray[np.int64]) -> NDArray[np.int64]:
    for axis in range(inner.ndim):
        total = inner.sum(axis=axis, keepdims=True)
        inner = np.concatenate([total, inner], axis=axis)
    return inner


def least_distance(inner: NDArray[np.int64], base: int, steps: int) -> int | None:
    """Try every rounding of the inner cells; totals must be beside themselves too."""
    true = with_margins(inner)
    low, rest = true // base, true % base
    least = (low - steps) * base
    most = (low + steps + (rest > 0)) * base
    if true.min() >= 0:
        least = np.maximum(least, 0)
    least[true == 0], most[true == 0] = 0, 0
    inside = (slice(1, None),) * inner.ndim
    choices = [
        range(a, b + 1, base)
        for a, b in zip(least[inside].ravel(), most[inside].ravel(), strict=True)
    ]
    best = None
    for chosen in product(*choices):
        made = with_margins(np.array(chosen).reshape(inner.shape))
        if ((made >= least) & (made <= most)).all():
            distance = int(np.abs(made - true).sum())
            best = distance if best is None else min(best, distance)
    return best


shapes = st.sampled_from([(2, 2), (2, 3), (3, 2), (3, 3), (2, 2, 2)])


@st.composite
def inners(draw: st.DrawFn) -> NDArray[np.int64]:
    shape = draw(shapes)
    size = int(np.prod(shape))
    cells = draw(st.lists(st.integers(0, 40), min_size=size, max_size=size))
    return np.array(cells, dtype=np.int64).reshape(shape)


@some
@given(inners(), st.sampled_from([2, 3, 5, 7]))
def test_the_distance_is_the_least_there_is(
    inner: NDArray[np.int64], base: int
) -> None:
    expected = least_distance(inner, base, 0)
    if expected is None:
        with pytest.raises(LimitError, match="Let numbers go further with steps=1"):
            tacit.round(square(inner), base=base)
        return
    release = tacit.round(square(inner), base=base)
    assert release.cost == expected
    assert release.bound == pytest.approx(expected, abs=1e-6)
    assert release.provenance["search"] == "optimal"


@settings(some, max_examples=15)
@given(st.lists(st.integers(0, 12), min_size=4, max_size=4), st.sampled_from([2, 3, 5]))
def test_the_distance_is_the_least_with_steps_too(cells: list[int], base: int) -> None:
    inner = np.array(cells, dtype=np.int64).reshape(2, 2)
    release = tacit.round(square(inner), base=base, steps=1)
    assert release.cost == least_distance(inner, base, 1)


def check(release: tacit.Release, base: int, steps: int) -> None:
    """What is promised of every cell and every relation."""
    true, made = release.table.cells.value, release.published
    scaled = base * 10**release.table.cells.decimals
    assert not release.table.relations.residuals(made).any()
    assert not (made % scaled).any()
    assert (np.abs(made - true) < scaled * (steps + 1)).all() or steps
    assert (np.abs(made - true) <= scaled * (steps + 1)).all()
    if steps == 0:
        assert (made == true)[true % scaled == 0].all()
    if true.min(initial=0) >= 0:
        assert (made >= 0).all()
    assert release.bound is not None
    assert release.bound <= release.cost == np.abs(made - true).sum()


any_table = st.one_of(tables(), st.one_of(sown(), linked()).map(lambda a: a.table))


@some
@given(any_table, st.sampled_from([2, 3, 5, 10]), st.integers(0, 2))
def test_any_table_adds_up_beside_itself(
    table: tacit.Table, base: int, steps: int
) -> None:
    try:
        release = tacit.round(table, base=base, steps=steps, time_limit=20)
    except LimitError:
        return
    check(release, base, steps)


def test_a_cube_that_cannot_be_rounded_says_so_and_can_with_a_step() -> None:
    """Three dimensions: every face asks for its own parity, and they disagree."""
    found = None
    for cells in product((0, 1), repeat=8):
        inner = np.array(cells, dtype=np.int64).reshape(2, 2, 2)
        if least_distance(inner, 2, 0) is None:
            found = inner
            break
    if found is None:
        found = unroundable()
    with pytest.raises(LimitError) as error:
        tacit.round(square(found), base=2)
    assert error.value.exit_code == 4
    assert "one of the multiples beside it" in str(error.value)
    check(tacit.round(square(found), base=2, steps=1), 2, 1)


def unroundable() -> NDArray[np.int64]:
    """Search cubes of 2 x 2 x 3 for one that cannot be rounded to base 2."""
    random = np.random.default_rng(1)
    for _ in range(4000):
        inner = random.integers(0, 2, (2, 2, 3))
        if least_distance(inner, 2, 0) is None:
            return inner
    pytest.fail("no such cube among 4,000")


def test_no_time_is_no_table() -> None:
    table = square(np.arange(1, 10).reshape(3, 3))
    with pytest.raises(LimitError, match="The time limit of 0 s ended before"):
        tacit.round(table, base=5, time_limit=0)


def test_large_tables_of_three_dimensions_add_up_and_have_a_bound() -> None:
    inner = np.random.default_rng(3).integers(0, 60, (14, 14, 14))
    release = tacit.round(square(inner), base=5, time_limit=3)
    check(release, 5, 0)
    assert release.gap is not None
    assert release.gap < 0.5


def test_cubes_of_small_counts_need_a_step_and_get_it() -> None:
    """Hardly any number is a multiple, and totals are sums of ones and twos."""
    inner = np.random.default_rng(6).integers(0, 3, (14, 14, 14))
    release = tacit.round(square(inner), base=3, steps=1, time_limit=4)
    check(release, 3, 1)
    assert release.gap is not None


def test_two_dimensions_are_optimal() -> None:
    inner = np.random.default_rng(4).integers(0, 400, (40, 50))
    release = tacit.round(square(inner), base=7)
    assert release.provenance["search"] == "optimal"
    assert release.gap == 0.0


def test_negative_amounts_are_rounded_too() -> None:
    inner = np.random.default_rng(5).integers(-40, 40, (5, 5))
    check(tacit.round(square(inner), base=7), 7, 0)


def test_whoever_stops_the_search_gets_the_best_so_far() -> None:
    inner = np.random.default_rng(3).integers(0, 60, (16, 16, 16))
    told = []

    def stop(step: str, _done: int, _total: int | None) -> None:
        told.append(str(step))
        if step.startswith("improving 0 "):
            raise KeyboardInterrupt

    release = tacit.round(square(inner), base=5, time_limit=60, progress=stop)
    check(release, 5, 0)
    assert release.provenance["search"] == "stopped"
    assert told[0] == "rounding"


def test_whoever_stops_before_any_table_gets_none() -> None:
    def stop(_step: str, _done: int, _total: int | None) -> None:
        raise KeyboardInterrupt

    table = square(np.arange(1, 10).reshape(3, 3))
    with pytest.raises(LimitError, match="before any table was found"):
        tacit.round(table, base=5, progress=stop)
