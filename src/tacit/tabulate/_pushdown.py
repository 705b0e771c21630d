# SPDX-License-Identifier: Apache-2.0
"""Add records up where they lie: in a database, a cluster or a lazy frame.

One query goes to the source: group by the codes, the contributor and the flags of the
record, add the amounts, count the records. That is all that every engine can do alike.
What it cannot do exactly (text, decimals, rounding) is fetched as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.errors import SourceError, suggest
from tacit.tabulate._parse import SLACK, ULPS

if TYPE_CHECKING:
    import pyarrow as pa

    from tacit.tabulate._spec import Spec

__all__ = ["RECORDS", "UNUSABLE", "push_down"]

RECORDS = "tacit records"
UNUSABLE = "tacit unusable"
_ABSOLUTE = "tacit absolute"
_LIMIT = 9.2e18


def push_down(given: Any, spec: Spec) -> pa.Table | None:  # noqa: ANN401
    """Reduce a lazy source to one row per leaf cell and contributor.

    None if the source is in memory, or if its columns need more care.
    """
    import narwhals as nw  # noqa: PLC0415 - heavy, only where needed

    frame = nw.from_native(given, pass_through=True)
    if not isinstance(frame, nw.LazyFrame) or spec.unit is None:
        return None
    schema = frame.collect_schema()
    for name in spec.names:
        if name not in schema:
            message = (
                f"The data have no column '{name}'. {suggest(name, schema.names())}"
            )
            raise SourceError(message)
    if not _portable(schema, spec):
        return None
    keys = [name for name in spec.names if name not in {spec.value, spec.size}]
    sums = [nw.len().alias(RECORDS)]
    frame = frame.select(*spec.names)
    if spec.value is not None:
        scaled = _scaled(nw.col(spec.value), schema[spec.value], spec.decimals)
        frame = frame.with_columns(
            scaled.alias(spec.value),
            scaled.is_null().cast(nw.Int64).alias(UNUSABLE),
            scaled.cast(nw.Float64).abs().alias(_ABSOLUTE),
        )
        sums += [nw.col(name).sum() for name in (spec.value, UNUSABLE, _ABSOLUTE)]
    if spec.size is not None:
        sums.append(nw.col(spec.size).max())
    rows = frame.group_by(keys).agg(*sums).collect("pyarrow").to_native()
    return _without_overflow(rows, spec)


def _portable(schema: Any, spec: Spec) -> bool:  # noqa: ANN401
    """Whether every engine computes the same with these columns."""
    value = None if spec.value is None else schema[spec.value]
    size = None if spec.size is None else schema[spec.size]
    exact = value is None or value.is_integer() or value.is_float()
    if spec.keyed or spec.cost is not None or spec.round_input:
        return False
    if spec.value in _others(spec):
        return False
    return exact and (size is None or size.is_integer())


def _others(spec: Spec) -> set[str | None]:
    """Columns in another role than that of the value."""
    return {
        *spec.columns.values(),
        spec.unit,
        spec.holding,
        spec.weight,
        spec.waiver,
        spec.request,
        spec.size,
    }


def _scaled(column: Any, dtype: Any, decimals: int) -> Any:  # noqa: ANN401
    """Scale to whole numbers; null where the amount is none."""
    import narwhals as nw  # noqa: PLC0415

    factor = 10**decimals
    if dtype.is_integer():
        small = column.cast(nw.Float64).abs() < _LIMIT / factor
        return nw.when(small).then(column.cast(nw.Int64) * factor)
    nearest = (column * factor).round(0)
    # A null comparison is no match, so NaN, infinite and missing amounts drop out.
    off = (column * factor - nearest).abs()
    near = (off <= nearest.abs() * ULPS) & (off <= SLACK)
    usable = (nearest.abs() < _LIMIT) & ((nearest / factor == column) | near)
    return nw.when(usable).then(nearest).cast(nw.Int64)


def _without_overflow(rows: pa.Table, spec: Spec) -> pa.Table:
    import pyarrow.compute as pc  # noqa: PLC0415

    if spec.value is None:
        return rows
    if (pc.sum(rows[_ABSOLUTE]).as_py() or 0.0) > _LIMIT:
        raise SourceError(too_large(spec.value, spec.decimals))
    return rows.drop_columns([_ABSOLUTE])


def too_large(name: str, decimals: int) -> str:
    """Say that sums leave the range of whole numbers."""
    return (
        f"The amounts of column '{name}' sum to more than 64-bit whole numbers hold "
        f"(9.2e18 units of the last decimal) with decimals={decimals}. Declare fewer "
        "decimals (with round_input=True), or give the amounts in thousands."
    )
