"""Team kernels on the CPU: a team is one iteration of a loop, a phase is a loop nest over its threads.

The threads of a phase never touch each other's elements, so their loop is vectorised without a test. Barriers vanish: a
phase ends where its loop does.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ..ir.nodes import Buffer, Dimension, Expr, Phase, Space, Storage, Variable, VariableKind
from ..ir.types import I64
from .team_shapes import owned, static_bytes
from .teams import TeamBody

STACK_BYTES = 128 * 1024  # of a team's buffers; what goes beyond comes from the heap, once a launch and OpenMP thread
CACHE_LINE = 64


class CpuTeams(TeamBody):
    """Emits all teams of a chunk into the loop function."""

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
        """Emit one loop nest for phases of the same threads."""
        first = phases[0]
        bounds = [(self.value(r.lower), self.value(r.upper)) for r in first.ranges]
        group = self.module.metadata()

        def level(depth: int) -> None:
            if depth < len(bounds):
                hint = self.module.metadata(f'!{{!"llvm.loop.parallel_accesses", {group}}}')
                self.counted_loop(first.indices[depth], *bounds[depth], 1, lambda: level(depth + 1), hint)
                return
            for phase in phases:
                for mine, index in zip(phase.indices, first.indices, strict=True):
                    self.env.values[mine] = self.env.values[index]
                self.block(phase.body)

        loops, self._loop_depth, self.env.group = self._loop_depth, 0, f", !llvm.access.group {group}"
        level(0)
        self._loop_depth, self.env.group = loops, ""

    def begin(self, buffers: Sequence[Buffer]) -> None:
        """Fill the buffers that say so."""
        self._begin_views(buffers)
        for buffer in buffers:
            if buffer.fill is None:
                continue
            element = Variable("element", I64, VariableKind.LOOP, buffer.span)
            fill = functools.partial(self.fill, buffer, element)
            self.counted_loop(element, "0", self.elements(buffer), 1, fill)

    def coordinates(self, array: Storage, index: tuple[Expr, ...]) -> list[tuple[Expr, Dimension]]:
        """Return the indices in the order of memory: neighbouring threads' private elements are neighbours."""
        pairs = super().coordinates(array, index)
        if not isinstance(array, Buffer) or array.space is not Space.PRIVATE:
            return pairs
        return [*pairs[array.threads :], *pairs[: array.threads]]
