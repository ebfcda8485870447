"""NVIDIA GPUs: one thread an element, PTX through LLVM's NVPTX back end."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..checks.proved import Proved
from ..compile import Artifact
from ..ir.nodes import Access, Kernel, Variable
from ..ir.programs import Program
from ..ir.types import F32, Scalar
from ..runtime.plan import make_plan, returned_slots
from . import cuda_tools, llvm
from .abi import Slot, kernel_slots
from .body import BodyEmitter, Environment
from .cuda_reduction import emit_reduction
from .llvm import Machine, data_layout
from .text import Function, Module

TRIPLE = "nvptx64-nvidia-cuda"
BLOCKS: dict[int, tuple[int, int, int]] = {1: (256, 1, 1), 2: (32, 8, 1), 3: (32, 8, 1)}  # x, y, z by rank; x is the last index
GRID_LIMIT = 65535  # blocks in y and z
DEFAULT_PROCESSOR = "sm_90"


class CudaMath:
    """Calls NVIDIA's libdevice."""

    def call(self, name: str, type_: Scalar, arguments: Sequence[str], f: Function, module: Module) -> str:
        """Emit the call and return its result."""
        symbol = f"__nv_{name}{'f' if type_ is F32 else ''}"
        llvm_type = type_.llvm
        module.declare(symbol, f"declare {llvm_type} @{symbol}({', '.join([llvm_type] * len(arguments))})")
        module.imports.add(symbol)
        typed = ", ".join(f"{llvm_type} {a}" for a in arguments)
        return f.value(f"call {llvm_type} @{symbol}({typed})", name)


@functools.cache
def processor() -> str:
    """Return the GPU's architecture, or the one that is compiled for where there is no GPU."""
    try:
        import cupy

        return f"sm_{cupy.cuda.Device().compute_capability}"
    except Exception as error:  # cupy raises its own types, before and after import, where driver or device are missing
        del error
        return DEFAULT_PROCESSOR


def machine(name: str | None = None) -> Machine:
    """Return the code generator's settings for an architecture (`sm_90`)."""
    return Machine(TRIPLE, name or processor(), "+ptx83", False)


def identity() -> str:
    """Return what the generated code depends on besides the program."""
    return f"{machine()} {cuda_tools.ptxas_version()}"


def generate(program: Program, kernels: Sequence[tuple[str, Proved]], symbols: Mapping[int, str]) -> Artifact:
    """Compile a program's kernels to a cubin (PTX where there is no ptxas)."""
    target = machine()
    plan = make_plan(program, {p.kernel: p for _, p in kernels}, symbols, device_reduction=True)
    module = emit_module(kernels, program, target)
    link = (cuda_tools.libdevice(),) if module.imports else ()
    ptx = llvm.emit_assembly(llvm.optimised(module.text(), target, link), target)
    check_parameters(ptx, kernels)
    assembled = cuda_tools.assemble(ptx, target.cpu)
    code, figures = assembled if assembled else (ptx.encode() + b"\0", {})
    return Artifact(plan, code, ptx, [], figures)


def emit_module(kernels: Sequence[tuple[str, Proved]], program: Program, target: Machine) -> Module:
    """Return a module with two versions of each kernel: `NAME.small` for arrays below 2^31 elements, and `NAME`."""
    module = Module(TRIPLE, data_layout(target))
    returned = {c.kernel: returned_slots(c, program) for c in program.calls}
    last = max((i for i, c in enumerate(program.calls) if any(s >= 0 for s in returned_slots(c, program))), default=-1)
    publisher = program.calls[last].kernel if last >= 0 else None
    for name, proved in kernels:
        for small in (True, False):
            emitter = KernelEmitter(name, proved, module, small)
            if proved.kernel.reducers:
                emit_reduction(emitter, returned[proved.kernel], proved.kernel is publisher)
            else:
                emitter.elementwise()
    return module


def symbol_name(symbol: str) -> str:
    """PTX names have no dots in the middle that CUDA's tools accept everywhere."""
    return symbol.replace(".", "_")


