# SPDX-License-Identifier: Apache-2.0
"""Dimensions join trees over the same leaves and place the codes of the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Hierarchy
from tacit.errors import HierarchyError, SourceError
from tacit.table import Dimension

PROVINCES = Hierarchy.from_parents(
    {"N": "T", "S": "T", "1": "N", "2": "N", "3": "S", "4": "S", "9": "T"}
)
LABOUR = Hierarchy.from_parents(
    {"L1": "T", "L2": "T", "2": "L1", "3": "L1", "1": "L2", "4": "L2", "9": "L2"}
)


@st.composite
def trees_over_leaves(draw: st.DrawFn) -> tuple[Hierarchy, ...]:
    """Draw up to three random trees over the same leaves."""
    leaves = [f"x{i}" for i in range(draw(st.integers(1, 7)))]
    found: list[Hierarchy] = []
    for t in range(draw(st.integers(1, 3))):
        parents: dict[str, str] = {}
        tops = draw(st.permutations(leaves))
        for k in range(draw(st.integers(0, 5))):
            start = draw(st.integers(0, len(tops) - 1))
            end = draw(st.integers(start + 1, len(tops)))
            code = f"t{t}g{k}"
            parents |= dict.fromkeys(tops[start:end], code)
            tops[start:end] = [code]
        tree = Hierarchy.from_parents(parents | dict.fromkeys(tops, "T"), total="T")
        if not any(tree.same_tree(other) for other in found):
            found.append(tree)
    return tuple(found)


def test_the_codes_are_the_union_of_the_trees() -> None:
    region = Dimension.of("region", PROVINCES, LABOUR)
    assert region.codes == ("T", "N", "1", "2", "S", "3", "4", "9", "L1", "L2")
    assert [region.codes[i] for i in region.leaves] == ["1", "2", "3", "4", "9"]
    assert region.total == "T"
    assert repr(region) == "<Dimension 'region': 10 codes, 2 hierarchies>"


def test_regions_that_are_not_nested_are_rolled_up_side_by_side() -> None:
    region = Dimension.of("region", PROVINCES, LABOUR)
    words = [
        (
            r.tree,
            r.depth,
            "".join("." if p < 0 else region.codes[p] for p in r.ancestor),
        )
        for r in region.rollups
    ]
    assert words == [
        (0, 0, "..TT.TTT.."),
        (0, 1, "..NN.SS9.."),
        (0, 2, "..12.34..."),
        (1, 1, "..L2L1.L1L2L2.."),
    ]


def test_waves_are_their_own_rollup() -> None:
    waves = Dimension("wave", ("2024", "2025"))
    (only,) = waves.rollups
    assert only.ancestor.tolist() == [0, 1]
    assert waves.total is None
    assert waves.leaf_positions(["2025", "2024"]).tolist() == [1, 0]


def test_a_single_child_has_a_cell_of_its_own() -> None:
    chain = Dimension.of("a", Hierarchy.from_parents({"A": "T", "A1": "A", "B": "T"}))
    assert [r.ancestor.tolist() for r in chain.rollups] == [
        [-1, -1, 0, 0],
        [-1, -1, 1, 3],
        [-1, -1, 2, -1],
    ]


@given(trees_over_leaves())
def test_every_code_is_made_once_from_all_of_its_leaves(
    trees: tuple[Hierarchy, ...],
) -> None:
    dimension = Dimension.of("d", *trees)
    made: dict[str, tuple[int, int]] = {}
    for rollup in dimension.rollups:
        for target in set(rollup.ancestor.tolist()) - {-1}:
            code = dimension.codes[target]
            assert code not in made
            made[code] = (rollup.tree, rollup.depth)
            tree = dimension.hierarchies[rollup.tree]
            below = {*tree.descendants(code), code} & tree.leaf_codes
            sources = np.flatnonzero(rollup.ancestor == target)
            assert {dimension.codes[i] for i in sources} == below
    for code in dimension.codes:
        first = next(t for t, tree in enumerate(trees) if code in tree)
        depth = int(trees[first].depth[trees[first].position(code)])
        assert made[code] == (first, depth)


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        ((), "has no hierarchy"),
        ((PROVINCES, PROVINCES), "same hierarchy is given twice"),
        (
            (PROVINCES, Hierarchy.flat(["1", "2", "3", "4"], total="T")),
            "share the total 'T' but not the leaves: '9' is in the first",
        ),
        (
            (
                PROVINCES,
                Hierarchy.from_parents(
                    {"N": "T", "1": "N", "3": "N", "2": "T", "4": "T", "9": "T"}
                ),
            ),
            "'N' holds '2' in one hierarchy and not in another",
        ),
        (
            (PROVINCES, Hierarchy.flat(["N", "X"], total="U")),
            "'N' has parts in one hierarchy and none in another",
        ),
    ],
)
def test_trees_that_contradict_each_other_are_refused(
    trees: tuple[Hierarchy, ...], message: str
) -> None:
    with pytest.raises(HierarchyError, match=message):
        Dimension.of("region", *trees)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (" 1", r"Unknown code ' 1'\. It differs from '1' only by blanks"),
        ("01", r"'01'\. It differs from '1' only by leading zeros"),
        ("7", r"Unknown code '7'\. It may be '007' read as a number"),
        ("7.0", r"'7\.0'\. It may be '007' read as a number"),
        ("north", r"Did you mean 'North'\? Upper and lower case"),
        ("Noth", r"Did you mean 'North'\?"),
        ("G", r"Records sit at the inner code 'G'"),
        ("T", r"Records sit at the inner code 'T'"),
        ("", r"A code is empty"),
        (None, r"A code is missing"),
        (float("nan"), r"A code is missing"),
        (1, r"1 is of type 'int', but codes are text"),
    ],
)
def test_codes_that_cannot_be_placed_are_explained(code: object, message: str) -> None:
    tree = Hierarchy.from_parents({"1": "G", "007": "G", "North": "T", "G": "T"})
    with pytest.raises(SourceError, match="Dimension 'd': 1 code of the data") as error:
        Dimension.of("d", tree).leaf_positions(["North", code])
    assert error.match(message)


def test_five_codes_are_explained_and_the_others_counted() -> None:
    with pytest.raises(SourceError, match="2,000 codes of the data") as error:
        Dimension.of("d", PROVINCES).leaf_positions([f"z{i}" for i in range(2_000)])
    assert error.match("and 1,995 more")
    assert str(error.value).count("Unknown code") == 5


def test_many_codes_are_placed_at_once() -> None:
    codes = [f"c{i}" for i in range(50_000)]
    places = Dimension.of("d", Hierarchy.flat(codes, total="T")).leaf_positions(codes)
    assert places.dtype == np.int32
    assert places.tolist() == list(range(1, 50_001))
