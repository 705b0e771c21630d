# SPDX-License-Identifier: Apache-2.0
"""Tables that share cells become one table with one set of relations."""

from __future__ import annotations

import itertools
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import tacit
from tacit import Hierarchy, Table
from tacit.errors import AdditivityError, HierarchyError, InputError
from tacit.table import Dimension, State

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

BOOKSELLERS = {
    ("M", "Am", "Y"): 11,
    ("M", "Am", "N"): 10,
    ("M", "Ro", "Y"): 12,
    ("M", "Ro", "N"): 0,
    ("F", "Am", "Y"): 0,
    ("F", "Am", "N"): 16,
    ("F", "Ro", "Y"): 8,
    ("F", "Ro", "N"): 11,
}


def counted(rows: pl.DataFrame, *by: str, **more: Any) -> Table:
    """Count table over some columns of rows that carry ``n``."""
    frame = rows.group_by(by, maintain_order=True).agg(pl.col("n").sum())
    return Table.from_cells(frame, by=dict.fromkeys(by, "T"), count="n", **more)


def valued(cells: dict[str, int], measure: str = "x", **more: Any) -> Table:
    """Table of one flat dimension, ``r`` with total T."""
    frame = pl.DataFrame({"r": list(cells), measure: list(cells.values())})
    return Table.from_cells(frame, by={"r": "T"}, value=measure, **more)


def tree_table(tree: Hierarchy, values: dict[str, int], **more: Any) -> Table:
    """Table over the leaves of one tree, called ``region``."""
    frame = pl.DataFrame({"region": list(values), "n": list(values.values())})
    return Table.from_cells(frame, by={"region": tree}, count="n", **more)


def words(table: Table) -> set[str]:
    return {table.relations.describe(row) for row in range(len(table.relations))}


def values(table: Table) -> dict[str, int]:
    return {
        table.describe_cell(i): int(table.cells.value[i]) for i in range(len(table))
    }


def adds_up(table: Table) -> bool:
    return not table.relations.residuals(table.cells.value).any()


@pytest.fixture
def booksellers() -> Table:
    rows = pl.DataFrame(
        [(*codes, n) for codes, n in BOOKSELLERS.items()],
        schema=["sex", "city", "answer", "n"],
        orient="row",
    )
    pairs = itertools.combinations(["sex", "city", "answer"], 2)
    return tacit.link({f"{a} {b}": counted(rows, a, b) for a, b in pairs})


def test_booksellers_share_their_margins(booksellers: Table) -> None:
    assert booksellers.names == ("sex", "city", "answer")
    # 27 cells of the cube without its 8 inner ones, which no table publishes.
    assert len(booksellers) == 19
    assert adds_up(booksellers)
    assert booksellers.cells.value[booksellers.find({})] == 68
    assert "sex: T = F + M, at city = T, answer = Y" in words(booksellers)
    # Each table has 6 sums; the 3 one-way margins are said by two tables each.
    assert len(booksellers.relations) == 15
    assert len(words(booksellers)) == 15


def test_no_table_says_that_the_inner_cells_are_empty(booksellers: Table) -> None:
    held = set(zip(*booksellers.cells.codes.tolist(), strict=True))
    assert not any(all(code > 0 for code in cell) for cell in held)
    matrix = booksellers.relations.matrix.toarray()
    assert set(np.unique(matrix).tolist()) == {-1, 0, 1}
    assert (np.count_nonzero(matrix, axis=1) == 3).all()


