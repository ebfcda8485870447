"""AMD's tools and libraries on this machine: lld, ROCm's bitcode of mathematical functions."""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..errors import TargetUnavailable

EXTRA = "pip install 'kparity[amd-toolchain]'"
_OLDEST_LLD = 15  # earlier ones do not know code objects of version 5
_SYSTEM_LLD = ("ld.lld", *(f"ld.lld-{version}" for version in range(23, _OLDEST_LLD - 1, -1)))


@functools.cache
def roots() -> tuple[Path, ...]:
    """Folders that may hold a ROCm installation, best first."""
    named = [Path(os.environ[v]) for v in ("ROCM_PATH", "ROCM_HOME") if os.environ.get(v)]
    return (*named, Path("/opt/rocm"), Path("/usr"))


def _package(name: str) -> Path | None:
    """Return the folder of an installed Python package, without importing it."""
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


@functools.cache
def lld() -> tuple[str, ...]:
    """Return the linker as the beginning of a command line; raises TargetUnavailable."""
    installed = [str(root / folder / "ld.lld") for root in roots()[:-1] for folder in ("llvm/bin", "lib/llvm/bin")]
    candidates: list[tuple[str, ...]] = [(path,) for path in installed if Path(path).is_file()]
    if (iree := _package("iree.compiler")) and (iree / "_mlir_libs" / "iree-lld").is_file():
        candidates.append((str(iree / "_mlir_libs" / "iree-lld"), "-flavor", "gnu"))
    candidates += [(path,) for name in _SYSTEM_LLD if (path := shutil.which(name))]
    if _package("ziglang"):
        candidates.append((sys.executable, "-m", "ziglang", "ld.lld"))
    for command in candidates:
        if _lld_version(command) >= _OLDEST_LLD:
            return command
    raise TargetUnavailable(
        f"target `hip` links code objects with LLVM's lld {_OLDEST_LLD} or later, and this machine has none: {EXTRA},"
        " or set ROCM_PATH to a ROCm installation"
    )


@functools.cache
def _lld_version(command: tuple[str, ...]) -> int:
    """Return the linker's major version; 0 if it does not run."""
    try:
        answer = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    words = answer.stdout.partition("LLD ")[2].split(".")
    return int(words[0]) if answer.returncode == 0 and words[0].isdigit() else 0


@functools.cache
def device_library() -> Path:
    """Return ROCm's bitcode of mathematical functions (ocml); raises TargetUnavailable."""
    folders = [root / below for root in roots() for below in ("amdgcn/bitcode", "lib/x86_64-linux-gnu/amdgcn/bitcode")]
    if iree := _package("iree.compiler"):
        folders.insert(len(folders) - 2, iree / "_mlir_libs" / "iree_platform_libs" / "rocm")  # newer than Debian's
    for folder in folders:
        if (folder / "ocml.bc").is_file():
            return folder / "ocml.bc"
    raise TargetUnavailable(
        "this kernel calls a mathematical function that ROCm's ocml.bc provides, and it is not on this machine:"
        f" {EXTRA}, or apt-get install rocm-device-libs, or set ROCM_PATH to a ROCm installation"
    )


def identity() -> str:
    """Return what generated code depends on: the linker and the bitcode."""
    try:
        library = device_library()
        size = library.stat().st_size
    except TargetUnavailable:
        return f"{' '.join(lld())} {_lld_version(lld())}"
    return f"{' '.join(lld())} {_lld_version(lld())} {library} {size}"


def link(relocatable: bytes) -> bytes:
    """Link one relocatable object to a code object.

    Raises
    ------
    TargetUnavailable
        There is no linker.
    RuntimeError
        It refused: a defect of the code generator.
    """
    with tempfile.TemporaryDirectory(prefix="kparity-") as folder:
        source, target = Path(folder, "kernels.o"), Path(folder, "kernels.hsaco")
        source.write_bytes(relocatable)
        command = [*lld(), "-shared", "--no-undefined", str(source), "-o", str(target)]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        if answer.returncode:
            raise RuntimeError(f"lld refused generated code (please report this):\n{answer.stderr}")
        return target.read_bytes()
