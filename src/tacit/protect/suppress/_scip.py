# SPDX-License-Identifier: Apache-2.0
"""Branch and cut by SCIP, which takes in broken cuts at every node. An extra.

It is the better search where a relaxation stays far from its optimum, as in small
tables of three and more dimensions; without the extra the loop of whole programs does
the same work, more slowly.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.protect.suppress._cuts import Meter, broken_cuts, cover_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect.suppress._cuts import Cut
    from tacit.protect.suppress._search import Search

__all__ = ["branch_and_cut", "installed"]

_TINY = 1e-6


def installed() -> bool:
    """Whether the extra is there."""
    return importlib.util.find_spec("pyscipopt") is not None


def branch_and_cut(search: Search, *, gap: float, seconds: float) -> None:
    """Search the tree of patterns; leaves pattern and bound in ``search``."""
    import pyscipopt  # noqa: PLC0415 - an extra

    relaxation = search.relaxation
    relaxation.fix(search.ledger.hidden, search.ledger.cost)
    model = pyscipopt.Model()
    model.hideOutput()
    for name, setting in (
        ("limits/time", max(seconds, 0.1)),
        ("limits/gap", gap),
        ("randomization/randomseedshift", 0),
        ("misc/allowstrongdualreds", False),
        ("misc/allowweakdualreds", False),
    ):
        model.setParam(name, setting)
    linear = relaxation.solver.getLp()
    columns = [
        model.addVar(vtype="B", lb=low, ub=high, obj=price)
        for low, high, price in zip(
            linear.col_lower_, linear.col_upper_, linear.col_cost_, strict=True
        )
    ]
    _add_rows(model, columns, linear)
    handler = _handler(pyscipopt, _Cutter(search, columns))
    model.includeConshdlr(
        handler,
        "needs",
        "every need of a sensitive cell can be met",
        sepapriority=0,
        enfopriority=-1_000_000,
        chckpriority=-1_000_000,
        sepafreq=1,
        propfreq=-1,
        eagerfreq=-1,
        needscons=False,
    )
    _start(model, columns, search)
    model.optimize()
    search.raise_bound(model.getDualbound() * relaxation.unit)
    for solution in model.getSols():
        chosen = np.array([model.getSolVal(solution, one) for one in columns])
        search.complete(relaxation.pattern_of(chosen))


def _add_rows(model: Any, columns: list[Any], linear: Any) -> None:  # noqa: ANN401
    from scipy.sparse import csc_array, csr_array  # noqa: PLC0415 - heavy

    matrix = linear.a_matrix_
    parts = (matrix.value_, matrix.index_, matrix.start_)
    shape = (linear.num_row_, linear.num_col_)
    by_row = "Rowwise" in str(matrix.format_)
    rows = csr_array(parts, shape=shape) if by_row else csc_array(parts, shape=shape)
    rows = csr_array(rows)
    for k in range(shape[0]):
        part = slice(rows.indptr[k], rows.indptr[k + 1])
        total = sum(
            value * columns[at]
            for at, value in zip(rows.indices[part], rows.data[part], strict=True)
        )
        model.addCons(total >= linear.row_lower_[k])


def _start(model: Any, columns: list[Any], search: Search) -> None:  # noqa: ANN401
    solution = model.createSol()
    chosen = search.ledger.hidden[search.relaxation.free]
    for column, hidden in zip(columns, chosen.tolist(), strict=True):
        model.setSolVal(solution, column, float(hidden))
    model.addSol(solution)


class _Cutter:
    """Gives the cuts that a solution of a node breaks to the solver."""

    def __init__(self, search: Search, columns: list[Any]) -> None:
        self.search, self.columns = search, columns
        self.relaxation = search.relaxation

    def share(self, model: Any, solution: Any) -> NDArray[np.float64]:  # noqa: ANN401
        """Give the share of every cell in a solution; None is the current one."""
        share = self.relaxation.held.astype(np.float64)
        values = [model.getSolVal(solution, one) for one in self.columns]
        share[self.relaxation.free] = np.clip(values, 0.0, 1.0)
        return share

    def broken(self, share: NDArray[np.float64]) -> bool:
        """Whether shares break any cut."""
        return any(True for _ in broken_cuts(self.search.problem, share, Meter()))

    def cut_off(self, model: Any, *, whole: bool) -> int:  # noqa: ANN401
        """Cut the current solution off; count the cuts."""
        share = self.share(model, None)
        cuts = list(broken_cuts(self.search.problem, share, Meter()))
        if whole:
            cuts += [cover_of(cut, share > 0.5) for cut in cuts]  # noqa: PLR2004
        return sum(self._add(model, cut, share) for cut in cuts)

    def _add(self, model: Any, cut: Cut, share: NDArray[np.float64]) -> int:  # noqa: ANN401
        row = self.relaxation.row_of(cut)
        if row is None:
            return 0
        cells, weight = row
        if weight @ share[self.relaxation.free][cells] >= 1.0 - _TINY:
            return 0
        made = model.createEmptyRowUnspec("cut", lhs=1.0, rhs=None)
        model.cacheRowExtensions(made)
        for at, value in zip(cells.tolist(), weight.tolist(), strict=True):
            column = model.getTransformedVar(self.columns[at])
            model.addVarToRow(made, column, value)
        model.flushRowExtensions(made)
        model.addCut(made, forcecut=True)
        model.releaseRow(made)
        return 1


def _handler(scip: Any, cutter: _Cutter) -> Any:  # noqa: ANN401
    """Make the handler; its base class is there only with the extra."""
    result = scip.SCIP_RESULT

    class Needs(scip.Conshdlr):  # type: ignore[misc]
        """Every need can be met with what is hidden."""

        def conssepalp(self, *_: Any) -> dict[str, Any]:  # noqa: ANN401
            found = cutter.cut_off(self.model, whole=False)
            return {"result": result.SEPARATED if found else result.DIDNOTFIND}

        def consenfolp(self, *_: Any) -> dict[str, Any]:  # noqa: ANN401
            found = cutter.cut_off(self.model, whole=True)
            return {"result": result.SEPARATED if found else result.FEASIBLE}

        def consenfops(self, *_: Any) -> dict[str, Any]:  # noqa: ANN401
            return {"result": result.SOLVELP}

        def conscheck(self, _: Any, solution: Any, *__: Any) -> dict[str, Any]:  # noqa: ANN401
            broken = cutter.broken(cutter.share(self.model, solution))
            return {"result": result.INFEASIBLE if broken else result.FEASIBLE}

        def conslock(self, *_: Any) -> None:  # noqa: ANN401
            for one in cutter.columns:
                self.model.addVarLocksType(one, 0, 1, 0)

    return Needs()
