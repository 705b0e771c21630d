# SPDX-License-Identifier: Apache-2.0
"""Code lists are read from and written to files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit import Hierarchy
from tacit.errors import HierarchyError

if TYPE_CHECKING:
    from pathlib import Path

TREE = Hierarchy.from_parents(
    {"A": "T", "A1": "A", "A2": "A", "B": "T"}, labels={"A1": "Agri, hunting"}
)

_code = st.text(
    st.characters(codec="utf-8", exclude_characters="\ufeff"), min_size=1, max_size=4
).filter(str.strip)


@st.composite
def trees(draw: st.DrawFn) -> Hierarchy:
    names = draw(st.lists(_code, min_size=2, max_size=12, unique=True))
    parents = {n: names[draw(st.integers(0, i))] for i, n in enumerate(names[1:])}
    labels = draw(st.dictionaries(st.sampled_from(names), _code))
    return Hierarchy.from_parents(parents, labels=labels)


def saved(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_lead_strings_are_depth(tmp_path: Path) -> None:
    path = saved(tmp_path, "r.hrc", "A\n@A1\n@@A11\n\n@A2\nB\n")
    tree = Hierarchy.read(path, total="T")
    assert tree.codes == ("T", "A", "A1", "A11", "A2", "B")
    assert tree.depth.tolist() == [0, 1, 2, 3, 2, 1]


def test_another_lead_string(tmp_path: Path) -> None:
    path = saved(tmp_path, "r.hrc", "A\n--A1\n----@x\nB")
    tree = Hierarchy.read(path, total="T", lead="--")
    assert tree.ancestors("@x") == ("A1", "A", "T")


def test_leading_blanks_belong_to_the_code_trailing_ones_do_not(tmp_path: Path) -> None:
    path = saved(tmp_path, "r.hrc", "Nr  \r\n@ 1\r\n@ 2 \t\r\n   \r\n@10\r\n")
    assert Hierarchy.read(path, total="T").codes == ("T", "Nr", " 1", " 2", "10")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_encodings_are_told_apart(tmp_path: Path, encoding: str) -> None:
    path = saved(tmp_path, "r.hrc", "Zürich\n@Höri\n".encode(encoding))
    assert Hierarchy.read(path, total="T").codes == ("T", "Zürich", "Höri")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("header", ["", "code{0}parent{0}label\n"])
def test_rows_of_code_and_parent(tmp_path: Path, separator: str, header: str) -> None:
    text = (header + "T{0}\nA{0}T\nA1{0}A{0}Agri. hunting\nA2{0}A\nB{0}T\n").format(
        separator
    )
    tree = Hierarchy.read(saved(tmp_path, "r.csv", "\ufeff" + text))
    assert tree.codes == TREE.codes
    assert dict(tree.labels) == {"A1": "Agri. hunting"}


def test_the_total_may_be_only_a_parent(tmp_path: Path) -> None:
    path = saved(tmp_path, "r.txt", "A,T\nA1,A\nA2,A\nB,T\n")
    assert Hierarchy.read(path) == Hierarchy(TREE.codes, TREE.parents)


def test_rows_without_a_parent_stand_below_a_total_that_is_given(
    tmp_path: Path,
) -> None:
    path = saved(tmp_path, "r.csv", "A,\nA1,A\nB,\n")
    assert Hierarchy.read(path, total="T").codes == ("T", "A", "A1", "B")


def test_columns_of_a_header_may_change_places(tmp_path: Path) -> None:
    path = saved(tmp_path, "r.csv", "Parent;Label;Code\nT;North;A\nT;;B\n")
    tree = Hierarchy.read(path)
    assert tree.codes == ("T", "A", "B")
    assert tree.labels["A"] == "North"


def test_quotes_hold_separators_quotes_and_line_breaks(tmp_path: Path) -> None:
    path = saved(tmp_path, "r.csv", 'A,T,"a, ""b""\nc"\n"x,y",T\n')
    tree = Hierarchy.read(path)
    assert tree.codes == ("T", "A", "x,y")
    assert tree.labels["A"] == 'a, "b"\nc'


def test_labels_come_from_a_file_or_a_mapping(tmp_path: Path) -> None:
    codes = saved(tmp_path, "r.hrc", "A\nB\n")
    labels = saved(tmp_path, "r.cdl", 'A,North, far\nB,"South"\nX,unknown\n')
    tree = Hierarchy.read(codes, total="T", labels=labels)
    assert dict(tree.labels) == {"A": "North, far", "B": "South"}
    assert dict(Hierarchy.read(codes, total="T", labels={"A": "N"}).labels) == {
        "A": "N"
    }


def test_what_is_written_is_plain(tmp_path: Path) -> None:
    TREE.write(tmp_path / "r.hrc")
    assert (tmp_path / "r.hrc").read_bytes() == b"A\n@A1\n@A2\nB\n"
    TREE.write(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_bytes() == (
        b'code,parent,label\nT,,\nA,T,\nA1,A,"Agri, hunting"\nA2,A,\nB,T,\n'
    )


@given(tree=trees())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_tree_comes_back_from_csv(tmp_path: Path, tree: Hierarchy) -> None:
    for name in ("r.csv", "r.txt", "r.tsv"):
        tree.write(tmp_path / name)
        assert Hierarchy.read(tmp_path / name) == tree


@given(tree=trees())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_tree_comes_back_from_hrc_or_is_refused(
    tmp_path: Path, tree: Hierarchy
) -> None:
    path = tmp_path / "r.hrc"
    bare = Hierarchy(tree.codes, tree.parents)
    try:
        tree.write(path)
    except HierarchyError:
        assert any(c.startswith("@") or c != c.rstrip() for c in tree.codes[1:]) or any(
            "\n" in c for c in tree.codes
        )
        return
    assert Hierarchy.read(path, total=tree.total) == bare


def test_a_deep_chain_is_read_back(tmp_path: Path) -> None:
    chain = Hierarchy.from_parents({f"c{i + 1}": f"c{i}" for i in range(2_000)})
    chain.write(tmp_path / "c.hrc")
    assert Hierarchy.read(tmp_path / "c.hrc", total="c0") == chain


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.hrc", "@A\n", r"line 1: 'A' is at depth 2, but no code stands before"),
        ("r.hrc", "A\n@@A11\n", r"line 2: 'A11' is at depth 3, but 'A' stands"),
        ("r.hrc", "A\n@\n", r"line 2: no code follows"),
        ("r.hrc", "A\n@1\nB\n@1\n", r"'1' has two parents, 'A' and 'B' \(line 2 and"),
        ("r.hrc", "A\nA\n", r"'A' occurs twice below 'T' \(line 1 and line 2\)"),
        ("r.hrc", "A\n@T\n", r"total 'T' is also listed as a code below 'A'"),
        ("r.hrc", "\n \n", r"hierarchy is empty"),
        ("r.csv", "", r"hierarchy is empty"),
        ("r.csv", "A\nB\n", r"line 1: 1 field where code,parent"),
        ("r.csv", "A,T\nB,T,x, y\n", r"line 2: 4 fields where"),
        ("r.csv", ",T\nB,T\n", r"line 1: the code is empty"),
        ("r.csv", "A,T\nB,T\nA,B\n", r"two parents, 'T' and 'B' \(line 1 and line 3"),
        ("r.csv", "A,\nB,A\nT,\nA2, A\n", r"Missing parent"),
        ("r.csv", "Total,\nA,Total\n", r"total 'T'; the code|total 'T'"),
        ("r.xlsx", "", r"no known suffix"),
    ],
)
def test_a_wrong_file_is_explained(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    with pytest.raises(HierarchyError, match=message):
        Hierarchy.read(saved(tmp_path, name, content), total="T")


def test_several_rows_without_a_parent_need_a_total(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="Several codes have no parent: 'A', 'B'"):
        Hierarchy.read(saved(tmp_path, "r.csv", "A,\nB,\nB1,B\n"))


def test_hrc_needs_its_total_and_a_lead(tmp_path: Path) -> None:
    path = saved(tmp_path, "r.hrc", "A\n")
    with pytest.raises(HierarchyError, match="does not list its total"):
        Hierarchy.read(path)
    with pytest.raises(HierarchyError, match="lead=''"):
        Hierarchy.read(path, total="T", lead="")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match=r"nace\.hrc' cannot be read"):
        Hierarchy.read(tmp_path / "nace.hrc", total="T")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, "r.hrc", b"A\x81\n")
    with pytest.raises(HierarchyError, match="neither UTF-8 nor cp1252"):
        Hierarchy.read(path, total="T")


def test_codes_that_hrc_cannot_hold_are_refused(tmp_path: Path) -> None:
    for code in ("@A", "A ", "A\nB"):
        with pytest.raises(HierarchyError, match=r"cannot stand in a \.hrc file"):
            Hierarchy.flat([code], total="T").write(tmp_path / "r.hrc")


def test_files_of_practice_are_read(shared_data: Path) -> None:
    folder = shared_data / "argus"
    region = Hierarchy.read(folder / "simple2d" / "region2.hrc", total="Total")
    assert len(region) == 17
    assert region.parent(" 8") == "Ws"
    assert region.levels[1] == ("Nr", "Os", "Ws", "Zd")
    nace = Hierarchy.read(folder / "enterprise" / "nace_divisions.hrc", total="Total")
    assert (len(nace), len(nace.leaves)) == (110, 89)


def test_a_code_in_two_places_of_a_file_of_practice_is_found(
    shared_data: Path,
) -> None:
    path = shared_data / "argus" / "enterprise" / "NUTS.hrc"
    with pytest.raises(HierarchyError, match="'11' has two parents, '1' and '2'"):
        Hierarchy.read(path, total="Total")
