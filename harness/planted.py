"""A slowdown of known size, planted on one side of a self-test."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .timing import Launchable

_FINEST = 100  # repetitions of the shortest sample that a slowdown may need


@dataclass(frozen=True, slots=True)
class Slowed:
    """Launches more often than it is told to, in the given proportion.

    Attributes
    ----------
    bound : Launchable
    share : float
        Launches too many, of those asked for; exact for multiples of `whole_repetitions(share)`.
    """

    bound: Launchable
    share: float

    def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
        """Launch `repetitions` repetitions, and those too many."""
        more = round(repetitions * self.share)
        self.bound.run(repetitions + more, first=first, stream=stream, bring_back=bring_back)


def whole_repetitions(share: float) -> int:
    """Return the fewest repetitions of which `share` is a whole number, or as near as a hundredth."""
    return Fraction(share).limit_denominator(_FINEST).denominator
