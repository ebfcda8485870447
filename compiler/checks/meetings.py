"""The elements in which two threads meet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from ..ir.nodes import Array, Buffer, Indexed, Space
from .digits import rows
from .facts import Access, Facts, Region
from .products import multiply, quotient
from .sets import DIMENSION, Frame, Key, Solver, is_determined, is_known
from .terms import Symbol, Term, compare, every, number, of

_MOST_PIECES = 64  # of a set that is made simpler


@dataclass(frozen=True, slots=True)
class Threads:
    """Between which threads two accesses are compared.

    Attributes
    ----------
    equal : tuple of Symbol
        Iterators that have one value for both.
    first, second : tuple of Symbol
        What is kept of each: the indices of its thread, then further iterators.
    distinct : int
        How many of these, from the start, name a thread: two that agree in them are the same. 0: never the same.
    later : int
        Step of a loop whose iterator comes last in both: the second access is in a later iteration. 0: no such loop.
    """

    equal: tuple[Symbol, ...]
    first: tuple[Symbol, ...]
    second: tuple[Symbol, ...]
    distinct: int
    later: int = 0


def is_shared(memory: Indexed) -> bool:
    """Whether several threads reach it: an array, or a buffer of a team; tables never change."""
    return isinstance(memory, Array) or (isinstance(memory, Buffer) and memory.space is Space.SHARED)


def memory_of(storage: Indexed) -> Indexed:
    """Return what has the memory: the storage itself, or the buffer that it shows under another shape."""
    return storage.memory if isinstance(storage, Buffer) else storage


def same_threads(a: Region, b: Region, equal: Iterable[Symbol]) -> bool:
    """Whether equal indices name the same thread in both, where the iterators `equal` have one value."""
    return a.shape == b.shape and is_known((bound for pair in a.shape for bound in pair), set(equal))


class Meetings:
    """Queries about accesses to one memory."""

    def __init__(self, facts: Facts, solver: Solver, accesses: Iterable[Access]) -> None:
        self.facts = facts
        self.solver = solver
        self.is_viewed = len({a.array for a in accesses}) > 1
        self._reached: dict[tuple[Access, tuple[Key, ...], int, tuple[Term, ...]], isl.Map] = {}

    def element(self, access: Access) -> tuple[Term, ...]:
        """Return what names the element: the index tuple, or, where shapes differ, the address."""
        return (address(access, self.facts),) if self.is_viewed else access.index

    def pairs(self, first: Access, second: Access, threads: Threads) -> isl.Set:
        """Return who meets where; dimensions: `threads.first` and `.second`, the element, then what is equal."""
        ours, theirs = (reduce(isl.Map.union, maps) for maps in self._both([first], [second], threads))
        met = ours.domain_product(theirs).wrap().flatten()
        met = met.intersect(self._apart(threads, met.dim(DIMENSION)))
        return met.coalesce() if met.n_basic_set() <= _MOST_PIECES else met  # it takes longer than it saves

    def none(self, firsts: Sequence[Access], seconds: Sequence[Access], threads: Threads, launches: isl.Set) -> bool:
        """Whether none of `firsts` meets any of `seconds`: one query instead of one for each pair."""
        ours, theirs = (reduce(isl.Map.union, maps) for maps in self._both(firsts, seconds, threads))
        met = ours.apply_range(theirs.reverse()).intersect_params(launches).wrap().flatten()
        return bool(met.intersect(self._apart(threads, met.dim(DIMENSION))).is_empty())

    def happen(self, access: Access) -> isl.Set:
        """Return the launches in which an access happens."""
        return self._reach(access, (), ()).params()

    def always(self, first: Access, second: Access, threads: Threads, met: isl.Set) -> bool:
        """Whether threads meet for each value of what is equal for both, in launches where they meet for some."""
        equal = self.equal_keys((first, second), threads.equal)
        kept = len(threads.equal)
        one, two = (self._reach(a, equal, ()).domain() for a in (first, second))
        met = met.project_out(DIMENSION, 0, met.dim(DIMENSION) - len(equal)).project_out(DIMENSION, 0, kept)
        both = one.intersect(two).project_out(DIMENSION, 0, kept).intersect_params(met.params())
        return bool(both.is_subset(met))

    def index_at(self, access: Access, element: Sequence[int]) -> tuple[int | str, ...]:
        """Return the index tuple of an element in the shape of an access."""
        if not self.is_viewed:
            return tuple(element[: len(access.index)])
        sizes = [high - low for low, high in self.facts.shapes[access.array]]
        if not all(s.is_constant for s in sizes):
            return (f"element {element[0]}",)
        index, rest = [], element[0]
        for size in reversed(sizes):
            index.append(rest % size.constant)
            rest //= size.constant
        return tuple(reversed(index))

    def equal_keys(self, accesses: Iterable[Access], equal: tuple[Symbol, ...]) -> tuple[Key, ...]:
        """Return what has one value for all accesses where the iterators `equal` have."""
        shared = set(equal)
        keys = self.solver.support([i for a in accesses for i in (*a.place.path, *self.element(a))])
        return (*equal, *(k for k in keys if k not in shared and is_determined(k, shared)))

    def _both(
        self, firsts: Sequence[Access], seconds: Sequence[Access], threads: Threads
    ) -> tuple[list[isl.Map], list[isl.Map]]:
        equal = self.equal_keys([*firsts, *seconds], threads.equal)
        starts = self._starts([*firsts, *seconds], set(equal))
        ours = [self._reach(a, threads.first, equal, starts.get(a, ())) for a in firsts]
        return ours, [self._reach(a, threads.second, equal, starts.get(a, ())) for a in seconds]

    def _starts(self, accesses: Iterable[Access], equal: set[Key]) -> dict[Access, tuple[Term, ...]]:
        """Return where the loops start whose index names the element, if an equal element means an equal start.

        That is so if all loops have one step, and start between 0 and it: the start is the remainder of the index.
        The index may count rows of some constant length, with a place in the row behind it. Of a start that is itself
        a place in a row of some length the digits are returned.
        """
        found: dict[Access, tuple[Term, ...]] = {}
        common: set[tuple[int, int, Term, Term]] = set()
        shared = {s for s in equal if isinstance(s, Symbol)}
        for access in accesses:
            strided = [
                (d, i, i.stride, factor) for d, index in enumerate(access.index) for i, factor in index.parts
                if isinstance(i, Symbol) and i.stride and factor >= 1
            ]  # fmt: skip
            if self.is_viewed or len(strided) != 1:
                return {}
            ((dimension, index, (start, step), factor),) = strided
            place = access.index[dimension] - of(index).scaled(factor)
            in_row = every(compare(">=", place, number(0)), compare("<", place, number(factor)))
            rest = number(0) if factor > 1 and self.solver.implies(access.place.path, in_row) else place
            common.add((dimension, factor, rest, step))
            if len(common) > 1 or not is_known((rest, step), shared) or (factor > 1 and rest is place):
                return {}
            digits = self._digits(start, step, access)
            if digits is None:
                return {}
            found[access] = digits
        return found if len({len(digits) for digits in found.values()}) == 1 else {}

    def _digits(self, start: Term, step: Term, access: Access) -> tuple[Term, ...] | None:
        """Return what names a start in `[0, step)`, or None if it may lie elsewhere."""

        def inside(value: Term, end: Term) -> bool:
            within = every(compare(">=", value, number(0)), compare("<", value, end))
            return self.solver.implies(access.place.path, within)

        if inside(start, step):
            return (start,)
        found = rows(start, access.place.path, self.solver)
        if found is None or (count := quotient(step, found[1])) is None or not inside(found[0], count):
            return None
        top, row = found
        return top, start - multiply(top, row)

    def _reach(
        self, access: Access, own: tuple[Key, ...], equal: tuple[Key, ...], starts: tuple[Term, ...] = ()
    ) -> isl.Map:
        """Return the map from `own` to the elements that the access reaches, each with `starts` and `equal`."""
        kept = (*own, *equal)
        key = (access, kept, len(own), starts)
        if key not in self._reached:
            items = (*self.element(access), *starts)
            frame = self.solver.frame([*access.place.path, *items], kept)
            values = [*(frame.term(t) for t in items), *(frame.dimension(frame.positions[k]) for k in equal)]
            result = reduce(isl.Map.flat_range_product, [v.as_map() for v in values])
            result = result.intersect_domain(frame.domain(access.place.path))
            self._reached[key] = result.project_out(isl.dim_type.in_, len(own), frame.dims - len(own))
        return self._reached[key]

    def _apart(self, threads: Threads, dims: int) -> isl.Set:
        """Return the points where the threads differ, and the second access is in a later iteration."""
        frame = Frame(self.solver, dims, {})
        offset = len(threads.first)
        result = frame.universe if threads.distinct == 0 else isl.Set.empty(frame.space)
        for t in range(threads.distinct):
            result = result.union(frame.dimension(t).ne_set(frame.dimension(offset + t)))
        if threads.later:
            before, after = frame.dimension(offset - 1), frame.dimension(offset + len(threads.second) - 1)
            result = result.intersect(before.lt_set(after) if threads.later > 0 else before.gt_set(after))
        return result


def address(access: Access, facts: Facts) -> Term:
    """Return the position in memory, row-major, in elements."""
    result = number(0)
    for index, (low, high) in zip(access.index, facts.shape_of(access.array, access.index), strict=True):
        result = multiply(result, high - low) + index - low
    return result
