# SPDX-License-Identifier: Apache-2.0
"""Entities that live in one leaf cell: partial results that can be merged.

Each leaf cell becomes one row for each of its largest contributions; the first of them
carries the sums of all. Merged rows are rows again, so that one grouping does it all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.tabulate._plan import magnitude

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.tabulate._members import Members
    from tacit.tabulate._plan import Plan

__all__ = ["leaf_rows", "shared_rows"]

Columns = dict[str, "NDArray[Any]"]
NOBODY = -1


def leaf_rows(members: Members, plan: Plan) -> Columns:
    """Give the rows of the leaf cells; those of nobody have ``amount`` -1."""
    single = _entities(members, ~members.several[members.entity])
    leaf, number = single["leaf"], len(members.starts)
    amounts = _amounts(single, plan)
    first = np.flatnonzero(np.diff(leaf, prepend=-1))
    sums = _sums(members, single, plan, amounts, first)
    kept = _largest(leaf, amounts, single["entity"], plan.depth)
    empty = np.ones(number, dtype=bool)
    empty[leaf[first]] = False
    without = np.flatnonzero(empty).astype(np.int32)
    rows: Columns = {"leaf": np.concatenate([leaf[kept], without])}
    nobody = np.full(len(without), NOBODY, dtype=np.int64)
    for name, column in (*amounts.items(), ("entity", single["entity"])):
        rows[name] = np.concatenate([column[kept], nobody])
    lead = np.ones(len(rows["leaf"]), dtype=bool)
    lead[: len(kept)] = np.diff(leaf[kept], prepend=-1) != 0
    at = rows["leaf"][lead]
    for name, column in sums.items():
        rows[name] = np.zeros(len(lead), dtype=column.dtype)
        rows[name][lead] = column[at]
    return rows


def shared_rows(members: Members, plan: Plan) -> Columns:
    """Give the rows of entities in several leaf cells, to be grouped in each cell."""
    shared = members.several[members.entity]
    rows = members.rows
    found: Columns = {
        "leaf": members.leaf[shared],
        "entity": members.entity[shared],
        "x": rows.value[shared],
    }
    if plan.holdings and plan.named_units:
        found["unit"] = members.unit[shared]
    for name, column in (
        ("w", rows.weight),
        ("wx", rows.weighted),
        ("wr", rows.rest),
        ("waived", rows.waived),
        ("request", rows.request),
    ):
        if column is not None:
            found[name] = column[shared]
    return found


def _entities(members: Members, chosen: NDArray[np.bool_]) -> Columns:
    """Merge the rows of each entity in its leaf cell."""
    rows = members.rows
    at = np.flatnonzero(chosen)
    starts = None
    if rows.holding is not None:
        at = at[np.lexsort((rows.holding[at], members.leaf[at]))]
        changed = np.diff(rows.holding[at], prepend=-1) != 0
        changed |= np.diff(members.leaf[at], prepend=-1) != 0
        starts = np.flatnonzero(changed)

    def merged(column: NDArray[Any], how: np.ufunc = np.add) -> NDArray[Any]:
        taken = column[at]
        if starts is None or not len(starts):
            return taken
        result: NDArray[Any] = how.reduceat(taken, starts)
        return result

    heads = at if starts is None else at[starts]
    found: Columns = {
        "leaf": members.leaf[heads],
        "entity": members.entity[heads],
        "x": merged(rows.value),
    }
    if starts is not None:
        found["units"] = np.diff(starts, append=len(at))
    for name, column, how in (
        ("w", rows.weight, np.add),
        ("wx", rows.weighted, np.add),
        ("wr", rows.rest, np.add),
        ("waived", rows.waived, np.logical_and),
        ("request", rows.request, np.bitwise_or),
    ):
        if column is not None:
            found[name] = merged(column, how)
    return found


def _amounts(single: Columns, plan: Plan) -> Columns:
    """Absolute contributions; with millionths apart where they are expanded."""
    if not plan.expanded:
        return {"amount": np.abs(single["x"])}
    whole, rest = magnitude(single["wx"], single["wr"])
    return {"amount": whole, "fraction": rest}


def _sums(
    members: Members,
    single: Columns,
    plan: Plan,
    amounts: Columns,
    first: NDArray[np.int64],
) -> Columns:
    """Sums and largest of each leaf cell, over its single entities or all its rows."""
    number, at = len(members.starts), single["leaf"][first]
    rows = members.rows

    def spread(column: NDArray[Any], how: np.ufunc = np.add) -> NDArray[Any]:
        sums = np.zeros(number, dtype=column.dtype)
        if len(first):
            sums[at] = how.reduceat(column, first)
        return sums

    found: Columns = {"v": members.leaf_value}
    found["n"] = spread(np.ones(len(single["leaf"]), dtype=np.int64))
    if "records" in plan.sums:
        ones = np.ones(len(members.leaf), dtype=np.int64)
        found["records"] = members.over_leaves(
            ones if rows.records is None else rows.records
        )
    if rows.cost is not None:
        found["cost"] = members.over_leaves(rows.cost)
    found |= _cell_keys(members)
    if "units" in plan.sums:
        found["units"] = spread(single["units"])
    if "nonzero" in plan.sums:
        found["nonzero"] = spread((single["x"] != 0).astype(np.int64))
    if "absolute" in plan.sums:
        found["absolute"] = spread(np.abs(single["x"]))
    if plan.weighted:
        whole, rest = magnitude(single["wx"], single["wr"])
        found |= {"whole": spread(whole), "rest": spread(rest)}
        found["weight"] = spread(single["w"])
    for name, column in _flagged(single, plan, amounts).items():
        found[name] = spread(column, np.maximum)
    return found


def _cell_keys(members: Members) -> Columns:
    rows = members.rows
    named = {"keys": rows.keys, "keys_nonzero": rows.keys_nonzero}
    return {
        name: members.keys_over_leaves(keys)
        for name, keys in named.items()
        if keys is not None
    }


def _flagged(single: Columns, plan: Plan, amounts: Columns) -> Columns:
    """Amounts of those who gave no waiver, or asked for protection."""
    amount = amounts["amount"]
    if plan.expanded:
        amount = amount + amounts["fraction"] / 1e6
    found: Columns = {}
    if "unwaived" in plan.most:
        found["unwaived"] = np.where(single["waived"], 0, amount)
    if "request1" in plan.most:
        found["request1"] = np.where(single["request"] & 1, amount, 0)
        found["request2"] = np.where(single["request"] & 2, amount, 0)
    if "observed" in plan.most:
        found["observed"] = np.abs(single["x"])
    return found


def _largest(
    leaf: NDArray[np.int32], amounts: Columns, entity: NDArray[np.int64], depth: int
) -> NDArray[np.int64]:
    """Rows of the ``depth`` largest contributions of each leaf cell, by leaf cell."""
    crowd = np.bincount(leaf, minlength=1)[leaf] > depth
    many = np.flatnonzero(crowd)
    falling = [-column[many] for column in amounts.values()]
    many = many[np.lexsort((entity[many], *falling[::-1], leaf[many]))]
    starts = np.flatnonzero(np.diff(leaf[many], prepend=-1))
    rank = np.arange(len(many)) - np.repeat(starts, np.diff(starts, append=len(many)))
    kept = np.ones(len(leaf), dtype=bool)
    kept[many[rank >= depth]] = False
    return np.flatnonzero(kept)
