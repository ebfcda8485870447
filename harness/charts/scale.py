"""Axes: from a number to a place, and the ticks in between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_RATIO_TICKS = (
    0.001, 0.003, 0.01, 0.03, 0.1, 0.125, 0.15, 0.2, 0.25, 0.33, 0.5, 0.67, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.25, 1.5,
    2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 30.0, 100.0, 300.0, 1000.0,
)  # fmt: skip
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """A map from `[low, high]` to the pixels `[start, end]`.

    Attributes
    ----------
    low, high : float
        Data limits; positive if `logarithmic`.
    start, end : float
        Where they are drawn; `start > end` runs the axis backwards, as for a vertical one.
    """

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of `value`; values outside the limits are put onto the nearer one."""
        clamped = min(max(value, self.low), self.high)
        if self.logarithmic:
            share = math.log(clamped / self.low) / math.log(self.high / self.low)
        else:
            share = (clamped - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def contains(self, value: float) -> bool:
        """Return whether `value` is drawn where it is."""
        return self.low <= value <= self.high


def ratio_limits(values: Sequence[float], margin: float) -> tuple[float, float]:
    """Return limits, symmetric about 1 on a logarithmic axis, that hold the values and twice the margin.

    They end at 8, where a few outliers would make the rest unreadable; unless half of the values lie beyond.
    """
    reaches = sorted(abs(math.log(v)) for v in values if v > 0)
    widest, middle = (reaches[-1], reaches[len(reaches) // 2]) if reaches else (0.0, 0.0)
    end = widest * 1.06 if middle > math.log(8.0) else math.log(8.0)
    reach = min(max(widest * 1.06, 2 * math.log1p(margin), math.log(1.2)), end)
    return math.exp(-reach), math.exp(reach)


def ratio_ticks(low: float, high: float, space: float, least: float = 38.0) -> list[float]:
    """Return round ratios within the limits, as many as fit: `least` pixels apart over `space` pixels."""
    width = math.log(high / low)
    chosen = [1.0]
    inside = [t for t in _RATIO_TICKS if low <= t <= high]
    for tick in sorted(inside, key=lambda t: -abs(math.log(t))):
        if all(abs(math.log(tick / other)) / width * space >= least for other in chosen):
            chosen.append(tick)
    return sorted(chosen)


def linear_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return about `count` round numbers from `low` to `high`."""
    if not high > low:
        return [low]
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in _STEPS if s * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def decades(low: float, high: float) -> list[float]:
    """Return the powers of ten from `low` to `high`."""
    return [10.0**i for i in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)]


def tick_text(value: float) -> str:
    """Return a tick as people write it: powers of ten from a hundred thousand on as such."""
    exponent = round(math.log10(value))
    if value < 1e5 or 10.0**exponent != value:
        return f"{value:g}"
    return f"10{str(exponent).translate(_SUPERSCRIPT)}"


_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