@dataclass
class KernelEmitter:
    """Emits one version of one kernel."""

    name: str
    proved: Proved
    module: Module
    small: bool

    def __post_init__(self) -> None:
        self.kernel: Kernel = self.proved.kernel
        self.slots = kernel_slots(self.kernel, device_reduction=True)
        self.rank = len(self.kernel.body.indices)

    @property
    def symbol(self) -> str:
        """Name of the entry point."""
        return symbol_name(self.name) + ("_small" if self.small else "")

    def function(self, threads: tuple[int, int, int]) -> Function:
        """Return an empty kernel with the program's parameters."""
        parameters = ", ".join(f"{s.llvm} {self._attributes(s)}{s.operand}" for s in self.slots)
        bound = ",".join(str(t) for t in threads)
        return Function(f"ptx_kernel void @{self.symbol}({parameters})", f'nounwind "nvvm.maxntid"="{bound}"')

    def _attributes(self, slot: Slot) -> str:
        if slot.kind != "array":
            return ""
        access = next(a.access for a in self.kernel.arrays if a.name == slot.name)
        earned = "noalias " if slot.name in self.proved.unaliased else ""
        return earned + ("readonly " if access is Access.REF else "") + f"align {slot.type.bytes} "

    def environment(self, f: Function) -> Environment:
        """Return the names of the kernel as arguments of the function; thread indices are added by the caller."""
        operand = {(s.kind, s.name): s.operand for s in self.slots}
        values: dict[Variable, str] = {v: operand["scalar", v.name] for v in self.kernel.scalars}
        values |= {v: operand["extent", v.name] for v in self.kernel.extents}
        pointers = {a: operand["array", a.name] for a in self.kernel.arrays}
        narrow: dict[Variable, str] | None = None
        if self.small:
            narrow = {}
            for variable, value in values.items():
                if variable.type.is_integer and variable.type.bits == 64:
                    narrow[variable] = f.value(f"trunc i64 {value} to i32", variable.name)
        return Environment(pointers, values, narrow, {})

    def body(self, f: Function, environment: Environment) -> BodyEmitter:
        """Return an emitter of the kernel's body."""
        return BodyEmitter(self.proved, environment, f, self.module, CudaMath())

    def register(self, f: Function, name: str) -> str:
        """Read a special register (`tid.x`) as i32."""
        intrinsic = f"llvm.nvvm.read.ptx.sreg.{name}"
        self.module.declare(intrinsic, f"declare i32 @{intrinsic}()")
        return f.value(f"call i32 @{intrinsic}()", name.replace(".", ""))

    def set_index(self, environment: Environment, f: Function, index: Variable, offset: str, width: str) -> None:
        """Bind a thread index to its lower bound plus `offset` (i32 in the small version, else i64)."""
        lower = f"%lower.{index.name}"
        if width == "i32":
            wide = f.value(f"zext i32 {offset} to i64")
            assert environment.narrow is not None
            first = f.value(f"trunc i64 {lower} to i32")
            environment.narrow[index] = f.value(f"add i32 {first}, {offset}", index.name)
        else:
            wide = offset
        environment.values[index] = f.value(f"add i64 {lower}, {wide}", index.name)

    # -- one thread an element ----------------------------------------------------------------------------------------

    def elementwise(self) -> None:
        """Emit a kernel in which each thread does one tuple of indices; y and z stride where a grid would be too large."""
        f = self.function(BLOCKS[self.rank])
        environment = self.environment(f)
        width = "i32" if self.small else "i64"
        axes = "xyz"[: self.rank]
        by_axis = dict(zip(axes, reversed(self.kernel.body.indices), strict=True))
        offsets = {a: self._global_offset(f, a, width) for a in axes}
        inside = "true"
        for axis in axes if self.small else axes[:1]:
            check = f.value(f"icmp slt {width} {offsets[axis]}, {self._count(f, by_axis[axis], width)}")
            inside = check if inside == "true" else f.value(f"and i1 {inside}, {check}")
        f.branch(inside, "body", "end")
        f.block("body")
        self._nested(f, environment, axes if self.small else axes[:1], axes, by_axis, offsets, width)
        f.block("end")
        f.ret()
        self.module.definitions.append(f.text())

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
            head, inside, end = f.name("stride"), f.name("row"), f.name("rows")
            counter = f.alloca("i64", axis)
            f.emit(f"store i64 {offsets[axis]}, ptr {counter}")
            f.block(head)
            current = f.value(f"load i64, ptr {counter}")
            f.branch(f.value(f"icmp slt i64 {current}, %count.{by_axis[axis].name}"), inside, end)
            f.block(inside)
            self.set_index(environment, f, by_axis[axis], current, "i64")
            level(remaining[1:])
            grid = f.value(f"zext i32 {self.register(f, f'nctaid.{axis}')} to i64")
            step = f.value(f"mul i64 {grid}, {BLOCKS[self.rank]['xyz'.index(axis)]}")
            f.emit(f"store i64 {f.value(f'add i64 {current}, {step}')}, ptr {counter}")
            f.jump(head)
            f.block(end)

        level(strided)

    def _global_offset(self, f: Function, axis: str, width: str) -> str:
        size = BLOCKS[self.rank]["xyz".index(axis)]
        block, thread = self.register(f, f"ctaid.{axis}"), self.register(f, f"tid.{axis}")
        if width == "i64":
            block, thread = f.value(f"zext i32 {block} to i64"), f.value(f"zext i32 {thread} to i64")
        return f.value(f"add {width} {f.value(f'mul {width} {block}, {size}')}, {thread}")

    def _count(self, f: Function, index: Variable, width: str) -> str:
        count = f"%count.{index.name}"
        return count if width == "i64" else f.value(f"trunc i64 {count} to i32")


_PTX_TYPES = {"double": ".f64", "float": ".f32", "i64": ".u64", "i32": ".u32", "ptr": ".u64"}
_PTX_ALIASES = {"b64": "u64", "b32": "u32", "s64": "u64", "s32": "u32"}


def check_parameters(ptx: str, kernels: Sequence[tuple[str, Proved]]) -> None:
    """Compare the parameter list of the generated code with what the host packs; raises RuntimeError if they part."""
    import re

    for name, proved in kernels:
        wanted = [_PTX_TYPES[s.llvm] for s in kernel_slots(proved.kernel, device_reduction=True)]
        for version in ("", "_small"):
            entry = re.search(rf"\.entry {re.escape(symbol_name(name) + version)}\(([^)]*)\)", ptx)
            if entry is None:
                raise RuntimeError(f"generated PTX has no entry for {name}{version}")
            found = [
                "." + _PTX_ALIASES.get(t, t) for t in re.findall(r"\.param(?: \.align \d+)? \.(\w+)", entry[1])
            ]
            if [_same_size(t) for t in found] != [_same_size(t) for t in wanted]:
                raise RuntimeError(f"parameters of {name}{version} are {found}, the host packs {wanted}")


def _same_size(ptx_type: str) -> str:
    return "8 bytes" if ptx_type.endswith("64") else "4 bytes"
