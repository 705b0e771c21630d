# SPDX-License-Identifier: Apache-2.0
"""Why records cannot be used: how many, the first of them, and what to do.

This runs only once the reduction has met something that it cannot use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.table._codes import explain_strangers
from tacit.tabulate import _parse as parse
from tacit.tabulate._engine import identifier, literal
from tacit.tabulate._pushdown import RECORDS, UNUSABLE
from tacit.tabulate._spec import MOST_DECIMALS, WEIGHT_PLACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.table import Dimension
    from tacit.tabulate._source import Source
    from tacit.tabulate._spec import Spec

__all__ = ["explain", "explain_codes"]


def explain(source: Source, spec: Spec, problems: Sequence[str]) -> str:
    """Put every problem of the records into one message."""
    found = list(problems)
    for role, name in (("unit", spec.unit), ("holding", spec.holding)):
        if name is not None:
            found += _missing_ids(source, role, name)
    if spec.value is not None:
        found += _bad_amounts(source, spec, "value", spec.value, spec.decimals)
    if spec.size is not None:
        found += _bad_amounts(source, spec, "size", spec.size, spec.decimals)
    if spec.weight is not None:
        found += _bad_amounts(source, spec, "weight", spec.weight, WEIGHT_PLACES)
        found += _too_small(source, spec, "weight", spec.weight)
    if spec.cost is not None:
        found += _bad_amounts(source, spec, "cost", spec.cost, None)
        found += _too_small(source, spec, "cost", spec.cost)
    found += _bad_keys(source, spec.record_key)
    for role, name in (("waiver", spec.waiver), ("request", spec.request)):
        if name is not None:
            found += _bad_flags(source, role, name)
    if len(found) == 1:
        return found[0]
    return f"The source has {len(found)} problems:\n- " + "\n- ".join(found)


def explain_codes(source: Source, spec: Spec, dimension: Dimension) -> str:
    """Say which codes of a dimension cannot be placed."""
    name = spec.columns[dimension.name]
    missing = spec.missing_code(dimension.name)
    sql = parse.code(
        source.column(name),
        strip=spec.strip_codes,
        missing=None if missing is None else literal(missing),
    )
    number, row = _count(source, f"{sql} IS NULL")
    if number:
        return (
            f"Dimension '{dimension.name}': {_rows(number, row)} no code in column "
            f"'{name}'. Give each record a code, or name one that stands for missing: "
            f"missing={{'{dimension.name}': code}}."
        )
    d = list(spec.by).index(dimension.name)
    found = source.engine.query(
        f"SELECT DISTINCT {sql} AS c FROM {source.relation} "
        f'WHERE {sql} NOT IN (SELECT code FROM "dimension {d}") ORDER BY c'
    )
    codes = found.column("c").to_pylist()
    held = set(dimension.codes)
    if any(code not in held and code.strip() in held for code in codes):
        return (
            explain_strangers(dimension, codes)
            + "\nWith strip_codes=True blanks around codes are taken off."
        )
    return explain_strangers(dimension, codes)


def _count(source: Source, condition: str) -> tuple[int, int | None]:
    """Count the records that meet a condition, and number the first (from 1)."""
    if source.reduced:
        rows = source.engine.query(
            f"SELECT coalesce(sum({identifier(RECORDS)}), 0)::BIGINT AS n "
            f"FROM {source.relation} WHERE {condition}"
        )
        return rows.column("n")[0].as_py(), None
    rows = source.engine.query(
        "SELECT count(*) AS n, min(r) AS r FROM (SELECT row_number() OVER () AS r, * "
        f"FROM {source.relation}) WHERE {condition}"
    )
    return rows.column("n")[0].as_py(), rows.column("r")[0].as_py()


def _bad_keys(source: Source, name: str | None) -> list[str]:
    if name is None:
        return []
    column = source.column(name)
    number, row = _count(source, f"{parse.record_key(column)} IS NULL")
    if not number:
        return []
    return [
        (
            f"{_rows(number, row)} no record key in column '{name}': a number from 0 "
            "to below 1. Draw one for each record, uniformly, and keep it for ever; "
            "or let keys be made from the ids of units with unit= and secret=."
        )
    ]


def _rows(number: int, row: int | None) -> str:
    """Put a number of rows into words that end in "have" or "has"."""
    where = "" if row is None else f" (the first is row {row:,})"
    return f"1 row{where} has" if number == 1 else f"{number:,} rows{where} have"


def _missing_ids(source: Source, role: str, name: str) -> list[str]:
    number, row = _count(source, f"{parse.ident(source.column(name))} IS NULL")
    if not number:
        return []
    return [
        (
            f"{_rows(number, row)} no {role} in column '{name}'. All of them would be "
            f"taken for one contributor, or for none. Give each record its {role}."
        )
    ]


def _bad_amounts(
    source: Source, spec: Spec, role: str, name: str, places: int | None
) -> list[str]:
    column = source.column(name)
    if source.reduced and role == "value":
        count, _ = _count(source, f"{identifier(UNUSABLE)} > 0")
        return [_unusable(count, name, places or 0)] if count else []
    number = parse.as_double(column)
    if spec.decimal == "," and column.family == "text":
        number = f"TRY_CAST(replace({column.sql}, ',', '.') AS DOUBLE)"
    exact = parse.as_decimal(column, spec.decimal)
    absent = (
        f"({column.text} IS NULL OR trim({column.text}) = '' "
        f"OR coalesce(isnan({number}), false))"
    )
    infinite = f"coalesce(isinf({number}), false)"
    text = f"(NOT {absent} AND NOT {infinite} AND {number} IS NULL)"
    if column.family == "text":
        text = f"(NOT {absent} AND NOT {infinite} AND ({number} IS NULL OR "
        text += f"({exact} IS NULL AND abs({number}) < 1e19)))"
    problems = []
    for condition, words in (
        (absent, f"no amount in column '{name}' ({role}). {_ABSENT}"),
        (infinite, f"an infinite amount in column '{name}' ({role}). {_ABSENT}"),
        (text, f"no number in column '{name}' ({role})."),
    ):
        count, row = _count(source, condition)
        if count:
            extra = _comma(source, name, spec) if condition == text else ""
            problems.append(f"{_rows(count, row)} {words}{extra}")
    if places is None:
        return problems
    fine = f"(NOT {absent} AND NOT {infinite} AND NOT {text})"
    return problems + _decimals(source, spec, role, name, places, fine)


_ABSENT = "Give 0 where nothing was contributed, or leave the record out."


def _unusable(number: int, name: str, decimals: int) -> str:
    return (
        f"{_rows(number, None)} no number of at most {decimals} decimals in column "
        f"'{name}' (value): missing, not finite, or with more decimals than "
        f"decimals={decimals} declares. Declare more, or give round_input=True."
    )


def _comma(source: Source, name: str, spec: Spec) -> str:
    column = source.column(name)
    if column.family != "text":
        return ""
    mark, other = (",", ".") if spec.decimal == "." else (".", ",")
    number, _ = _count(
        source, f"regexp_matches({column.sql}, '^\\s*[-+]?\\d*[{mark}]\\d+\\s*$')"
    )
    if not number:
        return " Amounts are digits with a decimal point, without marks of thousands."
    word = "comma" if mark == "," else "point"
    return (
        f" {number:,} of the amounts have a decimal {word}: give "
        f"decimal={mark!r}, or write them with '{other}'."
    )


def _decimals(
    source: Source, spec: Spec, role: str, name: str, places: int, fine: str
) -> list[str]:
    """Find amounts with too many decimals, and amounts that are too large."""
    column = source.column(name)
    rounding = spec.round_input

    def unusable(at: int, *, rounded: bool) -> str:
        sql = parse.amount(column, at, rounding=rounded, mark=spec.decimal)
        return f"{fine} AND {sql} IS NULL"

    count, row = _count(source, unusable(places, rounded=rounding))
    if not count:
        return []
    large, first = _count(source, unusable(places, rounded=True))
    if large:
        message = (
            f"{_rows(large, first)} an amount in column '{name}' ({role}) that is "
            f"too large for 64-bit whole numbers with {places} decimals."
        )
        return [message]
    if role == "weight":
        message = (
            f"{_rows(count, row)} a weight with more than {places} decimals in "
            f"column '{name}'. Round the weights, or give round_input=True to round "
            "them half to even."
        )
        return [message]
    enough = next(
        (
            at
            for at in range(places + 1, MOST_DECIMALS + 1)
            if not _count(source, unusable(at, rounded=False))[0]
        ),
        None,
    )
    advice = (
        f"Not even decimals={MOST_DECIMALS} would hold them all; give "
        "round_input=True to round them half to even."
        if enough is None
        else f"Declare decimals={enough}, or give round_input=True to round them half "
        "to even."
    )
    message = (
        f"{_rows(count, row)} an amount in column '{name}' ({role}) with more "
        f"decimals than decimals={places} declares. {advice}"
    )
    return [message]


def _too_small(source: Source, spec: Spec, role: str, name: str) -> list[str]:
    number = parse.as_decimal(source.column(name), spec.decimal)
    sign = "<=" if role == "weight" else "<"
    count, row = _count(source, f"{number} {sign} 0")
    if not count:
        return []
    words = (
        "a weight of 0 or less: a sampling weight says how many units of the "
        "population a record stands for. Leave records out that stand for none"
        if role == "weight"
        else "a negative cost: a cell would be better suppressed than published. Give "
        "0 or more"
    )
    return [f"{_rows(count, row)} in column '{name}' {words}."]


def _bad_flags(source: Source, role: str, name: str) -> list[str]:
    column = source.column(name)
    sql = parse.flag(column) if role == "waiver" else parse.request(column)
    number, row = _count(source, f"{sql} IS NULL")
    if not number:
        return []
    words = "true or false (or 1 or 0)" if role == "waiver" else "0 (none), 1 or 2"
    message = (
        f"{_rows(number, row)} no usable {role} in column '{name}'. Give {words} in "
        "every row: a missing one is not taken for either."
    )
    return [message]
