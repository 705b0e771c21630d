# SPDX-License-Identifier: Apache-2.0
"""Closed forms: shares of sensitive exponential cells, and calibrated parameters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.study import FAMILIES, calibrated, draw, sensitive_share

P, K1, K2 = (FAMILIES[n].weights for n in ("p_percent", "dominance_1", "dominance_2"))


@pytest.mark.parametrize(
    ("n", "p", "share"),
    [(3, 10, 5 / 14), (4, 10, 248 / 3381), (3, 5, 0.19956), (4, 100, 0.9333)],
)
def test_o4_7_shares_of_p_percent(n: int, p: float, share: float) -> None:
    assert P is not None
    assert sensitive_share(P(p, n)) == pytest.approx(share, abs=5e-5)


def test_o4_7_many_contributors_are_sensitive_under_large_p() -> None:
    """A published claim has none above ten contributors."""
    assert P is not None
    assert sensitive_share(P(100, 11)) == pytest.approx(0.058, abs=5e-4)
    assert sensitive_share(P(40, 11)) < 0.001


@pytest.mark.parametrize(
    ("n", "k", "share"), [(4, 50, 1 / 2), (4, 75, 1 / 16), (3, 90, 3 / 100)]
)
def test_o4_7b_shares_of_dominance(n: int, k: float, share: float) -> None:
    assert K1 is not None
    assert sensitive_share(K1(k, n)) == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize(("n", "p", "k"), [(4, 19.0582, 88.2448), (3, 5.0126, 96.4809)])
def test_o4_8_calibrated_to_a_fifth(n: int, p: float, k: float) -> None:
    assert calibrated(FAMILIES["p_percent"], n, 0.2) == pytest.approx(p, abs=5e-5)
    assert calibrated(FAMILIES["dominance_2"], n, 0.2) == pytest.approx(k, abs=5e-5)


@pytest.mark.parametrize(("n", "s"), [(4, 28.09), (3, 14.90)])
def test_o4_8_statisticon_calibrated_by_simulation(n: int, s: float) -> None:
    x = draw("exponential", 1_000_000, n, np.random.default_rng(5))
    assert FAMILIES["statisticon"].for_share(x, 0.2) == pytest.approx(s, abs=0.1)


@settings(max_examples=25)
@given(
    st.integers(2, 8), st.floats(5, 95), st.sampled_from(["dominance_2", "p_percent"])
)
def test_closed_forms_agree_with_draws(n: int, parameter: float, name: str) -> None:
    family = FAMILIES[name]
    assert family.weights is not None
    x = draw("exponential", 20_000, n, np.random.default_rng(n))
    share = family.sensitive(x, np.array([parameter])).mean()
    # Five standard errors of a share of 20,000 draws.
    exact = sensitive_share(family.weights(parameter, n))
    assert share == pytest.approx(exact, abs=0.018)


def test_what_has_no_formula_says_so() -> None:
    with pytest.raises(InputError, match="is not linear"):
        calibrated(FAMILIES["statisticon"], 4, 0.2)
    with pytest.raises(InputError, match="at least one contribution"):
        sensitive_share([])
