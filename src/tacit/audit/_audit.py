# SPDX-License-Identifier: Apache-2.0
"""The verb: attack a release, or somebody else's table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.attacker import Attacker
from tacit.audit._clock import Clock, Means
from tacit.audit._on_release import ReleaseAudit
from tacit.audit._on_table import audit_published
from tacit.audit._own_attack import own_attack
from tacit.audit._rounding import rounding_of
from tacit.audit._signs import SYMBOLS, ZEROS, Signs
from tacit.errors import InputError, suggest
from tacit.protect import Release
from tacit.rules import Assessment
from tacit.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Executor

    from tacit.audit._report import AuditReport
    from tacit.audit._rounding import Rounding
    from tacit.rules import Rule

__all__ = ["audit"]


def audit(  # noqa: PLR0913 - a verb that names columns
    subject: object,
    *,
    attackers: Attacker | Iterable[Attacker] | None = None,
    by: Mapping[str, Any] | None = None,
    value: str | None = None,
    count: str | None = None,
    symbols: Sequence[str] = SYMBOLS,
    zeros: Sequence[str] = ZEROS,
    decimal: str = ".",
    decimals: int | None = None,
    lower: str | None = None,
    upper: str | None = None,
    base: float | Rounding | None = None,
    rule: Rule | None = None,
    finest: bool | None = None,
    full: bool = False,
    time_limit: float | None = None,
    executor: Executor | None = None,
    progress: Callable[..., None] | None = None,
) -> AuditReport:
    """Work out what a published table gives away.

    A *release* is judged by the levels of its assessment: no sensitive cell may be
    known exactly, or more closely than its levels allow, to an outsider or to anyone
    who fills a withheld cell alone; no sum of withheld cells that the published ones
    fix may be unsafe itself.

    Of *somebody else's table* (a frame; or a list of frames over the same data, which
    are then attacked together) only what is printed counts: which withheld cells
    follow exactly, and how closely the others can be worked out.

    Args:
        subject: A release, a frame, or a list of frames.
        attackers: Who attacks; the outsider and every insider if not given.
        by: Of a frame: for each dimension its hierarchy, or the code of its total.
        value: Column of the printed amounts; may be left out if it is the only other.
        count: That column, if it holds counts.
        symbols: Signs that stand for withheld numbers; ``""`` is an empty field.
        zeros: Signs that stand for nothing at all.
        decimal: The decimal mark of numbers given as text.
        decimals: Decimals of the amounts; as few as hold them all if not given.
        lower: Column of the lower ends, where intervals are printed.
        upper: Column of the upper ends.
        base: What the numbers were rounded to: a number, or a ``Rounding``.
        rule: ``MinFrequency`` for counts: tell what proves a small count.
        finest: Whether cells that no row mentions are unknown rather than empty, down
            to the finest that the tables share; by default where all rows are margins.
        full: Of a release, compute the whole interval of every withheld cell.
        time_limit: Seconds; what is not settled by then makes the verdict unsafe.
        executor: A ``concurrent.futures`` executor for the linear programs.
        progress: Called with the name of each step, and how far it is.

    >>> import tacit
    >>> printed = {"sex": ["all", "f", "m"], "n": ["15", "x", "9"]}
    >>> report = tacit.audit(printed, by={"sex": "all"}, count="n")
    >>> report.safe
    False
    >>> print(report.explain(1).splitlines()[1])
      exact: sex = f is 6. Follows from: sex: all = f + m, where all else is known.
    """
    means = Means(
        clock=Clock(time_limit),
        executor=executor,
        progress=progress or _silent,
        full=full,
    )
    many = _attackers(attackers)
    rounding = rounding_of(base)
    _refuse_other_nouns(subject)
    if isinstance(subject, Release):
        _refuse_columns(by=by, value=value, count=count, lower=lower, upper=upper)
        own = own_attack(subject)
        if own is not None and rounding is None:
            return own(subject, many, means=means)
        return ReleaseAudit(subject, many, means=means, rounding=rounding).report()
    from tacit.audit._published import (  # noqa: PLC0415 - loads pyarrow
        PublishedColumns,
        read_published,
    )

    unknown = finest
    if many and not many[0].knows_empty:
        unknown = True
    columns = PublishedColumns(
        by=_checked_by(by),
        value=_value_column(subject, by, value, count, (lower, upper)),
        count=count,
        lower=lower,
        upper=upper,
        signs=Signs(tuple(symbols), tuple(zeros), decimal),
        decimals=decimals,
        finest=unknown,
    )
    published = read_published(subject, columns)
    return audit_published(published, many, rule=rule, rounding=rounding, means=means)


def _silent(_step: str, _done: int, _total: int) -> None:
    """Report to nobody."""


def _attackers(given: Attacker | Iterable[Attacker] | None) -> tuple[Attacker, ...]:
    if given is None:
        return ()
    many = (given,) if isinstance(given, Attacker) else tuple(given)
    wrong = [one for one in many if not isinstance(one, Attacker)]
    if wrong:
        message = (
            f"attackers= takes tacit.Attacker objects, not a {type(wrong[0]).__name__}."
            " For instance [Attacker(bounds=(0.5, 1.5))]."
        )
        raise InputError(message)
    return many


def _refuse_other_nouns(subject: object) -> None:
    if isinstance(subject, Assessment):
        message = (
            "An assessment says what is sensitive; an audit attacks what would be "
            "published. Protect it first, then audit the release."
        )
        raise InputError(message)
    if isinstance(subject, Table):
        message = (
            "A Table holds true values, and says nothing about what is published. "
            "Audit the release made of it, or the frame of the published table."
        )
        raise InputError(message)


def _refuse_columns(**columns: object) -> None:
    for name, given in columns.items():
        if given is not None:
            message = (
                f"{name}= names something in a frame, and a release is audited by its "
                "own cells. Leave it out."
            )
            raise InputError(message)


def _checked_by(by: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if by is None:
        message = (
            "A frame needs by=, which names its dimensions: by={'region': hierarchy, "
            "'sex': 'all'}."
        )
        raise InputError(message)
    return by


def _value_column(
    subject: Any,  # noqa: ANN401 - any frame
    by: Mapping[str, Any] | None,
    value: str | None,
    count: str | None,
    ends: tuple[str | None, str | None],
) -> str | None:
    if value and count:
        message = "Name one column: value= for amounts, or count= for counts."
        raise InputError(message)
    if value or count:
        return value
    frames = subject if isinstance(subject, list | tuple) else [subject]
    names = _names_of(frames[0]) if frames else []
    left = [name for name in names if name not in (by or {}) and name not in ends]
    if len(left) == 1:
        return left[0]
    message = (
        "Name the column of the printed numbers with value=, or with count= if they "
        f"are counts. {suggest('', left)}"
    )
    raise InputError(message)


def _names_of(frame: Any) -> list[str]:  # noqa: ANN401 - any frame
    if isinstance(frame, dict):
        return list(frame)
    import narwhals as nw  # noqa: PLC0415

    try:
        return list(nw.from_native(frame).collect_schema().names())
    except TypeError:
        message = (
            f"audit takes a release or a frame, not a {type(frame).__name__}. Give a "
            "pandas, polars or pyarrow frame, or a dict of lists."
        )
        raise InputError(message) from None
