# SPDX-License-Identifier: Apache-2.0
"""What cannot be used is said so, with what to do, and without any data."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tacit import Hierarchy, tabulate
from tacit.errors import HierarchyError, InputError, SourceError
from tacit.table import Dimension

if TYPE_CHECKING:
    from pathlib import Path

REGION = Hierarchy.from_parents({"01": "A", "02": "A", "A": "Total", "B": "Total"})
GOOD: dict[str, Any] = {
    "region": ["01", "02", "B"],
    "firm": ["secret1", "secret2", "secret3"],
    "group": ["g1", "g1", "g2"],
    "turnover": [1.5, 2.0, 70707.0],
    "w": [1.0, 2.0, 3.5],
    "agreed": [True, False, True],
    "asked": [0, 1, 2],
}
ROLES: dict[str, Any] = {
    "by": {"region": REGION},
    "value": "turnover",
    "unit": "firm",
    "decimals": 1,
}


def message(data: Any = GOOD, **options: Any) -> str:
    """What is said; never anything confidential."""
    with pytest.raises(InputError) as caught:
        tabulate(data, **(ROLES | options))
    text = str(caught.value)
    assert "secret" not in text
    assert "70707" not in text
    assert caught.value.__suppress_context__ or caught.value.__cause__ is None
    return text


def changed(**columns: list[Any]) -> dict[str, Any]:
    return {**GOOD, **columns}


WEIGHTED = {"weight": "w"}
CASES: list[tuple[Any, dict[str, Any], str]] = [
    (
        changed(turnover=[1.5, float("nan"), 2.0]),
        {},
        (
            r"1 row \(the first is row 2\) has no amount in column 'turnover' "
            r"\(value\)\. Give 0"
        ),
    ),
    (changed(turnover=[None, 1.0, None]), {}, r"2 rows \(the first is row 1\) have no"),
    (
        changed(turnover=[1.0, float("inf"), 2.0]),
        {},
        r"row 2\) has an infinite amount in column 'turnover'",
    ),
    (
        changed(turnover=["1", "12 EUR", "3"]),
        {},
        r"row 2\) has no number in column 'turnover' \(value\)\. Amounts are digits",
    ),
    (
        changed(turnover=["1,5", "2,5", "3"]),
        {},
        (
            r"2 rows .* have no number .* 2 of the amounts have a decimal comma: give "
            r"decimal=',', or write them with '\.'"
        ),
    ),
    (
        changed(turnover=["1.5", "2", "3"]),
        {"decimal": ","},
        r"1 of the amounts have a decimal point: give decimal='\.'",
    ),
    (
        changed(turnover=[1.5, 2.25, 3.125]),
        {},
        (
            r"2 rows \(the first is row 2\) have an amount in column 'turnover' "
            r"\(value\) with more decimals than decimals=1 declares\. Declare "
            r"decimals=3, or give round_input=True"
        ),
    ),
    (
        changed(turnover=["1.5", "2.25", "3"]),
        {},
        r"1 row \(the first is row 2\) has an amount .* Declare decimals=2",
    ),
    (
        changed(turnover=[Decimal("1.55"), Decimal(2), Decimal(3)]),
        {},
        r"row 1\) has an amount .* Declare decimals=2",
    ),
    (changed(turnover=[1 / 3, 1.0, 2.0]), {}, r"Not even decimals=9 would hold them"),
    (
        changed(turnover=[10**18, 1, 2]),
        {"decimals": 2},
        r"row 1\) has an amount .* too large for 64-bit whole numbers with 2 decimals",
    ),
    (
        changed(turnover=[1e300, 1.0, 2.0]),
        {"decimals": 2},
        r"row 1\) has an amount .* too large",
    ),
    (
        changed(region=["01", "01", "01"], turnover=[5 * 10**18, 5 * 10**18, 1]),
        {"decimals": 0},
        r"sum to more than 64-bit whole numbers hold .* Declare fewer decimals",
    ),
    (
        changed(
            firm=["a", "a", "a"], region=["B"] * 3, turnover=[9 * 10**18, 10**18, 0]
        ),
        {"decimals": 0},
        r"sum to more than 64-bit whole numbers hold",
    ),
    (
        changed(turnover=[True, False, True]),
        {},
        r"Column 'turnover' \(value\) is of type BOOLEAN, not numbers",
    ),
    (
        changed(region=[1, 2, 10]),
        {},
        (
            r"Dimension 'region': column 'region' holds whole numbers, but codes are "
            r"text: as a number, '01' has become 1\. Read .* as text .*dtype={'region'"
        ),
    ),
    (changed(region=[1.0, 2.0, 3.0]), {}, r"holds numbers, but codes are text"),
    (
        changed(region=["01", 2, "B"]),
        {},
        r"Column 'region' mixes types .* Make it one type",
    ),
    (
        changed(region=["01", None, ""]),
        {},
        (
            r"Dimension 'region': 2 rows \(the first is row 2\) have no code in column "
            r"'region'\. .*missing={'region': code}"
        ),
    ),
    (
        changed(region=["01", "03", "03"]),
        {},
        (
            r"Dimension 'region': 1 code of the data cannot be placed.*\n"
            r"  Unknown code '03'"
        ),
    ),
    (
        changed(region=["01 ", "02", "B"]),
        {},
        r"differs from '01' only by blanks.*\nWith strip_codes=True",
    ),
    (changed(region=["1", "02", "B"]), {}, r"It may be '01' read as a number"),
    (changed(region=["A", "02", "B"]), {}, r"Records sit at the inner code 'A'"),
    (
        changed(region=["01", "Total", "B"]),
        {"by": {"region": "Total"}},
        r"the data hold records with the code 'Total', which is the code of the total",
    ),
    (
        changed(region=["01", "02 ", "B"]),
        {"by": {"region": "Total"}},
        r"the code '02 ' of column 'region' has blanks around it.*strip_codes=True",
    ),
    (
        changed(firm=["a", None, " "]),
        {},
        r"2 rows \(the first is row 2\) have no unit in column 'firm'\. All of them",
    ),
    (changed(group=["a", "b", ""]), {"holding": "group"}, r"no holding in column"),
    (
        changed(firm=["a", "a", "b"], group=["g", "h", "h"]),
        {"holding": "group"},
        r"1 of the units \(column 'firm'\) belong to more than one holding",
    ),
    (
        changed(w=[1.0, 0.0, -2.0]),
        WEIGHTED,
        r"2 rows \(the first is row 2\) have in column 'w' a weight of 0 or less",
    ),
    (
        changed(w=[1.0, 0.12345678, 2.0]),
        WEIGHTED,
        r"row 2\) has a weight with more than 6 decimals in column 'w'",
    ),
    (changed(w=[1.0, None, 2.0]), WEIGHTED, r"no amount in column 'w' \(weight\)"),
    (
        changed(firm=["a", "a", "b"]),
        WEIGHTED,
        r"1 of the units \(column 'firm'\) have more than one weight",
    ),
    (
        changed(firm=["a", "a", "b"], region=["01"] * 3),
        WEIGHTED,
        r"1 of the units \(column 'firm'\) have more than one weight",
    ),
    (
        GOOD,
        {**WEIGHTED, "holding": "group"},
        r"do not go together under weights='partial'.*weights='sample' or weights=",
    ),
    (changed(agreed=[True, None, False]), {"waiver": "agreed"}, r"no usable waiver"),
    (
        changed(asked=[0, 3, 1]),
        {"request": "asked"},
        r"row 2\) has no usable request in column 'asked'\. Give 0 \(none\), 1 or 2",
    ),
    (changed(w=[1, -1, 2]), {"cost": "w"}, r"column 'w' a negative cost"),
    (
        {name: [] for name in GOOD},
        {},
        r"The source has no rows|holds no code",
    ),
    (GOOD, {"value": "turnovr"}, r"no column 'turnovr'\. Did you mean 'turnover'\?"),
    (GOOD, {"by": {"regoin": REGION}}, r"no column 'regoin'\. Did you mean 'region'"),
    (
        GOOD,
        {"columns": {"regio": "x"}},
        r"columns names 'regio'.*Did you mean 'region'",
    ),
    (GOOD, {"weights": "sampel"}, r"No convention 'sampel'.*Did you mean 'sample'"),
    (GOOD, {"missing": "skip"}, r"missing='skip' is not known\. Give 'error'"),
    (GOOD, {"missing": {"region": "A"}}, r"missing\['region'\] = 'A' is not a leaf"),
    (GOOD, {"missing": {"size": "A"}}, r"missing names 'size', which is not a dimen"),
    (GOOD, {"decimals": -1}, r"decimals=-1 is not a whole number from 0 to 9"),
    (GOOD, {"top": 0}, r"top=0 is not a whole number from 1 to 100"),
    (GOOD, {"by": {}}, r"A table needs at least one dimension"),
    (GOOD, {"by": {"region": 5}}, r"by\['region'\] is a int\. Give a Hierarchy"),
    (
        GOOD,
        {"by": {"region": Dimension.of("area", REGION)}},
        r"by\['region'\] is a dimension called 'area'\. Give both the same name",
    ),
    (GOOD, {"decimal": ";"}, r"decimal=';' is not a decimal mark"),
    (42, {}, r"A int is not a frame"),
]


@pytest.mark.parametrize(("data", "options", "words"), CASES)
def test_bad_input_is_explained(data: Any, options: dict[str, Any], words: str) -> None:
    text = message(data, **options)
    assert re.search(words, text, re.DOTALL), text


def test_all_problems_of_the_records_come_at_once() -> None:
    data = changed(region=["01", "x", None], turnover=[1.55, None, 2.0])
    data["firm"] = ["a", None, "b"]
    text = message(data)
    assert text.startswith("The source has 4 problems:\n- Dimension 'region'")
    assert text.count("\n- ") == 4


def test_a_lazy_source_is_explained_without_row_numbers() -> None:
    lazy = pl.LazyFrame(changed(turnover=[1.5, None, float("nan")]))
    text = message(lazy)
    assert text.startswith("2 rows have no number of at most 1 decimals in column")
    assert "row 2" not in text
    large = pl.LazyFrame(changed(turnover=[9 * 10**18, 9 * 10**18, 1]))
    assert "sum to more than" in message(large, decimals=0)
    assert "Did you mean 'turnover'?" in message(lazy, value="turnove")


def test_a_unit_that_is_missing_in_a_number_column_of_pandas() -> None:
    frame = pd.DataFrame(GOOD).assign(firm=[1, None, 3])
    assert "no unit in column 'firm'" in message(frame)


def test_mixed_types_in_pandas() -> None:
    frame = pd.DataFrame(changed(region=["01", 2, "B"]))
    assert "'region' mixes types" in message(frame)


def test_hierarchies_of_one_dimension_must_fit() -> None:
    other = Hierarchy.flat(["01"], total="Total")
    with pytest.raises(HierarchyError, match="share the total 'Total' but not the"):
        tabulate(GOOD, by={"region": [REGION, other]}, value="turnover")


class Folder:
    """Files that are not as they should be."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_files_that_are_not_there(folder: Folder) -> None:
    folder.file("firms.csv", "region,turnover\n")
    assert "Did you mean 'firms.csv'?" in message(folder.path / "firm.csv")
    assert "No file matches" in message(str(folder.path / "*.parquet"))
    assert "does not exist" in message(folder.path / "no" / "firms.csv")
    assert "is a folder. Name the files" in message(folder.path)


