# SPDX-License-Identifier: Apache-2.0
"""The public door checks, the internal one is marked, and neither overwrites."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InputError, MissingExtraError, UnsafeError
from tacit.publish import FORMATS, Layout, publish
from tacit.publish._view import decimal_text, public_view

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.protect import Release

EVERY = pytest.mark.parametrize("ending", sorted(FORMATS))


@EVERY
def test_an_unsafe_release_is_refused(
    unsafe: Release, tmp_path: Path, ending: str
) -> None:
    with pytest.raises(UnsafeError, match="No audit was run") as caught:
        unsafe.write(tmp_path / f"t.{ending}")
    assert caught.value.exit_code == 3
    assert list(tmp_path.iterdir()) == []


@EVERY
def test_inside_it_may_be_looked_at(
    unsafe: Release, tmp_path: Path, ending: str
) -> None:
    assert unsafe.internal.write(tmp_path / f"internal.{ending}").stat().st_size


def test_an_exposed_cell_is_refused_whatever_the_audit_says(
    suppressed: Release, tmp_path: Path
) -> None:
    exposed = replace(suppressed, state=np.zeros_like(suppressed.state))
    with pytest.raises(UnsafeError, match="1 of 14 cells"):
        exposed.write(tmp_path / "t.csv")


def test_the_names_of_files_tell_what_they_hold(
    safe: Release, suppressed: Release, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"'t\.internal\.csv'"):
        suppressed.internal.write(tmp_path / "t.csv")
    with pytest.raises(InputError, match="says internal, and this is the public view"):
        safe.write(tmp_path / "t.Internal.csv")


def test_nothing_is_overwritten_unasked(safe: Release, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("mine")
    with pytest.raises(InputError, match="exists, and nothing is overwritten unasked"):
        safe.write(path)
    assert path.read_text() == "mine"
    assert safe.write(path, force=True) == path
    assert path.read_text() != "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("t.xslx", "There is no format 'xslx'. Did you mean 'xlsx'?"),
        ("t", "There is no format ''. Valid names: 'csv', 'html', 'xlsx'."),
        ("no/t.csv", "does not exist. Make it first."),
    ],
)
def test_a_bad_target_is_explained(
    safe: Release, tmp_path: Path, name: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        publish(safe, tmp_path / name)
    assert message in str(caught.value)


@pytest.mark.parametrize("sign", ["0", " ", "", "-0.0", "12"])
def test_a_sign_must_not_look_like_a_number(sign: str) -> None:
    with pytest.raises(InputError, match="could be read as a number or as nothing"):
        Layout(symbol=sign)


def test_the_two_signs_must_differ() -> None:
    with pytest.raises(InputError, match="choose two signs"):
        Layout(symbol="-")


def test_without_xlsxwriter_the_extra_is_named(
    safe: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tacit\[excel\]'"):
        safe.write(tmp_path / "t.xlsx")


def test_the_public_view_does_not_hold_what_it_hides(suppressed: Release) -> None:
    view = public_view(suppressed)
    assert view.secrets is None
    assert not view.value[suppressed.withheld].any()


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5),
    st.integers(0, 9),
)
def test_decimal_text_is_exact(values: list[int], decimals: int) -> None:
    texts = decimal_text(np.array(values, dtype=np.int64), decimals)
    for value, text in zip(values, texts, strict=True):
        assert int(str(text).replace(".", "")) == value
        assert len(str(text).partition(".")[2]) == decimals
