"""AMD GPUs: code objects through LLVM's AMDGPU back end, linked by lld."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from ..errors import TargetUnavailable
from ..ir.programs import Program
from ..ir.types import F32, Scalar
from . import code_object, hip_tools, llvm
from .abi import Slot
from .artifact import Artifact, Generator
from .gpu import Kernels, checked_slots, emit_module, planned
from .gpu_target import Gpu, library_call
from .llvm import Machine, data_layout
from .text import Function, Module, symbol_name

TRIPLE = "amdgcn-amd-amdhsa"
DEFAULT_PROCESSOR = "gfx942"
PROCESSORS = {
    "gfx90a": 9010,
    "gfx942": 9402,
    "gfx950": 9500,
    "gfx1100": 11000,
    "gfx1201": 12001,
}  # as ocml numbers them
_CODE_OBJECT = 500  # version 5: every lld from 15 on links it
_GLOBAL, _CONSTANT, _STACK = 1, 4, 5  # address spaces
_GRID, _GROUP = 0, 12  # of the implicit arguments: groups of the grid (i32), work items of a group (i16)


@functools.cache
def processor() -> str:
    """Return the GPU's architecture, or the one that is compiled for where there is no AMD GPU."""
    try:
        import cupy

        if cupy.cuda.runtime.is_hip:
            name = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["gcnArchName"]
            return (name.decode() if isinstance(name, bytes) else str(name)).partition(":")[0]
    except Exception as error:  # cupy raises its own types, before and after import, where driver or device are missing
        del error
    return DEFAULT_PROCESSOR


def machine(name: str | None = None) -> Machine:
    """Return the code generator's settings for an architecture (`gfx942`); raises TargetUnavailable."""
    name = name or processor()
    if name not in PROCESSORS:
        known = ", ".join(PROCESSORS)
        raise TargetUnavailable(
            f"target `hip`: no code is made for `{name}`, only for {known}: choose `hip:gfx942`, say"
        )
    return Machine(TRIPLE, name, "", False)


def generator(name: str | None = None) -> tuple[Generator, str]:
    """Return the code generator for an architecture, and what its code depends on besides the program."""
    settings = machine(name)
    return functools.partial(generate, settings), f"{settings} {hip_tools.identity()}"


def generate(settings: Machine, program: Program, kernels: Kernels, symbols: Mapping[int, str]) -> Artifact:
    """Compile a program's kernels to a code object that HIP loads."""
    gpu = Amd(settings)
    plan, kernels = planned(program, kernels, symbols, gpu)
    module = emit_module(kernels, program, plan, gpu)
    libraries = (hip_tools.device_library(),) if module.imports else ()
    if libraries:
        module.globals += _controls(gpu)
    code, listing, found = _compiled(module, settings, libraries)
    if any(kernel.figures["spills"] for kernel in found.values()):
        # LLVM takes loops around shared memory apart until nothing is left of them, whatever their bodies keep.
        again = _compiled(module, settings, libraries, _LESS_UNROLLING)
        code, listing, found = min((code, listing, found), again, key=lambda made: _spills(made[2]))
    suffixes = {c.symbol: [v[0] for v in c.versions] for c in plan.calls}
    for name, proved in kernels:
        for suffix in suffixes[name] if not proved.kernel.library else ():
            code_object.check_arguments(found, symbol_name(name) + suffix, checked_slots(proved), gpu.lanes)
    return Artifact(plan, code, listing, [], {name: kernel.figures for name, kernel in found.items()})


_Compiled: TypeAlias = tuple[bytes, str, dict[str, code_object.KernelObject]]
_LESS_UNROLLING = ("-amdgpu-unroll-threshold-local=300",)  # as other loops have; 1,000 is LLVM's own


def _compiled(module: Module, settings: Machine, libraries: Sequence[Path], options: Sequence[str] = ()) -> _Compiled:
    """Return a module's code object, its assembly, and what the code object says of its kernels."""
    relocatable, listing = llvm.emitted_apart(module.text(), settings, libraries, options)
    code = hip_tools.link(relocatable)
    return code, listing, code_object.kernel_objects(code)


def _spills(found: Mapping[str, code_object.KernelObject]) -> int:
    return sum(kernel.figures["spills"] for kernel in found.values())


def _controls(gpu: Amd) -> list[str]:
    """Return what ocml asks of whoever links it: precise arithmetic, denormal numbers kept, and the machine."""
    values = {
        "finite_only_opt": (8, 0), "unsafe_math_opt": (8, 0), "daz_opt": (8, 0), "correctly_rounded_sqrt32": (8, 1),
        "wavefrontsize64": (8, int(gpu.lanes == 64)), "ISA_version": (32, PROCESSORS[gpu.machine.cpu]),
        "ABI_version": (32, _CODE_OBJECT),
    }  # fmt: skip
    how = f"linkonce_odr hidden local_unnamed_addr addrspace({_CONSTANT}) constant"
    return [f"@__oclc_{name} = {how} i{bits} {value}" for name, (bits, value) in values.items()]


