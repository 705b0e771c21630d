# SPDX-License-Identifier: Apache-2.0
"""The proof that comes with a suppressed table: other tables that it could be."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.attacker import Attacker
from tacit.errors import InputError
from tacit.protect._pack import check_version, pack, unpack, unpacking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tacit.table import Relations, Table

__all__ = [
    "Certificate",
    "Verification",
    "digest_of_cells",
    "digest_of_pattern",
    "digest_of_relations",
]

_VERSION = 1
_KINDS = {
    "offset": np.int64,
    "cell": np.int64,
    "amount": np.float64,
    "claim_cell": np.int64,
    "claim_side": np.uint8,
    "claim_distance": np.float64,
    "claim_witness": np.int64,
    "hidden": np.bool_,
    "required_cell": np.int64,
    "required_above": np.float64,
    "required_below": np.float64,
    "required_width": np.float64,
}


@dataclass(frozen=True, eq=False, repr=False)
class Certificate:
    """Why nobody can tell the true table from others that are far enough from it.

    Witness w has the entries ``offset[w]:offset[w + 1]`` of ``cell`` and ``amount``.
    Added to the true table it gives another one that agrees with everything published
    and with all that ``attacker`` knows. Claim k says that witness
    ``claim_witness[k]`` moves ``claim_cell[k]`` by at least ``claim_distance[k]`` up
    (side 0) or down (side 1). The ``required`` arrays say how far each sensitive cell
    must be movable: above, below, and over both sides. Amounts and distances are
    scaled like the cells. ``digests`` tie it to one table and one pattern.

    A certificate holds true distances, so it is internal.
    :func:`tacit.verify` checks it without any solver.

    >>> import tacit
    >>> from tacit.protect import release_as_stated
    >>> cells = {"sex": ["f", "m", "x"], "n": [20, 30, 9], "s": ["u", "m", "s"]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, value="n", state="s")
    >>> tacit.certify(release_as_stated(tacit.assess(table, margin=10))).amount.tolist()
    [30.0, -30.0, -20.0, 20.0]
    """

    offset: NDArray[np.int64]
    cell: NDArray[np.int64]
    amount: NDArray[np.float64]
    claim_cell: NDArray[np.int64]
    claim_side: NDArray[np.uint8]
    claim_distance: NDArray[np.float64]
    claim_witness: NDArray[np.int64]
    hidden: NDArray[np.bool_]
    required_cell: NDArray[np.int64]
    required_above: NDArray[np.float64]
    required_below: NDArray[np.float64]
    required_width: NDArray[np.float64]
    attacker: Attacker
    digests: Mapping[str, str]

    def __len__(self) -> int:
        return len(self.offset) - 1

    def __repr__(self) -> str:
        return (
            f"<Certificate: {len(self):,} witnesses for {len(self.claim_cell):,} "
            "claims, confidential>"
        )

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Every array by its name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name in _KINDS}

    def seal(self) -> str:
        """Digest of everything in it but the digests."""
        content = hashlib.sha256(self.attacker.model_dump_json().encode())
        for name, array in self.arrays.items():
            _update(content, name, array)
        return content.hexdigest()

    def fits_together(self, cells: int) -> bool:
        """Whether all numbers point at something, in a table of so many cells."""
        ends = self.offset[[0, -1]] if len(self.offset) else np.array([-1, -1])
        if ends[0] != 0 or not len(self.cell) == len(self.amount) == ends[1]:
            return False
        pointers = (
            (self.cell, cells),
            (self.claim_cell, cells),
            (self.required_cell, cells),
            (self.claim_witness, len(self)),
            (self.claim_side, 2),
        )
        claims = (self.claim_side, self.claim_distance, self.claim_witness)
        levels = (self.required_above, self.required_below, self.required_width)
        return (
            len(self.hidden) == cells
            and bool((np.diff(self.offset) >= 0).all())
            and all(((at >= 0) & (at < size)).all() for at, size in pointers)
            and all(len(column) == len(self.claim_cell) for column in claims)
            and all(len(column) == len(self.required_cell) for column in levels)
            and bool(np.isfinite(self.amount).all())
        )

    def save(self, path: str | Path) -> Path:
        """Write one compressed file; the same certificate gives the same bytes.

        The name must hold the word ``internal``.
        """
        path = Path(path)
        if "internal" not in path.name.lower():
            message = (
                f"'{path.name}' would hold how far true values can be told apart, and "
                "its name does not say so: it must hold the word 'internal', as in "
                "'certificate.internal.npz'."
            )
            raise InputError(message)
        meta = {
            "version": _VERSION,
            "attacker": self.attacker.model_dump(mode="json"),
            "digests": dict(self.digests),
        }
        return pack(path, meta, self.arrays)

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate; whatever is not one is refused."""
        path = Path(path)
        with unpacking(path, "a certificate"):
            meta, arrays = unpack(path, _KINDS)
            check_version(path, meta, _VERSION)
            attacker = Attacker.model_validate(_with_factors(meta["attacker"]))
            digests = {str(k): str(v) for k, v in meta["digests"].items()}
        return cls(**arrays, attacker=attacker, digests=digests)


