"""Find the HIP compiler for an architecture: hipcc, or a clang++ with the ROCm device libraries."""

from __future__ import annotations

import functools
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from kparity.compiler import TargetUnavailable

from .process import run
from .shelf import shelf
from .toolchain import PROBE_SECONDS, Compiler, stamp_of

FALLBACK_ARCHITECTURE = "gfx90a"
ROCM = Path("/opt/rocm")
CLANGS = range(24, 15, -1)  # newest first; older ones know no gfx942
DEVICE_LIBRARIES = (
    "/opt/rocm/amdgcn/bitcode", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode",
)  # fmt: skip
HEADERS = ("/opt/rocm", "/usr")


def hip_compiler(architecture: str) -> Compiler:
    """Return a compiler that makes code for a GPU: the one that `KPARITY_HIPCC` names, else hipcc, else a clang++.

    Parameters
    ----------
    architecture : str
        `gfx90a`, `gfx942`, ...

    Raises
    ------
    TargetUnavailable
        None that is here compiles for it.
    """
    said = []
    for path in _candidates():
        found = _probe(path, stamp_of(path), architecture)
        if isinstance(found, Compiler):
            return found
        said.append(f"{path}: {found}")
    remedy = "apt-get install hipcc (gfx90a), or clang-19 lld-19 rocm-device-libs libamdhip64-dev, or set KPARITY_HIPCC"
    tried = f" ({'; '.join(said)})" if said else ""
    raise TargetUnavailable(f"no HIP compiler for {architecture}{tried}: {remedy}")


@functools.cache
def device_architecture() -> str:
    """Return the architecture of the first AMD GPU (`gfx90a`), or the fallback where there is none."""
    if tool := shutil.which("rocm_agent_enumerator") or shutil.which(str(ROCM / "bin" / "rocm_agent_enumerator")):
        probed = run([tool], PROBE_SECONDS)
        found = re.findall(r"^gfx(?!000$)\w+$", probed.output, re.MULTILINE)  # gfx000 is the CPU
        if probed.status == 0 and found:
            return str(found[0])
    return FALLBACK_ARCHITECTURE


def _candidates() -> Iterator[str]:
    if wanted := os.environ.get("KPARITY_HIPCC"):
        path = shutil.which(wanted)
        if path is None:
            raise TargetUnavailable(f"KPARITY_HIPCC names `{wanted}`, which is not on PATH")
        yield path
        return
    names = ["hipcc", str(ROCM / "bin" / "hipcc"), *(f"clang++-{version}" for version in CLANGS)]
    yield from dict.fromkeys(path for name in names if (path := shutil.which(name)))


@functools.cache
def _probe(path: str, stamp: tuple[int, int], architecture: str) -> Compiler | str:
    """Return the compiler with what it needs on each line, or why it makes no code for the architecture."""
    asked = run([path, "--version"], PROBE_SECONDS)
    clang = re.search(r"clang version (\d+(?:\.\d+)*)", asked.output)
    if asked.status != 0 or clang is None:
        return "does not run as a HIP compiler"
    hip = re.search(r"HIP version: (\d+\.\d+(?:\.\d+)?)", asked.output)
    version = f"{hip[1]} (clang {clang[1]})" if hip else clang[1]
    name = "hipcc" if hip else "clang++"
    flags = () if hip else _clang_flags(path, architecture)  # hipcc knows where HIP is; a clang++ has to be told
    fault = _try(path, (*flags, f"--offload-arch={architecture}"))
    return fault or Compiler(name, path, version, f"{asked.output} {flags}", flags)


def _try(path: str, flags: tuple[str, ...]) -> str:
    """Compile a small kernel; return the first error, or nothing."""
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "probe.hip"
        source.write_text(
            "#include <hip/hip_runtime.h>\n__global__ void k(double *x) { x[threadIdx.x] = exp(x[0]); }\n"
        )
        what = ("-x", "hip", "-std=c++17", "-fPIC", "-shared", str(source), "-o", str(Path(place) / "probe.so"))
        probed = run([path, *flags, *what], PROBE_SECONDS)
    errors = [line for line in probed.output.splitlines() if "error" in line]
    return "" if probed.status == 0 else (errors or ["fails without a message"])[0]


def _clang_flags(path: str, architecture: str) -> tuple[str, ...]:
    """Return what tells clang where HIP's headers, runtime and device libraries are; nothing where they are not."""
    libraries = next((folder for folder in map(Path, DEVICE_LIBRARIES) if (folder / "ocml.bc").is_file()), None)
    headers = next((root for root in HEADERS if Path(root, "include/hip/hip_runtime.h").is_file()), None)
    if libraries is None or headers is None:
        return ()
    return (
        f"--rocm-path={headers}", f"--rocm-device-lib-path={_with_architecture(libraries, path, architecture)}",
        "-D__HIP_PLATFORM_AMD__", "--hip-link", "-lamdhip64", "-Wno-unused-command-line-argument",
    )  # fmt: skip


def isa_number(architecture: str) -> int:
    """Return what the device libraries call an architecture: gfx90a is 9010, gfx1100 is 11000."""
    digits = architecture.removeprefix("gfx")
    return int(digits[:-2]) * 1000 + int(digits[-2], 16) * 100 + int(digits[-1], 16)


def _with_architecture(libraries: Path, path: str, architecture: str) -> Path:
    """Return the device libraries' folder; of older ones a copy that has the one constant of a newer architecture."""
    name = f"oclc_isa_version_{architecture.removeprefix('gfx')}.bc"
    if (libraries / name).is_file():
        return libraries
    key = sha256(f"{path} {libraries} {architecture}".encode()).hexdigest()[:16]
    folder = shelf("device-libraries") / key
    if (folder / name).is_file():
        return folder
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        for file in libraries.glob("*.bc"):
            link = Path(place) / file.name
            link.symlink_to(file)
            os.replace(link, folder / file.name)
        source, made = Path(place) / "isa.ll", Path(place) / name
        number = f"constant i32 {isa_number(architecture)}, align 4"
        source.write_text(
            'target triple = "amdgcn-amd-amdhsa"\n'
            f"@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) {number}\n"
        )
        flags = ("-target", "amdgcn-amd-amdhsa", "-nogpulib", "-emit-llvm", "-c")
        finished = run([path, "-x", "ir", str(source), *flags, "-o", str(made)], PROBE_SECONDS)
        if finished.status == 0:  # if not, the probe says what is missing
            os.replace(made, folder / name)
    return folder
