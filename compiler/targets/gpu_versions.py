"""The versions in which a kernel is compiled for a GPU, and how many elements a thread does in each."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.nodes import Const, For, If, Kernel, Load, Parallel, Teams, While
from ..ir.ordered import ordered_store
from ..ir.walk import expressions_of, inlined, walk

# Geometry, measured on Hopper: block in x, y, z by rank (x is the last index), and elements of one thread.
BLOCKS: dict[int, tuple[int, int, int]] = {1: (256, 1, 1), 2: (128, 2, 1), 3: (128, 2, 1)}
ITEMS = {1: 2, 2: 4, 3: 4}
REDUCTION_ITEMS = {True: 2, False: 4}  # by whether loads are wide
ORDERED_ITEMS = 16, 8  # where threads go by their order, in 16-byte loads and in others; of a long body 4
FEW_LOADS = 2  # that a body makes which is not long
MANY_LOADS = 40  # of one element: with more, several elements take registers that other threads need
GRID_LIMIT = 65535  # blocks in y and z
WIDE_BYTES = 16


@dataclass(frozen=True, slots=True)
class Version:
    """One of the forms in which a kernel is compiled; the launcher takes the first whose limits hold.

    Attributes
    ----------
    suffix : str
        Of the entry point's name.
    narrow : bool
        32-bit index arithmetic, and a grid that covers every index without striding.
    overlap : bool
        Whether a launch may start while the one before it ends (programmatic dependent launch). It costs each block a
        fixed time, so a thread then does several elements.
    items : int
        Elements of one thread that are in flight together.
    wide : bool
        Whether neighbouring elements go to one thread in 16-byte loads: arrays start at a multiple of 16 bytes.
    fitted : bool
        Whether the launcher fits the block's shape to the ranges, and the code reads it.
    private : bool
        Whether each block has bins of its own, in shared memory.
    """

    suffix: str
    narrow: bool
    overlap: bool
    items: int
    wide: bool
    fitted: bool = False
    private: bool = False


def versions(kernel: Kernel, *, overlap: bool) -> tuple[Version, ...]:
    """Return the versions that a kernel is compiled in, the fastest first; the last has no limits.

    Parameters
    ----------
    overlap : bool
        Whether the GPU can start a launch while the one before it ends.
    """
    teams = isinstance(kernel.body, Teams)
    if ordered_store(kernel.body) is not None:
        is_long = has_loops(kernel) or _loads(kernel) > FEW_LOADS
        items, fewer = (4, 4) if is_long else ORDERED_ITEMS
        wide = (Version("_wide", True, overlap, items, True),) if can_load_wide(kernel) else ()
        return (*wide, Version("_narrow", True, overlap, fewer, False), Version("", False, overlap, fewer, False))
    if kernel.reducers:
        items = 1 if teams else REDUCTION_ITEMS[False]
        if kernel.binned:
            private = () if teams else (Version("_private", True, overlap, items, False, private=True),)
            return (
                *private,
                Version("_narrow", True, overlap, items, False),
                Version("", False, overlap, items, False),
            )
        wide = (Version("_wide", True, overlap, REDUCTION_ITEMS[True], True),) if can_load_wide(kernel) else ()
        return (*wide, Version("_narrow", True, overlap, items, False), Version("", False, overlap, items, False))
    # A loop ends for one element before the next one's begins, so several elements would only mean fewer threads.
    fitted = has_loops(kernel) and not teams
    one = fitted or teams or not overlap or _loads(kernel) > MANY_LOADS
    items = 1 if one else ITEMS[len(kernel.body.indices)]
    return (Version("_narrow", True, overlap, items, False, fitted), Version("", False, False, 1, False, fitted))


def _loads(kernel: Kernel) -> int:
    """Return how many loads stand in the body of a thread."""
    evaluated = (e for s in inlined(kernel.body.body) for e in expressions_of(s))
    return sum(isinstance(part, Load) for e in evaluated for part in walk(e))


def has_branches(kernel: Kernel) -> bool:
    """Whether some statement of a thread is not always executed once."""
    return any(isinstance(s, (If, For, While)) for s in inlined(kernel.body.body))


def has_loops(kernel: Kernel) -> bool:
    """Whether a thread runs through a loop of its own."""
    return any(isinstance(s, (For, While)) for s in inlined(kernel.body.body))


def can_load_wide(kernel: Kernel) -> bool:
    """Whether a reduction over one dimension can take neighbouring elements in 16-byte loads."""
    (first, *rest) = kernel.body.ranges
    return (
        isinstance(kernel.body, Parallel)
        and not rest
        and isinstance(first.lower, Const)
        and first.lower.value == 0
        and bool(kernel.arrays)
    )
