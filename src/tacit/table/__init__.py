# SPDX-License-Identifier: Apache-2.0
"""Tables as cells and relations."""

from tacit.table._cells import Cells, Contributions, Evidence, Levels, State
from tacit.table._contributions import (
    Ragged,
    combine_contributions,
    contributions_of,
)
from tacit.table._dimension import Dimension
from tacit.table._link import link
from tacit.table._owners import sole_owners
from tacit.table._possible import hold_possible
from tacit.table._relations import Equations, Relations
from tacit.table._table import Table

__all__ = [
    "Cells",
    "Contributions",
    "Dimension",
    "Equations",
    "Evidence",
    "Levels",
    "Ragged",
    "Relations",
    "State",
    "Table",
    "combine_contributions",
    "contributions_of",
    "hold_possible",
    "link",
    "sole_owners",
]
