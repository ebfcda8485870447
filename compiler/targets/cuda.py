"""NVIDIA GPUs: PTX through LLVM's NVPTX back end, assembled where there is ptxas."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence

from ..ir.nodes import Reducer, Teams
from ..ir.programs import Program
from ..ir.types import F32, Scalar
from . import cuda_tools, llvm
from .abi import Slot
from .artifact import Artifact
from .gpu import Kernels, checked_slots, emit_module, planned
from .gpu_target import Gpu, library_call
from .llvm import Machine, data_layout
from .ptx import check_parameters, entry_points
from .team_shapes import block_threads
from .text import Function, Module, symbol_name

TRIPLE = "nvptx64-nvidia-cuda"
DEFAULT_PROCESSOR = "sm_90"
FULL = -1  # all lanes of a warp take part
_RESIDENT_THREADS = 1 << 18  # that a large GPU holds at once: 132 multiprocessors hold 2,048 each
_SEVERAL_THREADS = 384  # of a multiprocessor, that teams shall have at least


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


def generate(program: Program, kernels: Kernels, symbols: Mapping[int, str]) -> Artifact:
    """Compile a program's kernels to a cubin (PTX where there is no ptxas)."""
    gpu = Nvidia(machine())
    plan, kernels = planned(program, kernels, symbols, gpu)
    module = emit_module(kernels, program, plan, gpu)
    link = (cuda_tools.libdevice(),) if module.imports else ()
    ptx = llvm.emit_assembly(llvm.optimised(module.text(), gpu.machine, link), gpu.machine)
    for name, proved in kernels:
        if proved.kernel.library:
            continue
        check_parameters(ptx, symbol_name(name), checked_slots(proved))
    assembled = cuda_tools.assemble(ptx, gpu.machine.cpu)
    if assembled and (bounded := bounded_registers(ptx, assembled[1], kernels)) != ptx:
        ptx, assembled = bounded, cuda_tools.assemble(bounded, gpu.machine.cpu)
    code, figures = assembled if assembled else (ptx.encode() + b"\0", {})
    return Artifact(plan, code, ptx, [], figures)


