"""The targets by name: how each generates code, loads it, and whether this machine has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..checks.proved import Proved
from ..errors import TargetUnavailable
from ..ir.programs import Program
from ..runtime.cpu_runtime import CpuExecutable
from ..runtime.executable import Executable
from ..runtime.plan import make_plan
from . import llvm
from .artifact import Artifact, Generator

TARGETS = ("cpu1", "cpu", "cuda", "hip")


def generator(target: str) -> tuple[Generator, str]:
    """Return a target's code generator, and the text that identifies its machine and tools in the cache key.

    Parameters
    ----------
    target : str
        One of `TARGETS`; `hip:gfx942` is `hip` for one architecture, whatever GPU this machine has.
    """
    if target in ("cpu1", "cpu"):
        return _cpu_generator(target == "cpu"), str(llvm.host_machine())
    if target == "cuda":
        from . import cuda

        return cuda.generate, cuda.identity()
    if target.partition(":")[0] == "hip":
        from . import hip

        return hip.generator(target.partition(":")[2])
    raise TargetUnavailable(f"unknown target `{target}`: choose one of {', '.join(TARGETS)}")


def load(target: str, artifact: Artifact) -> Executable:
    """Load generated code into this process; raises TargetUnavailable where the machine cannot run it."""
    if target in ("cpu1", "cpu"):
        return _load_cpu(target, artifact)
    from ..runtime.cuda_runtime import CudaExecutable
    from ..runtime.devices import device_of
    from ..runtime.hip_runtime import HipExecutable

    device_of(target)  # says what is missing
    kind = HipExecutable if target == "hip" else CudaExecutable
    return kind(artifact.plan, artifact.code, [kind(a.plan, a.code) for a in artifact.inspectors])


def _load_cpu(target: str, artifact: Artifact) -> CpuExecutable:
    inspectors = [_load_cpu(target, a) for a in artifact.inspectors]
    return CpuExecutable(target, artifact.plan, artifact.code, artifact.imports, inspectors)


def _cpu_generator(threads: bool) -> Generator:
    def generate(program: Program, kernels: Sequence[tuple[str, Proved]], symbols: Mapping[int, str]) -> Artifact:
        from .cpu import emit_module

        plan = make_plan(program, {p.kernel: p for _, p in kernels}, symbols, device_reduction=False)
        module = emit_module(kernels, threads=threads)
        machine = llvm.host_machine()
        optimised = llvm.optimised(module.text(), machine)
        text = str(optimised)
        used = sorted(s for s in module.imports if f"@{s}(" in text or f"@{s}," in text)  # still referred to
        listing = llvm.emit_assembly(llvm.copy(optimised), machine)
        return Artifact(plan, llvm.emit_object(optimised, machine), listing, used, {})

    return generate


def targets() -> dict[str, str | None]:
    """Return each target and, if this machine cannot run it, the reason with the remedy; None if it can."""
    from ..runtime.devices import device_of

    found: dict[str, str | None] = {}
    for target in TARGETS:
        try:
            device_of(target)
            found[target] = None
        except TargetUnavailable as reason:
            found[target] = str(reason)
    return found
