"""Team kernels on a GPU: a block is a team, the threads of a phase are numbered in row-major order.

A phase of at most a block's threads masks the others out; of a larger one, or one of unknown size, each thread does
every block-th. Either way thread `n` of all phases of one shape is the same thread of the block. The mask covers the
body alone: every thread comes to every barrier, and executes what stands outside of phases.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING

from ..ir.nodes import Buffer, Dimension, Expr, Indexed, Phase, Space, Variable, VariableKind
from ..ir.types import I64
from .body import Environment
from .reductions import State
from .team_shapes import BLOCK_LIMIT, block_threads, count, dynamic_shared, owned, repeated_phases, size_of
from .teams import TeamBody
from .text import Function, Module

if TYPE_CHECKING:
    from ..ir.nodes import Reducer
    from .gpu import KernelEmitter

DYNAMIC = "kp_dynamic_shared"  # a name that PTX takes as it is
ALIGNMENT = 16  # of shared buffers, so that neighbours are read in one instruction


def emit_teams(k: KernelEmitter) -> None:
    """Emit one version of a team kernel: a team a block, where the grid has them all; else some blocks do several."""
    f = k.function((block_threads(k.kernel) or BLOCK_LIMIT, 1, 1))
    environment = k.environment(f)
    thread, block = k.register(f, "tid.x"), k.wait_for_previous(f, k.register(f, "ctaid.x"))
    body = GpuTeams(k, f, environment, thread)
    if not k.small:
        body.over_grid(block)
    else:
        places = {"x": block, **{a: k.register(f, f"ctaid.{a}") for a in "yz"[: k.rank - 1]}}
        for axis, index in zip("xyz", reversed(k.kernel.body.indices), strict=False):
            k.set_index(environment, f, index, places[axis], "i32")
        # Always true, but LLVM does not know: no access behind it can be moved before the wait.
        f.branch(f.value(f"icmp slt i32 {block}, {k.count(f, k.kernel.body.indices[-1], 'i32')}"), "team", "end")
        f.block("team")
        body.block(k.kernel.body.body)
        f.block("end")
    f.ret()
    k.module.definitions.append(f.text())


def accumulate_teams(
    k: KernelEmitter, f: Function, environment: Environment, thread: str, block: str, states: dict[Reducer, State]
) -> None:
    """Emit the teams of a block in turns; contributions gather in each thread's accumulators."""
    environment.states = states
    GpuTeams(k, f, environment, thread).in_turns(block)


