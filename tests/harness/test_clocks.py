"""What a clock costs is measured, and samples are long against it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kparity.harness.cell_summary import summarize
from kparity.harness.clocks import ClockCost, clock_cost, clock_share
from kparity.harness.records import Cell, Record
from kparity.harness.timing import Side, SideFailed, Stopwatch, TimingRule, measure

from .fakes import FakeDevice

CELL = Cell("s", "G_K", "cuda", 1, "checked")
RULE = TimingRule(sample_seconds=0.002, samples=4, warm_up_seconds=0.05, precise=0.02, one_clock=False)


class CoarseDevice(FakeDevice):
    """Reads its clock in steps, and needs a while for it."""

    def __init__(self, cost: float, grain: float) -> None:
        super().__init__()
        self.cost, self.grain, self.readings = cost, grain, 0

    def elapsed(self, call: Callable[[], None]) -> float:
        self.readings += 1
        jitter = self.grain * (self.readings % 3)
        return super().elapsed(call) + self.cost + jitter


class Program:
    def __init__(self, device: FakeDevice, seconds: float) -> None:
        self.device, self.seconds = device, seconds

    def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
        self.device.now += repetitions * self.seconds


def watch(device: FakeDevice, cost: ClockCost) -> Stopwatch:
    return Stopwatch(device, RULE, lambda what, cell: None, lambda: device.now, cost=cost)


def test_cost_and_grain_are_those_of_intervals_around_nothing() -> None:
    device = CoarseDevice(5e-6, 2.0**-21)
    cost = clock_cost(device, lambda: device.now)
    assert cost.device == pytest.approx(5e-6 + 2.0**-21)
    assert cost.grain == pytest.approx(2.0**-21, abs=2e-10)
    assert cost.wall == 0.0


def test_a_clock_that_runs_backwards_is_refused() -> None:
    device = CoarseDevice(-1e-6, 0.0)
    with pytest.raises(ArithmeticError, match="-1e-06 s for an empty interval"):
        clock_cost(device)


def test_what_the_clock_cannot_tell_apart_is_repeated_beyond_the_cap() -> None:
    device = FakeDevice()
    side = Side(CELL, Program(device, 1e-6), lambda: None)
    assert measure([side], watch(device, ClockCost()), 5)[CELL].repetitions == 5
    assert measure([side], watch(device, ClockCost(device=8e-6)), 5)[CELL].repetitions == 80
    assert measure([side], watch(device, ClockCost(grain=1e-6)), 5)[CELL].repetitions == 100


@pytest.mark.parametrize("sweep", [None, lambda: None])
def test_a_negative_interval_fails_its_side_even_within_a_sum(sweep: Callable[[], None] | None) -> None:
    device = CoarseDevice(-1.5e-3, 1e-3)  # negative once in three readings
    watching = watch(device, ClockCost())
    watching.sweep = sweep
    with pytest.raises(SideFailed) as caught:
        measure([Side(CELL, Program(device, 1e-3), lambda: None)], watching, 3)
    assert "the clock gave -0.0004" in str(caught.value.__cause__)


def test_a_cell_says_that_the_clock_is_part_of_its_samples() -> None:
    def record(intervals: int) -> Record:
        clock = ClockCost(device=5e-6).to_json(intervals)
        return Record("r", CELL, 0, 0, "ok", repetitions=10, device_seconds=[1e-4], conditions={"clock": clock})

    assert clock_share(record(1)) == pytest.approx(0.005)
    assert summarize([record(1)])[CELL].message == ""
    assert clock_share(record(10)) == pytest.approx(0.05)
    assert (
        summarize([record(10)])[CELL].message
        == "1 of 1 walks with samples of which the clock's own cost is more than 1 %"
    )
    assert clock_share(Record("r", CELL, 0, 0, "ok", device_seconds=[1e-4])) == 0.0
