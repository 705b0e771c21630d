# SPDX-License-Identifier: Apache-2.0
"""The same records give the same table, whatever they come in."""

from __future__ import annotations

import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset, feather, parquet

from tacit import Hierarchy, Table, tabulate

REGION = Hierarchy.from_parents(
    {"01": "A", "02": "A", "10": "B", "A": "Total", "B": "Total"}
)
BY: dict[str, Any] = {"region": REGION, "size": "all"}


def records(seed: int = 7, number: int = 60) -> dict[str, list[Any]]:
    chance = random.Random(seed)  # noqa: S311 - test data
    firms = [f"f{chance.randrange(12):02d}" for _ in range(number)]
    return {
        "region": [chance.choice(["01", "02", "10"]) for _ in range(number)],
        "size": [chance.choice(["small", "large"]) for _ in range(number)],
        "firm": firms,
        "group": [f"g{int(firm[1:]) % 5}" for firm in firms],
        "turnover": [chance.randrange(-300, 5000) / 100 for _ in range(number)],
        "w": [1 + int(firm[1:]) / 4 for firm in firms],
        "agreed": [chance.random() < 0.3 for _ in range(number)],
        "asked": [chance.randrange(3) for _ in range(number)],
        "staff": [chance.randrange(500) for _ in range(number)],
    }


def written(data: dict[str, list[Any]]) -> pa.Table:
    return pa.table(data)