def test_the_three_tables_fix_the_cube(booksellers: Table) -> None:
    """O1.14: an attacker who knows no negative counts finds all 8 cells."""
    inner = list(BOOKSELLERS)
    equations, right = [], []
    for cell in range(len(booksellers)):
        at = booksellers.labels_of(cell).values()
        covers = [
            all(c in ("T", own) for c, own in zip(at, codes, strict=True))
            for codes in inner
        ]
        equations.append(covers)
        right.append(int(booksellers.cells.value[cell]))
    system = np.array(equations, dtype=float)
    assert np.linalg.matrix_rank(system) == 7
    for row, codes in enumerate(inner):
        for sign in (1, -1):
            goal = np.zeros(8)
            goal[row] = sign
            found = linprog(goal, A_eq=system, b_eq=right, bounds=(0, None))
            assert found.fun * sign == pytest.approx(BOOKSELLERS[codes])


def test_counties_and_groups_of_regions_are_linked(shared_data: Path) -> None:
    rows = pl.read_csv(shared_data / "r_peers" / "issue136_linked.csv")
    counts = dict(rows.select("region", "n").iter_rows())
    tables = {}
    for upper in ("county", "group"):
        tree = Hierarchy.from_columns(rows, [upper, "region"], total="Total")
        tables[upper] = tree_table(tree, counts)
    linked = tacit.link(tables)
    (region,) = linked.dimensions
    assert len(region.hierarchies) == 2
    assert len(linked) == 13
    assert adds_up(linked)
    assert "region: county-2 = K + L + M + N" in words(linked)
    assert "region: BIG = L + M" in words(linked)
    # K is hidden in both tables, and still follows from what they publish together:
    # county-2 - BIG - N = 16 - 6 - 7.
    hidden = [region.position(code) for code in ("A", "B", "K", "L", "M")]
    for table, fixed in ((linked, True), (tables["county"], False)):
        unknown = table.relations.matrix.toarray()[
            :, [table.index(region=region.codes[p]) for p in hidden]
        ]
        alone = np.zeros(5)
        alone[2] = 1
        rank = np.linalg.matrix_rank
        assert bool(rank(np.vstack([unknown, alone])) == rank(unknown)) is fixed


def test_regions_that_are_not_nested_keep_both_trees() -> None:
    counts = {"1": 4, "2": 3, "3": 2, "4": 1}
    provinces = Hierarchy.from_parents(
        {"N": "T", "S": "T", "1": "N", "2": "N", "3": "S", "4": "S"}
    )
    markets = Hierarchy.from_parents(
        {"L1": "T", "L2": "T", "1": "L1", "2": "L2", "3": "L1", "4": "L2"}
    )
    linked = tacit.link(
        {
            "provinces": tree_table(provinces, counts),
            "markets": tree_table(markets, counts),
        }
    )
    assert linked.dimensions[0].hierarchies == (provinces, markets)
    assert words(linked) == {
        "region: T = N + S",
        "region: N = 1 + 2",
        "region: S = 3 + 4",
        "region: T = L1 + L2",
        "region: L1 = 1 + 3",
        "region: L2 = 2 + 4",
    }
    trees = linked.relations.tree.tolist()
    assert trees.count(0) == trees.count(1) == 3


def test_a_coarser_table_joins_the_finer_one() -> None:
    fine = Hierarchy.from_parents({"N": "T", "S": "T", "1": "N", "2": "N"})
    coarse = Hierarchy.flat(["N", "S"], total="T")
    linked = tacit.link(
        {
            "coarse": tree_table(coarse, {"N": 7, "S": 3}),
            "fine": tree_table(fine, {"1": 4, "2": 3, "S": 3}),
        }
    )
    assert linked.dimensions[0].hierarchies == (fine,)
    assert words(linked) == {"region: T = N + S", "region: N = 1 + 2"}


def test_a_part_of_a_classification_joins_below_its_code() -> None:
    world = Hierarchy.flat(["EU", "US"], total="W")
    union = Hierarchy.flat(["NL", "BE"], total="EU")
    linked = tacit.link(
        {
            "union": tree_table(union, {"NL": 2, "BE": 3}),
            "world": tree_table(world, {"EU": 5, "US": 4}),
        }
    )
    (tree,) = linked.dimensions[0].hierarchies
    assert tree.ancestors("NL") == ("EU", "W")
    assert len(linked) == 5
    assert adds_up(linked)


