"""How long the compiler takes on one kernel, cold and from its cache: each sample in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from .errors import HarnessError

_TIME_LIMIT = 300.0  # seconds; the slowest kernel takes a hundredth of it


class CompileTimeError(HarnessError):
    """The compiler failed, or did not do what was to be timed; the message ends with what it printed."""


def compile_seconds(suite: str, kernel: str, target: str, *, cached: bool, samples: int = 5) -> list[float]:
    """Time the compiler: front end, checks and code generation, or the look-up in its cache.

    Parameters
    ----------
    suite, kernel, target : str
        What is compiled.
    cached : bool
        False: every sample starts with an empty cache. True: the cache holds the kernel.
    samples : int
        How many; each is a fresh process, because the compiler keeps typed kernels in memory.

    Returns
    -------
    list of float
        Seconds, in the order taken. Starting Python and importing the compiler are outside.

    Raises
    ------
    CompileTimeError
        A process failed, or one that was to find the kernel in the cache did not, or the reverse.
    """
    times = []
    with tempfile.TemporaryDirectory(prefix="kparity-compile-") as warm:
        if cached:
            _sample(suite, kernel, target, warm)
        for _ in range(samples):
            with tempfile.TemporaryDirectory(prefix="kparity-compile-") as empty:
                found = _sample(suite, kernel, target, warm if cached else empty)
            if found["from_cache"] is not cached:
                raise CompileTimeError(f"{kernel} for {target} {'did not come' if cached else 'came'} from the cache")
            times.append(float(found["seconds"]))
    return times


def _sample(suite: str, kernel: str, target: str, cache: str) -> Mapping[str, Any]:
    command = [sys.executable, "-m", "kparity.harness.compile_time", suite, kernel, target]
    environment = {**os.environ, "KPARITY_CACHE": cache}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_TIME_LIMIT, check=False)
    if done.returncode:
        raise CompileTimeError(f"compiling {kernel} for {target} failed:\n{done.stderr.strip()}")
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found


def main(suite: str, kernel: str, target: str) -> None:
    """Compile once, and print `seconds` and `from_cache` as JSON."""
    from kparity.compiler import compile_program
    from kparity.suites import entries

    compiled = compile_program(entries(suite)[kernel].spec.program, target)
    print(json.dumps({"seconds": compiled.compile_seconds, "from_cache": compiled.from_cache}))


if __name__ == "__main__":
    main(*sys.argv[1:4])
