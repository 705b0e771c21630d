# SPDX-License-Identifier: Apache-2.0
"""Check a certificate by sums alone. No solver, nothing of the methods or the audit.

A certificate holds difference vectors z. For each it is checked that the true table
plus z agrees with all that is published: z is 0 at every published cell, every
relation still adds up (M z = 0), and no cell leaves the bounds that the attacker knows.
Then nobody can tell the true table from that one, and a cell that z moves by d may as
well lie d away from its value. Vectors of whole numbers are checked exactly, in 64-bit
integers; others to within ``TOLERANCE``, relative to their largest amount.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._required import Required, required_of
from tacit.errors import InputError
from tacit.protect import Release
from tacit.protect import _certificate as made
from tacit.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Given = made.Certificate

__all__ = ["TOLERANCE", "verify"]

TOLERANCE = 1e-7
_EXACT = 2.0**52


def verify(
    certificate: made.Certificate, subject: Release | Table
) -> made.Verification:
    """Check the proof that comes with a release, without any solver.

    With the release, the withheld cells and the levels are compared as well; with its
    table alone, the proof is checked for the pattern that the certificate names.

    >>> import tacit
    >>> from tacit.protect import release_as_stated
    >>> cells = {"sex": ["f", "m", "x"], "n": [20, 30, 9], "s": ["u", "m", "s"]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, value="n", state="s")
    >>> release = release_as_stated(tacit.assess(table, margin=20))
    >>> tacit.verify(tacit.certify(release), release)
    <Verification: 2 claims hold by 2 witnesses>
    """
    if not isinstance(subject, Release | Table):
        message = (
            f"verify takes a release or its table, not a {type(subject).__name__}."
        )
        raise InputError(message)
    release = subject if isinstance(subject, Release) else None
    table = subject.table if isinstance(subject, Release) else subject
    problems = _identity(certificate, table, release)
    problems = problems or _proof(certificate, table)
    return made.Verification.of(certificate, problems)


def _identity(given: Given, table: Table, release: Release | None) -> list[str]:
    """Is it a certificate of this table, this pattern, these levels, untouched?"""
    hidden = given.hidden if release is None else release.withheld
    found = {
        "cells": made.digest_of_cells(table),
        "relations": made.digest_of_relations(table.relations),
        "pattern": made.digest_of_pattern(hidden),
        "content": given.seal(),
    }
    wrong = [name for name in found if given.digests.get(name) != found[name]]
    if not np.array_equal(hidden, given.hidden):
        wrong.append("withheld cells")
    if release is not None:
        mine, true = _required(given), required_of(release, given.attacker)
        names = ("cells", "above", "below", "width")
        same = [np.array_equal(getattr(mine, n), getattr(true, n)) for n in names]
        wrong += [] if all(same) else ["levels"]
        wrong += ["sensitive cells"] if release.exposed.any() else []
    return [f"The {name} are not those it was made for." for name in wrong]


def _required(given: Given) -> Required:
    levels = (given.required_above, given.required_below, given.required_width)
    return Required(given.required_cell, *levels)


def _proof(given: Given, table: Table) -> list[str]:
    """What does not hold of the witnesses and the claims."""
    if not given.fits_together(len(table)):
        return ["Its arrays do not fit together."]
    from scipy.sparse import csr_array  # noqa: PLC0415

    shape = (len(given), len(table))
    z = csr_array((given.amount, given.cell, given.offset), shape=shape)
    owner = np.repeat(np.arange(len(given)), np.diff(given.offset))
    size, broken = np.zeros(len(given)), np.zeros(len(given), dtype=bool)
    np.maximum.at(size, owner, np.abs(given.amount))
    np.logical_or.at(broken, owner, given.amount != np.rint(given.amount))
    slack = np.where(broken | (size > _EXACT), TOLERANCE * size, 0.0)
    inside = _within(given, table, slack[owner])
    checks = {
        "A witness moves a published cell.": given.hidden[given.cell].all(),
        "A witness breaks a relation.": _adds_up(z, table.relations.matrix, slack),
        "A witness leaves the bounds that are known.": inside,
        "A claim is not what its witness shows.": _reached(given, z),
        "A sensitive cell is not protected as it must be.": _enough(given),
    }
    return [problem for problem, holds in checks.items() if not holds]


def _adds_up(z: csr_array, matrix: csr_array, slack: NDArray[np.float64]) -> bool:
    """M z = 0: exactly for whole numbers, to within the tolerance for others."""
    gaps = abs(z @ matrix.T.astype(np.float64)).max(axis=1).toarray().ravel()
    # Sums modulo 2**64 are exact where the result is small, and floats show that.
    if (gaps > np.maximum(slack, 1e6)).any() or (gaps > slack)[slack > 0].any():
        return False
    exact = z[np.flatnonzero(slack == 0)].astype(np.int64) @ matrix.T.astype(np.int64)
    return not exact.count_nonzero()


def _within(given: Given, table: Table, slack: NDArray[np.float64]) -> bool:
    cells = table.cells
    if given.attacker.whole(is_count=table.is_count) and slack.any():
        return False
    lower, upper = given.attacker.bounds_on(
        cells.value,
        given.hidden,
        one=10**cells.decimals if table.is_count else 0,
        given=(cells.lower, cells.upper),
    )
    moved = cells.value[given.cell] + given.amount
    inside = moved >= lower[given.cell] - slack
    return bool((inside & (moved <= upper[given.cell] + slack)).all())


def _reached(given: Given, z: csr_array) -> bool:
    amount = np.asarray(z[given.claim_witness, given.claim_cell]).ravel()
    amount = np.where(given.claim_side == 0, amount, -amount)
    return bool((amount >= given.claim_distance * (1 - TOLERANCE)).all())


def _enough(given: Given) -> bool:
    reached = np.zeros((2, len(given.hidden)))
    np.maximum.at(reached, (given.claim_side, given.claim_cell), given.claim_distance)
    above, below = reached[:, given.required_cell]
    return bool(_required(given).met(above, below).all())
