# SPDX-License-Identifier: Apache-2.0
"""The one query that reduces records to leaf cell and contributor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import SourceError
from tacit.table import Dimension
from tacit.tabulate import _parse as parse
from tacit.tabulate._engine import identifier, literal
from tacit.tabulate._problems import explain, explain_codes
from tacit.tabulate._pushdown import RECORDS, UNUSABLE, too_large
from tacit.tabulate._source import reading
from tacit.tabulate._spec import WEIGHT_PLACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from tacit.tabulate._source import Source
    from tacit.tabulate._spec import Spec

__all__ = ["Reduced", "as_arrays", "find_dimensions", "reduce"]

WHOLE = 10**WEIGHT_PLACES
# Sums of absolute amounts below this fit int64 in every cell.
_LIMIT = 9.2e18


@dataclass(frozen=True, eq=False, repr=False)
class Reduced:
    """One row per leaf cell and unit (or per record), in no order. Confidential.

    Weighted sums are exact: ``weighted`` whole units of the last decimal and
    ``rest`` millionths of one.
    """

    codes: NDArray[np.int32]
    value: NDArray[np.int64]
    unit: NDArray[np.int64] | None = None
    holding: NDArray[np.int64] | None = None
    records: NDArray[np.int64] | None = None
    weight: NDArray[np.int64] | None = None
    """Largest weight among the records, in millionths."""
    weighted: NDArray[np.int64] | None = None
    rest: NDArray[np.int64] | None = None
    size: NDArray[np.int64] | None = None
    waived: NDArray[np.bool_] | None = None
    request: NDArray[np.uint8] | None = None
    cost: NDArray[np.int64] | None = None
    """In millionths."""
    key: NDArray[np.int64] | None = None
    """Largest record key among the records, in units of ``KEY_UNIT``."""
    keys: NDArray[np.int64] | None = None
    """Sum of the record keys, fractional part; and of those with an amount."""
    keys_nonzero: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return f"<Reduced: {len(self):,} rows, confidential>"


def find_dimensions(source: Source, spec: Spec) -> tuple[Dimension, ...]:
    """Take the dimensions as given; make flat ones from the codes in the data."""
    return tuple(
        spec.fixed_dimension(name) or _flat_dimension(source, spec, name)
        for name in spec.by
    )


def _flat_dimension(source: Source, spec: Spec, name: str) -> Dimension:
    from tacit.hierarchy import Hierarchy  # noqa: PLC0415 - no cycle at import

    total = spec.by[name]
    column = source.column(spec.columns[name])
    sql = parse.code(column, strip=spec.strip_codes, missing=_missing(spec, name))
    with reading():
        rows = source.engine.query(f"SELECT DISTINCT {sql} c FROM {source.relation}")
    codes = {code for code in rows.column("c").to_pylist() if code is not None}
    if not codes:
        message = _no_rows(source) or (
            f"Dimension '{name}': column '{column.name}' holds no code at all."
        )
        raise SourceError(message)
    if total in codes:
        message = (
            f"Dimension '{name}': the data hold records with the code '{total}', which "
            "is the code of the total. Leave such records out, they would be counted "
            "twice, or call the total something else."
        )
        raise SourceError(message)
    blank = next((code for code in sorted(codes) if code != code.strip()), None)
    if blank is not None:
        message = (
            f"Dimension '{name}': the code '{blank}' of column '{column.name}' has "
            "blanks around it, so it would be a code of its own. Strip the column, or "
            "give strip_codes=True."
        )
        raise SourceError(message)
    return Dimension.of(name, Hierarchy.flat(sorted(codes), total=total))


def _no_rows(source: Source) -> str:
    rows = source.engine.query(f"SELECT count(*) AS n FROM {source.relation}")
    return "" if rows.column("n")[0].as_py() else EMPTY


EMPTY = "The source has no rows, so there is nothing to tabulate."


def _missing(spec: Spec, name: str) -> str | None:
    code = spec.missing_code(name)
    return None if code is None else literal(code)


def reduce(source: Source, spec: Spec, dimensions: Sequence[Dimension]) -> pa.Table:
    """Run the query, and explain what cannot be used."""
    import duckdb  # noqa: PLC0415 - heavy, only where needed

    for d, dimension in enumerate(dimensions):
        source.engine.keep(f"dimension {d}", _leaf_table(dimension))
    with reading():
        try:
            rows = source.engine.query(reduction(source, spec))
        except (duckdb.ConversionException, duckdb.OutOfRangeException):
            raise SourceError(too_large(spec.value or "", spec.decimals)) from None
    _check(rows, source, spec, dimensions)
    return rows


def _leaf_table(dimension: Dimension) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    leaves = dimension.leaves
    codes = [dimension.codes[i] for i in leaves.tolist()]
    return pa.table({"code": pa.array(codes, pa.string()), "position": leaves})


def reduction(source: Source, spec: Spec) -> str:
    """Write the query."""
    inner = {**_amounts(source, spec), **_ids(source, spec)}
    joins = "".join(
        f' LEFT JOIN "dimension {d}" d{d} ON d{d}.code = {_code(source, spec, name)}'
        for d, name in enumerate(spec.by)
    )
    codes = {f"c{d}": f"d{d}.position" for d in range(len(spec.by))}
    chosen = ", ".join(f"{sql} AS {name}" for name, sql in {**codes, **inner}.items())
    rows = f"SELECT {chosen} FROM {source.relation}{joins}"
    sums = _sums(spec, grouped=spec.unit is not None)
    keys = [*codes, *(name for name in ("u", "h") if name in inner)]
    columns = ", ".join([*keys, *(f"{sql} AS {name}" for name, sql in sums.items())])
    if spec.unit is None:
        return f"SELECT {columns} FROM ({rows})"
    return f"SELECT {columns} FROM ({rows}) GROUP BY {', '.join(keys)}"


def _code(source: Source, spec: Spec, name: str) -> str:
    column, missing = source.column(spec.columns[name]), _missing(spec, name)
    if missing is None and not spec.strip_codes and column.type == "VARCHAR":
        return column.sql  # a blank code finds no match, as it should
    return parse.code(column, strip=spec.strip_codes, missing=missing)


def _ids(source: Source, spec: Spec) -> dict[str, str]:
    ids = {"u": spec.unit, "h": spec.holding}
    return {
        short: parse.ident(source.column(name))
        for short, name in ids.items()
        if name is not None
    }


def _amounts(source: Source, spec: Spec) -> dict[str, str]:
    found = {"x": _value(source, spec), "n": "1::BIGINT"}
    if source.reduced:
        found["n"] = identifier(RECORDS)
    for short, name, places, rounding in (
        ("w", spec.weight, WEIGHT_PLACES, spec.round_input),
        ("z", spec.size, spec.decimals, spec.round_input),
        ("k", spec.cost, WEIGHT_PLACES, True),
    ):
        if name is None:
            continue
        column = source.column(name)
        sql = parse.amount(column, places, rounding=rounding, mark=spec.decimal)
        if short == "w":
            sql = f"CASE WHEN {sql} > 0 THEN {sql} END"
        if short == "k":
            sql = f"CASE WHEN {sql} >= 0 THEN {sql} END"
        found[short] = sql
    if spec.record_key is not None:
        found["q"] = parse.record_key(source.column(spec.record_key))
    if spec.waiver is not None:
        found["waived"] = parse.flag(source.column(spec.waiver))
    if spec.request is not None:
        found["request"] = parse.request(source.column(spec.request))
    return found


def _value(source: Source, spec: Spec) -> str:
    unit = 10**spec.decimals
    if spec.value is None:
        count = identifier(RECORDS) if source.reduced else "1"
        return f"({count} * {unit})::BIGINT"
    column = source.column(spec.value)
    if source.reduced:
        return f"CASE WHEN {identifier(UNUSABLE)} = 0 THEN {column.sql} END"
    return parse.amount(
        column, spec.decimals, rounding=spec.round_input, mark=spec.decimal
    )


def _sums(spec: Spec, *, grouped: bool) -> dict[str, str]:
    """Aggregates of the query; the same without grouping where records stay apart."""
    total, most, every, some = (
        ("sum", "max", "bool_and", "bit_or") if grouped else ("", "", "", "")
    )
    columns = ["x", *(("w",) if spec.weight else ()), *(("z",) if spec.size else ())]
    columns += ["k"] if spec.cost else []
    columns += ["q"] if spec.record_key else []
    columns += ["waived"] if spec.waiver else []
    columns += ["request"] if spec.request else []
    unusable = " OR ".join(f"{name} IS NULL" for name in columns)
    found = {"unusable": f"{'bool_or' if grouped else ''}({unusable})"}
    found["x"] = f"{total}(x)::BIGINT"
    if grouped:
        found["n"] = "sum(n)::BIGINT"
    if spec.weight:
        weighted = f"{total}(x::HUGEINT * w)"
        found |= {
            "w": f"{most}(w)",
            "wx": f"({weighted} // {WHOLE})::BIGINT",
            "wr": f"({weighted} % {WHOLE})::BIGINT",
        }
    if spec.weight and grouped:
        found["lightest"] = "min(w)"
    if spec.size:
        found["z"] = f"{most}(z)"
    if spec.waiver:
        found["waived"] = f"{every}(waived)"
    if spec.request:
        found["request"] = f"{some}(request)"
    if spec.cost:
        cost = f"k::HUGEINT * w // {WHOLE}" if spec.weight else "k"
        found["k"] = f"{total}({cost})::BIGINT"
    if spec.keyed:
        found |= _keys(spec, grouped=grouped)
    return found


def _keys(spec: Spec, *, grouped: bool) -> dict[str, str]:
    """Sums of record keys, of which only the fractional part counts."""
    one = "q" if spec.secret is None else parse.hashed_key("u", spec.secret)
    filled = "(x <> 0)::BIGINT"
    if not grouped:
        found = {"q": one, "qs": one, "qz": f"{one} * {filled}"}
    elif spec.secret is None:
        found = {"q": "max(q)", "qs": "sum(q)", "qz": f"sum(q * {filled})"}
    else:
        found = {"q": one, "qs": f"{one}::HUGEINT * count(*)"}
        found["qz"] = f"{one}::HUGEINT * sum({filled})"
    if spec.is_count:
        del found["qz"]
    return {name: f"({sql} % {parse.KEY_UNIT})::BIGINT" for name, sql in found.items()}


def _check(
    rows: pa.Table, source: Source, spec: Spec, dimensions: Sequence[Dimension]
) -> None:
    if not len(rows):
        raise SourceError(EMPTY)
    import pyarrow.compute as pc  # noqa: PLC0415

    nowhere = [d for d in range(len(dimensions)) if rows[f"c{d}"].null_count]
    unnamed = any(
        rows[key].null_count for key in ("u", "h") if key in rows.schema.names
    )
    unusable = pc.any(rows["unusable"]).as_py()
    if nowhere or unnamed or unusable:
        problems = [explain_codes(source, spec, dimensions[d]) for d in nowhere]
        raise SourceError(explain(source, spec, problems))
    if spec.weights == "partial" and "lightest" in rows.schema.names:
        several = pc.sum(pc.not_equal(rows["lightest"], rows["w"])).as_py()
        if several:
            raise SourceError(two_weights(spec, several))


def two_weights(spec: Spec, number: int) -> str:
    """Say that units have more than one weight."""
    return (
        f"{number:,} of the units (column '{spec.unit}') have more than one weight "
        f"(column '{spec.weight}'), so it is not defined how often their contribution "
        "occurs under weights='partial'. Give each unit one weight, or use "
        "weights='sample' or weights='expanded'."
    )


def as_arrays(rows: pa.Table, spec: Spec) -> Reduced:
    """Take the rows over into arrays, ids as numbers; sums must fit 64 bits."""
    codes = np.stack([_numpy(rows[f"c{d}"]) for d in range(len(spec.by))])
    found: dict[str, Any] = {
        field: _numpy(rows[short])
        for short, field in (
            ("n", "records"),
            ("w", "weight"),
            ("wx", "weighted"),
            ("wr", "rest"),
            ("z", "size"),
            ("waived", "waived"),
            ("request", "request"),
            ("k", "cost"),
            ("q", "key"),
            ("qs", "keys"),
            ("qz", "keys_nonzero"),
        )
        if short in rows.schema.names
    }
    for short, field in (("u", "unit"), ("h", "holding")):
        if short in rows.schema.names:
            found[field] = number_ids(rows[short])
    value = _numpy(rows["x"])
    for name, column, places in (
        (spec.value, value, spec.decimals),
        (spec.value, found.get("weighted"), spec.decimals),
        (spec.size, found.get("size"), spec.decimals),
        (spec.cost, found.get("cost"), WEIGHT_PLACES),
    ):
        if column is not None and np.abs(column.astype(np.float64)).sum() > _LIMIT:
            raise SourceError(too_large(name or "", places))
    return Reduced(codes.astype(np.int32, copy=False), value, **found)


def _numpy(column: pa.ChunkedArray) -> NDArray[Any]:
    array: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return array


def number_ids(ids: pa.ChunkedArray) -> NDArray[np.int64]:
    """Number ids from 0 in ascending order of the ids, whatever the order of rows.

    >>> import pyarrow as pa
    >>> number_ids(pa.chunked_array([["b", "a", "b"]])).tolist()
    [1, 0, 1]
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    if pa.types.is_integer(ids.type):
        numbers: NDArray[np.int64] = np.unique(_numpy(ids), return_inverse=True)[1]
        return numbers
    if pa.types.is_string(ids.type):
        ids = ids.cast(pa.large_string())  # one array may then hold more than 2 GB
    encoded = ids.combine_chunks().dictionary_encode()
    rank = np.empty(len(encoded.dictionary), dtype=np.int64)
    rank[pc.array_sort_indices(encoded.dictionary).to_numpy()] = np.arange(len(rank))
    ranked: NDArray[np.int64] = rank[encoded.indices.to_numpy(zero_copy_only=False)]
    return ranked
