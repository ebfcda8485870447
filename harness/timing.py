"""Samples of the sides of one comparison, interleaved, on two clocks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeVar

from .clocks import ClockCost
from .ranks import Ranks
from .records import Cell

T = TypeVar("T")


class Launchable(Protocol):
    """What is timed: a program with its arguments, as `kparity.compiler` binds it."""

    def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
        """Launch `repetitions` repetitions back to back."""


class Clocked(Protocol):
    """The part of a device that timing needs."""

    @property
    def stream(self) -> int:
        """Address of the stream that launches go to, and whose time `elapsed` measures."""

    def synchronize(self) -> None:
        """Wait for everything launched."""

    def elapsed(self, call: Callable[[], None]) -> float:
        """Seconds that the device spends on what `call` launches."""


@dataclass(frozen=True, slots=True)
class TimingRule:
    """How long samples last on a target.

    Attributes
    ----------
    sample_seconds : float
        Shortest duration of one sample of the fastest side; long against the clock's grain and a launch's jitter.
    samples : int
        Samples a side; even, so that each order of the sides is used equally often.
    warm_up_seconds : float
        Longest time spent on one side until its times are steady.
    precise : float
        Relative half width of the speedup's interval that is aimed at.
    one_clock : bool
        Device and host share a clock, so that one run serves both unless scalars are brought back.
    longest_seconds : float
        Spent on all samples of the slowest side; a repetition that takes seconds gets fewer samples, at least two.
    """

    sample_seconds: float
    samples: int
    warm_up_seconds: float
    precise: float
    one_clock: bool
    longest_seconds: float = 2.0


CPU = TimingRule(sample_seconds=0.02, samples=10, warm_up_seconds=0.1, precise=0.05, one_clock=True)
GPU = TimingRule(sample_seconds=0.002, samples=10, warm_up_seconds=0.05, precise=0.02, one_clock=False)


def timing_rule(target: str) -> TimingRule:
    """Return the rule of a target: host threads need longer samples than a device with a clock of its own."""
    return CPU if target.startswith("cpu") else GPU


@dataclass(slots=True)
class Side:
    """One side of a comparison, ready to launch.

    Attributes
    ----------
    cell : Cell
    bound : Launchable
        On arguments of its own.
    restore : callable
        Puts the arguments into their initial state; asynchronous, outside every interval.
    returns_scalars : bool
        Whether a repetition brings values back to the host.
    prepare : callable
        Told before each interval how many repetitions it will have; before the arguments are restored.
    """

    cell: Cell
    bound: Launchable
    restore: Callable[[], None]
    returns_scalars: bool = False
    prepare: Callable[[int], None] = lambda repetitions: None


@dataclass(slots=True)
class Samples:
    """Seconds a repetition of one side, in the order taken."""

    repetitions: int
    device_seconds: list[float] = field(default_factory=list)
    wall_seconds: list[float] = field(default_factory=list)


class SideFailed(Exception):
    """One side of a comparison broke while it ran; `__cause__` says how.

    Attributes
    ----------
    cell : Cell
    """

    def __init__(self, cell: Cell) -> None:
        super().__init__(f"{cell.kernel} {cell.variant} {cell.tuning}")
        self.cell = cell


Clock = Callable[[], float]
Announce = Callable[[str, Cell], None]  # what is about to run, so that a hang or a crash is charged to the right side


@dataclass(slots=True)
class Stopwatch:
    """The clocks of one comparison, and who is told what runs.

    Attributes
    ----------
    device : Clocked
    rule : TimingRule
    announce : callable
    clock : callable
        Wall clock, seconds.
    sweep : callable or None
        Drives everything out of the caches before each launch; then the times of single launches are added up.
    cost : ClockCost
        Of the two clocks: samples are made long against it.
    ranks : Ranks
        Processes that launch the same at the same time: they start each interval together, and decide alike.
    """

    device: Clocked
    rule: TimingRule
    announce: Announce
    clock: Clock = time.perf_counter
    sweep: Callable[[], None] | None = None
    cost: ClockCost = field(default_factory=ClockCost)
    ranks: Ranks = field(default_factory=Ranks)

    def device_time(self, side: Side, repetitions: int) -> float:
        """Seconds that `repetitions` launches keep the device busy; no scalar is waited for."""
        return self._total(side, repetitions, self._device_interval)

    def wall_time(self, side: Side, repetitions: int) -> float:
        """Seconds that `repetitions` repetitions take, with everything that a repetition does."""
        return self._total(side, repetitions, self._wall_interval)

    def _total(self, side: Side, repetitions: int, interval: Callable[[Side, int, int], float]) -> float:
        """Seconds of one interval around all repetitions; if caches are swept, of one around each."""
        self._prepare(side, repetitions if self.sweep is None else 1)
        if self.sweep is None:
            return _forwards(interval(side, 0, repetitions))
        seconds = 0.0
        for number in range(repetitions):
            self.sweep()
            self.device.synchronize()
            seconds += _forwards(interval(side, number, 1))
        return seconds

    def _device_interval(self, side: Side, first: int, repetitions: int) -> float:
        stream = self.device.stream
        return self.device.elapsed(lambda: side.bound.run(repetitions, first=first, stream=stream, bring_back=False))

    def _wall_interval(self, side: Side, first: int, repetitions: int) -> float:
        start = self.clock()
        side.bound.run(repetitions, first=first, stream=self.device.stream, bring_back=True)
        self.device.synchronize()
        return self.clock() - start

    def both_times(self, side: Side, repetitions: int) -> tuple[float, float]:
        """Device and wall seconds; of one run where the clock is the same and nothing is brought back."""
        if side.returns_scalars or self.sweep is not None or not self.rule.one_clock:
            return self.device_time(side, repetitions), self.wall_time(side, repetitions)
        self._prepare(side, repetitions)
        start = self.clock()
        device = self.device.elapsed(lambda: side.bound.run(repetitions, stream=self.device.stream, bring_back=False))
        return device, self.clock() - start

    def _prepare(self, side: Side, repetitions: int) -> None:
        side.prepare(repetitions)
        side.restore()
        self.device.synchronize()
        self.ranks.barrier()


def measure(sides: Sequence[Side], watch: Stopwatch, most_repetitions: int, unit: int = 1) -> dict[Cell, Samples]:
    """Warm up, choose one number of repetitions for all sides, and take samples in the order ABBA, ABBA, ...

    Parameters
    ----------
    sides : sequence of Side
        Of one comparison; the first one goes first in the first sample.
    watch : Stopwatch
    most_repetitions : int
        Cap on the launches of one sample.
    unit : int
        Launches of a sample are a multiple of it.

    Returns
    -------
    dict of Cell to Samples
        Equally many samples a side, on each clock: `watch.rule.samples`, or fewer of a slow kernel.

    Raises
    ------
    SideFailed
        A side raised, or a clock gave a time that is not positive; the error is its cause.
    """
    paces = [_guarded(side, "warm up", watch, partial(warm_up, side, watch, most_repetitions)) for side in sides]
    pace = min(paces, default=1.0)
    repetitions = choose_repetitions(pace, watch.rule.sample_seconds, most_repetitions)
    if watch.sweep is None and pace > 0.0:  # what the clock cannot tell apart is repeated beyond the cap
        repetitions = max(repetitions, math.ceil(watch.cost.shortest_sample / pace))
    repetitions = unit * math.ceil(watch.ranks.greatest(repetitions) / unit)
    taken = {side.cell: Samples(repetitions) for side in sides}
    for _ in range(choose_samples(max(paces, default=0.0) * repetitions, watch.rule) // 2):
        for side in (*sides, *reversed(sides)):
            device, wall = _guarded(side, "sample", watch, partial(watch.both_times, side, repetitions))
            taken[side.cell].device_seconds.append(_positive(device / repetitions, side))
            taken[side.cell].wall_seconds.append(_positive(wall / repetitions, side))
    return taken


def measure_passes(sides: Sequence[Side], watch: Stopwatch, passes: int, repetitions: int) -> dict[Cell, Samples]:
    """RAJAPerf's protocol: no warm-up, one wall-clock interval around all repetitions, side by side, pass by pass.

    Returns
    -------
    dict of Cell to Samples
        One wall-clock sample a pass; the device clock is not read.
    """
    taken = {side.cell: Samples(repetitions) for side in sides}
    for _ in range(passes):
        for side in sides:
            wall = _guarded(side, "pass", watch, partial(watch.wall_time, side, repetitions))
            taken[side.cell].wall_seconds.append(_positive(wall / repetitions, side))
    return taken


def warm_up(side: Side, watch: Stopwatch, most_repetitions: int, rounds: int = 50) -> float:
    """Run a side until three successive times agree within 5 %, and return its seconds a repetition.

    Runs that are too short to be judged are lengthened first. Ends in any case after `rounds` runs or the rule's time.
    """
    repetitions, spent, paces = 1, 0.0, list[float]()
    for _ in range(rounds):
        seconds = watch.ranks.greatest(watch.device_time(side, repetitions))
        spent += seconds
        if seconds < watch.rule.sample_seconds / 4 and repetitions < most_repetitions:
            repetitions = min(4 * repetitions, most_repetitions)
            continue
        paces = [*paces[-2:], seconds / repetitions]
        steady = len(paces) == 3 and max(paces) <= 1.05 * min(paces)
        if steady or spent >= watch.rule.warm_up_seconds:
            break
    return min(paces, default=seconds / repetitions)


def choose_repetitions(pace: float, sample_seconds: float, most: int) -> int:
    """Return how many launches make one sample of at least `sample_seconds`, between 1 and `most`."""
    if pace <= 0.0:
        return max(1, most)
    return max(1, min(most, math.ceil(sample_seconds / pace)))


def choose_samples(seconds: float, rule: TimingRule) -> int:
    """Return how many samples of `seconds` to take a side: even, at least two, as the rule's time allows."""
    affordable = rule.longest_seconds / seconds if seconds > 0.0 else math.inf
    return max(2, 2 * int(min(rule.samples, affordable) / 2))


def repetition_cap(repetitions: int, default_size: int, size: int, factor: float = 1.0) -> int:
    """Return the most launches of one sample: never more work than the suite's default run does.

    Parameters
    ----------
    repetitions, default_size : int
        The suite's defaults of the kernel.
    size : int
        Size that is timed; a smaller one may be repeated more often.
    factor : float
        `--repfact`.
    """
    return max(1, int(repetitions * factor * max(1.0, default_size / size)))


def _guarded(side: Side, what: str, watch: Stopwatch, call: Callable[[], T]) -> T:
    """Announce and run one step of a side; whatever it raises is charged to it."""
    watch.announce(what, side.cell)
    try:
        return call()
    except Exception as error:
        raise SideFailed(side.cell) from error


def _forwards(seconds: float) -> float:
    """Return what a clock gave for one interval; a sum over several would hide one that ran backwards."""
    if seconds >= 0.0:
        return seconds
    raise ArithmeticError(f"the clock gave {seconds} s for an interval")


def _positive(seconds: float, side: Side) -> float:
    if seconds > 0.0 and math.isfinite(seconds):
        return seconds
    raise SideFailed(side.cell) from ArithmeticError(f"the clock gave {seconds} s for a repetition")
