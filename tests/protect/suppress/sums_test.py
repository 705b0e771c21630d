# SPDX-License-Identifier: Apache-2.0
"""Sums of withheld cells that anybody can compute are safe under the rule."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import HealthCheck, given, settings
from scipy.sparse import csr_array

import tacit
from strategies import tables
from tacit.protect.suppress._derivable import derivable
from tacit.protect.suppress._sum_rule import sum_rule_of

RULE = tacit.PPercent(p=15)

# One group holds most of both hidden towns; alone each of them is unsafe as well.
ONE_HOLDING = [
    ("a", 1, 1, 500), ("a", 2, 2, 5), ("b", 3, 1, 400), ("b", 4, 4, 6),
    *[("c", 10 + k, 10 + k, 60 + k) for k in range(6)],
    *[("d", 20 + k, 20 + k, 300 + k) for k in range(6)],
]  # fmt: skip


def tabulated(rows: list[tuple[str, int, int, int]]) -> tacit.Table:
    town, firm, group, sales = zip(*rows, strict=True)
    records = {"town": town, "firm": firm, "group": group, "sales": sales}
    return tacit.tabulate(
        {name: list(column) for name, column in records.items()},
        by={"town": "all"}, value="sales", unit="firm", holding="group",
    )  # fmt: skip


def unsafe_lines(release: tacit.Release) -> list[int]:
    """Lines with a published total whose hidden parts together break the rule.

    Written out in full: every record is walked up to every cell above it.
    """
    table, hidden, rule = release.table, release.withheld, release.assessment.rule
    given = table.contributions
    assert given is not None
    assert rule is not None
    rows = table.relations.matrix.toarray()
    below = [leaves_below(rows, table.relations.total, c) for c in range(len(table))]
    who = given.unit if given.holding is None else given.holding
    found = []
    for k, row in enumerate(rows):
        total = int(table.relations.total[k])
        parts = [c for c in np.flatnonzero(row).tolist() if hidden[c] and c != total]
        if total < 0 or hidden[total] or not parts:
            continue
        amounts: dict[int, int] = defaultdict(int)
        for leaf, entity, value in zip(given.leaf, who, given.value, strict=True):
            if any(int(leaf) in below[c] for c in parts):
                amounts[int(entity)] += int(value)
        if amounts and rule.unsafe(sorted(amounts.values(), reverse=True)):
            found.append(k)
    return found


def leaves_below(rows: np.ndarray, totals: np.ndarray, cell: int) -> set[int]:
    at = np.flatnonzero(totals == cell)
    if not len(at):
        return {cell}
    parts = [c for c in np.flatnonzero(rows[at[0]]).tolist() if c != cell]
    return set().union(*(leaves_below(rows, totals, c) for c in parts))


def test_a_line_dominated_by_one_holding_gets_company() -> None:
    table = tabulated(ONE_HOLDING)
    release = tacit.suppress(tacit.assess(table, RULE))
    towns = set(table.codes_of("town")[release.withheld].tolist())
    assert towns > {"a", "b"}
    assert not unsafe_lines(release)
    assert release.provenance["open_sums"] == 0
    assert release.provenance["not_done"] == ()


def test_the_cheapest_cell_that_makes_the_sum_safe_is_taken() -> None:
    table = tabulated(ONE_HOLDING)
    release = tacit.suppress(tacit.assess(table, RULE))
    towns = set(table.codes_of("town")[release.withheld].tolist())
    assert towns == {"a", "b", "c"}


def test_without_contributions_the_release_says_that_sums_are_not_checked() -> None:
    table = tacit.Table.from_cells(
        {"town": list("abc"), "n": [2, 30, 40]}, by={"town": "all"}, count="n"
    )
    release = tacit.suppress(tacit.assess(table, tacit.MinFrequency(n=3)))
    assert any("line sums: not checked" in w for w in release.provenance["not_done"])


def test_sums_are_judged_on_what_each_holding_adds_to_all_their_cells() -> None:
    table = tabulated(ONE_HOLDING)
    rule, why = sum_rule_of(tacit.assess(table, RULE))
    assert rule is not None, why
    a, b, c = (table.index(town=town) for town in "abc")
    rows = np.zeros((3, len(table)), dtype=np.int64)
    rows[0, [a, b]], rows[1, c], rows[2, [a, c]] = 1, 1, 1
    unsafe, need = rule.judge(csr_array(rows))
    assert unsafe.tolist() == [True, False, False]
    # 15 % of 900, less what remains besides 900 and 6: 5.
    assert need.tolist() == [130.0, 0.0, 0.0]


def test_known_sums_hold_for_the_true_values() -> None:
    table = tabulated(ONE_HOLDING)
    hidden = np.isin(table.codes_of("town"), ["a", "b"])
    found = derivable(table.relations, hidden)
    value = table.cells.value
    assert (found.hidden @ value + found.shown @ value == 0).all()
    assert found.hidden.shape[0] == 1


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(max_dimensions=3, is_count=False))
def test_no_line_of_a_random_table_is_unsafe(table: tacit.Table) -> None:
    release = tacit.suppress(tacit.assess(table, RULE), time_limit=20)
    if not release.provenance["open_sums"]:
        assert not unsafe_lines(release)


@settings(max_examples=50, deadline=None)
@given(tables(max_dimensions=3))
def test_known_sums_of_random_patterns_hold(table: tacit.Table) -> None:
    hidden = np.random.default_rng(len(table)).random(len(table)) < 0.4
    found = derivable(table.relations, hidden)
    value = table.cells.value
    assert (found.hidden @ value + found.shown @ value == 0).all()
    assert not found.hidden[:, np.flatnonzero(~hidden)].nnz
    assert not found.shown[:, np.flatnonzero(hidden)].nnz
