# SPDX-License-Identifier: Apache-2.0
"""Tables that come again: what was published before, and what that means now."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, InstanceOf

from tacit.errors import InputError
from tacit.protect.suppress._pattern import Pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.protect._release import Release
    from tacit.rules import Assessment
    from tacit.table import Table

__all__ = ["Effect", "History", "Pattern", "difference", "effect_of"]

# Beyond every value, and exact in a float.
_ENDLESS = 2**62


class History(BaseModel):
    """Earlier releases of a table, the latest last, and how they bind the next one.

    ``pattern`` says whether cells that were withheld before are preferred, required or
    nothing special; ``price`` is what a preferred cell costs, as a share of its cost.
    ``published="frozen"`` is for a table that is published anew from the same data:
    cells with the same value as before are known and stay published. ``change`` is for
    the next wave: an attacker knows that a published value has not changed by more
    than this share since.

    >>> import tacit
    >>> cells = {"sex": ["f", "m", "x"], "n": [20, 30, 2]}
    >>> table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
    >>> first = tacit.suppress(tacit.assess(table, tacit.MinFrequency(n=3)))
    >>> History(first, pattern="require")
    History(1 earlier release, pattern='require')
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
    )

    releases: tuple[InstanceOf[Pattern], ...] = Field(
        description="earlier releases, or the public csv files of them, latest last"
    )
    pattern: Literal["prefer", "require", "ignore"] = Field(
        default="prefer",
        description="whether cells withheld before are preferred, required, or nothing",
    )
    price: float = Field(
        default=0.5, gt=0, le=1, description="share of its cost for a preferred cell"
    )
    published: Literal["free", "frozen"] = Field(
        default="free",
        description="whether cells that were published with the same value are frozen",
    )
    change: float | None = Field(
        default=None,
        ge=0,
        description="share by which a published value has changed at most, as known",
    )

    def __init__(self, releases: object = (), /, **options: Any) -> None:  # noqa: ANN401
        given = options.pop("releases", releases)
        several = given if isinstance(given, list | tuple) else (given,)
        # Before pydantic looks, so that the errors are ours.
        super().__init__(releases=tuple(map(Pattern.of, several)), **options)

    def __repr__(self) -> str:
        count = len(self.releases)
        many = f"{count} earlier release{'' if count == 1 else 's'}"
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, field in type(self).model_fields.items()
            if name != "releases" and getattr(self, name) != field.default
        ]
        return f"History({', '.join([many, *changed])})"

    __str__ = __repr__


@dataclass(frozen=True, eq=False, repr=False)
class Effect:
    """What history makes of an assessment, one entry a cell."""

    assessment: Assessment
    price: NDArray[np.float64] | None = None
    frozen: NDArray[np.bool_] | None = None
    forced: NDArray[np.bool_] | None = None


def effect_of(history: object, assessment: Assessment) -> Effect:
    """Say what earlier releases mean for the cells of this table."""
    if history is None:
        return Effect(assessment)
    if not isinstance(history, History):
        history = History(history)
    table = assessment.table
    withheld = np.zeros(len(table), dtype=np.bool_)
    bounds = _Bounds(table)
    frozen = np.zeros(len(table), dtype=np.bool_)
    for number, earlier in enumerate(history.releases):
        place = earlier.place_in(table)
        held = place >= 0
        if not held.any():
            message = (
                f"The earlier release {number + 1} has no cell in common with this "
                f"table. Its dimensions are {', '.join(earlier.names)}; those of the "
                f"table are {', '.join(table.names)}."
            )
            raise InputError(message)
        withheld[place[held & earlier.withheld]] = True
        value = earlier.scaled(table.cells.decimals)
        shown = held & ~earlier.withheld
        cells, before = place[shown], value[shown]
        if history.published == "frozen":
            same = before == table.cells.value[cells]
            frozen[cells[same]] = True
            bounds.tighten(cells[same], before[same], before[same])
        if history.change is not None:
            far = np.abs(before) * history.change
            low, high = np.floor(before - far), np.ceil(before + far)
            bounds.tighten(cells, low, high)
    return _effect(history, assessment, (withheld, frozen), bounds)


