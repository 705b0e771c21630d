# SPDX-License-Identifier: Apache-2.0
"""Nothing confidential leaves by any door but the internal one.

Unmistakable values and names are planted as sensitive contributions, jobs are run over
them in every way, and all that comes out is searched for them in every spelling.
"""

from __future__ import annotations

import logging
import warnings
import zipfile
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tacit.cli import main
from tacit.errors import TacitError
from tacit.job import Job
from tacit.protect import Release, release_as_is
from tacit.publish._view import internal_view, public_view
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

VALUE = 91_827_364_537  # in cents
SMALL = 77_665_544_331
NAMES = ("SECRETFIRM", "HIDDENGROUP")
PERCENT = 13.579  # the parameter of the rule
LEVEL = VALUE * PERCENT / 100  # of the cell with a single contributor

FIRMS = f"""firm,group,region,size,turnover,size_of_firm
{NAMES[0]},{NAMES[1]},A,1,{VALUE // 100}.{VALUE % 100:02d},3
f1,f1,A,1,0.00,3
{NAMES[0]},{NAMES[1]},A,2,{SMALL // 100}.{SMALL % 100:02d},3
f2,f2,A,2,1000000000.00,3
f3,f3,A,2,1100000000.00,3
f4,f4,B,1,1200000000.00,3
f5,f5,B,1,1300000000.00,3
f6,f6,B,1,1400000000.00,3
f7,f7,B,2,1500000000.00,3
f8,f8,B,2,1600000000.00,3
f9,f9,B,2,1700000000.00,3
"""

JOB = f"""\
version = 1
[data]
source = "firms.csv"
[dimensions.region]
[dimensions.size]
[measure]
value = "turnover"
decimals = 2
unit = "firm"
holding = "group"
[[rule]]
kind = "p_percent"
p = {PERCENT}
[[rule]]
kind = "min_frequency"
n = 2
[output]
public = ["csv", "html", "xlsx"]
internal = ["csv", "html", "xlsx"]
"""


@dataclass(frozen=True)
class Verdict:
    safe: bool


def spellings_of(cents: int) -> Iterator[str]:
    whole, rest = divmod(cents, 100)
    yield str(cents)
    yield str(whole)
    yield f"{cents / 100:e}"[:8]
    for mark in (",", ".", " ", "'", "_", "\N{NO-BREAK SPACE}"):
        yield f"{whole:,}".replace(",", mark)
    yield f"{whole}.{rest}"
    yield f"{whole},{rest}"


def needles() -> list[bytes]:
    words = [*NAMES, str(PERCENT)]
    for cents in (VALUE, SMALL, round(LEVEL)):
        words += spellings_of(cents)
    found = [
        word.encode(encoding) for word in words for encoding in ("utf-8", "utf-16")
    ]
    for cents in (VALUE, SMALL):
        found += [np.int64(cents).tobytes(), np.float64(cents / 100).tobytes()]
        found += [np.float64(cents).tobytes()]
    return found


NEEDLES = needles()


def leaks_in(content: bytes | str) -> list[bytes]:
    raw = content.encode() if isinstance(content, str) else content
    return [needle for needle in NEEDLES if needle in raw]


def leaks_in_file(path: Path) -> list[bytes]:
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            content = b"\n".join(book.read(name) for name in book.namelist())
    else:
        content = path.read_bytes()
    return leaks_in(content) + leaks_in(path.name)


