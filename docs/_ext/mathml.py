# SPDX-License-Identifier: Apache-2.0
"""Write formulas as MathML: readable in a browser without scripts and without a net."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)


def formula(node: nodes.Element, *, as_block: bool) -> str:
    """Turn LaTeX into MathML; what cannot be turned is a warning, hence an error."""
    try:
        return str(tex2mathml(node.astext(), as_block=as_block))
    except MathError as error:
        logger.warning("formula: %s in %r", error, node.astext(), location=node)
        return f"<code>{html.escape(node.astext())}</code>"


def inline(writer: HTML5Translator, node: nodes.math) -> None:
    """Write a formula in a line of text."""
    writer.body.append(formula(node, as_block=False))
    raise nodes.SkipNode


def block(writer: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula that stands by itself."""
    writer.body.append(f'<div class="math">{formula(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, object]:
    """Tell Sphinx about the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
