"""NVIDIA's tools and libraries on this machine: ptxas, libdevice."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from ..errors import TargetUnavailable


@functools.cache
def roots() -> tuple[Path, ...]:
    """Folders that may hold a CUDA toolkit, best first: CUDA_HOME, pip's wheels, nvcc's own, the usual place."""
    found = [Path(os.environ[v]) for v in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(v)]
    spec = importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        found += sorted(Path(place).glob("cu1[3-9]"), reverse=True)
    nvcc = shutil.which("nvcc")
    if nvcc:
        found.append(Path(nvcc).resolve().parents[1])
    return (*found, Path("/usr/local/cuda"))


@functools.cache
def ptxas() -> Path | None:
    """Return the PTX assembler, or None: the driver then compiles PTX at load time."""
    for root in roots():
        if (root / "bin" / "ptxas").is_file():
            return root / "bin" / "ptxas"
    on_path = shutil.which("ptxas")
    return Path(on_path) if on_path else None


@functools.cache
def nvcc() -> str | None:
    """Return the CUDA compiler, or None: only what calls a library of C++ needs it."""
    found = [shutil.which("nvcc"), *(str(root / "bin" / "nvcc") for root in roots())]
    return next((path for path in found if path and Path(path).is_file()), None)


@functools.cache
def libdevice() -> bytes:
    """Return NVIDIA's bitcode of mathematical functions; raises TargetUnavailable."""
    for root in roots():
        for folder in ("nvvm/libdevice", "share/libdevice"):
            path = root / folder / "libdevice.10.bc"
            if path.is_file():
                return path.read_bytes()
    raise TargetUnavailable(
        "this kernel calls a mathematical function that NVIDIA's libdevice provides, and it is not on this machine: "
        "pip install 'kparity[cuda-toolchain]', or set CUDA_HOME to a CUDA toolkit"
    )


@functools.cache
def ptxas_version() -> str:
    """Return the assembler's version line, or that there is none."""
    tool = ptxas()
    if tool is None:
        return "no ptxas: the driver assembles"
    answer = subprocess.run([str(tool), "--version"], capture_output=True, text=True, check=False)
    return (
        answer.stdout.strip().splitlines()[-1] if answer.returncode == 0 and answer.stdout else f"{tool} does not run"
    )


_USED = re.compile(r"Used (\d+) registers")
_SPILL = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
_SHARED = re.compile(r"(\d+) bytes smem")
_ENTRY = re.compile(r"Compiling entry function '([^']+)'")


def assemble(ptx: str, processor: str) -> tuple[bytes, dict[str, dict[str, int]]] | None:
    """Assemble PTX to a cubin; returns it with each kernel's registers, spilled and shared bytes. None without ptxas.

    Raises
    ------
    RuntimeError
        ptxas refused the PTX: a defect of the code generator.
    """
    tool = ptxas()
    if tool is None:
        return None
    with tempfile.TemporaryDirectory(prefix="kparity-") as folder:
        source, target = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        answer = subprocess.run(
            [str(tool), f"-arch={processor}", "-O3", "-v", str(source), "-o", str(target)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if answer.returncode:
            raise RuntimeError(f"ptxas refused generated code (please report this):\n{answer.stderr}")
        return target.read_bytes(), _figures(answer.stderr)


def _figures(log: str) -> dict[str, dict[str, int]]:
    """Read what `ptxas -v` prints."""
    found: dict[str, dict[str, int]] = {}
    current: dict[str, int] = {}
    for line in log.splitlines():
        if entry := _ENTRY.search(line):
            current = found.setdefault(entry[1], {"registers": 0, "spill_bytes": 0, "shared_bytes": 0})
        if used := _USED.search(line):
            current["registers"] = int(used[1])
        if spill := _SPILL.search(line):
            current["spill_bytes"] = int(spill[1]) + int(spill[2])
        if shared := _SHARED.search(line):
            current["shared_bytes"] = int(shared[1])
    return found