def test_a_level_in_between_gets_the_leaves_of_the_other_table() -> None:
    fine = Hierarchy.from_parents(
        {"A": "T", "B": "T", "C": "T", "a1": "A", "a2": "A", "b": "B", "c": "C"}
    )
    zones = Hierarchy.from_parents(
        {"Z1": "T", "Z2": "T", "A": "Z1", "B": "Z1", "C": "Z2"}
    )
    linked = tacit.link(
        {
            "fine": tree_table(fine, {"a1": 1, "a2": 2, "b": 3, "c": 4}),
            "zones": tree_table(zones, {"A": 3, "B": 3, "C": 4}),
        }
    )
    first, second = linked.dimensions[0].hierarchies
    assert first == fine
    assert second.descendants("A") == ("a1", "a2")
    assert first.leaf_codes == second.leaf_codes
    assert adds_up(linked)
    assert "region: Z1 = A + B" in words(linked)


def test_two_ways_to_divide_a_total_stand_side_by_side() -> None:
    linked = tacit.link(
        {
            "size": tree_table(Hierarchy.flat(["s", "l"], total="T"), {"s": 1, "l": 4}),
            "age": tree_table(Hierarchy.flat(["o", "y"], total="T"), {"o": 2, "y": 3}),
        }
    )
    assert words(linked) == {"region: T = s + l", "region: T = o + y"}


def test_one_code_cannot_be_two_sums() -> None:
    one = Hierarchy.from_parents({"N": "T", "1": "N", "2": "N", "3": "T"})
    two = Hierarchy.from_parents({"N": "T", "1": "N", "3": "N", "2": "T"})
    tables = {
        "one": tree_table(one, {"1": 1, "2": 1, "3": 1}),
        "two": tree_table(two, {"1": 1, "2": 1, "3": 1}),
    }
    with pytest.raises(HierarchyError, match="'N' holds '2' in one table and not in"):
        tacit.link(tables)


def test_a_missing_dimension_is_its_total() -> None:
    rows = pl.DataFrame({"r": ["a", "a", "b"], "s": ["f", "m", "m"], "n": [1, 2, 3]})
    linked = tacit.link({"r": counted(rows, "r"), "rs": counted(rows, "r", "s")})
    assert linked.names == ("r", "s")
    assert len(linked) == len(counted(rows, "r", "s"))
    assert linked.cells.value[linked.index(r="b")] == 3


def test_cells_that_differ_are_named_without_their_values() -> None:
    one = valued({"a": 771, "b": 2})
    two = valued({"a": 772, "b": 1})
    with pytest.raises(InputError, match="2 cells that tables share differ") as error:
        tacit.link({"t1": one, "t2": two})
    assert error.match(r"\(r = a\): 't1' and 't2'")
    assert "77" not in str(error.value)


def test_a_cell_that_is_empty_elsewhere_is_a_difference() -> None:
    empty = valued({"a": 5, "b": 0})
    with pytest.raises(InputError, match="differ"):
        tacit.link({"t1": valued({"a": 5}), "t2": valued({"a": 4, "b": 1})})
    linked = tacit.link({"t1": valued({"a": 5}), "t2": empty})
    # The first table lists the parts of T, and b is not among them.
    assert linked.cells.state[linked.index(r="b")] == State.EMPTY


def test_many_differences_are_counted() -> None:
    one = valued({f"c{i}": i for i in range(50)})
    two = valued({f"c{i}": 49 - i for i in range(50)})
    with pytest.raises(InputError, match="50 cells that tables share") as error:
        tacit.link({"t1": one, "t2": two})
    assert error.match("and 45 more")