def test_files_of_no_known_kind(folder: Folder) -> None:
    assert "read other formats" in message(folder.file("a.xlsx", "x"))
    folder.file("a.csv", "region\n")
    folder.file("b.parquet", "")
    assert "mixes csv and parquet" in message(str(folder.path / "[ab].[cp]*"))
    assert "could not be read" in message(folder.path / "b.parquet")
    assert "is not an Arrow file" in message(folder.file("c.arrow", "nothing"))


HEAD = "region,firm,turnover\n"


def test_csv_files_that_cannot_be_read(folder: Folder) -> None:
    for name, content, words in (
        ("latin.csv", HEAD.encode() + b"01,secret\xe9,1\n", "is not text in UTF-8"),
        ("head.csv", "r\xe9gion,x\n".encode("latin-1"), "is not text in UTF-8"),
        ("empty.csv", "", "is empty"),
        ("twice.csv", "region,firm,firm\n", 'names the column "firm" twice'),
        (
            "long.csv",
            HEAD + "01,secret1,1\n02,secret2,1,5\n",
            "in line 3 another number",
        ),
        ("short.csv", HEAD + "01,secret1,1\n02,secret2\n", "in line 3 another number"),
        ("none.csv", HEAD, "The source has no rows"),
        ("other.csv", "region;turnover\n01;1\n", "no column 'firm'"),
    ):
        text = message(folder.file(name, content))
        assert words in text, (name, text)


def test_csv_files_that_differ(folder: Folder) -> None:
    folder.file("a.csv", HEAD + "01,x,1\n")
    folder.file("b.csv", "region,turnover,firm\n01,1,x\n")
    text = message(str(folder.path / "*.csv"))
    assert "'b.csv' has other columns, or another delimiter, than 'a.csv'" in text


def test_lists_are_no_ids() -> None:
    data = pa.table({**GOOD, "firm": [["a"], ["b"], []]})
    with pytest.raises(SourceError, match=r"holds lists\. An id is one value"):
        tabulate(data, **ROLES)
