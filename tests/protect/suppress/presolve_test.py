# SPDX-License-Identifier: Apache-2.0
"""Reductions: what they take away, and that everything can be carried back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from small_tables import margins, with_totals
from tacit.protect.suppress._gauss import determined
from tacit.protect.suppress._gauss_only import gauss
from tacit.protect.suppress._local import Move
from tacit.protect.suppress._presolve import (
    FixImmovable,
    LeaveIdle,
    MergeEqual,
    components,
    presolve,
)
from tacit.protect.suppress._problem import Problem


def problem_of(
    relations: object,
    value: object,
    *,
    sensitive: tuple[int, ...] = (),
    frozen: tuple[int, ...] = (),
    forced: tuple[int, ...] = (),
) -> Problem:
    matrix = csr_array(np.asarray(relations, dtype=np.int8))
    amount = np.asarray(value, dtype=np.int64)
    n = len(amount)

    def marks(cells: tuple[int, ...]) -> np.ndarray:
        return np.isin(np.arange(n), cells)

    need = np.where(marks(sensitive), 1.0 + np.arange(n), 0.0)
    return Problem(
        relations=matrix,
        value=amount,
        cost=10.0 + np.arange(n),
        sensitive=marks(sensitive),
        need_down=need,
        need_up=need,
        need_width=np.zeros(n),
        room_down=amount.astype(float),
        room_up=np.full(n, 100.0),
        frozen=marks(frozen),
        forced=marks(forced),
        owner=np.full(n, -1),
    )


# total 0 = 1 + 2;  1 = 3 (its only part);  2 = 4 + 5
CHAIN = [[-1, 1, 1, 0, 0, 0], [0, -1, 0, 1, 0, 0], [0, 0, -1, 0, 1, 1]]
VALUES = [10, 4, 6, 4, 2, 4]


def test_equal_cells_become_one() -> None:
    problem = problem_of(CHAIN, VALUES, sensitive=(3,))
    assert MergeEqual().accept(problem)
    reduced = MergeEqual().apply(problem)
    small = reduced.problem
    assert reduced.of.tolist() == [0, 1, 2, 1, 3, 4]
    assert small.relations.toarray().tolist() == [[-1, 1, 1, 0, 0], [0, 0, -1, 1, 1]]
    assert small.sensitive.tolist() == [False, True, False, False, False]
    assert small.need_up[1] == 4.0
    assert small.cost[1] == 11.0  # of cell 1; cell 3 is withheld for its own sake
    assert (small.relations @ small.value == 0).all()


def test_equal_cells_are_hidden_and_moved_together() -> None:
    reduced = MergeEqual().apply(problem_of(CHAIN, VALUES, sensitive=(3,)))
    hidden = reduced.invert_hidden(np.array([False, True, True, False, False]))
    assert hidden.tolist() == [False, True, True, True, False, False]
    small = Move(np.array([1, 2], dtype=np.int32), np.array([2.0, -2.0]))
    move = reduced.invert_move(small)
    assert move.cells.tolist() == [1, 2, 3]
    assert move.amounts.tolist() == [2.0, -2.0, 2.0]
    assert reduced.invert_cells(np.array([1])).tolist() == [1, 3]


def test_room_needs_and_marks_of_equal_cells() -> None:
    problem = problem_of(CHAIN, VALUES, sensitive=(4,), forced=(1,))
    room = problem.room_up.copy()
    room[3] = 7.0
    small = MergeEqual().apply(replace(problem, room_up=room)).problem
    assert small.room_up[1] == 7.0
    assert small.forced[1]
    assert small.cost[1] == 24.0


def test_cells_of_two_contributors_stay_apart() -> None:
    problem = problem_of(CHAIN, VALUES, sensitive=(3,))
    same = replace(problem, owner=np.array([-1, 7, -1, 7, -1, -1]))
    assert MergeEqual().apply(same).problem.owner[1] == 7
    differ = replace(problem, owner=np.array([-1, 7, -1, 8, -1, -1]))
    assert not MergeEqual().accept(differ)
    one = replace(problem, owner=np.array([-1, 7, -1, -1, -1, -1]))
    assert not MergeEqual().accept(one)


def test_only_opposite_signs_make_cells_equal() -> None:
    assert not MergeEqual().accept(problem_of([[1, 1]], [3, -3], sensitive=(0,)))
    assert MergeEqual().accept(problem_of([[-1, 1]], [3, 3], sensitive=(0,)))
    assert not MergeEqual().accept(problem_of([[-1, 2]], [4, 2], sensitive=(0,)))


def test_a_relation_that_is_said_twice_is_said_once() -> None:
    # 0 = 1 + 2 and 3 = 4 + 5, with 0 = 3, 1 = 4, 2 = 5
    rows = [[-1, 1, 1, 0, 0, 0], [0, 0, 0, -1, 1, 1]]
    rows += [[-1, 0, 0, 1, 0, 0], [0, -1, 0, 0, 1, 0], [0, 0, -1, 0, 0, 1]]
    small = MergeEqual().apply(problem_of(rows, [5, 2, 3, 5, 2, 3])).problem
    assert small.relations.toarray().tolist() == [[-1, 1, 1]]


def test_frozen_cells_leave_with_all_that_follows_from_them() -> None:
    problem = problem_of(CHAIN, VALUES, sensitive=(4,), frozen=(0, 2))
    assert FixImmovable().accept(problem)
    reduced = FixImmovable().apply(problem)
    # 1 follows from 0 and 2, 3 from 1; 4 and 5 can still move against each other.
    assert reduced.of.tolist() == [-1, -1, -1, -1, 0, 1]
    assert reduced.problem.relations.toarray().tolist() == [[1, 1]]
    assert reduced.lost.tolist() == []
    assert reduced.invert_hidden(np.array([True, True])).tolist() == [
        *[False] * 4,
        True,
        True,
    ]


def test_a_sensitive_cell_that_follows_is_lost_but_withheld() -> None:
    problem = problem_of(CHAIN, VALUES, sensitive=(3,), frozen=(0, 2))
    reduced = FixImmovable().apply(problem)
    assert reduced.lost.tolist() == [3]
    nothing = np.zeros(len(reduced.problem), dtype=bool)
    assert reduced.invert_hidden(nothing).tolist() == [False] * 3 + [True, False, False]


def test_a_cell_without_room_is_known() -> None:
    problem = problem_of(CHAIN, VALUES, sensitive=(4,))
    room = problem.room_up.copy()
    room[5] = 0.0
    low = problem.room_down.copy()
    low[5] = 0.0
    known = replace(problem, room_up=room, room_down=low)
    assert FixImmovable().apply(known).of[5] == -1


def test_what_nothing_sensitive_is_connected_to_is_left_out() -> None:
    rows = [[-1, 1, 1, 0, 0, 0], [0, 0, 0, -1, 1, 1]]
    problem = problem_of(rows, [5, 2, 3, 9, 4, 5], sensitive=(1,), forced=(5,))
    assert LeaveIdle().accept(problem)
    reduced = LeaveIdle().apply(problem)
    assert reduced.of.tolist() == [0, 1, 2, -1, -1, -1]
    hidden = reduced.invert_hidden(np.array([True, True, False]))
    assert hidden.tolist() == [True, True, False, False, False, True]
    assert not LeaveIdle().accept(reduced.problem)


def test_components_are_cut_and_joined() -> None:
    rows = [[-1, 0, 1, 0, 1, 0], [0, -1, 0, 1, 0, 1]]
    problem = problem_of(rows, [5, 9, 2, 4, 3, 5], sensitive=(2, 3))
    parts = components(problem)
    assert [part.of.tolist() for part in parts] == [
        [0, -1, 1, -1, 2, -1],
        [-1, 0, -1, 1, -1, 2],
    ]
    assert [part.problem.value.tolist() for part in parts] == [[5, 2, 3], [9, 4, 5]]
    joined = np.zeros(6, dtype=bool)
    for part in parts:
        joined |= part.invert_hidden(part.problem.sensitive)
    assert joined.tolist() == problem.sensitive.tolist()


@st.composite
def tables(draw: st.DrawFn) -> Problem:
    """Small tables in which some lines hold a single cell, as sparse data have."""
    sizes = draw(st.sampled_from([(2, 2), (3, 2), (3, 3), (2, 2, 2)]))
    count = int(np.prod(sizes))
    inner = draw(st.lists(st.integers(0, 5), min_size=count, max_size=count))
    value = with_totals(np.array(inner).reshape(sizes))
    matrix = margins(*sizes).toarray()[:, value > 0]
    matrix = matrix[(matrix != 0).any(axis=1)]
    value = value[value > 0]
    assume(len(value) > 0)
    cells = st.sets(st.integers(0, max(len(value) - 1, 0)), max_size=4)
    sensitive, frozen = draw(cells), draw(cells)
    return problem_of(
        matrix,
        value,
        sensitive=tuple(sensitive),
        frozen=tuple(frozen - sensitive),
    )


@given(tables())
def test_what_is_found_in_the_small_problem_holds_in_the_large_one(
    problem: Problem,
) -> None:
    small = presolve(problem)
    assume(len(small.problem) > 0)
    hidden = small.invert_hidden(gauss(small.problem))
    assert (hidden | ~problem.sensitive).all()
    assert not (hidden & problem.frozen).any()
    known = determined(problem.relations, hidden) & problem.sensitive
    assert set(np.flatnonzero(known)) <= set(small.lost.tolist())


@given(tables(), st.integers(0, 2**32 - 1))
def test_a_move_of_the_small_problem_is_one_of_the_large(
    problem: Problem, seed: int
) -> None:
    small = presolve(problem)
    if not len(small.problem):
        return
    dense = small.problem.relations.toarray().astype(float)
    _, sizes, basis = np.linalg.svd(np.vstack([dense, np.zeros_like(dense[:1])]))
    free = basis[int((sizes > 1e-9).sum()) :]
    weights = np.random.default_rng(seed).normal(size=len(free))
    amounts = weights @ free if len(free) else np.zeros(len(small.problem))
    cells = np.arange(len(amounts), dtype=np.int32)
    (move,) = small.invert_moves([Move(cells, amounts)])
    z = np.zeros(len(problem))
    z[move.cells] = move.amounts
    assert problem.relations @ z == pytest.approx(0, abs=1e-9)
    assert not z[problem.frozen & ~problem.sensitive].any()
