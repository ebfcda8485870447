"""The few numbers that a campaign comes down to: means and verdict counts for each target and size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .comparison import Clock, ComparisonResult, by_place, target_order
from .statistics import geometric_mean

JUDGEMENTS = ("faster", "parity", "slower", "undecided", "none")


@dataclass(frozen=True, slots=True)
class Mean:
    """Geometric mean of speedups.

    Attributes
    ----------
    value : float or None
        None if no comparison has a ratio.
    low, high : float or None
        90% interval; None in quick mode (fewer than five walks).
    count, of : int
        Comparisons in the mean, and how many there are.
    """

    value: float | None
    low: float | None
    high: float | None
    count: int
    of: int


@dataclass(frozen=True, slots=True)
class Headline:
    """One target at one size.

    Attributes
    ----------
    size : int or None
        None: each kernel at one size of its own.
    means : dict
        Clock -> mean over all kernels.
    means_without_scalars : dict
        Clock -> mean over the kernels that bring nothing back to the host.
    verdicts : dict
        Clock -> judgement -> how many.
    """

    target: str
    size: int | None
    comparisons: tuple[ComparisonResult, ...]
    means: dict[Clock, Mean]
    means_without_scalars: dict[Clock, Mean]
    verdicts: dict[Clock, Counter[str]]

    @property
    def identity(self) -> str:
        """A word that is unique in a campaign, usable as an HTML id."""
        return f"{self.target}-{self.size or 'own'}"


def headlines(comparisons: Sequence[ComparisonResult]) -> list[Headline]:
    """Return one headline for each target and size, in that order."""
    groups = by_place(comparisons)
    return [_headline(target, size, groups[target, size]) for target, size in sorted(groups, key=_order)]


def main_clock(comparisons: Sequence[ComparisonResult]) -> Clock:
    """Return the clock that a campaign is about: the device's, unless only the wall clock was read."""
    read: dict[Clock, bool] = {
        clock: any(c.outcomes[clock].estimate is not None for c in comparisons) for clock in ("device", "wall")
    }
    return "wall" if read["wall"] and not read["device"] else "device"


def _order(key: tuple[str, int | None]) -> tuple[tuple[int, str], int]:
    return target_order(key[0]), key[1] or 0


def _headline(target: str, size: int | None, group: Sequence[ComparisonResult]) -> Headline:
    quiet = [c for c in group if not c.returns_scalars]
    clocks: tuple[Clock, ...] = ("device", "wall")
    return Headline(
        target=target,
        size=size,
        comparisons=tuple(group),
        means={clock: mean(group, clock) for clock in clocks},
        means_without_scalars={clock: mean(quiet, clock) for clock in clocks},
        verdicts={clock: Counter(c.outcomes[clock].judgement for c in group) for clock in clocks},
    )


def mean(group: Sequence[ComparisonResult], clock: Clock) -> Mean:
    """Return the geometric mean of the ratios that have an interval; if none has, of the point estimates.

    What is left out is counted, not guessed.
    """
    outcomes = [c.outcomes[clock] for c in group]
    ratios = [o.ratio for o in outcomes if o.ratio is not None]
    if ratios:
        result = geometric_mean(ratios)
        return Mean(result.value, result.low, result.high, len(ratios), len(group))
    estimates = [o.estimate for o in outcomes if o.estimate is not None]
    if estimates:
        return Mean(float(np.exp(np.mean(np.log(estimates)))), None, None, len(estimates), len(group))
    return Mean(None, None, None, 0, len(group))
