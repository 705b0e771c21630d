# SPDX-License-Identifier: Apache-2.0
"""How the pages are built. Nothing here needs the net: a closed network builds them."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING

import tacit

if TYPE_CHECKING:
    from docutils import nodes
    from docutils.nodes import TextElement
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "tacit"
author = "the tacit maintainers"
copyright = "the tacit maintainers"
version = release = installed_version("tacit")

extensions = [
    "mathml",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = "tacit"
html_static_path = ["_static"]
html_css_files = ["tacit.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_copyright = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {
    "members": True,
    "show-inheritance": False,
    "exclude-members": "model_config, model_post_init",
}
autodoc_class_signature = "mixed"
napoleon_google_docstring = True

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Every reference of ours must lead somewhere; those of other packages may not, because
# their inventories would have to be fetched.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!tacit\.)" + r".*"),
    ("py:.*", r"tacit\.(\w+\.)*_\w+\..*"),
]


def resolve_short_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: TextElement
) -> nodes.reference | None:
    """Lead ``tacit.Name`` to the room that holds it."""
    prefix, _, name = str(node.get("reftarget")).partition("tacit.")
    room = tacit._ROOMS.get(name)  # noqa: SLF001 - the list of public names is there
    if prefix or room is None:
        return None
    kind = node["reftype"]
    domain = env.get_domain("py")
    return domain.resolve_xref(
        env, node["refdoc"], app.builder, kind, f"{room}.{name}", node, contnode
    )


def setup(app: Sphinx) -> None:
    """Hook the resolver in."""
    app.connect("missing-reference", resolve_short_name)
