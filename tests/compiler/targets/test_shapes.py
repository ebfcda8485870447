"""Ranges, dims and origins of one to three dimensions, empty ones too, against the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ..sources import kernel


def test_origins(agree: Any) -> None:
    k = kernel("""
        def k(y: Mut[f64, "lo..hi"], a: Ref[f64, "lo..hi", "-1..3"], lo: i64, hi: i64):
            for i in parallel((lo, hi)):
                for j in range(-1, 3):
                    y[i] += a[i, j] * j
        """)
    for lo, hi in ((0, 4), (-3, 5), (7, 7), (-9, -2)):
        a = np.random.default_rng(2).integers(-9, 9, (hi - lo, 4)) * 1.0
        agree(k, y=np.arange(hi - lo) * 1.0, a=a, lo=lo, hi=hi)


def test_dims_with_offsets(agree: Any) -> None:
    k = kernel("""
        def k(y: Out[f64, "n"], x: Ref[f64, "2*n + 1"], z: Ref[f64, "n", 3]):
            for i in parallel(n):
                y[i] = x[2 * i] + x[2 * i + 1] + x[2 * n] + z[i, 2]
        """)
    agree(k, y=np.zeros(4), x=np.arange(9.0), z=np.arange(12.0).reshape(4, 3))


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 4), (5, 1, 7), (3, 70, 2), (0, 3, 4), (3, 0, 4), (3, 4, 0)])
def test_three_dimensions(shape: tuple[int, ...], agree: Any) -> None:
    k = kernel("""
        def k(a: Mut[i64, "n", "m", "p"]):
            for i, j, l in parallel(n, m, p):
                a[i, j, l] = a[i, j, l] * 3 + i * 10000 + j * 100 + l
        """)
    agree(k, a=np.arange(np.prod(shape)).reshape(shape))


@pytest.mark.parametrize("shape", [(1, 1), (7, 5), (300, 3), (2, 600), (0, 4), (4, 0)])
def test_two_dimensions_of_a_part(shape: tuple[int, int], agree: Any) -> None:
    k = kernel("""
        def k(a: Mut[f64, "n", "m"], b: Ref[f64, "n", "m"]):
            for i, j in parallel((1, n - 1), (1, m - 1)):
                a[i, j] = b[i - 1, j] + b[i + 1, j] + b[i, j - 1] + b[i, j + 1]
        """)
    b = np.random.default_rng(3).integers(-9, 9, shape) * 1.0
    agree(k, a=np.zeros(shape), b=b)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 17, 255, 256, 257, 511, 512, 513, 5000])
def test_one_dimension_of_any_length(n: int, agree: Any) -> None:
    k = kernel("""
        def k(y: Mut[i32, "n"]):
            for i in parallel(n):
                y[i] = y[i] * 5 + i32(i)
        """)
    agree(k, y=np.arange(n, dtype=np.int32))


@pytest.mark.parametrize(("low", "high"), [(0, 0), (3, 1), (5, 9), (1, -(2**63)), (2**63 - 1, -5), (0, 2**63 - 1)])
def test_ranges_that_are_empty_or_clipped(low: int, high: int, agree: Any) -> None:
    """The number of threads of `(1, -2**63)` does not fit into 64 bits with its sign."""
    k = kernel("""
        def k(y: Mut[f64, "n"], low: i64, high: i64):
            for i in parallel((max(low, 0), min(high, n))):
                y[i] += 1.0
        """)
    agree(k, y=np.zeros(7), low=low, high=high)


@pytest.mark.parametrize("shape", [(1, 1), (7, 5), (40, 9), (2, 600), (0, 4), (4, 0)])
def test_rows_that_end_at_a_test(shape: tuple[int, int], agree: Any) -> None:
    """Where all of the body stands behind `j < ...`, the loop over j ends there: before, at and beyond its range."""
    k = kernel("""
        def k(a: Mut[f64, "n", "m"], b: Ref[f64, "n", "m"], end: i64):
            for i, j in parallel(n, (1, m)):
                if j < end:
                    a[i, j] = b[i, j] + i
        """)
    b = np.random.default_rng(4).integers(-9, 9, shape) * 1.0
    for end in (-(2**63), -1, 0, 1, 2, shape[1] // 2, shape[1], shape[1] + 3, 2**63 - 1):
        agree(k, a=np.zeros(shape), b=b, end=end)


def test_windows(agree: Any) -> None:
    """Neighbouring elements of one array, by constants and in a loop, whatever is left over of vectors."""
    k = kernel("""
        def k(y: Out[f64, "n"], x: Ref[f64, "n + 9"]):
            for i in parallel(n):
                total = x[i] - x[i + 1]
                for j in range(9):
                    total += x[i + j] * j
                y[i] = total
        """)
    for n in (1, 7, 8, 31, 32, 33, 70, 1000):
        agree(k, y=np.zeros(n), x=np.random.default_rng(n).integers(-9, 9, n + 9) * 1.0)
