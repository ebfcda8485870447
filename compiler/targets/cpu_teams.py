"""Team kernels on the CPU: a team is one iteration of a loop, a phase is a loop nest over its threads.

The threads of a phase never touch each other's elements, so their loop is vectorised without a test. Barriers vanish: a
phase ends where its loop does.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ..ir.nodes import Buffer, Dimension, Expr, Indexed, Phase, Space, Variable, VariableKind
from ..ir.types import I64
from .team_shapes import owned, size_of, static_bytes
from .teams import TeamBody
from .whole_phases import Comparisons

STACK_BYTES = 128 * 1024  # of a team's buffers; what goes beyond comes from the heap, once a launch and OpenMP thread
CACHE_LINE = 64


class CpuTeams(TeamBody):
    """Emits all teams of a chunk into the loop function."""

    lanes = 4  # of a vector of f64; the emitter sets it
    _settled: AbstractSet[int] = frozenset()  # nodes of the tests that hold for every thread

    def teams(self) -> None:
        """Emit the loop over the teams [%first, %last), numbered in row-major order."""
        f, body = self.f, self.proved.kernel.body
        heap = self._buffers()
        team = Variable("team", body.indices[0].type, body.indices[0].kind, body.indices[0].span)

        def each_team() -> None:
            rest = self.env.values[team]
            for index in reversed(body.indices):
                offset = rest
                if index is not body.indices[0]:
                    offset = f.value(f"urem i64 {rest}, %count.{index.name}")
                    rest = f.value(f"udiv i64 {rest}, %count.{index.name}")
                self.env.values[index] = f.value(f"add nsw i64 %lower.{index.name}, {offset}", index.name)
            self.block(body.body)

        self.counted_loop(team, "%first", "%last", 1, each_team)
        for address in heap:
            f.emit(f"call void @free(ptr {address})")

    def _buffers(self) -> list[str]:
        """Give each buffer its memory; returns what has to be freed."""
        heap, used = [], 0
        for buffer in owned(self.proved.kernel):
            size = static_bytes(buffer)
            if size is not None and used + size <= STACK_BYTES:
                used += size
                self.env.pointers[buffer] = self.f.alloca(f"[{max(1, size)} x i8]", buffer.name, CACHE_LINE)
            else:
                heap.append(self._heap(buffer))
                self.env.pointers[buffer] = heap[-1]
        return heap

    def _heap(self, buffer: Buffer) -> str:
        f = self.f
        self.module.declare("aligned_alloc", "declare noalias ptr @aligned_alloc(i64, i64)")
        self.module.declare("free", "declare void @free(ptr)")
        self.module.declare("llvm.trap", "declare void @llvm.trap()")
        self.module.imports |= {"aligned_alloc", "free"}
        size = f.value(f"mul i64 {self.elements(buffer)}, {buffer.element.bytes}")
        lines = f.value(f"and i64 {f.value(f'add i64 {size}, {2 * CACHE_LINE - 1}')}, {-CACHE_LINE}")
        address = f.value(f"call ptr @aligned_alloc(i64 {CACHE_LINE}, i64 {lines})", buffer.name)
        none, some = f.name("none"), f.name("some")
        f.branch(f.value(f"icmp eq ptr {address}, null"), none, some)
        f.block(none)  # the launcher has refused sizes that no machine has
        f.emit("call void @llvm.trap()")
        f.block(some)
        return address

    def phases(self, phases: Sequence[Phase]) -> None:
        """Emit one loop nest for phases of the same threads; a second one for teams in which every test holds."""
        bounds = [(self.value(r.lower), self.value(r.upper)) for r in phases[0].ranges]
        tests = [Comparisons(p) for p in phases]
        loops, self._loop_depth = self._loop_depth, 0
        decided = [e for t in tests for e, _ in t.found]
        if decided:
            f = self.f
            whole, parts, end = f.name("whole"), f.name("parts"), f.name("threads")
            f.branch(self._hold(tests, bounds), whole, parts)
            f.block(whole)
            self._settled = {id(e) for e in decided}
            self._nest(phases, bounds)
            self._settled = set()
            f.jump(end)
            f.block(parts)
            self._nest(phases, bounds)
            f.block(end)
        else:
            self._nest(phases, bounds)
        self._loop_depth = loops

    def value(self, e: Expr) -> str:
        """Emit an expression; a test that is known to hold needs no code."""
        return "true" if id(e) in self._settled else super().value(e)

    def _hold(self, tests: Sequence[Comparisons], bounds: Sequence[tuple[str, str]]) -> str:
        """Emit whether every comparison holds at its worst corner."""
        f, all_hold = self.f, "true"
        last = [f.value(f"sub i64 {upper}, 1") for _, upper in bounds]
        for test in tests:
            for e, slopes in test.found:
                corner = {
                    index: end if slopes.get(index, 0) > 0 else lower
                    for index, (lower, _), end in zip(test.phase.indices, bounds, last, strict=True)
                }
                a, b = (test.at_corner(side, corner, self.value, f) for side in (e.left, e.right))
                holds = f.value(f"icmp {e.operation.signed} i64 {a}, {b}")
                all_hold = f.value(f"and i1 {all_hold}, {holds}")
        return all_hold

    def _nest(self, phases: Sequence[Phase], bounds: Sequence[tuple[str, str]]) -> None:
        first, group = phases[0], self.module.metadata()

        def level(depth: int) -> None:
            if depth < len(bounds):
                hints = [f'!{{!"llvm.loop.parallel_accesses", {group}}}', *self._width(first, depth)]
                hint = self.module.metadata(*hints)
                self.counted_loop(first.indices[depth], *bounds[depth], 1, lambda: level(depth + 1), hint)
                return
            for phase in phases:
                for mine, index in zip(phase.indices, first.indices, strict=True):
                    self.env.values[mine] = self.env.values[index]
                self.block(phase.body)

        self.env.group = f", !llvm.access.group {group}"
        level(0)
        self.env.group = ""

    def _width(self, phase: Phase, depth: int) -> list[str]:
        """Return hints: whole vectors for an innermost loop of known length, before LLVM takes it apart."""
        size = size_of(phase.ranges[depth]) or 0
        if depth < len(phase.ranges) - 1:
            # Once a short inner loop is taken apart, LLVM would gather and scatter along this one.
            return ['!{!"llvm.loop.vectorize.enable", i1 false}']
        if size < 2 * self.lanes:
            return []
        return [
            '!{!"llvm.loop.unroll.disable"}',
            f'!{{!"llvm.loop.interleave.count", i32 {min(4, size // self.lanes)}}}',
        ]

    def begin(self, buffers: Sequence[Buffer]) -> None:
        """Fill the buffers that say so."""
        self._begin_views(buffers)
        for buffer in buffers:
            if buffer.fill is None:
                continue
            element = Variable("element", I64, VariableKind.LOOP, buffer.span)
            fill = functools.partial(self.fill, buffer, element)
            self.counted_loop(element, "0", self.elements(buffer), 1, fill)

    def coordinates(self, array: Indexed, index: tuple[Expr, ...]) -> list[tuple[Expr, Dimension]]:
        """Return the indices in the order of memory: neighbouring threads' private elements are neighbours."""
        pairs = super().coordinates(array, index)
        if not isinstance(array, Buffer) or array.space is not Space.PRIVATE:
            return pairs
        return [*pairs[array.threads :], *pairs[: array.threads]]
