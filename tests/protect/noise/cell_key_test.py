# SPDX-License-Identifier: Apache-2.0
"""Noise by cell key: known tables, one noise for the same records, and bad input."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import InputError, SourceError
from tacit.protect.noise import Design, PTable

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tacit import Release, Table

AGE = {"A1": "Total", "A2": "Total", "1": "A1", "2": "A2"}
SEX = {"male": "Total", "female": "Total", "2": "male", "1": "female"}
STEPS: dict[str, Any] = {"D": 5, "V": 3.0, "js": 2}


def argus(folder: Path, **options: Any) -> Table:
    """The records of τ-ARGUS' own test of the method."""
    with (folder / "microdata.csv").open() as file:
        rows = list(csv.reader(file, delimiter=";"))
    columns = {
        "sex": [row[0] for row in rows],
        "age": [row[1] for row in rows],
        "savings": [int(row[3]) for row in rows],
        "weight": [int(row[4]) for row in rows],
        "key": [row[5] for row in rows],
    }
    more = dict.fromkeys("3456", "Total")
    by = {
        "sex": tacit.Hierarchy.from_parents(SEX),
        "age": tacit.Hierarchy.from_parents(AGE | more),
    }
    return tacit.tabulate(columns, by=by, record_key="key", **options)


def check(path: Path, release: Release, keys: NDArray[np.int64]) -> None:
    """Compare with a file of codes; changed; true; difference; cell key."""
    lines = path.read_text().splitlines()
    assert len(lines) == 45
    for line in lines:
        sex, age, changed, true, _, key = (part.strip('"') for part in line.split(";"))
        cell = release.table.find({"sex": sex, "age": age})
        assert release.published[cell] == int(changed)
        assert release.table.cells.value[cell] == int(true)
        assert keys[cell] == round(float(key) * 1e8) * 10**8


def test_counts_of_tau_argus_exactly(shared_data: Path) -> None:
    folder = shared_data / "argus" / "cellkey_magnitude"
    table = argus(folder)
    release = tacit.perturb(table, noise=str(folder / "ptab_freq.txt"))
    assert table.evidence is not None
    check(folder / "expected_ckm_freq.txt", release, table.evidence.keys)  # type: ignore[arg-type]


def test_weighted_counts_of_tau_argus_exactly(shared_data: Path) -> None:
    folder = shared_data / "argus" / "cellkey_magnitude"
    table = argus(folder, weight="weight", weights="sample")
    release = tacit.perturb(table, noise=str(folder / "ptab_freq.txt"))
    assert table.evidence is not None
    check(folder / "expected_ckm_freq_wgt.txt", release, table.evidence.keys)  # type: ignore[arg-type]


def test_amounts_of_tau_argus_exactly(shared_data: Path) -> None:
    folder = shared_data / "argus" / "cellkey_magnitude"
    table = argus(folder, value="savings")
    release = tacit.perturb(
        table,
        noise=str(folder / "ptab_savings_all.txt"),
        small=str(folder / "ptab_savings_smallcells.txt"),
        scale={"large": 0.03, "small": 0.30, "start": 1000.0, "q": 3.0},
        weights=(1.0, 0.5, 0.2),
        key_decimals=8,
    )
    assert table.evidence is not None
    check(folder / "expected_ckm_savings.txt", release, table.evidence.keys_nonzero)  # type: ignore[arg-type]


def test_counts_of_the_r_package_exactly(shared_data: Path) -> None:
    folder = shared_data / "r_peers"
    with (folder / "ck_micro40.csv").open() as file:
        rows = list(csv.DictReader(file))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    table = tacit.tabulate(columns, by={"sex": "T", "age": "T"}, record_key="rk")
    noise = str(folder / "exp_ptable_cnt_D5_V3_js2.csv")
    release = tacit.perturb(table, noise=noise)
    with (folder / "exp_ck_micro40_D5_V3_js2.csv").open() as file:
        expected = list(csv.DictReader(file))
    assert len(expected) == 12
    for row in expected:
        cell = table.find({"sex": row["sex"], "age": row["age"]})
        assert table.cells.value[cell] == int(row["uwc"])
        assert release.published[cell] == int(row["puwc"])


HANDBOOK = PTable(
    i=(0, 1, 1, 1, 2, 2, 2, 3, 3, 3),
    j=(0, 0, 1, 2, 1, 2, 3, 2, 3, 4),
    p=(1, 0.2, 0.6, 0.2, 0.2, 0.6, 0.2, 0.2, 0.6, 0.2),
)


@pytest.mark.parametrize(("bounds", "count"), [("below", 4), ("within", 3)])
def test_a_key_at_the_end_of_an_entry(bounds: Any, count: int) -> None:
    # Keys of .9, .3 and .6 sum to 1.8: the cell key is .8, the end of an entry.
    records = {"a": ["x"] * 3, "key": [0.9, 0.3, 0.6]}
    table = tacit.tabulate(records, by={"a": "T"}, record_key="key")
    release = tacit.perturb(table, noise=HANDBOOK, bounds=bounds)
    assert release.published.tolist() == [count, count]


