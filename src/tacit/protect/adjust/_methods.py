# SPDX-License-Identifier: Apache-2.0
"""The methods of ``adjust``: a module each, opened when it is first asked for."""

from tacit.protect._perturbing import Family

__all__ = ["FAMILY"]

# A new method is one module, with ``Options`` and ``change``, and one line here.
FAMILY = Family(
    "adjust",
    {
        "cta": "tacit.protect.adjust._cta",
        "m3a": "tacit.protect.adjust._m3a",
    },
)