def bounded_registers(ptx: str, figures: Mapping[str, Mapping[str, int]], kernels: Kernels) -> str:
    """Bound the registers of teams that would otherwise have a multiprocessor for too few threads.

    A block alone idles at its barriers, and of small ones it takes several. Only kernels that use more are bounded:
    ptxas makes use of registers that it is allowed.
    """
    for name, proved in kernels:
        threads = block_threads(proved.kernel) if isinstance(proved.kernel.body, Teams) else None
        if proved.kernel.library or threads is None or threads > _SEVERAL_THREADS:
            continue
        warps = -(-threads // 32) * max(2, _SEVERAL_THREADS // threads)
        most = 512 // -(-warps // 4) // 8 * 8  # a quarter of a multiprocessor has 512 for each lane
        symbol = symbol_name(name)
        for entry in (symbol + suffix for suffix in entry_points(ptx, symbol)):
            if figures[entry]["registers"] > most:
                head = re.compile(rf"(\.entry {re.escape(entry)}\([^)]*\)\n\.maxntid [^\n]*\n)")
                ptx = head.sub(rf"\1.maxnreg {most}\n", ptx)
    return ptx


class Nvidia(Gpu):
    """Warps of 32 lanes; generic addresses; libdevice for mathematics."""

    lanes = 32
    device, team = 'syncscope("device")', 'syncscope("block")'

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.overlaps = has_dependent_launch(machine.cpu)

    def module(self) -> Module:
        """Return an empty module."""
        return Module(TRIPLE, data_layout(self.machine))

    def function(self, symbol: str, parameters: Sequence[tuple[Slot, str]], threads: tuple[int, int, int]) -> Function:
        """Return an empty kernel."""
        listed = []
        for slot, attributes in parameters:
            by_value = f"byval([{slot.size} x i8]) " if slot.is_by_value else ""
            listed.append(f"{slot.llvm} {by_value}{attributes}{slot.operand}")
        bound = ",".join(str(t) for t in threads)
        return Function(f"ptx_kernel void @{symbol}({', '.join(listed)})", f'nounwind "nvvm.maxntid"="{bound}"')

    def register(self, name: str, f: Function, module: Module) -> str:
        """Read a special register."""
        intrinsic = f"llvm.nvvm.read.ptx.sreg.{name}"
        module.declare(intrinsic, f"declare i32 @{intrinsic}()")
        return f.value(f"call i32 @{intrinsic}()", name.replace(".", ""))

    def barrier(self, f: Function, module: Module) -> None:
        """Wait for all threads of the block."""
        name = "llvm.nvvm.barrier.cta.sync.aligned.all"
        module.declare(name, f"declare void @{name}(i32)")
        f.emit(f"call void @{name}(i32 0)")

    def shuffle(self, bits: str, distance: int, count: int, f: Function, module: Module) -> str:
        """Return the i32 of another lane."""
        name, mask = "llvm.nvvm.shfl.sync.down.i32", FULL if count == self.lanes else (1 << count) - 1
        module.declare(name, f"declare i32 @{name}(i32, i32, i32, i32)")
        return f.value(f"call i32 @{name}(i32 {mask}, i32 {bits}, i32 {distance}, i32 31)")

    def from_lane(self, bits: str, lane: str, f: Function, module: Module) -> str:
        """Return the i32 of a lane."""
        name = "llvm.nvvm.shfl.sync.idx.i32"
        module.declare(name, f"declare i32 @{name}(i32, i32, i32, i32)")
        return f.value(f"call i32 @{name}(i32 {FULL}, i32 {bits}, i32 {lane}, i32 31)")

    def ballot(self, flag: str, f: Function, module: Module) -> str:
        """Return a bit for each lane."""
        name = "llvm.nvvm.vote.ballot.sync"
        module.declare(name, f"declare i32 @{name}(i32, i1)")
        return f.value(f"call i32 @{name}(i32 {FULL}, i1 {flag})")

    def all_equal(self, number: str, f: Function, module: Module) -> str:
        """Compare the least and the greatest of the lanes' numbers."""
        least, greatest = (self._reduced(end, number, f, module) for end in ("umin", "umax"))
        return f.value(f"icmp eq i32 {least}, {greatest}")

    def reduce_lanes(self, reducer: Reducer, value: str, f: Function, module: Module) -> str | None:
        """Combine 32-bit integers in one instruction (sm_80 and later)."""
        unsigned = "" if reducer.element.is_signed else "u"
        operations = {"Sum": "add", "Min": f"{unsigned}min", "Max": f"{unsigned}max", "And": "and", "Or": "or"}
        operation = operations.get(reducer.reduction.name)
        if reducer.element.llvm != "i32" or operation is None:
            return None
        return self._reduced(operation, value, f, module)

    @staticmethod
    def _reduced(operation: str, value: str, f: Function, module: Module) -> str:
        name = f"llvm.nvvm.redux.sync.{operation}"
        module.declare(name, f"declare i32 @{name}(i32, i32)")
        return f.value(f"call i32 @{name}(i32 {value}, i32 {FULL})")

    def system_fence(self, f: Function, module: Module) -> None:
        """Order stores for the host."""
        module.declare("llvm.nvvm.membar.sys", "declare void @llvm.nvvm.membar.sys()")
        f.emit("call void @llvm.nvvm.membar.sys()")

    def call(self, name: str, type_: Scalar, arguments: Sequence[str], f: Function, module: Module) -> str:
        """Call NVIDIA's libdevice."""
        return library_call(f"__nv_{name}{'f' if type_ is F32 else ''}", type_, arguments, f, module)

    def keep_resident(self, blocks: int, f: Function) -> None:
        """Ask ptxas."""
        f.attributes += f' "nvvm.minctasm"="{blocks}"'

    def opaque(self, number: str, f: Function) -> str:
        """Hide an index of a phase.

        LLVM would fold `y * 16 + 15` back into an `or` with the thread's number, and neighbours in shared memory would
        no longer look like neighbours: ptxas reads only addresses a constant apart by 16 bytes at once.
        """
        return f.value(f'call i32 asm "", "=r,0"(i32 {number})')

    def begin_overlapped(self, f: Function, module: Module, threads: int, axes: str) -> None:
        """Let the next launch start (programmatic dependent launch), once the last blocks of `threads` each run.

        It can start only then, and to say so costs each block a fixed time: those that others still wait for do not.
        """
        number, blocks = "0", "1"  # modulo 2^32: the worst that a wrong one does is to start the next launch late
        for axis in reversed(axes):
            size, place = (self.register(f"{name}.{axis}", f, module) for name in ("nctaid", "ctaid"))
            number = place if number == "0" else f.value(f"add i32 {f.value(f'mul i32 {number}, {size}')}, {place}")
            blocks = size if blocks == "1" else f.value(f"mul i32 {blocks}, {size}")
        if not axes:
            f.emit('call void asm sideeffect "griddepcontrol.launch_dependents;", ""()')
            return
        left = f.value(f"sub i32 {blocks}, {number}")
        notify = "{ .reg .pred last; setp.le.u32 last, $0, $1; @last griddepcontrol.launch_dependents; }"
        f.emit(f'call void asm sideeffect "{notify}", "r,n"(i32 {left}, i32 {_RESIDENT_THREADS // threads})')

    def wait_for_previous(self, block: str, f: Function) -> str:
        """Wait for the launch before.

        The block's number comes out of the wait, and every access behind it depends on the number, so none can be moved
        before it. A memory clobber alone would not do: LLVM may move an access to a `noalias` array over any side
        effect.
        """
        return f.value(
            f'call i32 asm sideeffect "griddepcontrol.wait;\\0A\\09mov.u32 $0, $1;", "=r,r,~{{memory}}"(i32 {block})'
        )


def has_dependent_launch(name: str) -> bool:
    """Whether an architecture can overlap a launch with the end of the one before it."""
    return int(name.removeprefix("sm_").rstrip("af")) >= 90