class Amd(Gpu):
    """Waves of 64 lanes (CDNA) or 32 (RDNA); memory of each kind in an address space; ocml for mathematics."""

    device, team = 'syncscope("agent")', 'syncscope("workgroup")'

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.lanes = 64 if machine.cpu.startswith("gfx9") else 32

    def module(self) -> Module:
        """Return an empty module.

        Its atomic operations are instructions: they would do nothing to memory that is shared with the host over a
        bus, which `check_device` refuses as far as the driver tells.
        """
        module = Module(
            TRIPLE, data_layout(self.machine), [f'i32 1, !"amdhsa_code_object_version", i32 {_CODE_OBJECT}']
        )
        no = [f", !amdgpu.no.{kind}.memory {module.node()}" for kind in ("fine.grained", "remote")]
        module.atomics = "".join(no)
        return module

    def function(self, symbol: str, parameters: Sequence[tuple[Slot, str]], threads: tuple[int, int, int]) -> Function:
        """Return an empty kernel; addresses arrive in their address spaces, and are used among all."""
        listed, addresses = [], []
        for slot, attributes in parameters:
            if slot.llvm != "ptr":
                listed.append(f"{slot.llvm} {slot.operand}")
                continue
            space, lent = _CONSTANT if slot.is_by_value else _GLOBAL, f"byref([{slot.size} x i8]) "
            listed.append(f"ptr addrspace({space}) {lent if slot.is_by_value else ''}{attributes}{slot.operand}.lent")
            addresses.append(f"{slot.operand} = addrspacecast ptr addrspace({space}) {slot.operand}.lent to ptr")
        limit = f'"amdgpu-flat-work-group-size"="1,{threads[0] * threads[1] * threads[2]}"'
        signature = f"amdgpu_kernel void @{symbol}({', '.join(listed)})"
        f = Function(signature, f'nounwind {limit} "uniform-work-group-size"="true"', _STACK)
        for address in addresses:
            f.emit(address)
        return f

    def register(self, name: str, f: Function, module: Module) -> str:
        """Read a number of the work item or its group, or a size from behind the arguments."""
        kind, _, axis = name.partition(".")
        if kind in ("tid", "ctaid"):
            what = "workitem" if kind == "tid" else "workgroup"
            return f.value(f"call i32 @{_declared(f'{what}.id.{axis}', 'i32', '', module)}()", kind)
        implicit = f.value(f"call ptr addrspace(4) @{_declared('implicitarg.ptr', 'ptr addrspace(4)', '', module)}()")
        number, is_grid = "xyz".index(axis), kind == "nctaid"
        offset = _GRID + 4 * number if is_grid else _GROUP + 2 * number
        at = f.value(f"getelementptr inbounds i8, ptr addrspace(4) {implicit}, i64 {offset}")
        size = f.value(f"load {'i32' if is_grid else 'i16'}, ptr addrspace(4) {at}, !invariant.load {module.node()}")
        return size if is_grid else f.value(f"zext i16 {size} to i32")

    def barrier(self, f: Function, module: Module) -> None:
        """Wait for all waves of the group, between fences: the instruction orders no memory."""
        f.emit(f"fence {self.team} release")
        f.emit(f"call void @{_declared('s.barrier', 'void', '', module)}()")
        f.emit(f"fence {self.team} acquire")

    def shuffle(self, bits: str, distance: int, count: int, f: Function, module: Module) -> str:
        """Return the i32 of another lane; lanes that have none further on get one that nobody asks for."""
        del count
        lane = f.value(f"call i32 @{_declared('mbcnt.lo', 'i32', 'i32, i32', module)}(i32 -1, i32 0)")
        if self.lanes == 64:
            lane = f.value(f"call i32 @{_declared('mbcnt.hi', 'i32', 'i32, i32', module)}(i32 -1, i32 {lane})")
        return self.from_lane(bits, f.value(f"add i32 {lane}, {distance}"), f, module)

    def from_lane(self, bits: str, lane: str, f: Function, module: Module) -> str:
        """Return the i32 of a lane."""
        place = f.value(f"shl i32 {lane}, 2")
        return f.value(f"call i32 @{_declared('ds.bpermute', 'i32', 'i32, i32', module)}(i32 {place}, i32 {bits})")

    def ballot(self, flag: str, f: Function, module: Module) -> str:
        """Return a bit for each lane."""
        mask = f"i{self.lanes}"
        return f.value(f"call {mask} @{_declared(f'ballot.{mask}', mask, 'i1', module)}(i1 {flag})")

    def all_equal(self, number: str, f: Function, module: Module) -> str:
        """Compare every lane's number with the first one's."""
        first = f.value(f"call i32 @{_declared('readfirstlane.i32', 'i32', 'i32', module)}(i32 {number})")
        others = self.ballot(f.value(f"icmp ne i32 {number}, {first}"), f, module)
        return f.value(f"icmp eq i{self.lanes} {others}, 0")

    def system_fence(self, f: Function, module: Module) -> None:
        """Order stores for the host."""
        del module
        f.emit("fence release")

    def call(self, name: str, type_: Scalar, arguments: Sequence[str], f: Function, module: Module) -> str:
        """Call ROCm's ocml."""
        return library_call(f"__ocml_{name}_f{32 if type_ is F32 else 64}", type_, arguments, f, module)


def _declared(name: str, result: str, parameters: str, module: Module) -> str:
    """Declare an intrinsic of the AMDGPU back end; returns its full name."""
    full = f"llvm.amdgcn.{name}"
    return module.declare(full, f"declare {result} @{full}({parameters})")
