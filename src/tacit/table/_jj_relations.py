# SPDX-License-Identifier: Apache-2.0
"""The relations of a JJ file: ``rhs k : i (coefficient) ...`` in each line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.table._relations import Equations

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from tacit.table._jj_lines import Faults

__all__ = ["equations_of"]

_LINE = (
    r"^[+-]?[0-9.]{1,30}\s+[0-9]{1,9}\s*:(\s*[0-9]{1,9}\s*\(\s*[+-]?[0-9]{1,9}\s*\))*$"
)
_NOTHING = r"^[+-]?(0+[.]?0*|[.]0+)\s"
_LONGEST = 70


def equations_of(lines: list[str], first: int, cells: int, faults: Faults) -> Equations:
    """Read the relations; faults stay with ``faults``."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.compute as pc  # noqa: PLC0415

    text = pc.utf8_trim_whitespace(pa.array(lines, pa.string()))
    line = np.arange(first, first + len(lines))
    good = _marks(pc.match_substring_regex(text, _LINE))
    faults.mark(
        line,
        ~good,
        "a relation is written 'rhs k : i (coefficient) ...' with k cells and their "
        "coefficients, such as '0 3 : 0 (-1) 1 (1) 2 (1)'.",
    )
    text, line = text.filter(pa.array(good)), line[good]
    _check_right_sides(text, line, faults)
    cell, coefficient, lengths = _terms(text)
    _check_counts(text, lengths, line, faults)
    _check_terms((cell, coefficient, lengths), line, cells, faults)
    faults.refuse()
    matrix = _matrix(cell, coefficient, lengths, cells)
    words = zip(line.tolist(), text.to_pylist(), strict=True)
    return Equations(matrix, tuple(_words(number, said) for number, said in words))


def _marks(found: Any) -> NDArray[np.bool_]:  # noqa: ANN401 - an array of Arrow
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)


def _check_right_sides(text: pa.Array, line: NDArray[np.int64], faults: Faults) -> None:
    import pyarrow.compute as pc  # noqa: PLC0415

    faults.mark(
        line,
        ~_marks(pc.match_substring_regex(text, _NOTHING)),
        "rhs, the right side, must be 0: parts minus total is nothing. Take a constant "
        "as a further cell of status z.",
    )


def _terms(
    text: pa.Array,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Cells and coefficients of all relations in a row, and the length of each."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    plain = pc.replace_substring_regex(text, r"^[^:]*:|[()+]", " ")
    parts = pc.ascii_split_whitespace(pc.utf8_trim_whitespace(plain))
    flat = parts.flatten()
    # Splitting nothing gives one empty text.
    flat = flat.filter(pc.not_equal(flat, ""))
    numbers = np.asarray(pc.cast(flat, pa.int64()))
    tokens = np.asarray(pc.count_substring(text, "("), dtype=np.int64)
    return numbers[0::2], numbers[1::2], tokens


def _check_counts(
    text: pa.Array,
    lengths: NDArray[np.int64],
    line: NDArray[np.int64],
    faults: Faults,
) -> None:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    head = pc.replace_substring_regex(text, r"^\S+\s+([0-9]+).*$", r"\1")
    said = np.asarray(pc.cast(head, pa.int64()))
    for at in np.flatnonzero(said != lengths).tolist():
        many = "follows" if lengths[at] == 1 else "follow"
        why = f"the relation says {said[at]} cells, and {lengths[at]} {many}."
        faults.add(int(line[at]), why)
    faults.mark(line, (lengths == 0) & (said == 0), "the relation has no cells.")


def _check_terms(
    terms: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    line: NDArray[np.int64],
    cells: int,
    faults: Faults,
) -> None:
    cell, coefficient, lengths = terms
    row = np.repeat(np.arange(len(line)), lengths)
    for at in np.flatnonzero(cell >= cells).tolist():
        faults.add(
            int(line[row[at]]),
            f"there is no cell {cell[at]}: cells are counted from 0 to {cells - 1}.",
        )
    for at in np.flatnonzero(np.abs(coefficient) != 1).tolist():
        faults.add(
            int(line[row[at]]),
            f"the coefficient of cell {cell[at]} is {coefficient[at]}. It must be -1 "
            "for a total or 1 for a part.",
        )
    order = np.lexsort((cell, row))
    same = (np.diff(row[order]) == 0) & (np.diff(cell[order]) == 0)
    for at in order[1:][same].tolist():
        faults.add(int(line[row[at]]), f"cell {cell[at]} stands in it twice.")


def _matrix(
    cell: NDArray[np.int64],
    coefficient: NDArray[np.int64],
    lengths: NDArray[np.int64],
    cells: int,
) -> csr_array[np.int8]:
    from scipy.sparse import csr_array  # noqa: PLC0415 - heavy

    starts = np.append(0, np.cumsum(lengths))
    held = (coefficient.astype(np.int8), cell, starts)
    matrix: csr_array[np.int8] = csr_array(held, shape=(len(lengths), cells))
    matrix.sort_indices()
    return matrix


def _words(line: int, text: str) -> str:
    """Name a relation by its line, and show how it begins."""
    terms = text.partition(":")[2].strip()
    if len(terms) > _LONGEST:
        terms = terms[:_LONGEST].rpartition(")")[0] + ") ..."
    return f"line {line}: {terms}"
