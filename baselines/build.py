"""Compile baselines, each once for its content, safely for processes that do so at the same time."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from kparity.compiler import KparityError, Manifest

from .baseline import Baseline
from .process import run
from .recipe import LIBRARY, Options, Recipe, recipe
from .shelf import shelf
from .sources import BuildError, abi_header, find_source, refuse_reserved_names

COMPILER_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Request:
    """One build among several."""

    kernel: str | Path
    manifest: Manifest
    target: str


def build(kernel: str | Path, manifest: Manifest, target: str, options: Options | None = None) -> Baseline:
    """Compile the native side of a kernel, or take it from the cache.

    Parameters
    ----------
    kernel : str or Path
        What `find_source` takes: a file, or a name such as `rajaperf/stream/triad`.
    manifest : Manifest
        Argument block of the checked program; a source written for another parameter list does not compile.
    target : str
        `cpu1` (one thread), `cpu` (OpenMP), `cuda`, `hip`, or `hip_on_cuda` (the HIP text by nvcc).
    options : Options, optional
        Other flags than the usual ones.

    Returns
    -------
    Baseline
        The shared library, ready to launch.

    Raises
    ------
    BuildError
        No such source, or it does not compile: the compiler's message, the file and the command.
    TargetUnavailable
        No compiler for the target here; the message has the remedy.
    """
    how = recipe(find_source(kernel), manifest, target, options or Options())
    kept = shelf("baselines")
    folder = kept / f"{how.name}-{target}-{how.key()[:32]}"
    if baseline := _kept(how, folder):
        return baseline
    # The lock spares a second process the same work; safe it is because a folder gets its name when it is complete.
    with FileLock(kept / f"{folder.name}.lock"):
        if baseline := _kept(how, folder):
            return baseline
        shutil.rmtree(folder, ignore_errors=True)  # an entry that cannot be read
        with tempfile.TemporaryDirectory(dir=kept, prefix=".building-") as place:
            staging = Path(place) / "entry"
            staging.mkdir()
            _compile(how, staging)
            staging.rename(folder)
    made = _kept(how, folder)
    if made is None:
        raise BuildError(f"{folder} vanished while {how.source} was built there: build again", how.source)
    return made


def build_many(
    requests: Iterable[Request], options: Options | None = None, jobs: int | None = None
) -> list[Baseline | KparityError]:
    """Compile several baselines at once; one that fails leaves the others alone.

    Parameters
    ----------
    requests : iterable of Request
        What to build.
    options : Options, optional
        For all of them.
    jobs : int, optional
        Compilers that run at a time; by default one a processor that this process may use.

    Returns
    -------
    list of Baseline or KparityError
        In the order of the requests; the error in place of a baseline that could not be had.
    """

    def one(request: Request) -> Baseline | KparityError:
        try:
            return build(request.kernel, request.manifest, request.target, options)
        except KparityError as error:
            return error

    with ThreadPoolExecutor(jobs or len(os.sched_getaffinity(0)), "build") as pool:
        return list(pool.map(one, requests))


def _compile(how: Recipe, folder: Path) -> None:
    """Fill a cache entry: ABI header, library, and the record of how it was made."""
    refuse_reserved_names(how.manifest, how.source)
    (folder / f"{how.name}.abi.h").write_text(abi_header(how.manifest), encoding="utf-8")
    command = how.command(folder, folder / f"{how.name}.so", *LIBRARY[how.target])
    start = time.monotonic()
    finished = run(command, COMPILER_SECONDS)
    if finished.status != 0:
        raise _failure(how, command, finished.output)
    record = {"command": command, "log": finished.output, "seconds": time.monotonic() - start}
    (folder / "build.json").write_text(json.dumps(record), encoding="utf-8")


def _failure(how: Recipe, command: tuple[str, ...], output: str) -> BuildError:
    lines = [f"{how.source} does not compile for {how.target} with {how.compiler}", *output.strip().splitlines()]
    if "KP_ABI" in output or "KP_MEMBER" in output or "kp_arguments" in output:
        declared = "; ".join(p.c_declaration for p in how.manifest.parameters)
        lines.append(f"help: KP_ARGUMENTS in {how.source.name} must list what the checked kernel declares: {declared}")
    lines.append(f"command: {' '.join(command)}")
    return BuildError("\n".join(lines), how.source, command, output)


def _kept(how: Recipe, folder: Path) -> Baseline | None:
    """Return what the cache has under this key; None if there is nothing, or nothing that can be read."""
    try:
        record = json.loads((folder / "build.json").read_text(encoding="utf-8"))
        log, seconds = str(record["log"]), float(record["seconds"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    library = folder / f"{how.name}.so"
    return Baseline(how, library, log, seconds) if library.is_file() else None
