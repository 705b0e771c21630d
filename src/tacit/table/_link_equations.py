# SPDX-License-Identifier: Apache-2.0
"""Read equations between names, such as ``total = domestic + export``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.errors import InputError, suggest

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["parse_equation"]

_OPERATORS = "=+-"
_QUOTES = "'\"`"


def parse_equation(text: str, names: Collection[str]) -> dict[str, int]:
    """Return the coefficient of each name: -1 left of the equals sign, +1 right of it.

    Names that hold blanks or signs may stand in quotes.

    >>> parse_equation("total = domestic + export", ["total", "domestic", "export"])
    {'total': -1, 'domestic': 1, 'export': 1}
    >>> parse_equation("net = gross - tax", ["net", "gross", "tax"])
    {'net': -1, 'gross': 1, 'tax': -1}
    """
    if not isinstance(text, str):
        message = f"An equation is text such as 'total = a + b', not {text!r}."
        raise InputError(message)
    found: dict[str, int] = {}
    side, sign, expects_name, at_start = -1, 1, True, True
    for word, is_name in _words(text, names):
        unary = at_start and word == "-" and not is_name
        if is_name != expects_name and not unary:
            raise InputError(_unreadable(text, f"at '{word}'"))
        at_start = False
        if is_name:
            if word in found:
                raise InputError(_unreadable(text, f"'{word}' stands in it twice"))
            found[word] = side * sign
        elif word == "=":
            if side == 1:
                raise InputError(_unreadable(text, "it has two equals signs"))
            side, sign, at_start = 1, 1, True
        else:
            sign = 1 if word == "+" else -1
        expects_name = not is_name
    if side < 0 or expects_name:
        raise InputError(_unreadable(text, "it ends too early"))
    return found


def _words(text: str, names: Collection[str]) -> list[tuple[str, bool]]:
    longest_first = sorted(names, key=len, reverse=True)
    words: list[tuple[str, bool]] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char.isspace():
            at += 1
        elif char in _OPERATORS:
            words.append((char, False))
            at += 1
        else:
            name, at = _name_at(text, at, longest_first)
            if name not in names:
                message = f"Equation '{text}': no '{name}' here. {suggest(name, names)}"
                raise InputError(message)
            words.append((name, True))
    return words


def _name_at(text: str, at: int, names: list[str]) -> tuple[str, int]:
    if text[at] in _QUOTES and text.find(text[at], at + 1) > 0:
        end = text.find(text[at], at + 1)
        return text[at + 1 : end], end + 1
    for name in names:
        end = at + len(name)
        if text.startswith(name, at) and (
            end == len(text) or text[end].isspace() or text[end] in _OPERATORS
        ):
            return name, end
    ends = [i for i in (text.find(sign, at) for sign in _OPERATORS) if i >= 0]
    end = min(ends, default=len(text))
    return text[at:end].strip(), end


def _unreadable(text: str, why: str) -> str:
    return (
        f"Equation '{text}' cannot be read: {why}. Write names with + and - and one "
        "equals sign, such as 'total = domestic + export'; put quotes around a name "
        "that holds blanks or signs."
    )
