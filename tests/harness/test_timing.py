from __future__ import annotations

from collections.abc import Sequence

import pytest

from kparity.harness.records import Cell
from kparity.harness.timing import (
    Side,
    SideFailed,
    Stopwatch,
    TimingRule,
    choose_repetitions,
    choose_samples,
    measure,
    measure_passes,
    repetition_cap,
    timing_rule,
    warm_up,
)

from .fakes import FakeDevice

RULE = TimingRule(sample_seconds=0.002, samples=10, warm_up_seconds=0.05, precise=0.02, one_clock=False)
A = Cell("s", "G_K", "cuda", 1, "checked")
B = Cell("s", "G_K", "cuda", 1, "native")


class Program:
    """Takes the given seconds a repetition, in turn, and `extra` where scalars are brought back."""

    def __init__(
        self, device: FakeDevice, seconds: Sequence[float], log: list[str], name: str, extra: float = 0.0
    ) -> None:
        self.device, self.seconds, self.log, self.name, self.extra = device, seconds, log, name, extra
        self.runs: list[tuple[int, bool]] = []

    def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
        assert stream == self.device.stream
        pace = self.seconds[min(len(self.runs), len(self.seconds) - 1)]
        self.device.now += repetitions * (pace + (self.extra if bring_back else 0.0))
        self.runs.append((repetitions, bring_back))
        self.log.append(self.name)


class Bench:
    def __init__(self, rule: TimingRule = RULE, restore_seconds: float = 0.5) -> None:
        self.device = FakeDevice()
        self.log: list[str] = []
        self.announced: list[tuple[str, Cell]] = []
        self.restore_seconds = restore_seconds
        self.watch = Stopwatch(
            self.device, rule, lambda what, cell: self.announced.append((what, cell)), lambda: self.device.now
        )

    def side(self, cell: Cell, *seconds: float, extra: float = 0.0, returns: bool = False) -> Side:
        program = Program(self.device, seconds, self.log, cell.variant[0], extra)
        return Side(cell, program, self._restore, returns)

    def _restore(self) -> None:
        self.device.now += self.restore_seconds  # outside of every interval, or times would show it
        self.log.append("r")


def test_times_are_those_of_a_repetition_and_exclude_restoring() -> None:
    bench = Bench()
    taken = measure([bench.side(A, 1e-4), bench.side(B, 2e-4)], bench.watch, 10_000)
    assert taken[A].device_seconds == pytest.approx([1e-4] * 10)
    assert taken[B].device_seconds == pytest.approx([2e-4] * 10)
    assert taken[B].wall_seconds == pytest.approx([2e-4] * 10)


def test_the_fastest_side_fills_a_sample_and_all_sides_repeat_equally() -> None:
    bench = Bench(TimingRule(2**-8, 10, 0.05, 0.02, one_clock=False))
    taken = measure([bench.side(A, 2**-12), bench.side(B, 2**-10)], bench.watch, 10_000)
    assert taken[A].repetitions == taken[B].repetitions == 16


def test_sides_alternate_abba() -> None:
    bench = Bench(TimingRule(0.002, 4, 0.05, 0.02, one_clock=True))
    sides = [bench.side(A, 1e-3), bench.side(B, 1e-3)]
    measure(sides, bench.watch, 100)
    samples = [name for name in bench.log if name != "r"][6:]  # three runs of each warm up
    assert "".join(samples) == "cnnc" * 2


