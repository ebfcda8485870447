"""Blocks and grids of a launch on a GPU."""

from __future__ import annotations

Shape = tuple[int, int, int]

FITTED_THREADS = 256
_ROW = 32  # threads along the last index: a warp then loads neighbours
_FEW_BLOCKS = 2  # a multiprocessor; with fewer, smaller blocks keep more of them busy
_LONGEST_Z = 64


def grid_of(counts: list[int], block: Shape, items: int) -> Shape:
    """Return blocks in x, y, z: the last index is x; `items` of a thread lie along y, in one dimension along x."""
    sizes = list(block)
    sizes[min(1, len(counts) - 1)] *= items
    x, y, z = (-(-extent // size) for extent, size in zip(_extents(counts), sizes, strict=True))
    return x, y, z


def fitted_block(counts: list[int], multiprocessors: int) -> Shape:
    """Return a block for threads that run long: no wider than the ranges, and small where blocks are few.

    A range of 25 in a block 128 wide would idle three warps of four; a thousand rows in blocks of 256 would use four
    multiprocessors of a hundred.
    """
    extents = _extents(counts)
    widest = _ROW if len(counts) > 1 else FITTED_THREADS
    x = min(widest, _power_of_two(extents[0]))
    y = min(FITTED_THREADS // x, _power_of_two(extents[1]))
    z = min(FITTED_THREADS // (x * y), _power_of_two(extents[2]), _LONGEST_Z)
    shape = [x, y, z]
    for axis, least in ((2, 1), (1, 1), (0, _ROW)):
        while shape[axis] > least and _blocks(extents, shape) < _FEW_BLOCKS * multiprocessors:
            shape[axis] //= 2
    return shape[0], shape[1], shape[2]


def _blocks(extents: list[int], shape: list[int]) -> int:
    x, y, z = (-(-extent // size) for extent, size in zip(extents, shape, strict=True))
    return x * y * z


def _extents(counts: list[int]) -> list[int]:
    return [*reversed(counts), 1, 1][:3]


def _power_of_two(n: int) -> int:
    """Return the smallest power of two that is not below `n`."""
    return 1 << max(0, n - 1).bit_length()
