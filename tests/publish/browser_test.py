# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: folding, filters, keys, colours, and no request."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tacit
from tacit.protect import Release
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
REGIONS = tacit.Hierarchy.from_parents(
    {"A1": "A", "A2": "A", "A": "T", "B1": "B", "B": "T"}, labels={"A1": "Alpha one"}
)
SIZES = tacit.Hierarchy.from_parents({"s1": "s", "s2": "s", "s": "S", "l": "S"})


@dataclass(frozen=True)
class Verdict:
    safe: bool = True


def release_of(regions: tacit.Hierarchy, sizes: tacit.Hierarchy) -> Release:
    rows = [regions.codes[k] for k in regions.leaves]
    columns = [sizes.codes[k] for k in sizes.leaves]
    count = len(rows) * len(columns)
    cells = {
        "region": np.repeat(rows, len(columns)),
        "size": np.tile(columns, len(rows)),
        "x": np.arange(count) * 1000 + 1234,
        "n": 2 + np.arange(count) % 7,
    }
    by = {"region": regions, "size": sizes}
    table = tacit.Table.from_cells(cells, by=by, value="x", count="n")
    assessment = tacit.assess(table, tacit.MinFrequency(n=3))
    state = assessment.state.copy()
    state[table.index(region=rows[0], size=columns[1])] = State.SUPPRESSED
    return Release(assessment, state, "test", table.cells.value, audit=Verdict())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser of this machine; nothing is downloaded for it."""
    sync_api = pytest.importorskip("playwright.sync_api")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no chromium on this machine, so pages are not tried in a browser")
    flags = ["--headless", "--no-sandbox", "--disable-gpu"]
    with sync_api.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=found, args=flags)
        yield opened
        opened.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a release's report, and keep a list of what the page asks for."""
    contexts = []

    def opened(release: Release, *, internal: bool = True, **options: Any) -> Any:
        door = release.internal if internal else release
        path = door.write(tmp_path / f"report{'.internal' if internal else ''}.html")
        size = {"width": 1200, "height": 900}
        context = browser.new_context(viewport=size, **options)
        contexts.append(context)
        page = context.new_page()
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: pytest.fail(f"the script failed: {error}"))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


def rows_of(page: Any) -> list[str]:
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('#cells tbody tr:not(.gap)')]"
        ".filter(r => r.getClientRects().length)"
        ".map(r => r.querySelector('th').dataset.name)"
    )
    return found


def columns_of(page: Any) -> list[str]:
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('#cells thead th[data-k]')]"
        ".filter(h => h.getClientRects().length).map(h => h.dataset.name)"
    )
    return found


def small() -> Release:
    return release_of(REGIONS, SIZES)


def test_rows_fold_and_unfold(show: Callable[..., Any]) -> None:
    page = show(small())
    every = ["T", "A", "Alpha one A1", "A2", "B", "B1"]
    assert rows_of(page) == every
    fold = page.get_by_role("button", name="Parts of A", exact=True)
    fold.click()
    assert fold.get_attribute("aria-expanded") == "false"
    assert rows_of(page) == ["T", "A", "B", "B1"]
    page.get_by_role("button", name="Parts of T", exact=True).click()
    assert rows_of(page) == ["T"]
    page.get_by_role("button", name="Parts of T", exact=True).click()
    fold.click()
    assert rows_of(page) == every


def test_columns_fold_and_stay_under_their_heads(show: Callable[..., Any]) -> None:
    page = show(small())
    assert columns_of(page) == ["S", "s", "s1", "s2", "l"]
    page.get_by_role("button", name="Parts of s", exact=True).click()
    assert columns_of(page) == ["S", "s", "l"]
    edges = page.evaluate(
        "(() => { const right = e => Math.round(e.getBoundingClientRect().right);"
        "const row = document.querySelector('#cells tbody tr:not(.gap)');"
        "return [right(document.querySelector('#cells thead th:last-child')),"
        "right(row.lastElementChild)]; })()"
    )
    assert edges[0] == edges[1]


def test_levels_can_be_chosen(show: Callable[..., Any]) -> None:
    page = show(small())
    page.get_by_label("region down to").select_option("1")
    assert rows_of(page) == ["T", "A", "B"]
    page.get_by_label("region down to").select_option("2")
    assert len(rows_of(page)) == 6


def test_cells_are_filtered_by_state(show: Callable[..., Any]) -> None:
    page = show(small())
    page.get_by_label("withheld to guard others 1").check()
    assert rows_of(page) == ["Alpha one A1"]
    other = page.locator("#cells td.s").first
    faint = other.evaluate("e => getComputedStyle(e).opacity")
    assert float(faint) < 0.5
    page.get_by_label("all 30").check()
    assert len(rows_of(page)) == 6


