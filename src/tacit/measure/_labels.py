# SPDX-License-Identifier: Apache-2.0
"""Names beside points, so that none covers another name or a point."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Box", "place_labels"]

_RADIUS = 10.0
_STEPS = (12.0, 20.0, 32.0, 48.0, 68.0, 92.0, 120.0, 160.0, 210.0, 270.0)
_TURNS = 24
_AIR = 2.0


class Box(NamedTuple):
    """A rectangle on the paper."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether the two share more than an edge.

        >>> Box(0, 0, 2, 2).meets(Box(1, 1, 3, 3))
        True
        >>> Box(0, 0, 2, 2).meets(Box(2, 0, 4, 2))
        False
        """
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def inside(self, other: Box) -> bool:
        """Whether this lies within the other."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


def place_labels(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    paper: Box,
) -> list[Box | None]:
    """Find a place for each label, near its point; None where there is no room.

    Labels of the most crowded points are placed first.

    >>> one, two = place_labels([(50, 50), (50, 50)], [(20, 10)] * 2, Box(0, 0, 99, 99))
    >>> one.meets(two)
    False
    """
    taken = [_around(x, y, _RADIUS) for x, y in points]
    placed: list[Box | None] = [None] * len(points)
    for k in sorted(range(len(points)), key=lambda k: (_room(points, k), k)):
        for box in _candidates(points[k], sizes[k]):
            free = not any(box.meets(other) for other in taken)
            if free and box.inside(paper):
                placed[k] = box
                taken.append(box)
                break
    return placed


def _around(x: float, y: float, radius: float) -> Box:
    return Box(x - radius, y - radius, x + radius, y + radius)


def _room(points: Sequence[tuple[float, float]], k: int) -> float:
    """Distance to the nearest other point."""
    return min(
        (math.dist(points[k], other) for j, other in enumerate(points) if j != k),
        default=math.inf,
    )


def _candidates(point: tuple[float, float], size: tuple[float, float]) -> Iterator[Box]:
    """Boxes around a point, the nearest first; at each distance to the right first."""
    (x, y), (width, height) = point, size
    width, height = width + 2 * _AIR, height + 2 * _AIR
    for step in _STEPS:
        for turn in range(_TURNS):
            # Right, left, above, below, and then what lies between.
            angle = 2 * math.pi * (turn * 13 % _TURNS) / _TURNS
            dx, dy = math.cos(angle), -math.sin(angle)
            across = x + dx * step + (dx - 1) / 2 * width
            down = y + dy * step + (dy - 1) / 2 * height
            yield Box(across, down, across + width, down + height)
