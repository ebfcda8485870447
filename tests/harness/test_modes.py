"""Cold caches and graph replay."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kparity.harness.cli import main
from kparity.harness.cold import _shared_cache, sweep_of
from kparity.harness.errors import ExitCode
from kparity.harness.journal import load
from kparity.harness.records import Cell
from kparity.harness.replay import NotReplayable, Replayed
from kparity.harness.timing import GPU, Side, Stopwatch, measure
from kparity.harness.walk import diagnose

from .fakes import FakeDevice, FakeExecutable, daxpy, daxpy_manifest
from .test_run import add_kernel, run

CELLS = [Cell("s", "G_A", "cuda", 10, variant) for variant in ("checked", "native")]


class CapturingDevice(FakeDevice):
    """Remembers what is captured; a replay takes as long as the launches did, and is counted."""

    def __init__(self) -> None:
        super().__init__()
        self.replays: list[int] = []
        self.log: list[str] = []

    def captured(self, call: Callable[[], None]) -> Callable[[], None]:
        start = self.now
        call()
        seconds, self.now = self.now - start, start  # nothing was launched
        number = len(self.log)
        self.log.append("captured")

        def replay() -> None:
            self.replays.append(number)
            self.now += seconds

        return replay


def side(device: Any, cell: Cell, seconds: float) -> Any:
    executable = FakeExecutable(daxpy_manifest(), daxpy, device, seconds=(seconds,))
    return executable.bind({"y": np.zeros(3), "x": np.zeros(3), "a": 1.0})


def test_replays_are_timed_and_captured_outside_of_the_times() -> None:
    device = CapturingDevice()
    bound = [Replayed(side(device, cell, 1e-4 * (i + 1)), device) for i, cell in enumerate(CELLS)]
    sides = [Side(cell, b, lambda: None, prepare=b.prepare) for cell, b in zip(CELLS, bound, strict=True)]
    taken = measure(sides, Stopwatch(device, GPU, lambda *_: None, clock=lambda: device.now), 1000)
    for i, cell in enumerate(CELLS):
        assert taken[cell].device_seconds == pytest.approx([1e-4 * (i + 1)] * 10)
        assert taken[cell].wall_seconds == pytest.approx([1e-4 * (i + 1)] * 10)
    assert len(device.replays) > 40
    assert len(device.log) < 12  # one graph a number of repetitions


def test_what_is_not_prepared_is_not_replayed() -> None:
    device = CapturingDevice()
    with pytest.raises(KeyError):
        Replayed(side(device, CELLS[0], 1e-4), device).run(3)


def test_a_program_that_brings_scalars_back_is_skipped_with_the_reason() -> None:
    assert diagnose(NotReplayable("no scalars")) == ("skipped", "no scalars")


def test_a_sweep_comes_before_each_launch_and_is_part_of_no_time() -> None:
    device = FakeDevice()
    sweeps: list[int] = []

    def sweep() -> None:
        sweeps.append(1)
        device.now += 5.0

    sides = [Side(cell, side(device, cell, 1e-4), lambda: None) for cell in CELLS]
    watch = Stopwatch(device, GPU, lambda *_: None, clock=lambda: device.now, sweep=sweep)
    taken = measure(sides, watch, 4)
    for cell in CELLS:
        assert taken[cell].repetitions == 4
        assert taken[cell].device_seconds == pytest.approx([1e-4] * 10)
        assert taken[cell].wall_seconds == pytest.approx([1e-4] * 10)
    launches = [number for s in sides for number, _ in s.bound.launches]  # type: ignore[attr-defined]
    assert set(launches) == {1}
    assert len(sweeps) == len(launches)


def test_sweeps_touch_more_than_the_caches_hold(tmp_path: Path) -> None:
    for index, size in enumerate(("32K", "1024K", "32768K")):
        (tmp_path / f"index{index}").mkdir()
        (tmp_path / f"index{index}" / "size").write_text(size + "\n")
    assert _shared_cache(tmp_path) == 32 << 20
    assert _shared_cache(tmp_path / "none") == 64 << 20
    device = FakeDevice()
    sweep_of(device)()
    assert device.uploads == 2


@pytest.mark.toolchain
@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ to compile the baselines")
def test_a_cold_run_here(tmp_path: Path) -> None:
    add_kernel(tmp_path / "mine", "good")
    assert run(tmp_path / "mine", tmp_path / "cold", "--quick", "--cold") == ExitCode.OK
    campaign = load(tmp_path / "cold")
    assert campaign.provenance["settings"]["protocol"] == "cold"
    assert {(r.status, len(r.device_seconds)) for r in campaign.records} <= {("ok", n) for n in (2, 4, 6, 8, 10)}
    assert all(r.repetitions <= 10 for r in campaign.records)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--graph", "--cold"], "--graph and --cold: one way to measure at a time"),
        (["--graph", "--checkrun"], "--graph and --checkrun"),
        (["--cold", "--protocol", "rajaperf"], "--cold and --protocol"),
        (["--graph", "--targets", "cpu1"], "--graph replays CUDA graphs, which cpu1 cannot: add --targets cuda"),
    ],
)
def test_modes_that_do_not_go_together(words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--kernels", "DAXPY", *words]) == ExitCode.USAGE
    assert why in capsys.readouterr().err
