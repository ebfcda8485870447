from __future__ import annotations

from math import prod

import pytest

from kparity.compiler.runtime.geometry import FITTED_THREADS, fitted_block, grid_of

MULTIPROCESSORS = 132


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([10_000_000], (256, 1, 1)),
        ([1_000], (32, 1, 1)),  # 32 blocks rather than 4
        ([40_000], (128, 1, 1)),
        ([7], (8, 1, 1)),
        ([1_000, 1_000], (32, 8, 1)),
        ([100, 100], (32, 1, 1)),
        ([1_600, 32, 25], (32, 8, 1)),
        ([1_000_000, 3], (4, 64, 1)),
        ([100_000, 2, 3], (4, 2, 32)),
    ],
)
def test_blocks_follow_the_ranges(counts: list[int], expected: tuple[int, int, int]) -> None:
    assert fitted_block(counts, MULTIPROCESSORS) == expected


@pytest.mark.parametrize("counts", [[1], [33], [10**9], [1, 1], [5, 10**8], [10**8, 5], [1, 1, 1], [10**7, 1, 1]])
def test_a_block_is_one_that_a_gpu_launches_and_its_grid_covers_the_ranges(counts: list[int]) -> None:
    block = fitted_block(counts, MULTIPROCESSORS)
    assert prod(block) <= FITTED_THREADS and block[2] <= 64
    extents = [*reversed(counts), 1, 1][:3]
    for blocks, size, extent in zip(grid_of(counts, block, 1), block, extents, strict=True):
        assert (blocks - 1) * size < extent <= blocks * size


@pytest.mark.parametrize(("counts", "grid"), [([1_000], (2, 1, 1)), ([9, 300], (3, 2, 1)), ([2, 9, 300], (3, 2, 2))])
def test_elements_of_a_thread_lie_along_y_in_one_dimension_along_x(counts: list[int], grid: tuple[int, ...]) -> None:
    block = (256, 1, 1) if len(counts) == 1 else (128, 2, 1)
    assert grid_of(counts, block, 2 if len(counts) == 1 else 4) == grid
