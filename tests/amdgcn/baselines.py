"""Runs HIP baselines in the emulator and compares them with the NumPy references: `python -m tests.amdgcn.baselines`.

Each baseline is run as built, its host side on a runtime of the tests' own, on random data. A line says what
came out, how many instructions its waves took together, and how long that was.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kparity.baselines import Baseline, Options, build
from kparity.compiler import KparityError, manifest_of
from kparity.suites import Entry, arrays_in, each, entries
from tests.baselines.conftest import RUN, pack, random_arguments

from .runtime import Runtime

SECONDS = 60  # of one tuning
NOT_EMULATED = 801  # what the tests' runtime answers to the vendor's library


def run_all(runtime: Runtime, architecture: str, chosen: list[Entry], size: int) -> Iterator[dict[str, Any]]:
    """Yield what came of each kernel and tuning."""
    for entry in chosen:
        try:
            baseline = build(entry.path, manifest_of(entry.spec.program), "hip", Options(architecture=architecture))
        except KparityError as error:
            yield {"kernel": entry.path.stem, "tuning": "", "outcome": f"not built: {str(error).splitlines()[0]}"}
            continue
        for tuning in baseline.tunings:
            started = time.monotonic()
            outcome = judged(runtime, baseline, tuning, entry, architecture, size)
            executed = sum(runtime.machine.executed.values()) if runtime.machine else 0
            yield {
                "kernel": entry.path.stem, "tuning": tuning, "outcome": outcome, "instructions": executed,
                "seconds": round(time.monotonic() - started, 2),
            }  # fmt: skip


def judged(runtime: Runtime, baseline: Baseline, tuning: str, entry: Entry, architecture: str, size: int) -> str:
    """Run one tuning twice over; returns `right`, or what is wrong."""
    address = baseline.address(tuning)
    if baseline.code_objects:
        runtime.load(baseline.code_objects[architecture])
    runtime.fault = ""
    signal.alarm(SECONDS)
    given = random_arguments(entry, size)
    expected = {name: each(np.copy, value) for name, value in given.items()}
    arguments = {name: each(lambda array, name=name: held(runtime, name, array), v) for name, v in given.items()}
    results = runtime.memory.hold("the results", np.zeros(8, np.uint64))
    block = pack(baseline.manifest, arguments, results.ctypes.data)
    with np.errstate(all="ignore"):
        status = RUN(address)(ctypes.addressof(block), 0, 2, None, 0)
    signal.alarm(0)
    if status == NOT_EMULATED:
        return "not emulated"
    if runtime.fault or status:
        return runtime.fault or f"status {status}"
    entry.spec.repeat(expected, 2)
    got = arrays_in(arguments)
    for name, want in arrays_in(expected).items():
        rtol, have = max(entry.spec.rtol, 1e-15), entry.spec.result(name, got[name])
        want = entry.spec.result(name, want)
        for part in getattr(want, "dtype", np.dtype(int)).names or [...]:
            if not np.allclose(have[part], want[part], rtol, rtol, equal_nan=False):
                return f"`{name}` differs by {np.max(np.abs(have[part] - want[part])):.3g}"
    return "right"


def too_long(*_: Any) -> None:
    """End what takes too long."""
    raise TimeoutError(f"stopped after {SECONDS} s")


def held(runtime: Runtime, name: str, value: Any) -> Any:
    """An array where kernels reach it; a number as it is."""
    return runtime.memory.hold(name, value) if isinstance(value, np.ndarray) else value


def main(arguments: list[str]) -> int:
    """Print a table, or a JSON line a tuning; returns 1 if a result is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.amdgcn.baselines", description=__doc__)
    parser.add_argument("kernels", nargs="*", help="stems (triad, dot, ...); all if none is named")
    parser.add_argument("--architecture", default="gfx90a")
    parser.add_argument("--size", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    chosen = [e for e in entries("rajaperf") if not options.kernels or e.path.stem in options.kernels]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        signal.signal(signal.SIGALRM, too_long)
        runtime = Runtime(Path(folder))
        for row in run_all(runtime, options.architecture, chosen, options.size):
            wrong += row["outcome"] not in ("right", "not emulated")
            cells = f"{row['kernel']:24} {row['tuning']:22} {row.get('instructions', 0):>9}"
            print(
                json.dumps(row) if options.json else f"{cells} {row.get('seconds', 0):7.2f} s  {row['outcome']}",
                flush=True,
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
