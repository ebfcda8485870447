"""Sides of squares and cubes."""

import pytest

from kparity.suites.rajaperf import cube_side, square_side


@pytest.mark.parametrize("side", [1, 2, 10, 31, 100, 1000, 5792])
def test_exact_for_squares(side: int):
    assert square_side(side**2) == side
    assert square_side(side**2, boundary=2) == side + 2


@pytest.mark.parametrize("side", [1, 2, 10, 46, 100, 322])
def test_exact_for_cubes(side: int):
    assert cube_side(side**3) == side
    assert cube_side(side**3, boundary=1) == side + 1


def test_rounds_up_from_two_minus_root_two_and_two_minus_cube_root_three():
    assert [square_side(size) for size in (2, 3, 6, 7)] == [1, 2, 2, 3]  # sqrt > 1.586, 2.586
    assert [cube_side(size) for size in (3, 4, 16, 17)] == [1, 2, 2, 3]  # cbrt > 1.558, 2.558


def test_published_extents():
    assert (square_side(1000, boundary=2) - 2) ** 2 == 1024
    assert cube_side(10_000) ** 3 == 9_261 == (cube_side(10_000, boundary=1) - 1) ** 3
