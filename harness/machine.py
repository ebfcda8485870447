"""What kparity can use on this machine: targets, compilers, libraries, drivers, folders."""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from kparity.baselines import cpp_compiler, cuda_compiler, openmp_compiler
from kparity.compiler import TargetUnavailable, cuda_tools, hip_tools, targets

_CUDA_TOOLCHAIN = "pip install 'kparity[cuda-toolchain]', or put a CUDA toolkit's bin on PATH"
_AMD_COMPILERS = {
    "hipcc": "apt-get install hipcc, or ROCm from AMD",
    "clang++": "apt-get install clang-19 lld-19 rocm-device-libs libamdhip64-dev",
}
_CUPY = ("cupy-cuda13x", "cupy-cuda12x", "cupy")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked for.

    Attributes
    ----------
    part : {"target", "compiler", "CUDA", "AMD", "library", "folder"}
        Kind of thing.
    name : str
        What was looked for, unique within its part.
    found : str
        Version and place; empty if it is missing.
    remedy : str
        One line: what is missing and how to get it; empty if it was found.
    """

    part: str
    name: str
    found: str = ""
    remedy: str = ""

    @property
    def is_there(self) -> bool:
        """Whether it was found and works."""
        return bool(self.found)

    @property
    def title(self) -> str:
        """Part and name, as shown."""
        return f"{self.part} {self.name}"


def findings() -> list[Finding]:
    """Look for everything, in the order of importance; nothing is changed but that the cache folder is made."""
    probes: tuple[Callable[[], Iterator[Finding]], ...] = (
        _targets, _compilers, _openmp, _cuda_code, _cupy, _driver, _amd_code, _amd_compilers, _cache, _asv,
    )  # fmt: skip
    return [finding for probe in probes for finding in probe()]


def _targets() -> Iterator[Finding]:
    for name, reason in targets().items():
        yield Finding("target", name, remedy=_one_line(reason)) if reason else Finding("target", name, "works")


def _compilers() -> Iterator[Finding]:
    """Ask the baselines' builder for what it would use."""
    for purpose, find in (("C++", cpp_compiler), ("C++ with OpenMP", openmp_compiler), ("CUDA C++", cuda_compiler)):
        try:
            compiler = find()
        except TargetUnavailable as reason:
            yield Finding("compiler", purpose, remedy=_one_line(str(reason)))
        else:
            yield Finding("compiler", purpose, f"{compiler} ({compiler.path})")


def _openmp() -> Iterator[Finding]:
    try:
        threads = ctypes.CDLL("libgomp.so.1").omp_get_max_threads()
    except OSError:
        yield Finding("library", "OpenMP runtime", remedy="libgomp.so.1 not found: apt-get install libgomp1")
    else:
        yield Finding("library", "OpenMP runtime", f"libgomp.so.1, {threads} threads")


def _cuda_code() -> Iterator[Finding]:
    """Ask the checked kernels' code generator for what it would use."""
    if cuda_tools.ptxas():
        yield Finding("CUDA", "ptxas", f"{_one_line(cuda_tools.ptxas_version())} ({cuda_tools.ptxas()})")
    else:
        remedy = "not found; registers and spills of checked kernels are unknown without it: " + _CUDA_TOOLCHAIN
        yield Finding("CUDA", "ptxas", remedy=remedy)
    try:
        size = len(cuda_tools.libdevice())
    except TargetUnavailable:
        yield Finding("CUDA", "libdevice", remedy=f"not found; exp, log, sin and the like need it: {_CUDA_TOOLCHAIN}")
    else:
        yield Finding("CUDA", "libdevice", f"{size} bytes of bitcode")


def _cupy() -> Iterator[Finding]:
    installed = [f"{name} {metadata.version(name)}" for name in _CUPY if _is_installed(name)]
    remedy = "not installed; memory, streams and events on NVIDIA GPUs: pip install 'kparity[cuda]'"
    yield Finding("CUDA", "CuPy", ", ".join(installed)) if installed else Finding("CUDA", "CuPy", remedy=remedy)


def _driver() -> Iterator[Finding]:
    """Ask the driver itself: it is what launches, whatever a tool says."""
    name = "driver"
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        yield Finding("CUDA", name, remedy="libcuda.so.1 not found; kernels run on a GPU only with NVIDIA's driver")
        return
    if error := driver.cuInit(0):
        yield Finding("CUDA", name, remedy=f"libcuda.so.1 reports error {error}: does nvidia-smi show a GPU?")
        return
    number, count = ctypes.c_int(), ctypes.c_int()
    driver.cuDriverGetVersion(ctypes.byref(number))
    driver.cuDeviceGetCount(ctypes.byref(count))
    models = []
    for ordinal in range(count.value):
        text = ctypes.create_string_buffer(128)
        driver.cuDeviceGetName(text, len(text), ordinal)
        models.append(text.value.decode(errors="replace"))
    cuda = f"CUDA {number.value // 1000}.{number.value % 1000 // 10}"
    yield (
        Finding("CUDA", name, f"{cuda}; {', '.join(models)}")
        if models
        else Finding("CUDA", name, remedy=f"{cuda}, but no GPU is visible: check CUDA_VISIBLE_DEVICES")
    )


def _amd_code() -> Iterator[Finding]:
    """Ask the checked kernels' code generator for AMD GPUs for what it would use."""
    probes: tuple[tuple[str, Callable[[], object], str], ...] = (
        ("lld", hip_tools.lld, "links code objects"),
        ("ocml", hip_tools.device_library, "has exp, log, sin and the like"),
    )
    for name, find, purpose in probes:
        try:
            found = find()
            yield Finding("AMD", name, " ".join(found) if isinstance(found, tuple) else str(found))
        except TargetUnavailable:
            yield Finding("AMD", name, remedy=f"not found; it {purpose} for checked kernels: {hip_tools.EXTRA}")
    try:
        ctypes.CDLL("libamdhip64.so")
    except OSError:
        remedy = (
            "libamdhip64.so not found; kernels run on an AMD GPU only with ROCm: pip install 'kparity[rocm]' beside it"
        )
        yield Finding("AMD", "driver", remedy=remedy)
    else:
        yield Finding("AMD", "driver", "libamdhip64.so")


def _amd_compilers() -> Iterator[Finding]:
    for name, remedy in _AMD_COMPILERS.items():
        path = shutil.which(name) or shutil.which(f"{name}-19")
        what = "not found; it compiles the HIP C++ baselines: "
        yield Finding("AMD", name, path) if path else Finding("AMD", name, remedy=what + remedy)


def _cache() -> Iterator[Finding]:
    """Try the folder that compiled kernels and baselines are kept in."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kparity"
    folder = Path(os.environ.get("KPARITY_CACHE") or default)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as error:
        remedy = f"{folder} cannot be written ({error.strerror}): set KPARITY_CACHE to a folder that can"
        yield Finding("folder", "cache", remedy=remedy)
    else:
        yield Finding("folder", "cache", f"{folder}, {free / 2**30:.0f} GiB free")


def _asv() -> Iterator[Finding]:
    there = _is_installed("asv")
    yield (
        Finding("library", "asv", metadata.version("asv"))
        if there
        else Finding("library", "asv", remedy="not installed; keeps the history of results: pip install asv")
    )


def _is_installed(distribution: str) -> bool:
    try:
        metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


def _one_line(text: str) -> str:
    return " ".join(text.split())
