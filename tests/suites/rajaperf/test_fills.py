"""RAJAPerf's initial data, against its formulas written as loops."""

import numpy as np
import pytest

from kparity.suites.rajaperf import Fill
from kparity.suites.rajaperf.fills import BLOCK
from kparity.suites.rajaperf.glibc_rand import glibc_rand

N = 200
DRAWS = [int(draw) for draw in glibc_rand(4793, N + 2)]


def ramp(n: int, factor: float) -> list[float]:
    return [(factor * (i + 1.1)) / (i + 1.12345) for i in range(n)]


def test_factors_alternate_over_calls_of_every_kind():
    fill = Fill()
    assert fill.ramp(4).tolist() == ramp(4, 0.2)
    assert fill.ramp(4).tolist() == ramp(4, 0.1)
    fill.constant(1, 0.0)  # 2
    assert fill.scalar() == 0.1 * 1.1 / 1.12345
    fill.random(1)  # 4
    assert fill.ramp(4).tolist() == ramp(4, 0.1)
    fill.integers(4)  # 6
    assert np.abs(fill.random_sign(4)).tolist() == ramp(4, 0.1)
    assert fill.scalar() == 0.2 * 1.1 / 1.12345


def test_each_execution_counts_anew():
    assert np.array_equal(Fill().ramp(5), Fill().ramp(5))


def test_ramp_across_blocks():
    n = 2 * BLOCK + 3
    values = Fill().ramp(n)
    expected = ramp(n, 0.2)
    for i in (0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, n - 1):
        assert values[i] == expected[i]
    assert np.array_equal(values, expected)


@pytest.mark.parametrize("shape", [(6,), (2, 3), (1, 2, 3)])
def test_shapes_are_filled_row_by_row(shape: tuple[int, ...]):
    values = Fill().ramp(shape)
    assert values.shape == shape
    assert values.ravel().tolist() == ramp(6, 0.2)
    assert np.array_equal(Fill().constant(shape, 1.5), np.full(shape, 1.5))


def test_random_restarts_for_each_array():
    fill = Fill()
    assert fill.random(N).tolist() == [draw / 2147483647 for draw in DRAWS[:N]]
    assert np.array_equal(fill.random(N), Fill().random(N))


def test_random_sign():
    expected = [(((-1.0 if DRAWS[i] / 2147483647 < 0.5 else 1.0) * 0.2) * (i + 1.1)) / (i + 1.12345) for i in range(N)]
    assert Fill().random_sign(N).tolist() == expected
    assert 0 < sum(value < 0 for value in expected) < N


def test_integers():
    expected = [-1 if draw / 2147483647 < 0.5 else 1 for draw in DRAWS[:N]]
    expected[int(N * (DRAWS[N] / 2147483647))] = -58
    expected[int(N * (DRAWS[N + 1] / 2147483647))] = 19
    values = Fill().integers(N)
    assert values.dtype == np.int32
    assert values.tolist() == expected


def test_arrays_are_new():
    fill = Fill()
    assert not np.shares_memory(fill.random(9), fill.random(9))