@pytest.mark.parametrize(("share", "published"), [(0.5, 400), (0.6, 360)])
def test_an_amount_changes_by_a_share_of_its_largest_contribution(
    share: float, published: int
) -> None:
    # The handbook's example: 300 with 200 as the largest changes by one step of
    # the share times 200; with the larger share the step is 120, of which half.
    step = 1.0 if share == 0.5 else 0.5
    noise = PTable(i=(0, 1), j=(0, 1 + step), p=(1, 1))
    records = {"a": ["x", "x"], "v": [200, 100], "key": [0.4, 0.4]}
    table = tacit.tabulate(records, by={"a": "T"}, value="v", record_key="key")
    release = tacit.perturb(table, noise=noise, scale=share)
    assert release.published.tolist() == [published, published]


def _records(seed: int, units: int = 400) -> dict[str, list[Any]]:
    random = np.random.default_rng(seed)
    return {
        "a": random.choice(list("abc"), units).tolist(),
        "b": random.choice(list("xyz"), units).tolist(),
        "c": random.choice(list("pq"), units).tolist(),
        "v": np.rint(np.exp(random.normal(5, 1, units))).astype(int).tolist(),
        "unit": [f"unit {k}" for k in range(units)],
    }


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 1000), st.booleans())
def test_the_same_records_have_the_same_noise_in_every_table(
    seed: int,
    amounts: bool,  # noqa: FBT001
) -> None:
    records = _records(seed)
    value = "v" if amounts else None
    options: dict[str, Any] = {"noise": {"D": 4, "V": 1.5}}
    if amounts:
        options = {"noise": {"D": 4, "V": 1.0, "kind": "magnitude"}, "scale": 0.2}
    releases = []
    for names in (("a", "b"), ("b", "c", "a"), ("c", "b")):
        table = tacit.tabulate(
            records, by=dict.fromkeys(names, "T"), value=value, unit="unit",
            secret="a long secret",
        )  # fmt: skip
        releases.append(tacit.perturb(table, **options))
    for code in ("T", "x", "y", "z"):
        cells = [
            release.published[release.table.find({"b": code})] for release in releases
        ]
        assert len(set(cells)) == 1


def test_another_secret_gives_other_noise() -> None:
    def published(secret: str) -> list[int]:
        by = dict.fromkeys("abc", "T")
        table = tacit.tabulate(_records(1), by=by, unit="unit", secret=secret)
        release = tacit.perturb(table, noise=STEPS)
        assert secret not in repr(table)
        assert secret not in repr(release.provenance)
        return release.published.tolist()

    assert published("a long secret") == published("a long secret")
    assert published("a long secret") != published("another secret")


def test_noise_is_unbiased_within_chance() -> None:
    records = _records(5, 20_000)
    records["d"] = [f"d{k % 400}" for k in range(20_000)]
    table = tacit.tabulate(
        records, by={"d": "T", "a": "T", "b": "T"}, unit="unit", secret="a long secret"
    )
    release = tacit.perturb(table, noise={"D": 5, "V": 1.8})
    change = release.published - table.cells.value
    assert abs(change.mean()) < 4 * np.sqrt(1.8 / len(change))
    assert change.var() == pytest.approx(1.8, rel=0.15)
    assert abs(change).max() <= 5


def test_no_count_up_to_js_is_published_and_empty_cells_stay_empty() -> None:
    table = tacit.tabulate(
        _records(2, 60), by=dict.fromkeys("abc", "T"), unit="unit",
        secret="a long secret", possible="all",
    )  # fmt: skip
    release = tacit.perturb(table, noise=STEPS)
    assert not np.isin(release.published, (1, 2)).any()
    assert not release.published[table.cells.value == 0].any()


def test_sensitive_amounts_get_extra_noise() -> None:
    table = tacit.tabulate(
        _records(3, 60), by=dict.fromkeys("abc", "T"), value="v", unit="unit",
        secret="a long secret",
    )  # fmt: skip
    assessment = tacit.assess(table, tacit.PPercent(p=30) | tacit.MinFrequency(n=3))
    noise = {"D": 3, "V": 1.0, "kind": "magnitude"}
    plain = tacit.perturb(assessment, noise=noise, scale=0.1)
    extra = tacit.perturb(assessment, noise=noise, scale=0.1, extra=1.0)
    other = plain.published != extra.published
    assert other.any()
    assert assessment.sensitive[other].all()
    distance = abs(extra.published - table.cells.value)
    moved = plain.published != table.cells.value
    assert (distance >= abs(plain.published - table.cells.value))[moved].all()


@pytest.mark.parametrize("of", ["mean", "range", "value"])
def test_other_amounts_than_the_largest_can_be_changed(of: Any) -> None:
    table = tacit.tabulate(
        _records(3), by={"a": "T"}, value="v", unit="unit", secret="a long secret"
    )
    noise = {"D": 3, "V": 1.0, "kind": "magnitude"}
    release = tacit.perturb(table, noise=noise, scale=0.1, of=of)
    change = abs(release.published - table.cells.value)
    assert change.any()
    limit = 3 * 0.1 * table.cells.value
    assert (change <= limit + 1).all()