def test_the_stricter_state_wins() -> None:
    frame = {"r": ["a", "b", "c"], "x": [1, 2, 3]}
    one = Table.from_cells(
        pl.DataFrame(frame | {"state": ["safe", "sensitive", "frozen"]}),
        by={"r": "T"},
        value="x",
        state="state",
    )
    two = Table.from_cells(
        pl.DataFrame(frame | {"state": ["forced", "safe", "safe"]}),
        by={"r": "T"},
        value="x",
        state="state",
    )
    linked = tacit.link({"one": one, "two": two})
    states = [State(linked.cells.state[linked.index(r=c)]) for c in "abc"]
    assert states == [State.FORCED, State.SENSITIVE, State.FROZEN]


def test_waves_stand_side_by_side() -> None:
    linked = tacit.link(
        {"2024": valued({"a": 5, "b": 2}), "2025": valued({"a": 4, "c": 9})},
        along="wave",
    )
    wave = linked.dimensions[linked.axis("wave")]
    assert wave.codes == ("2024", "2025")
    assert wave.hierarchies == ()
    assert len(linked) == 6
    assert words(linked) == {
        "r: T = a + b, at wave = 2024",
        "r: T = a + c, at wave = 2025",
    }
    assert len(linked.dimensions[0].hierarchies) == 1


def test_waves_may_add_up_to_a_year() -> None:
    tables = {
        "q1": valued({"a": 1, "b": 2}),
        "q2": valued({"a": 3}),
        "year": valued({"a": 4, "b": 2}),
    }
    linked = tacit.link(tables, along="period", equations=["year = q1 + q2"])
    # b does not occur in q2, whose total is all in a: it is known to be empty there.
    assert {w for w in words(linked) if w.startswith("year")} == {
        "year = q1 + q2, at r = T",
        "year = q1 + q2, at r = a",
        "year = q1 + q2, at r = b",
    }
    assert adds_up(linked)
    wrong = tables | {"q2": valued({"a": 2})}
    with pytest.raises(
        AdditivityError, match="2 of 6 sums and equations do not"
    ) as error:
        tacit.link(wrong, along="period", equations=["year = q1 + q2"])
    assert error.match(r"year = q1 \+ q2, at r = a")


def test_responses_get_a_dimension_and_equations() -> None:
    linked = tacit.link(
        {
            "all": valued({"a": 10, "b": 4}, "total"),
            "home": valued({"a": 7, "b": 3}, "domestic"),
            "abroad": valued({"a": 3, "b": 1}, "export"),
        },
        equations=["total = domestic + export"],
    )
    assert linked.names == ("r", "measure")
    assert linked.dimensions[1].codes == ("total", "domestic", "export")
    assert len(linked.relations) == 3 + 3
    assert adds_up(linked)
    row = linked.relations.matrix[len(linked.relations) - 1].toarray().ravel()
    assert sorted(row[row != 0].tolist()) == [-1, 1, 1]


def test_an_equation_is_not_stated_where_a_term_is_not_published() -> None:
    rows = pl.DataFrame(
        {"r": ["a", "b"], "s": ["f", "m"], "all": [5, 6], "part": [2, 6]}
    )
    both = Table.from_cells(rows, by={"r": "T", "s": "T"}, value="all")
    part = Table.from_cells(
        rows.group_by("r").agg(pl.col("part").sum()), by={"r": "T"}, value="part"
    )
    rest = Table.from_cells(
        pl.DataFrame({"r": ["a"], "rest": [3]}), by={"r": "T"}, value="rest"
    )
    linked = tacit.link(
        {"both": both, "part": part, "rest": rest}, equations=["all = part + rest"]
    )
    stated = {w for w in words(linked) if w.startswith("all")}
    assert stated == {
        "all = part + rest, at r = T, s = T",
        "all = part + rest, at r = a, s = T",
        "all = part + rest, at r = b, s = T",
    }


