# SPDX-License-Identifier: Apache-2.0
"""Measures of a table and its rounded version, computed by hand elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tacit
from tacit.measure._lines import chi_squared_of, cramers_v_of, entropies, variances
from tacit.measure._pair import pair_of

if TYPE_CHECKING:
    from tacit.protect import Release

EXPECTED = {
    "absolute_loss_per_cell": 12,
    "absolute_loss_percent": 6.3157895,
    "mean_absolute_loss": 1.3333333,
    "absolute_loss_total": 0,
    "hellinger": 0.4657986,
    "hellinger_shares": 0.0337926,
    "entropy_loss_rows": 1.9572641,
    "relative_variance_rows": -9.1163311,
    "relative_cramers_v": -16.3874758,
    "risk_variance": 30.7692308,
    "relative_loss": 0.8236877,
    "kullback_leibler": 0.004486244,
    "spearman": 0.9746794,
}


@pytest.mark.parametrize(("name", "value"), EXPECTED.items())
def test_the_rounded_table(rounded: Release, name: str, value: float) -> None:
    assert tacit.measure(rounded)[name] == pytest.approx(value, rel=2e-6)


def test_what_the_changes_are_changes_of(rounded: Release) -> None:
    pair = pair_of(rounded)
    before, after = pair.original, pair.released
    lines = (pair.rows, pair.columns)
    assert entropies(before, pair.rows).sum() == pytest.approx(2.9374042)
    assert entropies(after, pair.rows).sum() == pytest.approx(2.9948970)
    assert variances(before, pair.rows).sum() == pytest.approx(596)
    assert variances(after, pair.rows).sum() == pytest.approx(541.6666667)
    assert chi_squared_of(before, *lines) == pytest.approx(19.0998058)
    assert chi_squared_of(after, *lines) == pytest.approx(13.3527778)
    assert cramers_v_of(before, *lines) == pytest.approx(0.2241933)
    assert cramers_v_of(after, *lines) == pytest.approx(0.1874537)
    assert pair.change.var(ddof=1) == pytest.approx(3.25)


def test_columns_are_rows_of_the_turned_table(rounded: Release) -> None:
    straight = tacit.measure(rounded)
    turned = tacit.measure(rounded, columns="row")
    for name in ("entropy_loss", "relative_variance", "mann_whitney", "signed_rank"):
        assert straight[f"{name}_rows"] == turned[f"{name}_columns"]
        assert straight[f"{name}_columns"] == turned[f"{name}_rows"]
    assert straight["relative_cramers_v"] == turned["relative_cramers_v"]
