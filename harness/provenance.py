"""What a reader needs to know before comparing two campaigns: machine, tools, sources, settings."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("kparity", "numpy", "scipy", "llvmlite", "islpy", "z3-solver", "cupy-cuda13x", "cupy-cuda12x", "asv")
# Of the environment only what changes code or timing: the rest is the user's own business.
VARIABLES = ("OMP_", "GOMP_", "KMP_", "CUDA_", "NVIDIA_", "KPARITY_", "LD_PRELOAD", "LD_LIBRARY_PATH", "MALLOC_", "CXX")

# Two campaigns in which these differ are not of the same machine and toolchain.
DECISIVE = ("host", "cpu", "cores", "devices", "compilers", "packages", "commit", "dirty", "sources")

# Of what a device says of itself, what it is, and what drives it; the rest (temperature, clocks) is a state.
DEVICE_IDENTITY = ("model", "architecture", "multiprocessors", "uuid", "memory_bytes", "processor", "threads")
DEVICE_SOFTWARE = ("driver", "cuda", "cupy", "rocm", "compiler")
# Of the recorded variables, those that change code or timing wherever they are set.
SHAPING_VARIABLES = ("OMP_", "GOMP_", "KMP_", "MALLOC_", "LD_PRELOAD", "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX")


def gather(
    devices: Mapping[str, Mapping[str, str]], compilers: Mapping[str, str], command: Iterable[str]
) -> dict[str, Any]:
    """Return a campaign's provenance.

    Parameters
    ----------
    devices : mapping
        Target -> what its device says of itself.
    compilers : mapping
        Target -> version and flags of the baseline's compiler.
    command : iterable of str
        Command line.

    Returns
    -------
    dict
        JSON values; `commit` is empty where the sources are no git checkout.
    """
    commit, dirty = source_state(Path(__file__).resolve().parents[1])
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": list(command),
        "host": platform.node(),
        "system": platform.platform(),
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "devices": {target: dict(description) for target, description in devices.items()},
        "compilers": dict(compilers),
        "python": sys.version.split()[0],
        "packages": package_versions(),
        "commit": commit,
        "dirty": dirty,
        "environment": {k: v for k, v in sorted(os.environ.items()) if k.startswith(VARIABLES)},
    }


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return what differs, one line each, of what makes two campaigns comparable."""
    keys = (key for key in DECISIVE if key in before and before[key] != now.get(key))
    return [f"{key}: {before[key]!s} -> {now.get(key)!s}" for key in keys]


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the model name of the first CPU."""
    try:
        lines = cpuinfo.read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def package_versions() -> dict[str, str]:
    """Return the versions of the installed packages that shape results."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue  # optional ones are often absent
    return versions


def source_state(folder: Path) -> tuple[str, bool]:
    """Return the commit of a git checkout and whether its files differ from it.

    Outside of one (an installed wheel) the variable `KPARITY_COMMIT` may name the commit; else it is empty.
    """
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit:
        return os.environ.get("KPARITY_COMMIT", ""), False
    return commit, bool(_git(folder, "status", "--porcelain"))


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""  # no git, no checkout, or no commit yet: then there is no commit to name
    return done.stdout.strip()
