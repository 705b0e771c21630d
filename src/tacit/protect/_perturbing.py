# SPDX-License-Identifier: Apache-2.0
"""What all methods share that change numbers instead of withholding them.

A family of methods (``round``, ``adjust``, ``perturb``) is one verb. Each of its
methods is one module with two names: ``Options``, a frozen model, and ``change``, a
function. The models serve Python, the job file and its schema, so a module must be
light to import; what is heavy is imported in ``change``.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Self, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from tacit.errors import InputError, LimitError, suggest
from tacit.protect._release import Release
from tacit.protect.suppress._progress import Clock
from tacit.rules import Assessment, assess_as_stated
from tacit.table import State, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Changed", "Codes", "Family", "Key", "Options", "marked", "secret"]

_WITHHELD = (State.FORCED, State.SUPPRESSED)


class Options(BaseModel):
    """What a method that changes numbers can be told."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, hide_input_in_errors=True
    )

    time_limit: Annotated[float, Field(ge=0)] = Field(
        default=60.0, description="seconds that the search may take"
    )

    @property
    def files(self) -> tuple[str, ...]:
        """Files that the options name, as they name them."""
        return ()

    def located(self, folder: Path) -> Self:  # noqa: ARG002 - where there are files
        """Give the same options, with files looked for in a folder."""
        return self


Key = Annotated[
    SecretStr,
    Field(
        strict=False,
        min_length=1,
        description="a secret text: the same key changes the same cell in the same way "
        "in every table. It is never written anywhere",
    ),
]


# Codes by dimension: all cells that have them, whatever their other codes.
Codes = dict[str, str]


def marked(table: Table, option: str, chosen: Iterable[Codes]) -> NDArray[np.bool_]:
    """Mark the cells that have any of the codes; codes without a cell are an error."""
    marks = np.zeros(len(table), dtype=np.bool_)
    for codes in chosen:
        found = np.ones(len(table), dtype=np.bool_)
        for name, code in codes.items():
            axis = table.axis(name)
            at = table.dimensions[axis].position(code)
            found &= table.cells.codes[axis] == at
        if not found.any():
            where = ", ".join(f"{name} = {code}" for name, code in codes.items())
            message = f"{option}: no cell has {where}. Name codes that the table holds."
            raise InputError(message)
        marks |= found
    return marks


def secret(key: SecretStr) -> bytes:
    """Give the key as bytes, for a keyed hash."""
    return key.get_secret_value().encode()


@dataclass(frozen=True, eq=False)
class Changed:
    """What a method made of the values, in scaled amounts, and what that cost.

    ``attack`` is the name of the attack that knows the method (see
    ``tacit.audit._own_attack``), ``notes`` is what that attack and a report are told.
    ``published`` is the new value of every cell; those in ``withheld`` do not go out.
    """

    published: NDArray[np.int64]
    attack: str
    cost: float = 0.0
    bound: float | None = None
    notes: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    withheld: NDArray[np.bool_] | None = None


class Method(Protocol):
    """A module of a method."""

    Options: type[Options]

    def change(self, assessment: Assessment, options: Any, clock: Clock) -> Changed:  # noqa: ANN401 - its own options
        """Change the numbers of a table."""


