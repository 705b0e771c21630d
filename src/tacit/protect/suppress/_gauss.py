# SPDX-License-Identifier: Apache-2.0
"""Patterns without exact disclosure, by elimination modulo a prime.

Cells are vectors over a basis of the table. Publishing a cell divides by its vector;
a sensitive cell is given away when its own vector becomes zero. Which cells form the
basis does not change the pattern, only the work: in the sibling-difference basis
(for each parent all parts but one) few vectors ever have to be combined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

__all__ = ["Elimination", "determined", "exact_pattern", "fill_reducing_order"]


@dataclass(frozen=True)
class Elimination:
    """A pattern and the work it took."""

    hidden: NDArray[np.bool_]
    operations: int
    longest_row: int
    basis_entries: int


def fill_reducing_order(
    codes: NDArray[np.int32], depths: tuple[NDArray[np.int32], ...]
) -> NDArray[np.int64]:
    """Order cells so that eliminating from the last one creates few new entries.

    Per dimension codes rank by depth, then by how many cells they hold; cells follow
    lexicographically. So in every parent the same, fullest part is left out of the
    basis, whatever the other dimensions say, and the basis keeps a product form.
    """
    ranks = []
    for code, depth in zip(codes, depths, strict=True):
        held = np.bincount(code, minlength=len(depth))
        rank = np.empty(len(depth), dtype=np.int64)
        rank[np.lexsort((held, depth))] = np.arange(len(depth))
        ranks.append(rank[code])
    return np.lexsort(tuple(reversed(ranks))).astype(np.int64)


def exact_pattern(
    relations: csr_array,
    order: NDArray[np.int64],
    *,
    protected: NDArray[np.bool_],
    frozen: NDArray[np.bool_],
    basis_order: NDArray[np.int64],
    combinations: csr_array | None = None,
    seed: int = 0,
) -> Elimination:
    """Hide candidates until no protected cell or combination can be derived.

    ``order`` lists the candidates, first those to publish first; frozen ones among
    them are published untested and must come first. Cells neither in ``order`` nor
    protected stay hidden and are no targets.
    """
    from tacit.protect.suppress import _kernels_elimination as kernels  # noqa: PLC0415

    n_cells = relations.shape[1]
    targets = np.flatnonzero(protected)
    vectors = _vectors(relations, basis_order)
    blocks = [vectors[:, order], vectors[:, targets]]
    if combinations is not None and combinations.shape[0]:
        blocks.append(_modular_product(vectors, combinations))
    from scipy.sparse import hstack  # noqa: PLC0415

    matrix = hstack(blocks, format="csr")
    matrix.sort_indices()
    untested = np.zeros(matrix.shape[1], dtype=np.bool_)
    untested[: len(order)] = frozen[order]
    random = np.random.default_rng(seed).integers(
        1, kernels.FIRST_PRIME, (2, matrix.shape[0])
    )
    published, operations, longest = kernels.publish(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.int64),
        len(order),
        untested,
        random,
        kernels.FIRST_PRIME,
    )
    hidden = np.ones(n_cells, dtype=np.bool_)
    hidden[order[published]] = False
    return Elimination(hidden, int(operations), int(longest), int(vectors.nnz))


def determined(
    relations: csr_array, hidden: NDArray[np.bool_], *, seed: int = 1
) -> NDArray[np.bool_]:
    """Tell which hidden cells the published ones determine, modulo a second prime."""
    from tacit.protect.suppress import _kernels_elimination as kernels  # noqa: PLC0415

    cells = np.flatnonzero(hidden)
    out = np.zeros(len(hidden), dtype=np.bool_)
    if not len(cells):
        return out
    prime = kernels.SECOND_PRIME
    rows = relations[:, cells]
    form = _echelon(rows[np.diff(rows.indptr) > 0], np.arange(len(cells)), prime)
    random = np.random.default_rng(seed).integers(1, prime, (2, len(cells)))
    vectors = kernels.free_vectors(*form[:5], random, prime)
    out[cells] = ~vectors.any(axis=0)
    return out


def _echelon(relations: csr_array, order: NDArray[np.int64], prime: int) -> tuple:  # type: ignore[type-arg]
    from tacit.protect.suppress import _kernels_elimination as kernels  # noqa: PLC0415

    place = np.empty(relations.shape[1], dtype=np.int64)
    place[order] = np.arange(len(order))
    columns = place[relations.indices]
    rows = np.repeat(np.arange(relations.shape[0]), np.diff(relations.indptr))
    by_row = np.lexsort((-columns, rows))
    return kernels.echelon(  # type: ignore[no-any-return]
        relations.indptr.astype(np.int64),
        columns[by_row].astype(np.int32),
        relations.data[by_row].astype(np.int64) % prime,
        relations.shape[1],
        prime,
    )


def _vectors(relations: csr_array, order: NDArray[np.int64]) -> csr_array:
    """Give basis by cells: each cell as a combination of basis cells, modulo."""
    from scipy.sparse import csr_array  # noqa: PLC0415

    from tacit.protect.suppress import _kernels_elimination as kernels  # noqa: PLC0415

    form = _echelon(relations, order, kernels.FIRST_PRIME)
    indptr, basis, values = kernels.express(*form[:5], kernels.FIRST_PRIME)
    free = np.flatnonzero(form[0] < 0)
    row_of = np.full(len(order), -1, dtype=np.int64)
    row_of[free] = np.arange(len(free))
    dependent = np.repeat(np.arange(len(order)), np.diff(indptr))
    rows = np.concatenate([row_of[free], row_of[basis]])
    cells = order[np.concatenate([free, dependent])]
    data = np.concatenate([np.ones(len(free), dtype=np.int64), values])
    return csr_array((data, (rows, cells)), shape=(len(free), len(order)))


def _modular_product(vectors: csr_array, combinations: csr_array) -> csr_array:
    """Vectors of combinations of cells; few cells each, so int64 does not overflow."""
    from tacit.protect.suppress import _kernels_elimination as kernels  # noqa: PLC0415

    product = (vectors @ combinations.T.astype(np.int64)).tocsr()
    product.data %= kernels.FIRST_PRIME
    product.eliminate_zeros()
    return product  # type: ignore[no-any-return]
