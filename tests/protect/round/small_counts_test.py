# SPDX-License-Identifier: Apache-2.0
"""Small counts rounded: none is left, large inner cells stay, a limit is kept."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit
from conformance.cases import linked, sown
from tacit.errors import InputError, LimitError
from tacit.protect._leaves import leaves_of

if TYPE_CHECKING:
    from pathlib import Path

some = settings(
    max_examples=40,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)


def counts(found: tacit.Assessment) -> bool:
    return found.table.is_count


def check(release: tacit.Release, base: int) -> None:
    made, true = release.published, release.table.cells.value
    assert not release.table.relations.residuals(made).any()
    assert not ((made > 0) & (made < base)).any()
    assert (made >= 0).all()
    assert release.provenance["largest"] == np.abs(made - true).max()


@some
@given(sown().filter(counts), st.integers(2, 8))
def test_nothing_but_small_inner_cells_is_changed(
    found: tacit.Assessment, base: int
) -> None:
    release = tacit.round(found.table, "small_counts", base=base)
    check(release, base)
    leaves = leaves_of(found.table.relations.matrix)
    inner = leaves.cells
    true, made = found.table.cells.value[inner], release.published[inner]
    small = (true > 0) & (true < base)
    assert (made[~small] == true[~small]).all()
    assert set(made[small].tolist()) <= {0, base}
    assert (release.published == leaves.sums @ made).all()


@some
@given(linked().filter(counts))
def test_linked_tables_agree(found: tacit.Assessment) -> None:
    try:
        release = tacit.round(found.table, "small_counts", base=3, time_limit=20)
    except LimitError:
        return
    check(release, 3)


@some
@given(sown().filter(counts), st.integers(1, 6))
def test_the_limit_is_kept_or_there_is_no_table(
    found: tacit.Assessment, limit: int
) -> None:
    try:
        release = tacit.round(found.table, "small_counts", base=4, limit=limit)
    except LimitError:
        return
    difference = np.abs(release.published - found.table.cells.value)
    assert difference.max(initial=0) <= limit


def test_a_limit_that_cannot_be_kept_names_one_that_can() -> None:
    frame = {"kind": ["a", "b"], "n": [1, 9]}
    table = tacit.Table.from_cells(frame, by={"kind": "all"}, count="n")
    with pytest.raises(LimitError, match=r"Allow limit=2, or choose a smaller base"):
        tacit.round(
            table.updated(
                cells=tacit.Table.from_cells(
                    {"kind": ["a", "b"], "n": [2, 9]}, by={"kind": "all"}, count="n"
                ).cells
            ),
            "small_counts",
            base=4,
            limit=1,
        )
    assert tacit.round(table, "small_counts", base=4, limit=1).published.tolist() == [
        9, 0, 9,
    ]  # fmt: skip


def test_amounts_are_refused() -> None:
    frame = {"kind": ["a", "b"], "v": [1, 9]}
    table = tacit.Table.from_cells(frame, by={"kind": "all"}, value="v")
    with pytest.raises(InputError, match="is for counts, and 'v' is an amount"):
        tacit.round(table, "small_counts", base=3)


def test_no_time_is_no_table() -> None:
    frame = {"kind": ["a", "b"], "n": [1, 2]}
    table = tacit.Table.from_cells(frame, by={"kind": "all"}, count="n")
    with pytest.raises(LimitError, match="The time limit of 0 s ended"):
        tacit.round(table, "small_counts", base=3, time_limit=0)


def test_codes_to_publish_must_be_there() -> None:
    frame = {"kind": ["a", "b"], "n": [1, 2]}
    table = tacit.Table.from_cells(frame, by={"kind": "all"}, count="n")
    with pytest.raises(InputError, match=r"'c'"):
        tacit.round(table, "small_counts", base=3, publish=[{"kind": "c"}])


def test_published_margins_are_as_near_as_those_of_the_r_package(
    shared_data: Path,
) -> None:
    """Six inner cells; only margins go out, and 1 and 2 make the one small total."""
    peers = shared_data / "r_peers"
    with (peers / "scr_e6.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    frame = {k: [row[k] for row in rows] for k in ("geo", "year")}
    places = [row["geo"] for row in rows]
    eu = {row["geo"]: row["eu"] for row in rows} | {"EU": "Total", "nonEU": "Total"}
    by = {
        "geo": [
            tacit.Hierarchy.flat(sorted(set(places)), total="Total"),
            tacit.Hierarchy.from_parents(eu),
        ],
        "year": "Total",
    }
    table = tacit.Table.from_cells(
        frame | {"freq": [int(row["freq"]) for row in rows]}, by=by, count="freq"
    )
    out = [{"geo": "Total"}, {"year": "Total"}]
    release = tacit.round(table, "small_counts", base=5, publish=out)
    expected = peers / "exp_scr_e6_base5_publish.csv"
    with expected.open(encoding="utf-8", newline="") as lines:
        theirs = list(csv.DictReader(lines))
    cells = [table.find({"geo": r["geo"], "year": r["year"]}) for r in theirs]
    assert sorted(np.flatnonzero(~release.withheld).tolist()) == sorted(cells)
    mine = np.abs(release.published - table.cells.value)[cells]
    other = np.array([abs(int(row["difference"])) for row in theirs])
    assert (other.mean(), other.max()) == (1.25, 3)
    assert np.sqrt((other**2).mean()) == pytest.approx(1.6583124)
    assert mine.mean() <= other.mean()
    assert (mine**2).mean() <= (other**2).mean()
    assert mine.max() <= other.max()
    changed = np.flatnonzero(release.published != table.cells.value)
    inner = [c for c in changed if "Total" not in table.labels_of(c).values()]
    assert {table.labels_of(c)["geo"] for c in inner} <= {"Iceland", "nonEU"}