def _effect(
    history: History,
    assessment: Assessment,
    marks: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    bounds: _Bounds,
) -> Effect:
    withheld, frozen = marks
    prefer = history.pattern == "prefer" and bool(withheld.any())
    require = history.pattern == "require"
    usable = withheld & ~frozen
    return Effect(
        assessment=bounds.onto(assessment),
        price=np.where(withheld, history.price, 1.0) if prefer else None,
        frozen=frozen if frozen.any() else None,
        forced=usable if require else None,
    )


class _Bounds:
    """Bounds of the cells as an attacker knows them, narrowed by what was published."""

    def __init__(self, table: Table) -> None:
        cells = table.cells
        least = 0 if (cells.value >= 0).all() else -_ENDLESS
        n = len(table)
        self.value = cells.value
        self.lower = np.full(n, least) if cells.lower is None else cells.lower.copy()
        self.upper = np.full(n, _ENDLESS) if cells.upper is None else cells.upper.copy()
        self.narrowed = False

    def tighten(
        self, cells: NDArray[np.int64], low: NDArray[Any], high: NDArray[Any]
    ) -> None:
        """Take narrower bounds, but never any that exclude the true value."""
        true = self.value[cells]
        low = np.minimum(low.astype(np.int64), true)
        high = np.maximum(high.astype(np.int64), true)
        self.narrowed = self.narrowed or bool(len(cells))
        self.lower[cells] = np.maximum(self.lower[cells], low)
        self.upper[cells] = np.minimum(self.upper[cells], high)

    def onto(self, assessment: Assessment) -> Assessment:
        """Give the assessment of a table that carries these bounds."""
        if not self.narrowed:
            return assessment
        table = assessment.table
        cells = replace(table.cells, lower=self.lower, upper=self.upper)
        return replace(assessment, table=table.updated(cells=cells))


def difference(previous: Release, current: Release) -> Any:  # noqa: ANN401 - a frame
    """Explain what changed between two releases. Internal: it tells why.

    One row for each cell that is withheld in one of them and published in the other,
    or that is in one of them only: its codes, ``change`` and ``why``.

    >>> import tacit
    >>> from tacit.protect.suppress import difference
    >>> waves = []
    >>> for small in (2, 9):
    ...     cells = {"sex": ["f", "m", "x"], "n": [20, 30, small]}
    ...     table = tacit.Table.from_cells(cells, by={"sex": "all"}, count="n")
    ...     waves.append(tacit.suppress(tacit.assess(table, tacit.MinFrequency(n=3))))
    >>> difference(*waves).to_pydict()["why"]
    ['no longer needed to protect others', 'no longer sensitive']
    """
    from tacit.table._frames import to_frame  # noqa: PLC0415 - loads pyarrow

    old, new = previous.table, current.table
    place = Pattern.of(previous).place_in(new)
    back = np.full(len(new), -1, dtype=np.int64)
    back[place[place >= 0]] = np.flatnonzero(place >= 0)
    before = np.zeros(len(new), dtype=np.bool_)
    before[back >= 0] = previous.withheld[back[back >= 0]]
    changed = np.flatnonzero((before != current.withheld) & (back >= 0))
    added = np.flatnonzero((back < 0) & current.withheld)
    gone = np.flatnonzero(place < 0)
    rows = np.concatenate([changed, added])
    columns: dict[str, Any] = {
        name: np.concatenate([new.codes_of(name)[rows], old.codes_of(name)[gone]])
        for name in new.names
    }
    became = np.where(current.withheld[changed], "withheld", "published")
    columns["change"] = np.concatenate(
        [
            became.astype(object),
            np.full(len(added), "new and withheld", dtype=object),
            np.full(len(gone), "no longer in the table", dtype=object),
        ]
    )
    why = [_why(previous, current, int(back[cell]), int(cell)) for cell in rows]
    columns["why"] = np.array([*why, *[""] * len(gone)], dtype=object)
    return to_frame(columns, new.frame_kind)


def _why(previous: Release, current: Release, old: int, new: int) -> str:
    """Say in words why a cell is treated otherwise than before."""
    if current.withheld[new]:
        if current.assessment.sensitive[new]:
            rules = ", ".join(current.assessment.reasons_of(new))
            return f"sensitive: {rules}" if rules else "sensitive"
        return "protects other cells"
    if old >= 0 and previous.assessment.sensitive[old]:
        return "no longer sensitive"
    return "no longer needed to protect others"
