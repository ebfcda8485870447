"""A campaign that is killed again and again ends as one that was left alone."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from . import kills
from .test_run import add_kernel

pytestmark = [
    pytest.mark.toolchain,
    pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ to compile the baselines"),
]


@pytest.mark.slow
def test_kills_lose_nothing_and_repeat_at_most_the_cell_in_flight(tmp_path: Path) -> None:
    for name in ("one", "two"):
        add_kernel(tmp_path / "suite", name)
    kills.undisturbed(tmp_path / "suite", tmp_path / "alone", 2)
    count = kills.disturbed(tmp_path / "suite", tmp_path / "killed", 2, 3, random.Random(7))
    assert count >= 1
    assert kills.compare(tmp_path / "alone", tmp_path / "killed", count) == ""
    assert kills.outcomes(kills.load(tmp_path / "alone").records)


@pytest.mark.long
def test_fifty_kills_of_twenty_kernels_change_nothing(tmp_path: Path) -> None:
    for number in range(20):
        add_kernel(tmp_path / "suite", f"kernel{number}")
    kills.undisturbed(tmp_path / "suite", tmp_path / "alone", 6)
    count = kills.disturbed(tmp_path / "suite", tmp_path / "killed", 6, 50, random.Random(1))
    assert count == 50
    assert kills.compare(tmp_path / "alone", tmp_path / "killed", count) == ""