def test_every_run_starts_from_the_restored_state() -> None:
    bench = Bench()
    measure([bench.side(A, 1e-3), bench.side(B, 1e-3)], bench.watch, 100)
    assert bench.log[::2] == ["r"] * (len(bench.log) // 2)
    assert "r" not in bench.log[1::2]


def test_the_clocks_differ_by_what_brings_scalars_back() -> None:
    bench = Bench()
    taken = measure([bench.side(A, 1e-4, extra=3e-5, returns=True)], bench.watch, 1000)
    assert taken[A].device_seconds == pytest.approx([1e-4] * 10)
    assert taken[A].wall_seconds == pytest.approx([1.3e-4] * 10)


def test_one_run_serves_both_clocks_where_they_are_one() -> None:
    shared, apart = Bench(TimingRule(0.002, 10, 0.05, 0.02, one_clock=True)), Bench()
    for bench, runs in ((shared, 13), (apart, 23)):
        side = bench.side(A, 1e-3)
        measure([side], bench.watch, 100)
        assert isinstance(side.bound, Program)
        assert len(side.bound.runs) == runs  # three of them warm up


def test_scalars_need_two_runs_even_where_the_clocks_are_one() -> None:
    bench = Bench(TimingRule(0.002, 10, 0.05, 0.02, one_clock=True))
    side = bench.side(A, 1e-3, returns=True)
    measure([side], bench.watch, 100)
    assert isinstance(side.bound, Program)
    assert [back for _, back in side.bound.runs[3:]] == [False, True] * 10


def test_warm_up_goes_on_until_three_times_agree() -> None:
    bench = Bench()
    side = bench.side(A, 9e-3, 4e-3, 2e-3, 1.01e-3, 1e-3, 1e-3)
    assert warm_up(side, bench.watch, 100) == pytest.approx(1e-3)
    assert isinstance(side.bound, Program)
    assert len(side.bound.runs) == 6


def test_warm_up_ends_in_time_for_a_side_that_never_settles() -> None:
    bench = Bench()
    side = bench.side(A, *[1e-2, 2e-2] * 40)
    warm_up(side, bench.watch, 100)
    assert isinstance(side.bound, Program)
    assert len(side.bound.runs) == 4  # 50 ms are spent


def test_warm_up_lengthens_runs_that_are_too_short_to_judge() -> None:
    bench = Bench()
    side = bench.side(A, 1e-6)
    assert warm_up(side, bench.watch, 1 << 20) == pytest.approx(1e-6)
    assert isinstance(side.bound, Program)
    assert [r for r, _ in side.bound.runs][:5] == [1, 4, 16, 64, 256]


def test_a_clock_without_progress_is_an_error_not_a_speed() -> None:
    bench = Bench()
    with pytest.raises(SideFailed) as failure:
        measure([bench.side(A, 0.0)], bench.watch, 100)
    assert failure.value.cell == A
    assert "0.0 s" in str(failure.value.__cause__)


def test_a_failure_is_charged_to_its_side() -> None:
    bench = Bench()
    broken = bench.side(B, 1e-3)

    def restore() -> None:
        raise MemoryError("no room")

    broken.restore = restore
    with pytest.raises(SideFailed) as failure:
        measure([bench.side(A, 1e-3), broken], bench.watch, 100)
    assert failure.value.cell == B
    assert isinstance(failure.value.__cause__, MemoryError)


def test_what_runs_is_announced_before_it_runs() -> None:
    bench = Bench()
    measure([bench.side(A, 1e-3), bench.side(B, 1e-3)], bench.watch, 100)
    assert bench.announced[:2] == [("warm up", A), ("warm up", B)]
    assert bench.announced[2:6] == [("sample", A), ("sample", B), ("sample", B), ("sample", A)]


def test_rajaperfs_protocol_is_one_interval_a_pass_on_the_wall_clock() -> None:
    bench = Bench()
    side = bench.side(A, 3e-4, 2e-4, extra=1e-4)
    taken = measure_passes([side], bench.watch, 2, 50)
    assert taken[A].wall_seconds == pytest.approx([4e-4, 3e-4])
    assert taken[A].device_seconds == []
    assert isinstance(side.bound, Program)
    assert side.bound.runs == [(50, True), (50, True)]


@pytest.mark.parametrize(
    ("pace", "most", "expected"), [(1e-3, 100, 20), (1e-3, 5, 5), (1.0, 100, 1), (0.0, 100, 100), (0.0, 0, 1)]
)
def test_repetitions_fill_a_sample_within_the_cap(pace: float, most: int, expected: int) -> None:
    assert choose_repetitions(pace, 0.02, most) == expected


def test_the_cap_is_the_work_of_the_suites_default_run() -> None:
    assert repetition_cap(500, 1_000_000, 1_000_000) == 500
    assert repetition_cap(500, 1_000_000, 1_000) == 500_000
    assert repetition_cap(500, 1_000_000, 33_554_432) == 500
    assert repetition_cap(500, 1_000_000, 1_000_000, 0.001) == 1


def test_samples_are_longer_on_the_host() -> None:
    assert timing_rule("cpu1") == timing_rule("cpu")
    assert timing_rule("cpu").sample_seconds > timing_rule("cuda").sample_seconds


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.0, 10), (0.002, 10), (0.2, 10), (0.25, 8), (0.3, 6), (0.66, 2), (5.0, 2)],
)
def test_slow_samples_are_fewer_but_every_order_is_used_equally_often(seconds: float, expected: int) -> None:
    assert choose_samples(seconds, RULE) == expected


def test_the_slowest_side_decides_how_many_samples_there_are() -> None:
    bench = Bench(restore_seconds=0.0)
    taken = measure([bench.side(A, 0.001), bench.side(B, 0.9)], bench.watch, 1)
    assert [len(t.device_seconds) for t in taken.values()] == [2, 2]
    assert [len(t.wall_seconds) for t in taken.values()] == [2, 2]
