"""Sides of the squares and cubes that RAJAPerf makes of a requested size."""

from __future__ import annotations

import math


def square_side(size: int, *, boundary: int = 0) -> int:
    """Side of the square whose interior has about `size` elements.

    Parameters
    ----------
    size : int
        Requested number of elements.
    boundary : int
        Rows that are added to the interior's side.

    Returns
    -------
    int
        trunc(sqrt(size) + boundary + sqrt(2) - 1); exact for the square of an integer.
    """
    return math.trunc(math.sqrt(size) + boundary + math.sqrt(2) - 1)


def cube_side(size: float, *, boundary: int = 0) -> int:
    """Side of the cube whose interior has about `size` elements: trunc(cbrt(size) + boundary + cbrt(3) - 1).

    Parameters
    ----------
    size : float
        Requested number of elements.
    boundary : int
        Planes that are added to the interior's side.
    """
    return math.trunc(math.cbrt(size) + boundary + math.cbrt(3) - 1)
