"""The whole compiler: source, typed, proved, lowered, loaded; each step only takes what the one before makes."""

from __future__ import annotations

import json
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from .checks.proved import Affine, Evidence, Guard, Proved, Tier
from .decorators import Kernel, Program
from .diagnostics.nesting import refusing_depth
from .frontend.program_calls import program_of_one_call
from .ir import nodes, programs
from .ir.source import Span
from .runtime import cache
from .runtime.executable import Executable
from .runtime.manifest import Manifest
from .runtime.plan import Plan, make_plan
from .runtime.program_manifest import program_manifest
from .runtime.transfers import Transfers, transfers_of
from .targets.artifact import Artifact, Generator
from .targets.text import ascii_name


@dataclass(frozen=True, slots=True)
class KernelReport:
    """What was proved about one kernel of a program."""

    kernel: str
    source: str
    evidence: tuple[Evidence, ...]
    guards: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program that can be launched, with what was proved about it.

    Attributes
    ----------
    executable : Executable
        Loaded code.
    reports : tuple of KernelReport
        One a distinct kernel, in order of first call.
    listing : str
        Generated code as text.
    figures : dict
        Static figures by kernel.
    compile_seconds : float
        What this call took, cache included.
    from_cache : bool
        Whether the code came from the cache.
    """

    executable: Executable
    reports: tuple[KernelReport, ...]
    listing: str
    figures: dict[str, dict[str, int]]
    compile_seconds: float
    from_cache: bool

    @property
    def manifest(self) -> Manifest:
        """Layout of the argument struct."""
        return self.executable.manifest

    @property
    def target(self) -> str:
        """`cpu1`, `cpu`, `cuda` or `hip`."""
        return self.executable.target

    def bind(self, arguments: Mapping[str, Any]) -> Any:
        """Check the arguments and pack them; see `Executable.bind`."""
        return self.executable.bind(arguments)


def manifest_of(program: Kernel | Program) -> Manifest:
    """Return the argument struct's layout of a program; raises CompileError if the front end refuses it."""
    return program_manifest(program.typed_program)


def compile_program(program: Kernel | Program, target: str = "cpu", *, use_cache: bool = True) -> Compiled:
    """Compile a kernel or program for a target.

    Parameters
    ----------
    target : {"cpu1", "cpu", "cuda", "hip"}
        One CPU thread, all threads of the OpenMP runtime, or the current GPU of NVIDIA or AMD.
    use_cache : bool
        Whether code may come from, and is stored in, the cache on disk.

    Raises
    ------
    CompileError
        With every fault of every kernel of the program.
    TargetUnavailable
        This machine cannot run the target.
    """
    from .targets.registry import generator, load

    started = time.perf_counter()
    emit, identity = generator(target)
    name = cache.key(program, target, identity)
    stored = cache.load(name) if use_cache else None
    from_cache = stored is not None
    artifact, reports = _decode(stored) if stored is not None else _generate(program, emit)
    if use_cache and not from_cache:
        cache.store(name, _encode(artifact, reports))
    executable = load(target, artifact)
    return Compiled(executable, reports, artifact.listing, artifact.figures, time.perf_counter() - started, from_cache)


def _generate(program: Kernel | Program, emit: Generator) -> tuple[Artifact, tuple[KernelReport, ...]]:
    typed = program.typed_program
    with refusing_depth(typed.name, typed.source, typed.span):
        return _generate_typed(program, typed, emit)


def _generate_typed(
    program: Kernel | Program, typed: programs.Program, emit: Generator
) -> tuple[Artifact, tuple[KernelReport, ...]]:
    proofs = {program.typed: program.proved} if isinstance(program, Kernel) else program.proved
    names = _symbols(list(proofs))
    symbols = {number: names[call.kernel] for number, call in enumerate(typed.calls)}
    artifact = emit(typed, [(names[k], p) for k, p in proofs.items()], symbols)
    inspections = [i.proved for p in proofs.values() for i in p.inspections]
    artifact = replace(artifact, inspectors=tuple(_generate_inspector(p, emit) for p in inspections))
    reports = tuple(KernelReport(k.name, "\n".join(k.source.lines), p.evidence, p.guards) for k, p in proofs.items())
    return artifact, reports


def planned_transfers(program: Kernel | Program, given: Mapping[str, Any], repetitions: int = 1) -> Transfers:
    """Return what owned arrays move to a GPU and back for a run of a program; no GPU is needed.

    Parameters
    ----------
    given : mapping
        Values of scalars and extents by name. Those that loops and conditions depend on must be among them; without
        the others, sizes are formulas.

    Raises
    ------
    CompileError
        The program does not compile.
    KparityError
        A value is missing.
    """
    typed = program.typed_program
    proofs = {program.typed: program.proved} if isinstance(program, Kernel) else program.proved
    symbols = {number: call.kernel.name for number, call in enumerate(typed.calls)}
    plan = make_plan(typed, proofs, symbols, device_reduction=True)
    return transfers_of(plan, [call.span.line for call in typed.calls], given, repetitions)


def generated(program: Kernel | Program, target: str) -> Artifact:
    """Return a program's code for a target that this machine need not have; nothing is cached or loaded.

    Parameters
    ----------
    target : str
        As for `compile_program`; `hip:gfx90a` and the like name one of AMD's architectures.
    """
    from .targets.registry import generator

    return _generate(program, generator(target)[0])[0]


def _generate_inspector(proved: Proved, emit: Generator) -> Artifact:
    name = "kp.inspection"
    return emit(program_of_one_call(proved.kernel), [(name, proved)], {0: name})


def _symbols(kernels: Sequence[nodes.Kernel]) -> dict[nodes.Kernel, str]:
    """Distinct symbol names; kernels of two files may have one name."""
    return {kernel: f"kp.{ascii_name(kernel.name)}.{number}" for number, kernel in enumerate(kernels)}


def _encode(artifact: Artifact, reports: tuple[KernelReport, ...]) -> bytes:
    head = {
        "plan": artifact.plan.to_json(), "listing": artifact.listing, "imports": artifact.imports,
        "figures": artifact.figures, "reports": [asdict(r) for r in reports],
        "inspectors": [b64encode(_encode(a, ())).decode() for a in artifact.inspectors],
    }  # fmt: skip
    text = json.dumps(head).encode()
    return len(text).to_bytes(8, "little") + text + artifact.code


def _decode(stored: bytes) -> tuple[Artifact, tuple[KernelReport, ...]]:
    size = int.from_bytes(stored[:8], "little")
    head = json.loads(stored[8 : 8 + size])
    plan = Plan.from_json(head["plan"])
    inspectors = tuple(_decode(b64decode(text))[0] for text in head["inspectors"])
    artifact = Artifact(plan, stored[8 + size :], head["listing"], head["imports"], head["figures"], inspectors)
    return artifact, tuple(_report(r) for r in head["reports"])


def _report(raw: dict[str, Any]) -> KernelReport:
    evidence = tuple(Evidence(**{**e, "tier": Tier(e["tier"]), "span": Span(**e["span"])}) for e in raw["evidence"])
    guards = tuple(
        Guard(_alternatives(g["alternatives"]), g["text"], g["access"], Span(**g["span"])) for g in raw["guards"]
    )
    return KernelReport(raw["kernel"], raw["source"], evidence, guards)


def _alternatives(raw: list[list[dict[str, Any]]]) -> tuple[tuple[Affine, ...], ...]:
    return tuple(
        tuple(Affine(form["constant"], tuple((n, c) for n, c in form["terms"])) for form in forms) for forms in raw
    )
