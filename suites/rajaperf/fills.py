"""RAJAPerf's initial data.

Ramps are scaled by 0.2 or 0.1 in turn, counted over every array and scalar of a kernel in the order in which RAJAPerf
initialises them, so a kernel file fills them in that order too. Random flavours restart the generator for each array.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from .glibc_rand import RAND_MAX, glibc_rand

Shape = int | tuple[int, ...]
Integer = TypeVar("Integer", np.int32, np.int64)

SEED = 4793
BLOCK = 1 << 15  # elements at a time: they stay in the cache


class Fill:
    """Initial values for one execution of one kernel; every call counts.

    Shapes are an extent or a tuple of extents, filled in row-major order. All arrays are new.
    """

    def __init__(self) -> None:
        self._calls = 0

    def constant(self, shape: Shape, value: float) -> npt.NDArray[np.float64]:
        """Return float64 data that is `value` everywhere."""
        self._next_factor()
        return np.full(shape, value, np.float64)

    def scalar(self) -> float:
        """Return (f * 1.1) / 1.12345, f = 0.2 or 0.1 in turn."""
        return self._next_factor() * 1.1 / 1.12345

    def ramp(self, shape: Shape) -> npt.NDArray[np.float64]:
        """Return float64 data, element i being (f * (i + 1.1)) / (i + 1.12345), f = 0.2 or 0.1 in turn."""
        factor = self._next_factor()
        result = np.empty(math.prod(shape) if isinstance(shape, tuple) else shape)
        for first in range(0, result.size, BLOCK):
            part = result[first : first + BLOCK]
            index = np.arange(first, first + part.size, dtype=np.float64)
            np.add(index, 1.1, out=part)
            part *= factor
            index += 1.12345
            part /= index
        return result.reshape(shape)

    def random(self, n: int) -> npt.NDArray[np.float64]:
        """Return (n,) float64 in [0, 1]: the C library's `rand` from the suite's seed, over RAND_MAX."""
        self._next_factor()
        return glibc_rand(SEED, n) / RAND_MAX

    def random_sign(self, n: int) -> npt.NDArray[np.float64]:
        """Return (n,) float64: a ramp, negative where the random value is below one half."""
        result = self.ramp(n)
        np.negative(result, out=result, where=_below_half(glibc_rand(SEED, n)))
        return result

    def integers(self, n: int) -> npt.NDArray[np.int32]:
        """Return (n,) int32: -1 where the random value is below one half, else 1; -58 and 19 at a random place each."""
        self._next_factor()
        draws = glibc_rand(SEED, n + 2)
        result = np.where(_below_half(draws[:n]), np.int32(-1), np.int32(1))
        for draw, value in zip(draws[n:], (-58, 19), strict=True):
            result[math.trunc(n * (int(draw) / RAND_MAX))] = value
        return result

    def indices(self, values: npt.NDArray[Integer]) -> npt.NDArray[Integer]:
        """Return an index list as it is: RAJAPerf initialises it like any array, so it counts."""
        self._next_factor()
        return values

    def _next_factor(self) -> float:
        factor = 0.1 if self._calls % 2 else 0.2
        self._calls += 1
        return factor


def _below_half(draws: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Where draw / RAND_MAX < 0.5, without the division."""
    return draws <= RAND_MAX // 2
