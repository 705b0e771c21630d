# SPDX-License-Identifier: Apache-2.0
"""The attacks that M3A blocks, as data: who estimates what from a published number.

An attack is a triple (o, b, v). Whoever makes it takes ``(T - o) / b`` from a published
number T for the true quantity v. It is blocked where that is off by at least the
required distance, so T must stay out of an open interval around ``o + b * v``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

__all__ = [
    "SCENARIOS",
    "Attacks",
    "Forbidden",
    "People",
    "Scenario",
    "attacks_on",
    "forbidden",
    "reach_of",
    "unlisted_means",
]

Scenario = Literal["I", "I_any", "IIIa", "IIIb", "IIIc", "IV"]
SCENARIOS: tuple[Scenario, ...] = ("I", "IIIa", "IIIb", "IIIc", "IV")
_SAFE_PRODUCT = 2.0**61


class People(NamedTuple):
    """Contributions by cell: those of cell k are at ``indptr[k]:indptr[k + 1]``.

    They come in falling order of their absolute value. Where only the largest are
    known, ``number`` says how many there are, and ``rest`` what the others add up to.
    """

    indptr: NDArray[np.int64]
    value: NDArray[np.int64]
    number: NDArray[np.int64] | None = None
    rest: NDArray[np.int64] | None = None

    @property
    def listed(self) -> NDArray[np.int64]:
        """Contributions that are known of each cell."""
        return np.diff(self.indptr)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Contributors of each cell."""
        return self.listed if self.number is None else self.number

    @property
    def sums(self) -> NDArray[np.int64]:
        """What all contributions to each cell add up to."""
        sums = np.add.reduceat(np.append(self.value, 0), self.indptr[:-1])
        sums = np.where(self.listed > 0, sums, 0)
        return sums if self.rest is None else sums + self.rest

    def at(self, cell: NDArray[np.int64], rank: Any) -> NDArray[np.int64]:  # noqa: ANN401
        """The contribution of this rank, from 1, in each of these cells."""
        found: NDArray[np.int64] = self.value[self.indptr[cell] + rank - 1]
        return found


class Forbidden(NamedTuple):
    """Numbers that a cell may not have: ``low`` to ``high``, both included."""

    cell: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Attacks:
    """One attack a row: ``(T - offset) / times`` is taken for ``target``. Confidential.

    ``scenario`` is a position in the names of ``Scenario``.
    """

    cell: NDArray[np.int64]
    offset: NDArray[np.int64]
    times: NDArray[np.int64]
    target: NDArray[np.int64]
    scenario: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.cell)

    def __repr__(self) -> str:
        return f"<Attacks: {len(self):,}, confidential>"

    @property
    def centre(self) -> NDArray[np.int64]:
        """The published number that gives the true quantity exactly."""
        rough = np.abs(self.offset.astype(np.float64))
        rough += self.times * np.abs(self.target.astype(np.float64))
        if (rough >= _SAFE_PRODUCT).any():
            message = (
                "What attackers multiply here does not fit in 64 bits. Use fewer "
                "decimals or larger units (thousands)."
            )
            raise InputError(message)
        return self.offset + self.times * self.target


def attacks_on(
    people: People,
    *,
    phi: int | None = 3,
    scenarios: tuple[Scenario, ...] = SCENARIOS,
    signed: bool = False,
) -> Attacks:
    """List every attack on every cell.

    ``phi`` is how many of the largest contributors attack (None: all of them). With
    ``signed`` contributions may be negative: then each of the largest attacks each
    other, and nobody takes the sum of all but the two largest for small (IIIb).

    >>> import numpy as np
    >>> one = People(np.array([0, 2]), np.array([100, 10]))
    >>> found = attacks_on(one)
    >>> found.centre.tolist()
    [110, 110, 200, 20]
    """
    parts = [_MAKERS[name](people, phi, signed) for name in scenarios]
    names = get_args(Scenario)
    scenario = [
        np.full(len(part[0]), names.index(name), dtype=np.uint8)
        for name, part in zip(scenarios, parts, strict=True)
    ]
    cell, offset, times, target = (np.concatenate(c) for c in zip(*parts, strict=True))
    return Attacks(cell, offset, times, target, np.concatenate(scenario))


