# SPDX-License-Identifier: Apache-2.0
"""The frame of every page of HTML: one file that asks nobody for anything."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

import tacit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["figures", "listing", "page", "section"]

# A browser that obeys this sends no request, whatever stands in the page.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


@cache
def _asset(name: str) -> str:
    return (files("tacit.publish") / "assets" / name).read_text(encoding="utf-8")


def page(
    title: str, body: Iterable[str], *, over: str = "", script: bool = False
) -> Iterator[str]:
    """Put a body into a page with its style, and with the script if it needs one."""
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield f"<title>{escape(title)}</title>\n<style>{_asset('page.css')}</style>"
    yield "</head>\n<body>"
    if over:
        yield f'<p class="over">{escape(over)}</p>'
    yield f"<h1>{escape(title)}</h1>"
    yield from body
    yield f"<footer>Made by tacit {escape(tacit.__version__)}.</footer>"
    if script:
        yield f"<script>\n{_asset('page.js')}</script>"
    yield "</body>\n</html>"


def section(name: str, head: str, body: Iterable[str]) -> Iterator[str]:
    """Give a part of a page a heading that can be linked to."""
    yield f'<section id="{name}" aria-labelledby="{name}-head">'
    yield f'<h2 id="{name}-head">{escape(head)}</h2>'
    yield from body
    yield "</section>"


def figures(pairs: Iterable[tuple[str, str, str]]) -> str:
    """Show a few numbers large: what they are, the number, and what it is out of."""
    parts = (
        f"<div><dt>{escape(what)}</dt><dd>{escape(number)}"
        f"{f' <small>{escape(more)}</small>' if more else ''}</dd></div>"
        for what, number, more in pairs
    )
    return f'<dl class="figures">{"".join(parts)}</dl>'


def listing(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = ()
) -> Iterator[str]:
    """Show a table of words and numbers; ``numbers`` are the columns set to the right.

    >>> "".join(listing(["a"], [["<1"]], numbers=[0])).count("&lt;1")
    1
    """

    def kind(k: int) -> str:
        return ' class="n"' if k in numbers else ""

    named = "".join(
        f'<th scope="col"{kind(k)}>{escape(head)}</th>' for k, head in enumerate(heads)
    )
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Table">'
    head = f"<thead><tr>{named}</tr></thead>" if any(heads) else ""
    yield f'<table class="list">{head}<tbody>'
    for row in rows:
        cells = "".join(
            f"<td{kind(k)}>{escape(text)}</td>" for k, text in enumerate(row)
        )
        yield f"<tr>{cells}</tr>"
    yield "</tbody></table></div>"
