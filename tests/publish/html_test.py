# SPDX-License-Identifier: Apache-2.0
"""Pages: whole by themselves, and the public one without a word too many."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import numpy as np

import tacit
from tacit.protect import release_as_is
from tacit.publish import Layout

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.protect import Release

LONE = {"meta", "input", "col", "rect", "path", "circle"}


class Balance(HTMLParser):
    """Check that what is opened is closed, and collect what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.asked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.asked += [f"{k}={v}" for k, v in attrs if k in {"src", "srcset", "action"}]
        self.asked += [v for k, v in attrs if k == "href" and v and v[0] != "#"]
        if tag not in LONE:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in LONE:
            assert self.open.pop() == tag


def page_of(path: Path) -> str:
    page = path.read_text(encoding="utf-8")
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    assert balance.asked == []
    assert not {"link", "img", "iframe", "video"} & balance.seen
    assert "default-src 'none'" in page
    return page


def test_a_page_that_needs_nothing_else(suppressed: Release, tmp_path: Path) -> None:
    layout = Layout(title="Turnover & more", symbol="x")
    page = page_of(suppressed.write(tmp_path / "t.html", layout=layout))
    assert "<title>Turnover &amp; more</title>" in page
    assert page.count('<td class="w">x</td>') == 4
    assert "9,182,749.20" in page
    assert "B &quot;best&quot;, &lt;b&gt;" in page
    assert not re.search(r"https?:", page)


def test_the_public_page_shows_one_kind_of_suppression(
    suppressed: Release, tmp_path: Path
) -> None:
    page = page_of(suppressed.write(tmp_path / "t.html"))
    body = page[page.index("<body>") :]
    for word in ("sensitive", "secondary", "guard others", "min_frequency", "rule"):
        assert word not in body, word
    assert "How single contributors are protected" in body


def test_the_internal_page_says_so(suppressed: Release, tmp_path: Path) -> None:
    page = page_of(suppressed.internal.write(tmp_path / "internal.html"))
    assert "Confidential" in page
    assert "9,182,736.45" in page
    assert 'class="s" title="sensitive: min_frequency' in page
    assert "fewer than n contributors (n = 2)" in page
    assert "withheld to guard others" in page


def test_a_page_of_a_large_table_says_what_it_leaves_out(tmp_path: Path) -> None:
    codes = [f"{n:03d}" for n in range(400)]
    rows = {
        "a": [a for a in codes for _ in codes],
        "b": codes * len(codes),
        "n": [1] * len(codes) ** 2,
    }
    table = tacit.Table.from_cells(rows, by={"a": "T", "b": "T"}, value="n")
    page = page_of(release_as_is(tacit.assess(table)).write(tmp_path / "t.html"))
    assert "The first 249 of 401 rows. The csv file holds the whole table." in page
    assert len(re.findall(r'<tr(?: class="t")? data-k=', page)) == 249


def test_negative_numbers_keep_their_sign(safe: Release, tmp_path: Path) -> None:
    assert "<td>-3.00</td>" in page_of(safe.write(tmp_path / "t.html"))


def test_changed_numbers_show_beside_the_true_ones(tmp_path: Path) -> None:
    table = tacit.Table.from_cells(
        {"sex": ["f", "m"], "n": [12, 31]}, by={"sex": "T"}, value="n"
    )
    assessment = tacit.assess(table)
    printed = np.array([45, 15, 30])
    release = tacit.Release(
        assessment, assessment.state, "test", printed, perturbed=True
    )
    page = page_of(release.internal.write(tmp_path / "internal.html"))
    assert '<td class="c" title="true value 12">15</td>' in page
    assert "Not safe to publish." in page


def test_the_same_release_gives_the_same_bytes(
    suppressed: Release, tmp_path: Path
) -> None:
    one = suppressed.internal.write(tmp_path / "one.internal.html").read_bytes()
    assert one == suppressed.internal.write(tmp_path / "2.internal.html").read_bytes()


def test_a_comparison_is_told_in_the_report(
    suppressed: Release, tmp_path: Path
) -> None:
    found = tacit.compare(suppressed.assessment, {"one <way>": suppressed})
    path = tmp_path / "report.internal.html"
    page = page_of(suppressed.internal.write(path, comparison=found))
    assert page.count('<svg xmlns="') == 1
    assert "one &lt;way&gt;" in page
    assert "'one &lt;way&gt;' is safe by its audit" in page.replace("&#x27;", "'")


def test_nothing_in_the_data_can_end_a_script(tmp_path: Path) -> None:
    cells = {"a": ["</script><b>", "y"], "n": [1, 2]}
    table = tacit.Table.from_cells(cells, by={"a": "T"}, value="n")
    page = page_of(release_as_is(tacit.assess(table)).write(tmp_path / "t.html"))
    assert page.count("</script>") == 2