def reach_of(attacks: Attacks, share: Fraction, least: int = 0) -> NDArray[np.int64]:
    """How far a whole published number must stay from the centre of each attack.

    The distance is ``times`` the larger of a share of the target and ``least``,
    rounded up: computed in whole numbers, so that equality is exact.

    >>> import numpy as np
    >>> from fractions import Fraction
    >>> one = People(np.array([0, 1]), np.array([500]))
    >>> reach_of(attacks_on(one), Fraction(1, 10)).tolist()
    [50]
    """
    size = attacks.times * np.abs(attacks.target)
    whole, rest = np.divmod(size, share.denominator)
    # -(-a // b) rounds a / b up
    up = whole * share.numerator - (-rest * share.numerator // share.denominator)
    reach: NDArray[np.int64] = np.maximum(up, attacks.times * least)
    return reach


def forbidden(attacks: Attacks, reach: NDArray[np.int64]) -> Forbidden:
    """The whole numbers that lie closer to the centre of an attack than its reach."""
    bites = reach > 0
    centre, reach = attacks.centre[bites], reach[bites]
    return Forbidden(attacks.cell[bites], centre - reach + 1, centre + reach - 1)


Columns = tuple[
    "NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.int64]"
]


def _estimate_itself(people: People, _phi: int | None, _signed: bool) -> Columns:  # noqa: FBT001
    """I: the only contributor is read off the published number."""
    cell = np.flatnonzero(people.counts == 1)
    return _largest_as_published(people, cell)


def _estimate_itself_always(
    people: People,
    _phi: int | None,
    _signed: bool,  # noqa: FBT001
) -> Columns:
    """I, of the largest contributor however many there are."""
    return _largest_as_published(people, np.flatnonzero(people.counts > 0))


def _largest_as_published(people: People, cell: NDArray[np.int64]) -> Columns:
    zero, one = np.zeros_like(cell), np.ones_like(cell)
    return cell, zero, one, people.at(cell, 1)


def _one_by_another(people: People, phi: int | None, signed: bool) -> Columns:  # noqa: FBT001
    """IIIa: the two largest, of each other; of signed ones all pairs of the largest."""
    cell = np.flatnonzero(people.counts >= 2)  # noqa: PLR2004 - a pair
    if not signed:
        first, second = people.at(cell, 1), people.at(cell, 2)
        one = np.ones_like(cell)
        return (
            np.concatenate([cell, cell]),
            np.concatenate([first, second]),
            np.concatenate([one, one]),
            np.concatenate([second, first]),
        )
    attackers = _attackers(people, cell, phi, least=2)
    pair, which = _repeat(attackers * attackers)
    by, of = which // attackers[pair], which % attackers[pair]
    other = by != of
    pair, by, of = pair[other], by[other], of[other]
    where = cell[pair]
    return (
        where,
        people.at(where, by + 1),
        np.ones_like(where),
        people.at(where, of + 1),
    )


def _all_the_others(people: People, _phi: int | None, signed: bool) -> Columns:  # noqa: FBT001
    """IIIb: the second largest takes the largest for as large as itself."""
    cell = np.flatnonzero(people.counts >= 3) if not signed else np.zeros(0, np.int64)  # noqa: PLR2004
    second = people.at(cell, 2)
    rest = people.sums[cell] - people.at(cell, 1) - second
    return cell, 2 * second, np.ones_like(cell), rest


def _mean_of_larger(people: People, phi: int | None, _signed: bool) -> Columns:  # noqa: FBT001
    """IIIc: from position 3 on, each takes larger ones for the mean of the rest."""
    cell = np.flatnonzero(people.counts >= 3)  # noqa: PLR2004 - position 3
    attackers = _attackers(people, cell, phi, least=0)
    which, by = _repeat(np.maximum(attackers - 2, 0))
    by = by + 3
    pair, of = _repeat(by - 1)
    where, by = cell[which[pair]], by[pair]
    return where, people.at(where, by), by - 1, people.at(where, of + 1)


def _mean_of_all(people: People, _phi: int | None, _signed: bool) -> Columns:  # noqa: FBT001
    """IV: the mean, of everybody."""
    counts = people.counts
    several = np.flatnonzero(counts >= 2)  # noqa: PLR2004 - a mean of one is scenario I
    which, rank = _repeat(people.listed[several])
    cell = several[which]
    return cell, np.zeros_like(cell), counts[cell], people.at(cell, rank + 1)


def unlisted_means(people: People, share: Fraction) -> Forbidden:
    """IV, of contributors whose amounts are not known one by one.

    None of them is larger than the last that is listed, and together they have what is
    left; whatever they are, the mean must miss them.
    """
    some = np.flatnonzero(people.counts > people.listed)
    if people.rest is None or not len(some):
        none = np.zeros(0, dtype=np.int64)
        return Forbidden(none, none, none)
    many, rest = people.counts[some], people.rest[some]
    last = people.at(some, people.listed[some])
    others = many - people.listed[some]
    least = np.maximum(rest - (others - 1) * last, 0)
    most = np.minimum(last, rest)
    down, up = share.denominator - share.numerator, share.denominator + share.numerator
    low = many * least * down // share.denominator + 1
    high = -(-many * most * up // share.denominator) - 1
    return Forbidden(some, low, high)


def _attackers(
    people: People, cell: NDArray[np.int64], phi: int | None, *, least: int
) -> NDArray[np.int64]:
    counts = people.listed[cell]
    return counts if phi is None else np.minimum(counts, max(phi, least))


def _repeat(
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Position k as often as ``counts[k]`` says, and the how-manieth it is, from 0."""
    which = np.repeat(np.arange(len(counts)), counts)
    start = np.cumsum(counts) - counts
    return which, np.arange(len(which)) - start[which]


_MAKERS: dict[str, Callable[[People, int | None, bool], Columns]] = {
    "I": _estimate_itself,
    "I_any": _estimate_itself_always,
    "IIIa": _one_by_another,
    "IIIb": _all_the_others,
    "IIIc": _mean_of_larger,
    "IV": _mean_of_all,
}
