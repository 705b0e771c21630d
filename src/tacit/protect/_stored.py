# SPDX-License-Identifier: Apache-2.0
"""A release in one internal file: what is needed to check it again, later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError
from tacit.hierarchy import Hierarchy
from tacit.protect._pack import check_version, pack, unpack, unpacking
from tacit.protect._release import Release
from tacit.rules import Assessment
from tacit.table import Cells, Dimension, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["load_release", "save_release"]

_VERSION = 1
_KINDS = {
    "codes": np.int32,
    "value": np.int64,
    "given": np.uint8,
    "state": np.uint8,
    "published": np.int64,
    "sensitive": np.bool_,
    "upl": np.float64,
    "lpl": np.float64,
    "spl": np.float64,
    "lower": np.int64,
    "upper": np.int64,
}


def save_release(release: Release, path: str | Path) -> Path:
    """Write cells, levels, states and classifications; never contributions.

    The name must hold the word ``internal``. Linked tables and tables with equations
    are not stored: their relations do not follow from the classifications.
    """
    path = Path(path)
    if "internal" not in path.name.lower():
        message = (
            f"'{path.name}' would hold the true values, and its name does not say so: "
            "it must hold the word 'internal'."
        )
        raise InputError(message)
    table, assessment = release.table, release.assessment
    if table.compiled is not None or table.equations is not None:
        message = (
            "A linked table, or one with equations, cannot be stored as a release. "
            "Verify it in Python, with the release at hand."
        )
        raise InputError(message)
    cells, none = table.cells, np.zeros(0, dtype=np.int64)
    meta = {
        "version": _VERSION,
        "measure": table.measure,
        "is_count": table.is_count,
        "decimals": cells.decimals,
        "method": release.method,
        "perturbed": release.perturbed,
        "dimensions": [_dimension(one) for one in table.dimensions],
    }
    arrays = {
        "codes": cells.codes,
        "value": cells.value,
        "given": cells.state,
        "state": release.state,
        "published": release.published,
        "sensitive": assessment.sensitive,
        "upl": assessment.upl,
        "lpl": assessment.lpl,
        "spl": assessment.spl,
        "lower": none if cells.lower is None else cells.lower,
        "upper": none if cells.upper is None else cells.upper,
    }
    return pack(path, meta, arrays)


def _dimension(dimension: Dimension) -> dict[str, Any]:
    trees = [
        {"codes": list(tree.codes), "parents": tree.parents.tolist()}
        for tree in dimension.hierarchies
    ]
    return {"name": dimension.name, "codes": list(dimension.codes), "trees": trees}


def load_release(path: str | Path) -> Release:
    """Read a release back. The relations are made anew of the classifications."""
    path = Path(path)
    with unpacking(path, "a release"):
        meta, arrays = unpack(path, _KINDS)
        check_version(path, meta, _VERSION)
        table = _table(meta, arrays)
        assessment = Assessment(
            table=table,
            rule=None,
            sensitive=arrays["sensitive"],
            upl=arrays["upl"],
            lpl=arrays["lpl"],
            spl=arrays["spl"],
            state=arrays["given"],
        )
        _ = table.relations
        return Release(
            assessment,
            arrays["state"],
            str(meta["method"]),
            arrays["published"],
            perturbed=bool(meta["perturbed"]),
        )


def _table(meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Table:
    cells = len(arrays["value"])
    sizes = {len(arrays[name]) for name in _KINDS if name not in _OTHER_SHAPES}
    if sizes != {cells} or arrays["codes"].shape != (len(meta["dimensions"]), cells):
        message = "the columns are not equally long"
        raise ValueError(message)
    lower, upper = (arrays[n] if len(arrays[n]) else None for n in _BOUNDS)
    return Table(
        tuple(_read_dimension(one) for one in meta["dimensions"]),
        Cells(
            arrays["codes"],
            arrays["value"],
            int(meta["decimals"]),
            arrays["given"],
            lower=lower,
            upper=upper,
        ),
        measure=str(meta["measure"]),
        is_count=bool(meta["is_count"]),
    )


_BOUNDS = ("lower", "upper")
_OTHER_SHAPES = ("codes", *_BOUNDS)


def _read_dimension(document: dict[str, Any]) -> Dimension:
    trees = [_tree(tree) for tree in document["trees"]]
    if not trees:
        return Dimension(document["name"], tuple(document["codes"]))
    dimension = Dimension.of(document["name"], *trees)
    if list(dimension.codes) != document["codes"]:
        message = "the codes are not those of the classification"
        raise ValueError(message)
    return dimension


def _tree(document: dict[str, Any]) -> Hierarchy:
    codes, parents = document["codes"], document["parents"]
    above = {
        code: codes[parent]
        for code, parent in zip(codes, parents, strict=True)
        if parent >= 0
    }
    return Hierarchy.from_parents(above, total=codes[0])
