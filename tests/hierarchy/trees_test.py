# SPDX-License-Identifier: Apache-2.0
"""Trees are built, walked and compared."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Hierarchy
from tacit.errors import HierarchyError

if TYPE_CHECKING:
    import random

REGIONS = Hierarchy.from_parents(
    {"A1": "A", "A2": "A", "A": "T", "B": "T", "C": "T", "C1": "C", "C11": "C1"},
    labels={"A": "North", "unknown": "dropped"},
)


@st.composite
def parent_maps(draw: st.DrawFn) -> tuple[dict[str, str], str]:
    """Draw a random tree as a shuffled mapping of codes to parents."""
    names = draw(
        st.lists(
            st.text(
                st.characters(codec="utf-8", exclude_characters="\ufeff"),
                min_size=1,
                max_size=5,
            ).filter(str.strip),
            min_size=2,
            max_size=20,
            unique=True,
        )
    )
    parents = {name: names[draw(st.integers(0, i))] for i, name in enumerate(names[1:])}
    order = draw(st.permutations(list(parents)))
    return {code: parents[code] for code in order}, names[0]


def test_codes_are_depth_first_in_the_order_given() -> None:
    assert REGIONS.codes == ("T", "A", "A1", "A2", "B", "C", "C1", "C11")
    assert REGIONS.parents.tolist() == [-1, 0, 1, 1, 0, 0, 5, 6]
    assert REGIONS.depth.tolist() == [0, 1, 2, 2, 1, 1, 2, 3]


def test_branches_may_differ_in_depth_and_have_a_single_child() -> None:
    assert REGIONS.leaf_codes == {"A1", "A2", "B", "C11"}
    assert REGIONS.leaves.tolist() == [2, 3, 4, 7]
    assert REGIONS.is_leaf.sum() == 4
    assert REGIONS.levels == (
        ("T",),
        ("A", "B", "C"),
        ("A1", "A2", "C1"),
        ("C11",),
    )


def test_every_code_knows_its_relatives() -> None:
    assert REGIONS.parent("C11") == "C1"
    assert REGIONS.parent("T") is None
    assert REGIONS.children("T") == ("A", "B", "C")
    assert REGIONS.children("B") == ()
    assert REGIONS.ancestors("C11") == ("C1", "C", "T")
    assert REGIONS.descendants("C") == ("C1", "C11")
    assert REGIONS.descendants("T") == REGIONS.codes[1:]
    assert REGIONS.descendants("A1") == ()
    assert "C1" in REGIONS
    assert "X" not in REGIONS
    assert len(REGIONS) == 8


def test_a_subtree_is_a_tree_of_its_own() -> None:
    below = REGIONS.subtree("C")
    assert below.codes == ("C", "C1", "C11")
    assert below.total == "C"
    assert REGIONS.subtree("A").labels == {"A": "North"}
    assert REGIONS.subtree("T") == REGIONS
    assert len(REGIONS.subtree("B")) == 1


def test_labels_of_codes_that_are_not_there_are_dropped() -> None:
    assert dict(REGIONS.labels) == {"A": "North"}


def test_equality_and_hash_are_by_content() -> None:
    again = Hierarchy.from_parents(
        {"A": "T", "A1": "A", "A2": "A", "B": "T", "C": "T", "C1": "C", "C11": "C1"},
        labels={"A": "North"},
    )
    assert again == REGIONS
    assert hash(again) == hash(REGIONS)
    bare = Hierarchy(again.codes, again.parents)
    assert bare != again
    assert bare.same_tree(again)
    assert Hierarchy.flat(["A", "B"], total="T") != Hierarchy.flat(["A"], total="T")
    assert REGIONS != "T"


def test_nothing_in_a_hierarchy_can_be_changed() -> None:
    for array in (REGIONS.parents, REGIONS.depth, REGIONS.leaves, REGIONS.is_leaf):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(TypeError):
        REGIONS.labels["A"] = "South"  # type: ignore[index]


def test_the_arrays_given_stay_with_the_caller() -> None:
    parents = np.array([-1, 0], dtype=np.int32)
    tree = Hierarchy(("T", "A"), parents)
    parents[1] = 7
    assert tree.parents.tolist() == [-1, 0]


def test_a_hierarchy_travels_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(REGIONS)) == REGIONS  # noqa: S301 - our own bytes


def test_the_repr_is_short() -> None:
    flat = Hierarchy.flat([str(i) for i in range(12_345)], total="T")
    assert repr(flat) == "<Hierarchy 'T': 12,346 codes, 12,345 leaves, 1 level>"


def test_digits_name_the_parents() -> None:
    tree = Hierarchy.from_digits(["0112", "0111", "0111", "1000"], (1, 1, 2), total="T")
    assert tree.codes == ("T", "0", "01", "0111", "0112", "1", "10", "1000")
    assert tree.parent("0112") == "01"


def test_zero_widths_of_digits_add_no_level() -> None:
    with_zero = Hierarchy.from_digits(["01", "02"], (1, 1, 0), total="T")
    assert with_zero == Hierarchy.from_digits(["01", "02"], (1, 1), total="T")


def test_codes_keep_their_zeros_and_blanks() -> None:
    assert Hierarchy.flat(["01", "1", " 1"], total="T").codes == ("T", "01", "1", " 1")


def test_a_hundred_thousand_codes_and_deep_chains_are_no_trouble() -> None:
    n = 100_000
    wide = Hierarchy.from_parents({f"c{i}": f"c{i // 10}" for i in range(1, n)})
    assert int(wide.depth.max()) == 5
    chain = Hierarchy.from_parents({f"c{i + 1}": f"c{i}" for i in range(5_000)})
    assert chain.depth.tolist() == list(range(5_001))
    assert chain.ancestors("c5000")[-1] == "c0"
    assert len(chain.descendants("c1")) == 4_999


@given(parent_maps())
def test_a_tree_holds_what_it_was_built_from(tree: tuple[dict[str, str], str]) -> None:
    parents, total = tree
    built = Hierarchy.from_parents(parents)
    assert built.total == total
    assert {c: built.parent(c) for c in built.codes[1:]} == parents
    assert built == Hierarchy.from_parents(parents, total=total)


@given(parent_maps())
def test_depth_and_ends_agree_with_walking_up(tree: tuple[dict[str, str], str]) -> None:
    built = Hierarchy.from_parents(tree[0])
    for code, depth in zip(built.codes, built.depth.tolist(), strict=True):
        assert len(built.ancestors(code)) == depth
        below = {c for c in built.codes if code in built.ancestors(c)}
        assert set(built.descendants(code)) == below
        assert built.subtree(code).codes == (code, *built.descendants(code))
        assert all(built.parent(child) == code for child in built.children(code))


@given(parent_maps(), st.randoms(use_true_random=False))
def test_arrays_out_of_order_are_refused(
    tree: tuple[dict[str, str], str], rng: random.Random
) -> None:
    built = Hierarchy.from_parents(tree[0])
    order = [0, *rng.sample(range(1, len(built)), len(built) - 1)]
    where = {old: new for new, old in enumerate(order)}
    codes = tuple(built.codes[i] for i in order)
    parents = [-1, *(where[int(built.parents[i])] for i in order[1:])]
    try:
        again = Hierarchy(codes, np.array(parents))
    except HierarchyError as error:
        assert "depth-first" in str(error)  # noqa: PT017 - either way is checked
        return
    assert {c: again.parent(c) for c in codes} == {c: built.parent(c) for c in codes}
    for code in codes:
        below = {c for c in codes if code in again.ancestors(c)}
        assert set(again.descendants(code)) == below
