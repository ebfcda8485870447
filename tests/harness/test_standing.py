from __future__ import annotations

import pytest

from kparity.harness.plan import Comparison
from kparity.harness.records import Campaign, Cell, Record
from kparity.harness.standing import imprecise

NATIVE = Cell("rajaperf", "Stream_TRIAD", "cuda", 1000, "native", "block_256")
CHECKED = Cell("rajaperf", "Stream_TRIAD", "cuda", 1000, "checked")
TRIAD = Comparison("rajaperf", "Stream_TRIAD", "cuda", 1000, (NATIVE, CHECKED))


def campaign(walks: int, throttled: int, spread: float = 0.0) -> Campaign:
    """Walks of two equally fast sides, some of them while the device was throttled, the rest `spread` apart."""
    records = []
    for walk in range(walks):
        weather = {"before": {"throttled": ["power cap"] if walk < throttled else []}, "after": {"throttled": []}}
        for cell in (NATIVE, CHECKED):
            slower = 1.0 + spread * (walk % 2) * (cell is CHECKED)
            times = [1e-6 * slower] * 10
            records.append(
                Record("r", cell, walk, 0, "ok", device_seconds=times, wall_seconds=times, conditions=weather)
            )
    return Campaign("r", {}, records, {})


@pytest.mark.parametrize(
    ("walks", "throttled", "spread", "wanted"),
    [
        (5, 0, 0.0, []),
        (5, 0, 0.2, [TRIAD]),  # the interval is wide
        (5, 1, 0.0, [TRIAD]),  # four walks that count are too few for an interval
        (6, 1, 0.0, []),
    ],
)
def test_what_needs_more_walks(walks: int, throttled: int, spread: float, wanted: list[Comparison]) -> None:
    assert imprecise([TRIAD], campaign(walks, throttled, spread)) == wanted


def test_a_side_that_failed_gets_no_more_walks() -> None:
    whole = campaign(5, 0)
    failed = [r if r.cell is NATIVE else Record("r", CHECKED, r.walk, 0, "wrong", "wrong") for r in whole.records]
    assert imprecise([TRIAD], Campaign("r", {}, failed, {})) == []
