"""The generator gives the C library's numbers, whatever the number of strands."""

import ctypes
import sys

import numpy as np
import pytest

from kparity.suites.rajaperf.glibc_rand import RAND_MAX, SHORTEST, STEPS, STRANDS, glibc_rand

# srand(1) is the state before any seeding: these begin every C programme's rand() on GNU/Linux.
FIRST_OF_SEED_1 = [1804289383, 846930886, 1681692777, 1714636915, 1957747793, 424238335, 719885386, 1649760492]


def test_known_sequence():
    assert glibc_rand(1, 8).tolist() == FIRST_OF_SEED_1


@pytest.mark.parametrize("seed", [0, 1, 4793, 2**31 - 1, 2**31, 2**31 + 5, 2**32 - 1])
def test_equals_the_c_library(seed: int):
    expected = c_library(seed, 3 * SHORTEST + 3)
    for n in (0, 1, 2, STEPS, STEPS + 1, 2 * SHORTEST - 1, 2 * SHORTEST, len(expected)):
        assert np.array_equal(glibc_rand(seed, n), expected[:n])


def test_equals_the_c_library_with_all_strands():
    n = STRANDS * SHORTEST + 1
    assert np.array_equal(glibc_rand(4793, n), c_library(4793, n))


def test_a_longer_run_begins_like_a_shorter_one():
    long = glibc_rand(4793, 3_000_000)
    assert long.dtype == np.int32
    assert long.min() >= 0
    assert long.max() <= RAND_MAX
    assert np.array_equal(long[:100_000], glibc_rand(4793, 100_000))
    # Far along, the recurrence itself is the judge: r[i] = r[i-3] + r[i-31], whose lowest bit `rand` drops.
    carry = long[31:].astype(np.int64) - (long[28:-3].astype(np.int64) + long[:-31]) % 2**31
    assert np.isin(carry, (0, 1, -RAND_MAX)).all()


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_has_32_bits(seed: int):
    with pytest.raises(ValueError, match="unsigned 32-bit"):
        glibc_rand(seed, 1)


def c_library(seed: int, n: int) -> np.ndarray:
    if not sys.platform.startswith("linux"):
        pytest.skip("needs the GNU C library")
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        pytest.skip("needs the GNU C library")
    library.srand(ctypes.c_uint(seed))
    return np.array([library.rand() for _ in range(n)], np.int32)