def test_even_and_odd_cells_have_tables_of_their_own() -> None:
    up = PTable(i=(0, 1), j=(0, 2), p=(1, 1))
    down = PTable(i=(0, 1), j=(0, 0), p=(1, 1))
    records = {"a": ["x"] * 2 + ["y"] * 3, "v": [100] * 5, "k": [0.1] * 5}
    table = tacit.tabulate(records, by={"a": "T"}, value="v", record_key="k")
    release = tacit.perturb(table, noise=up, odd=down, scale=0.1)
    change = (release.published - table.cells.value).tolist()
    assert change == [-10, 10, -10]


def test_the_audit_knows_the_table_of_probabilities() -> None:
    records = {"a": ["x"] * 2 + ["y"] * 9, "k": [0.1] * 11}
    table = tacit.tabulate(records, by={"a": "T"}, record_key="k")
    assessment = tacit.assess(table, tacit.MinFrequency(n=3))
    assert tacit.perturb(assessment, noise=STEPS).audited().safe
    certain = PTable(i=(0, 1, 2), j=(0, 0, 3), p=(1, 1, 1))
    given_away = tacit.perturb(assessment, noise=certain).audited()
    assert not given_away.safe
    assert "a = x" in given_away.audit.explain()


# What cannot be used


@pytest.mark.parametrize("key", ["1", "1.0", "-0.1", "2", "", "x"])
def test_record_keys_lie_between_0_and_1(key: str) -> None:
    records = {"a": ["x", "y"], "key": ["0.5", key]}
    with pytest.raises(SourceError, match=r"row 2\) has no record key in column 'key'"):
        tacit.tabulate(records, by={"a": "T"}, record_key="key")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"secret": "a long secret"}, "Name the column of the ids with unit="),
        ({"secret": "short", "unit": "unit"}, "shorter than 8 characters"),
        (
            {"secret": "a long secret", "unit": "unit", "record_key": "v"},
            "not from both",
        ),
    ],
)
def test_secrets_that_cannot_be_used(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        tacit.tabulate(_records(1), by={"a": "T"}, **options)


def test_a_table_without_keys_is_refused() -> None:
    table = tacit.tabulate(_records(1), by={"a": "T"})
    with pytest.raises(InputError, match=r"carries none. Tabulate it with record_key="):
        tacit.perturb(table, noise=STEPS)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "noise= is missing"),
        ({"noise": {"D": 0, "V": 1.0}}, "greater than or equal to 1"),
        ({"noise": {"D": 5, "V": 3.0, "jss": 2}}, "noise"),
        ({"noise": "absent.csv"}, "'absent.csv' cannot be read"),
        ({"noise": {"i": [0, 1], "j": [0, 1], "p": [1, 0.5]}}, "not to 1"),
        (
            {"noise": {"D": 5, "V": 1.0, "kind": "magnitude"}},
            "row for each number from 0 on",
        ),
    ],
)
def test_noise_that_cannot_be_used(options: dict[str, Any], words: str) -> None:
    table = tacit.tabulate(
        _records(1), by={"a": "T"}, unit="unit", secret="a long secret"
    )
    with pytest.raises(InputError, match=words):
        tacit.perturb(table, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "give scale="),
        ({"scale": {"large": 0.5, "small": 0.1, "start": 9.0}}, "it must fall"),
        ({"scale": 0.1, "weights": (1.0, 0.5, 0.2, 0.1)}, "Tabulate with top=4"),
        ({"scale": 0.1, "of": "mean", "weights": (1.0, 0.5)}, "weights are for"),
        ({"small": Design(D=2, V=1.0)}, "by scale, so give it"),
    ],
)
def test_amounts_that_cannot_be_changed_as_asked(
    options: dict[str, Any], words: str
) -> None:
    table = tacit.tabulate(
        _records(1), by={"a": "T"}, value="v", unit="unit", secret="a long secret"
    )
    noise = {"D": 3, "V": 1.0, "kind": "magnitude"}
    with pytest.raises(InputError, match=words):
        tacit.perturb(table, noise=noise, **options)


def test_tables_with_keys_of_different_secrets_are_not_linked() -> None:
    made = {
        name: tacit.tabulate(
            _records(4), by=dict.fromkeys(name, "T"), unit="unit", secret=secret
        )
        for name, secret in (("ab", "a long secret"), ("bc", "another secret"))
    }
    with pytest.raises(InputError, match="who stands behind them"):
        tacit.link(made)


def test_linked_tables_keep_their_keys() -> None:
    records = _records(4)
    made = {
        name: tacit.tabulate(
            records, by=dict.fromkeys(name, "T"), unit="unit", secret="a long secret"
        )
        for name in ("ab", "bc")
    }
    release = tacit.perturb(tacit.link(made), noise=STEPS)
    single = tacit.perturb(made["ab"], noise=STEPS)
    for code in "xyz":
        here = release.published[release.table.find({"b": code})]
        assert here == single.published[single.table.find({"b": code})]
