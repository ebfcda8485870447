"""llvmlite's door to LLVM: parse, optimise, emit."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import llvmlite
import llvmlite.binding as binding

VERSION = f"llvmlite {llvmlite.__version__}, LLVM {'.'.join(map(str, binding.llvm_version_info))}"

# LLVM's global registries and llvmlite's pass builder are not safe for concurrent use.
_lock = threading.RLock()


@dataclass(frozen=True, slots=True)
class Machine:
    """A code generator's settings: one processor of one architecture."""

    triple: str
    cpu: str
    features: str
    vectorise: bool


@functools.cache
def _initialised(foreign: bool) -> None:
    """Register code generators; the host's alone, where that is enough: all of them take milliseconds."""
    if foreign:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
    else:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()


@functools.lru_cache(maxsize=16)
def target_machine(machine: Machine) -> binding.TargetMachine:
    """Return LLVM's code generator for a machine."""
    with _lock:
        _initialised(machine.triple != binding.get_process_triple())
        return binding.Target.from_triple(machine.triple).create_target_machine(
            cpu=machine.cpu, features=machine.features, opt=3, reloc="pic", codemodel="default"
        )


@functools.cache
def host_machine() -> Machine:
    """Return the processor that this process runs on."""
    features = binding.get_host_cpu_features().flatten()
    return Machine(binding.get_process_triple(), binding.get_host_cpu_name(), features, True)


def data_layout(machine: Machine) -> str:
    """Return the data layout string of a machine."""
    return str(target_machine(machine).target_data)


def optimised(text: str, machine: Machine, link: tuple[bytes, ...] = ()) -> binding.ModuleRef:
    """Parse a module, link bitcode into it, and run LLVM's O3 pipeline for the machine.

    Parameters
    ----------
    link : tuple of bytes
        Bitcode of device libraries; what is not used of them is dropped.
    """
    with _lock:
        machine_ = target_machine(machine)
        module = binding.parse_assembly(text)
        module.verify()
        kernels = {f.name for f in module.functions if not f.is_declaration}
        for bitcode in link:
            library = binding.parse_bitcode(bitcode)
            library.triple, library.data_layout = module.triple, module.data_layout
            module.link_in(library)
            for function in module.functions:
                if not function.is_declaration and function.name not in kernels:
                    function.linkage, function.visibility = "internal", "default"
        tuning = binding.create_pipeline_tuning_options(3)
        tuning.loop_vectorization = machine.vectorise
        tuning.slp_vectorization = machine.vectorise
        builder = binding.create_pass_builder(machine_, tuning)
        builder.getModulePassManager().run(module, builder)
        return module


def emit_object(module: binding.ModuleRef, machine: Machine) -> bytes:
    """Return the module as a relocatable object; the module is consumed."""
    with _lock:
        return bytes(target_machine(machine).emit_object(module))


def emit_assembly(module: binding.ModuleRef, machine: Machine) -> str:
    """Return the module as assembly (PTX for NVPTX); the module is consumed."""
    with _lock:
        return str(target_machine(machine).emit_assembly(module))


def host_object(text: str) -> bytes:
    """Compile a module without a header for this process."""
    machine = host_machine()
    header = f'target triple = "{machine.triple}"\ntarget datalayout = "{data_layout(machine)}"\n'
    return emit_object(optimised(header + text, machine), machine)


def copy(module: binding.ModuleRef) -> binding.ModuleRef:
    """Return a second module of the same text: emission consumes the first."""
    with _lock:
        return binding.parse_bitcode(module.as_bitcode())


_CHILD_SECONDS = 600.0


class GeneratorDied(RuntimeError):
    """LLVM's code generator gave up, and took its process along: a defect of kparity's lowering, or of LLVM."""


def emitted_apart(
    text: str, machine: Machine, libraries: Sequence[Path] = (), options: Sequence[str] = ()
) -> tuple[bytes, str]:
    """Optimise a module and emit it, in a process of its own: some code generators end theirs where they fail.

    Parameters
    ----------
    libraries : sequence of Path
        Files of bitcode to link into the module.
    options : sequence of str
        LLVM's own, as on the command line of `opt`.

    Returns
    -------
    bytes, str
        A relocatable object, and the assembly.

    Raises
    ------
    GeneratorDied
        With what LLVM said.
    """
    # Run as a file, this module is all that the child imports of the compiler; the folder it lies in stays out of
    # its path, and what this process imports from is in it.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with tempfile.TemporaryDirectory(prefix="kparity-") as folder:
        Path(folder, "module.ll").write_text(text)
        asked = json.dumps([astuple(machine), [str(library) for library in libraries], list(options)])
        try:
            answer = subprocess.run(
                [sys.executable, "-P", __file__, folder, asked], capture_output=True, text=True, check=False,
                env=environment, timeout=_CHILD_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise GeneratorDied(f"LLVM made no code for {machine.cpu} within {_CHILD_SECONDS:.0f} s") from None
        if answer.returncode:
            said = answer.stderr.strip() or f"nothing, and ended with status {answer.returncode}"
            raise GeneratorDied(f"LLVM made no code for {machine.cpu} (please report this); it said:\n{said[-2000:]}")
        return Path(folder, "module.o").read_bytes(), Path(folder, "module.s").read_text()


def _emit_here(folder: Path, machine: Machine, libraries: Sequence[str]) -> None:
    """Do in the child what `emitted_apart` asks for."""
    bitcode = tuple(Path(library).read_bytes() for library in libraries)
    module = optimised((folder / "module.ll").read_text(), machine, bitcode)
    (folder / "module.s").write_text(emit_assembly(copy(module), machine))
    (folder / "module.o").write_bytes(emit_object(module, machine))


if __name__ == "__main__":
    _settings, _libraries, _options = json.loads(sys.argv[2])
    for _option in _options:
        binding.set_option("kparity", _option)
    _emit_here(Path(sys.argv[1]), Machine(*_settings), _libraries)