@pytest.mark.parametrize(
    ("equations", "message"),
    [
        (["totl = domestic"], r"no 'totl' here\. Did you mean 'total'\?"),
        (["total = domestic + "], "it ends too early"),
        (["total"], "it ends too early"),
        (["total = total"], "'total' stands in it twice"),
        (["total = domestic = total"], "two equals signs"),
        (["total domestic = total"], "at 'domestic'"),
        (["total = domestic + + total"], r"at '\+'"),
        ([3], "An equation is text"),
    ],
)
def test_a_wrong_equation_is_explained(equations: list[Any], message: str) -> None:
    tables = {
        "t1": valued({"a": 1}, "total"),
        "t2": valued({"a": 1}, "domestic"),
    }
    with pytest.raises(InputError, match=message):
        tacit.link(tables, equations=equations)


def test_an_equation_needs_measures_or_waves() -> None:
    tables = {"t1": valued({"a": 1}), "t2": valued({"a": 1})}
    with pytest.raises(InputError, match="relates different measures, or the codes of"):
        tacit.link(tables, equations=["t1 = t2"])


def test_names_with_signs_are_read() -> None:
    tables = {"2024-Q1": valued({"a": 1}), "H 1": valued({"a": 1})}
    for text in ("H 1 = 2024-Q1", "'H 1' = `2024-Q1`"):
        linked = tacit.link(tables, along="period", equations=[text])
        assert len(linked.relations) == 4


def test_decimals_are_those_of_the_finest_table() -> None:
    cents = Table.from_cells(
        pl.DataFrame({"r": ["a", "b"], "x": ["1.25", "0.75"]}),
        by={"r": "T"},
        value="x",
        decimals=2,
    )
    tens = Table.from_cells(
        pl.DataFrame({"s": ["f", "m"], "x": ["1.5", "0.5"]}),
        by={"s": "T"},
        value="x",
        decimals=1,
    )
    linked = tacit.link({"cents": cents, "tens": tens})
    assert linked.cells.decimals == 2
    assert linked.cells.value[linked.index(s="f")] == 150
    assert linked.cells.value[linked.index()] == 200


def evidenced(r: Sequence[str], n: Sequence[int], **top: Sequence[int | None]) -> Table:
    x = [sum(v or 0 for v in row) for row in zip(*top.values(), strict=True)]
    frame = pl.DataFrame({"r": r, "n": n, "x": x, **top})
    return Table.from_cells(
        frame, by={"r": "T"}, value="x", count="n", contributions=list(top)
    )


def test_evidence_comes_from_whichever_table_has_it() -> None:
    fine = evidenced(["a", "b"], [2, 1], x1=[6, 3], x2=[2, None])
    same = evidenced(["a", "b"], [2, 1], x1=[6, 3], x2=[2, None])
    linked = tacit.link({"one": fine, "two": same})
    assert linked.evidence is not None
    cell = linked.index(r="a")
    assert linked.evidence.contributors[cell] == 2
    assert linked.evidence.largest[cell].tolist() == [6, 2]
    bare = tacit.link({"one": fine, "bare": valued({"a": 8, "b": 3})})
    assert bare.evidence is not None
    assert bare.evidence.largest[bare.index(r="b")].tolist() == [3, 0]


def test_evidence_that_does_not_cover_all_cells_is_none() -> None:
    fine = evidenced(["a"], [2], x1=[6], x2=[2])
    other = Table.from_cells(
        pl.DataFrame({"s": ["f", "m"], "x": [5, 3]}), by={"s": "T"}, value="x"
    )
    assert tacit.link({"fine": fine, "other": other}).evidence is None


def test_other_contributors_behind_a_shared_cell_are_refused() -> None:
    one = evidenced(["a"], [2], x1=[6], x2=[2])
    two = evidenced(["a"], [3], x1=[6], x2=[2])
    with pytest.raises(InputError, match="differ in who stands behind them"):
        tacit.link({"one": one, "two": two})


def test_a_linked_table_can_be_linked_again() -> None:
    first = tacit.link({"t1": valued({"a": 1, "b": 2}), "t2": valued({"a": 1, "b": 2})})
    again = tacit.link({"both": first, "t3": valued({"a": 1, "b": 2})})
    assert values(again) == values(first)
    assert words(again) == words(first) == {"r: T = a + b"}


