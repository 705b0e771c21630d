# SPDX-License-Identifier: Apache-2.0
"""The relaxation in whole numbers: which cells to hide, if the cuts were all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.suppress._cuts import Meter
    from tacit.protect.suppress._guide import Relaxation

__all__ = ["Proposal", "WholeProgram"]

# Good patterns come from elsewhere, and restarts cost more here than they save.
_OPTIONS = (
    ("output_flag", False),
    ("threads", 1),
    ("mip_heuristic_effort", 0.0),
    ("mip_allow_restart", False),
    ("mip_pool_soft_limit", 100),
    ("mip_abs_gap", 1e-9),
)


class Proposal(NamedTuple):
    """Patterns that keep the cuts, the best last, and a bound on all that do.

    ``stopped_early`` says that the program ended before it closed its gap.
    """

    patterns: list[NDArray[np.bool_]]
    bound: float
    stopped_early: bool


class WholeProgram:
    """One program in whole numbers, over the cuts of a relaxation so far."""

    def __init__(self, relaxation: Relaxation, start: NDArray[np.bool_]) -> None:
        import highspy  # noqa: PLC0415 - the solver loads when first needed

        self.relaxation = relaxation
        self.highspy = highspy
        self.solver = highspy.Highs()
        for option, setting in _OPTIONS:
            self.solver.setOptionValue(option, setting)
        model = relaxation.solver.getLp()
        count = int(relaxation.free.sum())
        model.integrality_ = [highspy.HighsVarType.kInteger] * count
        self.solver.passModel(model)
        known = highspy.HighsSolution()
        known.col_value = start[relaxation.free].astype(np.float64).tolist()
        self.solver.setSolution(known)

    def solve(
        self, *, gap: float, seconds: float, nodes: int | None, meter: Meter
    ) -> Proposal:
        """Solve to a gap, for at most some seconds, with at most some nodes."""
        solver = self.solver
        solver.setOptionValue("mip_rel_gap", gap)
        solver.setOptionValue("time_limit", max(seconds, 0.1))
        if nodes is not None:
            solver.setOptionValue("mip_max_nodes", nodes)
        solver.run()
        meter.note(solver, int(self.relaxation.free.sum()))
        info = solver.getInfo()
        status = solver.getModelStatus()
        bound = info.mip_dual_bound * self.relaxation.unit
        chosen = np.asarray(solver.getSolution().col_value)
        patterns = [self.relaxation.pattern_of(chosen)] if len(chosen) else []
        done = status == self.highspy.HighsModelStatus.kOptimal
        return Proposal(patterns, float(bound), not done)
