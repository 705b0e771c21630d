# SPDX-License-Identifier: Apache-2.0
"""The pages tell the truth: what they show is run, and gives what they show.

Per page, in order, in a folder of its own:

* a block with ``:caption: NAME`` is written to the file NAME;
* a Python block with ``>>>`` is a doctest, its names live until the end of the page;
* a console block runs every line that starts with ``$ tacit`` or ``$ python``, and what
  follows must be what is printed (``...`` stands for anything, blanks do not count);
* ``<!-- not run: reason -->`` on the line before a block leaves it out.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

HOME = Path(__file__).resolve().parents[1]
FOLDERS = (HOME / "docs", HOME / "examples")
PAGES = sorted(
    path
    for path in [*HOME.glob("*.md"), *(p for f in FOLDERS for p in f.rglob("*.md"))]
    if "_build" not in path.parts
)
FENCE = re.compile(r"^(?P<mark>`{3,})(?P<info>.*)$")
LEFT_OUT = re.compile(r"^<!-- not run: .+ -->$")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    caption: str
    text: str
    line: int


def blocks_of(text: str) -> list[Block]:
    found: list[Block] = []
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        opened = FENCE.match(lines[number])
        if not opened:
            number += 1
            continue
        end = number + 1
        while end < len(lines) and lines[end] != opened["mark"]:
            end += 1
        before = lines[number - 1] if number else ""
        if not LEFT_OUT.match(before):
            found.append(block_of(opened["info"], lines[number + 1 : end], number + 1))
        number = end + 1
    return found


def block_of(info: str, body: list[str], line: int) -> Block:
    language = info.replace("{code-block}", "").strip()
    caption = ""
    while body and (option := re.match(r"^:(\w+): *(.*)$", body[0])):
        if option[1] == "caption":
            caption = option[2].strip("`")
        body, line = body[1:], line + 1
    while body and info.startswith("{") and not body[0]:
        body, line = body[1:], line + 1
    return Block(language, caption, "\n".join(body) + "\n", line)


def run_python(block: Block, page: str, names: dict[str, object]) -> list[str]:
    parser = doctest.DocTestParser()
    test = parser.get_doctest(block.text, names, page, page, block.line)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    return report if runner.failures else []


def printed_by(command: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(  # noqa: S602 - the commands are our own pages'
        command,
        shell=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "COLUMNS": "88", "NO_COLOR": "1", "PATH": path},
        check=False,
    )
    return done.stdout.strip() + "\n"


def run_console(block: Block, page: str) -> list[str]:
    wrong = []
    for command, expected in re.findall(
        r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE
    ):
        if not command.startswith(("tacit", "python")):
            continue
        got = printed_by(command)
        shown = expected.strip() + "\n"
        if not doctest.OutputChecker().check_output(shown, got, FLAGS):
            where = f"{page}:{block.line}"
            wrong.append(f"{where}: $ {command}\nExpected:\n{shown}\nGot:\n{got}")
    return wrong


@pytest.mark.parametrize(
    "page", PAGES, ids=[path.relative_to(HOME).as_posix() for path in PAGES]
)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(HOME).as_posix()
    monkeypatch.chdir(tmp_path)
    if "examples/" in text:
        outputs = shutil.ignore_patterns("out", "__pycache__")
        shutil.copytree(HOME / "examples", tmp_path / "examples", ignore=outputs)
    wrong: list[str] = []
    names: dict[str, object] = {}
    for block in blocks_of(text):
        if block.caption:
            target = tmp_path / block.caption
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        if block.language in {"python", "pycon"}:
            if ">>>" in block.text and not block.caption:
                wrong += run_python(block, name, names)
            else:
                compile(block.text, f"{name}:{block.line}", "exec")
        elif block.language == "console":
            wrong += run_console(block, name)
    assert not wrong, "\n".join(wrong)


def test_a_wrong_page_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = "```python\n>>> 1 + 1\n3\n```\n```console\n$ python -c 'print(1)'\n2\n```\n"
    first, second = blocks_of(page)
    assert run_python(first, "page", {})
    assert run_console(second, "page")


def test_every_page_of_the_docs_is_reached() -> None:
    entry = re.compile(r"^([\w./-]+)$", re.MULTILINE)
    reached = {
        (index.parent / name).with_suffix(".md").resolve()
        for index in (HOME / "docs").rglob("index.md")
        for name in entry.findall(index.read_text(encoding="utf-8"))
    }
    pages = set((HOME / "docs").rglob("*.md")) - {HOME / "docs" / "index.md"}
    assert pages <= reached


def test_links_between_pages_lead_somewhere() -> None:
    link = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
    lost = [
        f"{page.relative_to(HOME)}: {target}"
        for page in PAGES
        for target in link.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not lost
