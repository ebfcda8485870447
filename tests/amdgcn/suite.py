"""Run the suite's kernels on emulated AMD GPUs: `python -m tests.amdgcn.suite [--size 200] [KERNEL ...]`.

Prints a table of kernels by processors: `ok`, or what went wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
import pytest

from kparity.suites import Entry, entries

from .device import Device

# Eliminates without pivoting: of the suite's own data some systems are so near to singular that rounding alone shows.
ON_NOISE = {"FEMSWEEP"}
# Long threads, of which the suite has a thousand already at small sizes.
SMALLER = {"INTSC_HEXHEX": 1, "INTSC_HEXRECT": 10, "EDGE3D": 10}
BY_LIBRARY = ("SORT", "SORTPAIRS")  # no code of the compiler's


def run_entry(entry: Entry, device: Device, size: int) -> None:
    """Run two repetitions on a device, and compare with the reference; raises AssertionError where they differ."""
    spec = entry.spec
    size = min(size, SMALLER.get(spec.name, size))
    if spec.name in ON_NOISE:
        assert spec.random is not None
        arguments = spec.random(size, np.random.default_rng(1))
    else:
        arguments = entry.arguments(size)
    found = device.run(spec.program, arguments, repetitions=2)
    spec.repeat(arguments, 2)
    for name, wanted in arguments.items():
        if isinstance(wanted, np.ndarray):
            for part in wanted.dtype.names or [...]:
                tolerance = max(spec.rtol, 1e-15)
                np.testing.assert_allclose(found[name][part], wanted[part], spec.rtol, tolerance, err_msg=name)
    for name, value in found["results"].items():
        assert value == found[name][0].item(), name


def main(given: Sequence[str] | None = None) -> int:
    """Print the table; returns how many kernels failed somewhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*", help="names, as RAJAPerf has them; all if none is given")
    parser.add_argument("--processors", default="gfx942,gfx1100", help="comma-separated")
    parser.add_argument("--size", type=int, default=200, help="problem size")
    options = parser.parse_args(given)
    processors, failed = options.processors.split(","), 0
    print(f"{'kernel':<34}" + "".join(f"{p:>12}" for p in processors), flush=True)
    for entry in entries("rajaperf"):
        if entry.spec.name in BY_LIBRARY or (options.kernels and entry.spec.name not in options.kernels):
            continue
        cells, faults = [], []
        for processor in processors:
            started = time.perf_counter()
            with pytest.MonkeyPatch.context() as patch:
                try:
                    run_entry(entry, Device(processor, patch), options.size)
                    cells.append(f"ok {time.perf_counter() - started:.1f} s")
                except Exception as error:  # whatever it is, the table goes on
                    cells.append("failed")
                    faults.append(f"  {processor}: {type(error).__name__}: {' '.join(str(error).split())[:300]}")
        print(f"{entry.full_name:<34}" + "".join(f"{c:>12}" for c in cells), *faults, sep="\n", flush=True)
        failed += bool(faults)
    return failed


if __name__ == "__main__":
    sys.exit(bool(main()))
