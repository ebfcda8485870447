"""Which comparisons a campaign consists of, and in which order a walk visits them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from .records import Cell
from .settings import Settings

if TYPE_CHECKING:
    from kparity.suites import Entry

RAJAPERF = "rajaperf_"  # begins the names of variants that a RAJAPerf executable runs
RAJAPERF_VARIANTS = {"cpu1": "Base_Seq", "cpu": "Base_OpenMP", "cuda": "Base_CUDA", "hip": "Base_HIP"}
Tunings = Mapping[tuple[str, str], Sequence[str]]  # (kernel, target) -> tunings that the native side was built with;
# (kernel, variant) -> those that RAJAPerf has of a variant of its own


@dataclass(frozen=True, slots=True)
class Comparison:
    """Sides that are timed against each other, on equal data.

    Attributes
    ----------
    suite, kernel, target : str
    size : int
        Requested.
    sides : tuple of Cell
        The checked side first, then the native ones.
    """

    suite: str
    kernel: str
    target: str
    size: int
    sides: tuple[Cell, ...]

    @property
    def data_key(self) -> tuple[str, int]:
        """Comparisons with the same key start from the same host data."""
        return (self.kernel, self.size)

    def without(self, cells: Iterable[Cell]) -> Comparison:
        """Return the comparison less some of its sides."""
        gone = frozenset(cells)
        return replace(self, sides=tuple(side for side in self.sides if side not in gone))


def make_plan(entries: Iterable[Entry], settings: Settings) -> list[Comparison]:
    """Return all comparisons, in the suite's order, one native side each (its tunings are known once it is built)."""
    plan = []
    for entry in entries:
        for size in sizes_of(entry.spec.size, settings):
            for target in settings.targets:
                variants = [*settings.variants, *([RAJAPERF + RAJAPERF_VARIANTS[target]] if settings.rajaperf else [])]
                cells = (Cell(entry.suite, entry.full_name, target, size, variant) for variant in variants)
                plan.append(Comparison(entry.suite, entry.full_name, target, size, tuple(cells)))
    return plan


def sizes_of(default: int, settings: Settings) -> list[int]:
    """Return the requested sizes of a kernel, multiplied by the size factor and truncated as RAJAPerf does."""
    scaled = (math.trunc(size * settings.size_factor) for size in settings.sizes or (default,))
    return list(dict.fromkeys(max(1, size) for size in scaled))


def with_tunings(plan: Iterable[Comparison], tunings: Tunings, settings: Settings) -> list[Comparison]:
    """Replace the native side of each comparison, and RAJAPerf's, by one side a tuning, as selected.

    A selection that leaves none of a kernel's tunings leaves out its native side, never the checked one.
    """
    return [_expanded(comparison, tunings, settings) for comparison in plan]


def _expanded(comparison: Comparison, tunings: Tunings, settings: Settings) -> Comparison:
    sides: list[Cell] = []
    for side in comparison.sides:
        is_theirs = side.variant.startswith(RAJAPERF)
        if side.variant != "native" and not is_theirs:
            sides.append(side)
            continue
        built = tunings.get((comparison.kernel, side.variant if is_theirs else comparison.target), ("default",))
        kept = [t for t in built if t not in settings.exclude_tunings and t in (settings.tunings or built)]
        sides += [replace(side, tuning=tuning) for tuning in kept]
    return replace(comparison, sides=tuple(sides))


def walk_order(plan: Sequence[Comparison], seed: int, walk: int) -> list[Comparison]:
    """Return the plan in the order of one walk.

    Comparisons that share their data stay together, so that it is made once; the groups, the comparisons of a group and
    the sides of a comparison are in a random order that the seed and the walk's number decide.
    """
    shuffler = random.Random(f"{seed}/{walk}")
    order = []
    groups = list(by_data(plan))
    shuffler.shuffle(groups)
    for group in groups:
        shuffler.shuffle(group)
        for comparison in group:
            sides = list(comparison.sides)
            shuffler.shuffle(sides)
            order.append(replace(comparison, sides=tuple(sides)))
    return order


def by_data(plan: Iterable[Comparison]) -> Iterator[list[Comparison]]:
    """Yield the comparisons that share their data together."""
    for _, group in groupby(sorted(plan, key=lambda c: c.data_key), key=lambda c: c.data_key):
        yield list(group)


def cells_of(plan: Iterable[Comparison]) -> list[Cell]:
    """Return every side of every comparison."""
    return [side for comparison in plan for side in comparison.sides]
