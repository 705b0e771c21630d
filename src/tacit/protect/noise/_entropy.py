# SPDX-License-Identifier: Apache-2.0
"""The distribution of greatest entropy with a given mean and variance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Wish", "most_uncertain"]

_TOLERANCE = 1e-12
_STEPS = 200
_FLAT = 1e-15
_NOTHING = 1e-13


class Wish(NamedTuple):
    """What a distribution over ``noise`` must have: mean 0 and this variance.

    Without ``strict`` a variance that is out of reach is no condition.
    ``stay`` is the probability of no change, if it is given. With ``monotone`` no
    change is less likely than a larger one in the same direction.
    """

    variance: float
    stay: float | None = None
    monotone: bool = True
    strict: bool = True


def most_uncertain(
    noise: NDArray[np.float64], wish: Wish, name: str
) -> NDArray[np.float64]:
    """Find the probabilities of greatest entropy; ``name`` says of what in an error.

    >>> row = most_uncertain(np.arange(-2.0, 3.0), Wish(variance=1.0), "a row")
    >>> row.round(6).tolist()
    [0.063827, 0.244691, 0.382963, 0.244691, 0.063827]
    """
    features, wanted = _equations(noise, wish)
    order = _order(noise) if wish.monotone else np.zeros((0, len(noise)))
    if not _possible(noise, wish, (features, wanted, order), name):
        features, wanted = np.delete(features, 1, axis=0), np.delete(wanted, 1)
    active: list[int] = []
    for _ in range(4 * len(order) + 1):
        rows = np.concatenate([features, order[active]])
        goal = np.concatenate([wanted, np.zeros(len(active))])
        probability, multipliers = _fitted(rows, goal, name)
        pushed = multipliers[len(features) :]
        broken = order @ probability
        if active and pushed.min() < -_LOOSE:
            del active[int(pushed.argmin())]
        elif len(order) and broken.max() > _LOOSE:
            active.append(int(broken.argmax()))
        else:
            break
    # At the edge of what is possible some results have no probability at all.
    probability = np.where(probability < _NOTHING, 0.0, probability)
    return np.asarray(probability / probability.sum())


_LOOSE = 1e-10


def _equations(
    noise: NDArray[np.float64], wish: Wish
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    features, wanted = [noise, noise**2], [0.0, wish.variance]
    if wish.stay is not None and (noise == 0).any():
        features.append((noise == 0).astype(np.float64))
        wanted.append(wish.stay)
    return np.array(features), np.array(wanted)


def _order(noise: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of which none may be positive: what is farther must not be more likely."""
    rows = []
    for k in range(len(noise) - 1):
        if noise[k] >= 0 or noise[k + 1] <= 0:
            row = np.zeros(len(noise))
            far, near = (k + 1, k) if noise[k] >= 0 else (k, k + 1)
            row[far], row[near] = 1.0, -1.0
            rows.append(row)
    return np.array(rows).reshape(len(rows), len(noise))


def _fitted(
    rows: NDArray[np.float64], goal: NDArray[np.float64], name: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit the exponential family by Newton's method; its dual is smooth and convex."""
    size_of = np.abs(rows).max(axis=1, initial=1e-300)
    rows, goal = rows / size_of[:, None], goal / size_of
    multipliers = np.zeros(len(goal))
    value = _dual(rows, goal, multipliers)
    for _ in range(_STEPS):
        probability = _probabilities(rows, multipliers)
        means = rows @ probability
        gradient = goal - means
        if np.abs(gradient).max() < _TOLERANCE:
            return probability, multipliers
        centred = rows - means[:, None]
        hessian = (centred * probability) @ centred.T
        step = np.linalg.lstsq(hessian, -gradient, rcond=1e-13)[0]
        size = 1.0
        while size > _TOLERANCE:
            trial = _dual(rows, goal, multipliers + size * step)
            if trial <= value + 1e-4 * size * float(gradient @ step) + _FLAT:
                break
            size /= 2
        multipliers = multipliers + size * step
        value = _dual(rows, goal, multipliers)
    probability = _probabilities(rows, multipliers)
    if np.abs(rows @ probability - goal).max() < _GOOD_ENOUGH:
        return probability, multipliers
    message = (
        f"No distribution was found for {name}: what is asked for is at the edge of "
        "what is possible. Choose a slightly different variance."
    )
    raise InputError(message)


_GOOD_ENOUGH = 1e-8


def _probabilities(
    rows: NDArray[np.float64], multipliers: NDArray[np.float64]
) -> NDArray[np.float64]:
    weight = -multipliers @ rows
    weight = np.exp(weight - weight.max())
    found: NDArray[np.float64] = weight / weight.sum()
    return found


def _dual(
    rows: NDArray[np.float64], goal: NDArray[np.float64], at: NDArray[np.float64]
) -> float:
    weight = -at @ rows
    top = weight.max()
    return float(top + np.log(np.exp(weight - top).sum()) + at @ goal)


def _possible(
    noise: NDArray[np.float64],
    wish: Wish,
    asked: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    name: str,
) -> bool:
    """Whether some distribution has this variance; if one must, say which there are."""
    from scipy.optimize import linprog  # noqa: PLC0415 - heavy, only where needed

    features, wanted, order = asked
    others = np.delete(np.arange(len(features)), 1)
    rows = np.concatenate([features[others], np.ones((1, len(noise)))])
    goal = np.append(wanted[others], 1.0)
    ends = []
    for sign in (1.0, -1.0):
        found = linprog(
            sign * noise**2,
            A_ub=order if len(order) else None,
            b_ub=np.zeros(len(order)) if len(order) else None,
            A_eq=rows,
            b_eq=goal,
        )
        if not found.success:
            message = (
                f"There is no unbiased noise for {name} under these conditions. Allow "
                "larger changes (D), fewer forbidden results (js), or another pstay."
            )
            raise InputError(message)
        ends.append(float(np.asarray(found.x) @ noise**2))
    low, high = ends
    possible = low - _GOOD_ENOUGH <= wish.variance <= high + _GOOD_ENOUGH
    if not possible and wish.strict:
        message = (
            f"The variance V = {wish.variance:g} is out of reach for {name}: with "
            f"these D, js and pstay it lies between {low:.6g} and {high:.6g}. With "
            "strict=False such a row gets the variance that it can have."
        )
        raise InputError(message)
    return possible
