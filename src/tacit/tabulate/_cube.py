# SPDX-License-Identifier: Apache-2.0
"""Every cell of the table from its leaf cells, one combination of levels at a time.

Entities in one leaf cell take the mergeable path: their largest contributions in the
leaf cell are all that any cell above can need. The others are grouped anew in every
cell, because what they contribute there is a sum. Merging these as well would be wrong
(13 % of the cells of a realistic business register).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.tabulate._engine import Engine, open_engine
from tacit.tabulate._parse import KEY_UNIT
from tacit.tabulate._plan import Keys, Plan
from tacit.tabulate._reduce import WHOLE
from tacit.tabulate._singles import Columns, leaf_rows, shared_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from tacit.table import Dimension
    from tacit.tabulate._members import Members

__all__ = ["Cube", "build_cube"]

# A query on few rows costs more to start than to run: so many go together.
_FEW_ROWS = 200_000
_MOST_AT_ONCE = 16
_SMALL = 2**15


@dataclass(frozen=True, eq=False, repr=False)
class Cube:
    """Cells in ascending order of codes, with every column of the plan. Confidential.

    ``amounts`` and ``entities`` are (n, depth): the largest contributions in falling
    order, padded with 0 and -1. ``leaf`` is the cell of each leaf cell.
    """

    codes: NDArray[np.int32]
    columns: Columns
    amounts: NDArray[np.int64] | NDArray[np.float64]
    entities: NDArray[np.int64]
    leaf: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.columns["v"])

    def __repr__(self) -> str:
        return f"<Cube: {len(self):,} cells, confidential>"


def build_cube(
    members: Members,
    plan: Plan,
    *,
    dimensions: Sequence[Dimension],
    progress: Callable[[str, int, int], None],
) -> Cube:
    """Group the leaf cells once for every combination of levels."""
    keys = Keys.of(dimensions)
    # This engine reads no file. It is closed, and its memory given back, before the
    # cells are put in order.
    with open_engine() as engine:
        number, any_shared = _keep_rows(engine, members, plan, dimensions)
        at_once = max(1, min(_MOST_AT_ONCE, _FEW_ROWS // number))
        queries = [
            combination_sql(plan, keys.sql(combination), covered, any_shared)
            for combination, covered in _combinations(dimensions)
        ]
        parts: list[Columns] = []
        for done in range(0, len(queries), at_once):
            progress("cells", done, len(queries))
            rows = engine.query(" UNION ALL ".join(queries[done : done + at_once]))
            if len(rows):
                parts.append(_as_columns(rows, plan, len(keys.parts)))
            del rows
    progress("cells", len(queries), len(queries))
    return _assemble(parts, keys, members, plan)


def _keep_rows(
    engine: Engine, members: Members, plan: Plan, dimensions: Sequence[Dimension]
) -> tuple[int, bool]:
    """Give the engine the rows to merge and the rows to group."""
    merge = leaf_rows(members, plan)
    number = len(merge["leaf"])
    _keep(engine, "leaf rows", _packed(plan), _placed(merge, members, dimensions))
    del merge
    shared = shared_rows(members, plan)
    _keep(engine, "shared rows", "*", _placed(shared, members, dimensions))
    return number, len(shared["x"]) > 0


def _combinations(
    dimensions: Sequence[Dimension],
) -> Iterator[tuple[tuple[int, ...], str]]:
    """Give every combination of levels, and the leaves that have a code there."""
    gaps = [
        [bool((r.ancestor[d.leaves] < 0).any()) for r in d.rollups] for d in dimensions
    ]
    # The finest come first, while there is most room in memory.
    for levels in itertools.product(*(range(len(gap))[::-1] for gap in gaps)):
        covered = [
            f"l{d}_{level} >= 0" for d, level in enumerate(levels) if gaps[d][level]
        ]
        yield levels, " AND ".join(covered)


def _keep(engine: Engine, name: str, chosen: str, rows: pa.Table) -> None:
    engine.add("incoming", rows)
    engine.run(f'CREATE TEMP TABLE "{name}" AS SELECT {chosen} FROM incoming')
    engine.remove("incoming")


def _placed(
    rows: Columns, members: Members, dimensions: Sequence[Dimension]
) -> pa.Table:
    """Give each row its code at every level of every dimension, not its leaf cell."""
    import pyarrow as pa  # noqa: PLC0415 - heavy, only where needed

    leaf = rows.pop("leaf")
    columns = {}
    for d, dimension in enumerate(dimensions):
        small = np.int16 if len(dimension) < _SMALL else np.int32
        code = members.rows.codes[d][members.starts][leaf]
        for level, rollup in enumerate(dimension.rollups):
            columns[f"l{d}_{level}"] = rollup.ancestor.astype(small)[code]
    return pa.table({**columns, **rows})


def _packed(plan: Plan) -> str:
    """Write an amount and its entity as one number that sorts as they do.

    Larger amounts come first, and the lower number among equals.
    """
    amount = "amount"
    if plan.expanded:
        amount = f"(amount::HUGEINT * {WHOLE} + fraction)"
    top = _pack(plan, amount)
    gone = "amount, entity, fraction" if plan.expanded else "amount, entity"
    return f"* EXCLUDE ({gone}), CASE WHEN entity >= 0 THEN {top} ELSE -1 END AS top"


def _pack(plan: Plan, amount: str) -> str:
    wide = "::HUGEINT" if plan.wide else ""
    return f"{amount}{wide} * {plan.entities} + ({plan.entities - 1} - entity)"


def combination_sql(
    plan: Plan,
    keys: Sequence[str],
    covered: str,
    any_shared: bool,  # noqa: FBT001
) -> str:
    """Write the query for one combination of levels."""
    names = ", ".join(f"k{i}" for i in range(len(keys)))
    numbers = ", ".join(f"{sql} AS k{i}" for i, sql in enumerate(keys))
    where = f" WHERE {covered}" if covered else ""
    columns = [*plan.sums, *plan.most, "top"]
    rows = f'SELECT {numbers}, {", ".join(columns)} FROM "leaf rows"{where}'
    if any_shared:
        exact = f" REPLACE (wx::HUGEINT * {WHOLE} + wr AS wx)" if plan.weighted else ""
        grouped = _regrouped(
            plan, names, f'SELECT {numbers}, *{exact} FROM "shared rows"{where}'
        )
        theirs = _of_shared(plan)
        listed = ", ".join(f"{theirs[name]} AS {name}" for name in columns)
        rows += f" UNION ALL SELECT {names}, {listed} FROM ({grouped})"
    sums = [f"{_summed(name)}::BIGINT AS {name}" for name in plan.sums]
    most = [f"max({name}) AS {name}" for name in plan.most]
    aggregates = ", ".join([*sums, *most, f"max(top, {plan.depth}) AS top"])
    sql = f"SELECT {names}, {aggregates} FROM ({rows}) GROUP BY {names}"
    return _unpacked(plan, sql) if plan.wide else sql


def _summed(name: str) -> str:
    """Sum a column; of record keys only the fraction counts."""
    if name in {"keys", "keys_nonzero"}:
        return f"(sum({name}) % {KEY_UNIT})"
    return f"sum({name})"


def _regrouped(plan: Plan, names: str, rows: str) -> str:
    """Add what each entity contributes to a cell, its units counted once."""
    sums = {"x": "sum(x)::BIGINT"}
    if plan.weighted:
        sums["wx"] = "sum(wx)::HUGEINT"
        sums["w"] = "max(w)"
    if "unwaived" in plan.most:
        sums["waived"] = "bool_and(waived)"
    if "request1" in plan.most:
        sums["request"] = "bit_or(request)"
    if plan.holdings:
        if plan.named_units:
            rows = _grouped(f"{names}, entity, unit", sums, rows)
        sums |= {"units": "count(*)"}
        if plan.weighted:
            sums["w"] = "sum(w)::BIGINT"
    return _grouped(f"{names}, entity", sums, rows)


def _grouped(keys: str, sums: dict[str, str], rows: str) -> str:
    listed = ", ".join(f"{sql} AS {name}" for name, sql in sums.items())
    return f"SELECT {keys}, {listed} FROM ({rows}) GROUP BY {keys}"


def _of_shared(plan: Plan) -> dict[str, str]:
    """Say what an entity with contribution x adds to each column of a cell."""
    amount, exact = "abs(x)", "abs(x)"
    if plan.expanded:
        amount, exact = f"(abs(wx) / {WHOLE}.0)::DOUBLE", "abs(wx)"
    return {
        # What is additive over leaf cells was added there, whoever gave it.
        "v": "0",
        "records": "0",
        "cost": "0",
        "keys": "0",
        "keys_nonzero": "0",
        "n": "1",
        "units": "units",
        "nonzero": "(x <> 0)::BIGINT",
        "absolute": "abs(x)",
        "whole": f"(abs(wx) // {WHOLE})::BIGINT",
        "rest": f"(abs(wx) % {WHOLE})::BIGINT",
        "weight": "w",
        "unwaived": f"CASE WHEN waived THEN 0 ELSE {amount} END",
        "request1": f"CASE WHEN request & 1 <> 0 THEN {amount} ELSE 0 END",
        "request2": f"CASE WHEN request & 2 <> 0 THEN {amount} ELSE 0 END",
        "observed": "abs(x)",
        "top": _pack(plan, exact),
    }


def _unpacked(plan: Plan, sql: str) -> str:
    """Take wide numbers apart in the engine; numpy has none of 128 bits."""
    kind = "DOUBLE" if plan.expanded else "BIGINT"
    amount, place = f"(t // {plan.entities})::{kind}", f"(t % {plan.entities})::BIGINT"
    return (
        f"SELECT * EXCLUDE (top), [{amount} FOR t IN top] AS amounts, "
        f"[CASE WHEN t < 0 THEN -1 ELSE {place} END FOR t IN top] AS top FROM ({sql})"
    )


def _as_columns(rows: pa.Table, plan: Plan, parts: int) -> Columns:
    """Turn one answer into arrays, the largest contributions unpacked."""
    found: Columns = {}
    for name in (*(f"k{i}" for i in range(parts)), *plan.sums, *plan.most):
        found[name] = rows.column(name).to_numpy(zero_copy_only=False)
    top = _matrix(rows.column("top"), plan.depth, -1)
    if plan.wide:
        amounts, place = _matrix(rows.column("amounts"), plan.depth, 0), top
    else:
        amounts, place = np.divmod(top, plan.entities)
    nobody = top < 0
    entities = plan.entities - 1 - place
    entities[nobody] = -1
    amounts[nobody] = 0
    found["amounts"] = amounts / 1e6 if plan.expanded else amounts
    found["entities"] = entities
    return found


def _matrix(lists: pa.ChunkedArray, depth: int, padding: int) -> NDArray[Any]:
    """Turn lists of at most ``depth`` numbers into a matrix."""
    chunks = [_chunk_matrix(chunk, depth, padding) for chunk in lists.chunks]
    return np.concatenate(chunks)


def _chunk_matrix(lists: pa.ListArray, depth: int, padding: int) -> NDArray[Any]:
    flat = lists.flatten().to_numpy(zero_copy_only=False)
    if len(flat) == len(lists) * depth:
        full: NDArray[Any] = flat.reshape(len(lists), depth).copy()
        return full
    filled = np.arange(depth) < np.diff(lists.offsets.to_numpy())[:, None]
    matrix = np.full((len(lists), depth), padding, dtype=flat.dtype)
    matrix[filled] = flat
    return matrix


def _assemble(parts: list[Columns], keys: Keys, members: Members, plan: Plan) -> Cube:
    """Put the combinations together, in ascending order of codes."""

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([part.pop(name) for part in parts])

    numbers = [joined(f"k{i}") for i in range(len(keys.parts))]
    order = np.argsort(numbers[0], kind="stable")
    if len(numbers) > 1:
        order = np.lexsort(numbers[::-1])
    numbers = [number[order] for number in numbers]
    codes = keys.codes(numbers)
    names = (*plan.sums, *plan.most, "amounts", "entities")
    columns = {name: joined(name)[order] for name in names}
    from tacit.table._keys import KeyIndex  # noqa: PLC0415 - the one use here

    cells = KeyIndex.of(codes, keys.sizes)
    return Cube(
        codes=codes,
        amounts=columns.pop("amounts"),
        entities=columns.pop("entities"),
        columns=columns,
        leaf=cells.lookup(members.leaf_codes).astype(np.int32),
    )