@dataclass(frozen=True)
class Family:
    """A verb and its methods: a module each, opened when it is first asked for."""

    verb: str
    modules: Mapping[str, str]

    def module(self, name: str) -> Method:
        """Give the module of a method."""
        if name not in self.modules:
            message = (
                f"There is no method '{name}' of {self.verb}. "
                f"{suggest(name, self.modules)}"
            )
            raise InputError(message)
        return cast("Method", importlib.import_module(self.modules[name]))

    def options(self, method: str | Options, given: Mapping[str, Any]) -> Options:
        """Check what a method is told; all that is wrong is said at once."""
        if isinstance(method, Options):
            if given:
                message = (
                    f"{self.verb} was given options as an object and by name: put "
                    f"{', '.join(map(repr, given))} into the object."
                )
                raise InputError(message)
            return method
        model = self.module(str(method)).Options
        try:
            return model.model_validate(dict(given))
        except ValidationError as error:
            raise InputError(_said(self.verb, str(method), model, error)) from None

    def name_of(self, options: Options) -> str:
        """Name the method that takes these options."""
        for name in self.modules:
            if type(options) is self.module(name).Options:
                return name
        message = (
            f"{type(options).__name__} are not the options of a method of {self.verb}. "
            f"{suggest('', self.modules)}"
        )
        raise InputError(message)

    def release(
        self,
        subject: Assessment | Table,
        method: str | Options,
        given: Mapping[str, Any],
        progress: Callable[..., None] | None = None,
    ) -> Release:
        """Change the numbers of a table, and say how it was done."""
        options = self.options(method, given)
        name = self.name_of(options)
        assessment = _assessment(self.verb, subject)
        clock = Clock(options.time_limit, progress)
        try:
            changed = self.module(name).change(assessment, options, clock)
        except KeyboardInterrupt:
            message = (
                f"Stopped after {clock.seconds:.0f} s, before any table was found. "
                "Nothing was protected; allow more time."
            )
            raise LimitError(message) from None
        return _release(assessment, name, options, changed, clock)


def _assessment(verb: str, subject: object) -> Assessment:
    """Take an assessment, or a table of which nothing is known to be sensitive."""
    if isinstance(subject, Table):
        subject = assess_as_stated(subject)
    if not isinstance(subject, Assessment):
        message = (
            f"{verb} takes an assessment or a table, not a {type(subject).__name__}. "
            "Make one with tacit.assess(table, rule)."
        )
        raise InputError(message)
    accepted = subject.table.residuals_accepted
    if accepted:
        message = (
            f"{accepted:,} relations of this table hold only within the tolerance that "
            "was declared, so its numbers do not add up as they are. Let the totals be "
            "summed from their parts (leave their rows out of Table.from_cells)."
        )
        raise InputError(message)
    return subject


def _release(
    assessment: Assessment, name: str, options: Options, changed: Changed, clock: Clock
) -> Release:
    # Whoever orders that a cell is withheld is obeyed; all others go out, changed.
    state = assessment.state.copy()
    state[assessment.sensitive & ~np.isin(state, _WITHHELD)] = State.SAFE
    if changed.withheld is not None:
        state[changed.withheld & ~np.isin(state, _WITHHELD)] = State.SUPPRESSED
    true = assessment.table.cells.value
    provenance = {
        "attack": changed.attack,
        "options": options.model_dump(mode="json"),
        "changed": int(np.count_nonzero(changed.published != true)),
        **changed.notes,
    }
    return Release(
        assessment=assessment,
        state=state,
        method=name,
        published=changed.published,
        perturbed=True,
        cost=changed.cost,
        bound=changed.bound,
        gap=_gap(changed.cost, changed.bound),
        seconds=clock.seconds,
        provenance=MappingProxyType(provenance),
    )


def _gap(cost: float, bound: float | None) -> float | None:
    if bound is None:
        return None
    return 0.0 if cost <= bound or cost == 0 else (cost - bound) / cost


def _said(verb: str, name: str, model: type[Options], error: ValidationError) -> str:
    """Say every problem of the options in one sentence each."""
    told = []
    for detail in error.errors(include_url=False, include_input=False):
        option = str(detail["loc"][0]) if detail["loc"] else ""
        what = detail["msg"].removeprefix("Value error, ").rstrip(".")
        known = model.model_fields.get(option)
        if detail["type"] == "extra_forbidden":
            hint = suggest(option, model.model_fields)
            told.append(f"There is no option '{option}'. {hint}")
        elif detail["type"] == "missing" and known is not None:
            told.append(f"{option}= is missing: {known.description}.")
        elif known is not None:
            told.append(f"{option}: {what[0].lower()}{what[1:]} ({known.description}).")
        else:
            told.append(f"{what}.")
    return f"{verb} by '{name}' cannot be done as asked. {' '.join(told)}"