def leaks_in_frame(frame: Any) -> list[bytes]:
    """Search the memory behind an arrow table, whatever its masks say."""
    buffers = [
        buffer.to_pybytes()
        for column in frame.itercolumns()
        for chunk in column.chunks
        for buffer in chunk.buffers()
        if buffer is not None
    ]
    return leaks_in(b"\n".join(buffers)) + leaks_in(str(frame))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "firms.csv").write_text(FIRMS, encoding="utf-8")
    (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
    return tmp_path


@pytest.fixture
def release(folder: Path) -> Release:
    """The planted cells suppressed, with a cross that protects them, and cleared."""
    assessment = Job.load(folder / "job.toml").assess()
    table = assessment.table
    state = assessment.state.copy()
    state[state == State.SENSITIVE] = State.SENSITIVE
    for region in ("A", "B"):
        for size in ("1", "2"):
            cell = table.index(region=region, size=size)
            if state[cell] != State.SENSITIVE:
                state[cell] = State.SUPPRESSED
    values, audit = table.cells.value, Verdict(safe=True)
    return Release(assessment, state, "test", values, audit=audit)


def test_the_search_finds_what_is_planted(folder: Path) -> None:
    assert Job.load(folder / "job.toml").run(folder / "out").exit_code == 3
    for path in (folder / "out" / "internal").iterdir():
        assert leaks_in_file(path), path.name
    assert leaks_in_file(folder / "firms.csv")
    assert leaks_in(np.array([0, VALUE]).tobytes())
    assert leaks_in("about 918,273,645 euro")
    assert not leaks_in("about 918,273,646 euro")


def test_a_run_shows_and_publishes_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    out = folder / "out"
    assert main(["-vv", "run", str(folder / "job.toml"), "--out", str(out)]) == 3
    captured = capsys.readouterr()
    assert "INFO tacit" in captured.err
    assert leaks_in(captured.out) == []
    assert leaks_in(captured.err) == []
    assert leaks_in(caplog.text) == []
    assert list((out / "public").iterdir()) == []
    assert leaks_in_file(out / "summary.json") == []
    # The manifest is internal, for the parameters of the rules; it holds no data.
    found = leaks_in_file(out / "manifest.json")
    assert set(found) <= {str(PERCENT).encode()}


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_assessment_counts_and_shows_no_value(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    assert main(["-vv", "assess", str(folder / "job.toml"), *options]) == 0
    captured = capsys.readouterr()
    assert "p_percent" in captured.out
    assert leaks_in(captured.out + captured.err) == []


@pytest.mark.parametrize("ending", ["csv", "html", "xlsx"])
def test_public_files_hold_nothing(release: Release, folder: Path, ending: str) -> None:
    assert leaks_in_file(release.write(folder / f"public.{ending}")) == []
    assert leaks_in_file(release.internal.write(folder / f"internal.{ending}"))


def test_public_frames_hold_nothing_even_in_memory(release: Release) -> None:
    for frame in (
        release.cells,
        release.assessment.cells,
        release.table.frame(),
    ):
        assert leaks_in_frame(frame) == []
    assert leaks_in_frame(release.internal.cells)


def test_nothing_says_more_than_it_should_of_itself(release: Release) -> None:
    assessment = release.assessment
    table = assessment.table
    nouns = [
        release,
        release.internal,
        assessment,
        assessment.internal,
        assessment.rule,
        assessment.summary(),
        table,
        table.cells,
        table.evidence,
        table.contributions,
        table.dimensions,
        table.relations,
        public_view(release),
        internal_view(release),
        internal_view(release).secrets,
        release.provenance,
    ]
    for noun in nouns:
        assert leaks_in(f"{noun!r} {noun}") == [], type(noun).__name__
        if hasattr(noun, "_repr_html_"):
            assert leaks_in(noun._repr_html_()) == [], type(noun).__name__


def test_refusals_hold_nothing(release: Release, folder: Path) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: release_as_is(release.assessment),
        lambda: replace(release, audit=None).write(folder / "t.csv"),
        lambda: replace(release, audit=Verdict(safe=False)).write(folder / "t.csv"),
        lambda: replace(release, state=np.zeros_like(release.state)).write("t.csv"),
        lambda: release.internal.write(folder / "t.csv"),
    ]
    for attempt in attempts:
        with pytest.raises(TacitError) as caught:
            attempt()
        assert leaks_in(f"{caught.value} {caught.value!r}") == []


SECRET = f"{VALUE // 100}.{VALUE % 100:02d}"


@pytest.mark.parametrize(
    ("where", "old", "new"),
    [
        ("job", "decimals = 2", "decimals = 0"),
        ("job", 'unit = "firm"', 'unit = "frim"'),
        ("job", 'value = "turnover"', 'value = "firm"'),
        ("job", 'value = "turnover"', 'value = "group"'),
        ("job", 'unit = "firm"', 'unit = "firm"\nweight = "firm"'),
        ("job", 'unit = "firm"', 'unit = "firm"\nwaiver = "firm"'),
        ("job", 'unit = "firm"', 'unit = "firm"\nrequest = "turnover"'),
        ("job", 'unit = "firm"', 'unit = "firm"\nsize = "group"'),
        ("job", f"p = {PERCENT}", f"p = {VALUE}"),
        ("job", f"p = {PERCENT}", f'p = "{PERCENT}"'),
        ("job", f"p = {PERCENT}", f"pp = {PERCENT}"),
        ("data", SECRET, f"-{SECRET}"),
        ("data", SECRET, f"{SECRET}9"),
        ("data", SECRET, f"{SECRET}x"),
        ("data", SECRET, SECRET.replace(".", ",")),
        ("data", SECRET, f"{SECRET.replace('.', '')}00000000000000"),
        ("data", f"{NAMES[0]},{NAMES[1]},A,1", f"{NAMES[0]},{NAMES[1]},,1"),
        ("data", f"{NAMES[0]},{NAMES[1]},A,2", f"{NAMES[0]},f1,A,2"),
        ("data", f"{NAMES[0]},{NAMES[1]},A,2", f",{NAMES[1]},A,2"),
        ("data", f"{NAMES[0]},{NAMES[1]},A,2", f"{NAMES[0]},,A,2"),
        ("data", f"{NAMES[0]},{NAMES[1]},A,2", f'"{NAMES[0]},{NAMES[1]},A,2'),
        ("data", "1,0.00,3", f"1,0.00,3,{SECRET}"),
    ],
)
def test_errors_about_the_data_hold_none_of_them(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    where: str,
    old: str,
    new: str,
) -> None:
    path = folder / {"job": "job.toml", "data": "firms.csv"}[where]
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        assert main(["-vv", "assess", str(folder / "job.toml")]) == 1
    captured = capsys.readouterr()
    assert captured.err.strip()
    assert "this should not have happened" not in captured.err
    said = captured.out + captured.err + "".join(str(w.message) for w in given)
    assert leaks_in(said) == []
