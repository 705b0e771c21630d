# SPDX-License-Identifier: Apache-2.0
"""The methods of ``round``: a module each, opened when it is first asked for."""

from tacit.protect._perturbing import Family

__all__ = ["FAMILY"]

# A new method is one module, with ``Options`` and ``change``, and one line here.
FAMILY = Family(
    "round",
    {
        "controlled": "tacit.protect.round._controlled",
        "conventional": "tacit.protect.round._conventional",
        "random": "tacit.protect.round._random",
        "small_counts": "tacit.protect.round._small_counts",
    },
)
