# SPDX-License-Identifier: Apache-2.0
"""SQL that turns a column into exact integers, codes, ids and flags, or NULL.

NULL means that the row cannot be used; ``_problems`` then finds out why.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tacit.tabulate._engine import identifier

__all__ = [
    "KEY_UNIT",
    "SLACK",
    "ULPS",
    "Column",
    "amount",
    "as_decimal",
    "as_double",
    "code",
    "flag",
    "hashed_key",
    "ident",
    "record_key",
    "request",
]

_INTEGERS = {
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
}
_WIDE_INTEGERS = {"UBIGINT", "HUGEINT", "UHUGEINT"}
# A double is taken for the decimal that it is nearest to; arithmetic before may have
# moved it by a few units in its last place.
ULPS = 4 * 2.0**-52
SLACK = 1e-6
KEY_PLACES = 16
KEY_UNIT = 10**KEY_PLACES


@dataclass(frozen=True)
class Column:
    """A column of the source: its name, the type that DuckDB gives it, and its place.

    In the relation it goes by ``place``, a name of our own: so it may be called like a
    column of our queries, or like another one but for capitals.
    """

    name: str
    type: str
    place: str

    @property
    def sql(self) -> str:
        """The name in the relation, quoted."""
        return identifier(self.place)

    @property
    def family(self) -> str:
        """One of text, integer, decimal, float, bool, null, other."""
        if self.type == "VARCHAR" or self.type.startswith("ENUM"):
            return "text"
        if self.type in _INTEGERS or self.type in _WIDE_INTEGERS:
            return "integer"
        if self.type.startswith("DECIMAL"):
            return "decimal"
        simple = {"DOUBLE": "float", "FLOAT": "float", "BOOLEAN": "bool"}
        if self.type.strip('"') == "NULL":
            return "null"
        return simple.get(self.type, "other")

    @property
    def text(self) -> str:
        """The column as text, NULL where it is blank."""
        return f"NULLIF({self.sql}::VARCHAR, '')"


def amount(column: Column, places: int, *, rounding: bool, mark: str = ".") -> str:
    """Give the amount times ``10**places`` as BIGINT, or NULL.

    >>> amount(Column("x", "BIGINT", "x"), 0, rounding=False)
    '"x"'
    """
    if column.family == "integer":
        if places == 0 and column.type == "BIGINT":
            return column.sql
        return f"TRY_CAST(TRY_CAST({column.sql} AS HUGEINT) * {10**places} AS BIGINT)"
    if column.type == "DOUBLE" and not rounding:
        return _from_double(column, places)
    exact = as_decimal(column, mark)
    # 27 digits times a power of ten up to 9 still fit 38, the widest decimal.
    rounded = f"TRY_CAST({exact} AS DECIMAL(27, {places}))"
    scaled = f"TRY_CAST({rounded} * {10**places}::DECIMAL(11, 0) AS BIGINT)"
    if not rounding:
        return f"CASE WHEN {rounded} = {exact} THEN {scaled} END"
    half = f"{0.5 * 10**-places:.{places + 1}f}::DECIMAL(38, 18)"
    return (
        f"CASE WHEN abs({exact} - {rounded}) = {half} AND {scaled} % 2 <> 0 "
        f"THEN {scaled} - sign({exact})::BIGINT ELSE {scaled} END"
    )


def _from_double(column: Column, places: int) -> str:
    """Accept a double that is the nearest one to a decimal of so many places."""
    scaled = f"{column.sql} * 1e{places}" if places else column.sql
    nearest = f"round({scaled})"
    back = f"{nearest} / 1e{places}" if places else nearest
    off = f"abs({scaled} - {nearest})"
    return (
        f"CASE WHEN isfinite({column.sql}) AND ({back} = {column.sql} "
        f"OR {off} <= least({SLACK}, {ULPS!r} * abs({nearest}))) "
        f"THEN TRY_CAST({nearest} AS BIGINT) END"
    )


def as_decimal(column: Column, mark: str = ".") -> str:
    """Give the amount as a decimal of 18 places, or NULL.

    Floats go by way of their shortest text, which is what their user sees.
    """
    if column.family == "decimal":
        return f"TRY_CAST({column.sql} AS DECIMAL(38, 18))"
    text = f"{column.sql}::VARCHAR"
    if column.family == "text" and mark == ",":
        text = f"CASE WHEN {text} NOT LIKE '%.%' THEN replace({text}, ',', '.') END"
    plain = f"CASE WHEN NOT contains({text}, '_') THEN {text} END"
    if column.family != "text":
        plain = text
    return f"TRY_CAST({plain} AS DECIMAL(38, 18))"


def as_double(column: Column) -> str:
    """Give the amount as a double of any size, NaN and infinite included."""
    return f"TRY_CAST({column.sql} AS DOUBLE)"


def code(column: Column, *, strip: bool, missing: str | None) -> str:
    """Give a code as text, NULL where it is missing."""
    text = f"{column.sql}::VARCHAR"
    if strip:
        text = f"trim({text})"
    text = f"NULLIF({text}, '')"
    return text if missing is None else f"COALESCE({text}, {missing})"


def ident(column: Column) -> str:
    """Give the id of a contributor, NULL where it is missing or blank."""
    if column.family == "float":
        return f"CASE WHEN NOT isnan({column.sql}) THEN {column.sql} END"
    if column.family == "text":
        return f"CASE WHEN trim({column.sql}) <> '' THEN {column.sql}::VARCHAR END"
    return column.sql


def record_key(column: Column) -> str:
    """Give a record key in [0, 1) as a whole number of ``KEY_UNIT``, or NULL.

    Further decimals than the unit has are cut off.
    """
    exact = f"TRY_CAST({as_decimal(column)} AS DECIMAL(20, {KEY_PLACES}))"
    scaled = f"({exact} * {KEY_UNIT}::DECIMAL({KEY_PLACES + 1}, 0))"
    return f"CASE WHEN {exact} >= 0 AND {exact} < 1 THEN {scaled}::BIGINT END"


def hashed_key(ident: str, secret: bytes) -> str:
    """Give a key that only the secret and the id of a unit decide, the same anywhere.

    The secret itself does not stand in the query.
    """
    inner = hashlib.blake2b(secret, person=b"record key").hexdigest()
    digest = f"left(sha256('{inner}' || {ident}::VARCHAR), 15)"
    bits = f"('0x' || {digest})::BIGINT::HUGEINT"
    return f"({bits} * {KEY_UNIT} // {2**60})::BIGINT"


def flag(column: Column) -> str:
    """Give a yes or no as BOOLEAN, or NULL."""
    if column.family == "integer":
        return f"CASE WHEN {column.sql} IN (0, 1) THEN {column.sql} = 1 END"
    return f"TRY_CAST({column.sql} AS BOOLEAN)"


def request(column: Column) -> str:
    """Give the flag of a request (0 none, 1 or 2) as UTINYINT, or NULL."""
    number = f"TRY_CAST({column.sql} AS UTINYINT)"
    return f"CASE WHEN {number} IN (0, 1, 2) THEN {number} END"
