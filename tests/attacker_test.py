# SPDX-License-Identifier: Apache-2.0
"""What an attacker may know, and what bounds follow from it."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.attacker import Attacker, default_attackers, outsider_among
from tacit.errors import InputError

HIDDEN = np.array([True, True, False])


def bounds(value: list[int], attacker: Attacker, **more: object) -> list[list[float]]:
    found = attacker.bounds_on(np.array(value), HIDDEN, **more)  # type: ignore[arg-type]
    return [ends.tolist() for ends in found]


def test_the_default_attackers_are_the_outsider_and_every_insider() -> None:
    outsider, insider = default_attackers()
    assert outsider == Attacker()
    assert not outsider.knows_own
    assert insider.knows_own
    assert outsider_among([outsider, insider]) == (Attacker(),)


def test_amounts_are_known_not_to_be_negative_where_none_is() -> None:
    assert bounds([3, 0, 9], Attacker())[0] == [0, 0, 0]


def test_with_a_negative_amount_there_is_no_bound_below() -> None:
    assert bounds([3, -1, 9], Attacker())[0] == [-np.inf] * 3


def test_negative_tables_have_the_bounds_they_came_with() -> None:
    given = (np.array([-5, -9, 0]), np.array([10, 10, 10]))
    assert bounds([3, -1, 9], Attacker(), given=given) == [[-5, -9, 0], [10] * 3]
    ignored = bounds([3, -1, 9], Attacker(bounds="none"), given=given)
    assert ignored == [[-np.inf] * 3, [np.inf] * 3]


def test_withheld_counts_are_at_least_one_where_none_of_them_is_empty() -> None:
    assert bounds([3, 1, 9], Attacker(), one=1)[0] == [1, 1, 0]
    assert bounds([3, 0, 9], Attacker(), one=1)[0] == [0, 0, 0]
    certain = Attacker(others_at_least_one=True)
    assert bounds([3, 0, 9], certain, one=1)[0] == [1, 1, 0]
    unsure = Attacker(others_at_least_one=False)
    assert bounds([3, 1, 9], unsure, one=1)[0] == [0, 0, 0]


def test_factors_hold_around_amounts_of_either_sign() -> None:
    low, high = bounds([10, -10, 0], Attacker(bounds=(0.5, 1.5)))
    assert low == [5, -15, 0]
    assert high == [15, -5, 0]


def test_factors_never_widen_what_is_known_anyway() -> None:
    low, _ = bounds([10, 4, 0], Attacker(bounds=(-2.0, 3.0)))
    assert low == [0, 0, 0]


@pytest.mark.parametrize("factors", [(1.1, 1.5), (0.5, 0.9), (float("nan"), 2.0)])
def test_factors_that_exclude_the_truth_are_refused(
    factors: tuple[float, float],
) -> None:
    with pytest.raises(InputError, match=r"Attacker: the factors .* exclude the true"):
        Attacker(bounds=factors)


def test_nothing_unknown_is_taken() -> None:
    with pytest.raises(InputError, match=r"no field 'coalitions'. .* 'coalition'\?"):
        Attacker(coalitions=2)
    with pytest.raises(InputError, match=r"coalition= is wrong: .* or equal to 1\.$"):
        Attacker(coalition=0)
    with pytest.raises(InputError, match=r"bounds= is 'table', 'none', or two fact"):
        Attacker(bounds="tabel")


def test_counts_are_whole_and_magnitudes_are_not() -> None:
    assert Attacker().whole(is_count=True)
    assert not Attacker().whole(is_count=False)
    assert Attacker(integral=True).whole(is_count=False)
