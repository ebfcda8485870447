"""What reading the clocks costs, and how fine they are: measured before they are used."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from statistics import median
from typing import Any, Protocol

from .records import Record

NOTICEABLE = 0.01  # share of a sample that is the clock's own, above which it is told
_ROUNDS = 64
_DIGITS = 10  # a tenth of a nanosecond: finer differences are those of floating point


class Timer(Protocol):
    """The part of a device whose clock is looked at."""

    def synchronize(self) -> None:
        """Wait for everything launched."""

    def elapsed(self, call: Callable[[], None]) -> float:
        """Seconds that the device spends on what `call` launches."""


@dataclass(frozen=True, slots=True)
class ClockCost:
    """What an interval around nothing shows.

    Attributes
    ----------
    device, wall : float
        Seconds that such an interval lasts (median), on each clock: the part of every interval that is the clock's own.
    grain : float
        The least difference between two readings, seconds, of the coarser clock.
    """

    device: float = 0.0
    wall: float = 0.0
    grain: float = 0.0

    @property
    def shortest_sample(self) -> float:
        """Seconds below which an interval says too little: its own cost is a tenth, or its grain a hundredth."""
        return max(10 * self.device, 10 * self.wall, 100 * self.grain)

    def to_json(self, intervals: int) -> dict[str, Any]:
        """Return JSON values for a record whose samples consist of `intervals` intervals each."""
        return {**asdict(self), "intervals": intervals}


def clock_cost(device: Timer, clock: Callable[[], float] = time.perf_counter) -> ClockCost:
    """Measure intervals around nothing, on both clocks.

    Parameters
    ----------
    device : Timer
    clock : callable
        Wall clock, seconds.

    Raises
    ------
    ArithmeticError
        The device's clock runs backwards.
    """
    on_device = [device.elapsed(_nothing) for _ in range(_ROUNDS)]
    if min(on_device) < 0.0:
        raise ArithmeticError(f"the device's clock gave {min(on_device)} s for an empty interval")
    on_wall = []
    for _ in range(_ROUNDS):
        start = clock()
        device.synchronize()
        on_wall.append(clock() - start)
    return ClockCost(median(on_device), median(on_wall), max(_grain(on_device), _grain(on_wall)))


def clock_share(record: Record) -> float:
    """Return the share of a sample that is the clock's own, the greater of both clocks; 0 where it was not measured."""
    clock = record.conditions.get("clock")
    if not clock:
        return 0.0
    samples = {"device": record.device_seconds, "wall": record.wall_seconds}
    lengths = {name: median(own) * record.repetitions for name, own in samples.items() if own}
    return max((clock[name] * clock["intervals"] / length for name, length in lengths.items() if length), default=0.0)


def _nothing() -> None:
    """Do it: what an empty interval is around."""


def _grain(readings: Iterable[float]) -> float:
    """Return the least difference between readings that differ; 0 if none does."""
    steps = sorted({round(reading, _DIGITS) for reading in readings})
    return min((b - a for a, b in pairwise(steps)), default=0.0)
