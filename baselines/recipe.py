"""How a baseline is compiled: compiler, flags, and the key under which the result is kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from kparity.compiler import Manifest, TargetUnavailable

from . import hip_toolchain, toolchain
from .sources import INCLUDE, abi_header, included_files
from .toolchain import Compiler

LAYOUT = 1  # of a cache entry

# errno and floating-point traps are never read, and g++ does not vectorise what could set them; LLVM assumes the same.
_CPU = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-fno-math-errno", "-fno-trapping-math", "-Wall", "-Wextra")
_THREADS = {"cpu1": "-fopenmp-simd", "cpu": "-fopenmp"}
_CUDA = ("-std=c++17", "-x", "cu", "-Xcompiler", "-fPIC,-fvisibility=hidden,-Wall")
# Atomic additions of floats are one instruction in memory that the host does not share, which is all there is here.
_HIP = (
    "-std=c++17", "-x", "hip", "-fPIC", "-fvisibility=hidden", "-munsafe-fp-atomics", "-Wall", "-Wno-unused-function",
    "-Wno-unneeded-internal-declaration",
)  # fmt: skip
_HIP_ON_CUDA = INCLUDE / "hip_on_cuda"


@dataclass(frozen=True, slots=True)
class Options:
    """What may differ from the usual build.

    Attributes
    ----------
    optimisation : str
        `-O3`.
    processor : str
        For `-march=` on the CPU.
    architecture : str
        GPU architecture (`sm_90`, `gfx90a`); empty for that of the device present.
    extra : tuple of str
        Further flags for the compiler, such as `-DKP_BLOCK=128`; after all others.
    """

    optimisation: str = "-O3"
    processor: str = "native"
    architecture: str = ""
    extra: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what a build makes."""

    source: Path
    manifest: Manifest
    target: str
    compiler: Compiler
    flags: tuple[str, ...]

    @property
    def name(self) -> str:
        """The kernel's stem."""
        return self.source.stem

    def key(self) -> str:
        """Return the digest of sources, header, flags, compiler, and the CPU where the code is made for it."""
        sources = included_files(self.source)
        if self.target == "hip_on_cuda":  # stands in for headers of the system
            sources += sorted(path for path in _HIP_ON_CUDA.rglob("*") if path.is_file())
        files = [(path.name, sha256(path.read_bytes()).hexdigest()) for path in sources]
        processor = toolchain.processor_identity() if "-march=native" in self.flags else ""
        made_by = [self.target, self.flags, self.compiler.identity, processor]
        return sha256(json.dumps([LAYOUT, *made_by, files, abi_header(self.manifest)]).encode()).hexdigest()

    def command(self, folder: Path, output: Path, *what: str) -> tuple[str, ...]:
        """Return the command that makes `output`; `what` says of which kind, `folder` holds the ABI header."""
        includes = [f"-I{folder}", f"-I{INCLUDE}"]
        if self.target == "hip_on_cuda":
            includes.append(f"-I{_HIP_ON_CUDA}")
        return (self.compiler.path, *self.flags, *what, *includes, str(self.source), "-o", str(output))


def recipe(source: Path, manifest: Manifest, target: str, options: Options) -> Recipe:
    """Return how `source` is compiled for `target`.

    Raises
    ------
    TargetUnavailable
        No compiler for the target, or the target has no baselines.
    """
    flags: tuple[str, ...]
    match target:
        case "cpu1" | "cpu":
            compiler = toolchain.openmp_compiler() if target == "cpu" else toolchain.cpp_compiler()
            flags = (options.optimisation, f"-march={options.processor}", *_CPU, _THREADS[target])
        case "cuda" | "hip_on_cuda":
            compiler = toolchain.cuda_compiler()
            platform = ("-D__HIP_PLATFORM_NVIDIA__",) if target == "hip_on_cuda" else ()
            architecture = options.architecture or toolchain.device_architecture()
            flags = (options.optimisation, f"-arch={architecture}", *_CUDA, *platform)
        case "hip":
            architecture = options.architecture or hip_toolchain.device_architecture()
            compiler = hip_toolchain.hip_compiler(architecture)
            flags = (options.optimisation, f"--offload-arch={architecture}", *_HIP)
        case _:
            raise TargetUnavailable(f"there are no baselines for target `{target}`: choose cpu1, cpu, cuda or hip")
    return Recipe(source, manifest, target, compiler, (*flags, *compiler.flags, *options.extra))


_NVCC = ("-shared", "-Xptxas", "-v")
# What makes the library, and the text that shows its code.
LIBRARY = {"cpu1": ("-shared",), "cpu": ("-shared",), "cuda": _NVCC, "hip_on_cuda": _NVCC, "hip": ("-shared",)}
TEXT = {
    "cpu1": ("-S",), "cpu": ("-S",), "cuda": ("-ptx",), "hip_on_cuda": ("-ptx",), "hip": ("--cuda-device-only", "-S"),
}  # fmt: skip