@dataclass(frozen=True)
class Verification:
    """Whether a certificate proves what it claims; true or false like a boolean.

    ``attacker`` is whom the proof is against: somebody who knows more is not covered.
    """

    problems: tuple[str, ...]
    witnesses: int
    claims: int
    attacker: Attacker

    @classmethod
    def of(cls, certificate: Certificate, problems: list[str]) -> Verification:
        """Say of this certificate what is wrong with it."""
        claims = len(certificate.claim_cell)
        return cls(tuple(problems), len(certificate), claims, certificate.attacker)

    def __bool__(self) -> bool:
        return not self.problems

    def __repr__(self) -> str:
        if self.problems:
            return f"<Verification: failed. {' '.join(self.problems)}>"
        return (
            f"<Verification: {self.claims:,} claims hold{self.against} by "
            f"{self.witnesses:,} witnesses>"
        )

    @property
    def against(self) -> str:
        """Whom the proof is against, in words; nothing if it is a plain outsider."""
        return "" if self.attacker == Attacker() else f" against {self.attacker!r}"


def _with_factors(document: dict[str, Any]) -> dict[str, Any]:
    """JSON knows lists only; factors are a pair."""
    bounds = document.get("bounds")
    pair = tuple(bounds) if isinstance(bounds, list) else bounds
    return document | {"bounds": pair}


def digest_of_cells(table: Table) -> str:
    """Digest of the codes in words, the exact values and their decimals."""
    content = hashlib.sha256(str(table.cells.decimals).encode())
    for dimension, codes in zip(table.dimensions, table.cells.codes, strict=True):
        names = json.dumps([dimension.name, *dimension.codes], ensure_ascii=False)
        content.update(names.encode())
        _update(content, "codes", codes.astype(np.int64))
    _update(content, "value", table.cells.value.astype(np.int64))
    return content.hexdigest()


def digest_of_relations(relations: Relations) -> str:
    """Digest of the matrix of relations."""
    content, matrix = hashlib.sha256(), relations.matrix
    _update(content, "indptr", matrix.indptr.astype(np.int64))
    _update(content, "indices", matrix.indices.astype(np.int64))
    _update(content, "data", matrix.data.astype(np.int64))
    return content.hexdigest()


def digest_of_pattern(hidden: NDArray[np.bool_]) -> str:
    """Digest of which cells are withheld."""
    content = hashlib.sha256()
    _update(content, "hidden", hidden)
    return content.hexdigest()


def _update(content: Any, name: str, array: NDArray[Any]) -> None:  # noqa: ANN401 - a hash
    content.update(f"{name}:{array.dtype.str}:{array.shape}".encode())
    content.update(np.ascontiguousarray(array).tobytes())
