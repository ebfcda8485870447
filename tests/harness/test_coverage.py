"""Intervals cover the truth about as often as they say, under the rules that campaigns really stop by."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from kparity.harness.coverage import MACHINES, main, simulate
from kparity.harness.statistics import speedup


@pytest.mark.parametrize("machine", ["H200, noisy", "CPU, shared"])
def test_intervals_cover_the_truth(machine: str) -> None:
    found = simulate(MACHINES[machine], 120, seed=5)
    assert 0.80 < found.share < 0.98  # 120 series: four standard deviations about 90 %
    assert 5 <= found.walks <= 20


def test_a_clear_difference_is_never_called_parity() -> None:
    noise = replace(MACHINES["H200, typical"], process=0.004)
    assert simulate(noise, 40, seed=2, speedup=0.8).verdicts == {"slower": 1.0}
    assert simulate(noise, 40, seed=2, speedup=1.0).verdicts == {"parity": 1.0}


def test_added_processes_count_for_less_than_planned_ones() -> None:
    ratios = [math.log(1.0 + 0.01 * (i % 3)) for i in range(11)]
    assert speedup(ratios).freedom == 10
    assert speedup(ratios, planned=11).freedom == 10
    added = speedup(ratios, planned=5)
    assert added.freedom == pytest.approx(4 + 6 / 8)
    assert added.half_width > speedup(ratios).half_width
    assert speedup(ratios[:5], planned=8).freedom == 4  # throttled walks do not count


def test_the_table_names_every_machine(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--series", "3"])
    printed = capsys.readouterr().out
    assert all(name in printed for name in MACHINES)
