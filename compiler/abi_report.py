"""The argument lists of a program as tables: the struct that the host fills, and each kernel's, target by target."""

from __future__ import annotations

from dataclasses import dataclass

from .compile import generated
from .decorators import Kernel, Program
from .errors import TargetUnavailable
from .runtime.plan import CallPlan, program_manifest
from .targets import cuda
from .targets.abi import kernel_slots, offsets
from .targets.cuda_tools import symbol_name
from .targets.ptx import entry_points

_POINTERS = ("array", "reducer", "results", "partials", "counter", "faults")


@dataclass(frozen=True, slots=True)
class AbiRow:
    """One argument.

    Attributes
    ----------
    size, alignment, offset : int
        Bytes.
    space : str
        What an address leads to, `host` or `global`; `param` for what is in the argument block itself.
    """

    name: str
    kind: str
    size: int
    alignment: int
    offset: int
    space: str


@dataclass(frozen=True, slots=True)
class AbiTable:
    """One argument list; `origin` says where it was read."""

    title: str
    origin: str
    rows: tuple[AbiRow, ...]


def abi_tables(program: Kernel | Program) -> tuple[AbiTable, ...]:
    """Return the argument lists of a program; of a GPU's kernels, as the generated code declares them.

    Raises
    ------
    CompileError
        With every fault of the program.
    """
    typed = program.typed_program
    rows = tuple(
        AbiRow(p.name, p.kind, p.size, p.alignment, p.offset, "host" if p.is_pointer else "param")
        for p in program_manifest(typed).parameters
    )
    tables = [AbiTable(f"{program.name}_args", "manifest", rows)]
    proofs = {program.typed: program.proved} if isinstance(program, Kernel) else program.proved
    for kernel, proved in proofs.items():
        slots = kernel_slots(proved, device_reduction=False)
        starts, _ = offsets(s.bytes for s in slots)
        rows = tuple(
            AbiRow(s.name, s.kind, s.bytes, s.align, at, "host" if s.is_pointer else "param")
            for s, at in zip(slots, starts, strict=True)
        )
        tables.append(AbiTable(f"{kernel.name} on cpu", "argument block", rows))
    return (*tables, *_of_gpu(program))


def _of_gpu(program: Kernel | Program) -> list[AbiTable]:
    try:
        artifact = generated(program, cuda.generate)
    except TargetUnavailable:  # no libdevice on this machine, and the kernel needs it
        return []
    calls = {c.symbol: c for c in artifact.plan.calls}
    return [AbiTable(f"{c.kernel} on cuda", "PTX", _rows(c, artifact.listing)) for c in calls.values()]


def _rows(call: CallPlan, ptx: str) -> tuple[AbiRow, ...]:
    found = next(iter(entry_points(ptx, symbol_name(call.symbol)).values()))
    return tuple(
        AbiRow(
            s.name, s.kind, p.size, p.alignment, p.offset, "global" if s.kind in _POINTERS or s.indirect else "param"
        )
        for s, p in zip(call.slots, found, strict=True)
    )
