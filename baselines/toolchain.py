"""Find the C++ and CUDA compilers of this machine; HIP's are in hip_toolchain."""

from __future__ import annotations

import functools
import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import util
from pathlib import Path

from kparity.compiler import TargetUnavailable

from .process import run

PROBE_SECONDS = 60.0
FALLBACK_ARCHITECTURE = "sm_90"
DEFAULT_CUDA = Path("/usr/local/cuda")


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler as installed here.

    Attributes
    ----------
    name : str
        `g++`, `clang++`, `nvcc` or `hipcc`.
    path : str
        Program to run.
    version : str
        As people quote it: `12.2.0`.
    identity : str
        All that decides which code it makes, its host compiler included; part of a cache key.
    flags : tuple of str
        What this installation needs on every command line.
    """

    name: str
    path: str
    version: str
    identity: str = field(repr=False)
    flags: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def cpp_compiler() -> Compiler:
    """Return the C++ compiler: the one that `KPARITY_CXX` names, else `g++` on PATH.

    Raises
    ------
    TargetUnavailable
        There is none, or it does not run.
    """
    wanted = os.environ.get("KPARITY_CXX") or "g++"
    path = shutil.which(wanted)
    if path is None:
        raise TargetUnavailable(f"no C++ compiler: `{wanted}` is not on PATH; apt-get install g++, or set KPARITY_CXX")
    return _probe_cpp(path, stamp_of(path))


def openmp_compiler() -> Compiler:
    """Return the C++ compiler if its OpenMP code runs on libgomp, as the compiled kernels' does.

    Two OpenMP runtimes in one process hold two pools of threads, which disturb each other.

    Raises
    ------
    TargetUnavailable
        There is no compiler, or it is not GCC.
    """
    compiler = cpp_compiler()
    if compiler.name != "g++":
        raise TargetUnavailable(
            f"{compiler} brings an OpenMP runtime of its own: apt-get install g++, or set KPARITY_CXX to a GCC"
        )
    return compiler


def cuda_compiler() -> Compiler:
    """Return nvcc: the one that `KPARITY_NVCC` names, else PATH's, a CUDA toolkit's, or pip's.

    Raises
    ------
    TargetUnavailable
        There is none that runs, or no host compiler for it.
    """
    host = cpp_compiler()
    ccbin = ("-ccbin", host.path) if "KPARITY_CXX" in os.environ else ()
    for path in _nvcc_candidates():
        if compiler := _probe_nvcc(path, stamp_of(path), host.identity, ccbin):
            return compiler
    raise TargetUnavailable(
        "no nvcc that runs: pip install 'kparity[cuda-toolchain]', put a CUDA toolkit's bin on PATH, or set CUDA_HOME"
    )


@functools.cache
def device_architecture() -> str:
    """Return the architecture of the first visible GPU (`sm_90`), or the fallback where there is none."""
    # In a child: a process that has initialised the driver can no longer fork workers that use it.
    script = (
        "import ctypes\n"
        "driver = ctypes.CDLL('libcuda.so.1')\n"
        "digits = [ctypes.c_int(), ctypes.c_int()]\n"
        "assert driver.cuInit(0) == 0\n"
        "for attribute, digit in zip((75, 76), digits):\n"
        "    assert driver.cuDeviceGetAttribute(ctypes.byref(digit), attribute, 0) == 0\n"
        "print(f'sm_{digits[0].value}{digits[1].value}')\n"
    )
    probed = run([sys.executable, "-I", "-S", "-c", script], PROBE_SECONDS)
    return probed.output.strip() if probed.status == 0 else FALLBACK_ARCHITECTURE


@functools.cache
def processor_identity() -> str:
    """Return what `-march=native` depends on: a digest of the CPU's model and features."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n")[0]
    except OSError:
        text = " ".join(os.uname())
    # `Features` and `CPU part` are Arm's words.
    kept = [line for line in text.splitlines() if re.match(r"model|flags|vendor|stepping|Features|CPU", line)]
    return sha256("\n".join(kept or [text]).encode()).hexdigest()


def stamp_of(path: str) -> tuple[int, int]:
    """Change with the file, so that a probe is repeated after an upgrade."""
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


@functools.cache
def _probe_cpp(path: str, stamp: tuple[int, int]) -> Compiler:
    probed = run([path, "-dM", "-E", "-x", "c++", os.devnull], PROBE_SECONDS)
    macros = dict(re.findall(r"^#define (\w+) (.*)$", probed.output, re.MULTILINE))
    if probed.status != 0 or "__VERSION__" not in macros:
        raise TargetUnavailable(f"`{path}` does not run as a C++ compiler; set KPARITY_CXX to one that does")
    is_clang = "__clang__" in macros
    words = ("__clang_major__", "__clang_minor__", "__clang_patchlevel__") if is_clang else (
        "__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__"
    )  # fmt: skip
    version = ".".join(macros[word] for word in words)
    name = "clang++" if is_clang else "g++"
    machine = run([path, "-dumpmachine"], PROBE_SECONDS).output.strip()
    return Compiler(name, path, version, f"{name} {macros['__VERSION__']} {machine}")


@functools.cache
def _probe_nvcc(path: str, stamp: tuple[int, int], host: str, flags: tuple[str, ...]) -> Compiler | None:
    try:
        probed = run([path, "--version"], PROBE_SECONDS)
    except OSError:
        return None
    release = re.search(r"V(\d+(?:\.\d+)+)", probed.output)
    if probed.status != 0 or release is None:
        return None
    every_line = (*flags, *_library_folder(Path(path)))
    return Compiler("nvcc", path, release[1], f"nvcc {probed.output} host {host}", every_line)


def _library_folder(nvcc: Path) -> tuple[str, ...]:
    """Name the libraries' folder where nvcc's own profile errs: pip's packages have `lib`, it expects `lib64`."""
    root = nvcc.parent.parent
    misplaced = (root / "lib" / "libcudart_static.a").is_file() and not (root / "lib64").exists()
    return (f"-L{root / 'lib'}",) if misplaced else ()


def _nvcc_candidates() -> Iterator[str]:
    if wanted := os.environ.get("KPARITY_NVCC"):
        yield wanted
        return
    if on_path := shutil.which("nvcc"):
        yield on_path
    folders = [Path(value) for name in ("CUDA_HOME", "CUDA_PATH") if (value := os.environ.get(name))]
    nvidia = util.find_spec("nvidia")
    pip = [Path(place) for place in (nvidia.submodule_search_locations or ())] if nvidia else []
    newest_first = [toolkit for place in pip for toolkit in sorted(place.glob("cu[0-9]*"), reverse=True)]
    for folder in (*folders, DEFAULT_CUDA, *newest_first):
        if (nvcc := folder / "bin" / "nvcc").is_file():
            yield str(nvcc)
