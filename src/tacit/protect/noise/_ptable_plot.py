# SPDX-License-Identifier: Apache-2.0
"""The noise of each row of a table of transition probabilities, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import MissingExtraError

if TYPE_CHECKING:
    from tacit.protect.noise._ptable import PTable

__all__ = ["drawn"]

_ACROSS = 3


def drawn(table: PTable) -> Any:  # noqa: ANN401 - a figure of matplotlib
    """Draw a panel for each row but that of 0."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        error = MissingExtraError.for_extra("matplotlib", "plots")
        raise error from None
    rows = len(table.numbers) - 1
    down = -(-rows // _ACROSS)
    figure = Figure(figsize=(3 * _ACROSS, 2 * max(down, 1)), layout="constrained")
    for k in range(1, rows + 1):
        axes = figure.add_subplot(down, _ACROSS, k)
        entries = slice(table.start[k], table.start[k + 1])
        axes.bar(table.noise[entries], np.array(table.p[entries]), width=0.4)
        axes.set_xlim(-table.largest - 1, table.largest + 1)
        more = " and more" if k == rows else ""
        axes.set_title(f"{table.numbers[k]:g}{more}", fontsize="small")
    figure.supxlabel("change")
    figure.supylabel("probability")
    return figure