class GpuTeams(TeamBody):
    """Emits a team for a block whose threads are numbered by `thread` (i32)."""

    def __init__(self, k: KernelEmitter, f: Function, environment: Environment, thread: str) -> None:
        super().__init__(k.proved, environment, f, k.module, k.gpu)
        self.k, self.thread = k, thread
        self.threads = block_threads(k.kernel)
        self._places: dict[tuple[int, ...], list[str]] = {}  # a thread's place in phases that loops repeat, by shape
        for phase in repeated_phases(k.kernel.body.body):
            sizes = [size_of(r) for r in phase.ranges]
            shape = tuple(s for s in sizes if s is not None)
            if len(shape) == len(sizes) and self.threads is not None and prod(shape) <= self.threads:
                self._places.setdefault(shape, self._offsets(thread, [str(s) for s in shape], "i32"))
        self.repeats = False  # whether a block does another team after this one
        self._own: dict[Buffer, str] = {}  # private memory of all of a thread's turns
        self._allocate()

    # -- teams --------------------------------------------------------------------------------------------------------

    def in_turns(self, block: str) -> None:
        """Emit the teams `block`, `block` + blocks, ... in row-major order."""
        f, body = self.f, self.k.kernel.body
        total = "1"
        for index in body.indices:
            total = f.value(f"mul i64 {total}, {self._clamped(f'%count.{index.name}')}")
        first = f.value(f"zext i32 {block} to i64")
        stride = f.value(f"zext i32 {self.k.register(f, 'nctaid.x')} to i64")

        def each_team(team: str) -> None:
            rest = team
            for index in reversed(body.indices):
                offset = rest
                if index is not body.indices[0]:
                    offset = f.value(f"urem i64 {rest}, %count.{index.name}")
                    rest = f.value(f"udiv i64 {rest}, %count.{index.name}")
                self._bind(index, f"%lower.{index.name}", offset, "i64")
            self._team_in_turn()

        f.each(first, total, stride, each_team, "team")

    def over_grid(self, block: str) -> None:
        """Emit the team of `block` in x, and in y and z every team that the grid has no block of its own for."""
        f, indices = self.f, self.k.kernel.body.indices
        self._bind(indices[-1], f"%lower.{indices[-1].name}", f.value(f"zext i32 {block} to i64"), "i64")
        if len(indices) == 1:
            self.block(self.k.kernel.body.body)
            return

        def level(axes: str) -> None:
            if not axes:
                self._team_in_turn()
                return
            axis, index = axes[0], indices[-1 - "xyz".index(axes[0])]

            def each(number: str) -> None:
                self._bind(index, f"%lower.{index.name}", number, "i64")
                level(axes[1:])

            first, stride = (f.value(f"zext i32 {self.k.register(f, r + axis)} to i64") for r in ("ctaid.", "nctaid."))
            f.each(first, f"%count.{index.name}", stride, each, axis)

        level("zy"[-(len(indices) - 1) :])

    def _team_in_turn(self) -> None:
        self.block(self.k.kernel.body.body)
        if any(b.space is Space.SHARED for b in owned(self.k.kernel)):
            self.k.barrier(self.f)  # the next team has the same shared memory

    # -- phases -------------------------------------------------------------------------------------------------------

    def phases(self, phases: Sequence[Phase]) -> None:
        """Emit phases of the same threads, and the barrier if the last one has it."""
        f, ranges = self.f, phases[0].ranges
        lowers = [self.value(r.lower) for r in ranges]
        sizes = [size_of(r) for r in ranges]
        known = count(ranges)
        loops, self._loop_depth = self._loop_depth, 0
        if known is not None and self.threads is not None and known <= self.threads:
            place = self._places.get(tuple(s for s in sizes if s is not None))
            offsets = place or self._offsets(self.thread, [str(s) for s in sizes], "i32")
            inside, outside = f.name("thread"), f.name("threads")
            if known < self.threads:
                f.branch(f.value(f"icmp ult i32 {self.thread}, {known}"), inside, outside)
                f.block(inside)
            self._bodies(phases, lowers, offsets, "i32")
            if known < self.threads:
                f.block(outside)
        elif known is not None and self.threads is not None:
            self._known_turns(phases, lowers, [str(s) for s in sizes], known)
        else:
            counts = [
                self._clamped(f.value(f"sub i64 {self.value(r.upper)}, {lower}"))
                for r, lower in zip(ranges, lowers, strict=True)
            ]
            total = counts[0]
            for more in counts[1:]:
                total = f.value(f"mul i64 {total}, {more}")
            self._each(total, lambda number: self._bodies(phases, lowers, self._offsets(number, counts, "i64"), "i64"))
        self._loop_depth = loops
        if phases[-1].number in self.proved.barriers:
            self.k.barrier(f)

    def _known_turns(self, phases: Sequence[Phase], lowers: list[str], counts: list[str], known: int) -> None:
        """Emit a phase of more than a block as a loop of constant length, so that private memory can be registers."""
        f, threads = self.f, self.threads
        assert threads is not None
        turn = Variable("turn", I64, VariableKind.LOOP, phases[0].span)

        def each_turn() -> None:
            at = f.value(f"trunc i64 {self.env.values[turn]} to i32")
            number = f.value(f"add nuw nsw i32 {f.value(f'mul nuw nsw i32 {at}, {threads}')}, {self.thread}")
            inside, outside = f.name("thread"), f.name("threads")
            if known % threads:
                f.branch(f.value(f"icmp ult i32 {number}, {known}"), inside, outside)
                f.block(inside)
            for buffer, address in self._own.items():
                if self._turns(buffer) > 1:
                    place = f.value(f"mul nuw nsw i32 {at}, {self._each_thread(buffer)}")
                    self.env.pointers[buffer] = f.value(
                        f"getelementptr inbounds {buffer.element.llvm}, ptr {address}, i32 {place}"
                    )
            self._bodies(phases, lowers, self._offsets(number, counts, "i32"), "i32")
            if known % threads:
                f.block(outside)

        self.counted_loop(turn, "0", str(-(-known // threads)), 1, each_turn)

    def _bodies(self, phases: Sequence[Phase], lowers: list[str], offsets: list[str], width: str) -> None:
        for phase in phases:
            for index, lower, offset in zip(phase.indices, lowers, offsets, strict=True):
                self._bind(index, lower, offset, width)
            self.block(phase.body)

    def _offsets(self, number: str, counts: list[str], width: str) -> list[str]:
        """Return the place of a thread in each range of its phase; the last is the fastest."""
        f, offsets = self.f, []
        for size in reversed(counts[1:]):
            offsets.append(f.value(f"urem {width} {number}, {size}") if size != "0" else "0")
            number = f.value(f"udiv {width} {number}, {size}") if size != "0" else "0"
        offsets = [number, *reversed(offsets)]
        if width == "i64" or len(offsets) == 1:
            return offsets
        return [self.k.gpu.opaque(offset, f) for offset in offsets]

    def _bind(self, index: Variable, lower: str, offset: str, width: str) -> None:
        f, narrow = self.f, self.env.narrow
        wide = f.value(f"zext nneg i32 {offset} to i64") if width == "i32" else offset
        self.env.values[index] = wide if lower == "0" else f.value(f"add i64 {lower}, {wide}", index.name)
        if narrow is not None and width == "i32" and lower == "0":
            narrow[index] = offset
        elif narrow is not None:
            narrow[index] = f.value(f"trunc i64 {self.env.values[index]} to i32", index.name)

    def _clamped(self, number: str) -> str:
        self.module.declare("llvm.smax.i64", "declare i64 @llvm.smax.i64(i64, i64)")
        return self.f.value(f"call i64 @llvm.smax.i64(i64 {number}, i64 0)")

    def _each(self, total: str, body: Callable[[str], None]) -> None:
        """Emit a loop in which the block's threads take every block-th number below `total`."""
        f = self.f
        threads = str(self.threads)
        if self.threads is None:
            threads = f.value(f"zext i32 {self.k.register(f, 'ntid.x')} to i64")
        f.each(f.value(f"zext nneg i32 {self.thread} to i64"), total, threads, body, "turn")

    # -- memory -------------------------------------------------------------------------------------------------------

    def _allocate(self) -> None:
        """Give each buffer its address: shared ones as globals or behind each other, private ones in each thread."""
        f, dynamic = self.f, dynamic_shared(self.k.kernel)
        offset = "0"
        for number, buffer in enumerate(owned(self.k.kernel)):
            if buffer.space is Space.PRIVATE:
                elements = self._turns(buffer) * self._each_thread(buffer)
                self._own[buffer] = f.alloca(f"[{max(1, elements)} x {buffer.element.llvm}]", buffer.name)
                self.env.pointers[buffer] = self._own[buffer]
            elif buffer in dynamic:
                self.env.pointers[buffer] = f.value(f"getelementptr i8, ptr {shared_address(DYNAMIC)}, i64 {offset}")
                size = f.value(f"mul i64 {self.elements(buffer)}, {buffer.element.bytes}")
                whole = f.value(f"and i64 {f.value(f'add i64 {size}, {ALIGNMENT - 1}')}, {-ALIGNMENT}")
                offset = f.value(f"add i64 {offset}, {whole}")
            else:
                name = f"{self.k.symbol}.{buffer.name}.{number}"
                held = f"[{max(1, count(buffer.dims) or 0)} x {buffer.element.llvm}] undef, align {ALIGNMENT}"
                self.module.globals.append(f"@{name} = internal addrspace(3) global {held}")
                self.env.pointers[buffer] = shared_address(name)
        if dynamic:
            declare_dynamic(self.module)

    def _turns(self, buffer: Buffer) -> int:
        """How many threads of the buffer's phases one thread of the block is."""
        known = count(buffer.dims[: buffer.threads])
        return 1 if known is None or self.threads is None else -(-known // self.threads)

    @staticmethod
    def _each_thread(buffer: Buffer) -> int:
        return prod(size_of(d) or 0 for d in buffer.dims[buffer.threads :])

    def coordinates(self, array: Indexed, index: tuple[Expr, ...]) -> list[tuple[Expr, Dimension]]:
        """Return the indices of an element in memory: of private memory, those within the thread's own."""
        pairs = super().coordinates(array, index)
        return pairs[array.threads :] if isinstance(array, Buffer) else pairs

    def begin(self, buffers: Sequence[Buffer]) -> None:
        """Fill the buffers that say so; every thread sees a shared one filled, none still reads what it held."""
        self._begin_views(buffers)
        filled = [b for b in buffers if b.fill is not None]
        shared = [b for b in filled if b.space is Space.SHARED]
        if shared and self._loop_depth:
            self.k.barrier(self.f)
        for buffer in filled:
            element = Variable("element", I64, VariableKind.LOOP, buffer.span)
            if buffer.space is Space.SHARED:

                def one(number: str, buffer: Buffer = buffer, element: Variable = element) -> None:
                    self.env.values[element] = number
                    self.fill(buffer, element)

                self._each(self.elements(buffer), one)
                continue
            self.env.pointers[buffer] = self._own[buffer]
            elements = str(self._turns(buffer) * self._each_thread(buffer))
            self.counted_loop(element, "0", elements, 1, functools.partial(self.fill, buffer, element))
        if shared:
            self.k.barrier(self.f)


def declare_dynamic(module: Module) -> str:
    """Declare the shared memory whose size the launcher gives; returns its name."""
    declared = f"@{DYNAMIC} = external addrspace(3) global [0 x i8], align {ALIGNMENT}"
    if declared not in module.globals:
        module.globals.append(declared)
    return DYNAMIC


def shared_address(name: str) -> str:
    """Return the address of a shared global among all addresses; LLVM finds out again that it is shared."""
    return f"addrspacecast (ptr addrspace(3) @{name} to ptr)"