def as_csv(data: dict[str, list[Any]], path: Path, delimiter: str = ",") -> Path:
    lines = [delimiter.join(data)]
    lines += [delimiter.join(map(str, row)) for row in zip(*data.values(), strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def parts(data: dict[str, list[Any]], folder: Path) -> str:
    whole = written(data)
    for i, start in enumerate(range(0, len(whole), 23)):
        parquet.write_table(whole.slice(start, 23), folder / f"part{i}.parquet")
    return str(folder / "part*.parquet")


def in_parquet(data: dict[str, list[Any]], folder: Path) -> Path:
    path = folder / "records.parquet"
    parquet.write_table(written(data), path)
    return path


def in_feather(data: dict[str, list[Any]], folder: Path) -> Path:
    path = folder / "records.feather"
    feather.write_feather(written(data), path)
    return path


SOURCES = {
    "dict": lambda data, _: data,
    "pandas": lambda data, _: pd.DataFrame(data),
    "pandas object": lambda data, _: pd.DataFrame(data).astype({"region": object}),
    "pandas category": lambda data, _: pd.DataFrame(data).astype(
        {"region": "category", "firm": "category"}
    ),
    "polars": lambda data, _: pl.DataFrame(data),
    "polars lazy": lambda data, _: pl.LazyFrame(data),
    "polars categorical": lambda data, _: pl.DataFrame(data).with_columns(
        pl.col("region").cast(pl.Categorical)
    ),
    "pyarrow": lambda data, _: written(data),
    "record batch": lambda data, _: written(data).to_batches()[0],
    "reader": lambda data, _: written(data).to_reader(max_chunksize=7),
    "dataset": lambda data, _: dataset.dataset(written(data)),
    "decimal": lambda data, _: written(
        {**data, "turnover": [Decimal(str(x)) for x in data["turnover"]]}
    ),
    "text": lambda data, _: written(
        {**data, "turnover": [str(x) for x in data["turnover"]]}
    ),
    "dictionary": lambda data, _: written(
        {**data, "region": pa.array(data["region"]).dictionary_encode()}
    ),
    "duckdb relation": lambda data, _: relation(data),
    "csv": lambda data, folder: as_csv(data, folder / "records.csv", ","),
    "csv with semicolons": lambda data, folder: as_csv(
        data, folder / "records.csv", ";"
    ),
    "parquet": in_parquet,
    "arrow file": in_feather,
    "glob": parts,
    "list of paths": lambda data, folder: [
        Path(parts(data, folder)).parent / f"part{i}.parquet" for i in range(3)
    ],
}


OPEN = []  # a relation does not keep its connection alive


def relation(data: dict[str, list[Any]]) -> Any:
    OPEN.append(connection := duckdb.connect())
    connection.register("incoming", written(data))
    connection.execute("CREATE TABLE records AS SELECT * FROM incoming")
    return connection.table("records")


def same(one: Table, other: Table) -> None:
    for noun in ("cells", "evidence", "contributions"):
        for name, column in vars(getattr(one, noun)).items():
            theirs = getattr(getattr(other, noun), name)
            assert (column is None) == (theirs is None), (noun, name)
            if isinstance(column, np.ndarray):
                assert column.dtype == theirs.dtype, (noun, name)
                assert column.tobytes() == theirs.tobytes(), (noun, name)


PLAIN = {"value": "turnover", "unit": "firm", "decimals": 2, "size": "staff"}
ROLES: dict[str, dict[str, Any]] = {
    "units": {**PLAIN, "waiver": "agreed", "request": "asked"},
    "holdings": {**PLAIN, "holding": "group"},
    "weights": {**PLAIN, "weight": "w"},
    "counts": {"unit": "firm", "weight": "w", "decimals": 2},
    "records": {"value": "turnover", "decimals": 2},
}


@pytest.mark.parametrize("roles", ROLES)
@pytest.mark.parametrize("kind", SOURCES)
def test_every_kind_of_source_gives_the_same(
    kind: str, roles: str, tmp_path: Path
) -> None:
    options, data = ROLES[roles], records()
    expected = tabulate(data, by=BY, **options)
    same(expected, tabulate(SOURCES[kind](data, tmp_path), by=BY, **options))


@pytest.mark.parametrize(
    ("kind", "frame"),
    [("pandas", "pandas"), ("polars lazy", "polars"), ("csv", "pyarrow")],
)
def test_frames_go_back_in_the_kind_that_came(
    kind: str, frame: str, tmp_path: Path
) -> None:
    table = tabulate(SOURCES[kind](records(), tmp_path), by=BY, **PLAIN)
    assert table.frame_kind == frame


def test_a_lazy_source_is_reduced_where_it_lies() -> None:
    """What is fetched is one row a leaf cell and firm, not one a record."""
    from tacit.tabulate._pushdown import RECORDS, push_down  # noqa: PLC0415
    from tacit.tabulate._spec import Spec  # noqa: PLC0415

    data = records(number=500)
    spec = Spec(by=BY, columns={n: n for n in BY}, value="staff", unit="firm")
    rows = push_down(pl.LazyFrame(data), spec)
    assert rows is not None
    keys = set(zip(data["region"], data["size"], data["firm"], strict=True))
    assert len(rows) == len(keys) < 500
    assert sum(rows[RECORDS].to_pylist()) == 500
    assert push_down(pl.DataFrame(data), spec) is None


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    path = as_csv(records(), tmp_path / "records.csv")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    same(tabulate(records(), by=BY, **PLAIN), tabulate(path, by=BY, **PLAIN))


def test_a_quoted_delimiter_and_a_zipped_file(tmp_path: Path) -> None:
    import gzip  # noqa: PLC0415

    path = tmp_path / "records.csv.gz"
    path.write_bytes(gzip.compress(b'size,"name, legal"\n"a,b",1\n"c ""d""",2\n'))
    table = tabulate(path, by={"size": "all"}, value="name, legal")
    assert table.codes_of("size").tolist() == ["all", "a,b", 'c "d"']
    assert table.cells.value.tolist() == [3, 1, 2]


def test_a_decimal_comma_can_be_declared(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_text("size;x\na;1,5\nb;-2,25\n", encoding="utf-8")
    table = tabulate(path, by={"size": "all"}, value="x", decimals=2, decimal=",")
    assert table.cells.value.tolist() == [-75, 150, -225]


def test_a_column_may_be_called_otherwise_than_its_dimension() -> None:
    data = {"nuts3": ["01", "10"], 'odd "name"': ["x", "y"], "n": [1, 2]}
    table = tabulate(
        data,
        by={"region": REGION, "size": "all"},
        columns={"region": "nuts3", "size": 'odd "name"'},
        value="n",
    )
    assert table.names == ("region", "size")
    assert table.cells.value[0] == 3


def test_blanks_can_be_taken_off_codes() -> None:
    data = {"region": [" 01", "10  "], "n": [1, 2]}
    table = tabulate(data, by={"region": REGION}, value="n", strip_codes=True)
    assert table.cells.value[table.index(region="01")] == 1


def test_missing_codes_go_where_they_are_sent() -> None:
    data = {"region": ["01", None, ""], "size": ["a", "b", None], "n": [1, 2, 4]}
    missing = {"region": "10", "size": "?"}
    table = tabulate(data, by=BY, value="n", missing=missing)
    assert table.cells.value[table.index(region="10")] == 6
    assert table.cells.value[table.index(size="?")] == 4


def test_amounts_are_rounded_half_to_even_on_request() -> None:
    amounts = ["0.5", "1.5", "2.5", "-0.5", "-1.5", "0.500001", "2.4999"]
    data = {"size": [str(i) for i in range(7)]}
    for column in (amounts, [float(a) for a in amounts], [Decimal(a) for a in amounts]):
        table = tabulate(
            {**data, "x": column}, by={"size": "all"}, value="x", round_input=True
        )
        assert table.cells.value[1:].tolist() == [0, 2, 2, 0, -2, 1, 2]


def test_floats_that_carry_the_noise_of_arithmetic_are_taken_as_meant() -> None:
    data = {"size": ["a", "b", "c"], "x": [0.1 + 0.2, 1.1 * 3, 123456789012.34]}
    table = tabulate(data, by={"size": "all"}, value="x", decimals=2)
    assert table.cells.value[1:].tolist() == [30, 330, 12345678901234]


def test_small_floats_are_taken_for_what_they_show() -> None:
    amounts = np.array([12.35, -0.1, 1e5], dtype=np.float32)
    frame = pd.DataFrame({"size": ["a", "b", "c"], "x": amounts})
    table = tabulate(frame, by={"size": "all"}, value="x", decimals=2)
    assert table.cells.value[1:].tolist() == [1235, -10, 10_000_000]


def test_possible_cells_are_held_with_value_zero() -> None:
    data = {"region": ["01"], "size": ["a"], "n": [1]}
    known = tabulate(data, by=BY, value="n")
    table = tabulate(data, by=BY, value="n", possible={"region": ["02"]})
    assert len(table) == len(known) + 2
    assert table.evidence.contributors[table.index(region="02")] == 0


def test_one_record_and_records_of_zero() -> None:
    table = tabulate({"size": ["a"], "n": [5]}, by={"size": "all"}, value="n")
    assert table.cells.value.tolist() == [5, 5]
    zero = tabulate(
        {"size": ["a", "b"], "firm": [1, 1], "n": [0, 0]},
        by={"size": "all"},
        value="n",
        unit="firm",
    )
    assert zero.cells.value.tolist() == [0, 0, 0]
    assert zero.evidence.contributors.tolist() == [1, 1, 1]
    assert zero.evidence.nonzero.tolist() == [0, 0, 0]
    assert zero.evidence.entities[:, 0].tolist() == [0, 0, 0]


def test_progress_counts_up_to_the_end() -> None:
    seen: list[tuple[str, int, int]] = []
    tabulate(records(), by=BY, progress=lambda *step: seen.append(step), **PLAIN)
    assert ("records", 1, 1) in seen
    assert seen[-1][0] == "cells"
    assert seen[-1][1] == seen[-1][2]


def test_many_dimensions_whose_product_exceeds_64_bits() -> None:
    names = [f"d{i}" for i in range(8)]
    codes = [f"{i:03d}" for i in range(300)]
    data: dict[str, Any] = {n: ["007", "299", "007"] for n in names}
    trees = {n: Hierarchy.flat(codes, total="T") for n in names}
    table = tabulate({**data, "x": [1, 2, 4]}, by=trees, value="x")
    assert len(table) == 2**8 * 2 - 1
    assert table.cells.value[table.index(d0="007")] == 5
    assert table.cells.value[table.index(d7="299")] == 2
    assert table.cells.value[table.contributions.leaf].tolist() == [5, 5, 2]
