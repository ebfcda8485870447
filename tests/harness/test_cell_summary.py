"""What a cell comes down to over its walks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kparity.harness.cell_summary import summarize
from kparity.harness.records import Cell, Record, Status, Verification

CELL = Cell("rajaperf", "Stream_COPY", "cuda", 1000, "checked")


def walk(number: int, seconds: float = 1.0, status: Status = "ok", attempt: int = 0, **fields: Any) -> Record:
    samples = [seconds * 0.9, seconds, seconds * 4] if status == "ok" else []
    return Record("r", CELL, number, attempt, status, device_seconds=samples, wall_seconds=samples, **fields)


def test_one_median_a_walk_and_their_geometric_mean() -> None:
    summary = summarize([walk(1, 4.0), walk(0, 1.0)])[CELL]
    assert summary.device_medians == (1.0, 4.0)
    assert summary.device_seconds == pytest.approx(2.0)
    assert (summary.status, summary.message) == ("ok", "")


def test_of_several_attempts_the_last_counts() -> None:
    summary = summarize([walk(0, status="interrupted"), walk(0, 3.0, attempt=1)])[CELL]
    assert summary.device_medians == (3.0,)
    assert len(summary.records) == 1


@pytest.mark.parametrize("status", ["failed", "crashed", "timeout", "out_of_memory"])
def test_one_failure_leaves_no_time(status: Status) -> None:
    summary = summarize([walk(0), walk(1), walk(2, status=status, message="it broke")])[CELL]
    assert (summary.status, summary.message) == (status, "it broke")
    assert summary.device_seconds is None
    assert summary.wall_medians == ()


def test_wrong_comes_before_every_other_failure() -> None:
    verification = Verification("1", "2", 0.5, 1e-10, 7.0, "y[3] differs")
    records = [walk(0, status="crashed"), walk(1, status="wrong", verification=verification), walk(2)]
    summary = summarize(records)[CELL]
    assert (summary.status, summary.message) == ("wrong", "y[3] differs")
    assert summary.verification.largest_error == 7.0


def test_an_interrupted_walk_is_missing_but_no_fault() -> None:
    summary = summarize([walk(0), walk(1, status="interrupted")])[CELL]
    assert summary.status == "ok"
    assert summary.message == "1 of 2 walks interrupted"


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_throttled_walk_does_not_count(moment: str) -> None:
    slow = replace(walk(1, 9.0), conditions={moment: {"throttled": ["power cap"]}})
    summary = summarize([walk(0), slow])[CELL]
    assert summary.device_medians == (1.0,)
    assert summary.message == "1 of 2 walks throttled (power cap)"


def test_a_shared_device_is_told_and_counts() -> None:
    shared = replace(walk(1, 2.0), conditions={"before": {"others": 1}, "after": {}})
    summary = summarize([walk(0), shared])[CELL]
    assert summary.device_medians == (1.0, 2.0)
    assert summary.message == "1 of 2 walks beside other processes on the device"


def test_nan_as_error_is_the_worst_error() -> None:
    bad = Verification("nan", "1", float("nan"), 1e-10)
    summary = summarize([walk(0, verification=Verification("1", "1", 1e-3, 1e-10)), walk(1, verification=bad)])[CELL]
    assert summary.verification.checksum == "nan"
