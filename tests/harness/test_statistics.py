from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from kparity.harness.statistics import (
    NotVerified,
    Ratio,
    geometric_mean,
    holm,
    outside_p_value,
    point_estimate,
    speedup,
    verdict,
    walk_ratio,
)

RATIOS = np.log([2.00, 2.04, 1.97, 2.01, 1.99])


def ratio(value: float, spread: float) -> Ratio:
    return Ratio(value, value / (1 + spread), value * (1 + spread), spread / 2, 8.0)


def test_speedup_is_students_interval_on_log_ratios() -> None:
    found = speedup(RATIOS)
    expected = stats.ttest_1samp(RATIOS, 0.0).confidence_interval(0.90)
    assert found.value == pytest.approx(point_estimate(RATIOS)) == pytest.approx(np.exp(RATIOS.mean()))
    assert (math.log(found.low), math.log(found.high)) == pytest.approx((expected.low, expected.high))
    assert found.freedom == 4


def test_the_checked_kernel_is_faster_above_one() -> None:
    assert speedup(RATIOS).value > 1
    assert speedup(-RATIOS).value == pytest.approx(1 / speedup(RATIOS).value)
    assert walk_ratio([2.0, 2.0], [1.0, 1.0]) == pytest.approx(math.log(2))


def test_equal_times_have_an_interval_of_no_width() -> None:
    found = speedup(np.zeros(5))
    assert (found.low, found.value, found.high) == (1.0, 1.0, 1.0)
    assert verdict(found) == "parity"


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    draws = math.log(1.03) + rng.normal(0.0, 0.01, (400, 5))
    covered = [(r := speedup(row)).low <= 1.03 <= r.high for row in draws]
    assert 0.86 < np.mean(covered) < 0.94


def test_what_slows_both_samples_of_a_pair_cancels() -> None:
    slow = np.array([1.0, 1.0, 3.0, 1.0, 5.0, 1.0])  # a neighbour's load, seen by both sides
    assert walk_ratio(2.0 * slow, slow) == pytest.approx(math.log(2))
    assert walk_ratio([2.0, 2.0, 2.0], [1.0, 1.0]) == pytest.approx(math.log(2))  # unequal counts: the medians


@pytest.mark.parametrize("bad", [math.nan, math.inf, 0.0, -1.0])
def test_a_time_that_is_none_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="checked: times must be positive and finite"):
        walk_ratio([1.0, 1.0], [1.0, bad])
    with pytest.raises(ValueError, match="baseline: at least one sample"):
        walk_ratio([], [1.0])


def test_an_infinite_ratio_is_refused() -> None:
    with pytest.raises(ValueError, match="must be finite"):
        speedup([0.0, 0.0, 0.0, 0.0, math.inf])


def test_four_processes_are_too_few() -> None:
    with pytest.raises(ValueError, match="4 processes, at least 5"):
        speedup(RATIOS[:4])


def test_a_wrong_result_has_no_speed() -> None:
    with pytest.raises(NotVerified):
        speedup(RATIOS, verified=False)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.97, 1.03, "parity"),
        (0.90, 0.94, "slower"),
        (1.06, 1.20, "faster"),
        (1.00, 1.06, "undecided"),
        (0.94, 1.00, "undecided"),
        (0.80, 1.30, "undecided"),
        (1.00, 1.05, "undecided"),  # the margin itself is outside of it
    ],
)
def test_verdicts_follow_from_the_whole_interval(low: float, high: float, expected: str) -> None:
    assert verdict(Ratio(math.sqrt(low * high), low, high, 0.01, 8.0), 0.05) == expected


def test_half_width_is_relative() -> None:
    assert ratio(1.7, 0.02).half_width == pytest.approx(0.02)


def test_geometric_mean_of_equal_ratios_is_tighter_than_each() -> None:
    single = speedup(RATIOS)
    mean = geometric_mean([single] * 4)
    assert mean.value == pytest.approx(single.value)
    assert mean.error == pytest.approx(single.error / 2)
    assert mean.freedom == pytest.approx(4 * single.freedom)
    assert mean.half_width < single.half_width


def test_geometric_mean_of_reciprocals_is_one() -> None:
    assert geometric_mean([ratio(2.0, 0.01), ratio(0.5, 0.01)]).value == pytest.approx(1.0)
    with pytest.raises(ValueError, match="no ratio"):
        geometric_mean([])


def test_holm_steps_down_and_never_decreases() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_p_value_speaks_against_the_margin_not_against_one() -> None:
    assert outside_p_value(ratio(1.04, 0.002), 0.05) > 0.99
    assert outside_p_value(ratio(1.10, 0.002), 0.05) < 1e-6
    assert outside_p_value(ratio(0.80, 0.002), 0.05) < 1e-6
    assert outside_p_value(Ratio(1.2, 1.2, 1.2, 0.0, 4.0)) == 0.0
    assert outside_p_value(Ratio(1.0, 1.0, 1.0, 0.0, 4.0)) == 1.0
