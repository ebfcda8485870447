"""Calls that a library of the platform does, instead of generated code: built for their types, and packed."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ..errors import DeviceError, TargetUnavailable
from ..targets import cuda, cuda_tools, llvm
from . import cache
from .binding import Arguments
from .expression_text import evaluate
from .plan import CallPlan

_SOURCES = Path(__file__).parents[1] / "library"
_C_TYPES = {
    "f64": "double", "f32": "float", "i64": "int64_t", "i32": "int32_t", "u64": "uint64_t", "u32": "uint32_t",
}  # fmt: skip
_HOST = ("-std=c++17", "-O3", "-march=native", "-fPIC", "-shared")
_THREADS = {"cpu1": (), "cpu": ("-fopenmp",)}


class _Block(ctypes.Structure):
    """`kp_library_call` of the sources."""

    _fields_ = (
        ("run", ctypes.c_void_p),
        ("arrays", ctypes.c_void_p * 2),
        ("count", ctypes.c_int64),
        ("memory", ctypes.c_void_p),
        ("bytes", ctypes.c_int64),
    )


@dataclass(frozen=True, slots=True)
class LibraryFunction:
    """A function of the library for one choice of types; its blocks start with the address that the GPU's loop calls.

    Attributes
    ----------
    on_host : int
        Address of a function of the block, for the CPU's loop.
    """

    library: ctypes.CDLL
    run: int
    on_host: int

    def block(self, call: CallPlan, arguments: Arguments, memory: Callable[[str, int], int]) -> ctypes.Structure:
        """Return the argument block of a call; `memory` makes what the library needs beside the arrays."""
        count = max(0, int(evaluate(next(iter(call.values.values())), arguments.values)))
        needed = int(self.library.kp_memory(ctypes.c_int64(count)))
        if needed < 0:
            raise DeviceError(f"`{call.kernel}` cannot be prepared: CUDA error {-needed}")
        addresses = [arguments.addresses[argument] for _, argument, _ in call.arrays]
        held = memory(f"library memory of {call.kernel}", needed) if needed else None
        return _Block(self.run, (ctypes.c_void_p * 2)(*addresses), count, held, needed)


@functools.cache
def library_function(source: str, *types: str, target: str) -> LibraryFunction:
    """Return a library's function for the types of its arrays, built if it was not before.

    Raises
    ------
    TargetUnavailable
        There is no compiler that builds it; says which is needed.
    """
    named = zip(("KP_KEY", "KP_VALUE"), types, strict=False)
    command = (*_compiler(target), *(f"-D{name}={_C_TYPES[type_]}" for name, type_ in named))
    path = _built(_SOURCES / f"{source}.cpp", command)
    library = ctypes.CDLL(str(path), mode=ctypes.RTLD_LOCAL)
    library.kp_memory.restype = ctypes.c_int64
    functions = library.kp_run, library.kp_on_host
    return LibraryFunction(library, *(ctypes.cast(f, ctypes.c_void_p).value or 0 for f in functions))


def _compiler(target: str) -> tuple[str, ...]:
    """Return the compiler of a target with its flags."""
    if target == "hip":
        raise TargetUnavailable(
            "`sort` has no library on target `hip` yet: sort on the host, or with the platform's own"
        )
    wanted = os.environ.get("KPARITY_CXX") or "g++"
    host = shutil.which(wanted)
    if host is None:
        raise TargetUnavailable(
            f"`sort` calls a C++ library, and there is no compiler for it: `{wanted}` is not on PATH;"
            " apt-get install g++, or set KPARITY_CXX"
        )
    if target != "cuda":
        return (host, *_HOST, *_THREADS[target])
    nvcc = os.environ.get("KPARITY_NVCC") or cuda_tools.nvcc()
    if nvcc is None:
        raise TargetUnavailable(
            "`sort` calls NVIDIA's CUB, and there is no nvcc that builds it: pip install 'kparity[cuda-toolchain]',"
            " or set CUDA_HOME to a CUDA toolkit"
        )
    libraries = Path(nvcc).resolve().parents[1] / "lib"  # of pip's packages; nvcc's own profile says lib64
    found = (f"-L{libraries}",) if (libraries / "libcudart_static.a").is_file() else ()
    return (nvcc, "-ccbin", host, "-std=c++17", "-O3", f"-arch={cuda.processor()}", "-x", "cu", "-Xcompiler", "-fPIC",
            "-shared", *found)  # fmt: skip


def _built(source: Path, command: tuple[str, ...]) -> Path:
    """Return the shared library of a source; built once for a source, command, compiler and processor."""
    version = subprocess.run([command[0], "--version"], capture_output=True, text=True, check=False).stdout
    parts = (source.read_text(encoding="utf-8"), *command, version, str(llvm.host_machine()))
    path = cache.cache_folder().parent / "libraries" / f"{sha256(repr(parts).encode()).hexdigest()}.so"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, made = tempfile.mkstemp(dir=path.parent, suffix=".so")
        os.close(descriptor)
        try:
            answer = subprocess.run([*command, str(source), "-o", made], capture_output=True, text=True, check=False)
            if answer.returncode:
                raise TargetUnavailable(f"{command[0]} cannot build {source.name}:\n{answer.stderr}")
            os.replace(made, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(made)
    return path
