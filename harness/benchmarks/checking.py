"""Processor time that the checker takes on every kernel of the suite: front end and all proofs."""

from __future__ import annotations

from typing import Any

from kparity.compiler import Kernel
from kparity.harness.checking_cost import checking_seconds
from kparity.harness.kernel_files import kernels_in
from kparity.suites import Entry, entries

VERSION = "1"  # of what is timed


def _benchmark(entry: Entry) -> Any:
    def sampled() -> dict[str, Any]:
        each = [checking_seconds(kernel) for kernel in kernels_in(entry.path) if isinstance(kernel, Kernel)]
        return {"samples": [sum(one) for one in zip(*each, strict=True)], "number": 1}

    function: Any = sampled
    function.benchmark_name = f"compiler.{entry.full_name.replace('_', '.', 1)}.checking"
    function.unit = "seconds"
    function.version = VERSION
    function.pretty_source = entry.path.read_text(encoding="utf-8")
    return sampled


for _entry in entries("rajaperf"):
    globals()[f"{_entry.full_name}_checking"] = _benchmark(_entry)
