# SPDX-License-Identifier: Apache-2.0
"""What assess makes of rules, of given states, and of both together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tacit
from tacit import Hierarchy, assess
from tacit.errors import InputError
from tacit.rules import Dominance, MinFrequency, PPercent
from tacit.table import Cells, Dimension, Evidence, Levels, State, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

# One row of codes: a total and its parts, with the contributions to each part.
PARTS = {"a": [81, 5, 2, 2, 2], "b": [40, 30, 20, 10], "c": [9], "d": []}


def made(
    parts: dict[str, list[int]] = PARTS, *, top: int = 3, decimals: int = 0, **more: Any
) -> Table:
    """Make a table of one dimension from the contributions to its leaves."""
    everybody = [x for part in parts.values() for x in part]
    lists = [sorted(part, reverse=True) for part in (everybody, *parts.values())]
    value = np.array([sum(part) for part in lists], dtype=np.int64)
    codes = np.arange(len(lists), dtype=np.int32)[None, :]
    largest = np.array([[*part, *[0] * top][:top] for part in lists], dtype=np.int64)
    cells = Cells(codes, value, decimals, np.zeros(len(lists), dtype=np.uint8))
    cells = replace(cells, **{k: v for k, v in more.items() if k != "levels"})
    evidence = Evidence(
        contributors=np.array([len(part) for part in lists]),
        total=np.array([sum(abs(x) for x in part) for part in lists]),
        largest=largest,
    )
    region = Dimension.of("region", Hierarchy.flat(parts, total="all"))
    return Table((region,), cells, evidence=evidence, levels=more.get("levels"))


def states(*states: State) -> np.ndarray[Any, Any]:
    return np.array(states, dtype=np.uint8)


def labels(found: tacit.Assessment) -> list[str]:
    return [State(code).label for code in found.state]


def test_a_rule_marks_cells_and_asks_for_levels() -> None:
    found = assess(made(), PPercent(p=10))
    assert found.sensitive.tolist() == [False, True, False, True, False]
    np.testing.assert_allclose(found.upl, [0, 2.1, 0, 0.9, 0])
    assert found.lpl.tolist() == found.upl.tolist()
    assert found.spl.tolist() == [0] * 5


def test_levels_are_in_published_units() -> None:
    found = assess(made(decimals=2), PPercent(p=10))
    np.testing.assert_allclose(found.upl, [0, 0.021, 0, 0.009, 0])


def test_a_cell_without_contributors_is_empty_before_any_rule() -> None:
    assert labels(assess(made(), MinFrequency(n=3)))[-1] == "empty"
    summary = assess(made(), MinFrequency(n=3)).summary()
    assert (summary["empty"], summary["sensitive"]) == (1, 1)


def test_empty_cells_can_be_declared_sensitive() -> None:
    found = assess(made(), MinFrequency(n=3), zero_cells="sensitive")
    assert found.sensitive.tolist() == [False, False, False, True, True]
    assert found.reasons_of({"region": "d"}) == ("zero_cell",)


def test_a_cell_of_zeros_with_contributors_is_no_empty_cell() -> None:
    found = assess(made({"a": [0, 0], "b": [5, 5, 5]}), MinFrequency(n=3))
    assert labels(found) == ["safe", "sensitive", "safe"]


def test_the_level_under_several_rules_is_the_largest() -> None:
    both = PPercent(p=10) | Dominance(n=1, k=75)
    one, other = assess(made(), PPercent(p=10)), assess(made(), Dominance(n=1, k=75))
    found = assess(made(), both)
    np.testing.assert_array_equal(found.upl, np.maximum(one.upl, other.upl))
    assert found.reasons["p_percent"].tolist() == one.sensitive.tolist()
    assert found.reasons["dominance"].tolist() == other.sensitive.tolist()


def test_all_of_fires_where_every_rule_does() -> None:
    found = assess(made(), PPercent(p=10) & MinFrequency(n=3))
    assert found.sensitive.tolist() == [False, False, False, True, False]
    # The frequency rule fired nowhere else, p% did: what remains is where both did.
    assert found.reasons["p_percent"].tolist() == found.sensitive.tolist()


def test_a_sensitive_cell_without_levels_may_not_be_known_exactly() -> None:
    found = assess(made(decimals=1), MinFrequency(n=3))
    assert (found.upl[3], found.lpl[3], found.spl[3]) == (0, 0, 0.1)


def test_the_lower_level_stays_above_zero_where_values_do() -> None:
    found = assess(made({"a": [9, 1], "b": [5, 5, 5]}), Dominance(n=1, k=30))
    assert found.upl[1] == pytest.approx(20)
    assert found.lpl[1] == 10


def test_the_lower_level_is_cut_at_a_given_bound() -> None:
    table = made({"a": [9, 1], "b": [5, 5, 5]}, lower=np.array([0, 7, 0]))
    found = assess(table, Dominance(n=1, k=30))
    assert found.lpl[1] == 3


def test_below_zero_nothing_is_cut() -> None:
    table = made({"a": [9, 1], "b": [-5, -5, -5]})
    found = assess(table, Dominance(n=1, k=30, negatives="absolute"))
    assert found.lpl[1] == found.upl[1] == pytest.approx(20)


def test_a_frozen_cell_that_is_sensitive_stays_sensitive_and_is_a_conflict() -> None:
    given = states(State.SAFE, State.FROZEN, State.FROZEN, State.SAFE, State.SAFE)
    found = assess(made(state=given), PPercent(p=10))
    assert labels(found) == ["safe", "sensitive", "frozen", "sensitive", "empty"]
    assert found.conflicts is not None
    assert found.conflicts.tolist() == [False, True, False, False, False]
    assert found.summary()["conflicts"] == 1
    assert found.cells.to_pydict()["status"][1] == "not published"


def test_forced_and_suppressed_cells_remain_so() -> None:
    given = states(*[State.SAFE] * 2, State.FORCED, State.SUPPRESSED, State.SAFE)
    found = assess(made(state=given), MinFrequency(n=1))
    assert labels(found) == ["safe", "safe", "forced", "suppressed", "empty"]
    assert found.cells.to_pydict()["value"] == [201, 92, None, None, 0]


@pytest.mark.parametrize("order", [State.FORCED, State.FROZEN, State.SUPPRESSED])
def test_an_order_holds_for_a_cell_of_nobody_too(order: State) -> None:
    found = assess(made(state=states(*[State.SAFE] * 4, order)), MinFrequency(n=3))
    assert found.state[4] == order
    assert found.held_back[4] == (order != State.FROZEN)


def test_cells_given_as_sensitive_stay_so_beside_a_rule() -> None:
    given = states(State.SAFE, State.SAFE, State.SENSITIVE, State.SAFE, State.SAFE)
    found = assess(made(state=given), PPercent(p=10), margin=15)
    assert found.sensitive.tolist() == [False, True, True, True, False]
    assert found.upl[2] == pytest.approx(15)
    assert found.reasons_of(2) == ("given",)


def test_without_a_rule_the_given_states_and_levels_count() -> None:
    given = states(State.SAFE, State.SENSITIVE, State.SAFE, State.SENSITIVE, State.SAFE)
    levels = Levels(
        lower=np.array([np.nan, 4, np.nan, 1, np.nan]),
        upper=np.array([np.nan, 6, np.nan, 2, np.nan]),
        sliding=np.array([np.nan, 0, np.nan, 5, np.nan]),
    )
    found = assess(made(state=given, levels=levels))
    assert found.rule is None
    assert found.upl.tolist() == [0, 6, 0, 2, 0]
    assert found.lpl.tolist() == [0, 4, 0, 1, 0]
    assert found.spl.tolist() == [0, 0, 0, 5, 0]
    assert list(found.reasons) == ["given"]


def test_given_levels_and_a_rule_the_larger_counts() -> None:
    given = states(State.SAFE, State.SENSITIVE, State.SAFE, State.SAFE, State.SAFE)
    small, large = np.full(5, 1.0), np.full(5, 50.0)
    for level, expected in ((small, 2.1), (large, 50.0)):
        table = made(state=given, levels=Levels(level, level, 0 * level))
        assert assess(table, PPercent(p=10)).upl[1] == pytest.approx(expected)


def test_a_table_without_rule_and_states_has_nothing_sensitive() -> None:
    found = assess(replace(made(), evidence=None))
    assert not found.sensitive.any()
    assert found.summary()["by_rule"] == {}


def test_exempted_codes_are_not_judged_and_counted() -> None:
    found = assess(made(), PPercent(p=10), exempt={"region": ["c"]})
    assert labels(found) == ["safe", "sensitive", "safe", "safe", "empty"]
    assert found.summary()["exempted"] == 1
    assert assess(made(), PPercent(p=10), exempt={"region": "c"}).upl[3] == 0


def test_a_cell_given_as_sensitive_cannot_be_exempted() -> None:
    given = states(*[State.SAFE] * 3, State.SENSITIVE, State.SAFE)
    found = assess(made(state=given), PPercent(p=10), margin=1, exempt={"region": "c"})
    assert found.sensitive[3]
    assert found.summary()["exempted"] == 0


def test_few_contributions_are_enough_where_nobody_else_is() -> None:
    table = made({"a": [3, 2], "b": []}, top=2)
    assert assess(table, Dominance(n=3, k=80)).sensitive.tolist() == [True, True, False]


def test_by_rule_counts_rules_of_one_kind_apart() -> None:
    rule = Dominance(n=1, k=90) | Dominance(n=2, k=60) | PPercent(p=10)
    counts = assess(made(), rule).summary()["by_rule"]
    assert counts == {"dominance": 1, "dominance_2": 4, "p_percent": 2}


def test_the_public_frame_does_not_say_why() -> None:
    given = states(*[State.SAFE] * 2, State.FORCED, State.SAFE, State.SAFE)
    cells = assess(made(state=given), PPercent(p=10)).cells.to_pydict()
    assert list(cells) == ["region", "value", "status"]
    assert cells["value"] == [201, None, None, None, 0]
    assert set(cells["status"]) == {"published", "not published"}


def test_the_internal_frame_holds_everything() -> None:
    cells = assess(made(), PPercent(p=10)).internal.cells.to_pydict()
    assert cells["value"] == [201, 92, 100, 9, 0]
    assert cells["contributors"] == [10, 5, 4, 1, 0]
    assert cells["reasons"] == ["", "p_percent", "", "p_percent", ""]
    assert cells["largest_1"] == [81, 81, 40, 9, 0]
    assert cells["state"] == ["safe", "sensitive", "safe", "sensitive", "empty"]


def test_only_the_internal_summary_knows_values() -> None:
    found = assess(made(decimals=1), PPercent(p=10))
    assert "value_sensitive" not in found.summary()
    assert found.internal.summary()["value_sensitive"] == pytest.approx(10.1)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frames_come_back_in_the_kind_of_the_table(kind: str) -> None:
    found = assess(replace(made(), frame_kind=kind), PPercent(p=10))
    for frame in (found.cells, found.internal.cells):
        assert type(frame).__module__.startswith(kind)
        assert len(frame) == 5


def test_nothing_confidential_is_shown() -> None:
    found = assess(made(), PPercent(p=13))
    shown = " ".join(
        [repr(found), found._repr_html_(), repr(found.internal), str(found.summary())]
    )
    for secret in ("81", "92", "13", "9.0", "2.1"):
        assert secret not in shown


def test_what_was_found_cannot_be_changed() -> None:
    found = assess(made(), PPercent(p=10))
    with pytest.raises(ValueError, match="read-only"):
        found.sensitive[0] = True
    with pytest.raises(AttributeError):
        found.rule = None  # type: ignore[misc]
    with pytest.raises(TypeError):
        found.reasons["x"] = found.sensitive  # type: ignore[index]


def test_a_cell_that_is_not_there_cannot_be_explained() -> None:
    found = assess(made(), PPercent(p=10))
    with pytest.raises(InputError, match="No cell 9: the table has 5 cells"):
        found.reasons_of(9)


def test_the_internal_frame_can_be_taken_back() -> None:
    """What was found comes back as given states and levels, without any rule."""
    first = assess(made(decimals=1), PPercent(p=10) | MinFrequency(n=5))
    again = Table.from_cells(
        first.internal.cells,
        by={"region": "all"},
        value="value",
        count="contributors",
        state="state",
        lower="lower",
        upper="upper",
        sliding="sliding",
        decimals=1,
    )
    found = assess(again)
    for name in ("sensitive", "state", "upl", "lpl", "spl"):
        np.testing.assert_array_equal(getattr(found, name), getattr(first, name))


def _sensitive(found: tacit.Assessment) -> Sequence[str]:
    return [code for code, hit in zip("Tabcd", found.sensitive, strict=True) if hit]


def test_rules_are_compared_on_one_table() -> None:
    rules = {
        "p": PPercent(p=10),
        "n": MinFrequency(n=5),
        "both": PPercent(p=10) & MinFrequency(n=5),
    }
    comparison = tacit.compare_rules(made(), rules)
    summary = comparison.summary()
    assert summary["sensitive"] == {"p": 2, "n": 2, "both": 1}
    assert summary["both"] == {("p", "n"): 1, ("p", "both"): 1, ("n", "both"): 1}
    assert (summary["any"], summary["all"], summary["empty"]) == (3, 1, 1)
    assert _sensitive(comparison.assessments["n"]) == ["b", "c"]
    frame = comparison.frame.to_pydict()
    assert frame["only_here"] == [1, 1, 0]
    assert frame["share"] == [0.5, 0.5, 0.25]
    pairs = comparison.overlaps.to_pylist()[0]
    assert (pairs["both"], pairs["only_first"], pairs["only_second"]) == (1, 1, 1)


def test_rules_are_compared_at_each_level() -> None:
    comparison = tacit.compare_rules(made(), {"p": PPercent(p=10)})
    rows = comparison.by_level.to_pylist()
    assert [(r["level"], r["cells"], r["sensitive"]) for r in rows] == [
        (0, 1, 0),
        (1, 3, 2),
    ]
