# SPDX-License-Identifier: Apache-2.0
"""What may go out: a protected table, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import UnsafeError
from tacit.table import State

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from tacit.protect._open_claim import OpenClaim
    from tacit.rules import Assessment
    from tacit.table import Table

__all__ = ["Internal", "Release", "release_as_is", "release_as_stated"]

_SHOWN = 5
_WITHHELD = (State.SENSITIVE, State.SUPPRESSED, State.FORCED)


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """A table with a verdict on every cell.

    ``state`` says what becomes of each cell: those that are sensitive, suppressed or
    forced are withheld, all others go out with the value in ``published``. Methods that
    change values instead of withholding them set ``perturbed``; for these only an audit
    can say that the release is safe.
    """

    assessment: Assessment
    state: NDArray[np.uint8]
    method: str
    published: NDArray[np.int64]
    perturbed: bool = False
    cost: float = 0.0
    bound: float | None = None
    gap: float | None = None
    seconds: float = 0.0
    certificate: Any = None
    audit: Any = None
    provenance: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def table(self) -> Table:
        """The table that was assessed."""
        return self.assessment.table

    @property
    def withheld(self) -> NDArray[np.bool_]:
        """Cells whose value does not go out, for whatever reason."""
        return np.isin(self.state, _WITHHELD)

    @property
    def exposed(self) -> NDArray[np.bool_]:
        """Sensitive cells that would go out with their true value."""
        if self.perturbed:
            return np.zeros(len(self.state), dtype=bool)
        return self.assessment.sensitive & ~self.withheld

    @property
    def open_claims(self) -> tuple[OpenClaim, ...]:
        """Sensitive cells that the method could not protect, and why. Confidential."""
        claims: tuple[OpenClaim, ...] = self.provenance.get("open_claims", ())
        return claims

    @property
    def exact_only(self) -> bool:
        """Whether the method prevents exact disclosure only, and no close estimate."""
        return bool(self.provenance.get("exact_only", False))

    @property
    def repaired(self) -> str:
        """How a classical method was repaired, in a line; empty for other methods."""
        alone = self.provenance.get("alone")
        if alone is None:
            return ""
        secondary = int((self.withheld & ~self.assessment.sensitive).sum())
        whole, short = alone["cost"] or 1.0, alone["short"]
        left = f"{short:,}" if short else "none"
        return (
            f"{self.method.capitalize()} alone withheld {_cells(alone['secondary'])} "
            f"beside the sensitive ones and left {left} of these without a proof. "
            f"Repair added {_cells(alone['added'])} "
            f"({alone['added_cost'] / whole:+.1%} of that cost). Insiders, sums and "
            f"clean-up done, it is {_cells(secondary)} at {self.cost / whole:.1%}."
        )

    @property
    def safe(self) -> bool:
        """Tell whether this may be published.

        Nothing sensitive goes out, and an audit found that nothing can be inferred.
        Without an audit only a table without any sensitive or withheld cell is safe.
        """
        if self.exposed.any():
            return False
        if self.audit is not None:
            return bool(self.audit.safe)
        untouched = not self.perturbed and not self.withheld.any()
        return untouched and not self.assessment.sensitive.any()

    def why_unsafe(self) -> str:
        """Say in words why this may not be published; empty if it may."""
        if self.safe:
            return ""
        exposed = int(self.exposed.sum())
        if exposed:
            return (
                f"{exposed:,} of {len(self.state):,} cells are sensitive and would be "
                "published as they are. Protect the table first."
            )
        if self.open_claims:
            return self._why_open()
        if self.audit is None:
            return (
                "No audit was run on this release, so nobody knows what can be "
                "inferred from it. Take release.audited() first."
            )
        return self._why_failed()

    def _why_failed(self) -> str:
        if self.perturbed:
            return (
                "The audit found cells that are still known too closely from the "
                f"numbers that '{self.method}' would publish. Ask it for larger "
                "changes, and audit again."
            )
        if self.exact_only:
            return (
                f"The method '{self.method}' prevents exact disclosure only, and the "
                "protection levels ask for more: the audit found cells that can be "
                "estimated too closely. Use the method 'auto'."
            )
        return (
            "The audit found cells that can be inferred too closely from what would "
            "be published. Protect the table with more suppressions, and audit again."
        )

    def _why_open(self) -> str:
        claims = self.open_claims
        reasons = "; ".join(dict.fromkeys(claim.words for claim in claims[:_SHOWN]))
        many = "cell cannot" if len(claims) == 1 else "cells cannot"
        return (
            f"{len(claims):,} sensitive {many} be protected: {reasons}. Let these "
            "cells be withheld, or ask for less protection."
        )

    @property
    def cells(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """The public frame: codes, value or nothing, published or suppressed."""
        columns = _codes(self.table)
        columns[_value_name(self.table)] = self._public_values()
        columns["status"] = np.where(self.withheld, "suppressed", "published")
        return _to_frame(self.table, columns)

    def _public_values(self) -> np.ma.MaskedArray[Any, Any]:
        # A mask alone would leave the true values in the memory of the frame.
        value = np.where(self.withheld, 0, self.published)
        decimals = self.table.cells.decimals
        return np.ma.array(_in_units(value, decimals), mask=self.withheld)

    @property
    def internal(self) -> Internal:
        """The door to the true values and the reasons. Confidential."""
        return Internal(self)

    def summary(self) -> dict[str, Any]:
        """Count: internal, for those who produce the table.

        ``secondary_value`` is the sum of the absolute true values of the cells that
        are withheld without being sensitive, in published units.
        """
        secondary = self.withheld & ~self.assessment.sensitive
        decimals = self.table.cells.decimals
        value = np.abs(_in_units(self.table.cells.value[secondary], decimals))
        return {
            "cells": len(self.state),
            "sensitive": int(self.assessment.sensitive.sum()),
            "secondary": int(secondary.sum()),
            "secondary_value": value.sum().item(),
            "cost": self.cost,
            "bound": self.bound,
            "gap": self.gap,
            "safe": self.safe,
            "seconds": self.seconds,
            "claims": self.provenance.get("claims", 0),
            "open": len(self.open_claims),
            "exact_only": self.exact_only,
        }

    def audited(self, **options: Any) -> Release:  # noqa: ANN401 - those of audit
        """Audit this release, and carry the report along: what publishing asks for.

        Takes the options of :func:`tacit.audit`.
        """
        from tacit.audit import audit  # noqa: PLC0415 - the audit stands above

        report = audit(self, **options)
        certificate = self.certificate or report.certificate
        return replace(self, audit=report, certificate=certificate)

    def explain(self, codes: Mapping[str, str] | int, **options: Any) -> Any:  # noqa: ANN401 - an Explanation
        """Say why a cell is withheld, and what would have to change. Confidential.

        Takes the options of :func:`tacit.audit.explain`.
        """
        from tacit.audit import explain  # noqa: PLC0415 - the audit stands above

        return explain(self, codes, **options)

    def write(self, path: str | Path, **options: Any) -> Path:  # noqa: ANN401
        """Write the public view; refused unless the release is safe."""
        from tacit.publish import publish  # noqa: PLC0415 - publish stands above

        return publish(self, path, **options)

    def __len__(self) -> int:
        return len(self.state)

    def __repr__(self) -> str:
        withheld = int(self.withheld.sum())
        verdict = "safe" if self.safe else "not safe to publish"
        method = self.method
        if self.exact_only:
            method += ", against exact disclosure only"
        return (
            f"<Release by {method}: {len(self):,} cells, {withheld:,} withheld, "
            f"{verdict}>"
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p>"


@dataclass(frozen=True, eq=False, repr=False)
class Internal:
    """True values, states and reasons of a release. Confidential."""

    release: Release

    @property
    def cells(self) -> Any:  # noqa: ANN401 - the kind of frame that was given
        """Everything that is known about each cell."""
        release, table = self.release, self.release.table
        assessment = release.assessment
        labels = np.array([state.label for state in State])
        columns = _codes(table)
        columns[_value_name(table)] = table.value_in_units
        columns |= {
            "published": release._public_values(),  # noqa: SLF001 - its own view
            "state": labels[release.state],
            "sensitive": assessment.sensitive,
            "lower": assessment.lpl,
            "upper": assessment.upl,
            "sliding": assessment.spl,
        }
        return _to_frame(table, columns)

    def write(self, path: str | Path, **options: Any) -> Path:  # noqa: ANN401
        """Write the internal view; the file's name must hold ``internal``."""
        from tacit.publish import publish_internal  # noqa: PLC0415 - as above

        return publish_internal(self.release, path, **options)

    def write_problem(self, path: str | Path, **options: Any) -> Path:  # noqa: ANN401
        """Write the problem of suppression with this pattern in it: a JJ file.

        Takes the options of :func:`tacit.publish.publish_problem`.
        """
        from tacit.publish import publish_problem  # noqa: PLC0415 - as above

        return publish_problem(self.release, path, **options)

    def write_secondaries(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the solution file that goes with a JJ file: the secondary cells."""
        from tacit.publish import publish_secondaries  # noqa: PLC0415 - as above

        return publish_secondaries(self.release, path, force=force)

    def __repr__(self) -> str:
        return f"<Internal view of {len(self.release):,} cells, confidential>"


def release_as_is(assessment: Assessment) -> Release:
    """Release a table in which nothing is sensitive, unchanged.

    >>> import tacit
    >>> table = tacit.Table.from_cells(
    ...     {"sex": ["f", "m"], "n": [2, 30]}, by={"sex": "all"}, value="n", count="n")
    >>> release_as_is(tacit.assess(table, tacit.MinFrequency(n=2)))
    <Release by none: 3 cells, 0 withheld, safe>
    >>> release_as_is(tacit.assess(table, tacit.MinFrequency(n=3)))
    Traceback (most recent call last):
    tacit.errors.UnsafeError: 1 of 3 cells is sensitive: protect the table first.
    """
    held_back = assessment.held_back
    count = int(held_back.sum())
    if count:
        verb = "is" if count == 1 else "are"
        message = (
            f"{count:,} of {len(held_back):,} cells {verb} sensitive: "
            "protect the table first."
        )
        raise UnsafeError(message)
    cells = assessment.table.cells
    return Release(assessment, assessment.state, "none", cells.value)


def release_as_stated(assessment: Assessment) -> Release:
    """Withhold what the states of a finished table say, and the sensitive cells.

    For a pattern that somebody else has chosen: its audit tells whether it protects.

    >>> import tacit
    >>> cells = {"sex": ["f", "m", "x"], "n": [20, 30, 9], "s": ["u", "m", "s"]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, value="n", state="s")
    >>> release_as_stated(tacit.assess(table, margin=10))
    <Release by states: 4 cells, 2 withheld, not safe to publish>
    """
    values = assessment.table.cells.value
    return Release(assessment, assessment.state, "states", values)


def _cells(many: int) -> str:
    return f"{many:,} cell" if many == 1 else f"{many:,} cells"


def _codes(table: Table) -> dict[str, Any]:
    return {name: table.codes_of(name) for name in table.names}


def _value_name(table: Table) -> str:
    taken = table.measure in table.names
    return f"{table.measure} (value)" if taken else table.measure


def _in_units(value: NDArray[np.int64], decimals: int) -> NDArray[Any]:
    return value if decimals == 0 else value / float(10**decimals)


def _to_frame(table: Table, columns: dict[str, Any]) -> Any:  # noqa: ANN401
    from tacit.table._frames import to_frame  # noqa: PLC0415 - loads pyarrow

    return to_frame(columns, table.frame_kind)
