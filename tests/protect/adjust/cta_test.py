# SPDX-License-Identifier: Apache-2.0
"""Controlled tabular adjustment: levels kept, sums exact, the least change there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit
from conformance.cases import finished, frozen, linked, negative, sown
from tacit.errors import InputError, LimitError
from tacit.table import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

some = settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def square(
    inner: NDArray[np.int64], needs: dict[tuple[int, int], tuple[int, int]]
) -> tacit.Assessment:
    """A table with totals, in which some inner cells need room above and below."""
    frame: dict[str, list[Any]] = {name: [] for name in ("a", "b", "v", "s", "u", "l")}
    for place in np.ndindex(*inner.shape):
        up, down = needs.get(place, (0, 0))
        frame["a"].append(f"a{place[0]}")
        frame["b"].append(f"b{place[1]}")
        frame["v"].append(int(inner[place]))
        frame["s"].append("sensitive" if place in needs else "safe")
        frame["u"].append(up)
        frame["l"].append(down)
    table = tacit.Table.from_cells(
        frame,
        by={"a": "T", "b": "T"},
        value="v",
        state="s",
        upper="u",
        lower="l",
    )
    return tacit.assess(table)


def least(
    inner: NDArray[np.int64],
    needs: dict[tuple[int, int], tuple[int, int]],
    *,
    far: int,
    keep_total: bool,
    squares: bool = False,
) -> float | None:
    """Try every change of the inner cells up to ``far``."""
    one = np.arange(-far, far + 1)
    grid = np.meshgrid(*[one] * inner.size, indexing="ij")
    move = np.stack([axis.ravel() for axis in grid], axis=1).reshape(-1, *inner.shape)
    fits = (inner + move >= 0).all(axis=(1, 2))
    if keep_total:
        fits &= move.sum(axis=(1, 2)) == 0
    for (row, column), (up, down) in needs.items():
        mine = move[:, row, column]
        fits &= ((mine >= up) & (up > 0)) | ((-mine >= down) & (down > 0))
    power = 2 if squares else 1
    parts = (move[fits], move[fits].sum(axis=1), move[fits].sum(axis=2))
    cost = sum(
        (np.abs(part) ** power).reshape(len(part), -1).sum(axis=1) for part in parts
    )
    cost = cost + np.abs(move[fits].sum(axis=(1, 2))) ** power
    return float(cost.min()) if len(cost) else None


@st.composite
def cases(draw: st.DrawFn) -> tuple[NDArray[np.int64], dict[Any, tuple[int, int]]]:
    shape = draw(st.sampled_from([(2, 2), (2, 3), (3, 2)]))
    size = int(np.prod(shape))
    cells = draw(st.lists(st.integers(3, 30), min_size=size, max_size=size))
    inner = np.array(cells, dtype=np.int64).reshape(shape)
    places = list(np.ndindex(*shape))
    chosen = draw(
        st.lists(st.sampled_from(places), min_size=1, max_size=3, unique=True)
    )
    levels = st.tuples(st.integers(1, 3), st.integers(1, 3))
    return inner, {at: draw(levels) for at in chosen}


@some
@given(cases(), st.booleans())
def test_the_change_is_the_least_there_is(
    case: tuple[NDArray[np.int64], dict[Any, tuple[int, int]]],
    keep: bool,  # noqa: FBT001 - drawn
) -> None:
    inner, needs = case
    expected = least(inner, needs, far=3, keep_total=keep)
    assert expected is not None
    release = tacit.adjust(
        square(inner, needs), weights="unit", preserve="total" if keep else "none"
    )
    assert release.cost == pytest.approx(expected)
    assert release.bound == pytest.approx(expected)
    assert release.provenance["search"] == "optimal"


def test_three_by_three_is_optimal_too() -> None:
    inner = np.array([[9, 5, 7], [6, 8, 4], [3, 9, 6]], dtype=np.int64)
    needs = {(0, 0): (2, 2), (1, 1): (1, 2)}
    release = tacit.adjust(square(inner, needs), weights="unit")
    assert release.cost == least(inner, needs, far=2, keep_total=False)


def test_squares_are_the_least_there_is() -> None:
    inner = np.array([[9, 5], [6, 8]], dtype=np.int64)
    needs = {(0, 0): (2, 2), (1, 1): (3, 3)}
    release = tacit.adjust(square(inner, needs), weights="unit", norm="l2")
    assert release.cost == least(inner, needs, far=4, keep_total=False, squares=True)
    assert release.bound is None


def check(release: tacit.Release) -> None:
    """What is promised on any table."""
    found, table = release.assessment, release.table
    true, scale = table.cells.value, 10**table.cells.decimals
    move = release.published - true
    assert not table.relations.residuals(release.published).any()
    up = np.ceil(found.upl * scale * (1 - 1e-9))
    down = np.ceil(found.lpl * scale * (1 - 1e-9))
    marked = found.sensitive
    assert ((move >= up) | (-move >= down))[marked].all()
    assert (move != 0)[marked].all()
    still = np.isin(found.state, (State.EMPTY, State.FROZEN)) & ~marked
    assert not move[still].any()
    if true.min(initial=0) >= 0:
        assert (release.published >= 0).all()
    for bound, sign in ((table.cells.lower, 1), (table.cells.upper, -1)):
        if bound is not None:
            assert (sign * (release.published - bound) >= 0)[~marked].all()
    assert release.bound is None or release.bound <= release.cost


@some
@given(st.one_of(sown(), linked(), negative(), finished(), frozen()))
def test_levels_are_kept_in_any_table(found: tacit.Assessment) -> None:
    try:
        release = tacit.adjust(found, time_limit=20)
    except LimitError as error:
        assert "No table meets all demands" in str(error)  # noqa: PT017 - any error
        return
    check(release)


@some
@given(sown(max_dimensions=3), st.sampled_from(["total", "margins"]))
def test_totals_that_are_preserved_are_to_the_unit(
    found: tacit.Assessment, preserve: str
) -> None:
    try:
        release = tacit.adjust(found, preserve=preserve, time_limit=20)
    except LimitError:
        return
    check(release)
    matrix = found.table.relations.matrix
    total = np.zeros(len(found), dtype=bool)
    total[matrix.indices[matrix.data < 0]] = True
    if preserve == "total":
        total[matrix.indices[matrix.data > 0]] = False
    kept = total & ~found.sensitive
    assert (release.published == found.table.cells.value)[kept].all()


@some
@given(sown(max_dimensions=3), st.sampled_from([0, 5, 30]))
def test_others_change_within_the_slack(found: tacit.Assessment, slack: float) -> None:
    try:
        release = tacit.adjust(found, slack=slack, time_limit=20)
    except LimitError:
        return
    check(release)
    true = found.table.cells.value
    move = np.abs(release.published - true)[~found.sensitive]
    assert (move <= np.abs(true)[~found.sensitive] * slack / 100 + 1e-6).all()


def test_a_large_table_is_adjusted_by_neighbourhoods() -> None:
    random = np.random.default_rng(2)
    inner = random.integers(20, 400, (90, 90))
    places = random.choice(90 * 90, 700, replace=False)
    needs = {
        (int(p) // 90, int(p) % 90): (int(random.integers(2, 15)),) * 2 for p in places
    }
    release = tacit.adjust(square(inner, needs), time_limit=12)
    check(release)
    assert release.gap is not None
    assert release.gap < 0.6


def test_nothing_sensitive_is_nothing_changed() -> None:
    found = square(np.array([[9, 5], [6, 8]]), {})
    release = tacit.adjust(found)
    assert (release.published == found.table.cells.value).all()
    assert release.cost == 0.0


def test_demands_that_clash_are_named_and_no_others() -> None:
    """One sensitive cell in row a0, whose total and other cell may not change."""
    found = square(np.array([[9, 5], [6, 8]]), {(0, 0): (2, 2)})
    with pytest.raises(LimitError) as error:
        tacit.adjust(found, preserve=[{"a": "a0", "b": "T"}, {"a": "a0", "b": "b1"}])
    said = str(error.value)
    assert error.value.exit_code == 4
    assert "(a = a0, b = b0) must move to a protection level" in said
    assert "(a = a0, b = T), (a = a0, b = b1) must keep its value" in said
    assert "a = a1" not in said
    assert "9" not in said, "no value is told"


def test_a_clash_is_as_small_as_can_be() -> None:
    """Leaving out any one demand makes the rest possible."""
    from tacit.protect.adjust import Cta  # noqa: PLC0415
    from tacit.protect.adjust._clash import clash_of  # noqa: PLC0415
    from tacit.protect.adjust._demands import demands_of  # noqa: PLC0415

    inner = np.arange(4, 20).reshape(4, 4)
    found = square(inner, {(0, 0): (2, 2), (2, 3): (1, 1)})
    kept = [{"a": "a0", "b": b} for b in ("T", "b1", "b2", "b3")]
    kept += [{"a": "T", "b": "b2"}, {"a": "a3", "b": "b3"}]
    demands = demands_of(found, Cta(preserve=tuple(kept)))
    clash = clash_of(found.table.relations.matrix, demands)
    assert found.table.find({"a": "a0", "b": "b0"}) in clash
    assert found.table.find({"a": "a2", "b": "b3"}) not in clash
    assert len(clash) == 5, "the cell, and the other four of its row"


def test_a_sensitive_cell_cannot_be_preserved() -> None:
    found = square(np.array([[9, 5], [6, 8]]), {(0, 0): (2, 2)})
    with pytest.raises(LimitError, match=r"1 cell is to keep .* the first at \(a = a0"):
        tacit.adjust(found, preserve=[{"a": "a0"}])


BAD: list[tuple[dict[str, Any], str]] = [
    ({"slack": -1}, "slack: input should be greater than or equal to 0"),
    ({"weights": "values"}, "weights: input should be 'relative', 'root', 'unit'"),
    ({"weights": "column"}, "name the column with cost= when the table is made"),
    ({"preserve": [{"c": "x"}]}, "No dimension 'c' here."),
    ({"preserve": [{"a": "a9"}]}, "a9"),
    ({"presrve": "total"}, "There is no option 'presrve'. Did you mean 'preserve'?"),
    ({"method": "ctb"}, "There is no method 'ctb' of adjust. Did you mean 'cta'?"),
]


@pytest.mark.parametrize(("options", "said"), BAD)
def test_what_cannot_be_done_is_said(options: dict[str, Any], said: str) -> None:
    found = square(np.array([[9, 5], [6, 8]]), {(0, 0): (2, 2)})
    with pytest.raises(InputError) as error:
        tacit.adjust(found, **options)
    assert said.lower() in str(error.value).lower()


def test_no_time_is_no_table() -> None:
    found = square(np.array([[9, 5], [6, 8]]), {(0, 0): (2, 2)})
    with pytest.raises(LimitError, match="The time limit of 0 s ended"):
        tacit.adjust(found, time_limit=0)


def test_the_published_numbers_are_audited() -> None:
    found = square(np.array([[90, 50], [60, 80]]), {(0, 0): (20, 20)})
    release = tacit.adjust(found).audited()
    assert release.safe
    assert "published numbers taken at their word" in release.audit.checked
    tight = tacit.adjust(found, slack=30, preserve="total").audited()
    assert isinstance(tight.safe, bool)


def test_a_number_published_within_its_levels_is_found() -> None:
    from dataclasses import replace  # noqa: PLC0415

    found = square(np.array([[90, 50], [60, 80]]), {(0, 0): (20, 20)})
    release = tacit.adjust(found)
    near = release.published.copy()
    near[found.table.find({"a": "a0", "b": "b0"})] = 95
    report = tacit.audit(replace(release, published=near))
    assert not report.safe
    assert "Published nearer than its levels" in report.explain()
