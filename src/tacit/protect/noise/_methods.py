# SPDX-License-Identifier: Apache-2.0
"""The methods of ``perturb``: a module each, opened when it is first asked for."""

from tacit.protect._perturbing import Family

__all__ = ["FAMILY"]

# A new method is one module, with ``Options`` and ``change``, and one line here.
FAMILY = Family(
    "perturb",
    {
        "cell_key": "tacit.protect.noise._cell_key",
        "ezs": "tacit.protect.noise._ezs",
        "gaussian": "tacit.protect.noise._gaussian",
        "laplace": "tacit.protect.noise._laplace",
        "multiplicative": "tacit.protect.noise._multiplicative",
    },
)
