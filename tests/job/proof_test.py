# SPDX-License-Identifier: Apache-2.0
"""A pattern that came along is audited, published with its proof, and verified."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tacit
from releases import percent, withheld
from tacit.errors import InputError
from tacit.job import Job
from tacit.job._verify import verify_folder
from tacit.protect._stored import load_release, save_release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CELLS = """region,size,turnover,s,up,low
A,1,50,sensitive,5,5
A,2,40,suppressed,0,0
A,3,60,safe,0,0
B,1,30,suppressed,0,0
B,2,70,suppressed,0,0
B,3,80,safe,0,0
"""
JOB = """version = 1
[data]
source = "cells.csv"
kind = "cells"
[dimensions.region]
[dimensions.size]
[measure]
value = "turnover"
state = "s"
upper = "up"
lower = "low"
"""


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    def made(cells: str = CELLS, text: str = JOB) -> Path:
        (tmp_path / "cells.csv").write_text(cells, encoding="utf-8")
        (tmp_path / "job.toml").write_text(text, encoding="utf-8")
        return tmp_path / "job.toml"

    return made


@pytest.fixture
def out(make: Callable[..., Path], tmp_path: Path) -> Path:
    outcome = Job.load(make()).run()
    assert outcome.exit_code == 0, outcome.message
    return tmp_path / "out"


def test_a_safe_pattern_is_published_with_its_proof(out: Path) -> None:
    text = (out / "public" / "table.csv").read_text(encoding="utf-8")
    assert '"A","A","1","1",,"Q","C"' in text
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["safe"]
    assert manifest["audit"]["safe"]
    assert manifest["certificate"] == "internal/certificate.internal.npz"
    found = verify_folder(out)
    assert found
    assert found.compared == ("table.csv",)
    assert found.proof.claims >= 2


def test_the_public_folder_holds_no_proof(out: Path) -> None:
    assert {p.name for p in (out / "public").iterdir()} == {"table.csv"}


def test_the_same_run_writes_the_same_bytes(
    make: Callable[..., Path], tmp_path: Path
) -> None:
    job = Job.load(make())
    one, other = (job.run(tmp_path / name) for name in ("one", "other"))
    for left, right in zip(one.paths, other.paths, strict=True):
        assert left.read_bytes() == right.read_bytes(), left.name


def test_an_unsafe_pattern_is_not_published(
    make: Callable[..., Path], tmp_path: Path
) -> None:
    outcome = Job.load(make(CELLS.replace("40,suppressed", "40,safe"))).run()
    assert outcome.exit_code == 3
    assert "exact" in outcome.message
    assert "40" not in outcome.message
    out = tmp_path / "out"
    assert not (out / "public" / "table.csv").exists()
    assert (out / "internal" / "report.internal.html").exists()
    with pytest.raises(InputError, match="There is no certificate"):
        verify_folder(out)


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("public/table.csv", b'"B","B","3","3",80', b'"B","B","3","3",81', "other val"),
        (
            "public/table.csv",
            b'"A","A","1","1",',
            b'"A","A","1","1",50',
            "must be with",
        ),
        (
            "public/table.csv",
            b'"B","B","3","3",80,"A","F"\n',
            b"",
            "not hold the cells",
        ),
        ("manifest.json", b'"exit_code": 0', b'"exit_code": 0 ', ""),
    ],
)
def test_changed_files_are_noticed(
    out: Path, file: str, old: bytes, new: bytes, problem: str
) -> None:
    path = out / file
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    found = verify_folder(out)
    if not problem:
        assert found  # the manifest does not vouch for itself
        return
    assert not found
    assert any(problem in text for text in found.problems)
    assert any("was changed after the run" in text for text in found.problems)


def test_every_byte_of_the_internal_files_counts(out: Path) -> None:
    for name in ("certificate.internal.npz", "release.internal.npz"):
        path = out / "internal" / name
        content = path.read_bytes()
        for at in range(60, len(content), max(1, len(content) // 12)):
            changed = bytearray(content)
            changed[at] ^= 0xFF
            path.write_bytes(bytes(changed))
            with suppress(InputError):  # it may not even be readable
                assert not verify_folder(out)
        path.write_bytes(content)
    assert verify_folder(out)


def test_a_file_that_is_gone_is_noticed(out: Path) -> None:
    (out / "internal" / "report.internal.html").unlink()
    assert any("is gone" in text for text in verify_folder(out).problems)


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no manifest\.json"):
        verify_folder(tmp_path)
    with pytest.raises(InputError, match=r"holds no manifest\.json"):
        verify_folder(tmp_path / "nowhere")
    (tmp_path / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="was damaged"):
        verify_folder(tmp_path)


def test_a_stored_release_is_the_same_release(tmp_path: Path) -> None:
    release = withheld(percent(15), "Harps-D", "Pianos-B")
    path = save_release(release, tmp_path / "r.internal.npz")
    again = load_release(path)
    assert again.table.names == release.table.names
    assert np.array_equal(again.table.cells.value, release.table.cells.value)
    assert np.array_equal(again.withheld, release.withheld)
    assert tacit.verify(tacit.certify(release), again)
    with pytest.raises(InputError, match="must hold the word 'internal'"):
        save_release(release, tmp_path / "r.npz")