def test_codes_and_labels_are_found(show: Callable[..., Any]) -> None:
    page = show(small())
    page.get_by_label("Find").fill("alpha")
    assert rows_of(page) == ["Alpha one A1"]


def test_the_table_is_walked_by_keys(show: Callable[..., Any]) -> None:
    page = show(small())
    page.get_by_label("Find").focus()
    page.keyboard.press("Tab")
    for _ in range(3):
        if page.evaluate("document.activeElement.tagName") == "TD":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    told = page.locator("#told").inner_text()
    assert told.startswith("region Alpha one A1, s1: 1,234, sensitive: min_frequency")
    page.keyboard.press("ArrowUp")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert rows_of(page) == ["T", "A", "B", "B1"]


def test_no_request_leaves_the_file(show: Callable[..., Any]) -> None:
    for internal in (True, False):
        page = show(small(), internal=internal)
        page.wait_for_timeout(200)
        assert len(page.asked) == 1
        assert page.asked[0].startswith("file:")


def test_the_policy_of_the_page_forbids_requests(show: Callable[..., Any]) -> None:
    page = show(small())
    refused = page.evaluate("fetch('http://localhost:9').then(() => 0, () => 1)")
    assert refused == 1
    assert len(page.asked) == 1


LIGHTNESS = """(pair) => {
  const parts = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = (rgb) => { const [r, g, b] = rgb.map((v) => {
    const s = v / 255;
    return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const style = getComputedStyle(document.querySelector(pair));
  const both = [light(parts(style.color)), light(parts(style.backgroundColor))];
  return [(Math.max(...both) + 0.05) / (Math.min(...both) + 0.05), both[1]];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_in_light_and_in_dark(
    show: Callable[..., Any], scheme: str, tmp_path: Path
) -> None:
    page = show(small(), color_scheme=scheme)
    cell = "#cells tr:not(.gap) td"
    for place in ("body", cell, "#cells td.s", "#cells td.g", ".confidential"):
        contrast, _ = page.evaluate(LIGHTNESS, place)
        assert contrast >= 4.5, place
    _, paper = page.evaluate(LIGHTNESS, "body")
    assert (paper > 0.5) == (scheme == "light")
    picture = page.screenshot(path=tmp_path / f"{scheme}.png")
    assert len(picture) > 20_000


def test_it_needs_no_script_to_be_read(show: Callable[..., Any]) -> None:
    page = show(small(), java_script_enabled=False)
    assert page.locator("#cells tbody tr").count() == 6
    assert page.locator("#cells tbody tr >> visible=true").count() == 6
    assert not page.locator(".tools").is_visible()


def test_on_paper_there_are_no_tools(show: Callable[..., Any]) -> None:
    page = show(small())
    page.emulate_media(media="print")
    assert not page.locator(".tools").is_visible()
    assert page.locator("#cells td.s").first.is_visible()
    assert page.pdf()[:4] == b"%PDF"


def test_a_wide_table_is_printed_smaller(show: Callable[..., Any]) -> None:
    many = tacit.Hierarchy.flat([f"c{k:02d}" for k in range(30)], total="C")
    page = show(release_of(REGIONS, many))
    assert (
        page.locator("#cells").evaluate("e => e.style.getPropertyValue('--fit')") == ""
    )
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    fit = page.locator("#cells").evaluate("e => e.style.getPropertyValue('--fit')")
    assert 0.4 <= float(fit) < 1


def test_a_long_table_is_laid_out_where_it_is_seen(show: Callable[..., Any]) -> None:
    many = tacit.Hierarchy.from_parents(
        {f"R{i:02d}{k:02d}": f"R{i:02d}" for i in range(40) for k in range(20)}
        | {f"R{i:02d}": "T" for i in range(40)}
    )
    page = show(release_of(many, SIZES))
    # Folded at first; opened, it is only laid out around the view.
    assert len(rows_of(page)) == 41
    page.get_by_label("region down to").select_option("2")
    assert 0 < len(rows_of(page)) < 400
    page.locator(".sheet").evaluate("e => { e.scrollTop = e.scrollHeight }")
    page.wait_for_timeout(200)
    assert rows_of(page)[-1] == "R3919"
    whole = page.evaluate(
        "(() => { dispatchEvent(new Event('beforeprint'));"
        "return [...document.querySelectorAll('#cells tbody tr:not(.gap)')]"
        ".filter(r => !r.hidden).length; })()"
    )
    assert whole == 841


def test_the_public_edition_works_the_same(show: Callable[..., Any]) -> None:
    page = show(small(), internal=False)
    page.get_by_role("button", name="Parts of A", exact=True).click()
    assert rows_of(page) == ["T", "A", "B", "B1"]
    page.get_by_label("not published").check()
    assert "B1" in rows_of(page)
    assert "sensitive" not in page.locator("body").inner_text()
