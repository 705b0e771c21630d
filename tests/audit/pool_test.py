# SPDX-License-Identifier: Apache-2.0
"""The pool of vectors keeps what it is given, however much that is."""

from __future__ import annotations

import numpy as np

from tacit.audit._pool import Pool


def test_a_pool_grows_and_forgets_nothing() -> None:
    size, many = 5_000, 60
    need = np.zeros((2, size))
    need[0, 0] = 1.0
    pool = Pool(need)
    rng = np.random.default_rng(0)
    given = []
    for _ in range(many):
        groups = rng.permutation(size)[:4_000]
        amounts = rng.normal(size=4_000)
        pool.add(groups, amounts)
        given.append((groups, amounts))
    for number, (groups, amounts) in enumerate(given):
        kept, values = pool.vector(number)
        order = np.argsort(groups)
        assert (kept == groups[order]).all()
        assert (values == amounts[order]).all()


def test_two_vectors_of_opposite_sign_mix_around_what_is_known() -> None:
    need = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    nothing = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
    known = np.array([1])
    pool = Pool(need)
    pool.add(np.array([0, 1]), np.array([2.0, 1.0]))
    assert not pool.proved(0, 0, known, nothing)[0]
    pool.add(np.array([1, 2]), np.array([-0.9, 5.0]))
    assert not pool.proved(0, 0, known, nothing)[0]  # 2 * 0.9 / 1.9 < 1
    pool.add(np.array([1, 2]), np.array([-1.1, 5.0]))
    assert pool.proved(0, 0, known, nothing)[0]