def test_one_table_stays_what_it_is() -> None:
    table = valued({"a": 1, "b": 2})
    linked = tacit.link({"t": table})
    assert values(linked) == values(table)
    assert words(linked) == words(table)
    assert linked.measure == "x"


def test_a_linked_table_travels_to_another_process() -> None:
    linked = tacit.link({"t1": valued({"a": 1}), "t2": valued({"a": 1})})
    again = pickle.loads(pickle.dumps(linked))  # noqa: S301 - our own bytes
    assert values(again) == values(linked)


@pytest.mark.parametrize(
    ("tables", "options", "message"),
    [
        ({}, {}, "takes tables by name"),
        ([valued({"a": 1})], {}, "takes tables by name"),
        ({"t": 3}, {}, "'t' is 'int'"),
        ({"t": valued({"a": 1})}, {"along": "r"}, "new dimension 'r'"),
        (
            {
                "t": valued({"a": 1}, "n"),
                "u": Table.from_cells(
                    pl.DataFrame({"r": ["a"], "n": [1]}), by={"r": "T"}, count="n"
                ),
            },
            {},
            "'n' of table 'u' is a count in one",
        ),
    ],
)
def test_wrong_use_is_explained(
    tables: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        tacit.link(tables, **options)


def test_a_table_without_the_waves_of_another_is_refused() -> None:
    waves = tacit.link({"1": valued({"a": 1}), "2": valued({"a": 1})}, along="wave")
    with pytest.raises(InputError, match="'plain' lacks the dimension 'wave'"):
        tacit.link({"waves": waves, "plain": valued({"a": 1})})


def test_linking_is_quick() -> None:
    codes = [f"c{i}" for i in range(300)]
    rows = pl.DataFrame(
        {
            "r": np.repeat(codes, 300),
            "s": np.tile([f"s{i}" for i in range(300)], 300),
            "n": np.arange(90_000) % 7 + 1,
        }
    )
    table = counted(rows, "r", "s")
    linked = tacit.link({"rs": table, "r": counted(rows, "r")})
    assert len(linked) == len(table) == 301 * 301
    assert len(linked.relations) == len(table.relations)
    assert isinstance(linked.dimensions[0], Dimension)


def test_a_total_and_its_parts_may_come_from_different_tables() -> None:
    rows = pl.DataFrame(
        {"r": ["A", "A", "B", "B"], "s": ["f", "m", "f", "m"], "n": [1, 2, 3, 4]}
    )

    def branch(code: str) -> Table:
        part = rows.filter(pl.col("r") == code).with_columns(r1=pl.lit(code + "1"))
        return Table.from_cells(
            part.select("r1", "s", "n").rename({"r1": "r"}),
            by={"r": Hierarchy.flat([code + "1"], total=code), "s": "T"},
            count="n",
        )

    tables = {
        "A": branch("A"),
        "B": branch("B"),
        "all": counted(rows, "s"),
        "regions": counted(rows, "r"),
    }
    linked = tacit.link(tables)
    # Nobody publishes the sexes by region, but three tables together do.
    assert "r: T = A + B, at s = f" in words(linked)
    assert adds_up(linked)
    fewer = tacit.link({k: t for k, t in tables.items() if k != "B"})
    assert "r: T = A + B, at s = T" in words(fewer)
    assert "r: T = A + B, at s = f" not in words(fewer)
    wrong = tables | {"all": counted(rows.with_columns(n=pl.Series([2, 1, 3, 4])), "s")}
    with pytest.raises(AdditivityError, match="do not hold in the linked") as error:
        tacit.link(wrong)
    assert error.match("r: T = A \\+ B, at s = f")


@st.composite
def publications(draw: st.DrawFn) -> tuple[pl.DataFrame, list[list[str]]]:
    """Draw microdata of three dimensions and the margins that are published."""
    size = draw(st.integers(1, 12))
    codes = {
        name: draw(st.lists(st.sampled_from("abc"), min_size=size, max_size=size))
        for name in ("x", "y", "z")
    }
    number = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
    subsets = [list(c) for k in (1, 2, 3) for c in itertools.combinations("xyz", k)]
    chosen = draw(st.lists(st.sampled_from(subsets), min_size=1, max_size=4))
    return pl.DataFrame(codes | {"n": number}), chosen


@given(publications())
@settings(deadline=None, max_examples=60)
def test_every_sum_that_is_published_is_stated_and_true(
    publication: tuple[pl.DataFrame, list[list[str]]],
) -> None:
    rows, margins = publication
    tables = {f"t{i}": counted(rows, *by) for i, by in enumerate(margins)}
    linked = tacit.link(tables)
    names = linked.names
    assert adds_up(linked)
    published = {
        tuple(table.labels_of(i).get(name, "T") for name in names)
        for table in tables.values()
        for i in range(len(table))
    }
    cells = [tuple(linked.labels_of(i)[n] for n in names) for i in range(len(linked))]
    assert set(cells) == published
    assert len(cells) == len(published)
    stated = {
        frozenset((cells[c], v) for c, v in zip(row.indices, row.data, strict=True))
        for row in (linked.relations.matrix[[r]] for r in range(len(linked.relations)))
    }
    assert len(stated) == len(linked.relations)
    wanted = set()
    for cell in cells:
        for d, dimension in enumerate(linked.dimensions):
            about = any(names[d] in by and _covers(by, cell, names) for by in margins)
            if cell[d] != "T" or not about:
                continue
            parts = [(*cell[:d], code, *cell[d + 1 :]) for code in dimension.codes[1:]]
            held = [(part, 1) for part in parts if part in published]
            if held:
                wanted.add(frozenset([(cell, -1), *held]))
    assert stated == wanted


@given(publications())
@settings(deadline=None, max_examples=30)
def test_margins_add_nothing_to_the_full_table(
    publication: tuple[pl.DataFrame, list[list[str]]],
) -> None:
    rows, margins = publication
    full = counted(rows, "x", "y", "z")
    tables = {f"t{i}": counted(rows, *by) for i, by in enumerate(margins)}
    linked = tacit.link({"full": full} | tables)
    assert words(linked) == words(full)
    assert values(linked) == values(full)


def test_coarser_tables_add_nothing_to_a_hierarchical_one() -> None:
    digits = ["111", "112", "121", "211", "212", "221", "222"]
    rows = pl.DataFrame(
        {
            "r": digits * 2,
            "s": ["f"] * 7 + ["m"] * 7,
            "n": [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7],
        }
    )

    def at(width: int) -> Table:
        """Table of the first digits."""
        tree = Hierarchy.from_digits(
            [d[:width] for d in digits], [1] * width, total="T"
        )
        return Table.from_cells(
            rows.with_columns(pl.col("r").str.slice(0, width))
            .group_by("r", "s", maintain_order=True)
            .agg(pl.col("n").sum()),
            by={"r": tree, "s": "T"},
            count="n",
        )

    full = at(3)
    for order in itertools.permutations([1, 2, 3]):
        linked = tacit.link({f"digits {k}": at(k) for k in order})
        assert set(values(linked).items()) == set(values(full).items())
        assert words(linked) == words(full)


def test_more_tables_than_bits_in_a_word() -> None:
    tables = {f"w{i}": valued({"a": i, "b": 1}) for i in range(70)}
    linked = tacit.link(tables, along="wave")
    assert len(linked.relations) == 70
    assert len(linked) == 210


def _covers(by: list[str], cell: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Whether a table over ``by`` is about a cell."""
    return all(n in by or c == "T" for n, c in zip(names, cell, strict=True))
