"""Kernels for any GPU: one thread an element, a team a block; what a vendor has of its own is asked of its `Gpu`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from math import prod
from typing import TypeAlias

from ..checks.proved import Proved
from ..errors import KparityError
from ..ir.nodes import Access, Array, Const, Kernel, Teams, Variable
from ..ir.ordered import ordered_store
from ..ir.programs import Program
from ..runtime.plan import Plan, make_plan
from .abi import PARAMETER_LIMIT, Slot, kernel_slots, offsets
from .aliases import alias_metadata, slot_attributes
from .body import BodyEmitter, Environment
from .environment import arguments_of
from .gpu_ordered import emit_ordered
from .gpu_reduction import emit_reduction
from .gpu_target import Gpu
from .gpu_teams import emit_teams
from .gpu_versions import BLOCKS, WIDE_BYTES, Version, versions
from .text import Function, Module, symbol_name

Kernels: TypeAlias = Sequence[tuple[str, Proved]]


def planned(program: Program, kernels: Kernels, symbols: Mapping[int, str], gpu: Gpu) -> tuple[Plan, Kernels]:
    """Return how a program is launched, and its kernels, one for each way of delivering scalars."""
    plan = make_plan(program, {p.kernel: p for _, p in kernels}, symbols, device_reduction=True)
    kernels, plan = _one_a_delivery(kernels, plan)
    kept = {n: () if p.kernel.library else versions(p.kernel, overlap=gpu.overlaps) for n, p in kernels}
    plan = replace(plan, calls=[replace(c, versions=[astuple(v) for v in kept[c.symbol]]) for c in plan.calls])
    return plan, kernels


def checked_slots(proved: Proved) -> tuple[Slot, ...]:
    """Return the argument list of a kernel; raises KparityError if a launch has no room for it."""
    slots = kernel_slots(proved, device_reduction=True)
    size = offsets(s.bytes for s in slots)[1]
    if size > PARAMETER_LIMIT:
        raise KparityError(
            f"`{proved.kernel.name}` has {size} bytes of parameters, and a launch takes {PARAMETER_LIMIT}: pass"
            " arrays in packs, and scalars in structs"
        )
    return slots


def _one_a_delivery(kernels: Kernels, plan: Plan) -> tuple[Kernels, Plan]:
    """Give a kernel a symbol for each way in which its calls deliver scalars: slots are part of the code."""
    proofs = dict(kernels)
    named: dict[tuple[str, tuple[int, ...], bool], str] = {}
    calls = []
    for call in plan.calls:
        way = (call.symbol, tuple(call.returned), call.publishes)
        others = sum(symbol == call.symbol for symbol, _, _ in named)
        name = named.setdefault(way, f"{call.symbol}.{others}" if others else call.symbol)
        calls.append(replace(call, symbol=name))
    return [(name, proofs[symbol]) for (symbol, _, _), name in named.items()], replace(plan, calls=calls)


def emit_module(kernels: Kernels, program: Program, plan: Plan, gpu: Gpu) -> Module:
    """Return a module with every version of every kernel that the plan calls."""
    module = gpu.module()
    calls = {c.symbol: c for c in plan.calls}
    for name, proved in kernels:
        if proved.kernel.library:
            continue
        for version in versions(proved.kernel, overlap=gpu.overlaps):
            emitter = KernelEmitter(name, proved, module, version, gpu)
            if ordered_store(proved.kernel.body) is not None:
                emit_ordered(emitter, calls[name].returned, calls[name].publishes)
            elif proved.kernel.reducers:
                reads_constants = only_reads_constants(proved.kernel, program)
                emit_reduction(emitter, calls[name].returned, calls[name].publishes, reads_constants)
            elif isinstance(proved.kernel.body, Teams):
                emit_teams(emitter)
            else:
                emitter.elementwise()
    return module


def only_reads_constants(kernel: Kernel, program: Program) -> bool:
    """Whether the program writes none of the arrays that a kernel is called with.

    Then a launch may read them while the one before it still runs: only its results have to wait.
    """
    calls = [c for c in program.calls if c.kernel is kernel]
    pairs = [(p, a) for c in calls for p, a in zip(kernel.parameters, c.arguments, strict=True)]
    return all(isinstance(a, Array) and a.access is Access.REF for p, a in pairs if isinstance(p, Array))


@dataclass
class KernelEmitter:
    """Emits one version of one kernel."""

    name: str
    proved: Proved
    module: Module
    version: Version
    gpu: Gpu

    def __post_init__(self) -> None:
        self.small = self.version.narrow
        self.kernel: Kernel = self.proved.kernel
        self.slots = kernel_slots(self.proved, device_reduction=True)
        self.rank = len(self.kernel.body.indices)

    @property
    def symbol(self) -> str:
        """Name of the entry point."""
        return symbol_name(self.name) + self.version.suffix

    def function(self, threads: tuple[int, int, int]) -> Function:
        """Return an empty kernel with the program's parameters."""
        alignment = WIDE_BYTES if self.version.wide else 0
        parameters = [(s, slot_attributes(self.proved, s, alignment)) for s in self.slots]
        f = self.gpu.function(self.symbol, parameters, threads)
        if self.version.overlap:
            axes = "" if self.kernel.reducers else "xyz"[: self.rank]
            self.gpu.begin_overlapped(f, self.module, prod(threads), axes)
        return f

    def wait_for_previous(self, f: Function, block: str) -> str:
        """Wait for the launch before, where this version overlaps it; returns the block's number again."""
        return self.gpu.wait_for_previous(block, f) if self.version.overlap else block

    def environment(self, f: Function) -> Environment:
        """Return the names of the kernel as arguments of the function; thread indices are added by the caller."""
        pointers, values = arguments_of(self.kernel, f)
        narrow: dict[Variable, str] | None = None
        if self.small:
            narrow = {}
            for variable, value in values.items():
                if variable.type.is_integer and variable.type.bits == 64:
                    narrow[variable] = f.value(f"trunc i64 {value} to i32", variable.name)
        return Environment(
            pointers, values, narrow, {}, atomics=self.gpu.device, team_atomics=self.gpu.team,
            aliases=alias_metadata(self.proved, self.module), is_gpu=True,
        )  # fmt: skip

    def body(self, f: Function, environment: Environment) -> BodyEmitter:
        """Return an emitter of the kernel's body.

        Loops count in 64 bits: only there does LLVM turn an index into a pointer that moves by a constant.
        """
        if self.version.fitted:
            environment = replace(environment, narrow=None)
        return BodyEmitter(self.proved, environment, f, self.module, self.gpu)

    def register(self, f: Function, name: str) -> str:
        """Read a special register (`tid.x`) as i32."""
        return self.gpu.register(name, f, self.module)

    def barrier(self, f: Function) -> None:
        """Wait for all threads of the block."""
        self.gpu.barrier(f, self.module)

    def set_index(self, environment: Environment, f: Function, index: Variable, offset: str, width: str) -> None:
        """Bind a thread index to its lower bound plus `offset` (i32 in the small version, else i64)."""
        lower = f"%lower.{index.name}"
        if width == "i32" and self._starts_at_zero(index):
            # Nothing is added, so that LLVM still sees what the offset is a multiple of.
            assert environment.narrow is not None
            environment.narrow[index] = offset
            environment.values[index] = f.value(f"zext nneg i32 {offset} to i64")
            return
        if width == "i32":
            wide = f.value(f"zext i32 {offset} to i64")
            assert environment.narrow is not None
            first = f.value(f"trunc i64 {lower} to i32")
            environment.narrow[index] = f.value(f"add i32 {first}, {offset}", index.name)
        else:
            wide = offset
        environment.values[index] = f.value(f"add i64 {lower}, {wide}", index.name)

    def _starts_at_zero(self, index: Variable) -> bool:
        lower = self.kernel.body.ranges[self.kernel.body.indices.index(index)].lower
        return isinstance(lower, Const) and lower.value == 0

    # -- one thread an element ----------------------------------------------------------------------------------------

    def elementwise(self) -> None:
        """Emit a kernel in which each thread does one tuple of indices, or a few rows (or elements) a block apart."""
        f = self.function(BLOCKS[self.rank])
        environment = self.environment(f)
        width = "i32" if self.small else "i64"
        axes = "xyz"[: self.rank]
        by_axis = dict(zip(axes, reversed(self.kernel.body.indices), strict=True))
        block = self.wait_for_previous(f, self.register(f, "ctaid.x"))
        offsets = {
            a: self._global_offset(f, a, width, block if a == "x" else self.register(f, f"ctaid.{a}")) for a in axes
        }
        covered = axes if self.small else axes[:1]
        repeated = axes[:2][-1]  # several elements of a thread lie along x in one dimension, else along y
        inside = self._inside(
            f, [a for a in covered if self.version.items == 1 or a != repeated], by_axis, offsets, width
        )
        f.branch(inside, "body", "end")
        f.block("body")
        if self.version.items > 1:
            self._several(f, environment, axes, repeated, by_axis, offsets)
        else:
            self._nested(f, environment, covered, axes, by_axis, offsets, width)
        f.block("end")
        f.ret()
        self.module.definitions.append(f.text())

    def _inside(
        self, f: Function, axes: Sequence[str], by_axis: dict[str, Variable], offsets: dict[str, str], width: str
    ) -> str:
        inside = "true"
        for axis in axes:
            check = f.value(f"icmp slt {width} {offsets[axis]}, {self.count(f, by_axis[axis], width)}")
            inside = check if inside == "true" else f.value(f"and i1 {inside}, {check}")
        return inside

    def _several(
        self, f: Function, environment: Environment, axes: str, repeated: str, by_axis: dict[str, Variable],
        offsets: dict[str, str],
    ) -> None:  # fmt: skip
        """Emit `items` elements: all at once where all exist, their loads before their stores; else one by one."""
        # In one dimension a block apart, so that loads coalesce; else neighbouring rows, so that stencils share loads.
        distance = BLOCKS[1][0] if self.rank == 1 else 1
        places = [offsets[repeated]]
        for _ in range(self.version.items - 1):
            places.append(f.value(f"add nuw nsw i32 {places[-1]}, {distance}"))
        count = self.count(f, by_axis[repeated], "i32")
        for axis in axes:
            if axis != repeated:
                self.set_index(environment, f, by_axis[axis], offsets[axis], "i32")
        f.branch(f.value(f"icmp slt i32 {places[-1]}, {count}"), "all", "some")
        f.block("all")
        body = self.body(f, environment)
        body.defer_stores()
        for place in places:
            self.set_index(environment, f, by_axis[repeated], place, "i32")
            body.next_thread()
            body.block(self.kernel.body.body)
        body.flush()
        f.jump("end")
        f.block("some")
        for place in places:
            one, after = f.name("one"), f.name("after")
            f.branch(f.value(f"icmp slt i32 {place}, {count}"), one, after)
            f.block(one)
            self.set_index(environment, f, by_axis[repeated], place, "i32")
            self.body(f, environment).block(self.kernel.body.body)
            f.block(after)

    def _nested(
        self, f: Function, environment: Environment, done: str, axes: str, by_axis: dict[str, Variable],
        offsets: dict[str, str], width: str,
    ) -> None:  # fmt: skip
        """Bind the axes that the guard covers, stride over the others (outermost first), then emit the body."""
        for axis in done:
            self.set_index(environment, f, by_axis[axis], offsets[axis], width)
        strided = [a for a in reversed(axes) if a not in done]

        def level(remaining: list[str]) -> None:
            if not remaining:
                self.body(f, environment).block(self.kernel.body.body)
                return
            axis = remaining[0]
            grid = f.value(f"zext i32 {self.register(f, f'nctaid.{axis}')} to i64")
            step = f.value(f"mul i64 {grid}, {self._block_size(f, axis, 'i64')}")

            def row(current: str) -> None:
                self.set_index(environment, f, by_axis[axis], current, "i64")
                level(remaining[1:])

            f.each(offsets[axis], f"%count.{by_axis[axis].name}", step, row, axis)

        level(strided)

    def _global_offset(self, f: Function, axis: str, width: str, block: str) -> str:
        """First element of the thread along an axis, from the start of the range."""
        items = self.version.items if axis == "xyz"[: self.rank][:2][-1] else 1
        thread = self.register(f, f"tid.{axis}")
        if width == "i64":
            block, thread = f.value(f"zext i32 {block} to i64"), f.value(f"zext i32 {thread} to i64")
        if self.rank > 1 and items > 1:
            thread = f.value(f"mul {width} {thread}, {items}")
        size = self._block_size(f, axis, width, items)
        return f.value(f"add {width} {f.value(f'mul {width} {block}, {size}')}, {thread}")

    def _block_size(self, f: Function, axis: str, width: str, items: int = 1) -> str:
        """Elements of one block along an axis."""
        if not self.version.fitted:
            return str(BLOCKS[self.rank]["xyz".index(axis)] * items)
        size = self.register(f, f"ntid.{axis}")
        return size if width == "i32" else f.value(f"zext i32 {size} to i64")

    def count(self, f: Function, index: Variable, width: str) -> str:
        """Return the number of values of an index."""
        count = f"%count.{index.name}"
        return count if width == "i64" else f.value(f"trunc i64 {count} to i32")
