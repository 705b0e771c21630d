# SPDX-License-Identifier: Apache-2.0
"""Make a certificate of the witnesses that an audit has found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.attacker import Attacker, outsider_among
from tacit.audit._clock import Clock
from tacit.audit._outsider import attack
from tacit.audit._required import problem_of, required_of
from tacit.audit._whole import whole_multiple, whole_witness
from tacit.errors import InputError, LimitError, UnsafeError
from tacit.protect._certificate import (
    Certificate,
    digest_of_cells,
    digest_of_pattern,
    digest_of_relations,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.audit._outsider import Outcome
    from tacit.audit._problem import Problem
    from tacit.audit._required import Required
    from tacit.audit._verdict import Witnesses
    from tacit.protect import Release

__all__ = ["certificate_of", "certify"]

_NEAR = 1e-6


def certify(
    release: Release,
    *,
    attacker: Attacker | None = None,
    time_limit: float | None = None,
    executor: Executor | None = None,
) -> Certificate:
    """Prove that an outsider cannot work out any sensitive cell too closely.

    Works for any suppressed release, whatever made it. Where the release is not safe
    there is nothing to prove, and the error says how many cells fail.

    >>> import tacit
    >>> from tacit.protect import release_as_stated
    >>> cells = {"sex": ["f", "m", "x"], "n": [20, 30, 9], "s": ["u", "m", "s"]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, value="n", state="s")
    >>> tacit.certify(release_as_stated(tacit.assess(table, margin=10)))
    <Certificate: 2 witnesses for 2 claims, confidential>
    """
    (who,) = outsider_among([attacker or Attacker()])
    if release.perturbed:
        message = (
            "A certificate is about withheld cells, and this release publishes "
            "changed values. The audit report is what speaks for it."
        )
        raise InputError(message)
    problem, required = problem_of(release, who), required_of(release, who)
    outcome = attack(problem, required, clock=Clock(time_limit), executor=executor)
    exposed, failed = int(release.exposed.sum()), int(outcome.failed.sum())
    if exposed or failed:
        message = (
            f"{exposed + failed:,} sensitive cells are not protected, so there is "
            "nothing to certify. tacit.audit(release) says which, and why."
        )
        raise UnsafeError(message)
    return certificate_of(release, who, problem, outcome=outcome)


def certificate_of(
    release: Release, attacker: Attacker, problem: Problem, *, outcome: Outcome
) -> Certificate:
    """Choose witnesses for every claim; complete them where some are missing."""
    from scipy.sparse import vstack  # noqa: PLC0415

    if outcome.open.any():
        message = (
            f"{int(outcome.open.sum()):,} claims were not settled within the time "
            "limit, so nothing is proved for them. Allow more time."
        )
        raise LimitError(message)
    required = outcome.required
    pools = [_refined(problem, seen.witnesses) for seen in outcome.verdicts]
    pool = _completed(problem, required, vstack(pools, format="csr"))
    claims = _claims(required, pool, len(problem))
    used, number = np.unique(claims.witness, return_inverse=True)
    pool = pool[used]
    pool.sort_indices()
    table = release.table
    draft = Certificate(
        offset=pool.indptr.astype(np.int64),
        cell=pool.indices.astype(np.int64),
        amount=pool.data.astype(np.float64),
        claim_cell=claims.cell,
        claim_side=claims.side,
        claim_distance=claims.distance,
        claim_witness=number.astype(np.int64).ravel(),
        hidden=release.withheld,
        required_cell=required.cells,
        required_above=required.above,
        required_below=required.below,
        required_width=required.width,
        attacker=attacker,
        digests={},
    )
    digests = {
        "cells": digest_of_cells(table),
        "relations": digest_of_relations(table.relations),
        "pattern": digest_of_pattern(release.withheld),
        "content": draft.seal(),
    }
    return Certificate(**draft.arrays, attacker=attacker, digests=digests)


def _refined(problem: Problem, witnesses: Witnesses) -> csr_array:
    """Witnesses as rows, whole numbers where noise alone keeps them from it.

    Rounding must not leave the bounds or break a relation, which is checked.
    """
    pool = witnesses.matrix(len(problem)).tocsr()
    rounded = pool.copy()
    rounded.data = np.rint(pool.data)
    near = np.abs(pool.data - rounded.data) <= _NEAR
    owner = np.repeat(np.arange(pool.shape[0]), np.diff(pool.indptr))
    fits = np.ones(pool.shape[0], dtype=bool)
    fits[owner[~near]] = False
    fits[owner[~_inside(problem, rounded)]] = False
    gaps = abs(rounded.astype(np.int64) @ problem.matrix.T.astype(np.int64))
    fits &= gaps.sum(axis=1) == 0
    pool.data = np.where(fits[owner], rounded.data, pool.data)
    if problem.integral:
        pool = _whole_rows(problem, pool, np.flatnonzero(~fits))
    pool.eliminate_zeros()
    return pool


def _inside(problem: Problem, pool: csr_array) -> NDArray[np.bool_]:
    value = np.zeros(len(problem)) if problem.value is None else problem.value
    moved = value[pool.indices] + pool.data
    inside: NDArray[np.bool_] = (moved >= problem.lower[pool.indices]) & (
        moved <= problem.upper[pool.indices]
    )
    return inside


def _whole_rows(
    problem: Problem, pool: csr_array, broken: NDArray[np.int64]
) -> csr_array:
    """Replace fractional rows by whole multiples of their direction, or by nothing."""
    for row in broken.tolist():
        part = slice(pool.indptr[row], pool.indptr[row + 1])
        pool.data[part] = whole_multiple(problem, pool.indices[part], pool.data[part])
    return pool


def _completed(problem: Problem, required: Required, pool: csr_array) -> csr_array:
    """Add a witness for each claim that the pool does not prove."""
    from scipy.sparse import csr_array as make  # noqa: PLC0415
    from scipy.sparse import vstack  # noqa: PLC0415

    reach = _reach(pool, required.cells)
    lacking = np.flatnonzero(~required.met(reach[0], reach[1]))
    more: list[csr_array] = []
    for k in lacking.tolist():
        cell = int(required.cells[k])
        for side in (0, 1):
            cells, amounts = whole_witness(problem, cell, side)
            at = (np.zeros(len(cells), dtype=np.int64), cells)
            more.append(make((amounts, at), shape=(1, len(problem))))
    if not more:
        return pool
    pool = vstack([pool, *more], format="csr")
    reach = _reach(pool, required.cells)
    missing = int((~required.met(reach[0], reach[1])).sum())
    if missing:
        message = (
            f"{missing:,} claims hold, but no witness was found that shows it, so "
            "there is no certificate. The audit report is what speaks for them."
        )
        raise LimitError(message)
    return pool


class _Claims(NamedTuple):
    cell: NDArray[np.int64]
    side: NDArray[np.uint8]
    distance: NDArray[np.float64]
    witness: NDArray[np.int64]


def _claims(required: Required, pool: csr_array, cells: int) -> _Claims:
    """For every required cell and side the witness that moves it furthest."""
    wanted = np.zeros(cells, dtype=bool)
    wanted[required.cells] = True
    at = np.flatnonzero(wanted[pool.indices])
    cell, amount = pool.indices[at].astype(np.int64), pool.data[at]
    row = np.searchsorted(pool.indptr, at, side="right") - 1
    side = (amount < 0).astype(np.uint8)
    order = np.lexsort((row, -np.abs(amount), side, cell))
    cell, side, row, amount = cell[order], side[order], row[order], amount[order]
    first = np.ones(len(cell), dtype=bool)
    first[1:] = (cell[1:] != cell[:-1]) | (side[1:] != side[:-1])
    chosen = _Claims(
        cell[first], side[first], np.abs(amount[first]), row[first].astype(np.int64)
    )
    needs = np.zeros((2, cells))
    needs[0, required.cells] = np.maximum(required.above, required.width)
    needs[1, required.cells] = np.maximum(required.below, required.width)
    asked = needs[chosen.side, chosen.cell] > 0
    return _Claims(
        chosen.cell[asked],
        chosen.side[asked],
        chosen.distance[asked],
        chosen.witness[asked],
    )


def _reach(pool: csr_array, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """How far the pool moves each cell, up and down."""
    reach = np.zeros((2, pool.shape[1]))
    np.maximum.at(reach[0], pool.indices, pool.data)
    np.maximum.at(reach[1], pool.indices, -pool.data)
    return reach[:, cells]
