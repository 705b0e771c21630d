# SPDX-License-Identifier: Apache-2.0
"""Add noise to the numbers of a table."""

from tacit.protect.noise._cell_key import CellKey, Flex
from tacit.protect.noise._ezs import Ezs
from tacit.protect.noise._gaussian import Gaussian
from tacit.protect.noise._laplace import Laplace
from tacit.protect.noise._multiplicative import Multiplicative
from tacit.protect.noise._ptable import Design, PTable
from tacit.protect.noise._ratio import ratios
from tacit.protect.noise._verb import perturb

__all__ = [
    "CellKey",
    "Design",
    "Ezs",
    "Flex",
    "Gaussian",
    "Laplace",
    "Multiplicative",
    "PTable",
    "perturb",
    "ratios",
]
