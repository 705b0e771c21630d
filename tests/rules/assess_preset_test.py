# SPDX-License-Identifier: Apache-2.0
"""Presets keep the rules of a house together, and keep others out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tacit import Hierarchy, Preset, assess
from tacit.errors import TacitError
from tacit.rules import AnyOf, MinFrequency, PPercent
from tacit.table import Cells, Dimension, Evidence, Table

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
name = "business"
profile = "tauargus"

[[rule]]
kind = "p_percent"
p = 10

[[rule]]
kind = "min_frequency"
n = 3
"""


def made() -> Table:
    """Make a total and two parts: one large contributor, two like ones."""
    codes = np.arange(3, dtype=np.int32)[None, :]
    cells = Cells(codes, np.array([102, 100, 2]), 0, np.zeros(3, dtype=np.uint8))
    largest = np.array([[60, 20], [60, 20], [1, 1]])
    evidence = Evidence(np.array([6, 4, 2]), np.array([102, 100, 2]), largest)
    region = Dimension.of("region", Hierarchy.flat(["a", "b"], total="all"))
    return Table((region,), cells, evidence=evidence)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "business.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_a_preset_file_is_read(file: Path) -> None:
    preset = Preset.read(file)
    assert (preset.name, preset.locked, preset.profile) == (
        "business",
        True,
        "tauargus",
    )
    assert preset.rule == AnyOf(rules=(PPercent(p=10), MinFrequency(n=3)))


def test_a_preset_gives_the_rule_and_the_profile(file: Path) -> None:
    found = assess(made(), preset=file)
    assert found.sensitive.tolist() == [False, False, True]
    summary = found.summary()
    assert (summary["preset"], summary["profile"]) == ("business", "tauargus")
    assert found.preset_digest == Preset.read(file).digest


def test_the_digest_is_of_the_content_not_of_the_layout(file: Path) -> None:
    digest = Preset.read(file).digest
    file.write_text("# a comment\n" + TEXT.replace("\n\n", "\n"), encoding="utf-8")
    assert Preset.read(file).digest == digest
    file.write_text(TEXT.replace("p = 10", "p = 11"), encoding="utf-8")
    assert Preset.read(file).digest != digest


def test_a_file_may_begin_with_a_byte_order_mark(file: Path) -> None:
    file.write_text(TEXT, encoding="utf-8-sig")
    assert Preset.read(file).name == "business"


def test_a_preset_that_is_not_locked_gives_way_to_rules(file: Path) -> None:
    file.write_text(TEXT.replace("profile", "locked = false\nprofile"), "utf-8")
    found = assess(made(), PPercent(p=90), preset=file)
    assert list(found.reasons) == ["p_percent"]
    assert found.summary()["preset"] is None


def test_the_profile_of_a_locked_preset_may_be_repeated(file: Path) -> None:
    assert assess(made(), preset=file, profile="tauargus").profile == "tauargus"


def test_a_preset_without_profile_is_judged_by_our_conventions(file: Path) -> None:
    file.write_text(TEXT.replace('profile = "tauargus"', ""), encoding="utf-8")
    assert assess(made(), preset=file).profile == "tacit"
    with pytest.raises(TacitError, match="locked and comes with the profile 'tacit'"):
        assess(made(), preset=file, profile="gauss")


def test_a_preset_shows_no_parameter(file: Path) -> None:
    preset = Preset.read(file)
    assert repr(preset) == "<Preset 'business', locked, parameters confidential>"
    assert "10" not in str(preset)
