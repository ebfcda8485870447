"""What threads of one team hand to each other: barriers that nothing needs, and arrays that earn `noalias`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..ir.nodes import Access as Borrow
from ..ir.nodes import Break, Continue, For, If, Indexed, Phase, Statement, While
from ..ir.walk import blocks_of, phases
from .facts import Access, Facts, Region
from .guards import Ledger
from .meetings import Meetings, Threads, is_shared, memory_of, same_threads
from .sets import OutOfBudget, Solver
from .terms import Symbol


class Handovers:
    """Whether one thread of a team changes an element that another one reaches, in launches that pass the guards."""

    def __init__(self, facts: Facts, solver: Solver, ledger: Ledger) -> None:
        self.facts = facts
        self.solver = solver
        self.launches = ledger.allowed
        self._accesses: dict[Indexed, dict[Region, list[Access]]] = {}
        for access in facts.accesses:
            memory = memory_of(access.array)
            if memory.access is not Borrow.REF and is_shared(memory):
                self._accesses.setdefault(memory, {}).setdefault(access.place.region, []).append(access)
        self._meetings = {
            memory: Meetings(facts, solver, [a for inside in of_regions.values() for a in inside])
            for memory, of_regions in self._accesses.items()
        }
        self._known: dict[tuple[Region, Region, int | None], bool] = {}

    def unaliased(self) -> frozenset[str]:
        """Return the arrays on which no two threads conflict in the whole kernel, barriers ignored, atomics counted.

        Threads of different teams never do, or the kernel would be refused; nor do those of a `parallel`.
        """
        team = self.facts.grid
        regions = [r for r in self.facts.regions if r.threads != team]
        pairs = [(a, b) for n, a in enumerate(regions) for b in regions[n:]]
        return frozenset(
            array.name for array in self.facts.kernel.arrays
            if array.access is not Borrow.ATOMIC and not any(self._meet(array, a, b, team) for a, b in pairs)
        )  # fmt: skip

    def across(self, first: Region, second: Region, depth: int | None) -> bool:
        """Whether a barrier between two phases is needed.

        Parameters
        ----------
        depth : int, optional
            The second one is in a later iteration of the loop whose iterator has this place; None: in the same one.
        """
        key = (first, second, depth)
        if key not in self._known:
            common = [a for a, b in zip(first.common, second.common, strict=False) if a is b]
            later = None if depth is None or depth >= len(common) else common[depth]
            equal = tuple(common if later is None else common[:depth])
            self._known[key] = any(self._meet(memory, first, second, equal, later) for memory in self._accesses)
        return self._known[key]

    def _meet(
        self, memory: Indexed, first: Region, second: Region, equal: tuple[Symbol, ...], later: Symbol | None = None
    ) -> bool:
        """Whether two threads meet in an element, the first or the second changing it; what is not known counts."""
        accesses = self._accesses.get(memory, {})
        one, two = accesses.get(first, []), accesses.get(second, [])
        changing = [([a for a in one if a.is_write], two), (one, [a for a in two if a.is_write])]
        distinct = len(first.threads) if same_threads(first, second, equal) else 0
        kept = () if later is None else (later,)
        threads = Threads(equal, first.threads + kept, second.threads + kept, distinct, later.step if later else 0)
        try:
            with self.solver.budget():
                return any(
                    a and b and not self._meetings[memory].none(a, b, threads, self.launches) for a, b in changing
                )
        except OutOfBudget:
            return True


def needed_barriers(facts: Facts, handovers: Handovers) -> frozenset[int]:
    """Return the phases whose barrier is needed: without it, threads would meet that it keeps apart.

    In the order of the text, each barrier goes that nothing needs as long as the others stay.
    """
    flow = Flow()
    flow.block(facts.kernel.body.body, frozenset((_START,)), len(facts.grid))
    regions = {region.phase: region for region in facts.regions}
    kept = {phase.number for phase in phases(facts.kernel.body.body)}
    assert len(facts.regions) == len(kept), "each phase is a region"
    for number in sorted(kept):
        fewer = kept - {number}
        if not any(handovers.across(regions[a], regions[b], depth) for a, b, depth in flow.unparted(fewer)):
            kept = fewer
    return frozenset(kept)


_START = -1
_Nodes = frozenset[int]


@dataclass(slots=True)
class _Loop:
    """Where the paths are that leave a loop, or go on with its next iteration, from inside its body."""

    breaks: set[int] = field(default_factory=set)
    continues: set[int] = field(default_factory=set)


class Flow:
    """Which phases may follow each other; nodes are their numbers, and negative ones for the heads of loops."""

    def __init__(self) -> None:
        self.edges: dict[int, set[tuple[int, int | None]]] = {}  # to the next node, back in the loop of this depth
        self._heads = _START
        self._loops: list[_Loop] = []

    def block(self, statements: Iterable[Statement], ends: _Nodes, depth: int) -> _Nodes:
        """Add statements behind the nodes in `ends`; returns the nodes behind which it goes on."""
        for statement in statements:
            match statement:
                case Phase(number=number):
                    ends = self._join(ends, number)
                case If(then=then, otherwise=otherwise):
                    ends = self.block(then, ends, depth) | self.block(otherwise, ends, depth)
                case For(body=body) | While(body=body):
                    ends = self._loop(body, ends, depth)
                case Break():
                    self._loops[-1].breaks |= ends
                    ends = frozenset()
                case Continue():
                    self._loops[-1].continues |= ends
                    ends = frozenset()
                case _:
                    for inner in blocks_of(statement):
                        ends = self.block(inner, ends, depth)
        return ends

    def _loop(self, body: tuple[Statement, ...], ends: _Nodes, depth: int) -> _Nodes:
        self._heads -= 1
        head = self._heads
        self._loops.append(_Loop())
        last = self.block(body, self._join(ends, head), depth + 1)
        loop = self._loops.pop()
        return self._join(last | loop.continues, head, back=depth) | loop.breaks

    def _join(self, ends: Iterable[int], node: int, back: int | None = None) -> _Nodes:
        for end in ends:
            self.edges.setdefault(end, set()).add((node, back))
        return frozenset((node,))

    def unparted(self, kept: set[int]) -> Iterator[tuple[int, int, int | None]]:
        """Yield each phase with each one that may follow it without a barrier in between, if only these are kept.

        The third is the depth of the outermost loop that has gone on to a later iteration; None if none has.
        """
        for start in self.edges:
            if start < 0 or start in kept:
                continue
            met: set[tuple[int, int | None]] = set()
            work: list[tuple[int, int | None]] = [(start, None)]
            while work:
                node, depth = work.pop()
                for following, back in self.edges.get(node, ()):
                    outermost = min((d for d in (depth, back) if d is not None), default=None)
                    if (following, outermost) in met:
                        continue
                    met.add((following, outermost))
                    if following >= 0:
                        yield start, following, outermost
                    if following not in kept:
                        work.append((following, outermost))
